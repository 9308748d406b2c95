// postpone: put a leaf aside and go on traversing (AL09 4, ALK12), or push it for later (YKL17).
#pragma once

#include "../lane.h"

namespace raywarp {

template <Options O>
RW_FUNCTION void postpone(Lane<O>& lane) {
    if constexpr (Lane<O>::ROOM > 0) {
        if (lane.stands_at_leaf() && lane.has_room()) {
            lane.postpone_leaf(lane.work);
            lane.work = Lane<O>::Tree::POP;
            RW_EVENT(Postpone);
        }
    }
}

// A lane that has a node to visit pushes the leaf that it put aside.
template <Options O>
RW_FUNCTION void defer(Lane<O>& lane) {
    if (lane.at_inner_node() && lane.has_postponed()) {
        lane.push(lane.remove_first_postponed());
        RW_EVENT(Defer);
    }
}

}  // namespace raywarp
