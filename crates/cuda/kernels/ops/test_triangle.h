// test_triangle: fetch a triangle record, test, shorten the ray.
#pragma once

#include "../lane.h"
#include "../triangle/moeller_trumbore.h"
#include "../triangle/watertight.h"

namespace raywarp {

// Takes a triangle that the ray's line meets, if it counts. Of equal t the lower index wins, so that the order
// of tests does not matter.
template <Options O>
RW_FUNCTION void offer(const Launch& launch, Lane<O>& lane, u32 record, Tuv hit) {
    Found& found = lane.found;
    if (!(lane.setup.t_low <= hit.t && hit.t <= found.limit)) {
        return;
    }
    const u32 word = platform::load1(launch.slots + record), index = word & ~NON_OPAQUE;
    if (launch.after != nullptr) {
        const u32* after = launch.after + static_cast<u64>(lane.ray) * 3;
        if (hit.t == platform::float_of(platform::load1(after))) {
            const uint2 id = platform::load2(launch.ids + index);
            const u32 instance = platform::load1(after + 1), primitive = platform::load1(after + 2);
            if (id.x < instance || (id.x == instance && id.y <= primitive)) {
                return;
            }
        }
    }
    if (O.any_hit() && word == index) {
        found.blocked = true;
        RW_EVENT(TestTriangleAccept);
        return;
    }
    if (found.index == NONE || hit.t < found.t || (hit.t == found.t && index < found.index)) {
        found.t = hit.t;
        found.u = hit.u;
        found.v = hit.v;
        found.index = index;
        // Something opaque may still lie behind an any-hit ray's candidate.
        if (!O.any_hit()) {
            found.limit = hit.t;
        }
        RW_EVENT(TestTriangleAccept);
    }
}

// Tests one record; what it hits counts if `counts`.
template <Options O>
RW_FUNCTION void test_record(const Launch& launch, Lane<O>& lane, u32 record, bool counts) {
    const float4* rows = launch.triangles + static_cast<u64>(record) * 3;
    const float4 o = lane.setup.origin, d = lane.setup.direction;
    if constexpr (O.triangle == TriangleTest::Woop && O.fetch == Fetch::Needed && O.tree != TreeKind::Cwbvh8) {
        const float t = woop::height(platform::load4(rows), o, d);
        RW_EVENT(TestTriangleT);
        if (lane.setup.t_low <= t && t <= lane.found.limit) {
            const float u = woop::weight(platform::load4(rows + 1), o, d, t);
            RW_EVENT(TestTriangleU);
            if (u >= 0.0f && u <= 1.0f) {
                const float v = woop::weight(platform::load4(rows + 2), o, d, t);
                RW_EVENT(TestTriangleV);
                if (v >= 0.0f && u + v <= 1.0f && platform::is_finite(t)) {
                    offer(launch, lane, record, {t, u, v, true});
                }
            }
        }
    } else {
        const float4 a = platform::load4(rows), b = platform::load4(rows + 1), c = platform::load4(rows + 2);
        Tuv hit;
        if constexpr (O.triangle == TriangleTest::Woop) {
            const float t = woop::height(a, o, d), u = woop::weight(b, o, d, t), v = woop::weight(c, o, d, t);
            hit = {t, u, v, u >= 0.0f && v >= 0.0f && u + v <= 1.0f && platform::is_finite(t)};
        } else if constexpr (O.triangle == TriangleTest::MoellerTrumbore) {
            hit = moeller_trumbore::test(o, d, a, b, c);
        } else {
            hit = watertight::test(o, d, a, b, c);
        }
        RW_EVENT(TestTriangle);
        if (hit.hit && counts) {
            offer(launch, lane, record, hit);
        }
    }
    if (O.any_hit() && O.lanes_per_ray() == 1 && lane.found.blocked) {
        lane.end();
    }
}

// Lanes of one ray agree on the nearest of what each found: a butterfly of exchanges.
template <Options O>
RW_FUNCTION void reduce_over_ray(Lane<O>& lane) {
    Found& found = lane.found;
    for (u32 bits = 1; bits < O.lanes_per_ray(); bits *= 2) {
        const LaneMask group = group_mask<O>();
        auto other = [&](u32 x) { return platform::shuffle_xor_sync(group, x, bits); };
        auto other_float = [&](float x) { return platform::float_of(other(platform::bits_of(x))); };
        const Found theirs{other_float(found.t), other_float(found.u), other_float(found.v),
                           other(found.index),   other_float(found.limit), other(found.blocked) != 0};
        RW_EVENT(Shuffle);
        const bool nearer = theirs.index != NONE && (found.index == NONE || theirs.t < found.t ||
                                                     (theirs.t == found.t && theirs.index < found.index));
        const bool blocked = found.blocked || theirs.blocked;
        found = nearer ? theirs : found;
        found.blocked = blocked;
    }
    if (O.any_hit() && found.blocked) {
        lane.end();
    }
}

// One test a lane; where several lanes share a ray, one on each of those while the leaf lasts: they test side by side,
// and the ray is shortened after all of them.
template <Options O>
RW_FUNCTION void test_one(const Launch& launch, Lane<O>& lane) {
    if constexpr (O.lanes_per_ray() == 1) {
        test_record(launch, lane, lane.take_record(), true);
    } else {
        const u32 record = lane.work.x + lane_in_group<O>(), n = O.lanes_per_ray();
        const bool tests = lane_in_group<O>() < lane.work.y;
        const u32 taken = lane.work.y < n ? lane.work.y : n;
        lane.work = {lane.work.x + taken, lane.work.y - taken};
        lane.leaf_ended = lane.work.y == 0;
        lane.work = lane.leaf_ended ? POP : lane.work;
        if (tests) {
            test_record(launch, lane, record, true);
        }
        reduce_over_ray(lane);
    }
}

// The next triangle of the lane's oldest leaf, and as many more as the loop is unrolled. A lane that ended
// a leaf it stood at must pop then; an any-hit ray that something opaque blocks ends.
template <Options O>
RW_FUNCTION void test_triangle(const Launch& launch, Lane<O>& lane) {
    test_one(launch, lane);
#pragma unroll
    for (u32 i = 1; i < O.unroll; i++) {
        if (lane.is_in_leaf()) {
            test_one(launch, lane);
        }
    }
}

}  // namespace raywarp
