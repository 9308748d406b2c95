// How light scatters at a surface point whose textures have been looked up. As raywarp-render's bsdf/mod.rs.
//
// Functions have the set of models that can occur as a parameter: what they are compiled to has nothing of the others.
#pragma once

#include "../sample/warp/choice.h"
#include "../texture/inputs.h"
#include "blinn.h"
#include "car_paint.h"
#include "diffuse.h"
#include "glazed.h"
#include "kind.h"
#include "prepared.h"
#include "principled.h"
#include "sample.h"

namespace raywarp::render {

// A scattering model with its parameters at one point.
struct Bsdf {
    struct Lambert {
        Vec3 reflectance;
        // Of DiffuseTransmission alone.
        Vec3 transmittance;
    };

    BsdfKind kind;
    union {
        // Diffuse, DiffuseTransmission and Mirror.
        Lambert lambert;
        Blinn blinn;
        Conductor conductor;
        Dielectric dielectric;
        Glazed glazed;
        Principled principled;
        CarPaint car_paint;
    };

    static RW_FUNCTION Bsdf of_kind(BsdfKind kind) {
        Bsdf bsdf;
        bsdf.kind = kind;
        return bsdf;
    }
    static RW_FUNCTION Bsdf black() { return of_kind(BsdfKind::Black); }
    static RW_FUNCTION Bsdf diffuse(Vec3 reflectance) {
        Bsdf bsdf = of_kind(BsdfKind::Diffuse);
        bsdf.lambert.reflectance = reflectance;
        return bsdf;
    }
    static RW_FUNCTION Bsdf diffuse_transmission(Vec3 reflectance, Vec3 transmittance) {
        Bsdf bsdf = of_kind(BsdfKind::DiffuseTransmission);
        bsdf.lambert = {reflectance, transmittance};
        return bsdf;
    }
    static RW_FUNCTION Bsdf mirror(Vec3 reflectance) {
        Bsdf bsdf = of_kind(BsdfKind::Mirror);
        bsdf.lambert.reflectance = reflectance;
        return bsdf;
    }
    static RW_FUNCTION Bsdf of(const Blinn& model) {
        Bsdf bsdf = of_kind(BsdfKind::Blinn);
        bsdf.blinn = model;
        return bsdf;
    }
    static RW_FUNCTION Bsdf of(const Conductor& model) {
        Bsdf bsdf = of_kind(BsdfKind::Conductor);
        bsdf.conductor = model;
        return bsdf;
    }
    static RW_FUNCTION Bsdf of(const Dielectric& model) {
        Bsdf bsdf = of_kind(BsdfKind::Dielectric);
        bsdf.dielectric = model;
        return bsdf;
    }
    static RW_FUNCTION Bsdf of(const Glazed& model) {
        Bsdf bsdf = of_kind(BsdfKind::Glazed);
        bsdf.glazed = model;
        return bsdf;
    }
    static RW_FUNCTION Bsdf of(const Principled& model) {
        Bsdf bsdf = of_kind(BsdfKind::Principled);
        bsdf.principled = model;
        return bsdf;
    }
    static RW_FUNCTION Bsdf of(const CarPaint& model) {
        Bsdf bsdf = of_kind(BsdfKind::CarPaint);
        bsdf.car_paint = model;
        return bsdf;
    }
    // Lets light pass straight, unbent and untinted.
    static RW_FUNCTION Bsdf nothing() {
        const Vec3 one = Vec3::splat(1.0f);
        return of(Dielectric{1.0f, {0.0f, 0.0f}, one, one, true, Scattering::Single});
    }

    // The BSDF of a material that is no mixture; `u` decides where a model has parts.
    template <u32 MODELS = ALL_MODELS>
    static RW_FUNCTION Bsdf look_up(const Inputs& m, float u) {
        const MaterialKind kind = m.material.kind();
        if constexpr (can_be<MODELS>(BsdfKind::Diffuse)) {
            if (MODELS == bit_of(BsdfKind::Diffuse) || kind == MaterialKind::Diffuse) {
                return diffuse(m.share(0));
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::DiffuseTransmission)) {
            if (MODELS == bit_of(BsdfKind::DiffuseTransmission) || kind == MaterialKind::DiffuseTransmission) {
                const Vec3 r = m.share(0), t = m.share(1);
                const Vec3 scale = reciprocal(most(r + t, Vec3::splat(1.0f)));
                return diffuse_transmission(r * scale, t * scale);
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Mirror)) {
            if (MODELS == bit_of(BsdfKind::Mirror) || kind == MaterialKind::Mirror) {
                return mirror(m.share(0));
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Blinn)) {
            if (MODELS == bit_of(BsdfKind::Blinn) || kind == MaterialKind::Blinn) {
                return of(Blinn::look_up(m));
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Conductor)) {
            if (MODELS == bit_of(BsdfKind::Conductor) || kind == MaterialKind::Conductor) {
                return of(Conductor::look_up(m));
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Dielectric)) {
            if (kind == MaterialKind::Dielectric) {
                return of(Dielectric::look_up(m));
            }
            // Inside a mixture.
            if (kind == MaterialKind::Invisible) {
                return nothing();
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Principled)) {
            if (kind == MaterialKind::Coated) {
                return of(Principled::look_up_coated(m));
            }
            if (kind == MaterialKind::Principled) {
                return look_up_principled<MODELS>(m, u);
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::CarPaint)) {
            if (MODELS == bit_of(BsdfKind::CarPaint) || kind == MaterialKind::CarPaint) {
                return of(CarPaint::look_up(m));
            }
        }
        return black();
    }

