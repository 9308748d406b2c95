// Glass of a layered material: a boundary whose reflectance a file changes, and a clear coat on it. As raywarp-render's
// bsdf/glazed.rs.
#pragma once

#include "coat.h"
#include "dielectric.h"

namespace raywarp::render {

struct Glazed {
    // Inside over outside.
    float ior;
    Vec2 alpha;
    // Tint of transmission.
    Vec3 transmittance;
    bool thin;
    Scattering scattering;
    // Reflectance at normal incidence, without the strength.
    Vec3 f0;
    // Factor on the reflectance.
    float strength;
    float coat, coat_alpha;

    using Bounces = dielectric::Bounces;

    // Of glass, with what a file says of its reflectance and its coat; nothing where that changes nothing.
    static RW_FUNCTION Option<Glazed> make(const Dielectric& glass, Vec3 tint, float strength, float coat,
                                           float coat_alpha) {
        const float plain = fresnel::f0_of_ior(glass.ior);
        const Vec3 f0 = least(plain * tint, Vec3::splat(1.0f));
        const bool changes = strength < 1.0f || !(f0 == Vec3::splat(plain));
        if (!changes && coat <= 0.0f) {
            return none();
        }
        return some(Glazed{glass.ior, glass.alpha, glass.transmittance, glass.thin, glass.scattering, f0, strength, coat,
                           coat_alpha});
    }

    // The plain boundary.
    RW_FUNCTION Dielectric glass() const { return {ior, alpha, Vec3::splat(1.0f), transmittance, thin, scattering}; }

    // The same boundary where the index inside over outside is another; the coat stays.
    RW_FUNCTION Glazed of_ior(float other) const {
        const float before = fresnel::f0_of_ior(ior), after = fresnel::f0_of_ior(other);
        Glazed changed = *this;
        changed.ior = other;
        changed.f0 = f0 == Vec3::splat(before) || before <= 0.0f ? Vec3::splat(after) : f0 * (after / before);
        changed.f0 = least(changed.f0, Vec3::splat(1.0f));
        return changed;
    }

    // The boundary that further bounces are of.
    RW_FUNCTION Dielectric of_bounces() const {
        Dielectric boundary = glass();
        if (thin || is_plain()) {
            return boundary;
        }
        const float plain = fresnel::f0_of_ior(ior);
        const Vec3 tint = plain > 0.0f ? f0 / plain : Vec3::splat(1.0f);
        const Vec3 k = strength * least(tint, reciprocal(most(tint, Vec3::splat(1.0f))));
        boundary.reflectance = k;
        boundary.transmittance = boundary.transmittance * k;
        return boundary;
    }

    RW_FUNCTION bool is_plain() const {
        return strength >= 1.0f && f0 == Vec3::splat(fresnel::f0_of_ior(ior));
    }

    RW_FUNCTION bool is_smooth() const { return coat <= 0.0f && glass().is_smooth(); }

    // The coat as light from or to `w` meets it; inside of a solid there is none.
    RW_FUNCTION Option<Coat> coat_at(const Scene& scene, Vec3 w) const {
        if (w.z < 0.0f && !thin) {
            return none();
        }
        return Coat::make(scene, coat, COAT_F0, coat_alpha, above(w));
    }

    // Factor of the changed boundary on the scattering from `wi` to `wo` of the plain one.
    RW_FUNCTION Vec3 change(Vec3 wo, Vec3 wi) const {
        if (is_plain()) {
            return Vec3::splat(1.0f);
        }
        const bool through = wo.z * wi.z < 0.0f;
        const float eta = glass().relative_ior(wo);
        const Vec3 h = !through ? wo + wi : thin ? wo + with_z(wi, -wi.z) : wo + eta * wi;
        const float cos = glass().is_smooth() ? magnitude(wo.z) : magnitude(dot(wo, normalized_or(h, {0.0f, 0.0f, 1.0f})));
        const fresnel::Boundary boundary = fresnel::dielectric(most(cos, MIN_COS), eta);
        if (boundary.cos_t <= 0.0f) {
            return Vec3::splat(1.0f);
        }
        float plain = boundary.reflected;
        Vec3 changed = this->changed(plain);
        if (thin) {
            // The sum over the reflections between the two sides.
            plain = 2.0f * plain / (1.0f + plain);
            changed = 2.0f * changed / (1.0f + changed);
        }
        return through ? (1.0f - changed) / most(1.0f - plain, 1e-6f) : changed / most(plain, 1e-6f);
    }

