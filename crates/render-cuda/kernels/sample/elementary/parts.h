// What the elementary functions are made of. As raywarp-sample's elementary/mod.rs.
#pragma once

#include "../../scalar.h"

namespace raywarp::render {

struct SinCos {
    float sin, cos;
};

namespace elementary {

constexpr float LN_2_HIGH = 0.693359375f, LN_2_LOW = -2.1219444e-4f;

struct Nearest {
    float whole;
    int n;
};

// The integer nearest to x, as a float and as an integer, for |x| below 2^22.
RW_FUNCTION Nearest nearest(float x) {
    constexpr float SHIFT = 12582912.0f;
    const float sum = x + SHIFT;
    return {sum - SHIFT, static_cast<int>(bits_of(sum) - 0x4b400000u)};
}

// 2^n for n in -126 ..= 127, and 0 for n = -127.
RW_FUNCTION float power_of_two(int n) { return float_of((static_cast<u32>(n) + 127u) << 23); }

// For x in -pi/4 ..= pi/4.
RW_FUNCTION SinCos sin_cos_octant(float x) {
    const float y = x * x;
    const float sin =
        x + x * y * (-1.0f / 6.0f + y * (1.0f / 120.0f + y * (-1.0f / 5040.0f + y * (1.0f / 362880.0f))));
    const float cos = 1.0f + y * (-0.5f + y * (1.0f / 24.0f + y * (-1.0f / 720.0f + y * (1.0f / 40320.0f))));
    return {sin, cos};
}

}  // namespace elementary

}  // namespace raywarp::render
