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
    int postpone;  // 1, 2: a lane walks on with one group of leaves put aside; 2: and puts the next there once it can
    bool direct;   // one ray a lane instead of persistent warps; refill is 32 then
    int unroll;    // nodes that a lane visits between two votes
};

// What a lane found.
struct Found {
    float u, v;
    uint32_t index;
};

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
    float scale = 1.0f;
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
                    if (!ANY && number != NO_RAY) hits[number] = make_float4(ray.limit * scale, found.u, found.v, as_float(found.index));
                    number = first + __popc(idle & ((1u << lane) - 1));
                    if (number < ray_count) {
                        scale = setup_ray(ray, __ldg(rays + 2 * size_t(number)), __ldg(rays + 2 * size_t(number) + 1), tree);
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
                if (at.bits == 0) {
                    const uint2 entry = stack[--depth];
                    at = {entry.x, entry.y};
                }
            }
        }
        for (;;) {
            const bool ready = RULES.postpone == 2 ? aside.bits != 0 : at.bits > 0xffu || (RULES.postpone && aside.bits != 0);
            const int count = __popc(__ballot_sync(FULL_WARP, ready));
            if (count == 0) break;
            if (ready) {
                const bool first = RULES.postpone == 2 || (RULES.postpone && aside.bits != 0);
                H8Group group = first ? aside : H8Group{at.word, at.bits >> 8};
                const uint32_t block = take_leaf(group);
                if (first) {
                    aside.bits = group.bits;
                    if (RULES.postpone == 2 && group.bits == 0 && at.bits > 0xffu) {
                        aside = {at.word, at.bits >> 8};
                        at.bits &= 0xffu;
                        if (at.bits == 0) {
                            const uint2 entry = stack[--depth];
                            at = {entry.x, entry.y};
                        }
                    }
                } else {
                    at.bits = (at.bits & 0xffu) | group.bits << 8;
                    if (at.bits == 0) {
                        const uint2 entry = stack[--depth];
                        at = {entry.x, entry.y};
                    }
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
    if (!ANY && number != NO_RAY) hits[number] = make_float4(ray.limit * scale, found.u, found.v, as_float(found.index));
}
