//! Twins of glass: `bsdf/dielectric.rs`, `bsdf/glazed.rs` and what they lose. Models are asked as [`Bsdf`], whose side
//! of the surface for albedos is above.

use super::{Numbers, Reader, Twin, Writer};
use glam::{Vec2, Vec3, Vec4};
use raywarp_render::functions::bsdf::{Bsdf, BsdfSample, Dielectric, Glazed, MaterialKind, Scattering};
use raywarp_render::functions::texture::{Inputs, TexturePoint};

/// Returns a random index of refraction that bends little, much or not at all, into denser or thinner matter.
fn make_ior(numbers: &mut Numbers) -> f32 {
    match numbers.below(8) {
        0 => [1.0, 1.5, 1.0 - 1e-7, 1.001, 1.02, 0.98, 1.019_9, 0.999, 10.0, 0.1][numbers.below(10) as usize],
        1 => numbers.between(0.97, 1.03),
        2 => numbers.between(1.0, 12.0),
        3 => 1.0 / numbers.between(1.0, 12.0),
        _ => numbers.between(0.5, 3.0),
    }
}

/// Returns random roughness alphas: smooth, nearly smooth or rough, isotropic or anisotropic.
fn make_alpha(numbers: &mut Numbers) -> Vec2 {
    let one = |numbers: &mut Numbers| match numbers.below(8) {
        0 => 0.0,
        1 => numbers.between(0.5e-4, 2e-4),
        2 => numbers.between(0.0, 0.01),
        3 => 1.0,
        _ => numbers.unit(),
    };
    let (x, y) = (one(numbers), one(numbers));
    match numbers.below(64) {
        0 => Vec2::NAN,
        n if n % 2 == 0 => Vec2::splat(x),
        _ => Vec2::new(x, y),
    }
}

fn make_glass(numbers: &mut Numbers, case: &mut Writer) -> f32 {
    let ior = make_ior(numbers);
    case.number(ior).numbers(make_alpha(numbers)).numbers(numbers.color()).numbers(numbers.color());
    case.flag(numbers.below(4) == 0).flag(numbers.below(4) != 0);
    ior
}

fn glass(case: &mut Reader) -> Dielectric {
    Dielectric {
        ior: case.number(),
        alpha: case.vec2(),
        reflectance: case.vec3(),
        transmittance: case.vec3(),
        thin: case.flag(),
        scattering: if case.flag() { Scattering::Multiple } else { Scattering::Single },
    }
}

/// Writes a random glass surface with the additions of a layered material, and returns its index of refraction.
fn make_glazed(numbers: &mut Numbers, case: &mut Writer) -> f32 {
    let ior = make_glass(numbers, case);
    let tint = match numbers.below(4) {
        0 => Vec3::ONE,
        1 => Vec3::ZERO,
        2 => numbers.color() * 4.0,
        _ => numbers.color(),
    };
    case.numbers(tint).number(if numbers.coin() { 1.0 } else { numbers.unit() });
    case.number(if numbers.coin() { 0.0 } else { numbers.unit() }).number(numbers.unit());
    case.flag(numbers.below(4) == 0).flag(numbers.below(4) == 0).number(make_ior(numbers));
    ior
}

/// Reads a glazed surface: made from glass or of any reflectance, in another medium or in none.
fn glazed(case: &mut Reader) -> Glazed {
    let glass = glass(case);
    let (tint, strength, coat, coat_alpha) = (case.vec3(), case.number(), case.number(), case.number());
    let (is_any, moves, other_ior) = (case.flag(), case.flag(), case.number());
    let f0 =
        if is_any { tint.min(Vec3::ONE) } else { Vec3::splat(raywarp_render::functions::bsdf::f0_of_ior(glass.ior)) };
    let Dielectric { ior, alpha, transmittance, thin, scattering, .. } = glass;
    let any = Glazed { ior, alpha, transmittance, thin, scattering, f0, strength, coat, coat_alpha };
    let glazed = Glazed::new(glass, tint, strength, coat, coat_alpha).filter(|_| !is_any).unwrap_or(any);
    if moves { glazed.of_ior(other_ior) } else { glazed }
}

/// Writes two random directions, the second anywhere or near the first one's reflection or refraction.
fn make_directions(numbers: &mut Numbers, case: &mut Writer, ior: f32) {
    let wo = numbers.direction();
    let eta = if wo.z >= 0.0 { ior } else { 1.0 / ior };
    let sin2 = (1.0 - wo.z * wo.z) / (eta * eta);
    let wi = match numbers.below(4) {
        0 => Vec3::new(-wo.x, -wo.y, wo.z),
        1 => Vec3::new(-wo.x / eta, -wo.y / eta, (1.0 - sin2).max(0.0).sqrt() * -wo.z.signum()),
        2 => -wo,
        _ => numbers.direction(),
    };
    let spread = [0.0, 1e-4, 0.01, 0.3][numbers.below(4) as usize];
    let wi = (wi + spread * numbers.direction()).try_normalize().unwrap_or(wi);
    case.numbers(wo).numbers(wi);
}

