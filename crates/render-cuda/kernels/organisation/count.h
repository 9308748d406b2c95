// What kernels that hold a path in a lane count, once a warp.
#pragma once

#include "../render.h"

namespace raywarp::render {

// Rays of each lane: those that extend its path, and those that connect it. All lanes of the warp call together.
RW_FUNCTION void count_rays(const Render& render, u32 walked, u32 connected) {
    // A lane walks on every turn until its path ends: the longest path of the warp is its turns.
    u32 turns = walked;
#pragma unroll
    for (u32 bits = WARP / 2; bits > 0; bits /= 2) {
        walked += platform::shuffle_xor_sync(EVERYONE, walked, bits);
        connected += platform::shuffle_xor_sync(EVERYONE, connected, bits);
        turns = larger(turns, platform::shuffle_xor_sync(EVERYONE, turns, bits));
    }
    if (platform::lane() == 0) {
        platform::add_to_counter(&render.counters->walked, walked);
        platform::add_to_counter(&render.counters->shadows, connected);
        platform::add_to_counter(&render.counters->turns, turns);
    }
}

}  // namespace raywarp::render