    // Glass or the rest of a material of glTF's model.
    template <u32 MODELS>
    static RW_FUNCTION Bsdf look_up_principled(const Inputs& m, float u) {
        const Vec3 base = m.share(0);
        float metallic = m.fraction(1);
        const float ior = m.numbers(9).x;
        const float specular = m.fraction(4);
        const Vec3 tint = most(m.color(5), Vec3::splat(0.0f));
        const float coat = m.fraction(7);
        const float coat_roughness = m.fraction(8);
        const float coat_alpha = most(coat_roughness * coat_roughness, MIN_LAYER_ALPHA);
        if constexpr (can_be<MODELS>(BsdfKind::Dielectric)) {
            const float transmission = m.fraction(TRANSMISSION) * (1.0f - metallic);
            if (transmission > 0.0f && choose(transmission, u).chosen) {
                const Dielectric glass = {ior, m.alpha(2, 0.0f), Vec3::splat(1.0f), base, m.is_thin(), m.scattering};
                const Option<Glazed> glazed = Glazed::make(glass, tint, specular, coat, coat_alpha);
                return glazed ? of(*glazed) : of(glass);
            }
            metallic = transmission < 1.0f ? metallic / (1.0f - transmission) : metallic;
        }
        const Vec3 f0 = least(fresnel::f0_of_ior(ior) * tint, Vec3::splat(1.0f)) * specular;
        return of(Principled{base, least(metallic, 1.0f), f0, specular, m.alpha(2, MIN_LAYER_ALPHA), coat, coat_alpha,
                             m.scattering});
    }

    // What `sample_prepared` and `eval_prepared` need to know of `wo`; refers to `layers`.
    template <u32 MODELS = ALL_MODELS>
    RW_FUNCTION Prepared prepare(const Scene& scene, Vec3 wo, Layers& layers) const {
        if constexpr (can_be<MODELS>(BsdfKind::Conductor)) {
            if (is_model<MODELS>(kind, BsdfKind::Conductor)) {
                return Prepared::of(conductor.bounces(scene, above(wo)));
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Dielectric)) {
            if (is_model<MODELS>(kind, BsdfKind::Dielectric)) {
                return Prepared::of(dielectric.bounces(scene, wo));
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Glazed)) {
            if (is_model<MODELS>(kind, BsdfKind::Glazed)) {
                return Prepared::of(glazed.glass().bounces(scene, wo));
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Principled)) {
            if (is_model<MODELS>(kind, BsdfKind::Principled)) {
                principled.prepare(scene, above(wo), layers.principled);
                return Prepared::of(layers);
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::CarPaint)) {
            if (is_model<MODELS>(kind, BsdfKind::CarPaint)) {
                car_paint.prepare(scene, above(wo), layers.car_paint);
                return Prepared::of(layers);
            }
        }
        return Prepared::nothing();
    }

    template <u32 MODELS = ALL_MODELS>
    RW_FUNCTION Option<BsdfSample> sample_prepared(const Scene& scene, const Prepared& prepared, Vec3 wo, float u_lobe,
                                                   Vec2 u) const {
        if constexpr (can_be<MODELS>(BsdfKind::Diffuse)) {
            if (is_model<MODELS>(kind, BsdfKind::Diffuse)) {
                return two_sided(wo, diffuse::sample(lambert.reflectance, above(wo), u));
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::DiffuseTransmission)) {
            if (is_model<MODELS>(kind, BsdfKind::DiffuseTransmission)) {
                return diffuse::sample_both(lambert.reflectance, lambert.transmittance, wo, u_lobe, u);
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Mirror)) {
            if (is_model<MODELS>(kind, BsdfKind::Mirror)) {
                return BsdfSample::delta(wo, mirrored(wo), lambert.reflectance);
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Blinn)) {
            if (is_model<MODELS>(kind, BsdfKind::Blinn)) {
                return two_sided(wo, blinn.sample(scene, above(wo), u_lobe, u));
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Conductor)) {
            if (is_model<MODELS>(kind, BsdfKind::Conductor)) {
                return two_sided(wo, conductor.sample(scene, prepared.of_conductor(), above(wo), u_lobe, u));
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Dielectric)) {
            if (is_model<MODELS>(kind, BsdfKind::Dielectric)) {
                return dielectric.sample(scene, prepared.of_dielectric(), wo, u_lobe, u);
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Glazed)) {
            if (is_model<MODELS>(kind, BsdfKind::Glazed)) {
                return glazed.sample(scene, prepared.of_dielectric(), wo, u_lobe, u);
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Principled)) {
            if (is_model<MODELS>(kind, BsdfKind::Principled)) {
                return two_sided(wo, principled.sample(scene, prepared.layers->principled, above(wo), u_lobe, u));
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::CarPaint)) {
            if (is_model<MODELS>(kind, BsdfKind::CarPaint)) {
                return two_sided(wo, car_paint.sample(scene, prepared.layers->car_paint, above(wo), u_lobe, u));
            }
        }
        return none();
    }

