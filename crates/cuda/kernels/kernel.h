// A variant as a kernel: its organisation under its supply.
#pragma once

#include "schedule_of.h"
#include "supply/direct.h"
#include "supply/persistent.h"
#include "supply/queue.h"
#include "supply/replace.h"

namespace raywarp {

template <Options O>
RW_FUNCTION void run(const Launch& launch) {
    using Schedule = typename ScheduleOf<O, O.organisation>::Schedule;
    RW_EVENT(Prologue);
    if constexpr (O.may_leave_undecided()) {
        platform::let_next_launch_start();
    }
    if constexpr (O.takes_any_ray()) {
        platform::wait_for_launch_before();
        // Nearly always nothing is left.
        if (launch.fallback_count != nullptr && platform::get(launch.fallback_count) == 0) {
            return;
        }
    }
    Lane<O> lane;
    make_idle(lane);
    [[maybe_unused]] typename Lane<O>::Entry entries[Lane<O>::ENTRIES];
    if constexpr (O.lanes_per_ray() == 1 && O.supply != Supply::Queue) {
        lane.stack.entries = entries;
    }
    if constexpr (O.lanes_per_ray() > 1) {
        RW_SHARED(u32, decltype(lane.stack)::ENTRIES, stacks);
        lane.stack.entries = &stacks;
    }
    if constexpr (O.supply == Supply::Direct) {
        direct<O, Schedule>(launch, lane);
    } else if constexpr (O.supply == Supply::Persistent) {
        persistent<O, Schedule>(launch, lane);
    } else if constexpr (O.supply == Supply::Replace) {
        replace<O, Schedule>(launch, lane);
    } else {
        static_assert(O.supply == Supply::Queue, "other kernels ask with raywarp.h");
        queue<O, Schedule>(launch, lane);
    }
}

}  // namespace raywarp
