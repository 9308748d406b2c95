// Light that single scattering between GGX facets loses, tabulated. As raywarp-render's bsdf/loss_table.rs; the parts
// of glass are in loss_table_glass.h.
#pragma once

#include "ggx.h"
#include "horizon.h"
#include "tables.h"

namespace raywarp::render {

namespace loss_table {

constexpr float SCALE = 1e-4f;
constexpr float LEAST_ROOT = 0.17782794f;
constexpr float MOST_ANISOTROPY = 0.75f;
constexpr float ANISOTROPIC_ZERO = 0.2f;

// The node below, and how far beyond it.
struct Place {
    u32 node;
    float beyond;
};

RW_FUNCTION Place locate(float x, u32 nodes) {
    const float s = clamp(x, 0.0f, 1.0f) * static_cast<float>(nodes - 1);
    const u32 node = smaller(platform::to_u32(s), nodes - 2);
    return {node, s - static_cast<float>(node)};
}

RW_FUNCTION Place locate_mean(float root) {
    return locate((square_root(root) - LEAST_ROOT) * (1.0f / (1.0f - LEAST_ROOT)), tables::MEAN_NODES);
}

// Between two fractions: at `at` of all tables' and the one after it.
RW_FUNCTION float between_fractions(const Scene& scene, u32 at, float x) {
    const float low = tables::fraction(scene, at);
    return low + x * (tables::fraction(scene, at + 1) - low);
}

// Between four fractions; `at` counts from the first of all tables'.
RW_FUNCTION float between_rows(const Scene& scene, u32 at, u32 stride, float x, float y) {
    const float low = between_fractions(scene, at, x);
    return low + y * (between_fractions(scene, at + stride, x) - low);
}

RW_FUNCTION float place_of_cosine(float cos, float alpha) { return cos * (1.0f + alpha) / (cos + alpha); }

RW_FUNCTION float even_alpha(Vec2 alpha) {
    if (alpha.x == alpha.y) {
        return alpha.x;
    }
    const float mean = 0.5f * alpha.x + 0.5f * alpha.y;
    const float square = 0.5f * alpha.x * alpha.x + 0.5f * alpha.y * alpha.y;
    return 0.5f * (mean + square_root(square));
}

RW_FUNCTION float projected(Vec2 alpha, Vec3 w) {
    const float x2 = w.x * w.x, y2 = w.y * w.y;
    const float sin2 = x2 + y2;
    if (sin2 <= 0.0f) {
        return alpha.x;
    }
    return square_root((x2 * alpha.x * alpha.x + y2 * alpha.y * alpha.y) / sin2);
}

// White facets of one alpha.
struct White {
    u32 row;
    float t;
    float mean;

    static RW_FUNCTION White make(const Scene& scene, float alpha) {
        alpha = clamp(alpha, MIN_ALPHA, 1.0f);
        const float root = square_root(alpha);
        const Place a = locate(root, tables::WHITE_NODES);
        const Place m = locate_mean(root);
        const u32 at = tables::WHITE_MEANS + m.node;
        const float low = tables::number(scene, at);
        const float mean = low + m.beyond * (tables::number(scene, at + 1) - low);
        return {a.node * tables::WHITE_NODES, a.beyond, alpha * alpha * mean};
    }

    RW_FUNCTION float at(const Scene& scene, float cos, float alpha) const {
        const Place x = locate(place_of_cosine(cos, alpha), tables::WHITE_NODES);
        return SCALE * between_rows(scene, tables::WHITE + row + x.node, tables::WHITE_NODES, x.beyond, t);
    }
};

// What white facets of different alphas lose beyond isotropic ones.
struct AnisotropicLoss {
    u32 row;
    float t, r;
    float least, scale;

    static constexpr u32 RATIO = tables::ANISOTROPIC_NODES_2 * tables::ANISOTROPIC_NODES_3;

    static RW_FUNCTION AnisotropicLoss none() { return {0, 0.0f, 0.0f, 0.0f, 0.0f}; }

    static RW_FUNCTION AnisotropicLoss make(Vec2 alpha) {
        const float least = smallest_element(alpha), most = largest_element(alpha);
        const Place a = locate(square_root(most), tables::ANISOTROPIC_NODES_0);
        const Place q = locate((1.0f - least / most) / MOST_ANISOTROPY, tables::ANISOTROPIC_NODES_1);
        return {a.node * tables::ANISOTROPIC_NODES_1 + q.node, a.beyond, q.beyond, least, 1.0f / (most - least)};
    }

    RW_FUNCTION float of_larger(const Scene& scene, u32 at, float x, float y) const {
        const float low = between_rows(scene, at, tables::ANISOTROPIC_NODES_3, x, y);
        return low + r * (between_rows(scene, at + RATIO, tables::ANISOTROPIC_NODES_3, x, y) - low);
    }

    RW_FUNCTION float at(const Scene& scene, float cos, float projected) const {
        const Place p = locate((projected - least) * scale, tables::ANISOTROPIC_NODES_2);
        const Place x = locate(place_of_cosine(cos, projected), tables::ANISOTROPIC_NODES_3);
        const u32 at = tables::ANISOTROPIC + row * RATIO + p.node * tables::ANISOTROPIC_NODES_3 + x.node;
        const float low = of_larger(scene, at, x.beyond, p.beyond);
        const float high = of_larger(scene, at + tables::ANISOTROPIC_NODES_1 * RATIO, x.beyond, p.beyond);
        return SCALE * (low + t * (high - low)) - ANISOTROPIC_ZERO;
    }

    RW_FUNCTION float mean(const Scene& scene) const {
        return 2.0f * SCALE * between_rows(scene, tables::ANISOTROPIC_MEANS + row, tables::ANISOTROPIC_NODES_1, r, t);
    }
};

}  // namespace loss_table

// What single scattering loses at white facets of any alphas.
struct WhiteLosses {
    Vec2 alpha;
    loss_table::White even;
    float even_alpha;
    loss_table::AnisotropicLoss anisotropic;

    static RW_FUNCTION WhiteLosses make(const Scene& scene, Vec2 alpha) {
        alpha = clamp(alpha, MIN_ALPHA, 1.0f);
        const float even_alpha = loss_table::even_alpha(alpha);
        const loss_table::White even = loss_table::White::make(scene, even_alpha);
        WhiteLosses losses = {alpha, even, even_alpha, loss_table::AnisotropicLoss::none()};
        if (alpha.x != alpha.y) {
            losses.anisotropic = loss_table::AnisotropicLoss::make(alpha);
            losses.even.mean *= losses.anisotropic.mean(scene);
        }
        return losses;
    }

    RW_FUNCTION float at(const Scene& scene, Vec3 w) const {
        const float cos = magnitude(w.z);
        if (alpha.x == alpha.y) {
            return even.at(scene, cos, alpha.x);
        }
        const float along = loss_table::projected(alpha, w);
        return clamp(even.at(scene, cos, along) + anisotropic.at(scene, cos, along), 0.0f, 1.0f);
    }

    RW_FUNCTION float mean() const { return even.mean; }
    RW_FUNCTION Horizon horizon() const { return Horizon::make(even_alpha); }
};

}  // namespace raywarp::render
