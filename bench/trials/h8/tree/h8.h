// The tree of 64-byte blocks: eight boxes in bytes, tested in packed halves, and pairs of triangles.
//
// Source: ours; layout, arithmetic and why no box is missed: crates/layout/src/h8. Every operation here is the one
// that stands there, so that both find the same bits. What the compiler may contract is written as an intrinsic.
#pragma once
#include <cstdint>
#include <cuda_fp16.h>

// A tree as kernels take it.
struct H8Tree {
    const uint4* blocks; // 64-byte aligned
    uint32_t unit_base;  // bits of 2^-53 / grid step, whose exponent may be out of range by itself
    float farthest;      // largest coordinate of the bounds
};

constexpr float H8_LEAST_COMPONENT = 6.25e-5f;
constexpr float H8_GUARD = 1.1920928955078125e-7f;      // 2^-23
constexpr float H8_START_SLACK = 9.5367431640625e-7f;   // 2^-20

constexpr float H8_LEAST_AREA = 7.52316384526264e-37f;  // 2^-120
constexpr float H8_LARGEST_AREA = 1.329227995784916e36f; // 2^120

// What nodes and pairs need of a ray. Directions and t are scaled by a power of two, see setup_ray.
struct H8Ray {
    float origin[3], direction[3];
    float inverse[3];           // of the direction, clamped
    uint32_t factor_xy;         // half of that of x and y, as halves
    float along, behind, inverse_square;
    float t_min, limit;
    // PRMT selectors: the bytes of the near planes of two slots as two denormal halves. Only their lower halves select;
    // the upper half of the first is half the inverse of z as a half.
    uint32_t near[3];
    // Slots to prefer by x, y, z: a byte each, the first in the lowest; and the exponent of what t was scaled by.
    uint32_t order;
};

// Children of one node that are yet to be visited or tested: word 3 of the node, and bits of slots.
struct H8Group {
    uint32_t word, bits;
};

__device__ __forceinline__ uint32_t prmt(uint32_t a, uint32_t b, uint32_t selector) {
    uint32_t result;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(selector));
    return result;
}

__device__ __forceinline__ uint32_t prmt(uint32_t a, uint32_t selector) {
    uint32_t result; // The intrinsic would mask the selector first.
    asm("prmt.b32 %0, %1, 0, %2;" : "=r"(result) : "r"(a), "r"(selector));
    return result;
}

__device__ __forceinline__ float as_float(uint32_t bits) { return __uint_as_float(bits); }
__device__ __forceinline__ uint32_t as_bits(float x) { return __float_as_uint(x); }
__device__ __forceinline__ uint32_t as_bits(__half2 x) { return *reinterpret_cast<uint32_t*>(&x); }
__device__ __forceinline__ __half2 as_halves(uint32_t bits) { return *reinterpret_cast<__half2*>(&bits); }

__device__ __forceinline__ float dot(const float* a, const float* b) {
    return __fmaf_rn(a[0], b[0], __fmaf_rn(a[1], b[1], __fmul_rn(a[2], b[2])));
}

__device__ __forceinline__ void cross(const float* a, const float* b, float* out) {
    out[0] = __fmaf_rn(a[1], b[2], -__fmul_rn(a[2], b[1]));
    out[1] = __fmaf_rn(a[2], b[0], -__fmul_rn(a[0], b[2]));
    out[2] = __fmaf_rn(a[0], b[1], -__fmul_rn(a[1], b[0]));
}

// 1 / x, correctly rounded, for x within 2^-120..2^120: what the compiler's own does without looking for others.
__device__ __forceinline__ float reciprocal(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return __fmaf_rn(y, -__fmaf_rn(x, y, -1.0f), y);
}

// Four loads; chunk k of block i stands at place k ^ (i & 3), so that lanes touch all banks.
__device__ __forceinline__ void load_block(const uint4* blocks, uint32_t index, uint4 out[4]) {
    const uint32_t at = index * 64 + (index & 3) * 16; // of at most 2^24 blocks: fits 32 bits
    const uintptr_t first = reinterpret_cast<uintptr_t>(blocks) + at;
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) out[k] = __ldg(reinterpret_cast<const uint4*>(first ^ (k * 16)));
}

