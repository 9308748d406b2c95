// As many children as lanes that share a ray (AL09 5.3): each lane tests one child.
#pragma once

#include "../group.h"
#include "slab_tree.h"

namespace raywarp {

// What a lane found of its child.
struct RankedVisit {
    // Hit children of the node.
    u32 count;
    // Place of the lane's own among them, the nearest 0; `count` or more for a miss.
    u32 rank;
    u32 child;
    // The nearest one, the same in all lanes.
    u32 nearest;
};

// Records that follow each other.
struct Records {
    u32 first, count;
};

template <Options O>
struct WideN : RangeEntries, SlabTree<O> {
    static RW_FUNCTION RankedVisit hit_children(const Launch& launch, LaneMask participants, Entry inner,
                                                const LaneRay<O>& ray, float t_max) {
        constexpr u32 N = O.lanes_per_ray();
        const u32 slot = lane_in_group<O>();
        const float4* child = launch.nodes + (static_cast<u64>(inner) * N + slot) * 2;
        const float4 low = platform::load4(child), high = platform::load4(child + 1);
        const u32 entry = platform::bits_of(low.w);
        const Span span =
            enter<O>(ray, {low.x, low.y, low.z}, {high.x, high.y, high.z}, box_distance(ray, t_max));
        RW_EVENT(VisitNode);
        const LaneMask hits = ballot_over_ray<O>(participants, span.hit);
        u32 rank = 0;
        if constexpr (!O.unsorted()) {
            const float mine = span.hit ? span.near : platform::float_of(0x7f800000u);
            // Nearer ones, and of equals those before, come first. Without branches, where lanes would part.
            for (u32 other = 1; other < N; other++) {
                const u32 from = slot ^ other;
                const float near = from_lane<O>(participants, mine, from);
                RW_EVENT(Shuffle);
                rank += (near < span.near) | ((near == span.near) & (from < slot));
            }
        } else {
            rank = platform::population(hits & platform::lanes_below());
        }
        RW_EVENT(PrefixSum);
        rank = span.hit ? rank : N;
        const u32 count = platform::population(hits);
        // Rays without a hit ask as well, so that all go on together: any of their lanes will do.
        const LaneMask first = ballot_over_ray<O>(participants, rank == 0 || count == 0);
        RW_EVENT(Shuffle);
        const u32 nearest = from_lane<O>(participants, entry, platform::lowest_bit(first) % N);
        RW_EVENT(Shuffle);
        return {count, rank, entry, count != 0 ? nearest : POP};
    }

    static RW_FUNCTION void visit(const Launch& launch, Lane<O>& lane) {
        const RankedVisit visit =
            hit_children(launch, lane.participants, lane.work, lane.setup, lane.found.limit);
        lane.stack.push_ranked(visit.rank, visit.count, visit.child);
        lane.work = visit.nearest;
    }

    // Takes a record for each lane of the ray, while the leaf lasts. `count` may be more than that.
    static RW_FUNCTION Records take_together(Lane<O>& lane) {
        const u32 first = RangeEntries::first(lane.work), count = RangeEntries::count(lane.work), n = O.lanes_per_ray();
        lane.leaf_ended = count <= n;
        lane.work = lane.leaf_ended ? POP : lane.work + n - (n << FIRST_BITS);
        return {first, count};
    }
};

}  // namespace raywarp
