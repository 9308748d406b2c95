// A ray as the nodes and pairs of h8 see it. As raywarp-layout's h8/ray.rs, whose text says why no box is missed: every
// operation here is the one that stands there, so that both find the same bits.
#pragma once

#include "entry.h"

namespace raywarp {

namespace h8 {

constexpr float LEAST_COMPONENT = 6.25e-5f;
constexpr float GUARD = 1.1920928955078125e-7f;       // 2^-23
constexpr float START_SLACK = 9.5367431640625e-7f;    // 2^-20
// Areas whose reciprocal needs no care.
constexpr float LEAST_AREA = 7.52316384526264e-37f;    // 2^-120
constexpr float LARGEST_AREA = 1.329227995784916e36f;  // 2^120
// Of a ray's farthest coordinate: by how much boxes grow for a ray from anywhere.
constexpr float FAR_PAD = 9.5367431640625e-7f;  // 2^-20
// Coordinates whose products with directions are floats.
constexpr float FARTHEST = 1.2379400392853803e27f;  // 2^90
// Of directions longer than so many times the tree's reach t may be no normal float.
constexpr float LONGEST_OF_REACH = 1152921504606846976.0f;  // 2^60
// Of trees of a larger one edge functions of pairs need not be floats.
constexpr float LARGEST_REACH = 1152921504606846976.0f;  // 2^60
// What takes a longest component to one whose inverse is a float, and back.
constexpr float SHORT = 8.271806125530277e-25f, LONG = 1.2089258196146292e24f;  // 2^-80, 2^80

RW_FUNCTION float dot(const float* a, const float* b) {
    return platform::fused(a[0], b[0], platform::fused(a[1], b[1], a[2] * b[2]));
}

// Chunk k of block i stands at place k ^ (i >> 1 & 3), so that lanes touch all banks. Blocks are 64-byte aligned.
RW_FUNCTION const uint4* chunk_at(const Launch& launch, u32 block, u32 k) {
    const u64 first = reinterpret_cast<u64>(launch.nodes) + static_cast<u64>(block) * 64;
    return reinterpret_cast<const uint4*>(first ^ ((block * 8) & 0x30) ^ k * 16);
}

RW_FUNCTION void load_block(const Launch& launch, u32 block, uint4 (&out)[4]) {
#pragma unroll
    for (u32 k = 0; k < 4; k++) {
        out[k] = platform::load4(chunk_at(launch, block, k));
    }
}

}  // namespace h8

// Directions and t are scaled by a power of two, so that the longest component is within 1..2.
struct BlockRay {
    float origin[3], direction[3];
    // Of the direction, clamped.
    float inverse[3];
    // Half of the inverse of x and y, as halves.
    u32 factor_xy;
    float along, behind, inverse_square;
    // Nearest t that counts.
    float t_low;
    // Selectors of `permute`: the bytes of the near planes of two slots as two denormal halves. Only their lower halves
    // select; the upper half of the first is half the inverse of z as a half. Bits 4 and 5, which choose among bytes of
    // zero, are where the chunk of an axis lies, in bytes: of those that the triangle test calls y, z and x.
    u32 near[3];
    // Slots to prefer by x, y, z: a byte each, the first in the lowest; and the exponent of what t was scaled by.
    u32 order;

    // t in lengths of the given direction.
    RW_FUNCTION float given_t(float t) const { return t * platform::float_of(0x7f000000u - (order >> 24 << 23)); }

    // What nodes ask: where the ray begins, and a t of the lane's, as boxes count it; by how much planes give way, whose axis
    // has this inverse; and the end.
    RW_FUNCTION float box_low() const { return t_low; }
    RW_FUNCTION float box_t(float t) const { return t; }
    RW_FUNCTION float guard(float) const { return h8::GUARD; }
    RW_FUNCTION float end_guard() const { return h8::GUARD; }
};

// Of rays that start within twice the tree's reach, for pairs.
template <Options O>
    requires(O.tree == TreeKind::H8 && !O.takes_any_ray())
struct LaneRay<O> : BlockRay {};

// Of any ray: t_low and the lane's t are in lengths of the given direction, as the test of each triangle has them.
template <Options O>
    requires(O.takes_any_ray())
struct LaneRay<O> : BlockRay {
    // As given.
    float4 from, towards;
    // By how much boxes grow, infinite where what follows is no float, and then nothing is left out.
    float pad;
    // What t is multiplied by.
    float unscale;
    float low;

