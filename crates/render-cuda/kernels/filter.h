// Pixel filters by importance sampling. As raywarp-render's filter.rs.
#pragma once

#include "sample/warp/distribution.h"

namespace raywarp::render {

struct FilterSample {
    // From the pixel's centre, in pixels.
    Vec2 offset;
    float weight;
};

// A separable filter. Its table holds what `FilterTable` of raywarp-render does, or nothing for a box.
struct PixelFilter {
    // Bits of cumulative probabilities along one axis, one more than there are cells, and of the cells' weights.
    Array<u32> table;
    float radius;
    u32 unused;

    RW_FUNCTION FilterSample sample(Vec2 u) const {
        if (table.count == 0) {
            return {{(2.0f * u.x - 1.0f) * radius, (2.0f * u.y - 1.0f) * radius}, 1.0f};
        }
        const OneAxis x = along(u.x), y = along(u.y);
        return {{x.offset, y.offset}, x.weight * y.weight};
    }

    struct OneAxis {
        float offset, weight;
    };

    RW_FUNCTION OneAxis along(float u) const {
        constexpr u32 CELLS = 128;
        const warp::CumulativeTable cdf = {table.first};
        const u32 cell = cdf.cell_at(u, 0, CELLS - 1);
        const float low = cdf[cell];
        const float width = cdf[cell + 1] - low;
        const float within = width > 0.0f ? (u - low) / width : 0.5f;
        const float place = (static_cast<float>(cell) + within) / static_cast<float>(CELLS) * 2.0f - 1.0f;
        return {place * radius, float_of(load(table, CELLS + 1 + cell))};
    }
};
static_assert(sizeof(PixelFilter) == 24);

}  // namespace raywarp::render
