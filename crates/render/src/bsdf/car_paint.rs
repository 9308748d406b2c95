//! Car paint (W11): a Lambert base beside metallic flakes, all under a clear coat.
//!
//! With further bounces ([`Scattering::Multiple`]) the base gets all the light that passes the coat, in
//! proportion to it in and out, and the flakes have a second lobe for what their facets and the coat's
//! scale lose, as the metal of `principled.rs`.

use super::coat::{Beneath, Coat, MIN_LAYER_ALPHA};
use super::fresnel::{f0_of_ior, further, schlick, schlick_mean};
use super::ggx::Ggx;
use super::loss_table::WhiteLosses;
use super::{BsdfSample, Scattering, above};
use crate::texture::Inputs;
use glam::{Vec2, Vec3};
use raywarp_sample::hash;
use raywarp_sample::warp::{cosine_hemisphere, onb, sin_cos_turn};
use std::f32::consts::FRAC_1_PI;

/// BSDF of car paint, with its parameters at a surface point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CarPaintBsdf {
    /// Albedo of the diffuse base.
    pub base: Vec3,
    /// Reflectance of the flakes at normal incidence.
    pub flake_color: Vec3,
    /// Fraction of the area under the coat that is flakes, 0 to 1.
    pub flake_amount: f32,
    /// GGX alpha of the flakes, at least 1e-3.
    pub flake_alpha: f32,
    /// Unit normal of the visible flake at the point, with positive z; `Vec3::Z` where flakes are too small to see. A
    /// tilted flake reflects as under a normal map: energy is bounded, reciprocity is not kept.
    pub flake_normal: Vec3,
    /// Index of refraction of the clear coat; 1 for no coat.
    pub coat_ior: f32,
    /// GGX alpha of the clear coat, at least 1e-3.
    pub coat_alpha: f32,
    /// Whether only the first bounce counts, or also further ones between flakes and under the coat.
    pub scattering: Scattering,
}

/// Quantities that sampling and evaluation of car paint share for one `wo`: lobes with their probabilities, and the
/// flake's frame.
#[derive(Debug, Clone, Copy)]
pub struct CarPaintLobes {
    coat: Option<Coat>,
    flake: Ggx,
    amount: f32,
    /// Rows of the matrix that rotates directions to the flake's frame.
    rows: [Vec3; 3],
    /// Direction `wo` in the flake's frame; if it is below the flake's horizon, the flake has no lobe.
    wo_flake: Vec3,
    p_coat: f32,
    p_flake: f32,
    p_base: f32,
    /// Lobe of further bounces between flakes, if they count.
    bounces: Option<CarPaintBounces>,
    p_bounces: f32,
}

/// Lobe that returns light lost at the first bounce between flakes and under the coat, for one `wo`.
#[derive(Debug, Clone, Copy)]
struct CarPaintBounces {
    losses: WhiteLosses,
    beneath: Option<Beneath>,
    /// Reflectance of the flakes for lost white light, times the fraction lost from `wo`, over the mean of that
    /// fraction.
    factor: Vec3,
}

/// Returns the fraction of light lost from a direction (cosine `cos`, or `w_flake` in the flake's frame): between the
/// flakes, and by the coat's scaling, which lets in `let_in`.
#[inline]
fn left(losses: &WhiteLosses, beneath: Option<&Beneath>, cos: f32, w_flake: Vec3, let_in: f32) -> f32 {
    let lost = losses.at(w_flake);
    beneath.map_or(lost, |beneath| beneath.left_metal(cos, lost, let_in))
}

impl CarPaintLobes {
    #[inline]
    fn at_flake(&self, w: Vec3) -> Vec3 {
        Vec3::new(self.rows[0].dot(w), self.rows[1].dot(w), self.rows[2].dot(w))
    }

    #[inline]
    fn out_of_flake(&self, w: Vec3) -> Vec3 {
        w.x * self.rows[0] + w.y * self.rows[1] + w.z * self.rows[2]
    }
}

