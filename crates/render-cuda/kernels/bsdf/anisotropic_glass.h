// What facets of clear glass lose whose alphas along tangent and bitangent differ. As raywarp-render's
// bsdf/anisotropic_glass.rs.
#pragma once

#include "loss_table.h"

namespace raywarp::render {

namespace anisotropic_glass {

using loss_table::Place;

constexpr float INDEX_AXIS_0 = 0.14f, INDEX_AXIS_1 = 0.82f;
constexpr float ZERO = 1.0f;
constexpr float UNIT = 4e-5f;
// Numbers from one ratio, one larger alpha, one index to the next.
constexpr u32 RATIO = tables::ANISOTROPIC_GLASS_NODES_3 * tables::ANISOTROPIC_GLASS_NODES_4;
constexpr u32 LARGER = tables::ANISOTROPIC_GLASS_NODES_2 * RATIO;
constexpr u32 INDEX = tables::ANISOTROPIC_GLASS_NODES_1 * LARGER;
constexpr u32 MEANS_INDEX = tables::ANISOTROPIC_GLASS_MEAN_NODES_1 * tables::ANISOTROPIC_GLASS_MEAN_NODES_2;
constexpr u32 MEANS_SIDE = tables::ANISOTROPIC_GLASS_MEAN_NODES_0 * MEANS_INDEX;

RW_FUNCTION float alpha_of_base(float even, float projected, float cos) { return projected + (even - projected) * cos; }

RW_FUNCTION float envelope(float most, float cos) {
    const float e = most / (cos + most);
    return e * e;
}

RW_FUNCTION float place_of_index(float n) {
    return (square_root(most(1.0f - 1.0f / n, 0.0f)) - INDEX_AXIS_0) * (1.0f / (INDEX_AXIS_1 - INDEX_AXIS_0));
}

RW_FUNCTION float mean(const Scene& scene, u32 at, float w, float r, float t) {
    const float low = loss_table::between_rows(scene, at, tables::ANISOTROPIC_GLASS_MEAN_NODES_2, r, t);
    const float high = loss_table::between_rows(scene, at + MEANS_INDEX, tables::ANISOTROPIC_GLASS_MEAN_NODES_2, r, t);
    return 4.0f * loss_table::SCALE * (low + w * (high - low));
}

// The mean losses on the thinner and on the denser side, over those of isotropic facets of the even alpha.
RW_FUNCTION Vec2 mean_ratios(const Scene& scene, Vec2 alpha, float n) {
    using loss_table::LEAST_ROOT;
    const float least = smallest_element(alpha), most = largest_element(alpha);
    const Place i = loss_table::locate(place_of_index(n), tables::ANISOTROPIC_GLASS_MEAN_NODES_0);
    const float root = square_root(square_root(most));
    const Place a =
        loss_table::locate((root - LEAST_ROOT) * (1.0f / (1.0f - LEAST_ROOT)), tables::ANISOTROPIC_GLASS_MEAN_NODES_1);
    const Place q =
        loss_table::locate((1.0f - least / most) / loss_table::MOST_ANISOTROPY, tables::ANISOTROPIC_GLASS_MEAN_NODES_2);
    const u32 row = (i.node * tables::ANISOTROPIC_GLASS_MEAN_NODES_1 + a.node) * tables::ANISOTROPIC_GLASS_MEAN_NODES_2 + q.node;
    const u32 at = tables::ANISOTROPIC_GLASS_MEANS + row;
    return {mean(scene, at, i.beyond, q.beyond, a.beyond), mean(scene, at + MEANS_SIDE, i.beyond, q.beyond, a.beyond)};
}

}  // namespace anisotropic_glass

// Two alphas and an index.
struct AnisotropicGlass {
    u32 row;
    float w, t, r;
    float scale;

    static RW_FUNCTION AnisotropicGlass none() { return {0, 0.0f, 0.0f, 0.0f, 0.0f}; }

    // Of alphas that differ, at the index `n` of the denser side over the thinner.
    static RW_FUNCTION AnisotropicGlass make(Vec2 alpha, float n) {
        const float least = smallest_element(alpha), most = largest_element(alpha);
        const loss_table::Place i = loss_table::locate(anisotropic_glass::place_of_index(n), tables::ANISOTROPIC_GLASS_NODES_0);
        const loss_table::Place a = loss_table::locate(square_root(most), tables::ANISOTROPIC_GLASS_NODES_1);
        const loss_table::Place q =
            loss_table::locate((1.0f - least / most) / loss_table::MOST_ANISOTROPY, tables::ANISOTROPIC_GLASS_NODES_2);
        const u32 row = (i.node * tables::ANISOTROPIC_GLASS_NODES_1 + a.node) * tables::ANISOTROPIC_GLASS_NODES_2 + q.node;
        return {row, i.beyond, a.beyond, q.beyond, 1.0f / (most - least)};
    }

    RW_FUNCTION float of_larger(const Scene& scene, u32 at, float x, float y) const {
        const float low = loss_table::between_rows(scene, at, tables::ANISOTROPIC_GLASS_NODES_4, x, y);
        const float high =
            loss_table::between_rows(scene, at + anisotropic_glass::RATIO, tables::ANISOTROPIC_GLASS_NODES_4, x, y);
        return low + r * (high - low);
    }

    RW_FUNCTION float of_index(const Scene& scene, u32 at, float x, float y) const {
        const float low = of_larger(scene, at, x, y);
        return low + t * (of_larger(scene, at + anisotropic_glass::LARGER, x, y) - low);
    }

    // What a direction loses more, of cosine `cos`, toward which the alpha is `projected`.
    RW_FUNCTION float at(const Scene& scene, bool dense, Vec2 alpha, float cos, float projected) const {
        const loss_table::Place p =
            loss_table::locate((projected - smallest_element(alpha)) * scale, tables::ANISOTROPIC_GLASS_NODES_3);
        const loss_table::Place x = loss_table::locate(cos, tables::ANISOTROPIC_GLASS_NODES_4);
        const u32 first = tables::ANISOTROPIC_GLASS + (dense ? tables::ANISOTROPIC_GLASS_SIDE : 0);
        const u32 at = first + row * anisotropic_glass::RATIO + p.node * tables::ANISOTROPIC_GLASS_NODES_4 + x.node;
        const float low = of_index(scene, at, x.beyond, p.beyond);
        const float high = of_index(scene, at + anisotropic_glass::INDEX, x.beyond, p.beyond);
        const float number = anisotropic_glass::UNIT * (low + w * (high - low)) - anisotropic_glass::ZERO;
        return number * anisotropic_glass::envelope(largest_element(alpha), cos);
    }
};

}  // namespace raywarp::render
