//! White furnaces: light of radiance 1 from everywhere.

use super::*;

/// Share of it that leaves along `wo`, by quadrature.
fn by_quadrature(bsdf: &Bsdf, wo: Vec3, n: usize) -> DVec3 {
    // A dielectric's transmitted radiance is scaled by the index; undone, it is energy.
    integrate_sphere(n, jump(bsdf, wo), |wi| bsdf.eval(wo, wi).0.as_dvec3() * energy_scale(bsdf, wo, wi))
}

/// Undoes the radiance scaling of refraction.
fn energy_scale(bsdf: &Bsdf, wo: Vec3, wi: Vec3) -> f64 {
    match bsdf {
        Bsdf::Dielectric(d) if !d.thin && wo.z * wi.z < 0.0 => {
            f64::from(if wo.z > 0.0 { d.ior } else { 1.0 / d.ior }).powi(2)
        }
        _ => 1.0,
    }
}

/// The same by the weights of samples: mean and its standard error.
fn by_sampling(bsdf: &Bsdf, wo: Vec3, samples: u32) -> (DVec3, DVec3) {
    let (mut sum, mut squares) = (DVec3::ZERO, DVec3::ZERO);
    for i in 0..samples {
        let (u_lobe, u) = numbers(i);
        if let Some(s) = bsdf.sample(wo, u_lobe, u) {
            let weight = s.weight.as_dvec3() * energy_scale(bsdf, wo, s.wi);
            sum += weight;
            squares += weight * weight;
        }
    }
    let n = f64::from(samples);
    let mean = sum / n;
    (mean, ((squares / n - mean * mean).max(DVec3::ZERO) / n).map(f64::sqrt))
}

#[test]
fn sampling_and_quadrature_find_the_same_albedo_and_it_is_at_most_one() {
    for Case { name, bsdf } in rough_cases() {
        for wo in outgoing() {
            let exact = by_quadrature(&bsdf, wo, 72);
            let (mean, error) = by_sampling(&bsdf, wo, 8192);
            let z = (mean - exact).abs() / (error + 2e-4);
            assert!(z.max_element() < 5.0, "{name} from {wo}: sampled {mean}, integrated {exact}, z = {z}");
            assert!(exact.max_element() <= 1.001, "{name} from {wo}: albedo {exact}");
        }
    }
}

/// Models with a white base return all light.
#[test]
fn a_white_base_under_facets_loses_nothing() {
    let white = Principled { base: Vec3::ONE, ..PLASTIC };
    let mut worst = (0.0f64, 0.0f64);
    for theta in [0.0, 20.0, 45.0, 60.0, 75.0, 82.0, 87.0] {
        let wo = direction(theta, 40.0);
        let mut check = |bsdf: Bsdf| {
            let albedo = by_quadrature(&bsdf, wo, 96).x;
            worst = (worst.0.min(albedo - 1.0), worst.1.max(albedo - 1.0));
            assert!((0.998..1.001).contains(&albedo), "{bsdf:?} at {theta} degrees: {albedo}");
        };
        check(Bsdf::Diffuse { reflectance: Vec3::ONE });
        for alpha in [0.12f32, 0.25, 0.5, 0.8, 1.0] {
            let white = Principled { alpha: Vec2::splat(alpha), ..white };
            for f0 in [0.0, 0.04, 0.3] {
                check(Bsdf::Principled(Principled { f0: Vec3::splat(f0), ..white }));
            }
            check(Bsdf::Principled(Principled { metallic: 1.0, ..white }));
            check(Bsdf::Principled(Principled { metallic: 0.5, ..white }));
            let exponent = 2.0 / (alpha * alpha) - 2.0;
            for specular in [0.04, 0.5] {
                check(Bsdf::Blinn(Blinn { diffuse: Vec3::ONE, specular: Vec3::splat(specular), exponent }));
            }
        }
    }
    println!("white base: albedo - 1 between {:.1e} and {:.1e}", worst.0, worst.1);
}

