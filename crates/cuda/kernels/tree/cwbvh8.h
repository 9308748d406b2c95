// The compressed eight-child node (Ylitie, Karras and Laine 2017), 80 bytes: groups of nodes in octant order,
// and groups of triangles. As raywarp-traverse's tree/cwbvh8.rs.
#pragma once

#include "byte_grid.h"
#include "slab_tree.h"

namespace raywarp {

// What a visit of a compressed node found.
struct GroupVisit {
    // What remains of the group that led here, the node's own hit children, and its hit triangles; their y is
    // below 2^24, 2^24 or 0 where there are none.
    Group rest, nodes, triangles;
};

// A group of nodes: index of the first inner child of their parent; bits 24 to 31 the slots to be visited, the
// nearest one highest; bits 0 to 7 the slots that are nodes. A group of triangles: first record; bits 0
// to 23 the records.
template <Options O>
struct Cwbvh8 : SlabTree<O> {
    using Entry = Group;

    static constexpr u32 DEPTH = STACK_DEPTH;
    // What is left to do besides groups: like none of theirs.
    static constexpr Entry POP{0, 0x40000000u}, DONE{1, 0x40000000u};
    // No triangles.
    static constexpr Entry NOTHING{0, 0};

    static RW_FUNCTION bool is_pop(Entry e) { return e.y == POP.y && e.x == POP.x; }
    static RW_FUNCTION bool is_done(Entry e) { return e.y == DONE.y && e.x == DONE.x; }
    static RW_FUNCTION bool is_inner(Entry e) { return e.y >= 0x01000000u && e.y != POP.y; }
    static RW_FUNCTION bool is_leaf(Entry e) { return e.y - 1 < 0x00ffffffu; }
    static RW_FUNCTION u32 take_record(Entry& leaf) {
        const u32 bit = platform::lowest_bit(leaf.y);
        leaf.y &= leaf.y - 1;
        return leaf.x + bit;
    }
    static RW_FUNCTION u32 word(Entry e, u32 i) { return i == 0 ? e.x : e.y; }
    static RW_FUNCTION Entry of_words(u32 x, u32 y) { return {x, y}; }
    static RW_FUNCTION Entry root(const Launch& launch, const LaneRay<O>& ray) {
        return launch.node_count != 0 ? Entry{0, 1u << (24 + inverse_octant(ray)) | 1u} : DONE;
    }

    // 7 less the octant that the ray comes from: xor it to a slot, and the nearest is the highest; or the farthest, if an
    // any-hit ray wants that first.
    static RW_FUNCTION u32 inverse_octant(const LaneRay<O>& ray) {
        const float3x& inverse = ray.slab.inverse;
        const u32 octant =
            (inverse.x < 0.0f ? 0u : 4u) | (inverse.y < 0.0f ? 0u : 2u) | (inverse.z < 0.0f ? 0u : 1u);
        return O.any_hit() && O.occlusion == Occlusion::Far ? 7u ^ octant : octant;
    }

