// Persistent warps (AL09 3.3 and appendix A): when all rays of a warp have ended, it takes the next ones from its
// local pool, and the pool from a global counter.
#pragma once

#include "trace.h"

namespace raywarp {

template <Options O, class S>
RW_FUNCTION void persistent(const Launch& launch, Lane<O>& lane) {
    Pool pool{0, 0, false};
    while (fetch_ray(launch, pool, lane)) {
        trace<O, S>(launch, lane);
        store_hit(launch, lane);
    }
}

}  // namespace raywarp
