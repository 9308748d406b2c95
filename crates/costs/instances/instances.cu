// What a kernel that walks two levels would do besides what kernels do: entering an instance, and taking the corners of
// its triangles to the world. Each kernel here is a load, something, and a store; what it has more than `nothing`, or
// than `corners`, is what that costs. What boxes need of a ray (slab::padded) is not here: its costs are those of
// setup_ray in the kernels that are embedded.
#include "ray.h"

using namespace raywarp;

// A placement as it lies behind the nodes (crates/traverse/src/levels.rs).
struct alignas(64) Placement {
    float4 to_tree[3];
    // Sum of each of the inverse's rows, and what boxes grow by whatever the ray.
    float sums[3], growth[3];
    // Box in the world.
    float low[3], high[3];
    u32 first_node, first_record, unused[6];
    float4 to_world[3];
    float4 rest;
};
static_assert(sizeof(Placement) == 192, "three nodes");

struct Ray {
    float4 o, d, extra;
    u32 work, record;
};

// A row of the inverse times a point (w 1) or a direction (w 0): three products, the sums fused with them.
RW_FUNCTION float image(float4 row, float4 p, float last) {
    return platform::fused(row.x, p.x, platform::fused(row.y, p.y, platform::fused(row.z, p.z, last)));
}

RW_FUNCTION float image(float4 row, float4 v) {
    return platform::fused(row.x, v.x, platform::fused(row.y, v.y, row.z * v.z));
}

RW_FUNCTION Ray load(const float4* rays, const uint2* words, u32 i) {
    const uint2 word = words[i];
    return {platform::load4(rays + 2 * i), platform::load4(rays + 2 * i + 1), {}, word.x, word.y};
}

RW_FUNCTION void store(float4* out, uint2* words, u32 i, const Ray& ray) {
    out[3 * i] = ray.o;
    out[3 * i + 1] = ray.d;
    out[3 * i + 2] = ray.extra;
    words[i] = {ray.work, ray.record};
}

extern "C" __global__ void nothing(const float4* rays, const uint2* words, float4* out, uint2* words_out) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    store(out, words_out, i, load(rays, words, i));
}

// `work` is the record of the placement among the nodes.
extern "C" __global__ void enter(const float4* rays, const uint2* words, float4* out, uint2* words_out,
                                 const float4* nodes) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    Ray ray = load(rays, words, i);
    const float4* p = nodes + 4 * static_cast<u64>(ray.work);
    const float4 r0 = platform::load4(p), r1 = platform::load4(p + 1), r2 = platform::load4(p + 2);
    const float4 a = platform::load4(p + 3), b = platform::load4(p + 4), c = platform::load4(p + 5);
    const float4 e = platform::load4(p + 6);
    const float4 o = ray.o, d = ray.d;
    using platform::magnitude;
    // a: sums, growth x. b: growth y z, low x y. c: low z, high.
    const float x = slab::larger(magnitude(b.z - o.x), magnitude(c.y - o.x));
    const float y = slab::larger(magnitude(b.w - o.y), magnitude(c.z - o.y));
    const float z = slab::larger(magnitude(c.x - o.z), magnitude(c.w - o.z));
    const float uncertain =
        platform::fused(1.01f * slab::REACH_PAD, slab::larger(slab::larger(x, y), z), slab::LEAST_REACH);
    ray.o = {image(r0, o, r0.w), image(r1, o, r1.w), image(r2, o, r2.w), o.w};
    ray.d = {image(r0, d), image(r1, d), image(r2, d), d.w};
    ray.extra = {platform::fused(a.x, uncertain, a.w), platform::fused(a.y, uncertain, b.x),
                 platform::fused(a.z, uncertain, b.y), 0.0f};
    ray.work = platform::bits_of(e.x);
    ray.record = platform::bits_of(e.y);
    store(out, words_out, i, ray);
}

struct Corners {
    float4 v[3];
};

RW_FUNCTION Corners load_corners(const float4* rays, u32 i) {
    return {platform::load4(rays + 3 * i), platform::load4(rays + 3 * i + 1), platform::load4(rays + 3 * i + 2)};
}

extern "C" __global__ void corners(const float4* rays, const uint2* words, float4* out, uint2* words_out) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    const Corners c = load_corners(rays, i);
    words_out[i] = words[i];
    for (u32 k = 0; k < 3; k++) {
        out[3 * i + k] = c.v[k];
    }
}

// The rule of flattening: products and sums, each rounded (raywarp_geom::Affine::point).
RW_FUNCTION float4 place(const float4* r, float4 p) {
    auto image = [&](float4 row) { return row.x * p.x + row.y * p.y + row.z * p.z + row.w; };
    return {image(r[0]), image(r[1]), image(r[2]), p.w};
}

extern "C" __global__ void placed(const float4* rays, const uint2* words, float4* out, uint2* words_out,
                                  const float4* nodes) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    const Corners c = load_corners(rays, i);
    const uint2 word = words[i];
    words_out[i] = word;
    const float4* p = nodes + 4 * static_cast<u64>(word.x + 2);
    const float4 r[3] = {platform::load4(p), platform::load4(p + 1), platform::load4(p + 2)};
    for (u32 k = 0; k < 3; k++) {
        out[3 * i + k] = place(r, c.v[k]);
    }
}
