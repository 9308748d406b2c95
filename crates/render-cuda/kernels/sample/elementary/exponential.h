// e^x and e^x - 1. As raywarp-sample's elementary/exponential.rs.
#pragma once

#include "parts.h"

namespace raywarp::render::elementary {

struct Reduced {
    float r;
    int n;
};

// r in about -0.347 ..= 0.347 and n with x = r + n ln 2.
RW_FUNCTION Reduced reduced(float x) {
    constexpr float LOG2_E = 1.44269504088896340736f;
    const auto [whole, n] = nearest(x * LOG2_E);
    return {(x - whole * LN_2_HIGH) - whole * LN_2_LOW, n};
}

// e^r - 1 - r.
RW_FUNCTION float tail(float r) {
    float q = 0.008367124f + r * 0.0013835666f;
    q = 0.041667756f + r * q;
    q = 0.16666539f + r * q;
    q = 0.49999997f + r * q;
    return r * r * q;
}

// Where e^x overflows, and a little further.
constexpr float MOST = 89.0f;

RW_FUNCTION float exp(float x) {
    x = x < -104.0f ? -104.0f : x;
    x = x > MOST ? MOST : x;
    const auto [r, n] = reduced(x);
    const int half = n >> 1;
    const int other = static_cast<int>(static_cast<u32>(n) - static_cast<u32>(half));
    return (1.0f + (r + tail(r))) * power_of_two(half) * power_of_two(other);
}

RW_FUNCTION float exp_m1(float x) {
    float inner = x < -18.0f ? -18.0f : x;
    inner = inner > MOST ? MOST : inner;
    const auto [r, n] = reduced(inner);
    const float half = power_of_two(static_cast<int>(static_cast<u32>(n) - 1u));
    const float y = 2.0f * (((half - 0.5f) + half * r) + half * tail(r));
    return magnitude(x) < 2.9e-8f ? x : y;
}

}  // namespace raywarp::render::elementary

namespace raywarp::render {
using elementary::exp;
using elementary::exp_m1;
}  // namespace raywarp::render
