// Woop's unit triangle (AL09 2): rows height, u, v. As raywarp-layout's woop.rs.
#pragma once

#include "rows.h"

namespace raywarp {

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

template <Options O>
struct Woop : RowTest<O, Woop<O>> {
    static RW_FUNCTION Tuv intersect(float4 o, float4 d, float4 a, float4 b, float4 c) {
        const float t = woop::height(a, o, d), u = woop::weight(b, o, d, t), v = woop::weight(c, o, d, t);
        return {t, u, v, u >= 0.0f && v >= 0.0f && u + v <= 1.0f && platform::is_finite(t)};
    }

    static RW_FUNCTION void test_rows(const Launch& launch, Lane<O>& lane, const float4* rows, u32 record,
                                      bool counts) {
        if constexpr (O.fetch == Fetch::Needed) {
            const float4 o = lane.setup.origin, d = lane.setup.direction;
            const float t = woop::height(platform::load4(rows), o, d);
            RW_EVENT(TestTriangleT);
            if (lane.setup.t_low <= t && t <= lane.found.limit) {
                const float u = woop::weight(platform::load4(rows + 1), o, d, t);
                RW_EVENT(TestTriangleU);
                if (u >= 0.0f && u <= 1.0f) {
                    const float v = woop::weight(platform::load4(rows + 2), o, d, t);
                    RW_EVENT(TestTriangleV);
                    if (v >= 0.0f && u + v <= 1.0f && platform::is_finite(t)) {
                        offer_record(launch, lane, record, t);
                    }
                }
            }
        } else {
            RowTest<O, Woop<O>>::test_rows(launch, lane, rows, record, counts);
        }
    }
};

}  // namespace raywarp
