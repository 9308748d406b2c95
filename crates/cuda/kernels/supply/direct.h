// One ray a lane: a warp ends with the last of its rays.
#pragma once

#include "trace.h"

namespace raywarp {

template <Options O, class S>
RW_FUNCTION void direct(const Launch& launch, Lane<O>& lane) {
    Pool pool{0, 0, false};
    fetch_ray(launch, pool, lane);
    trace<O, S>(launch, lane);
    store_hit(launch, lane);
}

}  // namespace raywarp
