// vote, ballot: what a warp does as a whole.
#pragma once

#include "../lane.h"

namespace raywarp {

// Whether any lane of the warp says yes. As the papers print it, each lane decides for itself.
template <Options O>
RW_FUNCTION bool any(bool x) {
    if constexpr (O.sync == Sync::Implicit) {
        return x;
    } else {
        RW_EVENT(Vote);
        return platform::any_sync(EVERYONE, x);
    }
}

// How many lanes of the warp say yes.
RW_FUNCTION u32 ballot(bool x) {
    RW_EVENT(Ballot);
    return platform::population(platform::ballot_sync(EVERYONE, x));
}

}  // namespace raywarp
