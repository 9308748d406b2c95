// Directional albedo of GGX facets with Schlick's Fresnel term, and what single scattering loses at them. As
// raywarp-render's bsdf/facets.rs.
#pragma once

#include "albedo_table.h"
#include "loss_table.h"

namespace raywarp::render {

// What facets return to one direction, or to all.
struct Returned {
    Vec2 scale_bias;
    float lost;
};

// Facets of one roughness.
struct Facets {
    AlbedoRow row;
    // Zeros for single scattering.
    WhiteLosses losses;
    Scattering scattering;

    static RW_FUNCTION Facets make(const Scene& scene, AlbedoRow row, Vec2 alpha, Scattering scattering) {
        return {row, scattering == Scattering::Multiple ? WhiteLosses::make(scene, alpha) : WhiteLosses{}, scattering};
    }

    static RW_FUNCTION Returned single(Vec2 at) { return {at, 1.0f - least(at.x + at.y, 1.0f)}; }

    // Scale and bias with the same ratio, and such that white facets lose `lost`.
    static RW_FUNCTION Returned corrected(Vec2 scale_bias, float lost) {
        return {scale_bias * ((1.0f - lost) / (scale_bias.x + scale_bias.y)), lost};
    }

    RW_FUNCTION Returned at(const Scene& scene, Vec3 w) const {
        const Vec2 at = row.at(scene, w.z);
        return scattering == Scattering::Single ? single(at) : corrected(at, losses.at(scene, w));
    }

    RW_FUNCTION Returned mean() const {
        return scattering == Scattering::Single ? single(row.mean) : corrected(row.mean, losses.mean());
    }
};

}  // namespace raywarp::render
