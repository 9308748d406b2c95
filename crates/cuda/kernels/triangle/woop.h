// Woop's unit triangle (AL09 2): rows height, u, v. As raywarp-layout's woop.rs.
#pragma once

#include "../ray.h"

namespace raywarp {

struct Tuv {
    float t, u, v;
    bool hit;
};

namespace woop {

RW_FUNCTION float at(float4 row, float4 p) {
    using platform::fused;
    return fused(row.x, p.x, fused(row.y, p.y, fused(row.z, p.z, row.w)));
}

RW_FUNCTION float along(float4 row, float4 d) {
    using platform::fused;
    return fused(row.x, d.x, fused(row.y, d.y, row.z * d.z));
}

RW_FUNCTION float height(float4 row, float4 origin, float4 direction) {
    return -at(row, origin) * platform::reciprocal_about(along(row, direction));
}

RW_FUNCTION float weight(float4 row, float4 origin, float4 direction, float t) {
    return platform::fused(t, along(row, direction), at(row, origin));
}

}  // namespace woop

}  // namespace raywarp
