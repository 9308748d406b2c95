// Piecewise constant densities over the unit square, by their tables. As raywarp-sample's warp/distribution.rs.
#pragma once

#include "../../memory.h"
#include "../../vector.h"

namespace raywarp::render::warp {

// Cumulative probabilities, from 0 to 1: bits of `cells + 1` numbers.
struct CumulativeTable {
    const u32* first;
    u32 cells;

    RW_FUNCTION float operator[](u32 i) const { return float_of(load(first + i)); }

    // How many entries are at or below u.
    RW_FUNCTION u32 at_or_below(float u) const {
        u32 low = 0, high = cells + 1;
#pragma unroll 1
        while (low < high) {
            const u32 middle = low + (high - low) / 2;
            const bool below = (*this)[middle] <= u;
            low = below ? middle + 1 : low;
            high = below ? high : middle;
        }
        return low;
    }
};

struct Inverted {
    u32 cell;
    float within, probability;
};

RW_FUNCTION Inverted invert(CumulativeTable table, float u) {
    const u32 cell = smaller(larger(table.at_or_below(u), 1), table.cells) - 1;
    const float low = table[cell];
    const float probability = table[cell + 1] - low;
    return {cell, least((u - low) / probability, ONE_MINUS_EPSILON), probability};
}

RW_FUNCTION u32 cell_of(float x, u32 cells) {
    return smaller(platform::to_u32(x * static_cast<float>(cells)), cells - 1);
}

// The point `within` a cell, or its centre where rounding would put it into a neighbour.
RW_FUNCTION float place(u32 cell, float within, u32 cells) {
    const float x = (static_cast<float>(cell) + within) / static_cast<float>(cells);
    return x < 1.0f && cell_of(x, cells) == cell ? x
                                                 : (static_cast<float>(cell) + 0.5f) / static_cast<float>(cells);
}

struct DensitySample {
    Vec2 point;
    float pdf;
};

// Rows by their weight, and the cells of each row.
struct DensityTables {
    // `height + 1` numbers, which `height` times `width + 1` follow.
    const u32* first;
    u32 width, height;

    RW_FUNCTION CumulativeTable rows() const { return {first, height}; }
    RW_FUNCTION CumulativeTable row(u32 y) const {
        return {first + height + 1 + static_cast<u64>(y) * (width + 1), width};
    }

    // The second number chooses the row.
    RW_FUNCTION DensitySample sample(Vec2 u) const {
        const Inverted y = invert(rows(), u.y);
        const Inverted x = invert(row(y.cell), u.x);
        return {{place(x.cell, x.within, width), place(y.cell, y.within, height)},
                x.probability * static_cast<float>(width) * (y.probability * static_cast<float>(height))};
    }

    RW_FUNCTION float pdf(Vec2 point) const {
        const u32 x = cell_of(point.x, width), y = cell_of(point.y, height);
        const CumulativeTable cells = row(y);
        return (cells[x + 1] - cells[x]) * static_cast<float>(width) *
               ((rows()[y + 1] - rows()[y]) * static_cast<float>(height));
    }
};

}  // namespace raywarp::render::warp
