// store_hit: write the result.
#pragma once

#include "../lane.h"

namespace raywarp {

// A ray that has ended writes what it found; its lane is idle then.
template <Options O>
RW_FUNCTION void store_hit(const Launch& launch, Lane<O>& lane) {
    if (!lane.has_ended()) {
        return;
    }
    const Found& found = lane.found;
    const bool hit = found.index != NONE && !found.blocked;
    uint2 id{NONE, NONE};
    if (hit) {
        id = platform::load2(launch.ids + found.index);
    }
    // Of lanes that share a ray the first one writes.
    const bool writes = lane_in_group<O>() == 0;
    if (O.any_hit() && writes) {
        if (found.blocked) {
            platform::set_bits(launch.blocked + lane.ray / 32, 1u << lane.ray % 32);
        } else if (hit) {
            platform::set_bits(launch.undecided + lane.ray / 32, 1u << lane.ray % 32);
        }
    }
    if (writes && (!O.any_hit() || hit)) {
        const float t = hit ? found.t : lane.setup.direction.w;
        launch.hits[lane.ray] = float4{t, hit ? found.u : 0.0f, hit ? found.v : 0.0f, platform::float_of(id.y)};
        if (launch.instances != nullptr) {
            launch.instances[lane.ray] = id.x;
        }
    }
    RW_EVENT(StoreHit);
    lane.ray = NONE;
}

}  // namespace raywarp
