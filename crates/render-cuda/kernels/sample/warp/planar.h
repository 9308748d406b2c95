// Warps to the unit disk and to triangles. As raywarp-sample's warp/planar.rs.
#pragma once

#include "../../vector.h"
#include "../elementary/parts.h"

namespace raywarp::render::warp {

RW_FUNCTION Vec2 concentric_disk(Vec2 u) {
    constexpr float QUARTER_PI = 0.785398163397448309616f;
    const float x = 2.0f * u.x - 1.0f, y = 2.0f * u.y - 1.0f;
    const bool wide = magnitude(x) > magnitude(y);
    const float r = wide ? x : y, other = wide ? y : x;
    const auto [sin, cos] = elementary::sin_cos_octant(QUARTER_PI * (r == 0.0f ? 0.0f : other / r));
    return {r * (wide ? cos : sin), r * (wide ? sin : cos)};
}

// Uniform point of a triangle as the barycentric coordinates of its second and third corner.
RW_FUNCTION Vec2 uniform_triangle(Vec2 u) {
    const bool above = u.y > u.x;
    const float half = 0.5f * (above ? u.x : u.y);
    const float rest = (above ? u.y : u.x) - half;
    return {above ? half : rest, above ? rest : half};
}

}  // namespace raywarp::render::warp
