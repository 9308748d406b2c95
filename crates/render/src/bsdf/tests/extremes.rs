//! Input at the ends of its range, and beyond.

use super::*;

fn edge_directions() -> Vec<Vec3> {
    let mut all = vec![Vec3::Z, Vec3::NEG_Z, Vec3::X, Vec3::NEG_Y, Vec3::new(1.0, 0.0, -0.0)];
    for z in [1e-20f32, 1e-7, 1e-4, 0.999_999_9] {
        for sign in [1.0, -1.0] {
            let r = (1.0 - z * z).sqrt();
            all.push(Vec3::new(0.6 * r, -0.8 * r, sign * z));
        }
    }
    all
}

fn extreme_models() -> Vec<Bsdf> {
    let mut all: Vec<Bsdf> = rough_cases().into_iter().map(|c| c.bsdf).collect();
    let scattering = Scattering::Multiple;
    for alpha in [0.0, 1e-5, 1e-4, 1e-3, 0.5, 1.0, 50.0, f32::NAN] {
        let alpha = Vec2::splat(alpha);
        all.push(Bsdf::Conductor(Conductor { alpha, ..COPPER }));
        all.push(Bsdf::Conductor(Conductor::new(Vec3::ONE, Vec3::ZERO, alpha, scattering)));
        all.push(Bsdf::Conductor(Conductor::new(Vec3::ZERO, Vec3::splat(1e3), alpha, scattering)));
        for thin in [false, true] {
            for ior in [0.3, 1.0, 1.0001, 1.01, 3.0, 100.0] {
                let glass = Dielectric { alpha, ior, thin, ..GLASS };
                all.push(Bsdf::Dielectric(glass));
                for (tint, strength, coat) in [(1e30, 1.0, 1.0), (0.0, 0.3, 0.0), (1.0, 0.0, 1.0)] {
                    all.extend(Glazed::new(glass, Vec3::splat(tint), strength, coat, 0.0).map(Bsdf::Glazed));
                }
            }
        }
        for base in [Vec3::ZERO, Vec3::ONE] {
            for metallic in [0.0, 1.0] {
                let p = PrincipledBsdf { base, metallic, alpha, ..PLASTIC };
                all.push(Bsdf::Principled(p));
                all.push(Bsdf::Principled(PrincipledBsdf { f0: Vec3::ZERO, f90: 0.0, ..p }));
                all.push(Bsdf::Principled(PrincipledBsdf { f0: Vec3::ONE, coat: 1.0, coat_alpha: alpha.x, ..p }));
            }
        }
        all.push(Bsdf::CarPaint(CarPaintBsdf { coat_alpha: alpha.x, flake_alpha: alpha.x, ..PAINT }));
    }
    for exponent in [0.0, 1.0, 1e3, 1e6, 1e30, f32::NAN, -5.0] {
        for specular in [Vec3::ZERO, Vec3::splat(1e-3), Vec3::ONE] {
            all.push(Bsdf::Blinn(Blinn { exponent, specular, ..SHINY }));
            all.push(Bsdf::Blinn(Blinn { exponent, specular, diffuse: Vec3::ZERO }));
        }
    }
    let single: Vec<Bsdf> = all.iter().filter_map(first_bounce).collect();
    all.extend(single);
    let none = Vec3::ZERO;
    all.push(Bsdf::Black);
    all.push(Bsdf::Mirror { reflectance: none });
    all.push(Bsdf::Diffuse { reflectance: none });
    all.push(Bsdf::DiffuseTransmission { reflectance: none, transmittance: none });
    all.push(Bsdf::CarPaint(CarPaintBsdf { flake_normal: Vec3::X, ..PAINT }));
    all
}

#[test]
fn extreme_input_gives_finite_numbers_that_are_not_negative() {
    let good = |v: Vec3| v.is_finite() && v.cmpge(Vec3::ZERO).all();
    for bsdf in extreme_models() {
        for &wo in &edge_directions() {
            assert!(good(bsdf.albedo(wo)), "{bsdf:?} {wo}");
            for &wi in &edge_directions() {
                let (value, pdf) = bsdf.eval(wo, wi);
                assert!(good(value) && pdf >= 0.0 && pdf.is_finite(), "{bsdf:?} {wo} {wi}: {value} {pdf}");
            }
            let ends = [0.0, 0.5, 0.999_999_94];
            for u_lobe in ends {
                for u in ends.iter().flat_map(|&a| ends.map(|b| [a, b])) {
                    let Some(s) = bsdf.sample(wo, u_lobe, u) else { continue };
                    assert!(good(s.weight) && s.pdf >= 0.0 && s.pdf.is_finite(), "{bsdf:?} {wo}: {s:?}");
                    assert!((s.wi.length() - 1.0).abs() < 1e-4, "{bsdf:?} {wo}: {s:?}");
                    assert_eq!(s.specular, s.pdf == 0.0);
                    let (value, pdf) = bsdf.eval(wo, s.wi);
                    assert!(good(value) && pdf.is_finite(), "{bsdf:?} {wo}: {s:?}");
                }
            }
        }
    }
}

#[test]
fn a_specular_model_never_gives_a_density() {
    for bsdf in extreme_models() {
        // A coat on smooth glass is both.
        if matches!(bsdf, Bsdf::Glazed(glazed) if glazed.coat > 0.0 && glazed.glass().is_smooth()) {
            assert!(!bsdf.is_specular());
            continue;
        }
        for i in 0..20 {
            let (u_lobe, u) = numbers(i);
            let Some(s) = bsdf.sample(direction(30.0, 0.0), u_lobe, u) else { continue };
            assert_eq!(s.specular, bsdf.is_specular(), "{bsdf:?}");
            if s.specular {
                assert_eq!(bsdf.eval(direction(30.0, 0.0), s.wi), (Vec3::ZERO, 0.0));
            }
        }
    }
}

#[test]
fn black_models_end_the_path() {
    let none = Vec3::ZERO;
    for bsdf in [
        Bsdf::Black,
        Bsdf::Mirror { reflectance: none },
        Bsdf::Diffuse { reflectance: none },
        Bsdf::DiffuseTransmission { reflectance: none, transmittance: none },
        Bsdf::Blinn(Blinn { diffuse: none, specular: none, exponent: 10.0 }),
        Bsdf::Principled(PrincipledBsdf { base: none, f0: none, f90: 0.0, ..PLASTIC }),
    ] {
        assert_eq!(bsdf.sample(Vec3::Z, 0.3, [0.4; 2]), None, "{bsdf:?}");
    }
}
