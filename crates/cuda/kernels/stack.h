// Where the traversal stack of a ray lies. Below its first entry lies DONE, which a lane reads that has nothing left.
#pragma once

#include "group.h"
#include "tree/entry.h"

namespace raywarp {

// In the lane's own memory. The entries are an array of their own: beside them in one object, the ray's state would
// lie in memory too.
template <class Tree>
struct LocalStack {
    using Entry = typename Tree::Entry;

    u32 top;
    Entry* entries;

    RW_FUNCTION void clear() {
        top = 0;
        entries[0] = Tree::DONE;
    }
    RW_FUNCTION void push(Entry entry) { entries[++top] = entry; }
    RW_FUNCTION Entry pop() { return entries[top--]; }
    // Words that are seldom wanted, and so have no registers: they lie above all entries, of two words each. The place
    // is hidden, or the compiler would keep them in registers through loops that may want them.
    RW_FUNCTION void put_aside(u32 x, u32 y, u32 z) {
        const u32 place = platform::hidden(Tree::DEPTH + 1);
        entries[place] = Tree::of_words(x, y);
        entries[place + 1] = Tree::of_words(z, 0);
    }
    RW_FUNCTION u32 look_aside(u32 i) const {
        return Tree::word(entries[platform::hidden(Tree::DEPTH + 1) + i / 2], i % 2);
    }
};

// In global memory, for rays that move between lanes (AL09 5.2): the stacks of a warp lie entry by entry, so that lanes at
// the same depth touch neighbours.
template <class Tree>
struct OwnedStack {
    using Entry = typename Tree::Entry;

    static constexpr u32 COUNT = 2 * WARP;

    u32 top;
    // Number of the stack among those of the warp.
    u32 owner;
    Entry* entries;

    RW_FUNCTION Entry& at(u32 index) const { return entries[index * COUNT + owner]; }
    RW_FUNCTION void clear() {
        top = 0;
        at(0) = Tree::DONE;
    }
    RW_FUNCTION void push(Entry entry) { at(++top) = entry; }
    RW_FUNCTION Entry pop() { return at(top--); }
};

// In shared memory, for lanes that share a ray: each of them may write an entry, and all of them pop together, with
// `order_stack` between one and the other.
template <class Tree, Options O>
struct GroupStack {
    using Entry = typename Tree::Entry;

    // Wider trees push more at a time, and fewer rays share the memory: 32 KiB a block.
    static constexpr u32 DEPTH = 32 * O.lanes_per_ray();
    static constexpr u32 ENTRIES = BLOCK_WARPS * O.width() * DEPTH;
    using Entries = platform::Shared<Entry, ENTRIES>;

    u32 top;
    Entries* entries;

    RW_FUNCTION u32 place(u32 at) const {
        return (platform::warp_in_block() * O.width() + platform::lane() / O.lanes_per_ray()) * DEPTH + at;
    }
    RW_FUNCTION void clear() {
        top = 0;
        if (platform::lane() % O.lanes_per_ray() == 0) {
            entries->store(place(0), Tree::DONE);
        }
    }
    // Lanes of rank 1 to count - 1 push theirs, the farthest lowest.
    RW_FUNCTION void push_ranked(u32 rank, u32 count, Entry entry) {
        if (rank > 0 && rank < count) {
            entries->store(place(top + count - rank), entry);
            RW_EVENT(VisitNodePush);
        }
        top += count > 0 ? count - 1 : 0;
    }
    RW_FUNCTION Entry pop() {
        const Entry entry = entries->load(place(top));
        top -= 1;
        return entry;
    }
};

}  // namespace raywarp
