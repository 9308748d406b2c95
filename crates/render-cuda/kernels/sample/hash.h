// Integer hashes and the step from an integer to the unit interval. As raywarp-sample's hash.rs.
#pragma once

#include "../scalar.h"

namespace raywarp::render::hash {

RW_FUNCTION u32 pcg(u32 v) {
    const u32 state = v * 747796405u + 2891336453u;
    const u32 word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
    return (word >> 22) ^ word;
}

RW_FUNCTION u32 combine(u32 key, u32 value) { return pcg(key ^ value * 0x9e3779b9u); }

RW_FUNCTION float to_unit(u32 bits) { return static_cast<float>(bits >> 8) * (1.0f / 16777216.0f); }

}  // namespace raywarp::render::hash
