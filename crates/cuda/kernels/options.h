// What a variant is, for the compiler: names and values of the crate raywarp-family.
#pragma once

#include "platform/platform.h"

namespace raywarp {

enum class Supply { Direct, Persistent, Replace, Queue };
enum class Organisation { Packet, WhileWhile, IfIf, SpeculativeWhileWhile, SpeculativeIfIf, IfWhile, Phased };
enum class TreeKind { Bvh2, Wide4, WideN, Cwbvh8, H8 };
enum class Query { Closest, Any };
enum class BoxTest { Float, Integer };
enum class BoxPlanes { Padded, Plain };
enum class Fetch { Once, Needed };
enum class LeafLoop { Flat, Nested };
enum class Occlusion { Sorted, Unsorted, Far };
enum class ChildOrder { Nearest, Network5, Network6, LowBits };
enum class Sync { Voted, Implicit };
enum class TriangleTest { Woop, MoellerTrumbore, Watertight, Pair };

constexpr u32 UNLIMITED = 0xffffffffu;
// Values of `refill` and `batch` that are no number.
constexpr u32 LOST = 0xffffffffu;
constexpr u32 EXACT = 0;

struct Options {
    Supply supply;
    Organisation organisation;
    TreeKind tree;
    Query query;
    u32 batch;
    BoxTest box;
    u32 branching;
    u32 every;
    Fetch fetch;
    LeafLoop leaves;
    Occlusion occlusion;
    ChildOrder order;
    BoxPlanes planes;
    u32 postpone;
    u32 refill;
    u32 rounds;
    u32 share;
    Sync sync;
    TriangleTest triangle;
    u32 unroll;
    u32 step;
    u32 test;

    RW_FUNCTION constexpr bool any_hit() const { return query == Query::Any; }
    RW_FUNCTION constexpr bool unsorted() const { return any_hit() && occlusion == Occlusion::Unsorted; }
    // Lanes that share a ray.
    RW_FUNCTION constexpr u32 lanes_per_ray() const { return tree == TreeKind::WideN ? branching : 1; }
    // Rays of a warp.
    RW_FUNCTION constexpr u32 width() const { return WARP / lanes_per_ray(); }
};

}  // namespace raywarp
