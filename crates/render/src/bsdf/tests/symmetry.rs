//! Reciprocity, two sides, smooth limits, known values.

use super::*;

fn pairs() -> impl Iterator<Item = (Vec3, Vec3)> {
    (0..400).map(|i| {
        let (_, a) = numbers(i);
        let (_, b) = numbers(i + 10_000);
        let far = |u| {
            let d = Vec3::from(raywarp_sample::warp::uniform_sphere(u));
            // Off the horizon, where both sides of the equation vanish.
            d.with_z(d.z + 0.02f32.copysign(d.z)).normalize()
        };
        (far(a), far(b))
    })
}

#[test]
fn light_takes_the_same_way_back() {
    for Case { name, bsdf, .. } in rough_cases().into_iter().filter(|case| case.is_reciprocal) {
        let mut seen = 0;
        for (a, b) in pairs() {
            // f, of which radiance scaling is no part: f / eta^2 of the side that light goes to.
            let squeeze = |wo: Vec3| match boundary(&bsdf) {
                Some(d) if !d.thin && a.z * b.z < 0.0 && wo.z > 0.0 => d.ior * d.ior,
                _ => 1.0,
            };
            let forth = bsdf.eval(a, b).0 / b.z.abs() * squeeze(a);
            let back = bsdf.eval(b, a).0 / a.z.abs() * squeeze(b);
            let difference = (forth - back).abs().max_element();
            assert!(difference <= 2e-3 * (forth + back).max_element() + 1e-6, "{name}: {a} {b}: {forth} {back}");
            seen += usize::from(forth.max_element() > 1e-4);
        }
        assert!(seen > 20, "{name}: only {seen} pairs scatter");
    }
}

#[test]
fn without_the_index_refraction_would_not_be_reciprocal() {
    let glass = Bsdf::Dielectric(GLASS);
    let (a, b) = (direction(20.0, 0.0), direction(165.0, 180.0));
    let (forth, back) = (glass.eval(a, b).0.x / b.z.abs(), glass.eval(b, a).0.x / a.z.abs());
    // f / eta^2 is symmetric, with the index of the side that radiance comes to.
    assert!((forth * 1.5 * 1.5 / back - 1.0).abs() < 1e-3, "{forth} {back}");
}

#[test]
fn opaque_models_look_the_same_from_below() {
    // Not `with_z`: at opt-level 1 rustc 1.95 loses the second one of the same vector (its pass GVN).
    let down = |v: Vec3| Vec3::new(v.x, v.y, -v.z);
    for Case { name, bsdf, .. } in rough_cases() {
        if boundary(&bsdf).is_some_and(|glass| !glass.thin) {
            continue;
        }
        for i in 0..50 {
            let wo = direction(50.0, 30.0);
            let (u_lobe, u) = numbers(i);
            let (above, below) = (bsdf.sample(wo, u_lobe, u), bsdf.sample(down(wo), u_lobe, u));
            assert_eq!(above.map(|s| BsdfSample { wi: down(s.wi), ..s }), below, "{name}");
            if let Some(s) = above {
                assert_eq!(bsdf.eval(wo, s.wi), bsdf.eval(down(wo), down(s.wi)), "{name}");
            }
        }
    }
}

#[test]
fn nothing_goes_through_opaque_models() {
    for Case { name, bsdf, .. } in rough_cases() {
        if matches!(bsdf, Bsdf::Dielectric(_) | Bsdf::Glazed(_) | Bsdf::DiffuseTransmission { .. }) {
            continue;
        }
        assert_eq!(bsdf.eval(direction(30.0, 0.0), direction(150.0, 180.0)), (Vec3::ZERO, 0.0), "{name}");
    }
}

/// Returns the mean direction of 2000 samples that were reflected, or transmitted.
fn mean_direction(bsdf: &Bsdf, wo: Vec3, transmitted: bool) -> Vec3 {
    let picked = (0..2000).filter_map(|i| {
        let (u_lobe, u) = numbers(i);
        bsdf.sample(wo, u_lobe, u).filter(|s| s.transmitted == transmitted).map(|s| s.wi)
    });
    picked.sum::<Vec3>().normalize()
}

