// Heavier shading, for W11 4.2.5: as much for each vertex as the render asks for, on which nothing depends.
#pragma once

#include "measured_render.h"
#include "organisation/held_path.h"

namespace raywarp::render {

// Multiply-adds, and a search as for a texel of an environment: half of what is left of the table at each step, wherever that
// is.
RW_FUNCTION void shade_longer(const MeasuredRender& render, const PathState& path, float from) {
    const Burden& burden = render.burden;
    float x = from;
#pragma unroll 1
    for (u32 i = 0; i < burden.multiply_adds; i++) {
        x = platform::fused(x, 0.75f, 0.5f);
    }
    const u32 wanted = hash::combine(hash::combine(path.pixel, path.sample), path.bounce);
    u32 first = 0;
#pragma unroll 1
    for (u32 step = burden.search_steps; step > 0; step--) {
        const u32 middle = first + (1u << (step - 1));
        first = platform::load1(burden.table + middle) <= wanted ? middle : first;
    }
    // Never: of finite numbers there come none like this one, and no place is so far. Without a use nothing would be computed.
    if (platform::bits_of(x) == 0x7fc0dead || first == NONE) {
        platform::add_to_counter(&render.counters->invalid_rays, 1);
    }
}

// The burden at a vertex, for `extend_path`.
struct Burdened {
    const MeasuredRender& render;

    RW_FUNCTION void operator()(const PathState& path, float t) const { shade_longer(render, path, t); }
};

}  // namespace raywarp::render
