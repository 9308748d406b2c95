// What a stack holds: a node or a leaf. A tree says which is which, and in how many words.
#pragma once

#include "../ray.h"

namespace raywarp {

// The state of one ray (lane.h), which includes the trees.
template <Options O>
struct Lane;

// Entries of trees whose leaves are ranges of records, in one word: a node's index; or, with the highest bit, a leaf's
// first record and above it the number of records less one.
struct RangeEntries {
    using Entry = u32;

    static constexpr u32 DEPTH = STACK_DEPTH;
    static constexpr u32 FIRST_BITS = 27;
    static constexpr u32 LEAF = 0x80000000u;
    // What is left to do besides nodes and leaves.
    static constexpr Entry POP = 0x7fffffffu, DONE = 0x7ffffffeu;
    // No leaf.
    static constexpr Entry NOTHING = 0;

    static RW_FUNCTION bool is_inner(Entry e) { return e < DONE; }
    static RW_FUNCTION bool is_leaf(Entry e) { return static_cast<int>(e) < 0; }
    static RW_FUNCTION bool is_pop(Entry e) { return e == POP; }
    static RW_FUNCTION bool is_done(Entry e) { return e == DONE; }

    static RW_FUNCTION u32 first(Entry leaf) { return leaf & ((1u << FIRST_BITS) - 1); }
    static RW_FUNCTION u32 count(Entry leaf) { return (leaf >> FIRST_BITS & 15u) + 1; }

    // Takes a record; what is left is NOTHING after the last.
    static RW_FUNCTION u32 take_record(Entry& leaf) {
        const u32 record = first(leaf);
        leaf = count(leaf) == 1 ? NOTHING : leaf + 1 - (1u << FIRST_BITS);
        return record;
    }

    template <class Ray>
    static RW_FUNCTION Entry root(const Launch& launch, const Ray&) {
        return launch.node_count != 0 ? 0 : DONE;
    }
    static RW_FUNCTION u32 word(Entry e, u32 i) { return i == 0 ? e : 0; }
    static RW_FUNCTION Entry of_words(u32 x, u32) { return x; }
};

// Siblings that are yet to be visited, or triangles that are yet to be tested: entries of eight-wide trees.
struct Group {
    u32 x, y;
};

}  // namespace raywarp
