// Glass: reflection and transmission at a smooth or a GGX boundary, or through a thin sheet. As raywarp-render's
// bsdf/dielectric.rs.
#pragma once

#include "../texture/inputs.h"
#include "fresnel.h"
#include "loss_table_glass.h"
#include "sample.h"

namespace raywarp::render {

namespace dielectric {

constexpr float LEAST_BEND = 0.02f;
// Below 1 by f32::EPSILON.
constexpr float MOST_U = 1.0f - 1.1920928955078125e-7f;

// What facets lose, on either side: `WhiteLosses` of a sheet or `GlassLosses`, in the same words.
struct Losses {
    Vec2 alpha;
    float even_alpha;
    u32 row;
    float t;
    u32 anisotropic_row;
    float anisotropic_t, anisotropic_r, scale;
    // Of glass.
    u32 index;
    float w, anisotropic_w;
    bool is_sheet;
    // Whether `wo` is on the denser side.
    bool from_dense;

    static RW_FUNCTION Losses of(const WhiteLosses& sheet) {
        const loss_table::AnisotropicLoss& anisotropic = sheet.anisotropic;
        return {sheet.alpha,   sheet.even_alpha, sheet.even.row,    sheet.even.t, anisotropic.row, anisotropic.t,
                anisotropic.r, anisotropic.scale, 0, 0.0f, 0.0f, true, false};
    }
    static RW_FUNCTION Losses of(const GlassLosses& glass, bool from_dense) {
        const loss_table::Glass& even = glass.even;
        const AnisotropicGlass& anisotropic = glass.anisotropic;
        return {glass.alpha,   glass.even_alpha, even.row,   even.t, anisotropic.row, anisotropic.t,
                anisotropic.r, anisotropic.scale, even.index, even.w, anisotropic.w, false, from_dense};
    }
    RW_FUNCTION WhiteLosses sheet() const {
        return {alpha, {row, t, 0.0f}, even_alpha, {anisotropic_row, anisotropic_t, anisotropic_r, smallest_element(alpha), scale}};
    }
    RW_FUNCTION GlassLosses glass() const {
        return {alpha, {index, w, row, t}, even_alpha, {anisotropic_row, anisotropic_w, anisotropic_t, anisotropic_r, scale}};
    }

    // Share of the light that `w` loses; `wo` is above.
    RW_FUNCTION float at(const Scene& scene, Vec3 along) const {
        return is_sheet ? sheet().at(scene, along) : glass().at(scene, from_dense == (along.z > 0.0f), along);
    }
    RW_FUNCTION Horizon horizon() const { return Horizon::make(even_alpha); }
};

// Light of further bounces between facets, for one `wo`.
struct Bounces {
    Losses losses;
    float over_here, over_beyond;
    // Share of it that comes from the side of `wo`.
    float reflected;
    // Probability of the lobe.
    float p;

    // A direction of further bounces, `wo` above.
    RW_FUNCTION Vec3 sample(float u_side, Vec2 u) const {
        const bool is_here = u_side < reflected;
        const float u_lobe = is_here ? u_side / reflected : (u_side - reflected) / (1.0f - reflected);
        const Vec3 wi = losses.horizon().sample(u_lobe, u);
        return is_here ? wi : with_z(wi, -wi.z);
    }
};

// Density of the refracted `wi`, if every visible facet refracts.
RW_FUNCTION float refraction_pdf(const Ggx& ggx, Vec3 wo, Vec3 wi, Vec3 h, float eta) {
    const float o = dot(wo, h), i = dot(wi, h);
    const float denominator = i + o / eta;
    const float visible = ggx.g1(wo) * ggx.d(h) * most(o, 0.0f) / wo.z;
    return visible * magnitude(i) / (denominator * denominator);
}

}  // namespace dielectric

struct Dielectric {
    // Inside over outside.
    float ior;
    Vec2 alpha;
    Vec3 reflectance, transmittance;
    // A sheet without thickness.
    bool thin;
    Scattering scattering;

    using Bounces = dielectric::Bounces;

    static RW_FUNCTION Dielectric look_up(const Inputs& m) {
        return {m.numbers(4).x, m.alpha(2, 0.0f), m.share(0), m.share(1), m.is_thin(), m.scattering};
    }

