// A ray in steps of the grid of a compressed node. As raywarp-traverse's tree/byte_grid.rs.
#pragma once

#include "../ray.h"

namespace raywarp {

// Byte q of an axis lies at fused(q, step, lo) in box distances, or hi if it is an upper plane's.
struct ByteGrid {
    float3x step, lo, hi;
};

// `head` is the grid's corner, and the exponent bits of its steps in bytes 0 to 2 of the fourth word.
RW_FUNCTION ByteGrid byte_grid(const Slab& s, float4 head) {
    using platform::fused;
    const u32 exponents = platform::bits_of(head.w);
    return {{platform::float_of((exponents & 0xffu) << 23) * s.inverse.x,
             platform::float_of((exponents >> 8 & 0xffu) << 23) * s.inverse.y,
             platform::float_of((exponents >> 16 & 0xffu) << 23) * s.inverse.z},
            {fused(head.x, s.inverse.x, -s.ood_lo.x), fused(head.y, s.inverse.y, -s.ood_lo.y),
             fused(head.z, s.inverse.z, -s.ood_lo.z)},
            {fused(head.x, s.inverse.x, -s.ood_hi.x), fused(head.y, s.inverse.y, -s.ood_hi.y),
             fused(head.z, s.inverse.z, -s.ood_hi.z)}};
}

}  // namespace raywarp
