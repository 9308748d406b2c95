// The watertight test (Woop, Benthin and Wald 2013, with Kahan's edge functions). As raywarp-geom's
// triangle/watertight.rs, whose text says why nothing slips through; the same operations in the same order.
#pragma once

#include "rows.h"

namespace raywarp {

namespace watertight {

// The ray side: an axis permutation and a shear that turn the ray into the z axis. Found again for each
// triangle from the direction: cheaper than seven registers.
struct Shear {
    // Axes that become x, y and z.
    u32 kx, ky, kz;
    float x, y, inverse, largest;
};

RW_FUNCTION float axis(float4 p, u32 k) { return k == 0 ? p.x : k == 1 ? p.y : p.z; }

RW_FUNCTION Shear shear(float4 d) {
    const float x = platform::magnitude(d.x), y = platform::magnitude(d.y), z = platform::magnitude(d.z);
    Shear s;
    s.kz = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    s.kx = s.kz == 2 ? 0 : s.kz + 1;
    s.ky = s.kx == 2 ? 0 : s.kx + 1;
    s.largest = axis(d, s.kz);
    u32 exponent = platform::bits_of(platform::magnitude(s.largest)) >> 23;
    exponent = exponent < 1 ? 1 : exponent > 253 ? 253 : exponent;
    const float scale = platform::float_of(0x7f000000u - (exponent << 23));
    const float inverse = platform::reciprocal(s.largest * scale);
    s.x = axis(d, s.kx) * scale * inverse;
    s.y = axis(d, s.ky) * scale * inverse;
    s.inverse = inverse * scale;
    return s;
}

// a b - c d: the right sign, and within 2 half-ulps.
RW_FUNCTION float difference_of_products(float a, float b, float c, float d) {
    const float w = c * d;
    return platform::fused(a, b, -w) + platform::fused(-c, d, w);
}

RW_FUNCTION float3x local(const Shear& s, float4 origin, float4 vertex, float factor) {
    auto difference = [&](u32 k) { return factor * axis(vertex, k) - factor * axis(origin, k); };
    const float z = difference(s.kz);
    return {platform::fused(-s.x, z, difference(s.kx)), platform::fused(-s.y, z, difference(s.ky)), z};
}

// Where f32 has too few exponents: in f64, in which products of f32 are exact.
inline RW_COLD Tuv test_wide(const Shear& s, float4 origin, float4 v0, float4 v1, float4 v2) {
    struct Point {
        double x, y, z;
    };
    auto point = [&](float4 vertex) {
        float3x p = local(s, origin, vertex, 1.0f);
        double factor = 1.0;
        if (!platform::is_finite(p.x) || !platform::is_finite(p.y)) {
            p = local(s, origin, vertex, 0.125f);
            factor = 8.0;
        }
        const double z = static_cast<double>(axis(vertex, s.kz)) - static_cast<double>(axis(origin, s.kz));
        return Point{p.x * factor, p.y * factor, z / static_cast<double>(s.largest)};
    };
    const Point a = point(v0), b = point(v1), c = point(v2);
    const double u = c.x * b.y - c.y * b.x, v = a.x * c.y - a.y * c.x, w = b.x * a.y - b.y * a.x;
    if ((u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0)) {
        return {0.0f, 0.0f, 0.0f, false};
    }
    const double det = u + v + w, v1w = v / det, v2w = w / det;
    const float t = static_cast<float>(a.z + (v1w * (b.z - a.z) + v2w * (c.z - a.z)));
    return {t, static_cast<float>(v1w), static_cast<float>(v2w), platform::is_finite(t)};
}

RW_FUNCTION Tuv test(float4 o, float4 d, float4 v0, float4 v1, float4 v2) {
    const Shear s = shear(d);
    const float3x a = local(s, o, v0, 1.0f), b = local(s, o, v1, 1.0f), c = local(s, o, v2, 1.0f);
    const float u = difference_of_products(c.x, b.y, c.y, b.x);
    const float v = difference_of_products(a.x, c.y, a.y, c.x);
    const float w = difference_of_products(b.x, a.y, b.y, a.x);
    if ((u < 0.0f || v < 0.0f || w < 0.0f) && (u > 0.0f || v > 0.0f || w > 0.0f)) {
        return {0.0f, 0.0f, 0.0f, false};
    }
    const float inverse = platform::reciprocal(u + v + w);
    const float v1w = v * inverse, v2w = w * inverse;
    const float t = platform::fused(v1w, b.z - a.z, platform::fused(v2w, c.z - a.z, a.z)) * s.inverse;
    if (platform::is_finite(t) && inverse != 0.0f) {
        return {t, v1w, v2w, true};
    }
    return test_wide(s, o, v0, v1, v2);
}

}  // namespace watertight

template <Options O>
RW_COLD Tuv intersect_record_apart(const float4* triangles, float4 o, float4 d, u32 record);

template <Options O>
struct Watertight : RowTest<O, Watertight<O>> {
    static RW_FUNCTION Tuv intersect(float4 o, float4 d, float4 a, float4 b, float4 c) {
        return watertight::test(o, d, a, b, c);
    }

    // The test is long, and stands once in a kernel.
    static RW_FUNCTION Tuv found_hit(const Launch& launch, const Lane<O>& lane) {
        return intersect_record_apart<O>(launch.triangles, lane.setup.origin, lane.setup.direction, lane.found.record);
    }
};

template <Options O>
RW_COLD Tuv intersect_record_apart(const float4* triangles, float4 o, float4 d, u32 record) {
    return Watertight<O>::intersect_record(triangles, o, d, record);
}

}  // namespace raywarp