    // The changed reflectance of one boundary.
    RW_FUNCTION Vec3 changed(float plain) const {
        const float normal = fresnel::f0_of_ior(ior);
        const float s = (plain - normal) / most(1.0f - normal, 1e-6f);
        return clamp(strength * (f0 + (1.0f - f0) * s), 0.0f, 1.0f);
    }

    // Share of what the glass scatters from `wi` to `wo` that the coat leaves.
    RW_FUNCTION float left(const Scene& scene, const Option<Coat>& coat_wo, Vec3 wo, Vec3 wi) const {
        if (wo.z * wi.z >= 0.0f) {
            return coat_wo ? coat_wo->transmitted(coat_wo->e(scene, above(wi))) : 1.0f;
        }
        const float out = coat_wo ? 1.0f - coat_wo->albedo() : 1.0f;
        const Option<Coat> coat_wi = coat_at(scene, wi);
        const float on = coat_wi ? 1.0f - coat_wi->albedo() : 1.0f;
        // A solid has one of the two.
        return least(out, on);
    }

    // Probability of the coat's lobe.
    static RW_FUNCTION float p_coat(const Option<Coat>& coat) { return clamp(coat ? coat->albedo() : 0.0f, 0.0f, 0.95f); }

    RW_COLD Option<BsdfSample> sample(const Scene& scene, const Option<Bounces>& bounces, Vec3 wo,
                                          float u_lobe, Vec2 u) const {
        const Option<Coat> coat = coat_at(scene, wo);
        const float p = p_coat(coat);
        Vec3 wi;
        if (coat && u_lobe < p) {
            const Vec3 up = above(wo);
            const Vec3 h = coat->sample_normal(up, u);
            wi = 2.0f * dot(up, h) * h - up;
            if (wi.z <= 0.0f) {
                return none();
            }
            wi = turned_as(wo, wi);
        } else {
            u_lobe = least((u_lobe - p) / (1.0f - p), dielectric::MOST_U);
            const Option<BsdfSample> sample = glass().sample(scene, bounces, wo, u_lobe, u);
            if (!sample) {
                return none();
            }
            wi = sample->wi;
            if (sample->specular) {
                const Vec3 share = change(wo, wi) * (left(scene, coat, wo, wi) / (1.0f - p));
                return BsdfSample::delta(wo, wi, sample->weight * share);
            }
        }
        const BsdfValue found = both(scene, coat, bounces, wo, wi);
        return BsdfSample::smooth(wo, wi, found.value * (1.0f / found.pdf), found.pdf);
    }

    RW_COLD BsdfValue eval(const Scene& scene, const Option<Bounces>& bounces, Vec3 wo, Vec3 wi) const {
        return both(scene, coat_at(scene, wo), bounces, wo, wi);
    }

    // Value and density of the glass and of `coat`, which `wo` meets.
    RW_FUNCTION BsdfValue both(const Scene& scene, const Option<Coat>& coat, const Option<Bounces>& bounces,
                               Vec3 wo, Vec3 wi) const {
        const float p = p_coat(coat);
        const BsdfValue first = glass().eval(scene, none(), wo, wi);
        BsdfValue sum = of_bounces().with_further(scene, {first.value * change(wo, wi), first.pdf}, bounces, wo, wi);
        sum.value *= left(scene, coat, wo, wi);
        sum.pdf *= 1.0f - p;
        if (coat && wo.z * wi.z > 0.0f) {
            const Vec3 up = above(wo), wi_up = above(wi);
            const Coat::Reflection of_coat = coat->eval(up, wi_up, normalized_or(up + wi_up, {0.0f, 0.0f, 1.0f}));
            sum.value += Vec3::splat(of_coat.value);
            sum.pdf += p * of_coat.pdf;
        }
        // A direction that brings nothing is no sample, and so has no density.
        if (sum.value == Vec3::splat(0.0f)) {
            sum.pdf = 0.0f;
        }
        return sum;
    }

    RW_COLD Vec3 albedo(const Scene& scene, Vec3 wo) const {
        const Vec3 changed = this->changed(fresnel::dielectric(wo.z, ior).reflected);
        const Vec3 reflected = thin ? 2.0f * changed / (1.0f + changed) : changed;
        const Vec3 glass = reflected + transmittance * (1.0f - reflected);
        const Option<Coat> at = coat_at(scene, wo);
        const float coat = at ? at->albedo() : 0.0f;
        return coat + (1.0f - coat) * glass;
    }
};

}  // namespace raywarp::render
