//! Twins of what models share: facets, Fresnel's terms, coats, and their tables.

use super::super::{Twin, Writer};
use super::numbers::{alpha, alphas, color, directions, ior, scattering, share};
use glam::Vec3;
use raywarp_render::functions::bsdf::{
    AlbedoTable, Coat, Facets, Ggx, Horizon, Left, Returned, Scattering, WhiteLosses,
};
use raywarp_render::functions::bsdf::{albedo, coupling, fresnel};

pub(super) const GGX: Twin = Twin {
    name: "bsdf_ggx",
    make: |numbers, _, case| {
        let (wo, h) = directions(numbers);
        case.numbers(alphas(numbers)).numbers(wo).numbers(h).numbers(numbers.square());
    },
    run: |_, case, answer| {
        let alpha = case.vec2();
        let (ggx, wo, h) = (Ggx::new(alpha), case.vec3(), case.vec3());
        answer.flag(Ggx::is_smooth(alpha)).number(ggx.d(h)).number(ggx.g1(wo)).number(ggx.reflection_pdf(wo, h));
        answer.numbers(ggx.sample_visible(wo.with_z(wo.z.abs()), case.numbers()));
    },
};

pub(super) const HORIZON: Twin = Twin {
    name: "bsdf_horizon",
    make: |numbers, _, case| {
        case.number(alpha(numbers).clamp(1e-4, 1.0)).number(2.0 * share(numbers)).number(share(numbers));
        case.number(numbers.unit()).numbers(numbers.square());
    },
    run: |_, case, answer| {
        let horizon = Horizon::new(case.number()).scaled(case.number());
        let cos = case.number();
        answer.number(horizon.pdf(cos)).number(Horizon::NONE.pdf(cos));
        answer.numbers(horizon.sample(case.number(), case.numbers()));
    },
};

pub(super) const FRESNEL: Twin = Twin {
    name: "bsdf_fresnel",
    make: |numbers, _, case| {
        case.number(share(numbers)).number(ior(numbers)).numbers(3.0 * color(numbers)).numbers(6.0 * color(numbers));
        case.numbers(color(numbers)).number(share(numbers)).number(share(numbers));
    },
    run: |_, case, answer| {
        let (cos, ior, eta, k) = (case.number(), case.number(), case.vec3(), case.vec3());
        let (f0, f90, lost) = (case.vec3(), case.number(), case.number());
        let (reflected, cos_t) = fresnel::dielectric(cos, ior);
        answer.number(reflected).number(cos_t).number(fresnel::dielectric_mean(ior)).number(fresnel::f0_of_ior(ior));
        answer.numbers(fresnel::conductor(cos, eta, k)).numbers(fresnel::conductor_mean(eta, k));
        answer.numbers(fresnel::schlick(f0, f90, cos)).numbers(fresnel::schlick_mean(f0));
        answer.numbers(fresnel::further(f90, f0, lost)).number(fresnel::f90_of_f0(0.03 * f0));
    },
};

pub(super) const ALBEDO: Twin = Twin {
    name: "bsdf_albedo_table",
    make: |numbers, _, case| {
        let exponent = if numbers.below(4) == 0 { 0.0 } else { numbers.any().abs() };
        case.number(alpha(numbers)).number(exponent).number(share(numbers)).number(share(numbers));
        case.numbers(color(numbers)).number(share(numbers));
    },
    run: |_, case, answer| {
        let rows = [AlbedoTable::ggx().row(case.number()), AlbedoTable::blinn().row_of_exponent(case.number())];
        let (wo, wi, f0, f90) = (case.number(), case.number(), case.vec3(), case.number());
        for row in rows {
            answer.numbers(row.at(wo)).numbers(row.mean());
            let [e_wo, e_wi, mean] = [row.at(wo), row.at(wi), row.mean()].map(|e| albedo(f0, f90, e));
            answer.numbers(e_wo).numbers(coupling(e_wo, e_wi, mean));
        }
    },
};

pub(super) const WHITE_LOSSES: Twin = Twin {
    name: "bsdf_white_losses",
    make: |numbers, _, case| {
        let (w, _) = directions(numbers);
        case.numbers(alphas(numbers)).numbers(w);
    },
    run: |_, case, answer| {
        let losses = WhiteLosses::new(case.vec2());
        answer.number(losses.mean()).number(losses.at(case.vec3())).number(losses.horizon().pdf(0.1));
    },
};

pub(super) const FACETS: Twin = Twin {
    name: "bsdf_facets",
    make: |numbers, _, case| {
        let (w, _) = directions(numbers);
        case.number(alpha(numbers)).numbers(alphas(numbers)).numbers(w);
        scattering(numbers, case);
    },
    run: |_, case, answer| {
        let (row, alpha, w) = (AlbedoTable::ggx().row(case.number()), case.vec2(), case.vec3());
        let scattering = if case.flag() { Scattering::Multiple } else { Scattering::Single };
        let facets = Facets::new(row, alpha, scattering);
        put_returned(answer, facets.at(w));
        put_returned(answer, facets.mean());
    },
};

fn put_returned(answer: &mut Writer, returned: Returned) {
    answer.numbers(returned.scale_bias).number(returned.lost);
}

pub(super) const COAT: Twin = Twin {
    name: "bsdf_coat",
    make: |numbers, _, case| {
        let (wo, wi) = directions(numbers);
        case.number(share(numbers)).number(share(numbers)).number(alpha(numbers));
        case.numbers(wo.with_z(wo.z.abs())).numbers(wi.with_z(wi.z.abs()));
        case.number(alpha(numbers)).numbers(color(numbers)).number(share(numbers));
    },
    run: |_, case, answer| {
        let (strength, f0, alpha, wo, wi) = (case.number(), case.number(), case.number(), case.vec3(), case.vec3());
        let (base_alpha, base_f0, f90) = (case.number(), case.vec3(), case.number());
        let coat = Coat::new(strength, f0, alpha, wo);
        answer.flag(coat.is_some());
        let Some(coat) = coat else {
            answer.numbers([0.0; 18]);
            return;
        };
        let facets =
            Facets::new(AlbedoTable::ggx().row(base_alpha), glam::Vec2::splat(base_alpha), Scattering::Multiple);
        let (e, at, mean) = (coat.e(wi), facets.at(wi), facets.mean());
        answer.number(coat.albedo()).number(e).number(coat.transmitted(e)).number(coat.let_in(e));
        answer.number(coat.let_in_wo()).number(coat.let_in_mean());
        let beneath = coat.beneath(base_alpha);
        let base = |of: Returned| albedo(base_f0, f90, of.scale_bias);
        put_left(answer, beneath.left(wi.z, at, base(at), coat.let_in(e)));
        put_left(answer, coat.left_mean(&beneath, mean, base_f0, f90, base(mean)));
        answer.number(beneath.left_metal(wi.z, at.lost, coat.let_in(e)));
        answer.number(coat.left_mean_metal(&beneath, mean.lost));
        let (value, pdf) = coat.eval(wo, wi, (wo + wi).normalize_or(Vec3::Z));
        answer.number(value).number(pdf);
    },
};

fn put_left(answer: &mut Writer, left: Left) {
    answer.numbers(left.dielectric).number(left.metal);
}
