// vote, ballot: what a warp does as a whole.
#pragma once

#include "../lane.h"

namespace raywarp {

// The lanes that vote together: all of the warp, or those that ask together.
template <Options O>
RW_FUNCTION LaneMask voters([[maybe_unused]] const Lane<O>& lane) {
    if constexpr (O.supply == Supply::Caller) {
        return lane.callers;
    } else {
        return EVERYONE;
    }
}

// How many they are.
template <Options O>
RW_FUNCTION u32 voter_count([[maybe_unused]] const Lane<O>& lane) {
    if constexpr (O.supply == Supply::Caller) {
        return platform::population(lane.callers);
    } else {
        return WARP;
    }
}

// Whether any lane of the warp says yes. As the papers print it, each lane decides for itself, but in a packet.
template <Options O>
RW_FUNCTION bool any([[maybe_unused]] const Lane<O>& lane, bool x,
                     [[maybe_unused]] platform::Site site = platform::Site::here()) {
    if constexpr (O.sync == Sync::Implicit && O.organisation != Organisation::Packet) {
        return x;
    } else {
        RW_EVENT(Vote);
        return platform::any_sync(voters(lane), x, site);
    }
}

// Where lanes share a ray, each learns who takes part in what comes next. All lanes of a warp that votes call together,
// those of an implicit one ray by ray. Not by the vote of the loop: a mask that comes around it is not known to be the same
// in all lanes, and before each exchange machine code would look for lanes of equal masks.
template <Options O>
RW_FUNCTION void find_participants([[maybe_unused]] Lane<O>& lane, [[maybe_unused]] bool takes_part,
                                   [[maybe_unused]] platform::Site site = platform::Site::here()) {
    if constexpr (O.lanes_per_ray() == WARP || (O.lanes_per_ray() > 1 && O.sync == Sync::Implicit)) {
        lane.participants = group_mask<O>();
    } else if constexpr (O.lanes_per_ray() > 1) {
        lane.participants = platform::ballot_sync(EVERYONE, takes_part, site);
    }
}

// The least number of lanes that are `SHARE` of a hundred of `lanes`, at most 32: as (SHARE * lanes + 99) / 100.
template <u32 SHARE>
RW_FUNCTION constexpr u32 least_count(u32 lanes) {
    return (lanes * ((SHARE * 16384 + 99) / 100) + 16302) / 16384;
}

template <u32 SHARE>
RW_FUNCTION constexpr bool counts_exactly() {
    for (u32 lanes = 0; lanes <= WARP; lanes++) {
        if (least_count<SHARE>(lanes) != (SHARE * lanes + 99) / 100) {
            return false;
        }
    }
    return true;
}

// How many lanes of the warp say yes.
template <Options O>
RW_FUNCTION u32 ballot(const Lane<O>& lane, bool x, platform::Site site = platform::Site::here()) {
    RW_EVENT(Ballot);
    return platform::population(platform::ballot_sync(voters(lane), x, site));
}

}  // namespace raywarp