    RW_FUNCTION bool is_smooth() const {
        const float least = scattering == Scattering::Single ? 1e-3f : dielectric::LEAST_BEND;
        return Ggx::is_smooth(alpha) || (!thin && magnitude(ior - 1.0f) < least);
    }

    // The further bounces at a rough boundary.
    RW_COLD Option<Bounces> bounces(const Scene& scene, Vec3 wo) const {
        if (scattering == Scattering::Single || is_smooth()) {
            return none();
        }
        const float eta = relative_ior(wo);
        const float n = eta > 1.0f ? eta : 1.0f / eta;
        const float fresnel = fresnel::dielectric_mean(n);
        dielectric::Losses losses;
        float here, beyond, smooth;
        if (thin) {
            const WhiteLosses sheet = WhiteLosses::make(scene, alpha);
            losses = dielectric::Losses::of(sheet);
            here = beyond = sheet.mean();
            smooth = (1.0f - fresnel) / (1.0f + fresnel);
        } else {
            const bool from_dense = eta < 1.0f;
            const GlassLosses glass = GlassLosses::make(alpha, n);
            losses = dielectric::Losses::of(glass, from_dense);
            smooth = from_dense ? (1.0f - fresnel) / (n * n) : 1.0f - fresnel;
            const Vec2 means = glass.means(scene, n);
            here = from_dense ? means.y : means.x;
            beyond = from_dense ? means.x : means.y;
        }
        const float through = smooth / most(here, beyond);
        const float lost = losses.at(scene, above(wo));
        const float reflected = 1.0f - through * beyond;
        return some(Bounces{losses, lost * reflected / here, lost * through, reflected, least(lost, 0.95f)});
    }

    // Adds further bounces to the first; `wi` is above on the side of `wo`.
    RW_FUNCTION BsdfValue with_bounces(const Scene& scene, BsdfValue first, const Bounces& bounces, Vec3 wi,
                                       float eta) const {
        const float cos = magnitude(wi.z);
        Vec3 tint = reflectance;
        float over = bounces.over_here, side = bounces.reflected;
        if (!(wi.z > 0.0f)) {
            tint = thin ? transmittance : transmittance * (1.0f / (eta * eta));
            over = bounces.over_beyond;
            side = 1.0f - bounces.reflected;
        }
        const float further = over * bounces.losses.at(scene, wi) * (cos * FRAC_1_PI);
        const float pdf = (1.0f - bounces.p) * first.pdf + bounces.p * side * bounces.losses.horizon().pdf(cos);
        return {first.value + tint * further, pdf};
    }
    // The same for directions on any side.
    RW_FUNCTION BsdfValue with_further(const Scene& scene, BsdfValue first, const Option<Bounces>& bounces,
                                       Vec3 wo, Vec3 wi) const {
        return bounces ? with_bounces(scene, first, *bounces, turned_as(wo, wi), relative_ior(wo)) : first;
    }

    // Index on the other side of `wo` over that on its own.
    RW_FUNCTION float relative_ior(Vec3 wo) const { return wo.z >= 0.0f || thin ? ior : 1.0f / ior; }

    RW_FUNCTION fresnel::Boundary reflected(float cos, float eta) const {
        fresnel::Boundary at = fresnel::dielectric(cos, eta);
        // R + T R T + T R^3 T + ... of the two sides of a sheet.
        at.reflected = thin ? 2.0f * at.reflected / (1.0f + at.reflected) : at.reflected;
        return at;
    }

