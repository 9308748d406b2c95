//! White furnaces: light of radiance 1 from everywhere.

use super::*;

/// Returns the fraction of uniform light that leaves along `wo`, by quadrature.
fn by_quadrature(bsdf: &Bsdf, wo: Vec3, n: usize) -> DVec3 {
    // A dielectric's transmitted radiance is scaled by the index; undone, it is energy.
    integrate_sphere(n, jump(bsdf, wo), |wi| bsdf.eval(wo, wi).0.as_dvec3() * energy_scale(bsdf, wo, wi))
}

/// Returns the factor that undoes the scaling of radiance by refraction.
fn energy_scale(bsdf: &Bsdf, wo: Vec3, wi: Vec3) -> f64 {
    match boundary(bsdf) {
        Some(d) if !d.thin && wo.z * wi.z < 0.0 => f64::from(if wo.z > 0.0 { d.ior } else { 1.0 / d.ior }).powi(2),
        _ => 1.0,
    }
}

/// Returns the fraction of uniform light that leaves along `wo`, by sampling: its mean and standard error.
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
    for Case { name, bsdf, .. } in rough_cases() {
        for wo in outgoing() {
            let exact = by_quadrature(&bsdf, wo, 72);
            let (mean, error) = by_sampling(&bsdf, wo, 8192);
            let z = (mean - exact).abs() / (error + 2e-4);
            assert!(z.max_element() < 5.0, "{name} from {wo}: sampled {mean}, integrated {exact}, z = {z}");
            assert!(exact.max_element() <= 1.002, "{name} from {wo}: albedo {exact}");
        }
    }
}

/// Checks that models with a white base return all light.
#[test]
fn a_white_base_under_facets_loses_nothing() {
    let white = PrincipledBsdf { base: Vec3::ONE, ..PLASTIC };
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
            let white = PrincipledBsdf { alpha: Vec2::splat(alpha), ..white };
            for f0 in [0.0, 0.04, 0.3] {
                check(Bsdf::Principled(PrincipledBsdf { f0: Vec3::splat(f0), ..white }));
            }
            check(Bsdf::Principled(PrincipledBsdf { metallic: 1.0, ..white }));
            check(Bsdf::Principled(PrincipledBsdf { metallic: 0.5, ..white }));
            let exponent = 2.0 / (alpha * alpha) - 2.0;
            for specular in [0.04, 0.5] {
                check(Bsdf::Blinn(Blinn { diffuse: Vec3::ONE, specular: Vec3::splat(specular), exponent }));
            }
        }
    }
    println!("white base: albedo - 1 between {:.1e} and {:.1e}", worst.0, worst.1);
}

