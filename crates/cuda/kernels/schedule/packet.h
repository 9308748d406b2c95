// Packet traversal (Guenther et al. 2007; AL09 3.1): all rays of a warp follow one path with one stack. A node is
// visited when any ray hits it, and all rays take part in every test.
//
//     while there is a node, and any ray is not terminated
//         if it does not contain primitives
//             test both children; vote which any ray hits; go to the one that more rays meet first
//         else
//             test all of its primitives
//             pop
#pragma once

#include "../ops/together.h"

namespace raywarp {

template <Options O>
struct Packet {
    static RW_FUNCTION void trace(const Launch& launch, Lane<O>& lane) {
        using Tree = typename Lane<O>::Tree;
        RW_SHARED(u32, BLOCK_WARPS * (STACK_DEPTH + 1), stacks);
        PacketStack<u32, decltype(stacks)> stack{stacks, platform::warp_in_block() * (STACK_DEPTH + 1), 0};
        if (platform::lane() == 0) {
            stacks.store(stack.first, Tree::DONE);
        }
        platform::sync(EVERYONE);
        u32 next = any(lane, lane.is_alive()) ? Tree::root(launch, lane.setup) : Tree::DONE;
        while (!Tree::is_done(next)) {
            RW_EVENT(Iteration);
            if (Tree::is_inner(next)) {
                next = visit_node_together(launch, lane, next, stack);
                continue;
            }
            u32 leaf = next;
            while (Tree::is_leaf(leaf)) {
                test_triangle_together(launch, lane, Tree::take_record(leaf));
            }
            // Only an any-hit ray ends before its packet's path does.
            if (O.any_hit() && !any(lane, lane.is_alive())) {
                break;
            }
            next = pop_together(lane, stack);
        }
        if (!lane.is_idle()) {
            lane.end();
        }
        // The stack is used again by the warp's next rays.
        platform::sync(EVERYONE);
    }
};

}  // namespace raywarp
