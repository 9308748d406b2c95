// What a hit needs of its triangle. As raywarp-render's flat/triangle.rs.
#pragma once

#include "scene.h"

namespace raywarp::render {

// For a length out of the range of floats; zero for a zero vector.
inline RW_COLD Vec3 normalize_widely(Vec3 v) {
    const double x = v.x, y = v.y, z = v.z;
    const double length = platform::square_root(x * x + y * y + z * z);
    if (!(length > 0.0)) {
        return {0.0f, 0.0f, 0.0f};
    }
    return {static_cast<float>(x / length), static_cast<float>(y / length), static_cast<float>(z / length)};
}

RW_FUNCTION Vec3 normalize(Vec3 v) {
    const Option<Vec3> unit = try_normalize(v);
    return unit ? *unit : normalize_widely(v);
}

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
