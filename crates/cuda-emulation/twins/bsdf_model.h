// Models of scattering as words. As raywarp-render's twins/bsdf/models.rs.
#pragma once

#include "bsdf/bsdf.h"
#include "twin.h"

namespace raywarp::render {

struct ModelFields {
    float at[14];

    Vec2 pair(u32 i) const { return {at[i], at[i + 1]}; }
    Vec3 color(u32 i) const { return {at[i], at[i + 1], at[i + 2]}; }
    u32 set(u32 i, float number) {
        at[i] = number;
        return i + 1;
    }
    u32 set(u32 i, Vec2 v) { return set(set(i, v.x), v.y); }
    u32 set(u32 i, Vec3 v) { return set(set(set(i, v.x), v.y), v.z); }
};

inline Bsdf read_bsdf(Reader& in) {
    const BsdfKind kind = static_cast<BsdfKind>(in.word());
    const Scattering scattering = in.flag() ? Scattering::Multiple : Scattering::Single;
    const bool thin = in.flag();
    const ModelFields f = in.record<ModelFields>();
    switch (kind) {
        case BsdfKind::Black: break;
        case BsdfKind::Diffuse: return Bsdf::diffuse(f.color(0));
        case BsdfKind::DiffuseTransmission: return Bsdf::diffuse_transmission(f.color(0), f.color(3));
        case BsdfKind::Mirror: return Bsdf::mirror(f.color(0));
        case BsdfKind::Blinn: return Bsdf::of(Blinn{f.color(0), f.color(3), f.at[6]});
        case BsdfKind::Conductor: return Bsdf::of(Conductor::make(f.color(0), f.color(3), f.pair(6), scattering));
        case BsdfKind::Dielectric:
            return Bsdf::of(Dielectric{f.at[0], f.pair(1), f.color(3), f.color(6), thin, scattering});
        case BsdfKind::Glazed:
            return Bsdf::of(Glazed{f.at[0], f.pair(1), f.color(3), thin, scattering, f.color(6), f.at[9], f.at[10],
                                   f.at[11]});
        case BsdfKind::Principled:
            return Bsdf::of(Principled{f.color(0), f.at[3], f.color(4), f.at[7], f.pair(8), f.at[10], f.at[11],
                                       scattering});
        case BsdfKind::CarPaint:
            return Bsdf::of(CarPaint{f.color(0), f.color(3), f.at[6], f.at[7], f.color(8), f.at[11], f.at[12],
                                     scattering});
    }
    return Bsdf::black();
}

inline void write_bsdf(Writer& out, const Bsdf& bsdf) {
    ModelFields f = {};
    Scattering scattering = Scattering::Single;
    bool thin = false;
    switch (bsdf.kind) {
        case BsdfKind::Black: break;
        case BsdfKind::Diffuse:
        case BsdfKind::Mirror: f.set(0, bsdf.lambert.reflectance); break;
        case BsdfKind::DiffuseTransmission:
            f.set(f.set(0, bsdf.lambert.reflectance), bsdf.lambert.transmittance);
            break;
        case BsdfKind::Blinn: {
            const Blinn& b = bsdf.blinn;
            f.set(f.set(f.set(0, b.diffuse), b.specular), b.exponent);
            break;
        }
        case BsdfKind::Conductor: {
            const Conductor& c = bsdf.conductor;
            f.set(f.set(f.set(f.set(0, c.eta), c.k), c.alpha), c.fresnel_mean);
            break;
        }
        case BsdfKind::Dielectric: {
            const Dielectric& d = bsdf.dielectric;
            thin = d.thin, scattering = d.scattering;
            f.set(f.set(f.set(f.set(0, d.ior), d.alpha), d.reflectance), d.transmittance);
            break;
        }
        case BsdfKind::Glazed: {
            const Glazed& g = bsdf.glazed;
            thin = g.thin, scattering = g.scattering;
            const u32 rest = f.set(f.set(f.set(f.set(0, g.ior), g.alpha), g.transmittance), g.f0);
            f.set(f.set(f.set(rest, g.strength), g.coat), g.coat_alpha);
            break;
        }
        case BsdfKind::Principled: {
            const Principled& p = bsdf.principled;
            scattering = p.scattering;
            const u32 rest = f.set(f.set(f.set(f.set(0, p.base), p.metallic), p.f0), p.f90);
            f.set(f.set(f.set(rest, p.alpha), p.coat), p.coat_alpha);
            break;
        }
        case BsdfKind::CarPaint: {
            const CarPaint& p = bsdf.car_paint;
            scattering = p.scattering;
            const u32 rest = f.set(f.set(f.set(f.set(0, p.base), p.flake_color), p.flake_amount), p.flake_alpha);
            f.set(f.set(f.set(rest, p.flake_normal), p.coat_ior), p.coat_alpha);
            break;
        }
    }
    out.put(static_cast<u32>(bsdf.kind)), out.put(scattering == Scattering::Multiple), out.put(thin);
    for (const float number : f.at) {
        out.put(number);
    }
}

}  // namespace raywarp::render
