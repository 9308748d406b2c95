// Replacing terminated rays (AL09 5.1): lanes whose rays have ended get new ones, which start from the root, while
// the others go on.
#pragma once

#include "trace.h"

namespace raywarp {

// Lost iterations: idle lanes that count for nothing, and what is worth a fetch (YKL17 4.4: N_d, N_w).
constexpr int FREE_LANES = 4;
constexpr int LOST_ITERATIONS = 16;

template <Options O, class S>
RW_FUNCTION void replace(const Launch& launch, Lane<O>& lane) {
    Pool pool{0, 0, false};
    int lost = 0;
    for (u32 t = 0;; t++) {
        const u32 alive = ballot(lane, lane.is_alive()) / O.lanes_per_ray();
        bool fetch;
        if constexpr (O.refill == LOST) {
            lost += static_cast<int>(WARP) * static_cast<int>(O.width() - alive) -
                    FREE_LANES * static_cast<int>(O.width());
            fetch = lost >= LOST_ITERATIONS * static_cast<int>(O.width());
        } else {
            fetch = alive < (O.refill * O.width() + 99) / 100;
        }
        const bool dry = pool.dry && pool.next == pool.end;
        if (alive == 0 && dry) {
            break;
        }
        if (!dry && (alive == 0 || (fetch && (O.every == 1 || t % O.every == 0)))) {
            lost = 0;
            store_hit(launch, lane);
            // Each idle lane finds its place among them, and so its ray.
            if (lane.is_idle()) {
                RW_EVENT(PrefixSum);
            }
            fetch_ray(launch, pool, lane);
        }
        iterate<O, S>(launch, lane);
    }
    store_hit(launch, lane);
}

}  // namespace raywarp
