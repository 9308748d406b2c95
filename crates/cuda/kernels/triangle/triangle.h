// The triangle tests. Operations name none of them: each gives these, with the options as its parameter, and a new one
// needs a name in options.h, its header and a line of the selection below.
//
//     test_record(launch, lane, record, counts)  micro-operation test_triangle; what it meets within the lane's limits
//                                                it gives to `offer`, if `counts`
//     KEEPS_WEIGHTS                              whether a hit keeps its weights, and its triangle for a record
//     found_hit(launch, lane)                    t, u, v of what the lane found, in lengths of the given direction
//     index(launch, found)                       the index of that triangle
//     keep_candidate(lane, hit)                  an any-hit ray's candidate is this, its t as the lane counts it
//     candidate_t(launch, lane)                  that t
#pragma once

#include "moeller_trumbore.h"
#include "pair.h"
#include "watertight.h"
#include "woop.h"

namespace raywarp {

template <Options O, TriangleTest TEST>
struct TriangleOf;
template <Options O>
struct TriangleOf<O, TriangleTest::Woop> {
    using Triangle = Woop<O>;
};
template <Options O>
struct TriangleOf<O, TriangleTest::MoellerTrumbore> {
    using Triangle = MoellerTrumbore<O>;
};
template <Options O>
struct TriangleOf<O, TriangleTest::Watertight> {
    using Triangle = Watertight<O>;
};
template <Options O>
    requires(O.takes_any_ray())
struct TriangleOf<O, TriangleTest::Watertight> {
    using Triangle = EachOfPair<O>;
};
template <Options O>
struct TriangleOf<O, TriangleTest::Pair> {
    using Triangle = Pair<O>;
};

}  // namespace raywarp
