//! Metal: GGX with the exact Fresnel term of a conductor, and the light of further bounces between facets
//! as a second lobe (Kulla and Conty 2017), which loses nothing that the metal does not absorb.
//!
//! Without the second lobe it is Mitsuba's `roughconductor`: [`Scattering::Single`](super::Scattering).

use super::albedo_table::AlbedoTable;
use super::ggx::Ggx;
use super::loss_table::WhiteLosses;
use super::{BsdfSample, Scattering, fresnel, mirrored};
use crate::texture::Inputs;
use glam::{Vec2, Vec3};
use std::f32::consts::FRAC_1_PI;

/// BSDF of a metal with complex refractive index `eta + i k`, at a surface point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conductor {
    /// Real part of the refractive index, per channel.
    pub eta: Vec3,
    /// Imaginary part of the refractive index, per channel.
    pub k: Vec3,
    /// GGX alpha along tangent and bitangent; below 1e-4 the metal is a perfect mirror.
    pub alpha: Vec2,
    /// Fresnel reflectance averaged over the hemisphere, which dims further bounces; 0 if these do not count.
    pub fresnel_mean: Vec3,
}

/// Lobe of further bounces between a metal's facets, for one `wo`.
#[derive(Debug, Clone, Copy)]
pub struct MetalBounces {
    losses: WhiteLosses,
    /// Value of the lobe without its dependence on `wi`: `loss(wo)` times the sum over all further bounces, over the
    /// mean loss.
    factor: Vec3,
    /// Probability of choosing this lobe.
    p: f32,
}

impl Conductor {
    /// Reads the parameters of a material of kind [`super::MaterialKind::Conductor`].
    #[inline]
    pub(super) fn look_up(m: &Inputs) -> Self {
        Self::new(m.color(0).max(Vec3::ZERO), m.color(1).max(Vec3::ZERO), m.alpha(2, 0.0), m.scattering)
    }

    /// Makes a metal with these parameters; `scattering` decides whether further bounces count.
    #[inline]
    pub fn new(eta: Vec3, k: Vec3, alpha: Vec2, scattering: Scattering) -> Self {
        let fresnel_mean = match scattering {
            Scattering::Multiple if !Ggx::is_smooth(alpha) => fresnel::conductor_mean(eta, k),
            _ => Vec3::ZERO,
        };
        Self { eta, k, alpha, fresnel_mean }
    }

    #[inline]
    pub(super) fn is_smooth(&self) -> bool {
        Ggx::is_smooth(self.alpha)
    }

    /// Returns the lobe of further bounces; `None` if the metal is smooth or they do not count.
    #[inline]
    pub(super) fn bounces(&self, wo: Vec3) -> Option<MetalBounces> {
        let f = self.fresnel_mean;
        if f == Vec3::ZERO {
            return None;
        }
        let losses = WhiteLosses::new(self.alpha);
        let (lost, mean) = (losses.at(wo), losses.mean());
        let reflectance = fresnel::further(1.0, f, mean);
        let further = lost * reflectance.element_sum();
        let first = (1.0 - lost) * f.element_sum();
        Some(MetalBounces { losses, factor: reflectance * (lost / mean), p: further / (further + first) })
    }

    #[inline]
    pub(super) fn sample(
        &self,
        bounces: Option<&MetalBounces>,
        wo: Vec3,
        u_lobe: f32,
        u: [f32; 2],
    ) -> Option<BsdfSample> {
        if self.is_smooth() {
            return BsdfSample::delta(wo, mirrored(wo), fresnel::conductor(wo.z, self.eta, self.k));
        }
        let ggx = Ggx::new(self.alpha);
        if let Some(bounces) = bounces
            && u_lobe < bounces.p
        {
            let wi = bounces.losses.horizon().sample(u_lobe / bounces.p, u);
            let h = (wo + wi).normalize_or(Vec3::Z);
            let (value, pdf) = self.all(&ggx, bounces, wo, wi, h);
            return BsdfSample::smooth(wo, wi, value * (1.0 / pdf), pdf);
        }
        let h = ggx.sample_visible(wo, u);
        let cos = wo.dot(h);
        let wi = 2.0 * cos * h - wo;
        if wi.z <= 0.0 {
            return None;
        }
        if let Some(bounces) = bounces {
            let (value, pdf) = self.all(&ggx, bounces, wo, wi, h);
            return BsdfSample::smooth(wo, wi, value * (1.0 / pdf), pdf);
        }
        let weight = fresnel::conductor(cos, self.eta, self.k) * ggx.g1(wi);
        BsdfSample::smooth(wo, wi, weight, ggx.reflection_pdf(wo, h))
    }

    #[inline]
    pub(super) fn eval(&self, bounces: Option<&MetalBounces>, wo: Vec3, wi: Vec3) -> (Vec3, f32) {
        if self.is_smooth() {
            return (Vec3::ZERO, 0.0);
        }
        let ggx = Ggx::new(self.alpha);
        let h = (wo + wi).normalize_or(Vec3::Z);
        match bounces {
            Some(bounces) => self.all(&ggx, bounces, wo, wi, h),
            None => self.first(&ggx, wo, wi, h),
        }
    }

    /// Returns value and density of the first bounce for the half vector `h`.
    #[inline]
    fn first(&self, ggx: &Ggx, wo: Vec3, wi: Vec3, h: Vec3) -> (Vec3, f32) {
        let pdf = ggx.reflection_pdf(wo, h);
        (fresnel::conductor(wo.dot(h), self.eta, self.k) * (pdf * ggx.g1(wi)), pdf)
    }

    /// Returns value and density of both lobes, first and further bounces, for the half vector `h`.
    #[inline]
    fn all(&self, ggx: &Ggx, bounces: &MetalBounces, wo: Vec3, wi: Vec3, h: Vec3) -> (Vec3, f32) {
        let (value, pdf) = self.first(ggx, wo, wi, h);
        let further = bounces.factor * (bounces.losses.at(wi) * (wi.z * FRAC_1_PI));
        (value + further, (1.0 - bounces.p) * pdf + bounces.p * bounces.losses.horizon().pdf(wi.z))
    }

    pub(super) fn albedo(&self, wo: Vec3) -> Vec3 {
        let fresnel = fresnel::conductor(wo.z, self.eta, self.k);
        if self.is_smooth() {
            return fresnel;
        }
        if let Some(bounces) = self.bounces(wo) {
            let lost = bounces.losses.at(wo);
            return fresnel * (1.0 - lost) + fresnel::further(1.0, self.fresnel_mean, bounces.losses.mean()) * lost;
        }
        // The share that facets return at all, times the Fresnel term of the mean facet.
        let white = AlbedoTable::ggx().row((self.alpha.x * self.alpha.y).sqrt()).at(wo.z);
        fresnel * (white.x + white.y).min(1.0)
    }
}
