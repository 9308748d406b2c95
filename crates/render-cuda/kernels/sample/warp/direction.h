// Warps to the sphere, and frames. As raywarp-sample's warp/direction.rs.
#pragma once

#include "planar.h"
#include "turn.h"

namespace raywarp::render::warp {

constexpr float ONE_OVER_PI = 0.318309886183790671538f;

RW_FUNCTION Vec3 cosine_hemisphere(Vec2 u) {
    const auto [x, y] = concentric_disk(u);
    return {x, y, square_root(most(1.0f - x * x - y * y, 1e-12f))};
}
RW_FUNCTION float cosine_hemisphere_pdf(float cos) { return most(cos, 0.0f) * ONE_OVER_PI; }

RW_FUNCTION Vec3 ring(float z, float turn) {
    const float r = square_root(most(1.0f - z * z, 0.0f));
    const auto [sin, cos] = sin_cos_turn(turn);
    return {r * cos, r * sin, z};
}

RW_FUNCTION Vec3 uniform_hemisphere(Vec2 u) { return ring(1.0f - u.x, u.y); }
RW_FUNCTION Vec3 uniform_sphere(Vec2 u) { return ring(1.0f - 2.0f * u.x, u.y); }
RW_FUNCTION float uniform_sphere_pdf() { return 0.5f / TAU; }

// Uniform direction of the cone about z whose half angle has `1 - cos = one_minus_cos`.
RW_FUNCTION Vec3 uniform_cone(Vec2 u, float one_minus_cos) {
    const float h = u.x * one_minus_cos;
    const float r = square_root(most(h * (2.0f - h), 0.0f));
    const auto [sin, cos] = sin_cos_turn(u.y);
    return {r * cos, r * sin, 1.0f - h};
}
RW_FUNCTION float uniform_cone_pdf(float one_minus_cos) { return 1.0f / (TAU * one_minus_cos); }

// An orthonormal basis but for its third vector.
struct Onb {
    Vec3 tangent, bitangent;
};

// A right-handed orthonormal frame with the unit vector n.
RW_FUNCTION Onb onb(Vec3 n) {
    const float sign = copysign(1.0f, n.z);
    const float a = -1.0f / (sign + n.z);
    const float b = n.x * n.y * a;
    return {{1.0f + sign * n.x * n.x * a, sign * b, -sign * n.x}, {b, sign + n.y * n.y * a, -n.y}};
}

}  // namespace raywarp::render::warp

namespace raywarp::render {
using warp::cosine_hemisphere;
using warp::cosine_hemisphere_pdf;
using warp::onb;
}  // namespace raywarp::render
