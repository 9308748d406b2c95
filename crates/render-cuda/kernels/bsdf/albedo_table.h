// Directional albedo of microfacet lobes with Schlick's Fresnel term, tabulated. As raywarp-render's
// bsdf/albedo_table.rs.
#pragma once

#include "loss_table.h"

namespace raywarp::render {

namespace albedo_table {

RW_FUNCTION loss_table::Place locate(float x) {
    return loss_table::locate(square_root(clamp(x, 0.0f, 1.0f)), tables::ALBEDO_NODES);
}

// (scale, bias) of a node.
RW_FUNCTION Vec2 node(const Scene& scene, u32 at) { return {tables::number(scene, at), tables::number(scene, at + 1)}; }

// Between a node, whose first number is `at` of all tables', and the next.
RW_FUNCTION Vec2 between(const Scene& scene, u32 at, float t) { return lerp(node(scene, at), node(scene, at + 2), t); }

// Numbers of the nodes of one axis.
constexpr u32 NODES = 2 * tables::ALBEDO_NODES;

// `f0 * scale + f90 * bias`.
RW_FUNCTION Vec3 albedo(Vec3 f0, float f90, Vec2 scale_bias) {
    return clamp(f0 * scale_bias.x + f90 * scale_bias.y, 0.0f, 1.0f);
}

RW_FUNCTION Vec3 coupling(Vec3 e_wo, Vec3 e_wi, Vec3 mean) {
    return (1.0f - e_wo) * (1.0f - e_wi) / most(1.0f - mean, Vec3::splat(1e-6f));
}

}  // namespace albedo_table

// A table at one alpha.
struct AlbedoRow {
    // The first number of its lower axis of nodes.
    u32 low;
    float t;
    Vec2 mean;

    // `table` is `tables::GGX` or `tables::BLINN`, `alpha` 0 to 1.
    static RW_FUNCTION AlbedoRow make(const Scene& scene, u32 table, float alpha) {
        const loss_table::Place a = albedo_table::locate(alpha);
        const u32 means = table + tables::ALBEDO_NODES * albedo_table::NODES + 2 * a.node;
        return {table + a.node * albedo_table::NODES, a.beyond, albedo_table::between(scene, means, a.beyond)};
    }

    RW_FUNCTION Vec2 at(const Scene& scene, float cos) const {
        const loss_table::Place x = albedo_table::locate(cos);
        const u32 first = low + 2 * x.node;
        return lerp(albedo_table::between(scene, first, x.beyond),
                    albedo_table::between(scene, first + albedo_table::NODES, x.beyond), t);
    }
};

}  // namespace raywarp::render
