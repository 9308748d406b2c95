// A ray that a lane asks with, and nothing else: where a kernel of another kind asks (query.h), and where a ray is traced
// again (again.h).
#pragma once

#include "schedule_of.h"
#include "supply/trace.h"

namespace raywarp {

// What a lane has found, as in memory: a miss has the ray's t_max, and NONE for its numbers.
template <Options O>
RW_FUNCTION Again found_by(const Launch& launch, const Lane<O>& lane, float t_max) {
    const bool blocked = lane.found.blocked;
    if (lane.found.record == NONE || blocked) {
        return {t_max, 0.0f, 0.0f, NONE, NONE, blocked};
    }
    const Tuv tuv = Lane<O>::Triangle::found_hit(launch, lane);
    const uint2 id = platform::load2(launch.ids + Lane<O>::Triangle::index(launch, lane.found));
    return {tuv.t, tuv.u, tuv.v, id.x, id.y, false};
}

// Walks the tree of a launch. What callers guarantee stands in query.h.
template <Options O>
RW_FUNCTION Again walk(const Launch& launch, float4 o, float4 d, LaneMask callers, const After& after) {
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
    if constexpr (O.leaves_some()) {
        const bool is_left = lane.found.record == BEYOND && !lane.found.blocked;
        const LaneMask left = platform::ballot_sync(callers, is_left);
        if (is_left) {
            return trace_again<again_options(O.query)>(launch, o, d, after, left);
        }
    }
    return found_by(launch, lane, d.w);
}

template <Options O>
RW_COLD Again trace_again(Launch launch, float4 o, float4 d, After after, LaneMask callers) {
    const platform::Unwatched unwatched;
    return walk<O>(launch, o, d, callers, after);
}

}  // namespace raywarp