    RW_FUNCTION float given_t(float t) const { return t; }
    RW_FUNCTION float box_low() const { return low; }
    RW_FUNCTION float box_t(float t) const { return platform::least(t * unscale, slab::LARGEST); }
    RW_FUNCTION float guard(float inverse) const {
        return platform::fused(pad, platform::magnitude(inverse), h8::GUARD);
    }
    RW_FUNCTION float end_guard() const { return pad <= slab::LARGEST ? h8::GUARD : pad; }
};

// Prepares a ray from t_low on; returns what t is to be multiplied by.
template <Options O>
RW_FUNCTION float prepare_h8(const Launch& launch, LaneRay<O>& ray, float4 o, float4 d, float t_low) {
    using platform::bits_of;
    using platform::float_of;
    using platform::fused;
    using platform::magnitude;
    using platform::most;
    const float given_origin[3] = {o.x, o.y, o.z}, given[3] = {d.x, d.y, d.z};
    const float longest = most(most(magnitude(d.x), magnitude(d.y)), magnitude(d.z));
    u32 exponent = bits_of(longest) & 0x7f800000u;
    // Within that both scales are floats. A ray that is not is left to another kernel anyway (`is_near`), or there is none.
    if constexpr (!O.may_leave_undecided()) {
        exponent = (O.takes_any_ray() ? exponent : bits_of(longest)) >> 23;  // The same: so compiled code stays as it is.
        exponent = (exponent < 1 ? 1 : exponent > 253 ? 253 : exponent) << 23;
    }
    const float scale = float_of(0x7f000000u - exponent), unscale = float_of(exponent);
    float product[3], negative[3];
    u32 backward[3];  // All bits, or none.
#pragma unroll
    for (u32 i = 0; i < 3; i++) {
        const float s = given[i] * scale;
        backward[i] = platform::sign_mask(s);
        ray.origin[i] = given_origin[i];
        ray.direction[i] = s;
        const float inverse = platform::reciprocal_of_middling(most(magnitude(s), h8::LEAST_COMPONENT));
        ray.inverse[i] = float_of(bits_of(inverse) | (bits_of(s) & 0x80000000u));
        ray.near[i] = 0x4240u | (backward[i] & 0x0101u);
        product[i] = given_origin[i] * s;
        negative[i] = most(-s, 0.0f);
    }
    ray.factor_xy = bits_of(platform::halves(0.5f * ray.inverse[0], 0.5f * ray.inverse[1]));
    const float size = magnitude(product[0]) + magnitude(product[1]) + magnitude(product[2]) + 16.0f * launch.farthest;
    ray.along = fused(size, h8::START_SLACK, product[0] + product[1] + product[2]);
    ray.behind = 256.0f * (negative[0] + negative[1] + negative[2]);
    ray.inverse_square = platform::reciprocal_of_middling(h8::dot(ray.direction, ray.direction));
    ray.t_low = most(t_low * unscale, -slab::LARGEST);
    // An any-hit ray may see the farthest first.
    const u32 forward = O.any_hit() && O.occlusion == Occlusion::Far ? 0xaaccf0u : 0x55330fu;
    const u32 octant = (backward[0] & 0x0000ffu) | (backward[1] & 0x00ff00u) | (backward[2] & 0xff0000u);
    ray.order = (octant ^ forward) | exponent << 1;
    ray.near[0] |= bits_of(platform::halves(0.0f, 0.5f * ray.inverse[2]));
    const float x = magnitude(d.x), y = magnitude(d.y), z = magnitude(d.z);
    const bool first = x >= y && x >= z, second = y >= z;
    ray.near[0] |= first ? 0x20 : second ? 0 : 0x10;
    ray.near[1] |= first ? 0 : second ? 0x10 : 0x20;
    ray.near[2] |= first ? 0x10 : second ? 0x20 : 0;
    return unscale;
}

// The same of any ray.
template <Options O>
RW_FUNCTION void prepare_any_h8(const Launch& launch, LaneRay<O>& ray, float4 o, float4 d, float t_low) {
    using platform::magnitude;
    using platform::most;
    ray.from = o;
    ray.towards = d;
    // Directions near the ends of f32 by a power of two towards its middle: exact, but for components that are nothing
    // beside the longest.
    const float longest = most(most(magnitude(d.x), magnitude(d.y)), magnitude(d.z));
    const float factor = longest < h8::SHORT ? h8::LONG : longest > h8::LONG ? h8::SHORT : 1.0f;
    const float farthest = most(most(most(magnitude(o.x), magnitude(o.y)), magnitude(o.z)), launch.farthest);
    const bool is_plain = farthest <= h8::FARTHEST;
    // And by what t is off where it is no normal float.
    const float underflow = (longest + 16.0f) * platform::float_of(1);
    ray.pad = is_plain ? h8::FAR_PAD * farthest + underflow : platform::float_of(0x7f800000u);
    const float4 from = is_plain ? o : float4{0.0f, 0.0f, 0.0f, 0.0f};
    ray.unscale = prepare_h8(launch, ray, from, {d.x * factor, d.y * factor, d.z * factor, d.w}, 0.0f) *
                  (factor > 1.0f ? h8::SHORT : factor < 1.0f ? h8::LONG : 1.0f);
    // Boxes that have grown begin before.
    ray.along += 8.0f * ray.pad;
    ray.t_low = most(t_low, -slab::LARGEST);
    ray.low = is_plain ? most(ray.t_low * ray.unscale, -slab::LARGEST) : 0.0f;
}

}  // namespace raywarp
