// Light that single scattering at facets of clear glass loses, tabulated. As raywarp-render's bsdf/loss_table.rs, of which
// loss_table.h is the rest.
#pragma once

#include "loss_table.h"
#include "anisotropic_glass.h"

namespace raywarp::render {

namespace loss_table {

constexpr float INDEX_AXIS_0 = 0.14f, INDEX_AXIS_1 = 0.95f;
// Numbers of the glass table from one index, and from one side, to the next.
constexpr u32 GLASS_INDEX = tables::GLASS_NODES * tables::GLASS_NODES;
constexpr u32 GLASS_SIDE = tables::GLASS_NODES * GLASS_INDEX;

// A boundary of clear glass of one alpha and one index.
struct Glass {
    u32 index;
    float w;
    u32 row;
    float t;

    // Of index `n`, 1.02 to 10, of the denser side over the thinner.
    static RW_FUNCTION Glass make(float alpha, float n) {
        const float root = square_root(clamp(alpha, MIN_ALPHA, 1.0f));
        const Place a = locate(root, tables::GLASS_NODES);
        const float index =
            (square_root(most(1.0f - 1.0f / n, 0.0f)) - INDEX_AXIS_0) * (1.0f / (INDEX_AXIS_1 - INDEX_AXIS_0));
        const Place i = locate(index, tables::GLASS_NODES);
        return {i.node * GLASS_INDEX, i.beyond, a.node * tables::GLASS_NODES, a.beyond};
    }

    static RW_FUNCTION float mean_of_row(const Scene& scene, u32 at, float s) {
        const float low = tables::number(scene, at);
        return low + s * (tables::number(scene, at + 1) - low);
    }
    RW_FUNCTION float mean(const Scene& scene, u32 at, float alpha, float s) const {
        const float low = mean_of_row(scene, at, s);
        return alpha * alpha * (low + w * (mean_of_row(scene, at + tables::MEAN_NODES, s) - low));
    }
    // Mean of the loss on the thinner and on the denser side, of the same `alpha`.
    RW_FUNCTION Vec2 means(const Scene& scene, float alpha) const {
        alpha = clamp(alpha, MIN_ALPHA, 1.0f);
        const Place m = locate_mean(square_root(alpha));
        const u32 at = tables::GLASS_MEANS + index / GLASS_INDEX * tables::MEAN_NODES + m.node;
        return {mean(scene, at, alpha, m.beyond),
                mean(scene, at + tables::GLASS_NODES * tables::MEAN_NODES, alpha, m.beyond)};
    }

    // Of the same index and another alpha.
    RW_FUNCTION Glass of_alpha(float alpha) const {
        const Place a = locate(square_root(clamp(alpha, MIN_ALPHA, 1.0f)), tables::GLASS_NODES);
        return {index, w, a.node * tables::GLASS_NODES, a.beyond};
    }

    RW_FUNCTION float at(const Scene& scene, bool dense, float cos, float alpha) const {
        const Place x = locate(place_of_cosine(cos, alpha), tables::GLASS_NODES);
        const u32 at = tables::GLASS + index + row + x.node + (dense ? GLASS_SIDE : 0);
        const float low = between_rows(scene, at, tables::GLASS_NODES, x.beyond, t);
        const float high = between_rows(scene, at + GLASS_INDEX, tables::GLASS_NODES, x.beyond, t);
        return SCALE * (low + w * (high - low));
    }
};

}  // namespace loss_table

// What single scattering loses at a boundary of clear glass of any alphas.
struct GlassLosses {
    Vec2 alpha;
    loss_table::Glass even;
    float even_alpha;
    AnisotropicGlass anisotropic;

    // Of index `n`, 1.02 to 10, of the denser side over the thinner.
    static RW_FUNCTION GlassLosses make(Vec2 alpha, float n) {
        alpha = clamp(alpha, MIN_ALPHA, 1.0f);
        const float even_alpha = loss_table::even_alpha(alpha);
        const AnisotropicGlass anisotropic = alpha.x == alpha.y ? AnisotropicGlass::none() : AnisotropicGlass::make(alpha, n);
        return {alpha, loss_table::Glass::make(even_alpha, n), even_alpha, anisotropic};
    }

    // Share of the light that `w` loses on the thinner or the denser side.
    RW_FUNCTION float at(const Scene& scene, bool dense, Vec3 w) const {
        const float cos = magnitude(w.z);
        if (alpha.x == alpha.y) {
            return even.at(scene, dense, cos, alpha.x);
        }
        const float along = loss_table::projected(alpha, w);
        const float base_alpha = anisotropic_glass::alpha_of_base(even_alpha, along, cos);
        const float base = even.of_alpha(base_alpha).at(scene, dense, cos, base_alpha);
        return clamp(base + anisotropic.at(scene, dense, alpha, cos, along), 0.0f, 1.0f);
    }

    // Its means over the hemisphere on the thinner and on the denser side, at the same `n`.
    RW_FUNCTION Vec2 means(const Scene& scene, float n) const {
        const Vec2 means = even.means(scene, even_alpha);
        return alpha.x == alpha.y ? means : means * anisotropic_glass::mean_ratios(scene, alpha, n);
    }

    RW_FUNCTION Horizon horizon() const { return Horizon::make(even_alpha); }
};

}  // namespace raywarp::render
