// Sine and cosine, and the angles of points and of cosines. As raywarp-sample's elementary/angle.rs.
#pragma once

#include "parts.h"

namespace raywarp::render::elementary {

constexpr float HALF_PI = 1.57079632679489661923f;
constexpr float PI_REST = -8.742278e-8f, HALF_PI_REST = -4.371139e-8f;

// For x in -4 pi ..= 4 pi.
RW_FUNCTION SinCos sin_cos(float x) {
    constexpr float HIGH = 1.5708008f, LOW = -4.454455e-6f;
    constexpr float TWO_OVER_PI = 0.636619772367581343076f;
    const auto [quarters, n] = nearest(x * TWO_OVER_PI);
    const SinCos turned = sin_cos_octant((x - quarters * HIGH) - quarters * LOW);
    const bool even = (n & 1) == 0;
    const float sin = even ? turned.sin : turned.cos, cos = even ? turned.cos : turned.sin;
    return {(n & 2) == 0 ? sin : -sin, ((static_cast<u32>(n) + 1) & 2) == 0 ? cos : -cos};
}

RW_FUNCTION float atan2(float y, float x) {
    const float ax = magnitude(x), ay = magnitude(y);
    const bool steep = ay > ax;
    const float small = steep ? ax : ay, large = steep ? ay : ax;
    const float quotient = small / large;
    const float equal = large == 0.0f ? 0.0f : 1.0f;
    const float a = small == large ? equal : quotient;
    const float t = a * a;
    float p = 0.010949335f + t * -0.0018058418f;
    p = -0.031207586f + t * p;
    p = 0.057956368f + t * p;
    p = -0.08401918f + t * p;
    p = 0.10951318f + t * p;
    p = -0.14264043f + t * p;
    p = 0.1999853f + t * p;
    p = -0.33333299f + t * p;
    const float octant = a + a * (t * p);
    const bool behind = is_negative(x);
    const float base = steep ? HALF_PI : behind ? PI : 0.0f;
    const float rest = steep ? HALF_PI_REST : behind ? PI_REST : 0.0f;
    const float angle = base + (rest + (steep != behind ? -octant : octant));
    return is_negative(y) ? -angle : angle;
}

RW_FUNCTION float acos(float x) {
    const float a = magnitude(x);
    const bool outer = a > 0.5f;
    const float t = outer ? 0.5f * (1.0f - a) : x * x;
    const float s = outer ? square_root(t) : x;
    float p = 0.024184743f + t * 0.042158388f;
    p = 0.045469154f + t * p;
    p = 0.074953094f + t * p;
    p = 0.16666752f + t * p;
    const float arc = s + s * (t * p);
    if (!outer) {
        return HALF_PI + (HALF_PI_REST - arc);
    }
    return x > 0.0f ? 2.0f * arc : PI + (PI_REST - 2.0f * arc);
}

}  // namespace raywarp::render::elementary

namespace raywarp::render {
using elementary::acos;
using elementary::atan2;
using elementary::sin_cos;
}  // namespace raywarp::render
