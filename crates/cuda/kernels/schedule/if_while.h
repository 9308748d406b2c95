// if-while: the loop of compressed wide trees (YKL17, algorithm 1).
//
//     while ray not terminated
//         if there is a group of nodes
//             visit its nearest node: a group of nodes and a group of triangles
//         while enough lanes have a triangle
//             perform a ray-triangle intersection test
//         push what is left of the triangles, unless there are no nodes to go on with
#pragma once

#include "rounds.h"

namespace raywarp {

template <Options O>
struct IfWhile {
    static RW_FUNCTION void traverse(const Launch& launch, Lane<O>& lane) {
        if (lane.at_inner_node()) {
            visit_node(launch, lane);
        }
    }

    static RW_FUNCTION void intersect(const Launch& launch, Lane<O>& lane) {
        if constexpr (O.sync == Sync::Implicit) {
            while (lane.has_leaf()) {
                test_triangle(launch, lane);
            }
        } else {
            const u32 enough = O.share * ballot(lane, lane.is_alive());
            while (true) {
                const u32 count = ballot(lane, lane.has_leaf());
                if (count == 0 || 100 * count < enough) {
                    break;
                }
                if (lane.has_leaf()) {
                    test_triangle(launch, lane);
                }
            }
        }
        // Lanes with a node group come back to their triangles later. One that has triangles left and nothing
        // else keeps them: pushed, they would be popped at once.
        defer(lane);
        if (lane.must_pop() && !lane.has_leaf()) {
            pop(lane);
        }
    }
};

}  // namespace raywarp
