// The main loop where a warp's rays start and end together.
#pragma once

#include "../ops/fetch_ray.h"
#include "../ops/store_hit.h"
#include "../ops/vote.h"

namespace raywarp {

// One iteration of the main loop.
template <Options O, class S>
RW_FUNCTION void iterate(const Launch& launch, Lane<O>& lane) {
    RW_EVENT(Iteration);
    S::traverse(launch, lane);
    S::intersect(launch, lane);
}

// While ray not terminated. A packet has a loop of its own.
template <Options O, class S>
RW_FUNCTION void trace(const Launch& launch, Lane<O>& lane) {
    if constexpr (O.organisation == Organisation::Packet) {
        S::trace(launch, lane);
    } else {
        while (any(lane, lane.is_alive())) {
            iterate<O, S>(launch, lane);
        }
    }
}

}  // namespace raywarp
