// New ray origins that do not hit the surface they start on. As raywarp-geom's offset.rs.
#pragma once

#include "../vector.h"

namespace raywarp::render {

RW_FUNCTION float offset_coordinate(float p, float n) {
    if (magnitude(p) < 1.0f / 32.0f) {
        return p + 1.0f / 65536.0f * n;
    }
    const u32 steps = static_cast<u32>(platform::to_i32(256.0f * n));
    const float moved = float_of(bits_of(p) + (p < 0.0f ? 0u - steps : steps));
    return is_finite(moved) ? moved : p;
}

RW_FUNCTION Vec3 offset_origin(Vec3 point, Vec3 normal) {
    return {offset_coordinate(point.x, normal.x), offset_coordinate(point.y, normal.y),
            offset_coordinate(point.z, normal.z)};
}

// Besides, by a share of `extent`, the largest coordinate difference between the point and a corner.
RW_FUNCTION Vec3 offset_from_triangle(Vec3 point, Vec3 normal, float extent) {
    constexpr float TEST_ROUNDING = 1.0f / 2097152.0f;
    return offset_origin(point, normal) + TEST_ROUNDING * extent * normal;
}

}  // namespace raywarp::render
