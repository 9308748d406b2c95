// The micro-operations of a packet: one node, one triangle and one stack for all rays of a warp (Guenther et al.
// 2007; AL09 3.1). Every lane with a ray takes part, also one whose ray has ended.
#pragma once

#include "test_triangle.h"
#include "vote.h"

namespace raywarp {

// The stack of a packet, in shared memory; below all lies DONE.
template <class Entry, class Stacks>
struct PacketStack {
    Stacks& entries;
    u32 first, top;

    RW_FUNCTION void push(Entry entry) {
        top += 1;
        if (platform::lane() == 0) {
            entries.store(first + top, entry);
        }
        platform::sync(EVERYONE);
    }

    RW_FUNCTION Entry pop() {
        const Entry entry = entries.load(first + top);
        // Nobody may push over what another lane still reads.
        platform::sync(EVERYONE);
        top -= 1;
        return entry;
    }
};

// The packet goes on with what it pushed last.
template <Options O, class Stack>
RW_FUNCTION u32 pop_together(const Lane<O>& lane, Stack& stack) {
    if (!lane.is_idle()) {
        RW_EVENT(Pop);
    }
    return stack.pop();
}

// All rays test the children of a node; the packet goes on with the one that most rays meet first, of equals the first,
// and pushes the other if any ray hits it.
template <Options O, class Stack>
RW_FUNCTION u32 visit_node_together(const Launch& launch, Lane<O>& lane, u32 inner, Stack& stack) {
    using Tree = typename Lane<O>::Tree;
    typename Tree::Tested tested{};
    if (!lane.is_idle()) {
        tested = Tree::test(launch, inner, lane.setup, lane.found.limit);
    }
    const bool alive = lane.is_alive();
    const bool a = alive && tested.spans[0].hit, b = alive && tested.spans[1].hit;
    const bool any_a = any(lane, a), any_b = any(lane, b);
    // Links are the same in every lane that has a ray, and lane 0 has one.
    u32 first = platform::shuffle_sync(EVERYONE, tested.children[0], 0);
    u32 second = platform::shuffle_sync(EVERYONE, tested.children[1], 0);
    if (any_a && any_b) {
        const bool b_first = b && (!a || tested.spans[1].near < tested.spans[0].near);
        if (ballot(lane, b_first) > ballot(lane, a && !b_first)) {
            const u32 c = first;
            first = second;
            second = c;
        }
        stack.push(second);
        if (!lane.is_idle()) {
            RW_EVENT(VisitNodePush);
        }
        return first;
    }
    return any_a ? first : any_b ? second : pop_together(lane, stack);
}

// All rays test one triangle. One that has ended hits nothing any more.
template <Options O>
RW_FUNCTION void test_triangle_together(const Launch& launch, Lane<O>& lane, u32 record) {
    if (!lane.is_idle()) {
        test_record(launch, lane, record, lane.is_alive());
    }
}

}  // namespace raywarp
