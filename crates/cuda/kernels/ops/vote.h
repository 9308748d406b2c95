// vote, ballot: what a warp does as a whole.
#pragma once

#include "../lane.h"

namespace raywarp {

// Whether any lane of the warp says yes. As the papers print it, each lane decides for itself, but in a packet.
template <Options O>
RW_FUNCTION bool any(bool x, [[maybe_unused]] platform::Site site = platform::Site::here()) {
    if constexpr (O.sync == Sync::Implicit && O.organisation != Organisation::Packet) {
        return x;
    } else {
        RW_EVENT(Vote);
        return platform::any_sync(EVERYONE, x, site);
    }
}

// The least number of lanes that are `share` of a hundred of `lanes`.
RW_FUNCTION constexpr u32 least_count(u32 share, u32 lanes) { return (share * lanes + 99) / 100; }

// How many lanes of the warp say yes.
RW_FUNCTION u32 ballot(bool x, platform::Site site = platform::Site::here()) {
    RW_EVENT(Ballot);
    return platform::population(platform::ballot_sync(EVERYONE, x, site));
}

}  // namespace raywarp
