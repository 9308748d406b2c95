// As many children as lanes that share a ray (AL09 5.3): each lane tests one child.
#pragma once

#include "../group.h"
#include "entry.h"

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

template <Options O>
struct WideN : RangeEntries {
    static RW_FUNCTION RankedVisit visit(const Launch& launch, Entry inner, const LaneRay<O>& ray, float t_max) {
        constexpr u32 N = O.lanes_per_ray();
        const u32 slot = lane_in_group<O>();
        const float4* child = launch.nodes + (static_cast<u64>(inner) * N + slot) * 2;
        const float4 low = platform::load4(child), high = platform::load4(child + 1);
        const u32 entry = platform::bits_of(low.w);
        const Span span =
            enter<O>(ray, {low.x, low.y, low.z}, {high.x, high.y, high.z}, box_distance(ray, t_max));
        RW_EVENT(VisitNode);
        const LaneMask hits = platform::ballot_sync(group_mask<O>(), span.hit) & group_mask<O>();
        RankedVisit visit{platform::population(hits), N, entry, RangeEntries::POP};
        u32 rank = 0;
        if constexpr (!O.unsorted()) {
            // Nearer ones, and of equals those before, come first.
            for (u32 other = 1; other < N; other++) {
                const u32 from = slot ^ other;
                const float near = from_lane<O>(span.hit ? span.near : platform::float_of(0x7f800000u), from);
                RW_EVENT(Shuffle);
                rank += near < span.near || (near == span.near && from < slot);
            }
        } else {
            rank = platform::population(hits & platform::lanes_below());
        }
        RW_EVENT(PrefixSum);
        visit.rank = span.hit ? rank : N;
        if (visit.count != 0) {
            const LaneMask first = platform::ballot_sync(group_mask<O>(), visit.rank == 0) & group_mask<O>();
            const u32 nearest = platform::lowest_bit(first) % N;
            RW_EVENT(Shuffle);
            RW_EVENT(Shuffle);
            visit.nearest = from_lane<O>(entry, nearest);
        }
        return visit;
    }
};

}  // namespace raywarp
