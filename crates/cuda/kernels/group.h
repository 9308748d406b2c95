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

// A value of another lane of the ray.
template <Options O>
RW_FUNCTION u32 from_lane(u32 x, u32 lane) {
    return platform::shuffle_sync(group_mask<O>(), x, (platform::lane() & ~(O.lanes_per_ray() - 1)) + lane);
}

template <Options O>
RW_FUNCTION float from_lane(float x, u32 lane) {
    return platform::float_of(from_lane<O>(platform::bits_of(x), lane));
}

}  // namespace raywarp
