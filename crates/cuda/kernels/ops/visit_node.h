// visit_node: fetch a node, test the ray against all its child boxes, order the hits, push all but the nearest.
#pragma once

#include "../lane.h"

namespace raywarp {

// A lane without a hit child must pop then.
template <Options O>
RW_FUNCTION void visit_node(const Launch& launch, Lane<O>& lane) {
    using Tree = typename Lane<O>::Tree;
    if constexpr (O.tree == TreeKind::H8) {
        const u32 block = Tree::take_nearest(lane.work, lane.setup.order);
        const bool pushed = !Tree::is_empty(lane.work);
        if (pushed) {
            lane.push(lane.work);
        }
        lane.work = Tree::visit(launch, block, lane.setup, lane.found.limit);
        if (pushed) {
            RW_EVENT(VisitNodePush);
        }
        // A group of leaves has registers of its own (YKL17).
        if (lane.has_room()) {
            lane.postpone_leaf(Tree::split(lane.work));
        }
    } else if constexpr (O.tree == TreeKind::Cwbvh8) {
        const GroupVisit visit = Tree::visit(launch, lane.work, lane.setup, lane.found.limit);
        if (visit.rest.y >= 0x01000000u) {
            lane.push(visit.rest);
            RW_EVENT(VisitNodePush);
        }
        const bool has_nodes = visit.nodes.y >= 0x01000000u;
        bool has_triangles = visit.triangles.y != 0;
        // A group of triangles has registers of its own where leaves can be put aside (YKL17).
        if constexpr (Lane<O>::ROOM > 0) {
            if (has_triangles && lane.has_room()) {
                lane.postpone_leaf(visit.triangles);
                has_triangles = false;
            }
        }
        if (has_triangles && has_nodes) {
            lane.push(visit.nodes);
            RW_EVENT(VisitNodePush);
        }
        lane.work = has_triangles ? visit.triangles : has_nodes ? visit.nodes : Tree::POP;
    } else if constexpr (O.tree == TreeKind::WideN) {
        const RankedVisit visit = Tree::visit(launch, lane.participants, lane.work, lane.setup, lane.found.limit);
        lane.stack.push_ranked(visit.rank, visit.count, visit.child);
        lane.work = visit.nearest;
    } else {
        const auto visit = Tree::visit(launch, lane.work, lane.setup, lane.found.limit);
        // The farthest first.
#pragma unroll
        for (u32 i = Tree::BRANCHING - 1; i > 0; i--) {
            if (i < visit.count) {
                lane.push(visit.children[i]);
                RW_EVENT(VisitNodePush);
            }
        }
        lane.work = visit.count != 0 ? visit.children[0] : Tree::POP;
    }
}

}  // namespace raywarp
