// New ray origins that do not hit the surface they start on. As raywarp-geom's offset.rs.
#pragma once

#include "../vector.h"

namespace raywarp::render {

// `extent` is the largest coordinate difference between the point and a corner.
RW_FUNCTION Vec3 offset_from_triangle(Vec3 point, Vec3 normal, float extent) {
    constexpr float ROUNDING = 1.0f / 2097152.0f;
    const Vec3 along = magnitude(normal * point);
    const float distance = ROUNDING * (along.x + along.y + along.z + extent);
    const Vec3 moved = point + distance * normal;
    return {is_finite(moved.x) ? moved.x : point.x, is_finite(moved.y) ? moved.y : point.y,
            is_finite(moved.z) ? moved.z : point.z};
}

}  // namespace raywarp::render
