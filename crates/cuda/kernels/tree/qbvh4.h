// The compressed four-child node, 64 bytes: visits are those of the four-child node of floats (wide4.h), with planes on a
// grid of bytes. As raywarp-traverse's tree/qbvh4.rs.
#pragma once

#include "byte_grid.h"
#include "order.h"

namespace raywarp {

template <Options O>
struct Qbvh4 : RangeEntries, SlabTree<O> {
    // The word of no child.
    static constexpr u32 NO_CHILD = 0xffffffffu;

    static RW_FUNCTION Visit<4> hit_children(const Launch& launch, Entry inner, const LaneRay<O>& ray, float t_max) {
        using platform::bits_of;
        const float4* node = launch.nodes + static_cast<u64>(inner) * 4;
        const float4 head = platform::load4(node), xy = platform::load4(node + 1), zz = platform::load4(node + 2);
        float4 children;
        if constexpr (O.fetch == Fetch::Once) {
            children = platform::load4(node + 3);
        }
        const ByteGrid grid = byte_grid(ray.slab, head);
        const float low = box_low(ray), high = box_distance(ray, t_max);
        const u32 power = launch.grid << 23;
        auto plane = [&](float row, u32 i, float step, float corner) {
            return platform::fused(platform::byte_as_float(bits_of(row), i, power), step, corner);
        };
        Span s[4];
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
            s[i] = span<O>({plane(xy.x, i, grid.step.x, grid.lo.x), plane(xy.z, i, grid.step.y, grid.lo.y),
                            plane(zz.x, i, grid.step.z, grid.lo.z)},
                           {plane(xy.y, i, grid.step.x, grid.hi.x), plane(xy.w, i, grid.step.y, grid.hi.y),
                            plane(zz.y, i, grid.step.z, grid.hi.z)},
                           low, high);
        }
        RW_EVENT(VisitNode);
        if constexpr (O.fetch == Fetch::Needed) {
            children = platform::load4(node + 3);
        }
        // No byte is infinity: an absent child's box is inverted, but pads may turn it round.
        OrderedHit h[4] = {{s[0].near, bits_of(children.x)},
                           {s[1].near, bits_of(children.y)},
                           {s[2].near, bits_of(children.z)},
                           {s[3].near, bits_of(children.w)}};
        for (u32 i = 0; i < 4; i++) {
            s[i].hit &= h[i].child != NO_CHILD;
        }
        return visit_four<O>(s, h);
    }

    static RW_FUNCTION void visit(const Launch& launch, Lane<O>& lane) {
        descend(lane, hit_children(launch, lane.work, lane.setup, lane.found.limit));
    }
};

}  // namespace raywarp
