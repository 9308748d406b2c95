// Our eight-child node of 64 bytes: boxes in bytes, tested in packed halves; groups of nodes in octant order and groups of
// pairs of triangles. As raywarp-traverse's tree/h8.rs and raywarp-layout's h8.
#pragma once

#include "h8_ray.h"

namespace raywarp {

// A group: word 3 of a node (bits 0 to 7 the slots that are nodes; above them the block of its first child); and in bits 0
// to 7 the slots of nodes yet to be visited, in bits 8 to 15 those of leaves yet to be tested.
template <Options O>
struct H8 {
    using Entry = Group;

    // A level takes one entry at most. Deeper stacks lie farther apart in the cache, which costs 2 %.
    static constexpr u32 DEPTH = 63;
    static constexpr u32 LEAVES = 8;

    static constexpr Entry DONE{0, 0}, NOTHING{0, 0};

    // A lane whose group is empty pops at once: at votes only what lies below the stack is empty.
    static RW_FUNCTION bool is_empty(Entry e) { return e.y == 0; }
    static RW_FUNCTION bool is_pop(Entry) { return false; }
    static RW_FUNCTION bool is_done(Entry e) { return is_empty(e); }
    // Leaves come before nodes.
    static RW_FUNCTION bool is_inner(Entry e) { return e.y - 1 < 0xffu; }
    static RW_FUNCTION bool is_leaf(Entry e) { return e.y > 0xffu; }
    static RW_FUNCTION u32 word(Entry e, u32 i) { return i == 0 ? e.x : e.y; }
    static RW_FUNCTION Entry of_words(u32 x, u32 y) { return {x, y}; }
    static RW_FUNCTION Entry root(const Launch& launch, const LaneRay<O>&) {
        return launch.node_count != 0 ? Entry{1, 1} : DONE;
    }

    // Prepares the lane's ray; returns its end.
    static RW_FUNCTION float setup(const Launch& launch, Lane<O>& lane, float4 o, float4 d) {
        if constexpr (O.takes_any_ray()) {
            prepare_any_h8(launch, lane.setup, o, d, begin_of(launch, lane, o.w));
            return platform::least(d.w, slab::LARGEST);
        } else {
            const float unscale = prepare_h8(launch, lane.setup, o, d, begin_of(launch, lane, o.w));
            // What is not finite, as the lane counts t or in lengths of the given direction, is behind it.
            return platform::least(platform::least(d.w, slab::LARGEST) * unscale, slab::LARGEST);
        }
    }

    // Whether the ray is valid and nothing that it hits may be lost: what boxes leave is for starts within twice the tree's
    // reach, and t has to be as exact in lengths of the given direction as it is here. Of such a start and direction every
    // number is finite just where `along` is, which is prepared: a sum of products with magnitudes, of all components.
    static RW_FUNCTION bool is_near(const Launch& launch, const LaneRay<O>& ray, float4 o, float4 d) {
        using platform::magnitude;
        using platform::most;
        const float farthest = most(most(magnitude(o.x), magnitude(o.y)), magnitude(o.z));
        const float longest = most(most(magnitude(d.x), magnitude(d.y)), magnitude(d.z));
        // Hidden, or it would be loaded four times.
        const float reach = platform::float_of(platform::hidden(platform::bits_of(launch.farthest)));
        const bool is_finite = (magnitude(ray.along) <= slab::LARGEST) & (o.w == o.w) & (d.w == d.w);
        return is_finite & (farthest <= 2.0f * reach) & (longest >= h8::SHORT) & (longest <= h8::LONGEST_OF_REACH * reach) &
               (reach <= h8::LARGEST_REACH);
    }

    static RW_FUNCTION float given_t(const LaneRay<O>& ray, float t) { return ray.given_t(t); }

    // Takes the first leaf of a group without nodes: its block. Nodes stand before leaves.
    static RW_FUNCTION u32 take_record(Entry& leaf) {
        const u32 slot = leaf.y & (0u - leaf.y);
        leaf.y ^= slot;
        // The eight bits below slots of leaves count too.
        return (leaf.x >> 8) - 8 + platform::population((leaf.x << 8 & 0xff00u) | (slot - 1));
    }

    // The next pair of the group of leaves that is put aside: an empty group is NOTHING.
    static RW_FUNCTION u32 take(Lane<O>& lane) { return take_record(lane.postponed[0]); }

    // Splits a group in its leaves and its nodes.
    static RW_FUNCTION Entry split(Entry& group) {
        const Entry leaves{group.x, group.y & ~0xffu};
        group.y &= 0xffu;
        return leaves;
    }

    // Takes the nearest node of a group without leaves: its block.
    static RW_FUNCTION u32 take_nearest(Entry& group, u32 order) {
        u32 slot = group.y;
        u32 side = slot & order;  // Slots are below 2^8.
        slot = side != 0 ? side : slot;
        side = slot & (order >> 8);
        slot = side != 0 ? side : slot;
        side = slot & (order >> 16);
        slot = side != 0 ? side : slot;
        group.y ^= slot;
        return (group.x >> 8) + platform::population(group.x & (slot - 1));
    }

