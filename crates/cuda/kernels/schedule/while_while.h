// while-while (AL09 3.2):
//
//     while ray not terminated
//         while node does not contain primitives
//             traverse to the next node
//         while node contains untested primitives
//             perform a ray-primitive intersection test
#pragma once

#include "rounds.h"

namespace raywarp {

template <Options O>
struct WhileWhile {
    static RW_FUNCTION void traverse(const Launch& launch, Lane<O>& lane) {
        Rounds<O> rounds;
        // One loop also where rounds are few: what a copy of its body costs would depend on which round it is.
#pragma unroll 1
        while (rounds.left() && any(lane, lane.at_inner_node())) {
            find_participants(lane, lane.at_inner_node());
            if (lane.at_inner_node()) {
                visit_node(launch, lane);
            }
            pop_exhausted(lane);
        }
    }

    static RW_FUNCTION void intersect(const Launch& launch, Lane<O>& lane) {
        Rounds<O> rounds;
#pragma unroll 1
        while (rounds.left() && any(lane, lane.has_leaf())) {
            if constexpr (O.leaves == LeafLoop::Flat) {
                find_participants(lane, lane.has_leaf());
                if (lane.has_leaf()) {
                    test_triangle(launch, lane);
                }
            } else {
                RW_EVENT(LeafIteration);
                lane.leaf_ended = lane.leaf_ended && !lane.has_leaf();
                while (any(lane, lane.is_in_leaf())) {
                    find_participants(lane, lane.is_in_leaf());
                    if (lane.is_in_leaf()) {
                        test_triangle(launch, lane);
                    }
                }
            }
            pop_exhausted(lane);
        }
    }
};

}  // namespace raywarp
