// ln x and ln(1 + x). As raywarp-sample's elementary/logarithm.rs.
#pragma once

#include "parts.h"

namespace raywarp::render::elementary {

struct Split {
    float m;
    int k;
};

// m between the roots of 1/2 and of 2, with x = m 2^k. For positive normal x.
RW_FUNCTION Split split(float x) {
    const u32 bits = bits_of(x);
    const int k = static_cast<int>(bits - 0x3f3504f3u) >> 23;
    return {float_of(bits - (static_cast<u32>(k) << 23)), k};
}

// ln(1 + f) + k ln 2.
RW_FUNCTION float sum_of_logarithms(float f, int exponent) {
    const float k = static_cast<float>(exponent);
    float p = 0.12784588f + f * -0.07675327f;
    p = -0.13161345f + f * p;
    p = 0.14200923f + f * p;
    p = -0.1662323f + f * p;
    p = 0.2000126f + f * p;
    p = -0.25000823f + f * p;
    p = 0.3333333f + f * p;
    const float f2 = f * f;
    const float small = (f2 * f * p + k * LN_2_LOW) - 0.5f * f2;
    return (f + small) + k * LN_2_HIGH;
}

constexpr float LEAST_NORMAL = 1.17549435e-38f;

RW_FUNCTION float not_a_number() { return float_of(0x7fc00000u); }

RW_FUNCTION float ln(float x) {
    const bool denormal = x < LEAST_NORMAL;
    const auto [m, k] = split(denormal ? x * 8388608.0f : x);
    const float y = sum_of_logarithms(m - 1.0f, denormal ? k - 23 : k);
    return x > 0.0f && x < INFINITE ? y : x == 0.0f ? -INFINITE : x > 0.0f ? x : not_a_number();
}

RW_FUNCTION float ln_1p(float x) {
    const float u = 1.0f + x;
    const float lost = x - (u - 1.0f);
    const auto [m, k] = split(u);
    const float f = (m - 1.0f) + lost * power_of_two(-(k < 127 ? k : 127));
    const float y = sum_of_logarithms(f, k);
    return x == 0.0f                     ? x
           : x > -1.0f && x < INFINITE ? y
           : x == -1.0f                  ? -INFINITE
           : x > 0.0f                    ? x
                                         : not_a_number();
}

}  // namespace raywarp::render::elementary

namespace raywarp::render {
using elementary::ln;
using elementary::ln_1p;
}  // namespace raywarp::render
