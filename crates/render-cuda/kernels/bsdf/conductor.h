// Metal: GGX with the exact Fresnel term of a conductor, and further bounces between facets as a second lobe. As
// raywarp-render's bsdf/conductor.rs.
#pragma once

#include "../texture/inputs.h"
#include "albedo_table.h"
#include "fresnel.h"
#include "ggx.h"
#include "loss_table.h"
#include "sample.h"

namespace raywarp::render {

namespace conductor {

// The lobe of further bounces, for one `wo`.
struct Bounces {
    WhiteLosses losses;
    Vec3 factor;
    float p;
};

}  // namespace conductor

struct Conductor {
    Vec3 eta;
    Vec3 k;
    Vec2 alpha;
    Vec3 fresnel_mean;

    using Bounces = conductor::Bounces;

    static RW_FUNCTION Conductor look_up(const Inputs& m) {
        const Vec3 eta = most(m.color(0), Vec3::splat(0.0f)), k = most(m.color(1), Vec3::splat(0.0f));
        return make(eta, k, m.alpha(2, 0.0f), m.scattering);
    }

    static RW_FUNCTION Conductor make(Vec3 eta, Vec3 k, Vec2 alpha, Scattering scattering) {
        const bool is_further = scattering == Scattering::Multiple && !Ggx::is_smooth(alpha);
        return {eta, k, alpha, is_further ? fresnel::conductor_mean(eta, k) : Vec3::splat(0.0f)};
    }

    RW_FUNCTION bool is_smooth() const { return Ggx::is_smooth(alpha); }

    RW_COLD Option<Bounces> bounces(const Scene& scene, Vec3 wo) const {
        const Vec3 f = fresnel_mean;
        if (f == Vec3::splat(0.0f)) {
            return none();
        }
        const WhiteLosses losses = WhiteLosses::make(scene, alpha);
        const float lost = losses.at(scene, wo), mean = losses.mean();
        const Vec3 reflectance = fresnel::further(1.0f, f, mean);
        const float further = lost * sum(reflectance);
        const float first = (1.0f - lost) * sum(f);
        return some(Bounces{losses, reflectance * (lost / mean), further / (further + first)});
    }

    RW_COLD Option<BsdfSample> sample(const Scene& scene, const Option<Bounces>& bounces, Vec3 wo, float u_lobe,
                                          Vec2 u) const {
        if (is_smooth()) {
            return BsdfSample::delta(wo, mirrored(wo), fresnel::conductor(wo.z, eta, k));
        }
        const Ggx ggx = Ggx::make(alpha);
        Vec3 wi, h;
        if (bounces && u_lobe < bounces->p) {
            wi = bounces->losses.horizon().sample(u_lobe / bounces->p, u);
            h = half_vector(wo, wi);
        } else {
            h = ggx.sample_visible(wo, u);
            const float cos = dot(wo, h);
            wi = 2.0f * cos * h - wo;
            if (wi.z <= 0.0f) {
                return none();
            }
            if (!bounces) {
                const Vec3 weight = fresnel::conductor(cos, eta, k) * ggx.g1(wi);
                return BsdfSample::smooth(wo, wi, weight, ggx.reflection_pdf(wo, h));
            }
        }
        const BsdfValue all = all_bounces(scene, ggx, *bounces, wo, wi, h);
        return BsdfSample::smooth(wo, wi, all.value * (1.0f / all.pdf), all.pdf);
    }

    RW_COLD BsdfValue eval(const Scene& scene, const Option<Bounces>& bounces, Vec3 wo, Vec3 wi) const {
        if (is_smooth()) {
            return BsdfValue::zero();
        }
        const Ggx ggx = Ggx::make(alpha);
        const Vec3 h = half_vector(wo, wi);
        return bounces ? all_bounces(scene, ggx, *bounces, wo, wi, h) : first_bounce(ggx, wo, wi, h);
    }

    RW_FUNCTION BsdfValue first_bounce(const Ggx& ggx, Vec3 wo, Vec3 wi, Vec3 h) const {
        const float pdf = ggx.reflection_pdf(wo, h);
        return {fresnel::conductor(dot(wo, h), eta, k) * (pdf * ggx.g1(wi)), pdf};
    }

    RW_FUNCTION BsdfValue all_bounces(const Scene& scene, const Ggx& ggx, const Bounces& bounces, Vec3 wo, Vec3 wi,
                                      Vec3 h) const {
        const BsdfValue first = first_bounce(ggx, wo, wi, h);
        const Vec3 further = bounces.factor * (bounces.losses.at(scene, wi) * (wi.z * FRAC_1_PI));
        const float pdf = (1.0f - bounces.p) * first.pdf + bounces.p * bounces.losses.horizon().pdf(wi.z);
        return {first.value + further, pdf};
    }

    RW_COLD Vec3 albedo(const Scene& scene, Vec3 wo) const {
        const Vec3 reflectance = fresnel::conductor(wo.z, eta, k);
        if (is_smooth()) {
            return reflectance;
        }
        if (const Option<Bounces> b = bounces(scene, wo)) {
            const float lost = b->losses.at(scene, wo);
            return reflectance * (1.0f - lost) + fresnel::further(1.0f, fresnel_mean, b->losses.mean()) * lost;
        }
        const Vec2 white = AlbedoRow::make(scene, tables::GGX, square_root(alpha.x * alpha.y)).at(scene, wo.z);
        return reflectance * least(white.x + white.y, 1.0f);
    }
};

}  // namespace raywarp::render