#[test]
fn a_coat_loses_little_and_makes_nothing() {
    let mut lowest = 1.0f64;
    for theta in [0.0, 45.0, 75.0, 87.0] {
        let wo = direction(theta, 40.0);
        for coat_alpha in [0.12, 0.5, 1.0] {
            let coated = Principled { base: Vec3::ONE, coat: 1.0, coat_alpha, ..PLASTIC };
            let paint = CarPaint { base: Vec3::ONE, flake_color: Vec3::ONE, coat_alpha, ..PAINT };
            for bsdf in [Bsdf::Principled(coated), Bsdf::CarPaint(paint)] {
                let albedo = by_quadrature(&bsdf, wo, 96).x;
                lowest = lowest.min(albedo);
                assert!((0.9..1.001).contains(&albedo), "{bsdf:?} at {theta} degrees: {albedo}");
            }
        }
    }
    println!("white base under a coat: albedo at least {lowest:.3}");
}

#[test]
fn anisotropic_facets_over_a_white_base_stay_near_one() {
    // Energy is balanced for the geometric mean of the alphas.
    for (theta, phi) in [(20.0, 0.0), (60.0, 0.0), (60.0, 90.0), (80.0, 45.0)] {
        let wo = direction(theta, phi);
        let plastic = Principled { base: Vec3::ONE, alpha: Vec2::new(0.15, 0.6), ..PLASTIC };
        let albedo = by_quadrature(&Bsdf::Principled(plastic), wo, 96).x;
        assert!((0.95..1.05).contains(&albedo), "{theta} {phi}: {albedo}");
    }
}

#[test]
fn delta_lobes_share_all_light_between_them() {
    let glass = Dielectric { alpha: Vec2::ZERO, ..GLASS };
    for wo in outgoing() {
        for bsdf in [
            Bsdf::Dielectric(glass),
            Bsdf::Dielectric(Dielectric { thin: true, ..glass }),
            Bsdf::Dielectric(Dielectric { ior: 1.0, alpha: Vec2::splat(0.3), ..GLASS }),
            Bsdf::Mirror { reflectance: Vec3::ONE },
        ] {
            assert!(bsdf.is_specular());
            let (mean, error) = by_sampling(&bsdf, wo, 1000);
            // The weights are 1 exactly: light is split by probability.
            assert!((mean - 1.0).abs().max_element() < 1e-5 && error.max_element() < 1e-3, "{bsdf:?}: {mean}");
        }
    }
}

#[test]
fn glass_reflects_what_fresnel_says() {
    let wo = direction(60.0, 10.0);
    for (thin, want) in [(false, 0.089_18), (true, 2.0 * 0.089_18 / 1.089_18)] {
        let bsdf = Bsdf::Dielectric(Dielectric { alpha: Vec2::ZERO, thin, ..GLASS });
        let n = 20_000;
        let reflected = (0..n)
            .filter(|&i| bsdf.sample(wo, (i as f32 + 0.5) / n as f32, [0.5; 2]).is_some_and(|s| !s.transmitted))
            .count();
        assert!((reflected as f64 / f64::from(n) - want).abs() < 2e-4, "thin {thin}: {reflected}");
    }
}

#[test]
fn rough_white_metal_loses_the_light_of_further_bounces() {
    let albedo = |alpha| {
        let white = Conductor { eta: Vec3::ZERO, k: Vec3::splat(1e4), alpha: Vec2::splat(alpha) };
        by_quadrature(&Bsdf::Conductor(white), Vec3::Z, 96).x
    };
    let all = [0.15, 0.3, 0.6, 1.0].map(albedo);
    assert!(all[0] < 1.0 && all.is_sorted_by(|a, b| a > b), "{all:?}");
    // For alpha 1 D is constant, and the integral of G1(wi) over the visible facets is elementary.
    assert!((all[3] - (1.0 - 2f64.ln())).abs() < 1e-4, "{all:?}");
}

#[test]
fn the_albedo_for_the_denoiser_is_about_the_albedo() {
    for Case { name, bsdf } in rough_cases() {
        let wo = direction(35.0, 20.0);
        let exact = by_quadrature(&bsdf, wo, 64);
        let said = bsdf.albedo(wo).as_dvec3();
        // Rough glass is said to be clear, the light that its facets lose notwithstanding.
        let tolerance = if matches!(bsdf, Bsdf::Dielectric(_)) { 0.5 } else { 0.15 };
        assert!(
            (said - exact).abs().max_element() < tolerance && said.max_element() <= 1.0,
            "{name}: {said} for {exact}"
        );
    }
    assert_eq!(Bsdf::Dielectric(GLASS).albedo(direction(50.0, 0.0)), Vec3::ONE);
}
