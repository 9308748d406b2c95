// What a variant is, for the compiler: names and values of the crate raywarp-family.
#pragma once

#include "platform/platform.h"

namespace raywarp {

// Caller: a ray that another kernel asks with (raywarp.h).
enum class Supply { Direct, Persistent, Replace, Queue, Caller };
enum class Organisation { Packet, WhileWhile, IfIf, SpeculativeWhileWhile, SpeculativeIfIf, IfWhile, Phased };
enum class TreeKind { Bvh2, Wide4, WideN, Cwbvh8, H8, Qbvh4 };  // A new one at the end: numbers are in names of prebuilt functions.
enum class Query { Closest, Any };
enum class BoxTest { Float, Integer };
enum class BoxPlanes { Padded, Plain };
enum class Fetch { Once, Needed };
enum class LeafLoop { Flat, Nested };
enum class Occlusion { Sorted, Unsorted, Far };
enum class ChildOrder { Nearest, Network5, Network6, LowBits };
enum class Sync { Voted, Implicit };
enum class TriangleTest { Woop, MoellerTrumbore, Watertight, Pair };
// What the fourth words of a ray's two chunks are: t_min and t_max; whatever the asker keeps there, and t_max, for rays that
// begin at 0; or both the asker's, for rays from 0 to infinity.
enum class Interval { Given, FromZero, Unbounded };

constexpr u32 UNLIMITED = 0xffffffffu;
// Values of `refill` and `batch` that are no number.
constexpr u32 LOST = 0xffffffffu;
constexpr u32 EXACT = 0;

// By name: `Options{.supply = ..., .organisation = ..., .tree = ..., .query = ..., .refill = 80}`. What is left out is
// what it is in direct/while-while/bvh2.
struct Options {
    Supply supply;
    Organisation organisation;
    TreeKind tree;
    Query query;
    u32 batch = 3;
    BoxTest box = BoxTest::Float;
    u32 branching = 1;
    u32 every = 1;
    Fetch fetch = Fetch::Once;
    LeafLoop leaves = LeafLoop::Flat;
    Occlusion occlusion = Occlusion::Sorted;
    ChildOrder order = ChildOrder::Nearest;
    BoxPlanes planes = BoxPlanes::Padded;
    u32 postpone = 0;
    u32 refill = 60;
    u32 rounds = UNLIMITED;
    u32 share = 20;
    Sync sync = Sync::Voted;
    TriangleTest triangle = TriangleTest::Woop;
    u32 unroll = 1;
    u32 step = 56;
    u32 test = 56;
    Interval interval = Interval::Given;
    // What pairs cannot decide is traced by the fallback; otherwise it is missed.
    bool has_fallback = true;

    RW_FUNCTION constexpr bool any_hit() const { return query == Query::Any; }
    RW_FUNCTION constexpr bool unsorted() const { return any_hit() && occlusion == Occlusion::Unsorted; }
    // Of trees of blocks: their pairs are for most rays and triangles, and leave others to this, the fallback (BEYOND).
    RW_FUNCTION constexpr bool takes_any_ray() const {
        return tree == TreeKind::H8 && triangle == TriangleTest::Watertight;
    }
    RW_FUNCTION constexpr bool may_leave_undecided() const { return triangle == TriangleTest::Pair && has_fallback; }
    // Lanes that share a ray: as many as a node has children where each tests one of them, otherwise 1.
    RW_FUNCTION constexpr u32 lanes_per_ray() const { return branching; }
    // Rays of a warp.
    RW_FUNCTION constexpr u32 width() const { return WARP / lanes_per_ray(); }
};

}  // namespace raywarp
