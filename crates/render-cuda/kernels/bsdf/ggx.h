// The GGX distribution of microfacet normals, anisotropic. As raywarp-render's bsdf/ggx.rs.
#pragma once

#include "../sample/warp/turn.h"
#include "../vector.h"

namespace raywarp::render {

constexpr float MIN_ALPHA = 1e-4f;

struct Ggx {
    Vec2 alpha;

    static RW_FUNCTION Ggx make(Vec2 alpha) { return {clamp(alpha, MIN_ALPHA, 1.0f)}; }

    static RW_FUNCTION bool is_smooth(Vec2 alpha) { return is_nan(alpha) || largest_element(alpha) < MIN_ALPHA; }

    RW_FUNCTION float d(Vec3 h) const {
        const float area = alpha.x * alpha.y;
        const float x = h.x * alpha.y, y = h.y * alpha.x, z = h.z * area;
        const float s = x * x + y * y + z * z;
        return area * area * area / (PI * s * s);
    }

    RW_FUNCTION float g1(Vec3 w) const {
        const float x = w.x * alpha.x, y = w.y * alpha.y;
        const float z = magnitude(w.z);
        return 2.0f * z / (z + square_root(z * z + x * x + y * y));
    }

    RW_FUNCTION float reflection_pdf(Vec3 wo, Vec3 h) const {
        const float x = wo.x * alpha.x, y = wo.y * alpha.y;
        return d(h) * (0.5f / (wo.z + square_root(wo.z * wo.z + x * x + y * y)));
    }

    RW_FUNCTION Vec3 sample_visible(Vec3 wo, Vec2 u) const {
        const Vec3 stretched = normalized(Vec3{wo.x * alpha.x, wo.y * alpha.y, wo.z});
        const float z = (1.0f - u.x) * (1.0f + stretched.z) - stretched.z;
        const float r = square_root(most(1.0f - z * z, 0.0f));
        const SinCos turn = sin_cos_turn(u.y);
        const Vec3 h = Vec3{r * turn.cos, r * turn.sin, z} + stretched;
        return normalized_or(Vec3{h.x * alpha.x, h.y * alpha.y, most(h.z, 0.0f)}, {0.0f, 0.0f, 1.0f});
    }
};

}  // namespace raywarp::render
