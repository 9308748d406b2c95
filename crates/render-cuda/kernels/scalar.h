// Numbers as Rust's f32 and u32 have them: the same results, also where C++ leaves them open.
#pragma once

#include "platform/platform.h"

namespace raywarp::render {

using platform::bits_of;
using platform::float_of;
using platform::is_finite;
using platform::least;
using platform::magnitude;
using platform::most;
using platform::square_root;

constexpr u32 NONE = 0xffffffffu;
constexpr float PI = 3.14159265358979323846f;
constexpr float FRAC_1_PI = 0.318309886183790671538f;
constexpr float TAU = 6.28318530717958647692f;
constexpr float INFINITE = __builtin_huge_valf();
// Largest float below 1.
constexpr float ONE_MINUS_EPSILON = 0.999999940395355224609375f;

RW_FUNCTION bool is_nan(float x) { return x != x; }
RW_FUNCTION bool is_infinite(float x) { return (bits_of(x) & 0x7fffffffu) == 0x7f800000u; }
// Whether the sign is set, that of a zero too.
RW_FUNCTION bool is_negative(float x) { return bits_of(x) >> 31 != 0; }
RW_FUNCTION float copysign(float x, float sign) {
    return float_of((bits_of(x) & 0x7fffffffu) | (bits_of(sign) & 0x80000000u));
}
// 1 with the sign of x, zeros' too; NaN for NaN.
RW_FUNCTION float signum(float x) { return is_nan(x) ? x : copysign(1.0f, x); }
// NaN stays.
RW_FUNCTION float clamp(float x, float low, float high) {
    x = x < low ? low : x;
    return x > high ? high : x;
}
// Rust's rem_euclid: 0 to |m|.
RW_FUNCTION float remainder_euclid(float x, float m) {
    const float r = platform::remainder(x, m);
    return r < 0.0f ? r + magnitude(m) : r;
}
RW_FUNCTION float square(float x) { return x * x; }

RW_FUNCTION u32 smaller(u32 a, u32 b) { return a < b ? a : b; }
RW_FUNCTION u32 larger(u32 a, u32 b) { return a > b ? a : b; }

}  // namespace raywarp::render
