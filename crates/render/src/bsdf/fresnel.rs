//! Reflectance of smooth boundaries for unpolarised light.

use glam::Vec3;

/// Returns the reflectance at normal incidence of a dielectric of refractive index `ior`.
#[inline]
pub fn f0_of_ior(ior: f32) -> f32 {
    let r = (ior - 1.0) / (ior + 1.0);
    r * r
}

/// Returns the weight of Schlick's Fresnel term: `(1 - cos)^5`.
#[inline]
pub(super) fn schlick_weight(cos: f32) -> f32 {
    let m = (1.0 - cos).clamp(0.0, 1.0);
    let m2 = m * m;
    m2 * m2 * m
}

/// Returns Schlick's Fresnel term, from `f0` at normal incidence to `f90` at grazing incidence (Schlick 1994).
#[inline]
pub fn schlick(f0: Vec3, f90: f32, cos: f32) -> Vec3 {
    f0 + (Vec3::splat(f90) - f0) * schlick_weight(cos)
}

/// Returns Schlick's Fresnel term for an `f90` of 1, averaged over the hemisphere with the cosine as weight.
#[inline]
pub fn schlick_mean(f0: Vec3) -> Vec3 {
    f0 + (1.0 - f0) / 21.0
}

/// Returns `share` times the fraction of light lost at the first bounce that further bounces return: it is reflected at
/// the mean Fresnel term `f`, and the fraction `lost` is lost again each time.
#[inline]
pub fn further(share: f32, f: Vec3, lost: f32) -> Vec3 {
    share * f * f * (1.0 - lost) / (1.0 - f * lost)
}

/// Returns the `f90` for models with an `f0` alone: 1, but fading out for an `f0` below 2 %, so that a black `f0` means
/// no specular reflection.
#[inline]
pub fn f90_of_f0(f0: Vec3) -> f32 {
    (50.0 * f0.max_element()).clamp(0.0, 1.0)
}

/// Returns the exact Fresnel reflectance of a dielectric boundary, and the cosine of the refracted direction (on the
/// other side, positive; 0 in total internal reflection). `cos` is positive, `eta` the index beyond the boundary over
/// that before it.
#[inline]
pub fn dielectric(cos: f32, eta: f32) -> (f32, f32) {
    let sin2_t = (1.0 - cos * cos).max(0.0) / (eta * eta);
    if sin2_t >= 1.0 {
        return (1.0, 0.0);
    }
    let cos_t = (1.0 - sin2_t).sqrt();
    let parallel = (eta * cos - cos_t) / (eta * cos + cos_t);
    let perpendicular = (cos - eta * cos_t) / (cos + eta * cos_t);
    (0.5 * (parallel * parallel + perpendicular * perpendicular), cos_t)
}

/// Returns the exact Fresnel reflectance of a metal with complex refractive index `eta + i k`, per channel.
#[inline]
pub fn conductor(cos: f32, eta: Vec3, k: Vec3) -> Vec3 {
    let cos = cos.clamp(0.0, 1.0);
    let cos2 = cos * cos;
    let sin2 = 1.0 - cos2;
    let (eta2, k2) = (eta * eta, k * k);
    let t0 = eta2 - k2 - sin2;
    let a2_b2 = (t0 * t0 + 4.0 * eta2 * k2).map(f32::sqrt);
    let a = (0.5 * (a2_b2 + t0)).max(Vec3::ZERO).map(f32::sqrt);
    let (t1, t2) = (a2_b2 + cos2, 2.0 * cos * a);
    let perpendicular = (t1 - t2) / (t1 + t2);
    let (t3, t4) = (cos2 * a2_b2 + sin2 * sin2, t2 * sin2);
    let parallel = perpendicular * (t3 - t4) / (t3 + t4);
    let reflectance = 0.5 * (perpendicular + parallel);
    // 0 / 0 where nothing differs across the boundary (eta 1, k 0) at grazing incidence.
    reflectance.map(|r| if r.is_nan() { 1.0 } else { r.clamp(0.0, 1.0) })
}

/// Returns the reflectance [`conductor`] averaged over the hemisphere with the cosine as weight, by a two-point Gauss
/// rule with an error below 0.02, or below 0.01 for metals of k above 2.
#[inline]
pub fn conductor_mean(eta: Vec3, k: Vec3) -> Vec3 {
    // The roots of 1/2 -+ 1/sqrt(12).
    0.5 * (conductor(0.459_700_84, eta, k) + conductor(0.888_073_8, eta, k))
}

