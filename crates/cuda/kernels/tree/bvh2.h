// The two-child node of the papers, 64 bytes: both boxes fetched and tested together, the closer child first.
#pragma once

#include "slab_tree.h"

namespace raywarp {

template <Options O>
struct Bvh2 : RangeEntries, SlabTree<O> {
    // Both children and where the ray meets their boxes.
    struct Tested {
        Span spans[2];
        u32 children[2];
    };

    static RW_FUNCTION Tested test(const Launch& launch, u32 inner, const LaneRay<O>& ray, float t_max) {
        const float4* node = launch.nodes + static_cast<u64>(inner) * 4;
        const float4 xy0 = platform::load4(node), xy1 = platform::load4(node + 1), z = platform::load4(node + 2);
        float4 links;
        if constexpr (O.fetch == Fetch::Once) {
            links = platform::load4(node + 3);
        }
        const float high = box_distance(ray, t_max);
        const Span a = enter<O>(ray, {xy0.x, xy0.z, z.x}, {xy0.y, xy0.w, z.y}, high);
        const Span b = enter<O>(ray, {xy1.x, xy1.z, z.z}, {xy1.y, xy1.w, z.w}, high);
        RW_EVENT(VisitNode);
        if constexpr (O.fetch == Fetch::Needed) {
            if (!(a.hit | b.hit)) {
                return {{a, b}, {}};
            }
            links = platform::load4(node + 3);
            RW_EVENT(VisitNodeLinks);
        }
        return {{a, b}, {platform::bits_of(links.x), platform::bits_of(links.y)}};
    }

    static RW_FUNCTION Visit<2> hit_children(const Launch& launch, Entry inner, const LaneRay<O>& ray, float t_max) {
        const Tested tested = test(launch, inner, ray, t_max);
        const Span a = tested.spans[0], b = tested.spans[1];
        const u32 first = tested.children[0], second = tested.children[1];
        const bool both = a.hit && b.hit;
        bool swap = b.hit && !a.hit;
        if constexpr (!O.unsorted()) {
            if (both) {
                RW_EVENT(VisitNodeOrder);
            }
            swap = swap || (both && b.near < a.near);
        }
        return {static_cast<u32>(a.hit) + static_cast<u32>(b.hit), {swap ? second : first, swap ? first : second}};
    }

    static RW_FUNCTION void visit(const Launch& launch, Lane<O>& lane) {
        descend(lane, hit_children(launch, lane.work, lane.setup, lane.found.limit));
    }
};

}  // namespace raywarp
