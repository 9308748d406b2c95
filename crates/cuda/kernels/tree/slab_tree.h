// What trees share whose boxes are tested by slabs, and at whose leaves lanes stand until no record is left.
#pragma once

#include "entry.h"

namespace raywarp {

template <Options O>
struct SlabTree {
    // Prepares the lane's ray; returns its end.
    static RW_FUNCTION float setup(const Launch& launch, Lane<O>& lane, float4 o, float4 d) {
        LaneRay<O>& ray = lane.setup;
        ray.origin = o;
        ray.direction = d;
        ray.slab = O.planes == BoxPlanes::Padded ? slab::padded(o, d, launch.bounds) : slab::plain(o, d);
        const float t_low = platform::most(begin_of(launch, lane, o.w), -slab::LARGEST);
        // Integers order floats only if one of two is not negative (ALK12); and -0 is the least of them.
        ray.t_low = O.box == BoxTest::Integer ? platform::most(t_low, 0.0f) + 0.0f : t_low;
        return platform::least(d.w, slab::LARGEST);
    }

    // Boxes and triangles have the given t.
    static RW_FUNCTION float given_t(const LaneRay<O>&, float t) { return t; }

    // A leaf goes when it is empty: a lane that stood at it must pop then, if no nodes are behind it.
    static RW_FUNCTION u32 take(Lane<O>& lane) {
        using Tree = typename Lane<O>::Tree;
        if (lane.has_postponed()) {
            const u32 record = Tree::take_record(lane.postponed[0]);
            lane.leaf_ended = !Tree::is_leaf(lane.postponed[0]);
            if (lane.leaf_ended) {
                lane.remove_first_postponed();
            }
            return record;
        }
        const u32 record = Tree::take_record(lane.work);
        lane.leaf_ended = !Tree::is_leaf(lane.work);
        lane.work = lane.leaf_ended ? Tree::POP : lane.work;
        return record;
    }
};

// What a visit found: hit children, the next to be visited first.
template <u32 MOST>
struct Visit {
    u32 count;
    u32 children[MOST];
};

// The lane goes on with the first child and pushes the others, the farthest first. Without a hit child it must pop.
template <u32 MOST, Options O>
RW_FUNCTION void descend(Lane<O>& lane, const Visit<MOST>& visit) {
#pragma unroll
    for (u32 i = MOST - 1; i > 0; i--) {
        if (i < visit.count) {
            lane.push(visit.children[i]);
            RW_EVENT(VisitNodePush);
        }
    }
    lane.work = visit.count != 0 ? visit.children[0] : RangeEntries::POP;
}

}  // namespace raywarp
