// Metal and dielectric mixed, as in glTF, under an optional clear coat. As raywarp-render's bsdf/principled.rs, whose
// choice between glass and the rest is in bsdf.h.
#pragma once

#include "../texture/inputs.h"
#include "coat.h"
#include "facets.h"
#include "horizon.h"

namespace raywarp::render {

namespace principled {

constexpr float LEAST_MEAN = 1e-6f;

// What the facets leave for the lobes that scatter all around: of the light from one `wo`, and mean.
struct BaseLobes {
    Left wo;
    Left mean;
    Option<Beneath> beneath;
};

// What sampling and evaluation share for one `wo`.
struct Lobes {
    Ggx ggx;
    Facets facets;
    Option<Coat> coat;
    Option<Beneath> beneath;
    Vec3 f0;
    float f90;
    // Times what is left for them of the light from `wo`, over its mean.
    Vec3 diffuse;
    Vec3 bounces;
    Horizon horizon;
    float p_coat, p_specular, p_diffuse;
};

struct LobesAndAlbedo {
    Lobes lobes;
    Vec3 albedo;
};

}  // namespace principled

struct Principled {
    Vec3 base;
    float metallic;
    Vec3 f0;
    float f90;
    Vec2 alpha;
    float coat;
    float coat_alpha;
    Scattering scattering;

    using Lobes = principled::Lobes;
    using LobesAndAlbedo = principled::LobesAndAlbedo;
    using BaseLobes = principled::BaseLobes;

    static RW_COLD Principled look_up_coated(const Inputs& m) {
        const Vec3 base = m.share(0), f0 = m.share(1);
        return coated(base, f0, m.alpha(2, MIN_LAYER_ALPHA), m.scattering);
    }

    static RW_FUNCTION Principled coated(Vec3 diffuse, Vec3 f0, Vec2 alpha, Scattering scattering) {
        return {diffuse, 0.0f, f0, fresnel::f90_of_f0(f0), alpha, 0.0f, 0.0f, scattering};
    }

    RW_FUNCTION Option<LobesAndAlbedo> lobes_and_albedo(const Scene& scene, Vec3 wo) const {
        const Vec2 alpha = clamp(this->alpha, MIN_LAYER_ALPHA, 1.0f);
        const float mean_alpha = square_root(alpha.x * alpha.y);
        const Facets facets =
            Facets::make(scene, AlbedoRow::make(scene, tables::GGX, mean_alpha), alpha, scattering);
        const Option<Coat> coat = Coat::make(scene, this->coat, COAT_F0, coat_alpha, wo);
        const float m = metallic > 0.0f ? least(metallic, 1.0f) : 0.0f;
        const Returned at = facets.at(scene, wo), mean = facets.mean();
        const Vec3 f0 = lerp(this->f0, base, m);
        const float f90 = this->f90 + (1.0f - this->f90) * m;
        const BaseLobes base = base_lobes(scene, coat, wo, at, mean, mean_alpha);
        const Vec3 specular = albedo_table::albedo(f0, f90, at.scale_bias);
        const float coat_albedo = coat ? coat->albedo() : 0.0f;
        const float under = 1.0f - coat_albedo;

        const Vec3 zero = Vec3::splat(0.0f);
        Vec3 diffuse = zero, bounces = zero, scattered = zero;
        float returned = 0.0f;
        if (metallic < 1.0f) {
            const Vec3 reflectance = (1.0f - m) * this->base * base.wo.dielectric;
            diffuse = reflectance / most(base.mean.dielectric, Vec3::splat(principled::LEAST_MEAN));
            scattered = reflectance;
        }
        if (m > 0.0f) {
            const Vec3 fresnel_mean = fresnel::schlick_mean(this->base);
            const float white_mean = least(mean.scale_bias.x + mean.scale_bias.y, 1.0f);
            const Vec3 all =
                m * fresnel_mean * fresnel_mean * white_mean / (1.0f - fresnel_mean * (1.0f - white_mean));
            bounces = all * (base.wo.metal / most(base.mean.metal, least_metal_mean()));
            scattered += all * base.wo.metal;
            returned = sum(all * at.lost);
        }
        const float p_coat = coat_albedo * 3.0f;
        const float p_specular = under * sum(specular);
        const float share = base.beneath ? 1.0f : under;
        const float p_diffuse = share * sum(scattered);
        Horizon horizon = Horizon::none();
        if (scattering == Scattering::Multiple && returned > 0.0f) {
            horizon = Horizon::make(mean_alpha).scaled(returned / p_diffuse);
        }
        const float total = p_coat + p_specular + p_diffuse;
        if (!(total > 0.0f)) {
            return none();
        }
        const Vec3 albedo = scattering == Scattering::Single
                                ? (specular + scattered) * under + coat_albedo
                                : least(specular * under + scattered + coat_albedo, Vec3::splat(1.0f));
        const float scale = 1.0f / total;
        return some(LobesAndAlbedo{{Ggx::make(alpha), facets, coat, base.beneath, f0, f90, diffuse, bounces, horizon,
                                    p_coat * scale, p_specular * scale, p_diffuse * scale},
                                   albedo});
    }

