//! Glass of a layered material (glTF): a boundary whose reflectance a file changes, and a clear coat on it.
//!
//! Reflectance. KHR_materials_specular scales Schlick's term, here the exact one: with `R` the reflectance of the plain
//! boundary and `s = (R - F0) / (1 - F0)`, it is `R' = strength (f0 + (1 - f0) s)`, so that nothing changes where the
//! file changes nothing. What is not reflected is transmitted, channel by channel. `R'` of a ray and of the ray back
//! are the same, as `R` is. Total reflection stays total: there is nowhere else to go.
//!
//! Coat. It lies on the outside of a solid, above, and on both sides of a thin sheet. Light that passes it is scaled by
//! what the coat leaves it: once through a solid's boundary, once through a sheet (the less of both sides, so that the
//! way back is the same, and through smooth glass all comes that the coat does not reflect), and for a reflection as
//! over any base ([`Coat::transmitted`]). Inside of a solid nothing meets the coat but light that leaves.
//!
//! Light that the coat sends back into a solid is lost. Light of further bounces between rough facets is that of the
//! plain boundary times the factor on its reflectance. With a reflectance `k R` facets lose
//! `loss_T + k R (loss_R - loss_T)`, which for `k` below 1 is at least `k` times the loss of the plain ones, so no
//! light is made; above 1 the factor is one over it, for the same reason. A sheet loses the same on both ways, whatever
//! its reflectance.

use super::coat::{COAT_F0, Coat};
use super::dielectric::GlassBounces;
use super::{BsdfSample, Dielectric, MIN_COS, Scattering, f0_of_ior, fresnel};
use glam::{Vec2, Vec3};

/// BSDF of glass with the additions of a layered material (glTF): changed reflectance, clear coat.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Glazed {
    /// Refractive index inside over that outside; positive.
    pub ior: f32,
    /// GGX alpha along tangent and bitangent; below 1e-4 the boundary is smooth.
    pub alpha: Vec2,
    /// Tint of transmission.
    pub transmittance: Vec3,
    /// `true` for a sheet without thickness.
    pub thin: bool,
    /// Whether only the first bounce counts, or also further ones between facets.
    pub scattering: Scattering,
    /// Reflectance at normal incidence, before the factor `strength`.
    pub f0: Vec3,
    /// Factor on the reflectance, 0 to 1.
    pub strength: f32,
    /// Fraction of the area that the clear coat covers.
    pub coat: f32,
    /// GGX alpha of the clear coat.
    pub coat_alpha: f32,
}

impl Glazed {
    /// Makes glass without a tint of reflection, with the changes of KHR_materials_specular and
    /// KHR_materials_clearcoat; `None` if these change nothing.
    pub fn new(glass: Dielectric, tint: Vec3, strength: f32, coat: f32, coat_alpha: f32) -> Option<Self> {
        let Dielectric { ior, alpha, reflectance: _, transmittance, thin, scattering } = glass;
        let plain = f0_of_ior(ior);
        let f0 = (plain * tint).min(Vec3::ONE);
        let changes = strength < 1.0 || f0 != Vec3::splat(plain);
        if !changes && coat <= 0.0 {
            return None;
        }
        Some(Self { ior, alpha, transmittance, thin, scattering, f0, strength, coat, coat_alpha })
    }

    /// Returns the glass without the layered material's changes. It is not kept: its tint of reflection would make
    /// every BSDF larger.
    #[inline]
    pub(super) fn glass(&self) -> Dielectric {
        let Self { ior, alpha, transmittance, thin, scattering, .. } = *self;
        Dielectric { ior, alpha, reflectance: Vec3::ONE, transmittance, thin, scattering }
    }

    /// Returns this glass with another refractive index (inside over outside) and the same coat.
    #[inline]
    pub fn of_ior(self, ior: f32) -> Self {
        let (old, new) = (f0_of_ior(self.ior), f0_of_ior(ior));
        let f0 = if self.f0 == Vec3::splat(old) || old <= 0.0 { Vec3::splat(new) } else { self.f0 * (new / old) };
        Self { ior, f0: f0.min(Vec3::ONE), ..self }
    }

    /// Returns the glass whose further bounces between facets this surface has.
    #[inline]
    fn of_bounces(&self) -> Dielectric {
        let glass = self.glass();
        if self.thin || self.is_plain() {
            return glass;
        }
        let plain = f0_of_ior(self.ior);
        let tint = if plain > 0.0 { self.f0 / plain } else { Vec3::ONE };
        let k = self.strength * tint.min(tint.max(Vec3::ONE).recip());
        Dielectric { reflectance: k, transmittance: glass.transmittance * k, ..glass }
    }

    #[inline]
    fn is_plain(&self) -> bool {
        self.strength >= 1.0 && self.f0 == Vec3::splat(f0_of_ior(self.ior))
    }

    /// Returns `true` if all lobes are delta lobes.
    #[inline]
    pub(super) fn is_smooth(&self) -> bool {
        self.coat <= 0.0 && self.glass().is_smooth()
    }

    /// Returns the coat that light from or to `w` meets; inside a solid there is none.
    #[inline]
    fn coat_at(&self, w: Vec3) -> Option<Coat> {
        if w.z < 0.0 && !self.thin {
            return None;
        }
        Coat::new(self.coat, COAT_F0, self.coat_alpha, super::above(w))
    }

