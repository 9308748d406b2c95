// Tags and flags of the flat scene's records. As raywarp-render's flat/*.rs and bsdf/mod.rs, which say what they mean.
#pragma once

#include "../scalar.h"

namespace raywarp::render {

enum class MaterialKind : u32 {
    Diffuse, DiffuseTransmission, Blinn, Mirror, Conductor, Dielectric, Coated, Principled, CarPaint, Mix, Invisible, Unlit
};
enum class InputChannel : u32 { Rgb, R, G, B, A, Mean };
enum class Remap : u32 { None, Square, Sqrt, Pbrt3 };
enum class LightKind : u32 { Triangle, Parallelogram, Disk, Sphere, Point, Spot, Directional, Environment };
enum class SpotRamp : u32 { Square, Fourth, Smooth };
// The last one is of devices alone: as Image, where texture units look it up.
enum class TextureKind : u32 { Constant, Image, VertexColor, Checkerboard, Scale, Mix, SampledImage };
enum class Wrapping : u32 { Repeat, Mirror, Clamp, Black };
enum class ImageLookup : u32 { Nearest, Bilinear };
// How an image's texels lie in memory.
enum class Texels : u32 { Srgb8, Linear8, Float };
enum class Scattering : u32 { Single, Multiple };
enum class DirectLight : u32 { Both, Lights, Scattering };
// Of those that kernels render.
enum class Integrator : u32 { Path, AmbientOcclusion, Normal, Depth };

namespace material_flags {
constexpr u32 EMITS_ON_BOTH_SIDES = 1, BUMP = 1 << 1, MASK = 1 << 2, ANISOTROPIC = 1 << 3, THIN = 1 << 4,
              CHOOSES = 1 << 5, LOOKS_AT_ATTRIBUTES = 1 << 6, INTERFACE = 1 << 7;
}

constexpr u32 DISK_SECTORS = 128, SPHERE_COLUMNS = 128, SPHERE_ROWS = 64;

}  // namespace raywarp::render