impl CarPaintBsdf {
    /// Reads the parameters of a material of kind [`super::MaterialKind::CarPaint`]. Visible flakes each tilt the
    /// normal of the flake lobe: one normal a cell of the texture space, drawn from the flakes' own GGX distribution.
    #[inline]
    pub(super) fn look_up(m: &Inputs) -> Self {
        let [amount, size, flake_alpha] = m.numbers(2);
        let [coat_ior, coat_alpha, _] = m.numbers(3);
        let flake_normal = (size > 0.0).then(|| {
            let cell = (m.at.uv[0] / size).floor();
            let key = hash::combine(hash::pcg(cell.x as i32 as u32), cell.y as i32 as u32);
            let (u1, u2) = (hash::to_unit(key), hash::to_unit(hash::pcg(key)));
            let tan2 = flake_alpha * flake_alpha * u1 / (1.0 - u1).max(1e-6);
            let cos = 1.0 / (1.0 + tan2).sqrt();
            let sin = (1.0 - cos * cos).max(0.0).sqrt();
            let (s, c) = sin_cos_turn(u2);
            Vec3::new(sin * c, sin * s, cos)
        });
        Self {
            base: m.share(0),
            flake_color: m.share(1),
            flake_amount: amount.clamp(0.0, 1.0),
            flake_alpha: flake_alpha.clamp(MIN_LAYER_ALPHA, 1.0),
            flake_normal: flake_normal.unwrap_or(Vec3::Z),
            coat_ior,
            coat_alpha: coat_alpha.clamp(MIN_LAYER_ALPHA, 1.0),
            scattering: m.scattering,
        }
    }

    /// Returns the lobes for one `wo`, which sampling and evaluation share; `None` if nothing scatters.
    #[inline]
    pub(super) fn lobes(&self, wo: Vec3) -> Option<CarPaintLobes> {
        let f0 = f0_of_ior(self.coat_ior.max(1.0));
        let coat = Coat::new(if f0 > 0.0 { 1.0 } else { 0.0 }, f0, self.coat_alpha, wo);
        let amount = if self.flake_amount > 0.0 { self.flake_amount.min(1.0) } else { 0.0 };
        let (t, b) = if self.flake_normal == Vec3::Z {
            // Exactly the surface's frame.
            (Vec3::X, Vec3::Y)
        } else {
            let (t, b) = onb(self.flake_normal.into());
            (t.into(), b.into())
        };
        let rows = [t, b, self.flake_normal];
        let wo_flake = Vec3::new(t.dot(wo), b.dot(wo), self.flake_normal.dot(wo));
        let visible = wo_flake.z > super::MIN_COS;
        let under = coat.as_ref().map_or(1.0, |c| 1.0 - c.albedo());
        let p_coat = coat.as_ref().map_or(0.0, Coat::albedo) * 3.0;
        let flake_albedo = schlick(self.flake_color, 1.0, wo_flake.z.max(0.0)).element_sum();
        let p_flake = if visible { under * amount * flake_albedo } else { 0.0 };
        let p_base = under * (1.0 - amount) * self.base.element_sum();
        let alphas = Vec2::splat(self.flake_alpha).clamp(Vec2::splat(MIN_LAYER_ALPHA), Vec2::ONE);
        let (mut bounces, mut p_bounces) = (None, 0.0);
        if self.scattering == Scattering::Multiple && p_flake > 0.0 {
            let losses = WhiteLosses::new(alphas);
            let beneath = coat.as_ref().map(|coat| coat.beneath(alphas.x));
            let mean = match (&coat, &beneath) {
                (Some(coat), Some(beneath)) => coat.left_mean_metal(beneath, losses.mean()),
                _ => losses.mean(),
            };
            // As of the metal in `principled.rs`.
            let reflectance = further(amount, schlick_mean(self.flake_color), losses.mean());
            let left = left(&losses, beneath.as_ref(), wo.z, wo_flake, under);
            p_bounces = left * reflectance.element_sum();
            bounces = Some(CarPaintBounces { losses, beneath, factor: reflectance * (left / mean) });
        }
        let total = p_coat + p_flake + p_base + p_bounces;
        (total > 0.0).then(|| CarPaintLobes {
            coat,
            flake: Ggx::new(alphas),
            amount,
            rows,
            wo_flake,
            p_coat: p_coat / total,
            p_flake: p_flake / total,
            p_base: p_base / total,
            bounces,
            p_bounces: p_bounces / total,
        })
    }

