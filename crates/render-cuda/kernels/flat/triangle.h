// What a hit needs of its triangle. As raywarp-render's flat/triangle.rs.
#pragma once

#include "lengths.h"
#include "scene.h"

namespace raywarp::render {

RW_FUNCTION Vec3 normalize(Vec3 v) { return normalize_in_any_range(v).value_or(Vec3{0.0f, 0.0f, 0.0f}); }

RW_FUNCTION Vec3 front_normal(const TriangleRecord& triangle) {
    const Vec3 a = triangle.corner(0), b = triangle.corner(1), c = triangle.corner(2);
    const Vec3 normal = normalize(cross(b - a, c - a));
    return (triangle.material_and_flags & TriangleRecord::FLIPPED) != 0 ? -normal : normal;
}

// Whether light that runs along `direction` comes to the back.
RW_FUNCTION bool is_met_from_behind(const TriangleRecord& triangle, Vec3 direction) {
    return dot(front_normal(triangle), direction) > 0.0f;
}

// Index of the triangle that a hit names.
RW_FUNCTION u32 triangle_of(const Scene& scene, u32 instance, u32 primitive) {
    return load(scene.placements, instance).first_triangle + primitive;
}

}  // namespace raywarp::render