fn put_sample(answer: &mut Writer, sample: Option<BsdfSample>) {
    let zeros = BsdfSample { wi: Vec3::ZERO, weight: Vec3::ZERO, pdf: 0.0, specular: false, transmitted: false };
    answer.option(sample, zeros, |answer, s| {
        answer.numbers(s.wi).numbers(s.weight).number(s.pdf).flag(s.specular).flag(s.transmitted);
    });
}

fn put_value(answer: &mut Writer, (value, pdf): (Vec3, f32)) {
    answer.numbers(value).number(pdf);
}

fn make_numbers(numbers: &mut Numbers, case: &mut Writer) {
    case.numbers(numbers.direction()).number(numbers.unit()).numbers(numbers.square());
}

fn put_sampled(bsdf: &Bsdf, case: &mut Reader, answer: &mut Writer) {
    let (wo, u_lobe, u) = (case.vec3(), case.number(), case.numbers::<2>());
    put_sample(answer, bsdf.sample_prepared(&bsdf.prepare(wo), wo, u_lobe, u));
}

fn put_evaluated(bsdf: &Bsdf, case: &mut Reader, answer: &mut Writer) {
    let (wo, wi) = (case.vec3(), case.vec3());
    put_value(answer, bsdf.eval_prepared(&bsdf.prepare(wo), wo, wi));
    answer.numbers(bsdf.albedo(wo)).flag(bsdf.is_specular());
}

fn put_glass(answer: &mut Writer, bsdf: &Bsdf) {
    let Bsdf::Dielectric(d) = bsdf else { unreachable!("glass is glass") };
    answer.number(d.ior).numbers(d.alpha).numbers(d.reflectance).numbers(d.transmittance);
    answer.flag(d.thin).flag(d.scattering == Scattering::Multiple);
}

pub(super) const TWINS: &[Twin] = &[
    Twin {
        name: "glass_dielectric_sample",
        make: |numbers, _, case| {
            make_glass(numbers, case);
            make_numbers(numbers, case);
        },
        run: |_, case, answer| put_sampled(&Bsdf::Dielectric(glass(case)), case, answer),
    },
    Twin {
        name: "glass_dielectric_eval",
        make: |numbers, _, case| {
            let ior = make_glass(numbers, case);
            make_directions(numbers, case, ior);
        },
        run: |_, case, answer| put_evaluated(&Bsdf::Dielectric(glass(case)), case, answer),
    },
    Twin {
        name: "glass_dielectric_look_up",
        make: |numbers, scene, case| {
            let is_glass = |m: u32| scene.materials[m as usize].kind() == MaterialKind::Dielectric;
            let material =
                std::iter::repeat_with(|| numbers.below(scene.materials.len() as u32)).find(|&m| is_glass(m));
            case.word(material.unwrap_or(0)).flag(numbers.coin());
            case.numbers(numbers.square()).numbers(numbers.square()).numbers([0.0; 4].map(|_| numbers.unit()));
        },
        run: |scene, case, answer| {
            let material = &scene.materials[case.word() as usize];
            let scattering = if case.flag() { Scattering::Multiple } else { Scattering::Single };
            let at = TexturePoint { uv: [case.vec2(), case.vec2()], color: Vec4::from(case.numbers::<4>()) };
            put_glass(answer, &Bsdf::look_up(&Inputs { scene, material, at: &at, scattering }, 0.5));
        },
    },
    Twin {
        name: "glass_glazed_new",
        make: |numbers, _, case| {
            make_glazed(numbers, case);
        },
        run: |_, case, answer| {
            let Glazed { ior, alpha, transmittance, thin, scattering, f0, strength, coat, coat_alpha } = glazed(case);
            answer.number(ior).numbers(alpha).numbers(transmittance);
            answer.flag(thin).flag(scattering == Scattering::Multiple);
            answer.numbers(f0).number(strength).number(coat).number(coat_alpha);
        },
    },
    Twin {
        name: "glass_glazed_sample",
        make: |numbers, _, case| {
            make_glazed(numbers, case);
            make_numbers(numbers, case);
        },
        run: |_, case, answer| put_sampled(&Bsdf::Glazed(glazed(case)), case, answer),
    },
    Twin {
        name: "glass_glazed_eval",
        make: |numbers, _, case| {
            let ior = make_glazed(numbers, case);
            make_directions(numbers, case, ior);
        },
        run: |_, case, answer| put_evaluated(&Bsdf::Glazed(glazed(case)), case, answer),
    },
];
