// The state of one ray. As raywarp-traverse's lane.rs.
#pragma once

#include "stack.h"
#include "tree/bvh2.h"
#include "tree/cwbvh8.h"
#include "tree/h8.h"
#include "tree/wide4.h"
#include "tree/wide_n.h"

namespace raywarp {

template <Options O, TreeKind KIND>
struct TreeOf;
template <Options O>
struct TreeOf<O, TreeKind::Bvh2> {
    using Tree = Bvh2<O>;
};
template <Options O>
struct TreeOf<O, TreeKind::Wide4> {
    using Tree = Wide4<O>;
};
template <Options O>
struct TreeOf<O, TreeKind::WideN> {
    using Tree = WideN<O>;
};
template <Options O>
struct TreeOf<O, TreeKind::Cwbvh8> {
    using Tree = Cwbvh8<O>;
};
template <Options O>
struct TreeOf<O, TreeKind::H8> {
    using Tree = H8<O>;
};

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
    // Weights of a closest hit of h8.
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

template <Options O>
struct Lane : Participants<(O.lanes_per_ray() > 1)> {
    using Tree = typename TreeOf<O, O.tree>::Tree;
    using Entry = typename Tree::Entry;
    static constexpr u32 ROOM = O.organisation == Organisation::IfWhile ? 1 : O.postpone;

    // Number of the ray in its batch, or NONE.
    u32 ray;
    LaneRay<O> setup;
    Entry work;
    // The leaf that the lane tested last has no triangles left.
    bool leaf_ended;
    // Leaves put aside, in the order in which they were found, then NOTHING.
    Entry postponed[ROOM > 0 ? ROOM : 1];
    Found found;
    typename StackOf<Tree, O, O.tree == TreeKind::WideN, O.supply == Supply::Queue>::Stack stack;

    RW_FUNCTION bool has_postponed() const { return ROOM > 0 && Tree::is_leaf(postponed[0]); }
    RW_FUNCTION bool has_room() const { return ROOM > 0 && !Tree::is_leaf(postponed[ROOM > 0 ? ROOM - 1 : 0]); }
    RW_FUNCTION bool is_idle() const { return ray == NONE; }
    RW_FUNCTION bool is_alive() const { return !Tree::is_done(work) || has_postponed(); }
    RW_FUNCTION bool has_ended() const { return !is_idle() && !is_alive(); }
    RW_FUNCTION bool at_inner_node() const { return Tree::is_inner(work); }
    RW_FUNCTION bool stands_at_leaf() const { return Tree::is_leaf(work); }
    RW_FUNCTION bool has_leaf() const { return has_postponed() || stands_at_leaf(); }
    RW_FUNCTION bool must_pop() const {
        if constexpr (O.tree == TreeKind::H8) {
            return false;
        } else {
            return Tree::is_pop(work);
        }
    }
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

    // The next triangle record of the oldest leaf, which goes when it is empty: a lane that stood at it
    // must pop then, if no nodes are behind it.
    RW_FUNCTION u32 take_record() {
        if constexpr (O.tree == TreeKind::H8) {
            return take_pair();
        } else {
            return take_slot();
        }
    }

    RW_FUNCTION u32 take_slot() {
        if (has_postponed()) {
            const u32 record = Tree::take(postponed[0]);
            leaf_ended = !Tree::is_leaf(postponed[0]);
            if (leaf_ended) {
                remove_first_postponed();
            }
            return record;
        }
        const u32 record = Tree::take(work);
        leaf_ended = !Tree::is_leaf(work);
        work = leaf_ended ? Tree::POP : work;
        return record;
    }

    // The next pair of the group of leaves that is put aside: an empty group is NOTHING.
    RW_FUNCTION u32 take_pair() { return Tree::take(postponed[0]); }

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
