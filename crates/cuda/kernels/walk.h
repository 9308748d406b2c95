// A ray that a lane asks with, for kernels of another kind (raywarp.h).
//
// Rays that the test of pairs cannot decide (options.h, `may_leave_undecided`) start beyond the tree's reach, or meet a
// triangle whose area as they see it f32 has no exponent for. A fallback traces them from the start by the test of each
// triangle, with boxes that grow by the ray: here by a call, behind a kernel of the family by a launch of its own (launch.h),
// since even a call at its end would cost it 4 %: its lanes' stacks would lie farther apart.
#pragma once

#include "schedule_of.h"
#include "supply/trace.h"

namespace raywarp {

// What a lane has found, as in memory: a miss has the ray's t_max, and NONE for its numbers. Of an any-hit ray that nothing
// blocks the first candidate.
struct Answer {
    float t, u, v;
    u32 instance, primitive;
    bool blocked;
};

// The options of the fallback.
RW_FUNCTION constexpr Options fallback_options(Query query) {
    Options options = preferred(TreeKind::H8, query);
    options.triangle = TriangleTest::Watertight;
    return options;
}

// Traces a ray from the start by the fallback; `callers` are the lanes that call together.
template <Options O>
RW_COLD Answer trace_by_fallback(Launch launch, float4 o, float4 d, After after, LaneMask callers);

template <Options O>
RW_FUNCTION Answer found_by(const Launch& launch, const Lane<O>& lane, float t_max) {
    const bool blocked = lane.found.blocked;
    if (lane.found.record == NONE || blocked) {
        return {t_max, 0.0f, 0.0f, NONE, NONE, blocked};
    }
    const Tuv tuv = Lane<O>::Triangle::found_hit(launch, lane);
    const uint2 id = platform::load2(launch.ids + Lane<O>::Triangle::index(launch, lane.found));
    return {tuv.t, tuv.u, tuv.v, id.x, id.y, false};
}

// Walks the tree of a launch. What callers guarantee stands in raywarp.h.
template <Options O>
RW_FUNCTION Answer walk(const Launch& launch, float4 o, float4 d, LaneMask callers, const After& after) {
    static_assert(O.supply == Supply::Caller && O.organisation != Organisation::Packet && O.lanes_per_ray() == 1);
    static_assert(O.interval == Interval::Given);
    using Schedule = typename ScheduleOf<O, O.organisation>::Schedule;
    Lane<O> lane;
    make_idle(lane);
    typename Lane<O>::Entry entries[Lane<O>::ENTRIES];
    lane.stack.entries = entries;
    lane.ray = 0;
    lane.callers = callers;
    lane.after = after;
    setup_ray(launch, lane, o, d);
    trace<O, Schedule>(launch, lane);
    if constexpr (O.may_leave_undecided()) {
        const bool is_left = lane.found.record == BEYOND && !lane.found.blocked;
        const LaneMask left = platform::ballot_sync(callers, is_left);
        if (is_left) {
            return trace_by_fallback<fallback_options(O.query)>(launch, o, d, after, left);
        }
    }
    return found_by(launch, lane, d.w);
}

template <Options O>
RW_COLD Answer trace_by_fallback(Launch launch, float4 o, float4 d, After after, LaneMask callers) {
    [[maybe_unused]] const platform::Unwatched unwatched;
    return walk<O>(launch, o, d, callers, after);
}

}  // namespace raywarp
