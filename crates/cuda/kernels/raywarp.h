// Rays traced from inside a kernel: what a ray hits first, and whether anything is in its way. The one header that a kernel
// of somebody else's includes; what lies beside it is included from here.
//
//     #include "raywarp.h"
//
//     extern "C" __global__ void depths(raywarp::Tree tree, const raywarp::Ray* rays, float* depths, unsigned count) {
//         const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
//         if (i < count) {
//             depths[i] = raywarp::closest(tree, rays[i]).t;
//         }
//     }
//
// - Host: `DeviceScene::for_kernels` of the crate raywarp-cuda puts a tree into a device's memory, and `DeviceScene::tree`
//   gives the 72 bytes that are the argument `tree`. Kernels may run as long as the scene lives. Rays may be read from memory
//   as the Rust `Ray`, whose bytes they are.
// - Answers have the bits of the CPU's tracer, and no ray slips between triangles that share an edge or a vertex.
// - Compilers: nvcc 13.0, or NVRTC 12.0 to 13.0 without any other header, with `-std=c++20 -fmad=false`, for compute capability
//   7.5 and later. Products and sums are fused here where they say so: a compiler that fuses others gives other bits, and
//   rays at edges may be lost. What a kernel itself would have fused, it fuses by `__fmaf_rn`. Denormal numbers are not to be
//   flushed either (-use_fast_math), which is refused below.
// - Launches: blocks of any shape, whose warps need not be full; no shared memory, no barrier. A kernel that asks takes 1.4 KiB
//   of local memory a lane and some 130 registers: a block of over 384 threads needs __launch_bounds__ to start. 128 are good.
// - Rays that the tree's test cannot decide (they start farther from zero than twice its reach, `Tree::farthest`, have
//   extreme directions, or meet triangles that are extreme as they see them) are traced again within the same call, by a
//   slower test that knows no limits. The caller sees nothing of it.
// - Names: all are in the namespace `raywarp`; macros begin with RW_. What this file does not describe may change.
//
// Who calls together. Warps vote in the loops behind these functions, so that lanes walk side by side. A call without a mask
// is made by the lanes that come to it at once, as the hardware has it. Where a branch was taken before, they may be fewer
// than could be, and the others follow later. A mask says who calls together, and they wait for each other:
//
//     const unsigned callers = __ballot_sync(0xffffffff, wants);    // all lanes of the warp
//     if (wants) {
//         hit = raywarp::closest(tree, ray, callers);
//     }
//
// - `callers` are the lanes of the warp that make this very call: each of them makes it, with the same mask. Found by a vote
//   before the branch it is such a mask.
// - Other lanes of the warp may do anything meanwhile: have ended, or ask by a mask of their own.
//
// Other loops and trees. `closest<O>` and `any<O>` take `Options` (options.h) of the family under `supply = Supply::Caller`,
// but no packet, no lanes that share a ray and no words in place of a ray's interval; the tree is one of that kind. Under
// `sync = Sync::Implicit` lanes never wait for each other, and the mask is not looked at.
#pragma once

#if __cplusplus < 202002L
#error "raywarp.h is C++20: compile with -std=c++20"
#endif
#if defined(__CUDA_FTZ) && __CUDA_FTZ
#error "raywarp.h needs denormal numbers: compile without -use_fast_math and -ftz=true"
#endif

#include "walk.h"

namespace raywarp {

// An encoded tree and what lies beside it, where the device has it. The same words as `TreeRecord` in src/scene.rs.
struct Tree {
    const float4* nodes;
    const float4* triangles;
    const u32* slots;
    const uint2* ids;
    // 0 for a tree without triangles, which no ray hits.
    u32 node_count;
    float bounds[6];
    u32 grid;
    float farthest;
};
static_assert(sizeof(Tree) == 72, "must match src/scene.rs");

// Origin and t_min, direction and t_max. Distances are in lengths of the direction, which need not be 1. Hits count from
// t_min, which may be below 0, to t_max, which may be infinite, both included. A ray with a NaN, an origin or direction that
// is not finite, or no direction hits nothing.
struct Ray {
    float4 origin, direction;
};

// What a ray hits. The point is (1 - u - v) a + u b + v c of the triangle's corners. Of hits at one t the one of the lower
// instance and primitive counts.
struct Hit {
    // Of a miss the ray's t_max.
    float t;
    float u, v;
    // Of the scene's instances, and of the triangles of the instance's mesh; NONE for a miss.
    u32 instance, primitive;

    RW_FUNCTION bool is_hit() const { return primitive != NONE; }
};

struct AnyHit {
    // Something opaque is in the way.
    bool blocked;
    // Otherwise the nearest hit that is not opaque, if any: the caller decides, and may ask again after it. Where all triangles
    // are opaque there is none.
    Hit candidate;
};

// A tree of blocks (h8), and the loops that were the fastest for it where a lane has a ray.
RW_FUNCTION constexpr Options preferred_any() {
    Options options = preferred(TreeKind::H8, Query::Any);
    options.occlusion = Occlusion::Far;
    return options;
}
constexpr Options BEST_CLOSEST = preferred(TreeKind::H8, Query::Closest);
constexpr Options BEST_ANY = preferred_any();

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
template <Options O = BEST_CLOSEST>
    requires(!O.any_hit())
RW_FUNCTION Hit closest(const Tree& tree, const Ray& ray, LaneMask callers, const After& after = {}) {
    const Answer found = walk<O>(launch_of(tree), ray.origin, ray.direction, callers, after);
    return {found.t, found.u, found.v, found.instance, found.primitive};
}

// The same by the lanes that come here at once. `site` is for checks on a CPU alone.
template <Options O = BEST_CLOSEST>
    requires(!O.any_hit())
RW_FUNCTION Hit closest(const Tree& tree, const Ray& ray, const After& after = {},
                        platform::Site site = platform::Site::here()) {
    return closest<O>(tree, ray, platform::running_together(site), after);
}

// Whether anything opaque is in the way after `after`, and if not, what else.
template <Options O = BEST_ANY>
    requires(O.any_hit())
RW_FUNCTION AnyHit any(const Tree& tree, const Ray& ray, LaneMask callers, const After& after = {}) {
    const Answer found = walk<O>(launch_of(tree), ray.origin, ray.direction, callers, after);
    return {found.blocked, {found.t, found.u, found.v, found.instance, found.primitive}};
}

// The same by the lanes that come here at once. `site` is for checks on a CPU alone.
template <Options O = BEST_ANY>
    requires(O.any_hit())
RW_FUNCTION AnyHit any(const Tree& tree, const Ray& ray, const After& after = {},
                       platform::Site site = platform::Site::here()) {
    return any<O>(tree, ray, platform::running_together(site), after);
}

}  // namespace raywarp
