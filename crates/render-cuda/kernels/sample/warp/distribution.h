// Piecewise constant densities over the unit square, by their tables. As raywarp-sample's warp/distribution.rs.
#pragma once

#include "../../memory.h"
#include "../../vector.h"

namespace raywarp::render::warp {

RW_FUNCTION u32 cell_of(float x, u32 cells) {
    return smaller(platform::to_u32(x * static_cast<float>(cells)), cells - 1);
}

// Cumulative probabilities, from 0 to 1: bits of one number more than there are cells.
struct CumulativeTable {
    const u32* first;

    RW_FUNCTION float operator[](u32 i) const { return float_of(load(first + i)); }

    // The cell from low to high whose entry is the last at or below u; low where none is.
    RW_FUNCTION u32 cell_at(float u, u32 low, u32 high) const {
#pragma unroll 1
        while (low < high) {
            const u32 middle = high - (high - low) / 2;
            const bool below = (*this)[middle] <= u;
            low = below ? middle : low;
            high = below ? high : middle - 1;
        }
        return low;
    }
};

// A table and its guide: the cell of the smallest number of each of `cells` equal buckets, and the last cell (CA74).
struct GuidedTable {
    CumulativeTable numbers;
    const u32* guide;
    u32 cells;
};

struct Inverted {
    u32 cell;
    float within, probability;
};

RW_FUNCTION Inverted invert(GuidedTable table, float u) {
    const u32 bucket = cell_of(u, table.cells);
    const u32 cell = table.numbers.cell_at(u, load(table.guide + bucket), load(table.guide + bucket + 1));
    const float low = table.numbers[cell];
    const float probability = table.numbers[cell + 1] - low;
    return {cell, least((u - low) / probability, ONE_MINUS_EPSILON), probability};
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
    // `height + 1` numbers, which `height` times `width + 1` follow, and then the guides of all of them.
    const u32* first;
    u32 width, height;

    RW_FUNCTION GuidedTable rows() const { return table(0, height); }
    RW_FUNCTION GuidedTable row(u32 y) const {
        return table(height + 1 + static_cast<u64>(y) * (width + 1), width);
    }
    RW_FUNCTION GuidedTable table(u64 at, u32 cells) const {
        const u64 numbers = height + 1 + static_cast<u64>(height) * (width + 1);
        return {{first + at}, first + numbers + at, cells};
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
        const CumulativeTable cells = row(y).numbers, all = rows().numbers;
        return (cells[x + 1] - cells[x]) * static_cast<float>(width) *
               ((all[y + 1] - all[y]) * static_cast<float>(height));
    }
};

}  // namespace raywarp::render::warp
