// The first two Sobol dimensions, Owen-scrambled by hashing, as pads of one path. As raywarp-sample's sobol.rs.
#pragma once

#include "../vector.h"
#include "hash.h"

namespace raywarp::render::sobol {

RW_FUNCTION u32 laine_karras(u32 x, u32 seed) {
    x ^= x * 0x3d20adeau;
    x += seed;
    x *= (seed >> 16) | 1;
    x ^= x * 0x05526c56u;
    return x ^ x * 0x53a22864u;
}

RW_FUNCTION u32 owen(u32 x, u32 seed) {
    return platform::reverse_bits(laine_karras(platform::reverse_bits(x), seed));
}

RW_FUNCTION u32 dimension_1_reversed(u32 index) {
    u32 x = index;
    x ^= (x & 0xaaaaaaaau) >> 1;
    x ^= (x & 0xccccccccu) >> 2;
    x ^= (x & 0xf0f0f0f0u) >> 4;
    x ^= (x & 0xff00ff00u) >> 8;
    return x ^ (x >> 16);
}

// `key` is the hash of seed and pixel.
RW_FUNCTION float pad_1d(u32 key, u32 dimension, u32 reversed_sample) {
    const u32 pad = hash::combine(key, dimension);
    const u32 index = platform::reverse_bits(laine_karras(reversed_sample, pad));
    return hash::to_unit(platform::reverse_bits(laine_karras(index, hash::pcg(pad))));
}

RW_FUNCTION Vec2 pad_2d(u32 key, u32 dimension, u32 reversed_sample) {
    const u32 pad = hash::combine(key, dimension);
    const u32 index = platform::reverse_bits(laine_karras(reversed_sample, pad));
    const u32 x = laine_karras(index, hash::pcg(pad));
    const u32 y = laine_karras(dimension_1_reversed(index), hash::pcg(pad ^ 0x6c8e9cf5u));
    return {hash::to_unit(platform::reverse_bits(x)), hash::to_unit(platform::reverse_bits(y))};
}

}  // namespace raywarp::render::sobol
