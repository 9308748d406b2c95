// Lanes that begin another path where theirs has ended (Novák et al. 2010): as many as are resident, until none is left.
#pragma once

#include "burden.h"
#include "stage/queue.h"

namespace raywarp::render {

template <class F>
RW_FUNCTION void regenerate(const MeasuredRender& render) {
    const u32 lanes = platform::warps() * WARP;
    HeldPath path = no_path();
    FirstHit first{};
    RayCounts counts{};
    u32 iterations = 0;
    // The first path of a lane is its own, the others come from the pool behind.
    u32 number = platform::warp() * WARP + platform::lane();
    for (;;) {
        if (!path.lives && number < render.batch.path_count) {
            path = begin_path(render, number);
            first = {{}, {}, INFINITE};
        }
        const LaneMask callers = platform::ballot_sync(EVERYONE, path.lives);
        if (callers == 0) {
            break;
        }
        const bool lived = path.lives;
        extend_path<F>(render, callers, path, counts, [&](const FirstHit& seen) { first = seen; }, Burdened{render});
        iterations += 1;
        const bool ended = lived && !path.lives;
        if (ended) {
            put_result(render, path.number, path.radiance, path.filter_weight, first);
        }
        const u32 taken = take_place(&render.counters->begun, ended);
        if (ended) {
            number = lanes + taken;
        }
    }
    count_rays(render, counts, iterations);
}

}  // namespace raywarp::render
