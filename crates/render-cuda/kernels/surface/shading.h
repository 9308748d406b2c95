// From a surface point to its BSDF. As raywarp-render's surface/shading.rs, of which shading_frame.h is the rest.
#pragma once

#include "../bsdf/bsdf.h"
#include "../feature_set.h"
#include "shading_frame.h"

namespace raywarp::render {

// What a vertex scatters with.
struct Shading {
    Bsdf bsdf;
    Frame frame;
    // Unit, on the front side.
    Vec3 geometric_normal;
};

// The BSDF and its frame at a surface point seen from the unit direction `wo`; `u` decides between the parts of a mixture.
template <class F>
RW_FUNCTION Shading shading(const Scene& scene, Scattering scattering, const SurfacePoint& point, Vec3 wo, float u) {
    const MaterialRecord outer = load(scene.materials, point.material);
    // Plain diffuse surfaces need no texture coordinates and no tangent. Where nothing does, what follows is as short.
    if constexpr (F::TEXTURES && can_be<F::MODELS>(BsdfKind::Diffuse)) {
        if (outer.kind() == MaterialKind::Diffuse && !outer.has(material_flags::LOOKS_AT_ATTRIBUTES)) {
            const Frame frame = Frame::around(facing(point.shading_normal, point.geometric_normal, wo));
            const Vec3 reflectance = clamp(vec3(load(scene.inputs, outer.first_input).factor), 0.0f, 1.0f);
            return {Bsdf::diffuse(reflectance), frame, point.geometric_normal};
        }
    }
    const TexturePoint at = texture_point(scene, point.attributes, point.barycentrics);
    Decided part = {outer, u};
    if constexpr (F::CHOICES) {
        part = decided(scene, outer, at, u);
    }
    const Frame frame = shading_frame<F::BENT_NORMALS, F::ANISOTROPIC>(scene, outer, part.material, point, at, wo);
    const Inputs inputs = {scene, part.material, at, scattering, F::TEXTURES};
    return {Bsdf::look_up<F::MODELS>(inputs, part.u), frame, point.geometric_normal};
}

}  // namespace raywarp::render
