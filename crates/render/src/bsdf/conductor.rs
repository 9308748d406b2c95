//! Metal: GGX with the exact Fresnel term of a conductor; single scattering, so rough metals lose
//! the light of further bounces between facets, as in Mitsuba's `roughconductor`.

use super::albedo_table::AlbedoTable;
use super::ggx::Ggx;
use super::{BsdfSample, fresnel, mirrored};
use crate::texture::Inputs;
use glam::{Vec2, Vec3};

/// A metal with complex index of refraction `eta + i k`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conductor {
    /// Real part, per channel.
    pub eta: Vec3,
    /// Imaginary part, per channel.
    pub k: Vec3,
    /// GGX alpha along tangent and bitangent; below 1e-4 the metal is smooth.
    pub alpha: Vec2,
}

impl Conductor {
    /// From a material of kind [`super::MaterialKind::Conductor`].
    #[inline]
    pub(super) fn look_up(m: &Inputs) -> Self {
        Self { eta: m.color(0).max(Vec3::ZERO), k: m.color(1).max(Vec3::ZERO), alpha: m.alpha(2, 0.0) }
    }

    #[inline]
    pub(super) fn is_smooth(&self) -> bool {
        Ggx::is_smooth(self.alpha)
    }

    #[inline]
    pub(super) fn sample(&self, wo: Vec3, u: [f32; 2]) -> Option<BsdfSample> {
        if self.is_smooth() {
            return BsdfSample::delta(wo, mirrored(wo), fresnel::conductor(wo.z, self.eta, self.k));
        }
        let ggx = Ggx::new(self.alpha);
        let h = ggx.sample_visible(wo, u);
        let cos = wo.dot(h);
        let wi = 2.0 * cos * h - wo;
        if wi.z <= 0.0 {
            return None;
        }
        let weight = fresnel::conductor(cos, self.eta, self.k) * ggx.g1(wi);
        BsdfSample::smooth(wo, wi, weight, ggx.reflection_pdf(wo, h))
    }

    #[inline]
    pub(super) fn eval(&self, wo: Vec3, wi: Vec3) -> (Vec3, f32) {
        if self.is_smooth() {
            return (Vec3::ZERO, 0.0);
        }
        let ggx = Ggx::new(self.alpha);
        let h = (wo + wi).normalize_or(Vec3::Z);
        let pdf = ggx.reflection_pdf(wo, h);
        (fresnel::conductor(wo.dot(h), self.eta, self.k) * (pdf * ggx.g1(wi)), pdf)
    }

    pub(super) fn albedo(&self, wo: Vec3) -> Vec3 {
        let fresnel = fresnel::conductor(wo.z, self.eta, self.k);
        if self.is_smooth() {
            return fresnel;
        }
        // The share that facets return at all, times the Fresnel term of the mean facet.
        let white = AlbedoTable::ggx().row((self.alpha.x * self.alpha.y).sqrt()).at(wo.z);
        fresnel * (white.x + white.y).min(1.0)
    }
}