#[test]
fn almost_smooth_models_scatter_where_smooth_ones_do() {
    for wo in outgoing() {
        let metal = |alpha| Bsdf::Conductor(Conductor { alpha: Vec2::splat(alpha), ..COPPER });
        let (smooth, rough) = (metal(0.0), metal(2e-4));
        let exact = smooth.sample(wo, 0.5, [0.5; 2]).unwrap();
        assert!(exact.specular && (exact.wi - Vec3::new(-wo.x, -wo.y, wo.z)).length() < 1e-6);
        assert!((mean_direction(&rough, wo, false) - exact.wi).length() < 2e-3);
        let s = rough.sample(wo, 0.5, [0.3, 0.7]).unwrap();
        assert!((s.weight - exact.weight).length() < 2e-2, "{} {}", s.weight, exact.weight);

        let glass = |alpha| Bsdf::Dielectric(Dielectric { alpha: Vec2::splat(alpha), ..GLASS });
        let through = (0..100).find_map(|i| {
            let (u_lobe, u) = numbers(i);
            glass(0.0).sample(wo, u_lobe, u).filter(|s| s.transmitted)
        });
        if let Some(exact) = through {
            assert!((mean_direction(&glass(2e-4), wo, true) - exact.wi).length() < 2e-3, "{wo}");
        }
    }
}

#[test]
fn refraction_obeys_snell_and_squeezes_radiance() {
    let bsdf = Bsdf::Dielectric(Dielectric { alpha: Vec2::ZERO, ..GLASS });
    for (theta, eta) in [(40.0f64, 1.5f64), (150.0, 1.0 / 1.5)] {
        let wo = direction(theta, 0.0);
        let s = bsdf.sample(wo, 0.999, [0.5; 2]).unwrap();
        assert!(s.transmitted && s.specular && s.wi.z * wo.z < 0.0);
        assert!((f64::from(wo.x) + eta * f64::from(s.wi.x)).abs() < 1e-6, "{wo} {}", s.wi);
        assert!((f64::from(s.weight.x) * eta * eta - 1.0).abs() < 1e-6);
    }
    // Beyond the critical angle (41.8 degrees) all is reflected inside.
    let s = bsdf.sample(direction(130.0, 0.0), 0.999_999, [0.5; 2]).unwrap();
    assert!(!s.transmitted && s.weight == Vec3::ONE);
    // A thin sheet does not bend.
    let sheet = Bsdf::Dielectric(Dielectric { alpha: Vec2::ZERO, thin: true, ..GLASS });
    let wo = direction(40.0, 70.0);
    let s = sheet.sample(wo, 0.999, [0.5; 2]).unwrap();
    assert!((s.wi + wo).length() < 1e-6 && s.weight == Vec3::ONE);
}

#[test]
fn a_tilted_flake_scatters_as_a_flat_one_does_in_its_own_frame() {
    let flat = CarPaintBsdf { coat_ior: 1.0, flake_amount: 1.0, ..PAINT };
    let normal = Vec3::new(0.3, -0.2, 0.9).normalize();
    let tilted = CarPaintBsdf { flake_normal: normal, ..flat };
    let (t, b) = raywarp_sample::warp::onb(normal.into());
    let (t, b) = (Vec3::from(t), Vec3::from(b));
    for (wo, wi) in [((20.0, 10.0), (40.0, 80.0)), ((60.0, 300.0), (50.0, 100.0)), ((75.0, 350.0), (10.0, 0.0))] {
        let (wo, wi) = (direction(wo.0, wo.1), direction(wi.0, wi.1));
        let [own_wo, own_wi] = [wo, wi].map(|w| Vec3::new(t.dot(w), b.dot(w), normal.dot(w)));
        let got = Bsdf::CarPaint(tilted).eval(wo, wi).0;
        let want = Bsdf::CarPaint(flat).eval(own_wo, own_wi).0;
        assert!((got / want - 1.0).abs().max_element() < 1e-4, "{wo} {wi}: {got} for {want}");
    }
}

