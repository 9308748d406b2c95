//! Blinn microfacets: `D = (n + 2) / 2pi cos^n`, shadowing by V-shaped cavities (Torrance and Sparrow
//! 1967), Schlick's Fresnel term; over a Lambert base that gets the light the facets leave.

use super::albedo_table::{AlbedoRow, AlbedoTable, albedo, coupling};
use super::{BsdfSample, fresnel};
use crate::texture::Inputs;
use glam::Vec3;
use raywarp_sample::elementary::{exp, exp_m1, ln_1p};
use raywarp_sample::warp::{cosine_hemisphere, sin_cos_turn};
use std::f32::consts::{FRAC_1_PI, TAU};

/// BSDF of a Lambert base under Blinn microfacets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blinn {
    /// Albedo of the Lambert base.
    pub diffuse: Vec3,
    /// Reflectance of the facets at normal incidence. Below 2 % the facets fade out; 0 is pure Lambert.
    pub specular: Vec3,
    /// Blinn exponent n, clamped to 0 to 1e6.
    pub exponent: f32,
}

/// Returns the GGX alpha of a lobe as wide as a Blinn lobe of exponent `n`; 1 for exponent 0.
#[inline]
pub(super) fn alpha_of_exponent(n: f32) -> f32 {
    (2.0 / (n + 2.0)).sqrt()
}

/// Returns the Blinn exponent of a GGX alpha, the inverse of [`alpha_of_exponent`].
#[cfg(any(test, feature = "tables"))]
pub(super) fn exponent_of_alpha(alpha: f32) -> f32 {
    (2.0 / (alpha * alpha) - 2.0).clamp(0.0, 1e6)
}

/// Returns the Blinn distribution D of microfacet normals at `h`, for the exponent `n`. `cos^n` from the sine: near the
/// peak cos has too few digits for a large n.
#[inline]
fn d(n: f32, h: Vec3) -> f32 {
    let sin2 = (h.x * h.x + h.y * h.y).min(1.0);
    let power = if n == 0.0 { 1.0 } else { exp(0.5 * n * ln_1p(-sin2)) };
    (n + 2.0) / TAU * power
}

/// Samples a Blinn microfacet normal with density `D cos`.
#[inline]
fn sample_normal(n: f32, u: [f32; 2]) -> Vec3 {
    let sin2 = -exp_m1(2.0 / (n + 2.0) * ln_1p(-u[0]));
    let (sin, cos) = sin_cos_turn(u[1]);
    let r = sin2.sqrt();
    Vec3::new(r * cos, r * sin, (1.0 - sin2).max(0.0).sqrt())
}

/// Returns the fraction visible from `w` of a facet with normal `h` and its mirror image about z (masking function G1).
#[inline]
fn g1(w: Vec3, h: Vec3) -> f32 {
    let cos = w.dot(h);
    if cos > 0.0 { (2.0 * h.z * w.z / cos).min(1.0) } else { 0.0 }
}

/// Returns the two facets of a V-shaped cavity, and the probability that `w` sees the first (Heitz 2014, section 5: `D
/// cos` times this is the distribution of visible normals).
#[inline]
fn twins(w: Vec3, h: Vec3) -> ([Vec3; 2], f32) {
    let twin = Vec3::new(-h.x, -h.y, h.z);
    let (a, b) = (w.dot(h).max(0.0), w.dot(twin).max(0.0));
    ([h, twin], if a + b > 0.0 { a / (a + b) } else { 1.0 })
}

/// Returns the contribution of a sampled direction to the Blinn albedo table: its factors on f0 and f90. Both facets of
/// the sampled cavity are counted, which saves the choice.
#[cfg(any(test, feature = "tables"))]
pub(super) fn blinn_scale_and_bias(n: f32, wo: Vec3, u: [f32; 2]) -> glam::Vec2 {
    use glam::Vec2;
    let (facets, first) = twins(wo, sample_normal(n, u));
    let one = |h: Vec3| {
        let cos = wo.dot(h);
        let wi = 2.0 * cos * h - wo;
        let masking = g1(wo, h);
        if wi.z <= 0.0 || masking <= 0.0 {
            return Vec2::ZERO;
        }
        let s = fresnel::schlick_weight(cos);
        masking.min(g1(wi, h)) / masking * Vec2::new(1.0 - s, s)
    };
    first * one(facets[0]) + (1.0 - first) * one(facets[1])
}

