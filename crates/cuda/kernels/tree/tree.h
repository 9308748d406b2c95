// The trees. Operations and schedules name none of them: each gives these, with the options as its parameter, and a new
// one needs a name in options.h, its header and a line of the selection below.
//
//     Entry                        what a stack holds, one or two words: `word`, `of_words`
//     DEPTH                        entries of a stack in a lane's own memory, at most
//     DONE, NOTHING                the entry that lies below a stack; no leaf
//     is_inner, is_leaf, is_done   what an entry is
//     is_pop                       whether a lane with this entry must pop; POP is such an entry where there is one
//     setup(launch, lane, o, d)    prepares the lane's ray, in the tree's form of LaneRay; returns its end
//     root(launch, ray)            the entry that a ray begins with
//     visit(launch, lane)          micro-operation visit_node: the lane's work is a node, then what comes after it
//     take(lane)                   the next triangle record of the lane's oldest leaf, which goes when it is empty
//     take_record(entry)           the same of a leaf alone
//     given_t(ray, t)              a distance as the lane counts it, in lengths of the given direction
//
// Some organisations ask for more: a packet for `test`, the boxes of a node without an order; phased for `is_empty` and
// `split`, what is left of a group; lanes that share a ray for `take_together`.
#pragma once

#include "bvh2.h"
#include "cwbvh8.h"
#include "h8.h"
#include "qbvh4.h"
#include "wide4.h"
#include "wide_n.h"

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
struct TreeOf<O, TreeKind::Qbvh4> {
    using Tree = Qbvh4<O>;
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

// The options that suit a tree best where another kernel asks (raywarp.h): the loop that it was made for.
RW_FUNCTION constexpr Options preferred(TreeKind tree, Query query) {
    Options options{
        .supply = Supply::Caller, .organisation = Organisation::WhileWhile, .tree = tree, .query = query};
    if (tree == TreeKind::Wide4 || tree == TreeKind::Qbvh4) {
        options.order = ChildOrder::Network6;
    } else if (tree == TreeKind::Cwbvh8) {
        options.organisation = Organisation::IfWhile;
    } else if (tree == TreeKind::H8) {
        options.organisation = Organisation::Phased;
        options.postpone = 1;
        options.triangle = TriangleTest::Pair;
    }
    return options;
}

}  // namespace raywarp
