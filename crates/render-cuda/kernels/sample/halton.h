// Padded replications of a Halton set with rotations. As raywarp-sample's halton.rs.
#pragma once

#include "sobol.h"

namespace raywarp::render::halton {

RW_FUNCTION u32 advance(u32 state) { return state * 1664525u + 1013904223u; }

RW_FUNCTION float radical_inverse_2(u32 index) {
    return static_cast<float>(platform::reverse_bits(index) >> 8) * (1.0f / 16777216.0f);
}

RW_FUNCTION float radical_inverse_3(u32 index) {
    u64 mirrored = 0, power = 1;
#pragma unroll 1
    for (u32 rest = index; rest > 0; rest /= 3) {
        mirrored = mirrored * 3 + rest % 3;
        power *= 3;
    }
    const float value = static_cast<float>(static_cast<double>(mirrored) / static_cast<double>(power));
    return value < ONE_MINUS_EPSILON ? value : ONE_MINUS_EPSILON;
}

// The sample number that a draw uses: the low 16 bits scrambled.
RW_FUNCTION u32 shuffle(u32 sample, u32 state) {
    const u32 high = sample & 0xffff0000u;
    const u32 key = hash::pcg(state ^ high * 0x9e3779b9u);
    const u32 low = sobol::owen(sample << 16, key) ^ (sobol::owen(0, key) & 0xffff0000u);
    return high | (low >> 16);
}

RW_FUNCTION float rotate(float value, u32 state) {
    const float sum = value + static_cast<float>(state >> 8) * (1.0f / 16777216.0f);
    const float wrapped = sum >= 1.0f ? sum - 1.0f : sum;
    return wrapped < ONE_MINUS_EPSILON ? wrapped : ONE_MINUS_EPSILON;
}

}  // namespace raywarp::render::halton
