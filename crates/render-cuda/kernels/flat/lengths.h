// Lengths and directions of vectors whose squares leave the range of floats. As raywarp-render's flat/lengths.rs.
#pragma once

#include "../vector.h"

namespace raywarp::render {

// Lengths (2^-50 to 2^60) whose squares are floats with all their digits.
constexpr float LEAST_LENGTH = 8.8817842e-16f, MOST_LENGTH = 1.1529215e18f;

// A power of two that brings the largest coordinate of v to 1 to 2.
RW_FUNCTION float scale_of(Vec3 v) {
    const u32 exponent = bits_of(largest_element(magnitude(v))) >> 23;
    return float_of(0x7f000000u - (larger(smaller(exponent, 253u), 1u) << 23));
}

inline RW_COLD float length_widely(Vec3 v) {
    const float scale = scale_of(v);
    return length(v * scale) / scale;
}

RW_FUNCTION float length_in_any_range(Vec3 v) {
    const float plain = length(v);
    return plain > LEAST_LENGTH && plain < MOST_LENGTH ? plain : length_widely(v);
}

inline RW_COLD Option<Vec3> normalize_widely(Vec3 v) { return try_normalize(v * scale_of(v)); }

// Nothing for a zero vector and one that is not finite.
RW_FUNCTION Option<Vec3> normalize_in_any_range(Vec3 v) {
    const float inverse = 1.0f / length(v);
    const bool holds = inverse > 1.0f / MOST_LENGTH && inverse < 1.0f / LEAST_LENGTH;
    return holds ? some(v * inverse) : normalize_widely(v);
}

}  // namespace raywarp::render
