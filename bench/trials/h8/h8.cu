// The kernels of the h8 tree: phased, on 32-bit words of memory as crates/layout and crates/geom lay them out.
//
// rays: two 16-byte words each, `ox oy oz t_min`, `dx dy dz t_max`. hits: `t u v triangle`, a triangle's index or
// 0xffffffff with t_max. blocked: a bit a ray, cleared before. counter: one word, cleared before (not read by
// h8_closest_direct). Triangles count as opaque. Stack: STACK_ENTRIES; ask the tree's stack_depth first.
// Launch: 128 threads; h8_closest_direct with ceil(ray_count / 128) blocks, the others with as many as fit at once.
#include "schedule/phased.h"

// Chosen by trials on an H200: docs/performance.md.
constexpr PhasedRules CLOSEST = {6, 20, 20, true, false, 1};
constexpr PhasedRules CLOSEST_DIRECT = {32, 24, 12, true, true, 1};
constexpr PhasedRules ANY = {8, 20, 16, true, false, 1};

extern "C" __global__ void __launch_bounds__(128, 9)
h8_closest(const H8Tree tree, const float4* __restrict__ rays, uint32_t ray_count, uint32_t* counter, float4* hits) {
    phased<false, CLOSEST>(tree, rays, ray_count, counter, hits, nullptr);
}

// For coherent rays, such as those through pixels: warps begin and end with their rays.
extern "C" __global__ void __launch_bounds__(128, 8)
h8_closest_direct(const H8Tree tree, const float4* __restrict__ rays, uint32_t ray_count, uint32_t* counter, float4* hits) {
    phased<false, CLOSEST_DIRECT>(tree, rays, ray_count, counter, hits, nullptr);
}

extern "C" __global__ void __launch_bounds__(128, 9)
h8_any(const H8Tree tree, const float4* __restrict__ rays, uint32_t ray_count, uint32_t* counter, uint32_t* blocked) {
    phased<true, ANY>(tree, rays, ray_count, counter, nullptr, blocked);
}
