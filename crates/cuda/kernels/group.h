// Lanes that share a ray (AL09 5.3): they follow each other, and hold the same state but for what each one tests.
#pragma once

#include "options.h"

namespace raywarp {

// The lane's number among those of its ray.
template <Options O>
RW_FUNCTION u32 lane_in_group() {
    return O.lanes_per_ray() == 1 ? 0 : platform::lane() % O.lanes_per_ray();
}

// The lanes of the ray.
template <Options O>
RW_FUNCTION LaneMask group_mask() {
    if constexpr (O.lanes_per_ray() == WARP) {
        return EVERYONE;
    } else {
        return ((1u << O.lanes_per_ray()) - 1) << (platform::lane() & ~(O.lanes_per_ray() - 1));
    }
}

// How many rays before the lane's own are in `lanes`, which has all lanes of a ray or none.
template <Options O>
RW_FUNCTION u32 rays_below(LaneMask lanes) {
    const LaneMask below = O.lanes_per_ray() == 1 ? platform::lanes_below()
                                                  : (1u << (platform::lane() & ~(O.lanes_per_ray() - 1))) - 1;
    return platform::population(lanes & below) / O.lanes_per_ray();
}

template <Options O>
RW_FUNCTION u32 rays_of(LaneMask lanes) {
    return platform::population(lanes) / O.lanes_per_ray();
}

// Those lanes of the ray that say yes. `participants` are the lanes that are asked: of a ray all or none.
//
// One mask for all rays of a warp, here and below: with a mask for each, ballots would be issued ray by ray.
template <Options O>
RW_FUNCTION LaneMask ballot_over_ray(LaneMask participants, bool x, platform::Site site = platform::Site::here()) {
    return platform::ballot_sync(participants, x, site) & group_mask<O>();
}

// A value of another lane of the ray.
template <Options O>
RW_FUNCTION u32 from_lane(LaneMask participants, u32 x, u32 lane) {
    return platform::shuffle_sync(participants, x, (platform::lane() & ~(O.lanes_per_ray() - 1)) + lane);
}

template <Options O>
RW_FUNCTION float from_lane(LaneMask participants, float x, u32 lane) {
    return platform::float_of(from_lane<O>(participants, platform::bits_of(x), lane));
}

// Stands between a push and a pop, and between a pop and a push: another lane of the ray reads what one wrote. Not where
// the stack is touched, but where all lanes that walk in step come by, so that they go on together.
template <Options O>
RW_FUNCTION void order_stack([[maybe_unused]] platform::Site site = platform::Site::here()) {
    if constexpr (O.lanes_per_ray() > 1) {
        platform::sync(O.sync == Sync::Voted ? EVERYONE : group_mask<O>(), site);
    }
}

}  // namespace raywarp