    // Tests the eight boxes of a node: the group of its hit children.
    static RW_FUNCTION Entry hit_group(const Launch& launch, u32 block, const LaneRay<O>& ray, float limit) {
        using platform::bits_of;
        using platform::float_of;
        using platform::fused;
        using platform::Halves;
        uint4 chunk[4];
        h8::load_block(launch, block, chunk);
        const u32 head[3] = {chunk[0].x, chunk[0].y, chunk[0].z};
        // The low bits of the corner are fields besides.
        const float corner[3] = {float_of(head[0]), float_of(head[1]), float_of(head[2])};
        // 2^-22 over the coarsest step.
        const float unit = float_of((head[2] & 0x7cu) * 0x200000u + launch.grid);
        const float coarse = float_of(0x74000000u - bits_of(unit));
        float ahead = -ray.along;
#pragma unroll
        for (int i = 2; i >= 0; i--) {
            ahead = fused(corner[i], ray.direction[i], ahead);
        }
        const float start = platform::most(ray.box_low(), fused(-coarse, ray.behind, ahead) * ray.inverse_square);
        // Near in the first half, far in the second.
        Halves offset[3];
#pragma unroll
        for (u32 i = 0; i < 3; i++) {
            const float place = corner[i] - fused(start, ray.direction[i], ray.origin[i]);
            const float inverse = ray.inverse[i] * unit;
            const float guard = ray.guard(inverse);
            offset[i] = platform::halves(fused(place, inverse, -guard), fused(place, inverse, guard));
        }
        // The inverse times 2^(2 - finer): the fields are 3 - finer, and are added to the exponents of halves.
        const Halves xy = platform::halves_of_bits(
            (platform::permute(head[0], head[1], 0x4400u) & 0x03000300u) * 4 + ray.factor_xy);
        const Halves z = platform::halves_of_bits((head[2] & 3u) * 0x04000000u + ray.near[0]);
        const Halves factor[3] = {platform::first_twice(xy), platform::second_twice(xy), platform::second_twice(z)};
        const float last = fused(ray.box_t(limit) - start, unit, ray.end_guard());
        const u32 end = bits_of(platform::halves(last, last));
        u32 hits = 0;
        [[maybe_unused]] u32 used = O.takes_any_ray() ? 0 : 0xffu;
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            Halves near[3], far[3];
#pragma unroll
            for (u32 i = 0; i < 3; i++) {
                const uint4& planes = chunk[1 + i];
                const u32 bytes = k == 0 ? planes.x : k == 1 ? planes.y : k == 2 ? planes.z : planes.w;
                near[i] = fused(platform::halves_of_bits(platform::permute(bytes, ray.near[i])), factor[i],
                                platform::first_twice(offset[i]));
                far[i] = fused(platform::halves_of_bits(platform::permute(bytes, 0x0101u ^ ray.near[i])), factor[i],
                               platform::second_twice(offset[i]));
            }
            // As integers (ALK12); three of them are one instruction on some GPUs.
            const u32 enter = platform::most_or_zero(near[0], near[1], near[2]);
            const u32 leave = platform::least_pairs(platform::least(far[0], far[1], far[2]), end);
            if constexpr (O.takes_any_ray()) {
                // A slot that is not used has its planes on the wrong sides, which boxes that grow may turn round.
                const u32 x = k == 0 ? chunk[1].x : k == 1 ? chunk[1].y : k == 2 ? chunk[1].z : chunk[1].w;
                used |= (x & 0xffu) <= (x >> 8 & 0xffu) ? 1u << 2 * k : 0;
                used |= (x >> 16 & 0xffu) <= x >> 24 ? 2u << 2 * k : 0;
            }
            hits |= platform::not_above(enter, leave) & (1u << (2 * k) | 0x10000u << (2 * k + 1));
        }
        RW_EVENT(VisitNode);
        hits = (hits | hits >> 16) & used;
        const u32 nodes = hits & chunk[0].w;
        return {chunk[0].w, nodes | (hits ^ nodes) << LEAVES};
    }

    static RW_FUNCTION void visit(const Launch& launch, Lane<O>& lane) {
        const u32 block = take_nearest(lane.work, lane.setup.order);
        const bool pushed = !is_empty(lane.work);
        if (pushed) {
            lane.push(lane.work);
        }
        lane.work = hit_group(launch, block, lane.setup, lane.found.limit);
        if (pushed) {
            RW_EVENT(VisitNodePush);
        }
        // A group of leaves has registers of its own (YKL17).
        if (lane.has_room()) {
            lane.postpone_leaf(split(lane.work));
        }
    }
};

}  // namespace raywarp
