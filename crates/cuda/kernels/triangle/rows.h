// What tests share whose record is one triangle in three rows.
#pragma once

#include "tuv.h"

namespace raywarp {

// The state of one ray (lane.h), which includes the tests.
template <Options O>
struct Lane;

template <Options O>
RW_FUNCTION void offer_record(const Launch& launch, Lane<O>& lane, u32 record, float t) {
    if (is_within(lane, t) &&
        offer(launch, lane, record, platform::load1(launch.slots + record), Tuv{t, 0.0f, 0.0f, true})) {
        RW_EVENT(TestTriangleAccept);
    }
}

// `Test` says how a ray's line meets a triangle: `intersect`.
template <Options O, class Test>
struct RowTest {
    // Found again when the hit is stored.
    static constexpr bool KEEPS_WEIGHTS = false;

    // Where the ray's line meets the triangle of a record.
    static RW_FUNCTION Tuv intersect_record(const float4* triangles, float4 o, float4 d, u32 record) {
        const float4* rows = triangles + static_cast<u64>(record) * 3;
        return Test::intersect(o, d, platform::load4(rows), platform::load4(rows + 1), platform::load4(rows + 2));
    }

    static RW_FUNCTION Tuv found_hit(const Launch& launch, const Lane<O>& lane) {
        return intersect_record(launch.triangles, lane.setup.origin, lane.setup.direction, lane.found.record);
    }

    template <class Found>
    static RW_FUNCTION u32 index(const Launch& launch, const Found& found) {
        return platform::load1(launch.slots + found.record) & ~NON_OPAQUE;
    }

    static RW_FUNCTION float candidate_t(const Launch& launch, const Lane<O>& lane) {
        return Test::found_hit(launch, lane).t;
    }
    static RW_FUNCTION void keep_candidate(Lane<O>&, const Tuv&) {}

    static RW_FUNCTION void test_rows(const Launch& launch, Lane<O>& lane, const float4* rows, u32 record,
                                      bool counts) {
        const float4 o = lane.setup.origin, d = lane.setup.direction;
        const float4 a = platform::load4(rows), b = platform::load4(rows + 1), c = platform::load4(rows + 2);
        const Tuv hit = Test::intersect(o, d, a, b, c);
        RW_EVENT(TestTriangle);
        if (hit.hit && counts) {
            offer_record(launch, lane, record, hit.t);
        }
    }

    static RW_FUNCTION void test_record(const Launch& launch, Lane<O>& lane, u32 record, bool counts) {
        Test::test_rows(launch, lane, launch.triangles + static_cast<u64>(record) * 3, record, counts);
        if (O.any_hit() && O.lanes_per_ray() == 1 && lane.found.blocked) {
            lane.end();
        }
    }
};

}  // namespace raywarp
