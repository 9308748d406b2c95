//! Sampling against evaluation.

use super::*;
use raywarp_sample::statistics::{chi_squared_test, sidak};

/// Numbers of cells of the sphere in elevation and azimuth (`GRID`), and of quadrature points in each (`FINE`).
const GRID: [usize; 2] = [24, 16];
const FINE: [usize; 2] = [6, 32];
const SAMPLES: u32 = 40_000;

fn cell_of(w: Vec3) -> usize {
    let theta = f64::from(w.truncate().length()).atan2(f64::from(w.z)) / (0.5 * TAU);
    let turn = (f64::from(w.y).atan2(f64::from(w.x)) / TAU).rem_euclid(1.0);
    let place = |x: f64, n: usize| ((x * n as f64) as usize).min(n - 1);
    place(theta, GRID[0]) * GRID[1] + place(turn, GRID[1])
}

/// Returns the probability of each cell of the sphere by a quadrature of the BSDF's density.
fn probabilities(bsdf: &Bsdf, wo: Vec3) -> Vec<f64> {
    let mut cells = vec![0.0; GRID[0] * GRID[1]];
    for_each_point(GRID[0] * FINE[0], GRID[1] * FINE[1], jump(bsdf, wo), |i, j, wi, solid_angle| {
        cells[i / FINE[0] * GRID[1] + j / FINE[1]] += f64::from(bsdf.eval(wo, wi).1) * solid_angle;
    });
    cells
}

/// Returns the p-value of a chi-square test of `sample`'s counts, with lost samples as a cell of their own, and the
/// integral of the density.
fn test(bsdf: &Bsdf, wo: Vec3, sample: impl Fn(f32, [f32; 2]) -> Option<BsdfSample>) -> (f64, f64) {
    let mut expected = probabilities(bsdf, wo);
    let total: f64 = expected.iter().sum();
    expected.push((1.0 - total).max(0.0));
    expected.iter_mut().for_each(|e| *e *= f64::from(SAMPLES));
    let mut observed = vec![0.0; expected.len()];
    for i in 0..SAMPLES {
        let (u_lobe, u) = numbers(i);
        match sample(u_lobe, u) {
            Some(s) => observed[cell_of(s.wi)] += 1.0,
            None => *observed.last_mut().unwrap() += 1.0,
        }
    }
    // A quadrature error of 1e-4 in the lost share must not fail an empty cell.
    let last = expected.len() - 1;
    if expected[last] < 5.0 && observed[last] < 5.0 {
        observed[last] = expected[last];
    }
    (chi_squared_test(&observed, &expected).0, total)
}

#[test]
fn directions_are_sampled_with_the_density_that_is_evaluated() {
    let cases = rough_cases();
    let threshold = sidak(1e-3, cases.len() * outgoing().len());
    for Case { name, bsdf, .. } in &cases {
        for wo in outgoing() {
            let (p, total) = test(bsdf, wo, |u_lobe, u| bsdf.sample(wo, u_lobe, u));
            assert!(total <= 1.002, "{name} from {wo}: the density integrates to {total}");
            assert!(p > threshold, "{name} from {wo}: p = {p:e}, density integrates to {total}");
        }
    }
}

#[test]
fn the_density_test_sees_planted_bugs() {
    let wo = direction(35.0, 20.0);
    let threshold = 1e-6;
    let bug = |name: &str, bsdf: &Bsdf, sample: &dyn Fn(f32, [f32; 2]) -> Option<BsdfSample>| {
        let (p, _) = test(bsdf, wo, sample);
        assert!(p < threshold, "{name} was not seen: p = {p}");
    };
    let diffuse = Bsdf::Diffuse { reflectance: Vec3::ONE };
    bug("a hemisphere sampled without the cosine", &diffuse, &|_, u| {
        BsdfSample::smooth(wo, raywarp_sample::warp::uniform_hemisphere(u).into(), Vec3::ONE, 1.0)
    });
    let glass = Bsdf::Dielectric(GLASS);
    let swapped = Bsdf::Dielectric(Dielectric { ior: 1.0 / 1.5, ..GLASS });
    bug("a swapped index of refraction", &glass, &|u_lobe, u| swapped.sample(wo, u_lobe, u));
    let metal = Bsdf::Conductor(COPPER);
    let wider = Bsdf::Conductor(Conductor { alpha: Vec2::splat(0.32), ..COPPER });
    bug("a slightly wrong alpha", &metal, &|u_lobe, u| wider.sample(wo, u_lobe, u));
    let anisotropic = Bsdf::Conductor(Conductor { alpha: Vec2::new(0.3, 0.35), ..COPPER });
    bug("a slight anisotropy", &metal, &|u_lobe, u| anisotropic.sample(wo, u_lobe, u));
    bug("a reflection lobe chosen too often", &glass, &|u_lobe, u| glass.sample(wo, 0.8 * u_lobe, u));
}

#[test]
fn a_samples_weight_is_its_value_over_its_density() {
    for Case { name, bsdf, .. } in rough_cases() {
        for wo in outgoing() {
            for i in 0..500 {
                let (u_lobe, u) = numbers(i);
                let Some(s) = bsdf.sample(wo, u_lobe, u) else { continue };
                let (value, pdf) = bsdf.eval(wo, s.wi);
                assert!(!s.specular && (s.wi.length() - 1.0).abs() < 1e-5, "{name}: {s:?}");
                assert_eq!(s.transmitted, s.wi.z * wo.z < 0.0, "{name}");
                assert!((pdf / s.pdf - 1.0).abs() < 5e-3, "{name} from {wo}: {pdf} evaluated for {s:?}");
                let weight = value / pdf;
                let close = (weight - s.weight).abs().max_element() < 2e-3 * (1.0 + s.weight.max_element());
                assert!(close, "{name} from {wo}: {weight} evaluated for {s:?}");
            }
        }
    }
}

#[test]
fn narrow_lobes_agree_with_their_density_too() {
    // No grid resolves them: pdf and weight of the sample against the evaluation at its direction, as
    // far as f32 half vectors go.
    for alpha in [1e-4f32, 1e-3, 1e-2] {
        let tolerance = 1e-2 + 2e-5 / alpha;
        for bsdf in [
            Bsdf::Conductor(Conductor { alpha: Vec2::splat(alpha), ..COPPER }),
            Bsdf::Dielectric(Dielectric { alpha: Vec2::splat(alpha), ..GLASS }),
            Bsdf::Principled(PrincipledBsdf { alpha: Vec2::splat(alpha), coat: 1.0, coat_alpha: alpha, ..PLASTIC }),
            Bsdf::Blinn(Blinn { exponent: (2.0 / (alpha * alpha)).min(1e6), ..SHINY }),
        ] {
            for wo in outgoing() {
                let mut off = 0;
                let mut count = 0;
                for i in 0..500 {
                    let (u_lobe, u) = numbers(i);
                    let Some(s) = bsdf.sample(wo, u_lobe, u) else { continue };
                    let (_, pdf) = bsdf.eval(wo, s.wi);
                    count += 1;
                    off += usize::from((pdf / s.pdf - 1.0).abs() > tolerance);
                }
                assert!(off * 50 <= count, "{bsdf:?} from {wo}: {off} of {count}");
            }
        }
    }
}
