// phased (ours): each kind of step runs while it fills the warp. As raywarp-traverse's schedule/phased.rs.
//
//     while ray not terminated
//         while enough of the live lanes have a group of nodes
//             visit its nearest node: a group of nodes and a group of leaves
//         do
//             perform the ray-triangle intersection tests of a leaf
//         while enough lanes have a leaf
#pragma once

#include "rounds.h"

namespace raywarp {

template <Options O>
struct Phased {
    using Tree = typename Lane<O>::Tree;
    static_assert(Lane<O>::ROOM == 1, "one group of leaves is put aside");

    static RW_FUNCTION void traverse(const Launch& launch, Lane<O>& lane) {
        static_assert(counts_exactly<O.step>() && counts_exactly<O.test>());
        const u32 share = least_count<O.step>(ballot(lane, lane.is_alive()));
        const u32 enough = share > 1 ? share : 1;
        while (true) {
            const bool ready = lane.at_inner_node();
            if (ballot(lane, ready) < enough) {
                break;
            }
            if (ready) {
                visit_node(launch, lane);
                if (Tree::is_empty(lane.work)) {
                    pop(lane);
                }
            }
        }
    }

    // What a lane did besides a test: for checks.
    struct Moved {
        bool postponed, popped;
    };

    // Whoever stood at a second group and has ended the first puts it aside and walks on: at the nodes of that group, or
    // after a pop. Before the test, so that it covers the time of the pop.
    static RW_FUNCTION Moved move_on(Lane<O>& lane) {
        [[maybe_unused]] Moved moved{};
        if (lane.stands_at_leaf() && lane.has_room()) {
            lane.postpone_leaf(Tree::split(lane.work));
            moved.postponed = true;
            if (Tree::is_empty(lane.work)) {
                lane.work = lane.stack.pop();
                moved.popped = true;
            }
        }
        return moved;
    }

    static RW_FUNCTION void intersect(const Launch& launch, Lane<O>& lane) {
        while (true) {
            // Nobody has leaves elsewhere without some aside.
            const bool ready = lane.has_postponed();
            const u32 count = ballot(lane, ready);
            if (count == 0) {
                break;
            }
            if (ready) {
                const u32 record = Tree::take(lane);
                [[maybe_unused]] const Moved moved = move_on(lane);
                test_record(launch, lane, record, true);
                if (O.any_hit() && lane.found.blocked) {
                    lane.end();
                } else if (!O.may_leave_undecided() || lane.found.record != BEYOND) {
                    if (moved.postponed) {
                        RW_EVENT(Postpone);
                    }
                    if (moved.popped) {
                        RW_EVENT(Pop);
                    }
                }
            }
            if (count < least_count<O.test>(voter_count(lane))) {
                break;
            }
        }
    }
};

}  // namespace raywarp
