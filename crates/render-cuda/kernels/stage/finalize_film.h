// Stage 5 as a kernel: a lane a pixel of the batch.
#pragma once

#include "finalize.h"

namespace raywarp::render {

RW_FUNCTION void finalize_film(const Render& render) {
    const u32 place = platform::warp() * WARP + platform::lane();
    if (place < render.batch.pixel_count) {
        finalize(render, place);
    }
}

}  // namespace raywarp::render