/// Checks the energy of coats where only the first bounce counts, so that the coat's scaling loses light.
#[test]
fn a_coat_loses_little_and_makes_nothing() {
    let mut lowest = 1.0f64;
    for theta in [0.0, 45.0, 75.0, 87.0] {
        let wo = direction(theta, 40.0);
        for coat_alpha in [0.12, 0.5, 1.0] {
            let scattering = Scattering::Single;
            let coated = PrincipledBsdf { base: Vec3::ONE, coat: 1.0, coat_alpha, scattering, ..PLASTIC };
            let paint = CarPaintBsdf { base: Vec3::ONE, flake_color: Vec3::ONE, coat_alpha, scattering, ..PAINT };
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
        let plastic = PrincipledBsdf { base: Vec3::ONE, alpha: Vec2::new(0.15, 0.6), ..PLASTIC };
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
fn a_coat_on_smooth_glass_shares_the_light_with_it_and_hides_nothing_from_inside() {
    for thin in [false, true] {
        let glass = Dielectric { alpha: Vec2::ZERO, thin, ..GLASS };
        for wo in outgoing() {
            let coated = glazed(glass, Vec3::ONE, 1.0, 1.0);
            assert!(!coated.is_specular());
            let (mean, _) = by_sampling(&coated, wo, 20_000);
            // The coat takes what it reflects; what it reflects of light that comes out of a solid is lost.
            let least = if thin || wo.z > 0.0 { 0.98 } else { 0.75 };
            assert!(mean.max_element() < 1.01 && mean.min_element() > least, "thin {thin} from {wo}: {mean}");
            let below = wo.with_z(-wo.z.abs());
            let seen = coated.eval(below, mirrored(below)).0.x;
            assert_eq!(seen > 0.0, thin, "a solid has no coat inside, a sheet has it on both sides: {seen}");
        }
    }
}

#[test]
fn specular_strength_and_colour_change_what_smooth_glass_reflects() {
    let glass = Dielectric { alpha: Vec2::ZERO, ..GLASS };
    // Nothing that is not said changes anything.
    assert_eq!(Glazed::new(glass, Vec3::ONE, 1.0, 0.0, 0.1), None);
    let wo = direction(0.0, 0.0);
    let shares = |bsdf: &Bsdf, wo: Vec3| {
        let mut sums = [DVec3::ZERO; 2];
        for i in 0..40_000 {
            let (u_lobe, u) = numbers(i);
            let Some(s) = bsdf.sample(wo, u_lobe, u) else { continue };
            sums[usize::from(s.transmitted)] += s.weight.as_dvec3() * energy_scale(bsdf, wo, s.wi) / 40_000.0;
        }
        sums
    };
    // From air and back from inside: strength (f0 tint), and the rest goes through.
    for wo in [wo, -wo] {
        let [back, through] = shares(&glazed(glass, Vec3::new(5.0, 1.0, 0.0), 0.5, 0.0), wo);
        assert!((back - DVec3::new(0.1, 0.02, 0.0)).abs().max_element() < 0.006, "{wo}: {back}");
        assert!((back + through - 1.0).abs().max_element() < 0.01, "{wo}: {through}");
        let [back, through] = shares(&glazed(glass, Vec3::ONE, 0.0, 0.0), wo);
        assert!(back == DVec3::ZERO && (through - 1.0).abs().max_element() < 0.01, "{wo}: {through}");
    }
    // Total reflection stays total.
    let [back, through] = shares(&glazed(glass, Vec3::ONE, 0.0, 0.0), direction(130.0, 0.0));
    assert!((back - 1.0).abs().max_element() < 1e-5 && through == DVec3::ZERO, "{back}");
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
fn the_first_bounce_at_rough_white_metal_loses_the_light_of_further_ones() {
    let albedo = |alpha| by_quadrature(&white_metal(Vec2::splat(alpha), Scattering::Single), Vec3::Z, 96).x;
    let all = [0.15, 0.3, 0.6, 1.0].map(albedo);
    assert!(all[0] < 1.0 && all.is_sorted_by(|a, b| a > b), "{all:?}");
    // For alpha 1 D is constant, and the integral of G1(wi) over the visible facets is elementary.
    assert!((all[3] - (1.0 - 2f64.ln())).abs() < 1e-4, "{all:?}");
}

#[test]
fn the_albedo_for_the_denoiser_is_about_the_albedo() {
    for Case { name, bsdf, .. } in rough_cases() {
        let wo = direction(35.0, 20.0);
        let exact = by_quadrature(&bsdf, wo, 64);
        let said = bsdf.albedo(wo).as_dvec3();
        // Rough glass is said to be clear, the light that its facets lose at the first bounce notwithstanding.
        let tolerance = if boundary(&bsdf).is_some() { 0.5 } else { 0.15 };
        assert!(
            (said - exact).abs().max_element() < tolerance && said.max_element() <= 1.0,
            "{name}: {said} for {exact}"
        );
    }
    assert_eq!(Bsdf::Dielectric(GLASS).albedo(direction(50.0, 0.0)), Vec3::ONE);
}

fn white_metal(alpha: Vec2, scattering: Scattering) -> Bsdf {
    Bsdf::Conductor(Conductor::new(Vec3::ZERO, Vec3::splat(1e4), alpha, scattering))
}

/// Smallest and largest albedo of one kind of surface, and where they occur.
struct Range {
    kind: &'static str,
    /// Smallest albedo: the upper end of its error interval, the estimate, and the surface; `most` likewise.
    least: (f64, f64, String),
    most: (f64, f64, String),
}

/// Bounds of the albedo of surfaces that should return all light.
const KEPT: [f64; 2] = [0.98, 1.002];

/// Returns a BSDF's albedo for uniform light leaving along `wo`, with its error. Where the first estimate is noisy, or
/// outside of [`KEPT`], a second has 16 times the samples.
fn albedo(bsdf: &Bsdf, wo: Vec3) -> (f64, f64) {
    let first = by_even_sampling(bsdf, wo, 2048);
    let inside = (KEPT[0]..KEPT[1]).contains(&first.0);
    if inside && first.1 < 0.005 { first } else { by_even_sampling(bsdf, wo, 16 * 2048) }
}

/// Measures the albedos of surfaces in a furnace (uniform light) by evenly spread samples, with their errors.
fn furnace(kind: &'static str, bsdfs: &[Bsdf], azimuths: &[f64]) -> Range {
    let mut range = Range { kind, least: (2.0, 2.0, String::new()), most: (0.0, 0.0, String::new()) };
    for bsdf in bsdfs {
        for theta in [0.0, 20.0, 45.0, 60.0, 75.0, 82.0, 87.0, 89.5, 91.0, 100.0, 120.0, 140.0, 160.0, 180.0] {
            for &azimuth in azimuths {
                let below = matches!(bsdf, Bsdf::Dielectric(d) if !d.thin);
                if theta > 90.0 && !below {
                    continue;
                }
                let wo = direction(theta, azimuth);
                let (mean, error) = albedo(bsdf, wo);
                let name = || format!("{bsdf:?} from {theta} {azimuth}");
                // A mean that is off by four standard errors is none of a surface of this albedo.
                let [low, high] = [mean + 4.0 * error, mean - 4.0 * error];
                if low < range.least.0 {
                    range.least = (low, range.least.1, name());
                }
                if high > range.most.0 {
                    range.most = (high, range.most.1, name());
                }
                range.least.1 = range.least.1.min(mean);
                range.most.1 = range.most.1.max(mean);
            }
        }
    }
    println!("{kind}: {:.4} to {:.4}", range.least.1, range.most.1);
    range
}

/// Returns the first channel's albedo and its error, from the spread of means over blocks of 64 samples that each cover
/// the random numbers evenly.
fn by_even_sampling(bsdf: &Bsdf, wo: Vec3, samples: u32) -> (f64, f64) {
    let blocks = samples / 64;
    let (mut sum, mut squares) = (0.0, 0.0);
    for block in 0..blocks {
        let (shift, [shift_x, shift_y]) = numbers(block);
        let mut total = 0.0;
        for i in 0..64 {
            // Roberts' sequence of three dimensions.
            let at = |step: f64, shift: f32| {
                ((f64::from(i) + 1.0) * step + f64::from(shift)).rem_euclid(1.0).min(0.999_999_94) as f32
            };
            let u = [at(0.671_043_606_703_789, shift_x), at(0.549_700_477_901_96, shift_y)];
            if let Some(s) = bsdf.sample(wo, at(0.819_172_513_396_164, shift), u) {
                total += f64::from(s.weight.x) * energy_scale(bsdf, wo, s.wi);
            }
        }
        sum += total / 64.0;
        squares += total * total / 4096.0;
    }
    let n = f64::from(blocks);
    let mean = sum / n;
    (mean, ((squares / n - mean * mean).max(0.0) / n).sqrt())
}

/// Roughness alphas of the surfaces in furnace tests.
const ALPHAS: [f32; 11] = [1e-3, 4e-3, 0.01, 0.03, 0.07, 0.15, 0.3, 0.45, 0.6, 0.8, 1.0];

#[track_caller]
fn check(range: &Range, least: f64, most: f64) {
    assert!(range.least.0 >= least, "{}: {} of {}", range.kind, range.least.0, range.least.2);
    assert!(range.most.0 <= most, "{}: {} of {}", range.kind, range.most.0, range.most.2);
}

/// Returns surfaces that should return all light, by kind.
fn lossless() -> Vec<(&'static str, Vec<Bsdf>)> {
    let white = PrincipledBsdf { base: Vec3::ONE, ..PLASTIC };
    let alphas = ALPHAS.map(Vec2::splat);
    let principled =
        |metallic| alphas.map(|alpha| Bsdf::Principled(PrincipledBsdf { alpha, metallic, ..white })).to_vec();
    let glass = |thin| {
        let iors = [0.4, 0.8, 1.03, 1.1, 1.33, 1.5, 2.0, 3.0];
        let of_alpha = |alpha| iors.map(|ior| Bsdf::Dielectric(Dielectric { alpha, ior, thin, ..GLASS }));
        alphas.map(of_alpha).concat()
    };
    let (mut plastics, mut metals, mut paints) = (Vec::new(), Vec::new(), Vec::new());
    let alphas = [1e-3, 0.05, 0.15, 0.4, 1.0];
    for (coat_alpha, alpha) in alphas.iter().flat_map(|&c| alphas.map(|a| (c, a))) {
        for coat in [1.0, 0.5] {
            let coated = PrincipledBsdf { alpha: Vec2::splat(alpha), coat, coat_alpha, ..white };
            plastics.push(Bsdf::Principled(coated));
            metals.push(Bsdf::Principled(PrincipledBsdf { metallic: 1.0, ..coated }));
        }
        let paint = CarPaintBsdf { base: Vec3::ONE, flake_color: Vec3::ONE, flake_alpha: alpha, coat_alpha, ..PAINT };
        for (flake_amount, coat_ior) in [(0.0, 1.5), (0.5, 1.5), (1.0, 1.5), (0.5, 2.0), (0.8, 1.0)] {
            paints.push(Bsdf::CarPaint(CarPaintBsdf { flake_amount, coat_ior, ..paint }));
        }
    }
    vec![
        ("white metal", ALPHAS.map(|alpha| white_metal(Vec2::splat(alpha), Scattering::Multiple)).into()),
        ("white principled metal", principled(1.0)),
        ("white plastic", principled(0.0)),
        ("clear glass", glass(false)),
        ("thin clear glass", glass(true)),
        ("coated white plastic", plastics),
        ("coated white metal", metals),
        ("white car paint", paints),
    ]
}

/// Returns anisotropic surfaces, with alphas up to 1 to 4.
fn anisotropic() -> [(&'static str, Vec<Bsdf>); 2] {
    let alphas = [(0.1, 0.2), (0.15, 0.6), (0.4, 0.8), (0.25, 1.0)].map(|(x, y)| Vec2::new(x, y));
    let iors = [0.4, 1.1, 1.5, 3.0];
    let glasses = alphas.map(|alpha| iors.map(|ior| Bsdf::Dielectric(Dielectric { alpha, ior, ..GLASS }))).concat();
    [
        ("anisotropic white metal", alphas.map(|alpha| white_metal(alpha, Scattering::Multiple)).into()),
        ("anisotropic clear glass", glasses),
    ]
}

const AZIMUTHS: [f64; 4] = [0.0, 30.0, 60.0, 90.0];

#[test]
fn white_surfaces_and_clear_glass_keep_all_light() {
    for (kind, bsdfs) in lossless() {
        check(&furnace(kind, &bsdfs, &[40.0]), KEPT[0], KEPT[1]);
    }
}

#[test]
#[ignore = "prints what the first bounce keeps"]
fn print_what_the_first_bounce_keeps() {
    for (kind, bsdfs) in lossless().into_iter().chain(anisotropic()) {
        furnace(kind, &bsdfs.iter().filter_map(first_bounce).collect::<Vec<_>>(), &AZIMUTHS);
    }
}

/// Checks by quadrature that no light is made or lost, for lobes wide enough for a fixed grid, so that noise needs no
/// allowance.
#[test]
fn no_light_is_made_or_lost_by_quadrature_either() {
    let mut range = (2.0f64, 0.0f64);
    let mut check = |bsdf: Bsdf, angles: &[f64]| {
        for &theta in angles {
            let albedo = by_quadrature(&bsdf, direction(theta, 40.0), 64).x;
            range = (range.0.min(albedo), range.1.max(albedo));
            assert!((0.98..=1.002).contains(&albedo), "{bsdf:?} at {theta} degrees: {albedo}");
        }
    };
    for alpha in [0.3, 0.6, 1.0].map(Vec2::splat) {
        check(white_metal(alpha, Scattering::Multiple), &[0.0, 50.0, 80.0]);
        for ior in [1.33, 1.5, 2.5] {
            let glass = Dielectric { alpha, ior, ..GLASS };
            check(Bsdf::Dielectric(glass), &[0.0, 70.0, 110.0, 150.0, 180.0]);
            check(Bsdf::Dielectric(Dielectric { thin: true, ..glass }), &[30.0, 75.0]);
        }
        for coat_alpha in [0.15, 0.5] {
            let coated = PrincipledBsdf { base: Vec3::ONE, alpha, coat: 1.0, coat_alpha, ..PLASTIC };
            check(Bsdf::Principled(coated), &[0.0, 60.0, 82.0]);
            check(Bsdf::Principled(PrincipledBsdf { metallic: 1.0, ..coated }), &[0.0, 60.0, 82.0]);
            let paint = CarPaintBsdf { base: Vec3::ONE, flake_color: Vec3::ONE, coat_alpha, ..PAINT };
            check(Bsdf::CarPaint(CarPaintBsdf { flake_alpha: alpha.x, ..paint }), &[0.0, 60.0, 82.0]);
        }
    }
    println!("by quadrature: {range:?}");
}

#[test]
fn anisotropic_facets_keep_most_light() {
    for ((kind, bsdfs), [least, most]) in anisotropic().into_iter().zip([KEPT, [0.976, KEPT[1]]]) {
        check(&furnace(kind, &bsdfs, &AZIMUTHS), least, most);
    }
}

#[test]
fn the_furnace_sees_planted_bugs() {
    let rough = Vec2::ONE;
    let fails = |bsdf: Bsdf| {
        let range = furnace("planted", &[bsdf], &[40.0]);
        range.least.0 < KEPT[0] || range.most.0 > KEPT[1]
    };
    assert!(!fails(white_metal(rough, Scattering::Multiple)));
    assert!(fails(white_metal(rough, Scattering::Single)), "no further bounces");
    let dim = Conductor::new(Vec3::ZERO, Vec3::splat(1e4), rough, Scattering::Multiple);
    let dim = Conductor { fresnel_mean: Vec3::splat(0.97), ..dim };
    assert!(fails(Bsdf::Conductor(dim)), "a Fresnel mean that is a little low");
    let glass = Dielectric { alpha: rough, ..GLASS };
    assert!(!fails(Bsdf::Dielectric(glass)));
    assert!(fails(Bsdf::Dielectric(Dielectric { scattering: Scattering::Single, ..glass })), "no further bounces");
    let coated = PrincipledBsdf { base: Vec3::ONE, coat: 1.0, ..PLASTIC };
    assert!(!fails(Bsdf::Principled(coated)));
    assert!(fails(Bsdf::Principled(PrincipledBsdf { scattering: Scattering::Single, ..coated })), "a lossy coat");
}

#[test]
fn a_bsdf_is_small() {
    // What shading moves about. The flag of further bounces found room.
    assert_eq!(size_of::<Bsdf>(), 56);
    // What a vertex keeps beside it.
    assert!(size_of::<PreparedBsdf>() <= 240, "{}", size_of::<PreparedBsdf>());
}

#[test]
fn glass_of_a_changed_reflectance_makes_no_light_and_loses_little_more_than_it_was_changed() {
    for (strength, least) in [(0.999f32, 0.99), (0.5, 0.68), (0.0, 0.38)] {
        let mut range = (2.0f64, 0.0f64);
        for (alpha, ior) in [(0.3, 1.5), (0.6, 1.33), (0.6, 2.0), (1.0, 1.5)] {
            for tint in [Vec3::ONE, Vec3::new(3.0, 1.0, 0.3)] {
                let bsdf = glazed(Dielectric { alpha: Vec2::splat(alpha), ior, ..GLASS }, tint, strength, 0.0);
                for theta in [0.0, 50.0, 80.0, 110.0, 150.0, 180.0] {
                    let albedo = by_quadrature(&bsdf, direction(theta, 40.0), 64);
                    assert!(albedo.max_element() <= 1.002, "{bsdf:?} from {theta}: {albedo}");
                    if tint == Vec3::ONE {
                        range = (range.0.min(albedo.x), range.1.max(albedo.x));
                    }
                }
            }
        }
        println!("glass of {strength} times its reflectance: {range:?}");
        assert!(range.0 >= least, "{strength}: {range:?}");
    }
}
