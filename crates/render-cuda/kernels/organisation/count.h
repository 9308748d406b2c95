// What kernels that hold a path in a lane count, once a warp.
#pragma once

#include "../render.h"

namespace raywarp::render {

// Rays of a lane: those that extend its paths, and those that connect them.
struct RayCounts {
    u32 walked, connected;
};

// Rays of each lane, and how often the warp had a path to extend. All lanes of the warp call together.
RW_FUNCTION void count_rays(const Render& render, RayCounts counts, u32 iterations) {
    u32 walked = counts.walked, connected = counts.connected;
#pragma unroll
    for (u32 bits = WARP / 2; bits > 0; bits /= 2) {
        walked += platform::shuffle_xor_sync(EVERYONE, walked, bits);
        connected += platform::shuffle_xor_sync(EVERYONE, connected, bits);
    }
    if (platform::lane() == 0) {
        platform::add_to_counter(&render.counters->walked, walked);
        platform::add_to_counter(&render.counters->shadows, connected);
        platform::add_to_counter(&render.counters->iterations, iterations);
    }
}

// Adds to a round's paths, and to what else is counted of it: those that begin, or warps.
RW_FUNCTION void add_round(const Render& render, u32 round, u32 active, u32 other) {
    auto* const words = reinterpret_cast<u64*>(render.rounds + smaller(round, render.rounds_kept - 1));
    platform::add_to_counter(words, static_cast<u64>(other) << 32 | active);
}

}  // namespace raywarp::render