// Prepares a ray: two 16-byte words of memory, origin and t_min, direction and t_max.
__device__ __forceinline__ void setup_ray(H8Ray& ray, float4 a, float4 b, const H8Tree& tree) {
    const float o[3] = {a.x, a.y, a.z}, d[3] = {b.x, b.y, b.z};
    const float longest = fmaxf(fmaxf(fabsf(d[0]), fabsf(d[1])), fabsf(d[2]));
    const uint32_t exponent = min(max(as_bits(longest) >> 23, 1u), 253u) << 23;
    const float scale = as_float(0x7f000000u - exponent), unscale = as_float(exponent);
    float product[3], negative[3];
#pragma unroll
    for (int i = 0; i < 3; i++) {
        const float s = __fmul_rn(d[i], scale);
        const bool backward = as_bits(s) >> 31;
        ray.origin[i] = o[i];
        ray.direction[i] = s;
        ray.inverse[i] = copysignf(reciprocal(fmaxf(fabsf(s), H8_LEAST_COMPONENT)), s);
        ray.near[i] = backward ? 0x4341u : 0x4240u;
        product[i] = __fmul_rn(o[i], s);
        negative[i] = backward ? -s : 0.0f;
    }
    ray.factor_xy = as_bits(__floats2half2_rn(__fmul_rn(0.5f, ray.inverse[0]), __fmul_rn(0.5f, ray.inverse[1])));
    const float size = __fadd_rn(__fadd_rn(__fadd_rn(fabsf(product[0]), fabsf(product[1])), fabsf(product[2])),
                                 __fmul_rn(16.0f, tree.farthest));
    ray.along = __fmaf_rn(size, H8_START_SLACK, __fadd_rn(__fadd_rn(product[0], product[1]), product[2]));
    ray.behind = __fmul_rn(256.0f, __fadd_rn(__fadd_rn(negative[0], negative[1]), negative[2]));
    ray.inverse_square = reciprocal(dot(ray.direction, ray.direction));
    ray.t_min = __fmul_rn(a.w, unscale);
    ray.limit = __fmul_rn(b.w, unscale);
    const uint32_t by_x = ray.near[0] & 1 ? 0xf0u : 0x0fu, by_y = ray.near[1] & 1 ? 0xccu : 0x33u;
    const uint32_t by_z = ray.near[2] & 1 ? 0xaau : 0x55u;
    ray.order = by_x | by_y << 8 | by_z << 16 | exponent << 1;
    ray.near[0] |= as_bits(__floats2half2_rn(0.0f, __fmul_rn(0.5f, ray.inverse[2])));
}

// t in lengths of the given direction.
__device__ __forceinline__ float unscaled(const H8Ray& ray, float t) {
    return __fmul_rn(t, as_float(0x7f000000u - (ray.order >> 24 << 23)));
}

// Takes the nearest node of a group, of which there is one: its block.
__device__ __forceinline__ uint32_t take_nearest(H8Group& group, uint32_t order) {
    uint32_t slot = group.bits;
    uint32_t side = slot & order; // bits are below 2^8
    slot = side ? side : slot;
    side = slot & (order >> 8);
    slot = side ? side : slot;
    side = slot & (order >> 16);
    slot = side ? side : slot;
    group.bits ^= slot;
    return (group.word & 0x00ffffffu) + __popc((group.word >> 24) & (slot - 1));
}

// Takes the first leaf of a group, of which there is one: its block. Nodes stand before leaves.
__device__ __forceinline__ uint32_t take_leaf(H8Group& group) {
    const uint32_t slot = group.bits & -group.bits;
    group.bits ^= slot;
    return (group.word & 0x00ffffffu) + __popc((group.word >> 24) | (slot - 1));
}

// Tests the eight boxes of a node. Returns word 3 of the node, and a bit for each slot that is hit.
__device__ __forceinline__ H8Group visit_node(const H8Ray& ray, const H8Tree& tree, uint32_t index) {
    uint4 chunk[4];
    load_block(tree.blocks, index, chunk);
    const uint32_t head[3] = {chunk[0].x, chunk[0].y, chunk[0].z};
    const float corner[3] = {as_float(head[0]), as_float(head[1]), as_float(head[2])}; // their low bits are fields besides
    const float unit = as_float((head[2] & 0x7cu) * 0x200000u + tree.unit_base); // 2^-22 over the coarsest step
    const float coarse = as_float(0x74000000u - as_bits(unit));
    float ahead = -ray.along;
#pragma unroll
    for (int i = 2; i >= 0; i--) ahead = __fmaf_rn(corner[i], ray.direction[i], ahead);
    const float start = fmaxf(ray.t_min, __fmul_rn(__fmaf_rn(-coarse, ray.behind, ahead), ray.inverse_square));
    __half2 offset[3]; // near in the low half, far in the high one
#pragma unroll
    for (int i = 0; i < 3; i++) {
        const float place = __fsub_rn(corner[i], __fmaf_rn(start, ray.direction[i], ray.origin[i]));
        const float inverse = __fmul_rn(ray.inverse[i], unit);
        offset[i] = __floats2half2_rn(__fmaf_rn(place, inverse, -H8_GUARD), __fmaf_rn(place, inverse, H8_GUARD));
    }
    // The inverse times 2^(2 - finer): the fields are 3 - finer, and are added to the exponents of halves.
    const __half2 xy = as_halves((prmt(head[0], head[1], 0x4400u) & 0x03000300u) * 4 + ray.factor_xy);
    const __half2 z = as_halves((head[2] & 3u) * 0x04000000u + ray.near[0]); // in the upper half
    const __half2 factors[3] = {__low2half2(xy), __high2half2(xy), __high2half2(z)};
    const float last = __fmaf_rn(__fsub_rn(ray.limit, start), unit, H8_GUARD);
    const uint32_t end = as_bits(__floats2half2_rn(last, last));
    uint32_t hits = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        uint32_t near[3], far[3];
#pragma unroll
        for (int i = 0; i < 3; i++) {
            const uint4& planes = chunk[1 + i];
            const uint32_t bytes = k == 0 ? planes.x : k == 1 ? planes.y : k == 2 ? planes.z : planes.w;
            near[i] = as_bits(__hfma2(as_halves(prmt(bytes, ray.near[i])), factors[i], __low2half2(offset[i])));
            far[i] = as_bits(__hfma2(as_halves(prmt(bytes, 0x8581u - ray.near[i])), factors[i], __high2half2(offset[i])));
        }
        // As integers: ALK12. One instruction each on sm_90.
        const uint32_t entry = __vimax3_s16x2_relu(near[0], near[1], near[2]);
        const uint32_t exit = __vmins2(__vimin3_s16x2(far[0], far[1], far[2]), end);
        hits |= __hle2_mask(as_halves(entry), as_halves(exit)) & (1u << (2 * k) | 0x10000u << (2 * k + 1));
    }
    return {chunk[0].w, (hits | hits >> 16) & 0xffu};
}

