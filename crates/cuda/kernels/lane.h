// The state of one ray. As raywarp-traverse's lane.rs.
#pragma once

#include "stack.h"
#include "tree/tree.h"
#include "triangle/triangle.h"

namespace raywarp {

template <class Tree, Options O, bool SHARES, bool MOVES>
struct StackOf {
    using Stack = LocalStack<Tree>;
};
template <class Tree, Options O>
struct StackOf<Tree, O, true, false> {
    using Stack = GroupStack<Tree, O>;
};
template <class Tree, Options O>
struct StackOf<Tree, O, false, true> {
    using Stack = OwnedStack<Tree>;
};

// What a ray found so far. Weights are found again when the hit is stored, but where that takes too long.
struct Found {
    // Farthest t that still counts: of a closest hit its own.
    float limit;
    // The triangle record, NONE for none.
    u32 record;
    // Any-hit: something opaque was hit.
    bool blocked;
    // Weights of a closest hit, where they are kept.
    float u, v;
};

// Where lanes share a ray: all those of the warp that take part in an operation with this one. Other kernels have no such
// member: even unused it would change their machine code.
template <bool SHARES>
struct Participants {};
template <>
struct Participants<true> {
    LaneMask participants;
};

// A hit that others come after, in the order of t, instance and primitive; by itself one that all come after.
struct After {
    float t = platform::float_of(0xff800000u);
    u32 instance = 0, primitive = 0;
};

// Where another kernel asks: the lanes of the warp that ask together, and what their hits come after.
template <bool ASKED>
struct Question {};
template <>
struct Question<true> {
    LaneMask callers;
    After after;
};

template <Options O>
struct Lane : Participants<(O.lanes_per_ray() > 1)>, Question<O.supply == Supply::Caller> {
    using Tree = typename TreeOf<O, O.tree>::Tree;
    using Entry = typename Tree::Entry;
    using Triangle = typename TriangleOf<O, O.triangle>::Triangle;
    static constexpr u32 ROOM = O.organisation == Organisation::IfWhile ? 1 : O.postpone;

    // Of a stack: what lies below the first entry as well, and words that are put aside. As many for both queries: then
    // the compiler lays one over the other in a kernel that asks both.
    static constexpr u32 ENTRIES = Tree::DEPTH + (Triangle::KEEPS_WEIGHTS ? 3 : 2);

    // Number of the ray in its batch, or NONE.
    u32 ray;
    LaneRay<O> setup;
    Entry work;
    // The leaf that the lane tested last has no triangles left.
    bool leaf_ended;
    // Leaves put aside, in the order in which they were found, then NOTHING.
    Entry postponed[ROOM > 0 ? ROOM : 1];
    Found found;
    typename StackOf<Tree, O, (O.lanes_per_ray() > 1), O.supply == Supply::Queue>::Stack stack;

    RW_FUNCTION bool has_postponed() const { return ROOM > 0 && Tree::is_leaf(postponed[0]); }
    RW_FUNCTION bool has_room() const { return ROOM > 0 && !Tree::is_leaf(postponed[ROOM > 0 ? ROOM - 1 : 0]); }
    RW_FUNCTION bool is_idle() const { return ray == NONE; }
    RW_FUNCTION bool is_alive() const { return !Tree::is_done(work) || has_postponed(); }
    RW_FUNCTION bool has_ended() const { return !is_idle() && !is_alive(); }
    RW_FUNCTION bool at_inner_node() const { return Tree::is_inner(work); }
    RW_FUNCTION bool stands_at_leaf() const { return Tree::is_leaf(work); }
    RW_FUNCTION bool has_leaf() const { return has_postponed() || stands_at_leaf(); }
    RW_FUNCTION bool must_pop() const { return Tree::is_pop(work); }
    RW_FUNCTION bool is_in_leaf() const { return has_leaf() && !leaf_ended; }

    RW_FUNCTION void push(Entry entry) { stack.push(entry); }

    RW_FUNCTION void clear_postponed() {
#pragma unroll
        for (u32 i = 0; i < sizeof(postponed) / sizeof(Entry); i++) {
            postponed[i] = Tree::NOTHING;
        }
    }

    // Puts a leaf behind the others; there is room.
    RW_FUNCTION void postpone_leaf(Entry leaf) {
        bool placed = false;
#pragma unroll
        for (u32 i = 0; i < sizeof(postponed) / sizeof(Entry); i++) {
            const bool here = !placed && !Tree::is_leaf(postponed[i]);
            postponed[i] = here ? leaf : postponed[i];
            placed = placed || here;
        }
    }

    RW_FUNCTION Entry remove_first_postponed() {
        const Entry first = postponed[0];
#pragma unroll
        for (u32 i = 1; i < sizeof(postponed) / sizeof(Entry); i++) {
            postponed[i - 1] = postponed[i];
        }
        postponed[sizeof(postponed) / sizeof(Entry) - 1] = Tree::NOTHING;
        return first;
    }

    // Ends the ray: whatever it had still to do is dropped.
    RW_FUNCTION void end() {
        work = Tree::DONE;
        clear_postponed();
    }
};

// A lane that holds nothing.
template <Options O>
RW_FUNCTION void make_idle(Lane<O>& lane) {
    lane.ray = NONE;
    lane.work = Lane<O>::Tree::DONE;
    lane.leaf_ended = false;
    lane.clear_postponed();
}

}  // namespace raywarp
