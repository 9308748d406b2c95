// phased: each kind of step runs while it fills the warp.
//
// Source: ours; crates/traverse/src/schedule/phased.rs is the same loop. Supply: replace, exactly the idle lanes.
//   while ray not terminated
//       while enough of the live lanes have a group of nodes:  visit its nearest node
//       do test the triangles of a leaf  while enough lanes have a leaf
#pragma once
#include "../tree/h8.h"

constexpr uint32_t FULL_WARP = 0xffffffffu;
constexpr uint32_t NO_RAY = 0xffffffffu;
constexpr uint32_t NO_HIT = 0xffffffffu;
constexpr uint32_t INDEX_MASK = 0x3fffffffu;

// Entries of a lane's stack; the tree's stack_depth says whether it is enough. One more is the sentinel.
constexpr int STACK_ENTRIES = 31;

// Lanes of 32, chosen by trials on an H200: docs/performance.md.
struct PhasedRules {
    int refill;    // idle lanes that are worth a fetch
    int step;      // lanes that must be able to visit a node, of 32 that live
    int test;      // lanes that must have a leaf for another test
    bool postpone; // whether a lane walks on with one group of leaves put aside
    bool direct;   // one ray a lane instead of persistent warps; refill is 32 then
    int unroll;    // nodes that a lane visits between two votes
};

// What a lane found.
struct Found {
    float u, v;
    uint32_t index;
};

// The next group; below the stack lies an empty one.
__device__ __forceinline__ void pop(H8Group& at, const uint2* stack, uint32_t& depth) {
    const uint2 entry = stack[--depth];
    at = {entry.x, entry.y};
}

template <bool ANY, PhasedRules RULES>
__device__ __forceinline__ void phased(const H8Tree tree, const float4* __restrict__ rays, uint32_t ray_count,
                                       uint32_t* __restrict__ counter, float4* __restrict__ hits, uint32_t* __restrict__ blocked) {
    uint2 stack[STACK_ENTRIES + 1];
    stack[0] = make_uint2(0, 0);
    H8Ray ray;
    Found found;
    H8Group at = {0, 0};     // nodes in bits 0..8, leaves in bits 8..16
    H8Group aside = {0, 0};  // leaves
    uint32_t depth = 0, number = NO_RAY;
    bool dry = false;
    const uint32_t lane = threadIdx.x & 31;
    for (;;) {
        const uint32_t idle = __ballot_sync(FULL_WARP, (at.bits | aside.bits) == 0);
        if (__popc(idle) >= RULES.refill) {
            if (!dry) {
                uint32_t first = 0;
                if (RULES.direct) {
                    first = blockIdx.x * blockDim.x + (threadIdx.x & ~31u);
                    dry = true;
                } else {
                    if (lane == 0) first = atomicAdd(counter, __popc(idle));
                    first = __shfl_sync(FULL_WARP, first, 0);
                    dry = first + __popc(idle) >= ray_count;
                }
                if (idle >> lane & 1) {
                    if (!ANY && number != NO_RAY) hits[number] = make_float4(unscaled(ray, ray.limit), found.u, found.v, as_float(found.index));
                    number = first + __popc(idle & ((1u << lane) - 1));
                    if (number < ray_count) {
                        setup_ray(ray, __ldg(rays + 2 * size_t(number)), __ldg(rays + 2 * size_t(number) + 1), tree);
                        found = {0.0f, 0.0f, NO_HIT};
                        at = {0x01000000u, 1};
                        depth = 1;
                    } else {
                        number = NO_RAY;
                    }
                }
            } else if (idle == FULL_WARP) {
                break;
            }
        }
        const int live = 32 - __popc(__ballot_sync(FULL_WARP, (at.bits | aside.bits) == 0));
        const int enough = max((live * RULES.step + 31) / 32, 1);
        for (;;) {
            const bool ready = at.bits - 1 < 0xffu;
            if (__popc(__ballot_sync(FULL_WARP, ready)) < enough) break;
#pragma unroll
            for (int i = 0; i < RULES.unroll; i++) {
                if (at.bits - 1 >= 0xffu) continue;
                const uint32_t block = take_nearest(at, ray.order);
                if (at.bits) stack[depth++] = make_uint2(at.word, at.bits);
                const H8Group hit = visit_node(ray, tree, block);
                const uint32_t nodes = hit.bits & (hit.word >> 24);
                uint32_t leaves = hit.bits ^ nodes;
                if (RULES.postpone && aside.bits == 0) {
                    aside = {hit.word, leaves};
                    leaves = 0;
                }
                at = {hit.word, nodes | leaves << 8};
                if (at.bits == 0) pop(at, stack, depth);
            }
        }
        for (;;) {
            // With room aside nobody has leaves elsewhere without some there.
            const bool ready = RULES.postpone ? aside.bits != 0 : at.bits > 0xffu;
            const int count = __popc(__ballot_sync(FULL_WARP, ready));
            if (count == 0) break;
            if (ready) {
                uint32_t block;
                if (RULES.postpone) {
                    block = take_leaf(aside);
                    if (aside.bits == 0 && at.bits > 0xffu) {
                        // Whoever stood at a second group puts it aside, and can walk on.
                        aside = {at.word, at.bits >> 8};
                        at.bits &= 0xffu;
                        if (at.bits == 0) pop(at, stack, depth);
                    }
                } else {
                    H8Group leaves = {at.word, at.bits >> 8};
                    block = take_leaf(leaves);
                    at.bits = (at.bits & 0xffu) | leaves.bits << 8;
                    if (at.bits == 0) pop(at, stack, depth);
                }
                bool is_blocked = false;
                test_pair(ray, tree, block, [&](const H8Candidate& candidate) {
                    if (!(ray.t_min <= candidate.t && candidate.t <= ray.limit)) return;
                    const uint32_t index = candidate.word & INDEX_MASK;
                    if (ANY) {
                        is_blocked = true;
                    } else if (found.index == NO_HIT || candidate.t < ray.limit || index < found.index) {
                        ray.limit = candidate.t;
                        found = {candidate.u, candidate.v, index};
                    }
                });
                if (ANY && is_blocked) {
                    atomicOr(blocked + (number >> 5), 1u << (number & 31));
                    at.bits = aside.bits = 0;
                }
            }
            if (count < RULES.test) break;
        }
    }
    if (!ANY && number != NO_RAY) hits[number] = make_float4(unscaled(ray, ray.limit), found.u, found.v, as_float(found.index));
}
