// The random numbers of one path. As raywarp-sample's stream.rs.
#pragma once

#include "halton.h"
#include "sobol.h"
#include "xor32.h"

namespace raywarp::render {

enum class SamplerKind : u32 { Sobol, PaddedHalton, Xor32 };

// Random numbers of one path, from a position on. What a path must remember between two uses is `state` for padded
// Halton and xor32, and `dimension` for Sobol.
struct Stream {
    SamplerKind kind;
    // Hash of seed and pixel, for Sobol.
    u32 key;
    // Sample number, for Sobol with its bits reversed.
    u32 sample;
    u32 dimension, state;

    // In 0 .. 1. Takes one dimension.
    RW_FUNCTION float next_1d() {
        const u32 at = dimension;
        dimension = at + 1;
        if (kind == SamplerKind::Sobol) {
            return sobol::pad_1d(key, at, sample);
        }
        if (kind == SamplerKind::PaddedHalton) {
            state = halton::advance(state);
            const u32 index = halton::shuffle(sample, state);
            return halton::rotate(halton::radical_inverse_2(index), state);
        }
        return step();
    }

    // Takes two dimensions.
    RW_FUNCTION Vec2 next_2d() {
        const u32 at = dimension;
        dimension = at + 2;
        if (kind == SamplerKind::Sobol) {
            return sobol::pad_2d(key, at, sample);
        }
        if (kind == SamplerKind::PaddedHalton) {
            const u32 first = halton::advance(state);
            state = halton::advance(first);
            const u32 index = halton::shuffle(sample, first);
            return {halton::rotate(halton::radical_inverse_2(index), first),
                    halton::rotate(halton::radical_inverse_3(index), state)};
        }
        const float x = step();
        return {x, step()};
    }

    // Passes over dimensions that nobody needs.
    RW_FUNCTION void skip(u32 dimensions) { dimension += dimensions; }

    RW_FUNCTION float step() {
        state = xor32::advance(state);
        return xor32::to_unit(state);
    }
};

// A source of random numbers.
struct alignas(8) Sampler {
    SamplerKind kind;
    u32 seed;

    // The numbers of `sample` of `pixel` from their beginning.
    RW_FUNCTION Stream start(u32 pixel, u32 sample) const {
        const u32 state = kind == SamplerKind::PaddedHalton ? hash::combine(hash::pcg(seed), pixel)
                          : kind == SamplerKind::Xor32      ? xor32::seed_state(seed, pixel, sample)
                                                            : 0;
        return resume(pixel, sample, 0, state);
    }

    // Goes on at a dimension (Sobol) or with a state (the others).
    RW_FUNCTION Stream resume(u32 pixel, u32 sample, u32 dimension, u32 state) const {
        if (kind == SamplerKind::Sobol) {
            return {kind, hash::combine(hash::pcg(seed), pixel), platform::reverse_bits(sample), dimension, state};
        }
        const bool is_stuck = state == 0 && kind == SamplerKind::Xor32;
        return {kind, 0, sample, dimension, is_stuck ? xor32::ZERO_SEED : state};
    }
};
static_assert(sizeof(Sampler) == 8);

}  // namespace raywarp::render
