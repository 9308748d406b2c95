// A variant as a kernel: its organisation under its supply.
#pragma once

#include "schedule/if_if.h"
#include "schedule/if_while.h"
#include "schedule/packet.h"
#include "schedule/phased.h"
#include "schedule/speculative_if_if.h"
#include "schedule/speculative_while_while.h"
#include "schedule/while_while.h"
#include "supply/direct.h"
#include "supply/persistent.h"
#include "supply/queue.h"
#include "supply/replace.h"

namespace raywarp {

template <Options O, Organisation KIND>
struct ScheduleOf;
template <Options O>
struct ScheduleOf<O, Organisation::WhileWhile> {
    using Schedule = WhileWhile<O>;
};
template <Options O>
struct ScheduleOf<O, Organisation::Packet> {
    using Schedule = Packet<O>;
};
template <Options O>
struct ScheduleOf<O, Organisation::IfIf> {
    using Schedule = IfIf<O>;
};
template <Options O>
struct ScheduleOf<O, Organisation::SpeculativeWhileWhile> {
    using Schedule = SpeculativeWhileWhile<O>;
};
template <Options O>
struct ScheduleOf<O, Organisation::SpeculativeIfIf> {
    using Schedule = SpeculativeIfIf<O>;
};
template <Options O>
struct ScheduleOf<O, Organisation::IfWhile> {
    using Schedule = IfWhile<O>;
};
template <Options O>
struct ScheduleOf<O, Organisation::Phased> {
    using Schedule = Phased<O>;
};

template <Options O>
RW_FUNCTION void run(const Launch& launch) {
    using Schedule = typename ScheduleOf<O, O.organisation>::Schedule;
    RW_EVENT(Prologue);
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
        static_assert(O.supply == Supply::Queue, "other kernels ask with query.h");
        queue<O, Schedule>(launch, lane);
    }
}

}  // namespace raywarp
