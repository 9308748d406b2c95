// Directions in about the proportion in which light returns from further bounces between facets. As raywarp-render's
// bsdf/horizon.rs.
#pragma once

#include "../sample/warp/direction.h"
#include "../sample/warp/turn.h"
#include "../vector.h"

namespace raywarp::render {

struct Horizon {
    float alpha;
    float share;

    static RW_FUNCTION Horizon none() { return {1.0f, 0.0f}; }
    static RW_FUNCTION Horizon make(float alpha) { return {alpha, 0.5f * (1.0f - alpha)}; }

    RW_FUNCTION Horizon scaled(float part) const { return {alpha, share * least(part, 1.0f)}; }

    RW_FUNCTION Vec3 sample(float u_lobe, Vec2 u) const {
        if (u_lobe >= share) {
            return cosine_hemisphere(u);
        }
        const float z = clamp(u.x * alpha / (1.0f + alpha - u.x), 1e-6f, 1.0f);
        const float r = square_root(most(1.0f - z * z, 0.0f));
        const SinCos turn = sin_cos_turn(u.y);
        return {r * turn.cos, r * turn.sin, z};
    }

    RW_FUNCTION float pdf(float cos) const {
        const float cosine = cos * FRAC_1_PI;
        if (share == 0.0f) {
            return cosine;
        }
        const float sum = cos + alpha;
        const float horizon = alpha * (1.0f + alpha) / (TAU * sum * sum);
        return cosine + share * (horizon - cosine);
    }
};

}  // namespace raywarp::render
