// The textbook test (Moeller and Trumbore 1997), both sides. As raywarp-geom's moeller_trumbore.rs.
#pragma once

#include "rows.h"

namespace raywarp {

namespace moeller_trumbore {

RW_FUNCTION float3x sub(float4 a, float4 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
RW_FUNCTION float3x cross(float3x a, float3x b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
RW_FUNCTION float dot(float3x a, float3x b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

RW_FUNCTION Tuv test(float4 o, float4 d, float4 v0, float4 v1, float4 v2) {
    const float3x e1 = sub(v1, v0), e2 = sub(v2, v0), direction{d.x, d.y, d.z};
    const float3x p = cross(direction, e2);
    const float det = dot(e1, p);
    const float inverse = platform::reciprocal(det);
    const float3x s = sub(o, v0);
    const float u = dot(s, p) * inverse;
    const float3x q = cross(s, e1);
    const float v = dot(direction, q) * inverse;
    const float t = dot(e2, q) * inverse;
    return {t, u, v, det != 0.0f && u >= 0.0f && v >= 0.0f && u + v <= 1.0f && platform::is_finite(t)};
}

}  // namespace moeller_trumbore

template <Options O>
struct MoellerTrumbore : RowTest<O, MoellerTrumbore<O>> {
    static RW_FUNCTION Tuv intersect(float4 o, float4 d, float4 a, float4 b, float4 c) {
        return moeller_trumbore::test(o, d, a, b, c);
    }
};

}  // namespace raywarp