/// Returns the reflectance [`dielectric`] averaged over the hemisphere on the thinner side; `n` is the index of the
/// denser side over it (Kulla and Conty 2017).
#[inline]
pub fn dielectric_mean(n: f32) -> f32 {
    (n - 1.0) / (4.08567 + 1.00071 * n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_over_the_hemisphere_are_about_their_integrals() {
        let points = 4000;
        let mean = |f: &dyn Fn(f32) -> f32| {
            let at = |i| f64::from(f(((f64::from(i) + 0.5) / f64::from(points)).sqrt() as f32));
            ((0..points).map(at).sum::<f64>() / f64::from(points)) as f32
        };
        let mut worst = 0.0f32;
        for (eta, k) in
            [(0.0, 1e3), (0.05, 4.0), (0.2, 3.9), (0.4, 2.0), (1.1, 2.6), (1.4, 7.6), (2.9, 3.1), (3.0, 1.0)]
        {
            let (eta, k) = (Vec3::splat(eta), Vec3::splat(k));
            let error = conductor_mean(eta, k).x - mean(&|cos| conductor(cos, eta, k).x);
            worst = worst.max(error.abs());
            assert!(error.abs() < if k.x > 2.0 { 0.01 } else { 0.02 }, "{eta} {k}: off by {error}");
        }
        println!("mean of the conductors' reflectance: off by at most {worst}");
        for n in [1.02, 1.1, 1.5, 2.0, 3.0, 10.0] {
            let error = dielectric_mean(n) - mean(&|cos| dielectric(cos, n).0);
            assert!(error.abs() < 0.01, "{n}: off by {error}");
        }
    }

    #[test]
    fn normal_incidence_has_its_closed_form() {
        for ior in [1.0, 1.0001, 1.33, 1.5, 3.0] {
            let (r, cos_t) = dielectric(1.0, ior);
            assert!((r - f0_of_ior(ior)).abs() < 1e-7 && cos_t == 1.0);
        }
        let (eta, k) = (Vec3::new(0.2, 1.1, 3.0), Vec3::new(3.9, 2.6, 0.0));
        let want = ((eta - 1.0) * (eta - 1.0) + k * k) / ((eta + 1.0) * (eta + 1.0) + k * k);
        assert!((conductor(1.0, eta, k) - want).length() < 1e-6);
    }

    #[test]
    fn a_conductor_without_absorption_is_a_dielectric() {
        for i in 1..=50 {
            let cos = i as f32 / 50.0;
            for ior in [1.1, 1.5, 2.4] {
                let r = conductor(cos, Vec3::splat(ior), Vec3::ZERO).x;
                assert!((r - dielectric(cos, ior).0).abs() < 2e-6, "{cos} {ior}");
            }
        }
    }

    /// Compares the reflectance with Fresnel amplitudes in complex f64 arithmetic.
    #[test]
    fn the_conductors_reflectance_is_that_of_the_complex_formula() {
        type C = (f64, f64);
        let mul = |a: C, b: C| (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0);
        let norm = |a: C| a.0 * a.0 + a.1 * a.1;
        let div = |a: C, b: C| (mul(a, (b.0, -b.1)).0 / norm(b), mul(a, (b.0, -b.1)).1 / norm(b));
        let sqrt = |a: C| {
            let r = norm(a).sqrt();
            (((r + a.0) / 2.0).max(0.0).sqrt(), ((r - a.0) / 2.0).max(0.0).sqrt().copysign(a.1))
        };
        for (eta, k) in [(0.2f32, 3.9f32), (1.1, 2.6), (2.9, 3.1), (0.04, 4.8)] {
            for i in 0..=40 {
                let cos = i as f32 / 40.0;
                let n = (f64::from(eta), f64::from(k));
                let c = f64::from(cos);
                let cos_t = {
                    let s = div((1.0 - c * c, 0.0), mul(n, n));
                    sqrt((1.0 - s.0, -s.1))
                };
                let nc = mul(n, cos_t);
                let perpendicular = div((c - nc.0, -nc.1), (c + nc.0, nc.1));
                let nci = (n.0 * c, n.1 * c);
                let parallel = div((nci.0 - cos_t.0, nci.1 - cos_t.1), (nci.0 + cos_t.0, nci.1 + cos_t.1));
                let want = 0.5 * (norm(perpendicular) + norm(parallel));
                let got = conductor(cos, Vec3::splat(eta), Vec3::splat(k)).x;
                assert!((f64::from(got) - want).abs() < 3e-6, "eta {eta}, k {k}, cos {cos}: {got} for {want}");
            }
        }
    }

    #[test]
    fn brewsters_angle_and_total_reflection_are_where_they_belong() {
        // At Brewster's angle only the perpendicular part is reflected: ((n^2 - 1) / (n^2 + 1))^2 / 2.
        let n = 1.5f32;
        let r = dielectric(1.0 / (1.0 + n * n).sqrt(), n).0;
        assert!((r - 0.5 * ((n * n - 1.0) / (n * n + 1.0)).powi(2)).abs() < 1e-6);
        let critical = (1.0 - 1.0 / (n * n)).sqrt();
        assert_eq!(dielectric(critical - 1e-3, 1.0 / n).0, 1.0);
        assert!(dielectric(critical + 1e-3, 1.0 / n).0 < 1.0);
    }

    #[test]
    fn extreme_input_gives_a_reflectance() {
        for cos in [0.0, 1e-20, 1e-6, 0.5, 1.0] {
            for eta in [1e-3, 1.0, 1.0001, 3.0, 1e3] {
                let r = if cos > 0.0 || eta != 1.0 { dielectric(cos, eta).0 } else { 0.0 };
                assert!((0.0..=1.0).contains(&r), "{cos} {eta}: {r}");
                let c = conductor(cos, Vec3::new(0.0, eta, 1.0), Vec3::new(0.0, 0.0, eta));
                assert!(c.cmpge(Vec3::ZERO).all() && c.cmple(Vec3::ONE).all(), "{cos} {eta}: {c}");
            }
        }
    }
}
