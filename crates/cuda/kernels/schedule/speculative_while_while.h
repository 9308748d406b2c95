// Speculative while-while (AL09 4, ALK12): a lane that has found a leaf puts it aside and goes on traversing, as
// long as another lane still looks for its first one.
//
//     while ray not terminated
//         while any lane is without a leaf
//             lanes at a node: traverse to the next node
//             if it is a leaf and there is room: postpone it, pop
//         while there are untested primitives
//             perform a ray-primitive intersection test
#pragma once

#include "while_while.h"

namespace raywarp {

template <Options O>
struct SpeculativeWhileWhile {
    static RW_FUNCTION void traverse(const Launch& launch, Lane<O>& lane) {
        Rounds<O> rounds;
        while (rounds.left() && any(lane, lane.at_inner_node() && !lane.has_leaf())) {
            if (lane.at_inner_node()) {
                visit_node(launch, lane);
            }
            pop_exhausted(lane);
            postpone(lane);
            pop_exhausted(lane);
        }
    }

    static RW_FUNCTION void intersect(const Launch& launch, Lane<O>& lane) { WhileWhile<O>::intersect(launch, lane); }
};

}  // namespace raywarp
