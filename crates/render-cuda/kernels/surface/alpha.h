// Whether a surface is there. As raywarp-render's surface/alpha.rs.
#pragma once

#include "../sample/hash.h"
#include "../texture/inputs.h"
#include "point.h"

namespace raywarp::render {

// Probability with which the surface of `triangle` is at the barycentrics `at`.
RW_FUNCTION float coverage(const Scene& scene, const TriangleRecord& triangle, Vec2 at) {
    const MaterialRecord material = load(scene.materials, triangle.material());
    if (material.alpha == NONE) {
        return 1.0f;
    }
    const Input input = load(scene.inputs, material.alpha);
    const float alpha = scalar(scene, input, texture_point(scene, triangle.attributes, at));
    if (material.has(material_flags::MASK)) {
        return alpha >= material.cutoff ? 1.0f : 0.0f;
    }
    return clamp(alpha, 0.0f, 1.0f);
}

// Decides where blended surfaces are.
struct Holes {
    u32 seed, salt;

    // Whether the surface of a triangle is there at a candidate hit.
    RW_FUNCTION bool is_surface(const Scene& scene, u32 triangle, Vec2 at, u32 pixel, u32 sample) const {
        const TriangleRecord record = load(scene.triangles, triangle);
        const float share = coverage(scene, record, at);
        if (share <= 0.0f || share >= 1.0f) {
            return share > 0.0f;
        }
        u32 key = hash::combine(hash::pcg(seed), pixel);
        key = hash::combine(key, sample);
        key = hash::combine(key, salt);
        key = hash::combine(key, record.instance);
        // The primitive's number in its instance.
        key = hash::combine(key, triangle - load(scene.placements, record.instance).first_triangle);
        return hash::to_unit(key) < share;
    }
};

}  // namespace raywarp::render
