// test_triangle: fetch a triangle record, test, shorten the ray.
#pragma once

#include "../lane.h"

namespace raywarp {

template <Options O>
RW_FUNCTION bool is_within(const Lane<O>& lane, float t) {
    return lane.setup.t_low <= t && t <= lane.found.limit;
}

// Takes a triangle that the ray's line meets within its limits, if it counts; whether it did. Of equal t the lower index
// wins, so that the order of tests does not matter.
template <Options O>
RW_FUNCTION bool offer(const Launch& launch, Lane<O>& lane, u32 record, u32 word, Tuv hit) {
    using Triangle = typename Lane<O>::Triangle;
    Found& found = lane.found;
    const u32 index = word & ~NON_OPAQUE;
    if constexpr (O.supply == Supply::Caller) {
        if (Lane<O>::Tree::given_t(lane.setup, hit.t) == lane.after.t) {
            const uint2 id = platform::load2(launch.ids + index);
            const After& after = lane.after;
            if (id.x < after.instance || (id.x == after.instance && id.y <= after.primitive)) {
                return false;
            }
        }
    } else if (launch.after != nullptr) {
        const u32* after = launch.after + static_cast<u64>(lane.ray) * 3;
        if (Lane<O>::Tree::given_t(lane.setup, hit.t) == platform::float_of(platform::load1(after))) {
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
    if constexpr (Triangle::KEEPS_WEIGHTS && !O.any_hit()) {
        // A closest hit within its limit; NONE is above all indices.
        nearer = hit.t < found.limit || index < found.record;
    } else if (!nearer) {
        // Something opaque may still lie behind an any-hit ray's candidate, so that its limit stays.
        const float known = O.any_hit() ? Triangle::candidate_t(launch, lane) : found.limit;
        nearer = hit.t < known || (hit.t == known && index < Triangle::index(launch, found));
    }
    if (nearer) {
        found.record = Triangle::KEEPS_WEIGHTS ? index : record;
        if constexpr (!O.any_hit()) {
            found.limit = hit.t;
        } else {
            Triangle::keep_candidate(lane, hit);
        }
        if constexpr (Triangle::KEEPS_WEIGHTS && !O.any_hit()) {
            found.u = hit.u;
            found.v = hit.v;
        }
    }
    return nearer;
}

// Tests one record; what it hits counts if `counts`.
template <Options O>
RW_FUNCTION void test_record(const Launch& launch, Lane<O>& lane, u32 record, bool counts) {
    Lane<O>::Triangle::test_record(launch, lane, record, counts);
}

// Lanes of one ray agree on the nearest of what each found: a butterfly of exchanges.
template <Options O>
RW_FUNCTION void reduce_over_ray(const Launch& launch, Lane<O>& lane, float t) {
    Found& found = lane.found;
    u32 index = found.record == NONE ? NONE : Lane<O>::Triangle::index(launch, found);
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
    if constexpr (O.lanes_per_ray() == 1) {
        test_record(launch, lane, Lane<O>::Tree::take(lane), true);
    } else {
        const auto taken = Lane<O>::Tree::take_together(lane);
        if (lane_in_group<O>() < taken.count) {
            test_record(launch, lane, taken.first + lane_in_group<O>(), true);
        }
        const Found& found = lane.found;
        float t = found.limit;
        if (O.any_hit() && found.record != NONE) {
            t = Lane<O>::Triangle::found_hit(launch, lane).t;
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
