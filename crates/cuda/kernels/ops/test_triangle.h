// test_triangle: fetch a triangle record, test, shorten the ray.
#pragma once

#include "../lane.h"
#include "../triangle/moeller_trumbore.h"
#include "../triangle/pair.h"
#include "../triangle/watertight.h"

namespace raywarp {

// Where the ray's line meets the triangle of a record.
template <Options O>
RW_FUNCTION Tuv intersect(float4 o, float4 d, float4 a, float4 b, float4 c) {
    if constexpr (O.triangle == TriangleTest::Woop) {
        const float t = woop::height(a, o, d), u = woop::weight(b, o, d, t), v = woop::weight(c, o, d, t);
        return {t, u, v, u >= 0.0f && v >= 0.0f && u + v <= 1.0f && platform::is_finite(t)};
    } else if constexpr (O.triangle == TriangleTest::MoellerTrumbore) {
        return moeller_trumbore::test(o, d, a, b, c);
    } else {
        return watertight::test(o, d, a, b, c);
    }
}

template <Options O>
RW_FUNCTION Tuv intersect_record(const float4* triangles, float4 o, float4 d, u32 record) {
    const float4* rows = triangles + static_cast<u64>(record) * 3;
    return intersect<O>(o, d, platform::load4(rows), platform::load4(rows + 1), platform::load4(rows + 2));
}

template <Options O>
RW_COLD Tuv intersect_record_apart(const float4* triangles, float4 o, float4 d, u32 record) {
    return intersect_record<O>(triangles, o, d, record);
}

// Whether a closest hit keeps its weights and its triangle's index in place of a record: a pair takes long to test again,
// and warps that replace rays one by one would do it often.
template <Options O>
constexpr bool KEEPS_WEIGHTS = O.triangle == TriangleTest::Pair && !O.any_hit();

// The t, u, v of what the lane found, in lengths of the given direction. The watertight test is long, and stands once in a
// kernel.
template <Options O>
RW_FUNCTION Tuv found_hit(const Launch& launch, const Lane<O>& lane) {
    const Found& found = lane.found;
    if constexpr (KEEPS_WEIGHTS<O>) {
        return {lane.setup.given_t(found.limit), found.u, found.v, true};
    } else if constexpr (O.triangle == TriangleTest::Pair) {
        Tuv hit = pair::test_again(launch, lane.setup, found.record);
        hit.t = lane.setup.given_t(hit.t);
        return hit;
    } else if constexpr (O.triangle == TriangleTest::Watertight) {
        return intersect_record_apart<O>(launch.triangles, lane.setup.origin, lane.setup.direction, found.record);
    } else {
        return intersect_record<O>(launch.triangles, lane.setup.origin, lane.setup.direction, found.record);
    }
}

// The index of the triangle that the lane found.
template <Options O>
RW_FUNCTION u32 found_index(const Launch& launch, const Found& found) {
    if constexpr (KEEPS_WEIGHTS<O>) {
        return found.record;
    } else if constexpr (O.triangle == TriangleTest::Pair) {
        return pair::word_of(launch, found.record) & ~NON_OPAQUE;
    } else {
        return platform::load1(launch.slots + found.record) & ~NON_OPAQUE;
    }
}

// The t of an any-hit ray's candidate, as the lane counts it.
template <Options O>
RW_FUNCTION float candidate_t(const Launch& launch, const Lane<O>& lane) {
    if constexpr (O.triangle == TriangleTest::Pair) {
        return platform::float_of(lane.stack.look_aside());
    } else {
        return found_hit(launch, lane).t;
    }
}

// A distance that the lane counts, in lengths of the given direction.
template <Options O>
RW_FUNCTION float given_t(const Lane<O>& lane, float t) {
    if constexpr (O.tree == TreeKind::H8) {
        return lane.setup.given_t(t);
    } else {
        return t;
    }
}

template <Options O>
RW_FUNCTION bool is_within(const Lane<O>& lane, float t) {
    return lane.setup.t_low <= t && t <= lane.found.limit;
}

// Takes a triangle that the ray's line meets within its limits, if it counts; whether it did. Of equal t the lower index
// wins, so that the order of tests does not matter.
template <Options O>
RW_FUNCTION bool offer(const Launch& launch, Lane<O>& lane, u32 record, u32 word, Tuv hit) {
    Found& found = lane.found;
    const u32 index = word & ~NON_OPAQUE;
    if (launch.after != nullptr) {
        const u32* after = launch.after + static_cast<u64>(lane.ray) * 3;
        if (given_t(lane, hit.t) == platform::float_of(platform::load1(after))) {
            const uint2 id = platform::load2(launch.ids + index);
            const u32 instance = platform::load1(after + 1), primitive = platform::load1(after + 2);
            if (id.x < instance || (id.x == instance && id.y <= primitive)) {
                return false;
            }
        }
    }
    if (O.any_hit() && word == index) {
        found.blocked = true;
        return true;
    }
    bool nearer = found.record == NONE;
    if (!nearer) {
        // Something opaque may still lie behind an any-hit ray's candidate, so that its limit stays.
        const float known = O.any_hit() ? candidate_t(launch, lane) : found.limit;
        nearer = hit.t < known || (hit.t == known && index < found_index<O>(launch, found));
    }
    if (nearer) {
        found.record = KEEPS_WEIGHTS<O> ? index : record;
        if constexpr (!O.any_hit()) {
            found.limit = hit.t;
        } else if constexpr (O.triangle == TriangleTest::Pair) {
            lane.stack.put_aside(platform::bits_of(hit.t));
        }
        if constexpr (KEEPS_WEIGHTS<O>) {
            found.u = hit.u;
            found.v = hit.v;
        }
    }
    return nearer;
}

template <Options O>
RW_FUNCTION void offer_record(const Launch& launch, Lane<O>& lane, u32 record, float t) {
    if (is_within(lane, t) &&
        offer(launch, lane, record, platform::load1(launch.slots + record), Tuv{t, 0.0f, 0.0f, true})) {
        RW_EVENT(TestTriangleAccept);
    }
}

// Tests one record; what it hits counts if `counts`.
template <Options O>
    requires(O.triangle != TriangleTest::Pair)
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
                    offer_record(launch, lane, record, t);
                }
            }
        }
    } else {
        const float4 a = platform::load4(rows), b = platform::load4(rows + 1), c = platform::load4(rows + 2);
        const Tuv hit = intersect<O>(o, d, a, b, c);
        RW_EVENT(TestTriangle);
        if (hit.hit && counts) {
            offer_record(launch, lane, record, hit.t);
        }
    }
    if (O.any_hit() && O.lanes_per_ray() == 1 && lane.found.blocked) {
        lane.end();
    }
}

