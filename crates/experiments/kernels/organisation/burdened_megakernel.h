// The product's megakernel with a burden at each vertex.
#pragma once

#include "burden.h"
#include "organisation/megakernel.h"

namespace raywarp::render {

template <class F, Walks W = PHASED>
RW_FUNCTION void burdened_megakernel(const MeasuredRender& render) {
    megakernel<F, W>(render, Burdened{render});
}

}  // namespace raywarp::render
