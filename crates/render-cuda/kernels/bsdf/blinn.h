// Blinn microfacets over a Lambert base. As raywarp-render's bsdf/blinn.rs.
#pragma once

#include "../sample/elementary/exponential.h"
#include "../sample/elementary/logarithm.h"
#include "../sample/warp/direction.h"
#include "../sample/warp/turn.h"
#include "../texture/inputs.h"
#include "albedo_table.h"
#include "fresnel.h"
#include "sample.h"

namespace raywarp::render {

namespace blinn {

RW_FUNCTION float alpha_of_exponent(float n) { return square_root(2.0f / (n + 2.0f)); }

RW_FUNCTION float d(float n, Vec3 h) {
    const float sin2 = least(h.x * h.x + h.y * h.y, 1.0f);
    const float power = n == 0.0f ? 1.0f : elementary::exp(0.5f * n * elementary::ln_1p(-sin2));
    return (n + 2.0f) / TAU * power;
}

RW_FUNCTION Vec3 sample_normal(float n, Vec2 u) {
    const float sin2 = -elementary::exp_m1(2.0f / (n + 2.0f) * elementary::ln_1p(-u.x));
    const SinCos turn = sin_cos_turn(u.y);
    const float r = square_root(sin2);
    return {r * turn.cos, r * turn.sin, square_root(most(1.0f - sin2, 0.0f))};
}

RW_FUNCTION float g1(Vec3 w, Vec3 h) {
    const float cos = dot(w, h);
    return cos > 0.0f ? least(2.0f * h.z * w.z / cos, 1.0f) : 0.0f;
}

RW_FUNCTION Vec3 twin(Vec3 h) { return {-h.x, -h.y, h.z}; }

// How visible to `w` the first of two facets of a cavity is, h and its twin.
RW_FUNCTION float share_of_first(Vec3 w, Vec3 h) {
    const float a = most(dot(w, h), 0.0f), b = most(dot(w, twin(h)), 0.0f);
    return a + b > 0.0f ? a / (a + b) : 1.0f;
}

struct Lobes {
    AlbedoRow row;
    float n;
    float f90;
    Vec3 e_wo;
    float p_specular;
};

}  // namespace blinn

struct Blinn {
    Vec3 diffuse;
    Vec3 specular;
    float exponent;

    using Lobes = blinn::Lobes;

    static RW_FUNCTION Blinn look_up(const Inputs& m) {
        return {m.share(0), m.share(1), clamp(m.scalar(2), 0.0f, 1e6f)};
    }

    RW_FUNCTION Option<Lobes> lobes(const Scene& scene, Vec3 wo) const {
        const float n = exponent > 0.0f ? least(exponent, 1e6f) : 0.0f;
        const AlbedoRow row = AlbedoRow::make(scene, tables::BLINN, blinn::alpha_of_exponent(n));
        const float f90 = fresnel::f90_of_f0(specular);
        const Vec3 e_wo = albedo_table::albedo(specular, f90, row.at(scene, wo.z));
        const float facets = sum(e_wo);
        const float base = sum(diffuse * (1.0f - e_wo));
        const float total = facets + base;
        return total > 0.0f ? some(Lobes{row, n, f90, e_wo, facets / total}) : none();
    }

    RW_COLD Option<BsdfSample> sample(const Scene& scene, Vec3 wo, float u_lobe, Vec2 u) const {
        const Option<Lobes> l = lobes(scene, wo);
        if (!l) {
            return none();
        }
        Vec3 wi;
        if (u_lobe < l->p_specular) {
            const Vec3 first = blinn::sample_normal(l->n, u);
            const Vec3 h = u_lobe < l->p_specular * blinn::share_of_first(wo, first) ? first : blinn::twin(first);
            wi = 2.0f * dot(wo, h) * h - wo;
        } else {
            wi = cosine_hemisphere(u);
        }
        if (wi.z <= 0.0f) {
            return none();
        }
        const BsdfValue all = eval_lobes(scene, *l, wo, wi);
        return BsdfSample::smooth(wo, wi, all.value * (1.0f / all.pdf), all.pdf);
    }

    RW_COLD BsdfValue eval(const Scene& scene, Vec3 wo, Vec3 wi) const {
        const Option<Lobes> l = lobes(scene, wo);
        return l ? eval_lobes(scene, *l, wo, wi) : BsdfValue::zero();
    }

    RW_FUNCTION BsdfValue eval_lobes(const Scene& scene, const Lobes& lobes, Vec3 wo, Vec3 wi) const {
        const Vec3 h = half_vector(wo, wi);
        const float facets = blinn::d(lobes.n, h) / (4.0f * wo.z);
        const float masking = blinn::g1(wo, h);
        const Vec3 e_wi = albedo_table::albedo(specular, lobes.f90, lobes.row.at(scene, wi.z));
        const Vec3 mean = albedo_table::albedo(specular, lobes.f90, lobes.row.mean);
        const float cosine = wi.z * FRAC_1_PI;
        const Vec3 value =
            fresnel::schlick(specular, lobes.f90, dot(wo, h)) * (facets * least(masking, blinn::g1(wi, h))) +
            diffuse * albedo_table::coupling(lobes.e_wo, e_wi, mean) * cosine;
        return {value, lobes.p_specular * facets * masking + (1.0f - lobes.p_specular) * cosine};
    }

    RW_COLD Vec3 albedo(const Scene& scene, Vec3 wo) const {
        const Option<Lobes> l = lobes(scene, wo);
        return l ? l->e_wo + diffuse * (1.0f - l->e_wo) : Vec3::splat(0.0f);
    }
};

}  // namespace raywarp::render