// Tests the triangles of a block.
template <Options O>
    requires(O.triangle == TriangleTest::Pair)
RW_FUNCTION void test_record(const Launch& launch, Lane<O>& lane, u32 block, bool) {
    [[maybe_unused]] bool accepted = false;
    uint4 chunk[4];
    h8::load_block(launch, block, chunk);
    RW_EVENT(TestTriangle);
    pair::test(lane.setup, chunk, [&](u32 number, u32 word, Tuv hit) {
        if (is_within(lane, hit.t) && offer(launch, lane, 2 * block + number, word, hit)) {
            accepted = true;
        }
    });
    if (accepted) {
        RW_EVENT(TestTriangleAccept);
    }
}

// Lanes of one ray agree on the nearest of what each found: a butterfly of exchanges.
template <Options O>
RW_FUNCTION void reduce_over_ray(const Launch& launch, Lane<O>& lane, float t) {
    Found& found = lane.found;
    u32 index = found.record == NONE ? NONE : platform::load1(launch.slots + found.record) & ~NON_OPAQUE;
    for (u32 bits = 1; bits < O.lanes_per_ray(); bits *= 2) {
        auto other = [&](u32 x) { return platform::shuffle_xor_sync(lane.participants, x, bits); };
        const float their_t = platform::float_of(other(platform::bits_of(t)));
        const u32 their_record = other(found.record), their_index = other(index);
        const bool blocked = O.any_hit() && other(found.blocked) != 0;
        RW_EVENT(Shuffle);
        // Without branches, where lanes would part.
        const bool nearer = (their_record != NONE) &
                            ((found.record == NONE) | (their_t < t) | ((their_t == t) & (their_index < index)));
        t = nearer ? their_t : t;
        found.record = nearer ? their_record : found.record;
        index = nearer ? their_index : index;
        found.blocked = found.blocked || blocked;
    }
    if (O.any_hit()) {
        if (found.blocked) {
            lane.end();
        }
    } else if (found.record != NONE) {
        found.limit = t;
    }
}

// One test a lane; where several lanes share a ray, one on each of those while the leaf lasts: they test side by side,
// and the ray is shortened after all of them.
template <Options O>
RW_FUNCTION void test_one(const Launch& launch, Lane<O>& lane) {
    using Tree = typename Lane<O>::Tree;
    if constexpr (O.lanes_per_ray() == 1) {
        test_record(launch, lane, lane.take_record(), true);
    } else {
        const u32 first = Tree::first(lane.work), count = Tree::count(lane.work), n = O.lanes_per_ray();
        lane.leaf_ended = count <= n;
        lane.work = lane.leaf_ended ? Tree::POP : lane.work + n - (n << Tree::FIRST_BITS);
        if (lane_in_group<O>() < count) {
            test_record(launch, lane, first + lane_in_group<O>(), true);
        }
        const Found& found = lane.found;
        float t = found.limit;
        if (O.any_hit() && found.record != NONE) {
            t = found_hit(launch, lane).t;
        }
        reduce_over_ray(launch, lane, t);
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
            if (i == 1) {
                RW_EVENT(SecondTest);
            } else if (i == 2) {
                RW_EVENT(ThirdTest);
            } else {
                RW_EVENT(FourthTest);
            }
            test_one(launch, lane);
        }
    }
}

}  // namespace raywarp
