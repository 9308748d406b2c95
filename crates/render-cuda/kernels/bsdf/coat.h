// A clear dielectric coat over any base. As raywarp-render's bsdf/coat.rs.
#pragma once

#include "albedo_table.h"
#include "coat_table.h"
#include "facets.h"
#include "fresnel.h"
#include "ggx.h"
#include "sample.h"

namespace raywarp::render {

constexpr float MIN_LAYER_ALPHA = 1e-3f;

// What a base beneath a coat has left for lobes that scatter all around.
struct Left {
    Vec3 dielectric;
    float metal;
};

// White facets of one alpha beneath a coat.
struct Beneath {
    CoatLoss table;
    float scale;

    RW_FUNCTION float left_metal(const Scene& scene, float cos, float lost, float let_in) const {
        return lost * let_in + scale * table.at(scene, cos);
    }

    RW_FUNCTION Left left(const Scene& scene, float cos, Returned facets, Vec3 e, float let_in) const {
        const float too_much = scale * table.at(scene, cos);
        const Vec3 share = least(e * (1.0f / most(1.0f - facets.lost, 1e-6f)), Vec3::splat(1.0f));
        return {(1.0f - e) * let_in + share * too_much, facets.lost * let_in + too_much};
    }
};

struct Coat {
    float strength;
    // The same in each channel.
    float f0;
    float alpha;
    Ggx ggx;
    AlbedoRow row;
    float e_wo;

    // A channel of the albedo of an untinted lobe.
    static RW_FUNCTION float gray_albedo(float f0, Vec2 scale_bias) {
        return albedo_table::albedo(Vec3::splat(f0), 1.0f, scale_bias).x;
    }

    // Nothing for a strength of 0.
    static RW_FUNCTION Option<Coat> make(const Scene& scene, float strength, float f0, float alpha, Vec3 wo) {
        if (!(strength > 0.0f)) {
            return none();
        }
        alpha = clamp(alpha, MIN_LAYER_ALPHA, 1.0f);
        const AlbedoRow row = AlbedoRow::make(scene, tables::GGX, alpha);
        const float e_wo = gray_albedo(f0, row.at(scene, wo.z));
        return some(Coat{least(strength, 1.0f), f0, alpha, Ggx::make(Vec2::splat(alpha)), row, e_wo});
    }

    RW_FUNCTION float albedo() const { return strength * e_wo; }
    RW_FUNCTION float e(const Scene& scene, Vec3 w) const { return gray_albedo(f0, row.at(scene, w.z)); }
    RW_FUNCTION float transmitted(float e) const { return 1.0f - strength * most(e_wo, e); }
    RW_FUNCTION float let_in(float e) const { return 1.0f - strength * e; }
    RW_FUNCTION float let_in_wo() const { return let_in(e_wo); }
    RW_FUNCTION float let_in_mean() const { return let_in(gray_albedo(f0, row.mean)); }

    RW_FUNCTION Beneath beneath(float base_alpha) const {
        return {CoatLoss::make(base_alpha, alpha), strength * (1.0f - f0) / (1.0f - COAT_F0)};
    }

    // `base_f0`, `f90` and `e` are those of the base.
    RW_FUNCTION Left left_mean(const Scene& scene, const Beneath& beneath, Returned facets, Vec3 base_f0, float f90,
                               Vec3 e) const {
        const CoatMeans means = beneath.table.means(scene);
        const float metal = metal_mean(beneath, means, facets.lost);
        const Vec3 covered = base_f0 * means.covered.x + f90 * means.covered.y;
        const Vec3 dielectric = (1.0f - e) - (1.0f - let_in_mean()) + strength * covered;
        return {most(dielectric, Vec3::splat(metal)), metal};
    }

    RW_FUNCTION float left_mean_metal(const Scene& scene, const Beneath& beneath, float lost) const {
        return metal_mean(beneath, beneath.table.means(scene), lost);
    }

    RW_FUNCTION float metal_mean(const Beneath& beneath, const CoatMeans& means, float lost) const {
        return lost * let_in(gray_albedo(f0, means.lost)) + beneath.scale * means.loss;
    }

    struct Reflection {
        float value;
        float pdf;
    };

    RW_FUNCTION Reflection eval(Vec3 wo, Vec3 wi, Vec3 h) const {
        const float pdf = ggx.reflection_pdf(wo, h);
        return {strength * fresnel::schlick(Vec3::splat(f0), 1.0f, dot(wo, h)).x * ggx.g1(wi) * pdf, pdf};
    }

    RW_FUNCTION Vec3 sample_normal(Vec3 wo, Vec2 u) const { return ggx.sample_visible(wo, u); }
};

}  // namespace raywarp::render