    static RW_FUNCTION GroupVisit hit_groups(const Launch& launch, Entry group, const LaneRay<O>& ray, float t_max) {
        using platform::bits_of;
        using platform::fused;
        const u32 octant = inverse_octant(ray);
        const u32 bit = platform::highest_bit(group.y);
        group.y ^= 1u << bit;
        const u32 slot = (bit - 24) ^ octant;
        const u32 index = group.x + platform::population(group.y & 0xffu & ((1u << slot) - 1));
        const float4* node = launch.nodes + static_cast<u64>(index) * 5;
        const float4 head = platform::load4(node), links = platform::load4(node + 1), q0 = platform::load4(node + 2),
                     q1 = platform::load4(node + 3), q2 = platform::load4(node + 4);
        const u32 exponents = bits_of(head.w);
        const Slab& s = ray.slab;
        const ByteGrid grid = byte_grid(s, head);
        const float3x &step = grid.step, &lo = grid.lo, &hi = grid.hi;
        const bool down_x = s.inverse.x < 0.0f, down_y = s.inverse.y < 0.0f, down_z = s.inverse.z < 0.0f;
        const float3x near{down_x ? hi.x : lo.x, down_y ? hi.y : lo.y, down_z ? hi.z : lo.z};
        const float3x far{down_x ? lo.x : hi.x, down_y ? lo.y : hi.y, down_z ? lo.z : hi.z};
        const float low = box_low(ray), high = box_distance(ray, t_max);
        const u32 octant4 = octant * 0x01010101u;
        const u32 power = launch.grid << 23;
        auto byte = [&](u32 word, u32 i) { return platform::byte_as_float(word, i, power); };
        u32 hits = 0;
#pragma unroll
        for (u32 half = 0; half < 2; half++) {
            const u32 meta = bits_of(half == 0 ? links.z : links.w);
            const u32 lx = bits_of(half == 0 ? q0.x : q0.y), ly = bits_of(half == 0 ? q0.z : q0.w);
            const u32 lz = bits_of(half == 0 ? q1.x : q1.y), hx = bits_of(half == 0 ? q1.z : q1.w);
            const u32 hy = bits_of(half == 0 ? q2.x : q2.y), hz = bits_of(half == 0 ? q2.z : q2.w);
            // Planes that a ray meets first: on an axis the lower ones, or where it goes down the upper ones. Either way
            // they are in order, so that no minimum is needed.
            const u32 near_x = down_x ? hx : lx, near_y = down_y ? hy : ly, near_z = down_z ? hz : lz;
            const u32 far_x = down_x ? lx : hx, far_y = down_y ? ly : hy, far_z = down_z ? lz : hz;
            // Nodes have an offset of 24 or more, to which the octant is applied; four slots at once.
            const u32 inner = (meta & meta << 1 & 0x10101010u) >> 4;
            const u32 offsets = (meta ^ (octant4 & inner * 0xffu)) & 0x1f1f1f1fu;
            const u32 unary = meta >> 5 & 0x07070707u;
#pragma unroll
            for (u32 i = 0; i < 4; i++) {
                using platform::least;
                using platform::most;
                const float enter = most(most(most(low, fused(byte(near_x, i), step.x, near.x)),
                                              fused(byte(near_y, i), step.y, near.y)),
                                         fused(byte(near_z, i), step.z, near.z));
                const float leave = least(least(least(high, fused(byte(far_x, i), step.x, far.x)),
                                                fused(byte(far_y, i), step.y, far.y)),
                                          fused(byte(far_z, i), step.z, far.z));
                // A slot without a child has no bits. The last offset by a shift: with another byte the compiler makes it
                // branches and 40 instructions more.
                if (enter <= leave) {
                    hits |= platform::byte(unary, i) << (i == 3 ? offsets >> 24 : platform::byte(offsets, i));
                }
            }
        }
        RW_EVENT(VisitNode);
        return {group,
                {bits_of(links.x), (hits & 0xff000000u) | exponents >> 24},
                {bits_of(links.y), hits & 0x00ffffffu}};
    }

    static RW_FUNCTION void visit(const Launch& launch, Lane<O>& lane) {
        const GroupVisit visit = hit_groups(launch, lane.work, lane.setup, lane.found.limit);
        if (visit.rest.y >= 0x01000000u) {
            lane.push(visit.rest);
            RW_EVENT(VisitNodePush);
        }
        const bool has_nodes = visit.nodes.y >= 0x01000000u;
        bool has_triangles = visit.triangles.y != 0;
        // A group of triangles has registers of its own where leaves can be put aside (YKL17).
        if constexpr (Lane<O>::ROOM > 0) {
            if (has_triangles && lane.has_room()) {
                lane.postpone_leaf(visit.triangles);
                has_triangles = false;
            }
        }
        if (has_triangles && has_nodes) {
            lane.push(visit.nodes);
            RW_EVENT(VisitNodePush);
        }
        lane.work = has_triangles ? visit.triangles : has_nodes ? visit.nodes : POP;
    }
};

}  // namespace raywarp
