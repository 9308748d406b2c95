// The loop of an organisation.
#pragma once

#include "schedule/if_if.h"
#include "schedule/if_while.h"
#include "schedule/packet.h"
#include "schedule/phased.h"
#include "schedule/speculative_if_if.h"
#include "schedule/speculative_while_while.h"
#include "schedule/while_while.h"

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

}  // namespace raywarp
