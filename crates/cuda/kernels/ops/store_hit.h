// store_hit: write the result.
#pragma once

#include "test_triangle.h"

namespace raywarp {

template <Options O>
RW_FUNCTION void write_hit(const Launch& launch, u32 ray, float4 hit, u32 instance) {
    if constexpr (O.may_leave_undecided()) {
        platform::store_once(launch.hits + ray, hit);
    } else {
        launch.hits[ray] = hit;
    }
    if (launch.instances != nullptr) {
        launch.instances[ray] = instance;
    }
}

// A ray that has ended writes what it found; its lane is idle then.
template <Options O>
RW_FUNCTION void store_hit(const Launch& launch, Lane<O>& lane) {
    if (!lane.has_ended()) {
        return;
    }
    const Found& found = lane.found;
    const bool hit = found.record != NONE && !found.blocked;
    if constexpr (O.may_leave_undecided()) {
        if (hit && found.record == BEYOND) {
            launch.hits[lane.ray].w = platform::float_of(BEYOND);
            platform::add_to_counter(launch.fallback_count, 1);
            RW_EVENT(StoreHit);
            lane.ray = NONE;
            return;
        }
    }
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
            write_hit<O>(launch, lane.ray, float4{tuv.t, tuv.u, tuv.v, platform::float_of(id.y)}, id.x);
        } else if (!O.any_hit()) {
            const float4 direction = with_t_max<O>(platform::load4(launch.rays + static_cast<u64>(lane.ray) * 2 + 1));
            write_hit<O>(launch, lane.ray, float4{direction.w, 0.0f, 0.0f, platform::float_of(NONE)}, NONE);
        } else if (O.takes_any_ray() && launch.fallback_count != nullptr) {
            // It was left, and is no longer.
            launch.hits[lane.ray].w = platform::float_of(NONE);
        }
    }
    RW_EVENT(StoreHit);
    lane.ray = NONE;
}

}  // namespace raywarp