#[test]
fn values_equal_those_of_the_formulas_in_f64() {
    // Microfacet reflection straight from the papers, in f64, by way of tangents.
    let (wo, wi) = (direction(40.0, 10.0), direction(55.0, 170.0));
    let (o, i) = (wo.as_dvec3(), wi.as_dvec3());
    let h = (o + i).normalize();
    let (ax, ay) = (0.2f64, 0.45f64);
    let tan2 = (1.0 - h.z * h.z) / (h.z * h.z);
    let (cos2, sin2) = (h.x * h.x / (1.0 - h.z * h.z), h.y * h.y / (1.0 - h.z * h.z));
    let e = tan2 * (cos2 / (ax * ax) + sin2 / (ay * ay));
    let d = 1.0 / (std::f64::consts::PI * ax * ay * h.z.powi(4) * (1.0 + e).powi(2));
    let g1 = |w: DVec3| {
        let a2 = (w.x * w.x * ax * ax + w.y * w.y * ay * ay) / (w.z * w.z);
        1.0 / (1.0 + 0.5 * ((1.0 + a2).sqrt() - 1.0))
    };
    let fresnel = fresnel::conductor(o.dot(h) as f32, COPPER.eta, COPPER.k).as_dvec3();
    let want = fresnel * d * g1(o) * g1(i) / (4.0 * o.z);
    let metal = Conductor { alpha: Vec2::new(0.2, 0.45), fresnel_mean: Vec3::ZERO, ..COPPER };
    let metal = Bsdf::Conductor(metal);
    let got = metal.eval(wo, wi).0.as_dvec3();
    assert!((got / want - 1.0).abs().max_element() < 1e-5, "{got} for {want}");

    // Blinn without a base, n = 20.
    let n = 20.0f64;
    let d = (n + 2.0) / TAU * h.z.powf(n);
    let g = (2.0 * h.z * o.z / o.dot(h)).min(2.0 * h.z * i.z / o.dot(h)).min(1.0);
    let f = 0.3 + 0.7 * (1.0 - o.dot(h)).powi(5);
    let blinn = Bsdf::Blinn(Blinn { diffuse: Vec3::ZERO, specular: Vec3::splat(0.3), exponent: 20.0 });
    let got = f64::from(blinn.eval(wo, wi).0.x);
    assert!((got / (f * d * g / (4.0 * o.z)) - 1.0).abs() < 1e-5, "{got}");

    // Refraction (Walter et al. 2007, equation 21), radiance scaled by 1 / eta^2.
    let wi = direction(160.0, 200.0);
    let i = wi.as_dvec3();
    let eta = f64::from(GLASS.ior);
    let h = -(o + eta * i).normalize();
    let h = if h.z < 0.0 { -h } else { h };
    let a2 = 0.09f64;
    let d = a2 / (std::f64::consts::PI * (h.z * h.z * (a2 - 1.0) + 1.0).powi(2));
    let g1 = |w: DVec3| 2.0 / (1.0 + (1.0 + a2 * (1.0 - w.z * w.z) / (w.z * w.z)).sqrt());
    let f = f64::from(fresnel::dielectric(o.dot(h) as f32, GLASS.ior).0);
    let scale = (o.dot(h) * i.dot(h)).abs() / (o.z * i.z).abs();
    let walter = scale * eta * eta * (1.0 - f) * g1(o) * g1(i) * d / (o.dot(h) + eta * i.dot(h)).powi(2);
    let want = walter * i.z.abs() / (eta * eta);
    let glass = Dielectric { scattering: Scattering::Single, ..GLASS };
    let got = f64::from(Bsdf::Dielectric(glass).eval(wo, wi).0.x);
    assert!((got / want - 1.0).abs() < 1e-4, "{got} for {want}");
}