// A candidate: scaled t, weights and the triangle's word.
struct H8Candidate {
    float t, u, v;
    uint32_t word;
};

// What the triangles of a pair share.
struct H8Shared {
    float s[3], p[3], edge[3], weight;
};

// Where the ray's line meets the plane of one triangle, with weights and t times `area`.
struct H8Crossing {
    float own, end, far, area;
    bool is_inside;
};

__device__ __forceinline__ H8Crossing cross_plane(const H8Ray& ray, const H8Shared& shared, uint4 own_edge) {
    const float e[3] = {as_float(own_edge.x), as_float(own_edge.y), as_float(own_edge.z)};
    float q[3];
    cross(shared.s, e, q);
    const float det = dot(e, shared.p), area = fabsf(det);
    const uint32_t sign = as_bits(det) & 0x80000000u;
    const float own = as_float(as_bits(shared.weight) ^ sign);
    const float end = as_float(as_bits(dot(ray.direction, q)) ^ sign);
    const float far = as_float(as_bits(dot(shared.edge, q)) ^ sign);
    const bool is_inside = own >= 0.0f && end >= 0.0f && __fadd_rn(own, end) <= area;
    return {own, end, far, area, is_inside};
}

// Tests the one or two triangles of a leaf, and gives those that the ray's line meets to `accept`.
template <class Accept>
__device__ __forceinline__ void test_pair(const H8Ray& ray, const H8Tree& tree, uint32_t index, Accept accept) {
    uint4 chunk[4];
    load_block(tree.blocks, index, chunk);
    H8Shared shared;
    const float v0[3] = {as_float(chunk[0].x), as_float(chunk[0].y), as_float(chunk[0].z)};
    shared.edge[0] = as_float(chunk[2].x), shared.edge[1] = as_float(chunk[2].y), shared.edge[2] = as_float(chunk[2].z);
#pragma unroll
    for (int i = 0; i < 3; i++) shared.s[i] = __fsub_rn(ray.origin[i], v0[i]);
    cross(ray.direction, shared.edge, shared.p);
    shared.weight = dot(shared.s, shared.p);
    const H8Crossing first = cross_plane(ray, shared, chunk[1]), second = cross_plane(ray, shared, chunk[3]);
    // Lanes that are inside of either go on together; hardly any is inside of both.
    uint32_t inside = uint32_t(first.is_inside) | uint32_t(second.is_inside) << 1;
#pragma unroll 1
    while (inside) {
        asm volatile("" : "+r"(inside)); // or the compiler would write the body twice, for lanes apart
        const bool in_first = inside & 1;
        inside &= inside - 1;
        const float area = in_first ? first.area : second.area;
        const float inverse = reciprocal(area);
        const uint32_t order = in_first ? chunk[2].w : chunk[2].w >> 4;
        const float own = __fmul_rn(in_first ? first.own : second.own, inverse);
        const float end = __fmul_rn(in_first ? first.end : second.end, inverse);
        const float rest = fmaxf(__fsub_rn(__fsub_rn(1.0f, own), end), 0.0f);
        H8Candidate found;
        found.t = __fmul_rn(in_first ? first.far : second.far, inverse);
        found.u = order & 3 ? (order & 1 ? own : end) : rest;
        found.v = order & 12 ? (order & 4 ? own : end) : rest;
        found.word = in_first ? chunk[0].w : chunk[1].w;
        if (area >= H8_LEAST_AREA && area <= H8_LARGEST_AREA && fabsf(found.t) < __int_as_float(0x7f800000)) accept(found);
    }
}