    /// Returns the factor on the plain glass's scattering from `wi` to `wo` by which the changed reflectance differs.
    #[inline]
    fn change(&self, wo: Vec3, wi: Vec3) -> Vec3 {
        if self.is_plain() {
            return Vec3::ONE;
        }
        let through = wo.z * wi.z < 0.0;
        let eta = self.glass().relative_ior(wo);
        let h = if !through {
            wo + wi
        } else if self.thin {
            wo + wi.with_z(-wi.z)
        } else {
            wo + eta * wi
        };
        let cos = if self.glass().is_smooth() { wo.z.abs() } else { wo.dot(h.normalize_or(Vec3::Z)).abs() };
        let (plain, cos_t) = fresnel::dielectric(cos.max(MIN_COS), eta);
        if cos_t <= 0.0 {
            return Vec3::ONE;
        }
        let changed = self.changed(plain);
        let (plain, changed) = match self.thin {
            // The sum over the reflections between the two sides.
            true => (2.0 * plain / (1.0 + plain), 2.0 * changed / (1.0 + changed)),
            false => (plain, changed),
        };
        if through { (1.0 - changed) / (1.0 - plain).max(1e-6) } else { changed / plain.max(1e-6) }
    }

    /// Returns the changed reflectance where that of the plain boundary is `plain`.
    #[inline]
    fn changed(&self, plain: f32) -> Vec3 {
        let f0 = f0_of_ior(self.ior);
        let s = (plain - f0) / (1.0 - f0).max(1e-6);
        (self.strength * (self.f0 + (1.0 - self.f0) * s)).clamp(Vec3::ZERO, Vec3::ONE)
    }

    /// Returns the fraction of the glass's scattering from `wi` to `wo` that the coat leaves.
    #[inline]
    fn left(&self, coat_wo: &Option<Coat>, wo: Vec3, wi: Vec3) -> f32 {
        if wo.z * wi.z >= 0.0 {
            return coat_wo.as_ref().map_or(1.0, |coat| coat.transmitted(coat.e(super::above(wi))));
        }
        let out = coat_wo.as_ref().map_or(1.0, |coat| 1.0 - coat.albedo());
        let on = self.coat_at(wi).map_or(1.0, |coat| 1.0 - coat.albedo());
        // A solid has one of the two.
        out.min(on)
    }

    /// Returns the probability of choosing the coat's lobe, which is visible whatever lies under it.
    #[inline]
    fn p_coat(coat: &Option<Coat>) -> f32 {
        coat.as_ref().map_or(0.0, Coat::albedo).clamp(0.0, 0.95)
    }

    #[inline]
    pub(super) fn sample(
        &self,
        bounces: Option<&GlassBounces>,
        wo: Vec3,
        u_lobe: f32,
        u: [f32; 2],
    ) -> Option<BsdfSample> {
        let coat = self.coat_at(wo);
        let p = Self::p_coat(&coat);
        if let Some(coat_wo) = coat.as_ref().filter(|_| u_lobe < p) {
            let up = super::above(wo);
            let h = coat_wo.sample_normal(up, u);
            let wi = 2.0 * up.dot(h) * h - up;
            if wi.z <= 0.0 {
                return None;
            }
            let wi = super::turned_as(wo, wi);
            let (value, pdf) = self.both(&coat, bounces, wo, wi);
            return BsdfSample::smooth(wo, wi, value * (1.0 / pdf), pdf);
        }
        let u_lobe = ((u_lobe - p) / (1.0 - p)).min(1.0 - f32::EPSILON);
        let sample = self.glass().sample(bounces, wo, u_lobe, u)?;
        if sample.specular {
            let share = self.change(wo, sample.wi) * (self.left(&coat, wo, sample.wi) / (1.0 - p));
            return BsdfSample::delta(wo, sample.wi, sample.weight * share);
        }
        let (value, pdf) = self.both(&coat, bounces, wo, sample.wi);
        BsdfSample::smooth(wo, sample.wi, value * (1.0 / pdf), pdf)
    }

    #[inline]
    pub(super) fn eval(&self, bounces: Option<&GlassBounces>, wo: Vec3, wi: Vec3) -> (Vec3, f32) {
        self.both(&self.coat_at(wo), bounces, wo, wi)
    }

    /// Returns value and density of the glass and of the coat that `wo` meets, together.
    #[inline]
    fn both(&self, coat: &Option<Coat>, bounces: Option<&GlassBounces>, wo: Vec3, wi: Vec3) -> (Vec3, f32) {
        let p = Self::p_coat(coat);
        let (first, pdf) = self.glass().eval(None, wo, wi);
        let first = first * self.change(wo, wi);
        let (mut value, mut pdf) = self.of_bounces().with_further((first, pdf), bounces, wo, wi);
        value *= self.left(coat, wo, wi);
        pdf *= 1.0 - p;
        if let Some(coat) = coat.as_ref().filter(|_| wo.z * wi.z > 0.0) {
            let (up, wi) = (super::above(wo), super::above(wi));
            let (coat_value, coat_pdf) = coat.eval(up, wi, (up + wi).normalize_or(Vec3::Z));
            value += coat_value;
            pdf += p * coat_pdf;
        }
        // A direction that brings nothing is no sample, and so has no density.
        if value == Vec3::ZERO { (value, 0.0) } else { (value, pdf) }
    }

    pub(super) fn albedo(&self, wo: Vec3) -> Vec3 {
        let (plain, _) = fresnel::dielectric(wo.z, self.ior);
        let changed = self.changed(plain);
        let reflected = if self.thin { 2.0 * changed / (1.0 + changed) } else { changed };
        let glass = reflected + self.transmittance * (1.0 - reflected);
        let coat = self.coat_at(wo).map_or(0.0, |coat| coat.albedo());
        coat + (1.0 - coat) * glass
    }
}
