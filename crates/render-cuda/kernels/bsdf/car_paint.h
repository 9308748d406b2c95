// Car paint: a Lambert base beside metallic flakes, all under a clear coat. As raywarp-render's bsdf/car_paint.rs.
#pragma once

#include "../sample/hash.h"
#include "../texture/inputs.h"
#include "coat.h"

namespace raywarp::render {

namespace car_paint {

// What flakes and the coat's scale lose at the first bounce, for one `wo`.
struct Bounces {
    WhiteLosses losses;
    Option<Beneath> beneath;
    Vec3 factor;
};

RW_FUNCTION float left(const Scene& scene, const WhiteLosses& losses, const Option<Beneath>& beneath, float cos,
                       Vec3 w_flake, float let_in) {
    const float lost = losses.at(scene, w_flake);
    return beneath ? beneath->left_metal(scene, cos, lost, let_in) : lost;
}

// What sampling and evaluation share for one `wo`.
struct Lobes {
    Option<Coat> coat;
    Ggx flake;
    float amount;
    // Rows take a direction to the flake's frame.
    Vec3 t, b, n;
    Vec3 wo_flake;
    float p_coat, p_flake, p_base;
    Option<Bounces> bounces;
    float p_bounces;

    RW_FUNCTION Vec3 at_flake(Vec3 w) const { return {dot(t, w), dot(b, w), dot(n, w)}; }
    RW_FUNCTION Vec3 out_of_flake(Vec3 w) const { return w.x * t + w.y * b + w.z * n; }
};

// The normal of the flake at a point of the texture space, for flakes of a size.
RW_FUNCTION Vec3 flake_normal(Vec2 uv, float size, float alpha) {
    const u32 x = static_cast<u32>(platform::to_i32(platform::floor(uv.x / size)));
    const u32 y = static_cast<u32>(platform::to_i32(platform::floor(uv.y / size)));
    const u32 key = hash::combine(hash::pcg(x), y);
    const float u1 = hash::to_unit(key), u2 = hash::to_unit(hash::pcg(key));
    const float tan2 = alpha * alpha * u1 / most(1.0f - u1, 1e-6f);
    const float cos = 1.0f / square_root(1.0f + tan2);
    const float sin = square_root(most(1.0f - cos * cos, 0.0f));
    const SinCos turn = sin_cos_turn(u2);
    return {sin * turn.cos, sin * turn.sin, cos};
}

}  // namespace car_paint

struct CarPaint {
    Vec3 base;
    Vec3 flake_color;
    float flake_amount;
    float flake_alpha;
    Vec3 flake_normal;
    float coat_ior;
    float coat_alpha;
    Scattering scattering;

    using Lobes = car_paint::Lobes;
    using Bounces = car_paint::Bounces;

    static RW_COLD CarPaint look_up(const Inputs& m) {
        const Vec3 flakes = m.numbers(2), coat = m.numbers(3);
        const float amount = flakes.x, size = flakes.y, flake_alpha = flakes.z;
        Vec3 flake_normal = {0.0f, 0.0f, 1.0f};
        if (size > 0.0f) {
            flake_normal = car_paint::flake_normal(m.at.uv[0], size, flake_alpha);
        }
        const Vec3 base = m.share(0), flake_color = m.share(1);
        return {base,
                flake_color,
                clamp(amount, 0.0f, 1.0f),
                clamp(flake_alpha, MIN_LAYER_ALPHA, 1.0f),
                flake_normal,
                coat.x,
                clamp(coat.y, MIN_LAYER_ALPHA, 1.0f),
                m.scattering};
    }

    RW_FUNCTION Option<Lobes> lobes(const Scene& scene, Vec3 wo) const {
        const float f0 = fresnel::f0_of_ior(most(coat_ior, 1.0f));
        const Option<Coat> coat = Coat::make(scene, f0 > 0.0f ? 1.0f : 0.0f, f0, coat_alpha, wo);
        const float amount = flake_amount > 0.0f ? least(flake_amount, 1.0f) : 0.0f;
        Vec3 t = {1.0f, 0.0f, 0.0f}, b = {0.0f, 1.0f, 0.0f};
        if (!(flake_normal == Vec3{0.0f, 0.0f, 1.0f})) {
            const auto frame = onb(flake_normal);
            t = frame.tangent;
            b = frame.bitangent;
        }
        const Vec3 wo_flake = {dot(t, wo), dot(b, wo), dot(flake_normal, wo)};
        const bool is_visible = wo_flake.z > MIN_COS;
        const float under = coat ? 1.0f - coat->albedo() : 1.0f;
        const float p_coat = (coat ? coat->albedo() : 0.0f) * 3.0f;
        const float flake_albedo = sum(fresnel::schlick(flake_color, 1.0f, most(wo_flake.z, 0.0f)));
        const float p_flake = is_visible ? under * amount * flake_albedo : 0.0f;
        const float p_base = under * (1.0f - amount) * sum(base);
        const Vec2 alphas = clamp(Vec2::splat(flake_alpha), MIN_LAYER_ALPHA, 1.0f);
        Option<Bounces> bounces = none();
        float p_bounces = 0.0f;
        if (scattering == Scattering::Multiple && p_flake > 0.0f) {
            const WhiteLosses losses = WhiteLosses::make(scene, alphas);
            Option<Beneath> beneath = none();
            float mean = losses.mean();
            if (coat) {
                beneath = some(coat->beneath(alphas.x));
                mean = coat->left_mean_metal(scene, *beneath, losses.mean());
            }
            const Vec3 reflectance = fresnel::further(amount, fresnel::schlick_mean(flake_color), losses.mean());
            const float left = car_paint::left(scene, losses, beneath, wo.z, wo_flake, under);
            p_bounces = left * sum(reflectance);
            bounces = some(Bounces{losses, beneath, reflectance * (left / mean)});
        }
        const float total = p_coat + p_flake + p_base + p_bounces;
        if (!(total > 0.0f)) {
            return none();
        }
        return some(Lobes{coat, Ggx::make(alphas), amount, t, b, flake_normal, wo_flake, p_coat / total,
                          p_flake / total, p_base / total, bounces, p_bounces / total});
    }

