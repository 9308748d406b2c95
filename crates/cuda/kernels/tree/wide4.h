// The four-child node (G14 4.1, L9), 128 bytes: four boxes that do not depend on each other.
#pragma once

#include "order.h"

namespace raywarp {

template <Options O>
struct Wide4 : RangeEntries, SlabTree<O> {
    static RW_FUNCTION Visit<4> hit_children(const Launch& launch, Entry inner, const LaneRay<O>& ray, float t_max) {
        using platform::bits_of;
        const float4* node = launch.nodes + static_cast<u64>(inner) * 8;
        const float4 x0 = platform::load4(node), x1 = platform::load4(node + 1), y0 = platform::load4(node + 2),
                     y1 = platform::load4(node + 3), z0 = platform::load4(node + 4), z1 = platform::load4(node + 5);
        float4 children;
        if constexpr (O.fetch == Fetch::Once) {
            children = platform::load4(node + 6);
        }
        const float high = box_distance(ray, t_max);
        Span s[4] = {enter<O>(ray, {x0.x, y0.x, z0.x}, {x1.x, y1.x, z1.x}, high),
                     enter<O>(ray, {x0.y, y0.y, z0.y}, {x1.y, y1.y, z1.y}, high),
                     enter<O>(ray, {x0.z, y0.z, z0.z}, {x1.z, y1.z, z1.z}, high),
                     enter<O>(ray, {x0.w, y0.w, z0.w}, {x1.w, y1.w, z1.w}, high)};
        RW_EVENT(VisitNode);
        if constexpr (O.fetch == Fetch::Needed) {
            children = platform::load4(node + 6);
        }
        OrderedHit h[4] = {{s[0].near, bits_of(children.x)},
                           {s[1].near, bits_of(children.y)},
                           {s[2].near, bits_of(children.z)},
                           {s[3].near, bits_of(children.w)}};
        return visit_four<O>(s, h);
    }

    static RW_FUNCTION void visit(const Launch& launch, Lane<O>& lane) {
        descend(lane, hit_children(launch, lane.work, lane.setup, lane.found.limit));
    }
};

}  // namespace raywarp
