// The lecture's generator: Marsaglia's 32-bit xorshift, seeded anew for each path. As raywarp-sample's xor32.rs.
#pragma once

#include "hash.h"

namespace raywarp::render::xor32 {

constexpr u32 SAMPLE_PRIME = 982878289u, SEED_PRIME = 999727999u, ZERO_SEED = 0x9e3779b9u;

RW_FUNCTION u32 seed_state(u32 seed, u32 pixel, u32 sample) {
    const u32 offset = seed == 0 ? 0 : hash::pcg(seed);
    const u32 state = (pixel + sample * SAMPLE_PRIME + offset) * SEED_PRIME;
    return state == 0 ? ZERO_SEED : state;
}

RW_FUNCTION u32 advance(u32 state) {
    state ^= state << 13;
    state ^= state >> 17;
    return state ^ (state << 5);
}

RW_FUNCTION float to_unit(u32 state) {
    const float value = static_cast<float>(state) * 2.3283064e-10f;
    return value < ONE_MINUS_EPSILON ? value : ONE_MINUS_EPSILON;
}

}  // namespace raywarp::render::xor32