/// Quantities that sampling and evaluation of Blinn's model share: albedo of the facets, and lobe probabilities.
struct Lobes {
    row: AlbedoRow<'static>,
    n: f32,
    f90: f32,
    e_wo: Vec3,
    /// Probability of choosing the facets' lobe.
    p_specular: f32,
}

impl Blinn {
    /// Reads the parameters of a material of kind [`super::MaterialKind::Blinn`].
    #[inline]
    pub(super) fn look_up(m: &Inputs) -> Self {
        Self { diffuse: m.share(0), specular: m.share(1), exponent: m.scalar(2).clamp(0.0, 1e6) }
    }

    /// Returns the exponent with NaN replaced by 0.
    #[inline]
    pub(crate) fn n(&self) -> f32 {
        if self.exponent > 0.0 { self.exponent.min(1e6) } else { 0.0 }
    }

    #[inline]
    fn lobes(&self, wo: Vec3) -> Option<Lobes> {
        let n = self.n();
        let row = AlbedoTable::blinn().row_of_exponent(n);
        let f90 = fresnel::f90_of_f0(self.specular);
        let e_wo = albedo(self.specular, f90, row.at(wo.z));
        let specular = e_wo.element_sum();
        let diffuse = (self.diffuse * (1.0 - e_wo)).element_sum();
        let total = specular + diffuse;
        (total > 0.0).then(|| Lobes { row, n, f90, e_wo, p_specular: specular / total })
    }

    #[inline]
    pub(super) fn sample(&self, wo: Vec3, u_lobe: f32, u: [f32; 2]) -> Option<BsdfSample> {
        let lobes = self.lobes(wo)?;
        let wi = if u_lobe < lobes.p_specular {
            let (facets, first) = twins(wo, sample_normal(lobes.n, u));
            let h = if u_lobe < lobes.p_specular * first { facets[0] } else { facets[1] };
            2.0 * wo.dot(h) * h - wo
        } else {
            Vec3::from(cosine_hemisphere(u))
        };
        if wi.z <= 0.0 {
            return None;
        }
        let (value, pdf) = self.eval_lobes(&lobes, wo, wi);
        BsdfSample::smooth(wo, wi, value * (1.0 / pdf), pdf)
    }

    #[inline]
    pub(super) fn eval(&self, wo: Vec3, wi: Vec3) -> (Vec3, f32) {
        self.lobes(wo).map_or((Vec3::ZERO, 0.0), |lobes| self.eval_lobes(&lobes, wo, wi))
    }

    #[inline]
    fn eval_lobes(&self, lobes: &Lobes, wo: Vec3, wi: Vec3) -> (Vec3, f32) {
        let h = (wo + wi).normalize_or(Vec3::Z);
        let facets = d(lobes.n, h) / (4.0 * wo.z);
        let masking = g1(wo, h);
        let e_wi = albedo(self.specular, lobes.f90, lobes.row.at(wi.z));
        let mean = albedo(self.specular, lobes.f90, lobes.row.mean());
        let cosine = wi.z * FRAC_1_PI;
        let value = fresnel::schlick(self.specular, lobes.f90, wo.dot(h)) * (facets * masking.min(g1(wi, h)))
            + self.diffuse * coupling(lobes.e_wo, e_wi, mean) * cosine;
        (value, lobes.p_specular * facets * masking + (1.0 - lobes.p_specular) * cosine)
    }

    pub(super) fn albedo(&self, wo: Vec3) -> Vec3 {
        self.lobes(wo).map_or(Vec3::ZERO, |l| l.e_wo + self.diffuse * (1.0 - l.e_wo))
    }
}
