// One kernel a path (W11 3.3): a lane takes its path from the camera to its end.
#pragma once

#include "held_path.h"

namespace raywarp::render {

template <class F, Walks W = PHASED, class Beside = NothingBeside>
RW_FUNCTION void megakernel(const Render& render, Beside beside = {}) {
    const u32 number = platform::warp() * WARP + platform::lane();
    HeldPath path = number < render.batch.path_count ? begin_path(render, number) : no_path();
    FirstHit first{{}, {}, INFINITE};
    RayCounts counts{};
    u32 iterations = 0;
    while (const LaneMask callers = platform::ballot_sync(EVERYONE, path.lives)) {
        extend_path<F, W>(render, callers, path, counts, [&](const FirstHit& seen) { first = seen; }, beside);
        iterations += 1;
    }
    count_rays(render, counts, iterations);
    if (number < render.batch.path_count) {
        put_result(render, number, path.radiance, path.filter_weight, first);
    }
}

}  // namespace raywarp::render
