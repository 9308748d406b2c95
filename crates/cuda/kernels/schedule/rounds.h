// The iterations that an inner loop may take (AL09 5.1: at most N).
#pragma once

#include "../ops/pop.h"
#include "../ops/postpone.h"
#include "../ops/test_triangle.h"
#include "../ops/visit_node.h"
#include "../ops/vote.h"

namespace raywarp {

template <Options O>
struct Rounds {
    u32 taken = 0;
    RW_FUNCTION bool left() { return O.rounds == UNLIMITED || taken++ < O.rounds; }
};

}  // namespace raywarp
