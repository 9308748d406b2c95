// What a stack holds: a node or a leaf in two words. A tree says which is which.
#pragma once

#include "../ray.h"

namespace raywarp {

struct Entry {
    u32 x, y;
};

// What is left to do besides nodes and leaves: the same for all trees, and like none of their entries.
constexpr Entry POP{0, 0x40000000u};
constexpr Entry DONE{1, 0x40000000u};

RW_FUNCTION bool is_exhausted(Entry work) { return work.x == POP.x && work.y == POP.y; }
RW_FUNCTION bool is_done(Entry work) { return work.x == DONE.x && work.y == DONE.y; }

// Nodes and leaves of trees whose leaves are ranges of records: index and count, 0 for a node.
struct RangeEntries {
    static RW_FUNCTION bool is_inner(Entry e) { return e.y == 0; }
    static RW_FUNCTION bool is_leaf(Entry e) { return e.y - 1 < POP.y - 1; }
    static RW_FUNCTION bool is_empty(Entry leaf) { return leaf.y == 0; }
    static RW_FUNCTION u32 take(Entry& leaf) {
        leaf.y -= 1;
        return leaf.x++;
    }
    static RW_FUNCTION Entry root(const Launch& launch) { return launch.node_count != 0 ? Entry{0, 0} : DONE; }
};

// What a visit found: hit children, the next to be visited first.
template <u32 MOST>
struct Visit {
    u32 count;
    Entry children[MOST];
};

}  // namespace raywarp
