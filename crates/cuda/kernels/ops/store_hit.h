// store_hit: write the result.
#pragma once

#include "../again.h"
#include "fetch_ray.h"

namespace raywarp {

RW_FUNCTION void write_hit(const Launch& launch, u32 ray, float4 hit, u32 instance) {
    launch.hits[ray] = hit;
    if (launch.instances != nullptr) {
        launch.instances[ray] = instance;
    }
}

// Rays that could not be decided are traced again, by the lanes that hold them together.
template <Options O>
RW_FUNCTION void store_left(const Launch& launch, Lane<O>& lane) {
    const bool is_left = lane.has_ended() && lane.found.record == BEYOND && !lane.found.blocked;
    const LaneMask callers = platform::ballot_sync(EVERYONE, is_left);
    if (!is_left) {
        return;
    }
    const u64 chunk = static_cast<u64>(lane.ray) * 2;
    const float4 o = with_t_min<O>(platform::load4(launch.rays + chunk));
    const float4 d = with_t_max<O>(platform::load4(launch.rays + chunk + 1));
    After after{};
    if (launch.after != nullptr) {
        const u32* key = launch.after + static_cast<u64>(lane.ray) * 3;
        after = {platform::float_of(platform::load1(key)), platform::load1(key + 1), platform::load1(key + 2)};
    }
    const Again found = trace_again<again_options(O.query)>(launch, o, d, after, callers);
    if (launch.again != nullptr) {
        platform::add_to_counter(launch.again, 1);
    }
    if constexpr (O.any_hit()) {
        u32* const words = found.blocked ? launch.blocked : launch.undecided;
        if (found.blocked || found.primitive != NONE) {
            platform::set_bits(words + lane.ray / 32, 1u << lane.ray % 32);
        }
    }
    if (!O.any_hit() || (!found.blocked && found.primitive != NONE)) {
        write_hit(launch, lane.ray, float4{found.t, found.u, found.v, platform::float_of(found.primitive)},
                  found.instance);
    }
    RW_EVENT(StoreHit);
    lane.ray = NONE;
}

// A ray that has ended writes what it found; its lane is idle then.
template <Options O>
RW_FUNCTION void store_hit(const Launch& launch, Lane<O>& lane) {
    if constexpr (O.leaves_some()) {
        store_left(launch, lane);
    }
    if (!lane.has_ended()) {
        return;
    }
    const Found& found = lane.found;
    const bool hit = found.record != NONE && !found.blocked;
    // Of lanes that share a ray the first one writes.
    if (lane_in_group<O>() == 0) {
        if constexpr (O.any_hit()) {
            if (found.blocked) {
                platform::set_bits(launch.blocked + lane.ray / 32, 1u << lane.ray % 32);
            } else if (hit) {
                platform::set_bits(launch.undecided + lane.ray / 32, 1u << lane.ray % 32);
            }
        }
        if (hit) {
            const Tuv tuv = Lane<O>::Triangle::found_hit(launch, lane);
            const uint2 id = platform::load2(launch.ids + Lane<O>::Triangle::index(launch, found));
            write_hit(launch, lane.ray, float4{tuv.t, tuv.u, tuv.v, platform::float_of(id.y)}, id.x);
        } else if (!O.any_hit()) {
            const float4 direction = with_t_max<O>(platform::load4(launch.rays + static_cast<u64>(lane.ray) * 2 + 1));
            write_hit(launch, lane.ray, float4{direction.w, 0.0f, 0.0f, platform::float_of(NONE)}, NONE);
        }
    }
    RW_EVENT(StoreHit);
    lane.ray = NONE;
}

}  // namespace raywarp
