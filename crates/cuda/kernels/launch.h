// What a kernel is given. The same fields in the same order as `Launch` in src/launch.rs.
#pragma once

#include "platform/platform.h"

namespace raywarp {

// Entries of a stack; a tree that needs more is refused.
constexpr u32 STACK_DEPTH = 128;
// Warps of a block.
constexpr u32 BLOCK_WARPS = 4;
// The ray of a lane without one, and the index of a miss.
constexpr u32 NONE = 0xffffffffu;
// In place of what a ray found: the test cannot decide it (options.h, `may_leave_undecided`).
constexpr u32 BEYOND = 0xfffffffeu;
// A slot's word: the triangle's index and whether it may let rays through.
constexpr u32 NON_OPAQUE = 0x80000000u;

struct Launch {
    // The encoded tree and the triangle records, 16-byte chunks.
    const float4* nodes;
    const float4* triangles;
    // For each record the index of its triangle, with NON_OPAQUE.
    const u32* slots;
    // For each triangle its instance and its number in the mesh.
    const uint2* ids;
    // Two chunks a ray: origin and t_min, direction and t_max, or what the options say is in their places.
    const float4* rays;
    // Null, or three words a ray: t, instance, primitive that hits come after.
    const u32* after;
    // t, u, v, primitive. For any-hit rays the first candidate that is not opaque, where there is one.
    float4* hits;
    // Null, or one a ray.
    u32* instances;
    // Any-hit: a bit a ray, zero at the start.
    u32* blocked;
    u32* undecided;
    // The next ray of the global pool.
    u32* counter;
    // Rays that could not hit anything.
    u32* invalid;
    // Stacks of rays that may be parked: entry by entry, warp by warp.
    uint2* stacks;
    u32 ray_count;
    // 0 for a tree without triangles.
    u32 node_count;
    float bounds[6];
    // h8: the bits of 2^-53 over the grid's step, and the largest coordinate of the bounds; of boxes in bytes: the
    // exponent bits of 2^23.
    u32 grid;
    float farthest;
    // How many rays a kernel has left to the fallback (options.h, `may_leave_undecided`): their hits have BEYOND for a
    // primitive. The fallback kernel, which takes any ray, traces those, or all where this is null.
    u32* fallback_count;
};

}  // namespace raywarp
