// Rays that other kernels ask with: `closest` and `any`, inlined. A lane has one ray, and gets what it hits in registers.
//
//     const LaneMask callers = platform::ballot_sync(EVERYONE, wants);
//     if (wants) {
//         constexpr Options BEST = preferred(TreeKind::H8, Query::Closest);
//         const query::Hit hit = query::closest<BEST>(tree, ray, callers);
//     }
//
// What callers guarantee:
// - `callers` are the lanes of the warp that make this very call together: each of them makes it, with the same mask.
//   They may come one after the other, since votes wait for all of them. Found by a vote before the branch it is such a
//   mask; `platform::active_mask` is not, since it says who runs together by chance.
// - Other lanes of the warp may do anything meanwhile: have ended, or ask by a mask of their own.
// - The tree is of the kind that the options name, encoded as for a variant with the same tree and triangle test, and its
//   stack fits the tree's DEPTH.
//
// Under `sync = Sync::Implicit` lanes never wait for each other, and `callers` is not looked at. The stack of a call lies
// in the lane's local memory. The options are those of a kernel of the family under `supply = Supply::Caller`, but no
// packet, no lanes that share a ray and no words in place of a ray's interval.
#pragma once

#include "kernel.h"
#include "walk.h"

namespace raywarp::query {

// The encoded tree and what lies beside it: those members of `Launch`, for the parameters of other kernels.
struct Tree {
    const float4* nodes;
    const float4* triangles;
    const u32* slots;
    const uint2* ids;
    u32 node_count;
    float bounds[6];
    u32 grid;
    float farthest;
};

// Origin and t_min, direction and t_max.
struct Ray {
    float4 origin, direction;
};

// As in memory: a miss has the ray's t_max, and NONE for its numbers.
struct Hit {
    float t, u, v;
    u32 instance, primitive;

    RW_FUNCTION bool is_hit() const { return primitive != NONE; }
};

struct Occlusion {
    // Something opaque is in the way.
    bool blocked;
    // Otherwise the nearest hit that is not opaque, if any: the caller decides, and may ask again after it.
    Hit candidate;
};

// A launch of this tree, without rays.
RW_FUNCTION Launch launch_of(const Tree& tree) {
    Launch launch{};
    launch.nodes = tree.nodes;
    launch.triangles = tree.triangles;
    launch.slots = tree.slots;
    launch.ids = tree.ids;
    launch.node_count = tree.node_count;
#pragma unroll
    for (u32 i = 0; i < 6; i++) {
        launch.bounds[i] = tree.bounds[i];
    }
    launch.grid = tree.grid;
    launch.farthest = tree.farthest;
    return launch;
}

// The nearest hit after `after`, opaque or not.
template <Options O>
    requires(!O.any_hit())
RW_FUNCTION Hit closest(const Tree& tree, const Ray& ray, LaneMask callers, const After& after = {}) {
    const Answer found = walk<O>(launch_of(tree), ray.origin, ray.direction, callers, after);
    return {found.t, found.u, found.v, found.instance, found.primitive};
}

// Whether anything opaque is in the way after `after`, and if not, what else.
template <Options O>
    requires(O.any_hit())
RW_FUNCTION Occlusion any(const Tree& tree, const Ray& ray, LaneMask callers, const After& after = {}) {
    const Answer found = walk<O>(launch_of(tree), ray.origin, ray.direction, callers, after);
    return {found.blocked, {found.t, found.u, found.v, found.instance, found.primitive}};
}

}  // namespace raywarp::query