    template <u32 MODELS = ALL_MODELS>
    RW_FUNCTION BsdfValue eval_prepared(const Scene& scene, const Prepared& prepared, Vec3 wo, Vec3 wi) const {
        if constexpr (can_be<MODELS>(BsdfKind::Diffuse)) {
            if (is_model<MODELS>(kind, BsdfKind::Diffuse)) {
                return one_side(wo, wi) ? diffuse::eval(lambert.reflectance, upward(wi)) : BsdfValue::zero();
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::DiffuseTransmission)) {
            if (is_model<MODELS>(kind, BsdfKind::DiffuseTransmission)) {
                return diffuse::eval_both(lambert.reflectance, lambert.transmittance, wo, wi);
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Blinn)) {
            if (is_model<MODELS>(kind, BsdfKind::Blinn)) {
                return one_side(wo, wi) ? blinn.eval(scene, above(wo), upward(wi)) : BsdfValue::zero();
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Conductor)) {
            if (is_model<MODELS>(kind, BsdfKind::Conductor)) {
                return one_side(wo, wi) ? conductor.eval(scene, prepared.of_conductor(), above(wo), upward(wi))
                                        : BsdfValue::zero();
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Dielectric)) {
            if (is_model<MODELS>(kind, BsdfKind::Dielectric)) {
                return dielectric.eval(scene, prepared.of_dielectric(), wo, wi);
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Glazed)) {
            if (is_model<MODELS>(kind, BsdfKind::Glazed)) {
                return glazed.eval(scene, prepared.of_dielectric(), wo, wi);
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Principled)) {
            if (is_model<MODELS>(kind, BsdfKind::Principled)) {
                return one_side(wo, wi) ? principled.eval(scene, prepared.layers->principled, above(wo), upward(wi)) : BsdfValue::zero();
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::CarPaint)) {
            if (is_model<MODELS>(kind, BsdfKind::CarPaint)) {
                return one_side(wo, wi) ? car_paint.eval(scene, prepared.layers->car_paint, above(wo), upward(wi)) : BsdfValue::zero();
            }
        }
        return BsdfValue::zero();
    }

    template <u32 MODELS = ALL_MODELS>
    RW_FUNCTION bool is_specular() const {
        if constexpr (can_be<MODELS>(BsdfKind::Conductor)) {
            if (is_model<MODELS>(kind, BsdfKind::Conductor)) {
                return conductor.is_smooth();
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Dielectric)) {
            if (is_model<MODELS>(kind, BsdfKind::Dielectric)) {
                return dielectric.is_smooth();
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Glazed)) {
            if (is_model<MODELS>(kind, BsdfKind::Glazed)) {
                return glazed.is_smooth();
            }
        }
        return kind == BsdfKind::Black || kind == BsdfKind::Mirror;
    }

    template <u32 MODELS = ALL_MODELS>
    RW_FUNCTION Vec3 albedo(const Scene& scene, Vec3 along) const {
        const Vec3 wo = above(along);
        if constexpr (can_be<MODELS>(BsdfKind::Diffuse)) {
            if (is_model<MODELS>(kind, BsdfKind::Diffuse)) {
                return lambert.reflectance;
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::DiffuseTransmission)) {
            if (is_model<MODELS>(kind, BsdfKind::DiffuseTransmission)) {
                return lambert.reflectance + lambert.transmittance;
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Mirror)) {
            if (is_model<MODELS>(kind, BsdfKind::Mirror)) {
                return lambert.reflectance;
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Blinn)) {
            if (is_model<MODELS>(kind, BsdfKind::Blinn)) {
                return blinn.albedo(scene, wo);
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Conductor)) {
            if (is_model<MODELS>(kind, BsdfKind::Conductor)) {
                return conductor.albedo(scene, wo);
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Dielectric)) {
            if (is_model<MODELS>(kind, BsdfKind::Dielectric)) {
                return dielectric.albedo(wo);
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Glazed)) {
            if (is_model<MODELS>(kind, BsdfKind::Glazed)) {
                return glazed.albedo(scene, wo);
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::Principled)) {
            if (is_model<MODELS>(kind, BsdfKind::Principled)) {
                return principled.albedo(scene, wo);
            }
        }
        if constexpr (can_be<MODELS>(BsdfKind::CarPaint)) {
            if (is_model<MODELS>(kind, BsdfKind::CarPaint)) {
                return car_paint.albedo(scene, wo);
            }
        }
        return Vec3::splat(0.0f);
    }
};
static_assert(sizeof(Bsdf) <= 60);

}  // namespace raywarp::render
