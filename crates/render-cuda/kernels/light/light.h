// All lights of a scene behind one choice. As raywarp-render's light/mod.rs.
//
// `LIGHTS` are the kinds that the scene can have, a bit each: functions contain nothing of the others.
#pragma once

#include "../sample/warp/alias.h"
#include "environment.h"
#include "planar.h"
#include "punctual.h"
#include "sphere.h"

namespace raywarp::render::light {

RW_FUNCTION constexpr u32 bit_of(LightKind kind) { return 1u << static_cast<u32>(kind); }
constexpr u32 ALL_KINDS = (1u << 8) - 1;
constexpr u32 PLANAR = bit_of(LightKind::Triangle) | bit_of(LightKind::Parallelogram) | bit_of(LightKind::Disk);
constexpr u32 SPHERE = bit_of(LightKind::Sphere), ENVIRONMENT = bit_of(LightKind::Environment);
constexpr u32 PUNCTUAL = bit_of(LightKind::Point) | bit_of(LightKind::Spot) | bit_of(LightKind::Directional);

// Whether a kind is one of a set, of those that there are.
template <u32 LIGHTS>
RW_FUNCTION bool is_of(LightKind kind, u32 set) {
    return (LIGHTS & set) != 0 && ((LIGHTS & ~set & ALL_KINDS) == 0 || (1u << static_cast<u32>(kind) & set) != 0);
}

// A connection from `point` to a light chosen by `u_choice`; nothing when it lights nothing.
template <u32 LIGHTS = ALL_KINDS>
RW_FUNCTION Option<LightSample> sample(const Scene& scene, Vec3 point, float u_choice, Vec2 u) {
    if (scene.light_choice.count == 0) {
        return none();
    }
    const warp::AliasChoice choice = warp::choose_by_alias(scene.light_choice, u_choice);
    const LightRecord light = load(scene.lights, choice.index);
    const LightKind kind = light.kind();
    if (is_of<LIGHTS>(kind, PLANAR)) {
        return planar::sample(scene, light, point, u);
    }
    if (is_of<LIGHTS>(kind, SPHERE)) {
        return sphere::sample(scene, light, point, u);
    }
    if (is_of<LIGHTS>(kind, PUNCTUAL)) {
        return punctual::sample(light, point, choice.probability);
    }
    if (is_of<LIGHTS>(kind, ENVIRONMENT)) {
        return Environment::of(scene, light.index).connect(scene, u, choice.probability);
    }
    return none();
}

// Solid-angle density with which `sample` finds from `point` what a ray from there hits of the light `index`, at a
// squared distance and where the front normal makes `cos` with the direction back; 0 for NONE.
template <u32 LIGHTS = ALL_KINDS>
RW_FUNCTION float pdf(const Scene& scene, u32 index, Vec3 point, float cos, float distance_squared) {
    if (index == NONE) {
        return 0.0f;
    }
    const LightRecord light = load(scene.lights, index);
    if (is_of<LIGHTS>(light.kind(), PLANAR)) {
        return planar::pdf(light, point, cos, distance_squared);
    }
    return is_of<LIGHTS>(light.kind(), SPHERE) ? sphere::pdf(light, point) : 0.0f;
}

}  // namespace raywarp::render::light
