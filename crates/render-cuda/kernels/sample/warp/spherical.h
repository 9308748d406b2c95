// Uniform directions of triangles on the unit sphere. As raywarp-sample's warp/spherical.rs.
#pragma once

#include "../../vector.h"
#include "../elementary/angle.h"

namespace raywarp::render::warp {

// Half the solid angle of the triangle between the unit vectors a, b and c, whose triple product is `volume`.
RW_FUNCTION float half_solid_angle(Vec3 a, Vec3 b, Vec3 c, float volume) {
    return elementary::atan2(volume, (1.0f + dot(a, b)) + (dot(b, c) + dot(c, a)));
}

// Uniform direction of that triangle. `half`: half the solid angle of the part between a, b and the direction.
RW_FUNCTION Vec3 spherical_triangle(Vec3 a, Vec3 b, Vec3 c, float volume, float half, float u) {
    const auto [sin, cos] = elementary::sin_cos(half);
    const float to_a = volume * cos - (dot(c, a) + dot(b, c)) * sin;
    const Vec3 middle = to_a * a + (1.0f + dot(a, b)) * sin * c;
    const float squared = length_squared(middle);
    const float scale = 2.0f * dot(a, middle) / squared;
    const Vec3 end = squared > 0.0f ? scale * middle + -1.0f * a : c;
    const Vec3 arc = end - b, across = end + b;
    const float h = 0.5f * length_squared(arc), rest = 0.5f * length_squared(across);
    const float share = u * (rest + (1.0f - u) * h) / rest;
    const float t = share < 3.40282347e+38f ? square_root(most(share, 0.0f)) : 0.0f;
    return (1.0f - u * h - t * (1.0f - h)) * b + t * end;
}

}  // namespace raywarp::render::warp
