// if-if (AL09 3.2):
//
//     while ray not terminated
//         if node does not contain primitives
//             traverse to the next node
//         if node contains untested primitives
//             perform a ray-primitive intersection test
#pragma once

#include "rounds.h"

namespace raywarp {

template <Options O>
struct IfIf {
    static RW_FUNCTION void traverse(const Launch& launch, Lane<O>& lane) {
        if (lane.at_inner_node()) {
            visit_node(launch, lane);
        }
        pop_exhausted(lane);
    }

    static RW_FUNCTION void intersect(const Launch& launch, Lane<O>& lane) {
        if (lane.has_leaf()) {
            test_triangle(launch, lane);
        }
        pop_exhausted(lane);
    }
};

}  // namespace raywarp