    // As of Principled.
    RW_COLD void prepare(const Scene& scene, Vec3 wo, Option<Lobes>& shared) const { shared = lobes(scene, wo); }

    RW_COLD Option<BsdfSample> sample(const Scene& scene, const Option<Lobes>& l, Vec3 wo, float u_lobe, Vec2 u) const {
        if (!l) {
            return none();
        }
        Vec3 wi;
        if (l->bounces && u_lobe >= 1.0f - l->p_bounces) {
            const float u_horizon = (u_lobe - (1.0f - l->p_bounces)) / l->p_bounces;
            wi = l->out_of_flake(l->bounces->losses.horizon().sample(u_horizon, u));
        } else if (u_lobe < l->p_base) {
            wi = cosine_hemisphere(u);
        } else if (l->coat && u_lobe >= l->p_base + l->p_flake) {
            const Vec3 h = l->coat->sample_normal(wo, u);
            wi = 2.0f * dot(wo, h) * h - wo;
        } else if (l->p_flake > 0.0f) {
            const Vec3 h = l->flake.sample_visible(l->wo_flake, u);
            const Vec3 wi_flake = 2.0f * dot(l->wo_flake, h) * h - l->wo_flake;
            if (wi_flake.z <= 0.0f) {
                return none();
            }
            wi = l->out_of_flake(wi_flake);
        } else {
            return none();
        }
        if (wi.z <= 0.0f) {
            return none();
        }
        const BsdfValue all = eval(scene, l, wo, wi);
        return BsdfSample::smooth(wo, wi, all.value * (1.0f / all.pdf), all.pdf);
    }

    RW_COLD BsdfValue eval(const Scene& scene, const Option<Lobes>& shared, Vec3 wo, Vec3 wi) const {
        if (!shared) {
            return BsdfValue::zero();
        }
        const Lobes& l = *shared;
        const bool is_multiple = scattering == Scattering::Multiple;
        const float cosine = wi.z * FRAC_1_PI;
        Vec3 value = (1.0f - l.amount) * base * cosine;
        const float e = l.coat ? l.coat->e(scene, wi) : 0.0f;
        const float let_in = l.coat ? l.coat->let_in(e) : 1.0f;
        if (l.coat && is_multiple) {
            value *= (1.0f - l.coat->albedo()) * let_in / most(l.coat->let_in_mean(), 1e-6f);
        }
        float pdf = l.p_base * cosine;
        const Vec3 wi_flake = l.at_flake(wi);
        const bool is_visible = l.p_flake > 0.0f && wi_flake.z > 0.0f;
        if (is_visible) {
            const Vec3 h = half_vector(l.wo_flake, wi_flake);
            const float flake_pdf = l.flake.reflection_pdf(l.wo_flake, h);
            const Vec3 reflectance = fresnel::schlick(flake_color, 1.0f, dot(l.wo_flake, h));
            Vec3 flakes = l.amount * reflectance * (flake_pdf * l.flake.g1(wi_flake));
            if (l.coat && is_multiple) {
                flakes *= l.coat->transmitted(e);
            }
            value += flakes;
            pdf += l.p_flake * flake_pdf;
        }
        if (l.coat) {
            const Coat::Reflection reflection = l.coat->eval(wo, wi, half_vector(wo, wi));
            if (!is_multiple) {
                value *= l.coat->transmitted(e);
            }
            value = value + reflection.value;
            pdf += l.p_coat * reflection.pdf;
        }
        if (l.bounces && is_visible) {
            const float flake_cosine = wi_flake.z * FRAC_1_PI;
            const float left = car_paint::left(scene, l.bounces->losses, l.bounces->beneath, wi.z, wi_flake, let_in);
            value += l.bounces->factor * (left * flake_cosine);
            pdf += l.p_bounces * l.bounces->losses.horizon().pdf(wi_flake.z);
        }
        return {value, pdf};
    }

    RW_COLD Vec3 albedo(const Scene& scene, Vec3 wo) const {
        const float f0 = fresnel::f0_of_ior(most(coat_ior, 1.0f));
        const Option<Coat> over = Coat::make(scene, 1.0f, f0, coat_alpha, above(wo));
        const float coat = over ? over->albedo() : 0.0f;
        const Vec3 under = lerp(base, flake_color, clamp(flake_amount, 0.0f, 1.0f));
        return under * (1.0f - coat) + coat;
    }
};

}  // namespace raywarp::render