    RW_FUNCTION BaseLobes base_lobes(const Scene& scene, const Option<Coat>& coat, Vec3 wo, Returned at, Returned mean,
                                     float mean_alpha) const {
        const Vec3 dielectric_wo = albedo_table::albedo(f0, f90, at.scale_bias);
        const Vec3 dielectric_mean = albedo_table::albedo(f0, f90, mean.scale_bias);
        if (coat && scattering == Scattering::Multiple) {
            const Beneath beneath = coat->beneath(mean_alpha);
            return {beneath.left(scene, wo.z, at, dielectric_wo, coat->let_in_wo()),
                    coat->left_mean(scene, beneath, mean, f0, f90, dielectric_mean), some(beneath)};
        }
        return {{1.0f - dielectric_wo, at.lost}, {1.0f - dielectric_mean, mean.lost}, none()};
    }

    // What sampling and evaluating share for one `wo`; nothing where nothing scatters. In memory: it is more than a lane has
    // registers for.
    RW_COLD void prepare(const Scene& scene, Vec3 wo, Option<Lobes>& shared) const {
        const Option<LobesAndAlbedo> found = lobes_and_albedo(scene, wo);
        shared.some = found.some;
        if (found) {
            shared.value = found->lobes;
        }
    }

    RW_COLD Option<BsdfSample> sample(const Scene& scene, const Option<Lobes>& l, Vec3 wo, float u_lobe, Vec2 u) const {
        if (!l) {
            return none();
        }
        Vec3 wi;
        if (u_lobe < l->p_diffuse) {
            wi = l->horizon.sample(u_lobe / l->p_diffuse, u);
        } else {
            Ggx ggx = l->ggx;
            if (l->coat && u_lobe >= l->p_diffuse + l->p_specular) {
                ggx = l->coat->ggx;
            }
            const Vec3 h = ggx.sample_visible(wo, u);
            wi = 2.0f * dot(wo, h) * h - wo;
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
        const Vec3 h = half_vector(wo, wi);
        const float specular_pdf = l.ggx.reflection_pdf(wo, h);
        const Returned at = l.facets.at(scene, wi);
        const float cosine = wi.z * FRAC_1_PI;
        Vec3 value = fresnel::schlick(l.f0, l.f90, dot(wo, h)) * (specular_pdf * l.ggx.g1(wi));
        const Vec3 e_wi = albedo_table::albedo(f0, f90, at.scale_bias);
        Left left_wi = {1.0f - e_wi, at.lost};
        if (l.coat && l.beneath) {
            const float e = l.coat->e(scene, wi);
            value *= l.coat->transmitted(e);
            left_wi = l.beneath->left(scene, wi.z, at, e_wi, l.coat->let_in(e));
        }
        value += l.diffuse * left_wi.dielectric * cosine;
        if (metallic > 0.0f) {
            value += l.bounces * (left_wi.metal * cosine);
        }
        float pdf = l.p_specular * specular_pdf + l.p_diffuse * l.horizon.pdf(wi.z);
        if (l.coat) {
            const Coat::Reflection reflection = l.coat->eval(wo, wi, h);
            if (!l.beneath) {
                value *= l.coat->transmitted(l.coat->e(scene, wi));
            }
            value = value + reflection.value;
            pdf += l.p_coat * reflection.pdf;
        }
        return {value, pdf};
    }

    RW_FUNCTION float least_metal_mean() const {
        return scattering == Scattering::Single ? principled::LEAST_MEAN : 0.0f;
    }

    RW_COLD Vec3 albedo(const Scene& scene, Vec3 wo) const {
        const Option<LobesAndAlbedo> found = lobes_and_albedo(scene, wo);
        return found ? found->albedo : Vec3::splat(0.0f);
    }
};

}  // namespace raywarp::render
