// Connections to places that shine. As raywarp-render's light/mod.rs.
#pragma once

#include "../geom/offset.h"
#include "../sample/elementary/angle.h"
#include "../surface/alpha.h"
#include "../surface/emitted.h"
#include "light_sample.h"

namespace raywarp::render::light {

// A place on an emissive surface.
struct Place {
    Vec3 position, normal;
    // Largest coordinate difference to a corner of the triangle, and that to where the ray starts, or more.
    float extent;
    u32 triangle;
};

// In which of `steps` equal steps of a turn the direction (x, y) lies.
RW_FUNCTION u32 step_of_turn(float y, float x, u32 steps) {
    float turn = elementary::atan2(y, x) / TAU;
    turn = turn < 0.0f ? turn + 1.0f : turn;
    return smaller(platform::to_u32(turn * static_cast<float>(steps)), steps - 1);
}

// How many times `u` and `v` the part of `s` in their plane is; nothing where fourth powers have not all their digits.
RW_FUNCTION Option<Vec2> weights(Vec3 u, Vec3 v, Vec3 s) {
    const Vec3 normal = cross(u, v);
    const float squared = length_squared(normal);
    if (!(squared > LEAST_LENGTH * LEAST_LENGTH && squared < MOST_LENGTH * MOST_LENGTH)) {
        return none();
    }
    return some(Vec2{dot(normal, cross(s, v)), dot(normal, cross(u, s))} * (1.0f / squared));
}

// Barycentrics of a place in the plane of a triangle; zeros for a triangle without area.
RW_FUNCTION Vec2 barycentrics(const TriangleRecord& triangle, Vec3 place) {
    const Vec3 a = triangle.corner(0);
    const Vec3 u = triangle.corner(1) - a, v = triangle.corner(2) - a, s = place - a;
    Option<Vec2> at = weights(u, v, s);
    if (!at) {
        const float scale = scale_of(most(magnitude(u), magnitude(v)));
        at = weights(u * scale, v * scale, s * scale);
    }
    return at && is_finite(*at) ? *at : Vec2{0.0f, 0.0f};
}

// A connection to `place`, found in the direction `wi` with the density `pdf`; nothing where it lights nothing.
RW_FUNCTION Option<LightSample> connect(const Scene& scene, const Place& place, Vec3 wi, float pdf) {
    if (pdf <= 0.0f || !is_finite(pdf)) {
        return none();
    }
    const float cos = -dot(place.normal, wi);
    const TriangleRecord triangle = load(scene.triangles, place.triangle);
    const MaterialRecord material = load(scene.materials, triangle.material());
    const Vec2 at = barycentrics(triangle, place.position);
    const Vec3 radiance = emitted(scene, material, triangle.attributes, at, cos) * coverage(scene, triangle, at);
    if (radiance == Vec3{0.0f, 0.0f, 0.0f}) {
        return none();
    }
    // The ray ends just before the light, on the side that it came from.
    const Vec3 side = cos > 0.0f ? place.normal : -place.normal;
    const Vec3 target = offset_from_triangle(place.position, side, place.extent);
    return some(LightSample{wi, some(target), radiance * (1.0f / pdf), pdf});
}

}  // namespace raywarp::render::light