    /// Samples an incident direction, given the lobes for `wo`.
    #[inline]
    pub(super) fn sample(
        &self,
        lobes: Option<&CarPaintLobes>,
        wo: Vec3,
        u_lobe: f32,
        u: [f32; 2],
    ) -> Option<BsdfSample> {
        let lobes = lobes?;
        // The flakes' further bounces come last, so that the others keep their places without them.
        let wi = if let Some(bounces) = lobes.bounces.as_ref().filter(|_| u_lobe >= 1.0 - lobes.p_bounces) {
            let u_horizon = (u_lobe - (1.0 - lobes.p_bounces)) / lobes.p_bounces;
            lobes.out_of_flake(bounces.losses.horizon().sample(u_horizon, u))
        } else if u_lobe < lobes.p_base {
            Vec3::from(cosine_hemisphere(u))
        } else if let Some(coat) = lobes.coat.as_ref().filter(|_| u_lobe >= lobes.p_base + lobes.p_flake) {
            let h = coat.sample_normal(wo, u);
            2.0 * wo.dot(h) * h - wo
        } else if lobes.p_flake > 0.0 {
            let h = lobes.flake.sample_visible(lobes.wo_flake, u);
            let wi = 2.0 * lobes.wo_flake.dot(h) * h - lobes.wo_flake;
            if wi.z <= 0.0 {
                return None;
            }
            lobes.out_of_flake(wi)
        } else {
            return None;
        };
        if wi.z <= 0.0 {
            return None;
        }
        let (value, pdf) = self.eval(Some(lobes), wo, wi);
        BsdfSample::smooth(wo, wi, value * (1.0 / pdf), pdf)
    }

    /// Returns the BSDF value times cosine and the density for `wi`, given the lobes for `wo`.
    #[inline]
    pub(super) fn eval(&self, l: Option<&CarPaintLobes>, wo: Vec3, wi: Vec3) -> (Vec3, f32) {
        let Some(l) = l else { return (Vec3::ZERO, 0.0) };
        let cosine = wi.z * FRAC_1_PI;
        let mut value = (1.0 - l.amount) * self.base * cosine;
        // What the coat reflects of the light from wi, and lets in of it.
        let e = l.coat.as_ref().map_or(0.0, |coat| coat.e(wi));
        let let_in = l.coat.as_ref().map_or(1.0, |coat| coat.let_in(e));
        if let Some(coat) = &l.coat
            && self.scattering == Scattering::Multiple
        {
            // Exact for Lambert's law, which the scale of the flakes is not.
            value *= (1.0 - coat.albedo()) * let_in / coat.let_in_mean().max(1e-6);
        }
        let mut pdf = l.p_base * cosine;
        let wi_flake = l.at_flake(wi);
        let visible = l.p_flake > 0.0 && wi_flake.z > 0.0;
        if visible {
            let h = (l.wo_flake + wi_flake).normalize_or(Vec3::Z);
            let flake_pdf = l.flake.reflection_pdf(l.wo_flake, h);
            let fresnel = schlick(self.flake_color, 1.0, l.wo_flake.dot(h));
            let mut flakes = l.amount * fresnel * (flake_pdf * l.flake.g1(wi_flake));
            if let Some(coat) = &l.coat
                && self.scattering == Scattering::Multiple
            {
                flakes *= coat.transmitted(e);
            }
            value += flakes;
            pdf += l.p_flake * flake_pdf;
        }
        if let Some(coat) = &l.coat {
            let (coat_value, coat_pdf) = coat.eval(wo, wi, (wo + wi).normalize_or(Vec3::Z));
            if self.scattering == Scattering::Single {
                value *= coat.transmitted(e);
            }
            value += coat_value;
            pdf += l.p_coat * coat_pdf;
        }
        if let Some(b) = &l.bounces
            && visible
        {
            let flake_cosine = wi_flake.z * FRAC_1_PI;
            let left = left(&b.losses, b.beneath.as_ref(), wi.z, wi_flake, let_in);
            value += b.factor * (left * flake_cosine);
            pdf += l.p_bounces * b.losses.horizon().pdf(wi_flake.z);
        }
        (value, pdf)
    }

    pub(super) fn albedo(&self, wo: Vec3) -> Vec3 {
        let f0 = f0_of_ior(self.coat_ior.max(1.0));
        let coat = Coat::new(1.0, f0, self.coat_alpha, above(wo));
        let coat = coat.as_ref().map_or(0.0, Coat::albedo);
        let under = self.base.lerp(self.flake_color, self.flake_amount.clamp(0.0, 1.0));
        under * (1.0 - coat) + coat
    }
}
