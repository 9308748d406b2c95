// Sine and cosine of shares of a full turn. As raywarp-sample's warp/turn.rs.
#pragma once

#include "../elementary/parts.h"

namespace raywarp::render::warp {

// For turn in 0 ..= 1.
RW_FUNCTION SinCos sin_cos_turn(float turn) {
    constexpr float HALF_PI = 1.57079632679489661923f;
    const float quarters = 4.0f * turn;
    const u32 quadrant = platform::to_u32(quarters + 0.5f);
    const auto [s, c] = elementary::sin_cos_octant((quarters - static_cast<float>(quadrant)) * HALF_PI);
    const float sin = (quadrant & 1) == 0 ? s : c, cos = (quadrant & 1) == 0 ? c : s;
    return {(quadrant & 2) == 0 ? sin : -sin, ((quadrant + 1) & 2) == 0 ? cos : -cos};
}

}  // namespace raywarp::render::warp

namespace raywarp::render {
using warp::sin_cos_turn;
}
