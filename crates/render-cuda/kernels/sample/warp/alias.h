// Choice among many by weight in constant time. As raywarp-sample's warp/alias.rs.
#pragma once

#include "../../flat/records.h"

namespace raywarp::render::warp {

struct AliasChoice {
    u32 index;
    float probability;
};

// There is one cell at least, and fewer than 2^32.
RW_FUNCTION AliasChoice choose_by_alias(const Array<AliasCell>& cells, float u) {
    const double scaled = static_cast<double>(u) * static_cast<double>(cells.count);
    const u64 cast = platform::to_u64(scaled);
    const u64 index = cast < cells.count - 1 ? cast : cells.count - 1;
    const AliasCell cell = load(cells, index);
    if (scaled - static_cast<double>(index) < static_cast<double>(cell.own)) {
        return {static_cast<u32>(index), cell.probability};
    }
    return {cell.alias, cell.alias_probability};
}

}  // namespace raywarp::render::warp