    RW_COLD Option<BsdfSample> sample(const Scene& scene, const Option<Bounces>& bounces, Vec3 wo,
                                          float u_lobe, Vec2 u) const {
        const float eta = relative_ior(wo);
        // Everything with wo above, then turned back.
        const Vec3 up = above(wo);
        const Ggx ggx = Ggx::make(alpha);
        const bool smooth = is_smooth();
        if (bounces) {
            if (u_lobe < bounces->p) {
                const Vec3 wi = bounces->sample(u_lobe / bounces->p, u);
                const BsdfValue both = with_bounces(scene, first(ggx, up, wi, eta), *bounces, wi, eta);
                return BsdfSample::smooth(wo, turned_as(wo, wi), both.value * (1.0f / both.pdf), both.pdf);
            }
            u_lobe = least((u_lobe - bounces->p) / (1.0f - bounces->p), dielectric::MOST_U);
        }
        const Vec3 h = smooth ? Vec3{0.0f, 0.0f, 1.0f} : ggx.sample_visible(up, u);
        const float cos = most(dot(up, h), MIN_COS);
        const fresnel::Boundary boundary = reflected(cos, eta);
        const bool is_reflected = u_lobe < boundary.reflected;
        Vec3 wi, tint = transmittance;
        if (is_reflected || thin) {
            wi = 2.0f * cos * h - up;
            if (is_reflected) {
                tint = reflectance;
            } else {
                wi.z = -wi.z;
            }
        } else {
            wi = (cos / eta - boundary.cos_t) * h - up / eta;
            tint = transmittance * (1.0f / (eta * eta));
        }
        const float probability = is_reflected ? boundary.reflected : 1.0f - boundary.reflected;
        // A facet may send its light to the wrong side of the surface; that light is lost.
        if ((wi.z > 0.0f) != is_reflected) {
            return none();
        }
        wi = normalized_or(wi, {0.0f, 0.0f, 0.0f});
        const Vec3 turned = turned_as(wo, wi);
        if (smooth) {
            return BsdfSample::delta(wo, turned, tint);
        }
        const float density =
            is_reflected || thin ? ggx.reflection_pdf(up, h) : dielectric::refraction_pdf(ggx, up, wi, h, eta);
        const Vec3 weight = tint * ggx.g1(wi);
        const float pdf = density * probability;
        if (bounces) {
            const BsdfValue both = with_bounces(scene, {weight * pdf, pdf}, *bounces, wi, eta);
            return BsdfSample::smooth(wo, turned, both.value * (1.0f / both.pdf), both.pdf);
        }
        return BsdfSample::smooth(wo, turned, weight, pdf);
    }

    RW_COLD BsdfValue eval(const Scene& scene, const Option<Bounces>& bounces, Vec3 wo, Vec3 wi) const {
        if (is_smooth() || wo.z * wi.z == 0.0f) {
            return BsdfValue::zero();
        }
        const float eta = relative_ior(wo);
        const Vec3 turned = turned_as(wo, wi);
        const BsdfValue value = first(Ggx::make(alpha), above(wo), turned, eta);
        return bounces ? with_bounces(scene, value, *bounces, turned, eta) : value;
    }

    // Value and density of the first bounce, with `wo` above.
    RW_FUNCTION BsdfValue first(const Ggx& ggx, Vec3 up, Vec3 wi, float eta) const {
        if (wi.z > 0.0f || thin) {
            // A thin sheet's transmission is its reflection mirrored.
            const Vec3 h = normalized_or(up + with_z(wi, magnitude(wi.z)), {0.0f, 0.0f, 1.0f});
            const float share = reflected(most(dot(up, h), MIN_COS), eta).reflected;
            const Vec3 tint = wi.z > 0.0f ? reflectance : transmittance;
            const float pdf = ggx.reflection_pdf(up, h) * (wi.z > 0.0f ? share : 1.0f - share);
            return {tint * (pdf * ggx.g1(wi)), pdf};
        }
        // The half vector of a refraction points into the thinner medium; here always up.
        Vec3 h = normalized_or(up + eta * wi, {0.0f, 0.0f, 1.0f});
        h = h.z < 0.0f ? -h : h;
        // A facet seen from one side cannot be refracted at from the other.
        if (dot(up, h) <= 0.0f || dot(wi, h) >= 0.0f) {
            return BsdfValue::zero();
        }
        const float share = reflected(most(dot(up, h), MIN_COS), eta).reflected;
        const float pdf = dielectric::refraction_pdf(ggx, up, wi, h, eta) * (1.0f - share);
        return {transmittance * (1.0f / (eta * eta)) * (pdf * ggx.g1(wi)), pdf};
    }

    RW_FUNCTION Vec3 albedo(Vec3 wo) const {
        const float share = reflected(wo.z, ior).reflected;
        return reflectance * share + transmittance * (1.0f - share);
    }
};

}  // namespace raywarp::render
