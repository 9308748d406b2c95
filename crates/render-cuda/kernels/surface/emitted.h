// What a surface sends out. As raywarp-render's surface/emitted.rs.
#pragma once

#include "../texture/inputs.h"
#include "point.h"

namespace raywarp::render {

// Radiance that a triangle of `material` sends out at the barycentrics `at`, where its front normal makes `cos` with
// the direction out.
RW_FUNCTION Vec3 emitted(const Scene& scene, const MaterialRecord& material, u32 attributes, Vec2 at, float cos) {
    if (material.emission == NONE || (cos <= 0.0f && !material.has(material_flags::EMITS_ON_BOTH_SIDES))) {
        return Vec3::splat(0.0f);
    }
    const Input input = load(scene.inputs, material.emission);
    if (!input.is_textured()) {
        return vec3(input.factor);
    }
    return most(color(scene, input, texture_point(scene, attributes, at)), Vec3::splat(0.0f));
}

}  // namespace raywarp::render
