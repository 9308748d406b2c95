// What boxes and triangles need of a ray, computed once by setup_ray. As raywarp-traverse's ray.rs, and
// raywarp-geom's slab/padded.rs and slab/plain.rs, whose texts say why no box is missed.
#pragma once

#include "launch.h"
#include "options.h"

namespace raywarp {

struct float3x {
    float x, y, z;
};

// The reciprocal side of a ray.
struct Slab {
    float3x inverse;
    // Origin over direction, for the lower and the upper plane of an axis.
    float3x ood_lo, ood_hi;
    float scale;
};

namespace slab {

constexpr float REACH_PAD = 3.814697265625e-6f;        // 32 epsilon
constexpr float ORIGIN_PAD = 2.384185791015625e-7f;    // 2 epsilon
constexpr float LEAST_SHARE = 9.094947017729282e-13f;  // 2^-40
constexpr float SHORTEST = 8.271806125530277e-25f;     // 2^-80
constexpr float LONGEST = 1.329227995784916e36f;       // 2^120
constexpr float FARTHEST = 7.737125245533627e25f;      // 2^86
constexpr float LEAST_REACH = 7.888609052210118e-31f;  // 2^-100
constexpr float LARGEST = 3.402823466385288598e38f;
constexpr float LEAST_NORMAL = 1.175494350822288e-38f;

// b if either is NaN.
RW_FUNCTION float larger(float a, float b) { return a > b ? a : b; }
RW_FUNCTION float smaller(float a, float b) { return a < b ? a : b; }
RW_FUNCTION float finite(float x) { return larger(smaller(x, LARGEST), -LARGEST); }
RW_FUNCTION float with_sign(float magnitude, float sign) {
    return platform::float_of((platform::bits_of(magnitude) & 0x7fffffffu) | (platform::bits_of(sign) & 0x80000000u));
}

struct Unusual {
    float3x inverse;
    float scale, underflow;
};

// Reciprocals of a direction near zero in a component, or very long or short, or out of proportion.
inline RW_COLD Unusual unusual_direction(float3x d, float longest) {
    float power = platform::float_of(platform::bits_of(longest) & 0x7f800000u);
    power = power > LEAST_NORMAL ? power : LEAST_NORMAL;
    const float least = LEAST_SHARE * platform::divide(longest, power);
    auto inverse = [&](float x) {
        const float scaled = platform::divide(x, power);
        return platform::reciprocal(platform::magnitude(scaled) < least ? with_sign(least, scaled) : scaled);
    };
    return {{inverse(d.x), inverse(d.y), inverse(d.z)}, power, (longest + 16.0f) * platform::float_of(1)};
}

RW_FUNCTION Slab padded(float4 o, float4 d, const float* bounds) {
    using platform::magnitude;
    const float ax = magnitude(d.x), ay = magnitude(d.y), az = magnitude(d.z);
    const float longest = larger(larger(ax, ay), az), shortest = smaller(smaller(ax, ay), az);
    const float cx = larger(magnitude(bounds[0] - o.x), magnitude(bounds[3] - o.x));
    const float cy = larger(magnitude(bounds[1] - o.y), magnitude(bounds[4] - o.y));
    const float cz = larger(magnitude(bounds[2] - o.z), magnitude(bounds[5] - o.z));
    const float reach = smaller(larger(larger(cx, cy), cz), LARGEST);
    const float farthest = reach + larger(larger(magnitude(o.x), magnitude(o.y)), magnitude(o.z));
    const bool plain = (longest >= SHORTEST) & (longest <= LONGEST) & (shortest >= LEAST_SHARE * longest) &
                       (farthest <= FARTHEST * longest) & (longest + LEAST_REACH * FARTHEST <= FARTHEST * reach);
    Slab slab{{platform::reciprocal(d.x), platform::reciprocal(d.y), platform::reciprocal(d.z)}, {}, {}, 1.0f};
    float pad = REACH_PAD * reach;
    if (!plain) {
        const Unusual unusual = unusual_direction({d.x, d.y, d.z}, longest);
        slab.inverse = unusual.inverse;
        slab.scale = unusual.scale;
        pad += unusual.underflow;
    }
    const float px = pad + ORIGIN_PAD * magnitude(o.x), py = pad + ORIGIN_PAD * magnitude(o.y),
                pz = pad + ORIGIN_PAD * magnitude(o.z);
    slab.ood_lo = {finite(finite(o.x + px) * slab.inverse.x), finite(finite(o.y + py) * slab.inverse.y),
                   finite(finite(o.z + pz) * slab.inverse.z)};
    slab.ood_hi = {finite(finite(o.x - px) * slab.inverse.x), finite(finite(o.y - py) * slab.inverse.y),
                   finite(finite(o.z - pz) * slab.inverse.z)};
    return slab;
}

RW_FUNCTION Slab plain(float4 o, float4 d) {
    auto inverse = [](float x) {
        return platform::reciprocal(platform::magnitude(x) > SHORTEST ? x : with_sign(SHORTEST, x));
    };
    const float3x i{inverse(d.x), inverse(d.y), inverse(d.z)};
    const float3x ood{o.x * i.x, o.y * i.y, o.z * i.z};
    return {i, ood, ood, 1.0f};
}

}  // namespace slab

// A ray in a lane.
template <Options O>
struct LaneRay {
    float4 origin, direction;
    Slab slab;
    // Nearest t that counts.
    float t_low;
};

// The chunks of a ray as they lie in memory, with the interval that is meant.
template <Options O>
RW_FUNCTION float4 with_t_min(float4 o) {
    return O.interval == Interval::Given ? o : float4{o.x, o.y, o.z, 0.0f};
}
template <Options O>
RW_FUNCTION float4 with_t_max(float4 d) {
    return O.interval != Interval::Unbounded ? d : float4{d.x, d.y, d.z, platform::float_of(0x7f800000u)};
}

// Whether the ray can hit anything.
RW_FUNCTION bool is_valid(float4 o, float4 d) {
    using platform::fused;
    // What is not finite times zero is NaN, and so is the sum.
    const float sum = fused(o.x, 0.0f, fused(o.y, 0.0f, fused(o.z, 0.0f, fused(d.x, 0.0f, fused(d.y, 0.0f, d.z * 0.0f)))));
    return (sum == sum) & ((d.x != 0.0f) | (d.y != 0.0f) | (d.z != 0.0f)) & (o.w == o.w) & (d.w == d.w);
}

struct Span {
    float near;
    bool hit;
};

// The overlap of three spans and low ..= high, with float minimum and maximum.
RW_FUNCTION Span span_float(float3x a, float3x b, float low, float high) {
    using platform::least;
    using platform::most;
    const float near = most(most(most(low, least(a.x, b.x)), least(a.y, b.y)), least(a.z, b.z));
    const float far = least(least(least(high, most(a.x, b.x)), most(a.y, b.y)), most(a.z, b.z));
    return {near, near <= far};
}

// The same with integers: low is not negative (ALK12). Three of them are one instruction on some GPUs.
RW_FUNCTION Span span_integer(float3x a, float3x b, float low, float high) {
    auto bits = [](float x) { return static_cast<int>(platform::bits_of(x)); };
    auto least = [](int a, int b) { return a < b ? a : b; };
    auto most = [](int a, int b) { return a > b ? a : b; };
    const int near = most(most(most(bits(low), least(bits(a.x), bits(b.x))), least(bits(a.y), bits(b.y))),
                          least(bits(a.z), bits(b.z)));
    const int far = least(least(least(bits(high), most(bits(a.x), bits(b.x))), most(bits(a.y), bits(b.y))),
                          most(bits(a.z), bits(b.z)));
    // Compared as floats: a negative far end is wrong in its size, but not in its sign.
    const float n = platform::float_of(static_cast<u32>(near)), f = platform::float_of(static_cast<u32>(far));
    return {n, n <= f};
}

template <Options O>
RW_FUNCTION Span span(float3x a, float3x b, float low, float high) {
    return O.box == BoxTest::Integer ? span_integer(a, b, low, high) : span_float(a, b, low, high);
}

// A distance along the ray as boxes see it; not infinite, as a limit never is, so that no box at infinity is hit.
template <Options O>
RW_FUNCTION float box_distance(const LaneRay<O>& ray, float t) {
    return O.planes == BoxPlanes::Plain ? t : platform::least(t * ray.slab.scale, slab::LARGEST);
}

// Nearest distance at which a box matters; not infinite either.
template <Options O>
RW_FUNCTION float box_low(const LaneRay<O>& ray) {
    return O.planes == BoxPlanes::Plain ? ray.t_low : platform::most(ray.t_low * ray.slab.scale, -slab::LARGEST);
}

// Where the ray enters a box at most at `high`, a box distance.
template <Options O>
RW_FUNCTION Span enter(const LaneRay<O>& ray, float3x min, float3x max, float high) {
    using platform::fused;
    const Slab& s = ray.slab;
    const float3x a{fused(min.x, s.inverse.x, -s.ood_lo.x), fused(min.y, s.inverse.y, -s.ood_lo.y),
                    fused(min.z, s.inverse.z, -s.ood_lo.z)};
    const float3x b{fused(max.x, s.inverse.x, -s.ood_hi.x), fused(max.y, s.inverse.y, -s.ood_hi.y),
                    fused(max.z, s.inverse.z, -s.ood_hi.z)};
    return span<O>(a, b, box_low(ray), high);
}

}  // namespace raywarp
