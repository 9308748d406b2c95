// pop: the next entry from the stack.
#pragma once

#include "../lane.h"

namespace raywarp {

// Below the stack lies DONE: a lane that reads it has nothing left.
template <Options O>
RW_FUNCTION void pop(Lane<O>& lane) {
    lane.work = lane.stack.pop();
    RW_EVENT(Pop);
}

template <Options O>
RW_FUNCTION void pop_exhausted(Lane<O>& lane) {
    if (lane.must_pop()) {
        pop(lane);
    }
    order_stack<O>();
}

}  // namespace raywarp
