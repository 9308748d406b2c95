// The order of hit children of a four-wide node. As raywarp-traverse's tree/order.rs.
#pragma once

#include "slab_tree.h"

namespace raywarp {

struct OrderedHit {
    float near;
    u32 child;
};

RW_FUNCTION void compare_and_swap(OrderedHit& a, OrderedHit& b) {
    if (b.near < a.near) {
        const OrderedHit c = a;
        a = b;
        b = c;
    }
}

// Five comparators, each of the last three after the one before (G14 4.1).
RW_FUNCTION void merge_sort(OrderedHit (&h)[4]) {
    compare_and_swap(h[0], h[1]);
    compare_and_swap(h[2], h[3]);
    compare_and_swap(h[0], h[2]);
    compare_and_swap(h[1], h[3]);
    compare_and_swap(h[1], h[2]);
}

// Six comparators in three rounds of two that do not depend on each other (G14 4.1).
RW_FUNCTION void bitonic_network(OrderedHit (&h)[4]) {
    compare_and_swap(h[0], h[1]);
    compare_and_swap(h[3], h[2]);
    compare_and_swap(h[0], h[2]);
    compare_and_swap(h[1], h[3]);
    compare_and_swap(h[0], h[1]);
    compare_and_swap(h[2], h[3]);
}

// The hits as they stand: misses sink through.
RW_FUNCTION void hits_first(OrderedHit (&h)[4]) {
    for (u32 round = 0; round < 3; round++) {
        for (u32 i = 0; i < 3; i++) {
            const bool hole = h[i].near == platform::float_of(0x7f800000u);
            const OrderedHit next = h[i + 1];
            h[i + 1] = hole ? h[i] : h[i + 1];
            h[i] = hole ? next : h[i];
        }
    }
}

// The nearest first, the others as they stand.
RW_FUNCTION void nearest_first(OrderedHit (&h)[4]) {
    hits_first(h);
    u32 nearest = 0;
    float near = h[0].near;
    for (u32 i = 1; i < 4; i++) {
        nearest = h[i].near < near ? i : nearest;
        near = h[i].near < near ? h[i].near : near;
    }
    const OrderedHit first = nearest == 0 ? h[0] : nearest == 1 ? h[1] : nearest == 2 ? h[2] : h[3];
    h[3] = nearest >= 3 ? h[2] : h[3];
    h[2] = nearest >= 2 ? h[1] : h[2];
    h[1] = nearest >= 1 ? h[0] : h[1];
    h[0] = first;
}

// Orders four hits whose misses are infinitely far.
template <ChildOrder ORDER>
RW_FUNCTION void order_children(OrderedHit (&h)[4]) {
    if constexpr (ORDER == ChildOrder::Nearest) {
        nearest_first(h);
    } else if constexpr (ORDER == ChildOrder::Network5) {
        merge_sort(h);
    } else {
        bitonic_network(h);
    }
}

// Finishes a visit of a node of four children, whose spans and entries are given: which of them are hit, in their order.
// (With `h` made in here the compiler orders the four-wide node's instructions otherwise.)
template <Options O>
RW_FUNCTION Visit<4> visit_four(const Span (&s)[4], OrderedHit (&h)[4]) {
    using platform::bits_of;
    u32 count = 0;
    for (u32 i = 0; i < 4; i++) {
        count += s[i].hit;
        if constexpr (O.order == ChildOrder::LowBits) {
            h[i].near = platform::float_of((bits_of(h[i].near) & ~3u) | i);
        }
        h[i].near = s[i].hit ? h[i].near : platform::float_of(0x7f800000u);
    }
    if constexpr (O.fetch == Fetch::Needed) {
        if (count != 0) {
            RW_EVENT(VisitNodeLinks);
        }
    }
    if constexpr (O.unsorted()) {
        hits_first(h);
    } else {
        if (count > 1) {
            RW_EVENT(VisitNodeOrder);
        }
        order_children<O.order>(h);
    }
    return {count, {h[0].child, h[1].child, h[2].child, h[3].child}};
}

}  // namespace raywarp
