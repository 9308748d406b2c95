// The scene that shading reads. The same words as `SceneRecord` in src/scene.rs.
#pragma once

#include "records.h"

namespace raywarp::render {

struct Scene {
    Array<TriangleRecord> triangles;
    Array<AttributeRecord> attributes;
    Array<ColorRecord> colors;
    Array<PlacementRecord> placements;
    Array<MaterialRecord> materials;
    Array<Input> inputs;
    Array<MediumRecord> media;
    Array<ProgramRecord> programs;
    Array<TextureOp> texture_ops;
    Array<ImageRecord> images;
    Array<LightRecord> lights;
    Array<AliasCell> light_choice;
    Array<EnvironmentRecord> environments;
    // Words, of them numbers by their bits: cumulative tables of environments, and their guides.
    Array<u32> tables;
    // What rough surfaces keep: numbers' bits, and pairs of fractions (bsdf/tables.h).
    Array<u32> numbers, fractions;
    // Bits of the linear values of the 256 bytes of sRGB.
    Array<u32> srgb;
    // Whether no material has holes.
    u64 all_opaque;
};

}  // namespace raywarp::render
