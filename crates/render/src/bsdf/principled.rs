//! Metal and dielectric mixed, as in glTF: GGX reflection with Schlick's Fresnel term over a Lambert
//! base, under an optional clear coat.
//!
//! No energy is made and little is lost: the dielectric's base gets what its facets leave, and the
//! metal gets back the light of further bounces between facets (Kulla and Conty 2017), which is the
//! same kind of lobe. glTF's own formula does neither.

use super::albedo_table::{AlbedoTable, Row, albedo, coupling};
use super::coat::{Coat, MIN_LAYER_ALPHA};
use super::fresnel::{f90_of_f0, schlick};
use super::ggx::Ggx;
use super::{Bsdf, BsdfSample, Dielectric, f0_of_ior};
use crate::texture::Inputs;
use glam::{Vec2, Vec3};
use raywarp_sample::warp::{choose, cosine_hemisphere};
use std::f32::consts::FRAC_1_PI;

/// Reflectance of the clear coat at normal incidence: index 1.5.
const COAT_F0: f32 = 0.04;

/// An opaque surface between metal and dielectric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Principled {
    /// Albedo of the dielectric's base, reflectance of the metal at normal incidence.
    pub base: Vec3,
    /// 0 dielectric to 1 metal.
    pub metallic: f32,
    /// Reflectance of the dielectric at normal incidence.
    pub f0: Vec3,
    /// Reflectance of the dielectric at grazing incidence: glTF's specular strength.
    pub f90: f32,
    /// GGX alpha along tangent and bitangent, at least 1e-3. Energy is balanced for their geometric mean.
    pub alpha: Vec2,
    /// Share covered by the clear coat.
    pub coat: f32,
    /// GGX alpha of the clear coat.
    pub coat_alpha: f32,
}

/// What sampling and evaluation share for one `wo`.
struct Lobes {
    ggx: Ggx,
    row: Row<'static>,
    coat: Option<Coat>,
    /// Fresnel term of the reflection, metal and dielectric mixed.
    f0: Vec3,
    f90: f32,
    /// Albedo of the dielectric's facets, and mean.
    dielectric_wo: Vec3,
    dielectric_mean: Vec3,
    /// Albedo of white metal facets, and mean.
    white_wo: f32,
    white_mean: f32,
    /// Reflectance of the Lambert base, and of the metal's further bounces.
    diffuse: Vec3,
    bounces: Vec3,
    p_coat: f32,
    p_specular: f32,
    p_diffuse: f32,
}

impl Principled {
    /// From a material of kind [`super::MaterialKind::Coated`].
    #[inline]
    pub(super) fn look_up_coated(m: &Inputs) -> Self {
        Self::coated(m.share(0), m.share(1), m.alpha(2, MIN_LAYER_ALPHA))
    }

    /// From a material of kind [`super::MaterialKind::Principled`]; `u` decides between glass and the rest.
    #[inline]
    pub(super) fn look_up(m: &Inputs, mut u: f32) -> Bsdf {
        let base = m.share(0);
        let metallic = m.fraction(1);
        let ior = m.numbers(9)[0];
        let transmission = m.fraction(6) * (1.0 - metallic);
        if transmission > 0.0 && choose(transmission, &mut u).0 {
            return Bsdf::Dielectric(Dielectric {
                ior,
                alpha: m.alpha(2, 0.0),
                reflectance: Vec3::ONE,
                transmittance: base,
                thin: m.is_thin(),
            });
        }
        let specular = m.fraction(4);
        let tint = m.color(5).max(Vec3::ZERO);
        let coat = m.fraction(7);
        let coat_roughness = m.fraction(8);
        // The glass share of what is left has been taken out: the metal's share of it grows.
        let metallic = if transmission < 1.0 { metallic / (1.0 - transmission) } else { metallic };
        Bsdf::Principled(Self {
            base,
            metallic: metallic.min(1.0),
            f0: (f0_of_ior(ior) * tint).min(Vec3::ONE) * specular,
            f90: specular,
            alpha: m.alpha(2, MIN_LAYER_ALPHA),
            coat,
            coat_alpha: (coat_roughness * coat_roughness).max(MIN_LAYER_ALPHA),
        })
    }

    /// `diffuse` under a coat of reflectance `f0` at normal incidence (pbrt's `plastic`). A coat below
    /// 2 % fades out.
    pub fn coated(diffuse: Vec3, f0: Vec3, alpha: Vec2) -> Self {
        Self { base: diffuse, metallic: 0.0, f0, f90: f90_of_f0(f0), alpha, coat: 0.0, coat_alpha: 0.0 }
    }

    #[inline]
    fn lobes(&self, wo: Vec3) -> Option<Lobes> {
        let alpha = self.alpha.clamp(Vec2::splat(MIN_LAYER_ALPHA), Vec2::ONE);
        // The table knows isotropic facets only.
        let row = AlbedoTable::ggx().row((alpha.x * alpha.y).sqrt());
        let coat = Coat::new(self.coat, COAT_F0, self.coat_alpha, wo);
        let m = if self.metallic > 0.0 { self.metallic.min(1.0) } else { 0.0 };
        let (at, mean) = (row.at(wo.z), row.mean());
        let dielectric_wo = albedo(self.f0, self.f90, at);
        let (white_wo, white_mean) = ((at.x + at.y).min(1.0), (mean.x + mean.y).min(1.0));
        let f0 = self.f0.lerp(self.base, m);
        let f90 = self.f90 + (1.0 - self.f90) * m;
        let diffuse = (1.0 - m) * self.base;
        // Schlick's mean over the hemisphere, then the sum over all further bounces.
        let fresnel_mean = self.base + (1.0 - self.base) / 21.0;
        let bounces = m * fresnel_mean * fresnel_mean * white_mean / (1.0 - fresnel_mean * (1.0 - white_mean));

        let under = coat.as_ref().map_or(1.0, |c| 1.0 - c.albedo());
        let p_coat = coat.as_ref().map_or(0.0, Coat::albedo) * 3.0;
        let p_specular = under * albedo(f0, f90, at).element_sum();
        let p_diffuse = under * (diffuse * (1.0 - dielectric_wo) + bounces * (1.0 - white_wo)).element_sum();
        let total = p_coat + p_specular + p_diffuse;
        (total > 0.0).then(|| Lobes {
            ggx: Ggx::new(alpha),
            row,
            coat,
            f0,
            f90,
            dielectric_wo,
            dielectric_mean: albedo(self.f0, self.f90, mean),
            white_wo,
            white_mean,
            diffuse,
            bounces,
            p_coat: p_coat / total,
            p_specular: p_specular / total,
            p_diffuse: p_diffuse / total,
        })
    }

    #[inline]
    pub(super) fn sample(&self, wo: Vec3, u_lobe: f32, u: [f32; 2]) -> Option<BsdfSample> {
        let lobes = self.lobes(wo)?;
        let wi = if u_lobe < lobes.p_diffuse {
            Vec3::from(cosine_hemisphere(u))
        } else {
            let h = match &lobes.coat {
                Some(coat) if u_lobe >= lobes.p_diffuse + lobes.p_specular => coat.sample_normal(wo, u),
                _ => lobes.ggx.sample_visible(wo, u),
            };
            2.0 * wo.dot(h) * h - wo
        };
        if wi.z <= 0.0 {
            return None;
        }
        let (value, pdf) = self.eval_lobes(&lobes, wo, wi);
        BsdfSample::smooth(wo, wi, value / pdf, pdf)
    }

    #[inline]
    pub(super) fn eval(&self, wo: Vec3, wi: Vec3) -> (Vec3, f32) {
        self.lobes(wo).map_or((Vec3::ZERO, 0.0), |lobes| self.eval_lobes(&lobes, wo, wi))
    }

    #[inline]
    fn eval_lobes(&self, l: &Lobes, wo: Vec3, wi: Vec3) -> (Vec3, f32) {
        let h = (wo + wi).normalize_or(Vec3::Z);
        let specular_pdf = l.ggx.reflection_pdf(wo, h);
        let at = l.row.at(wi.z);
        let cosine = wi.z * FRAC_1_PI;
        let mut value = schlick(l.f0, l.f90, wo.dot(h)) * (specular_pdf * l.ggx.g1(wi));
        // Most surfaces are one or the other: metal or dielectric.
        if self.metallic < 1.0 {
            let e_wi = albedo(self.f0, self.f90, at);
            value += l.diffuse * coupling(l.dielectric_wo, e_wi, l.dielectric_mean) * cosine;
        }
        if self.metallic > 0.0 {
            let white_wi = (at.x + at.y).min(1.0);
            let share = (1.0 - l.white_wo) * (1.0 - white_wi) / (1.0 - l.white_mean).max(1e-6);
            value += l.bounces * (share * cosine);
        }
        let mut pdf = l.p_specular * specular_pdf + l.p_diffuse * cosine;
        if let Some(coat) = &l.coat {
            let (coat_value, coat_pdf) = coat.eval(wo, wi, h);
            value = value * coat.transmitted(wi) + coat_value;
            pdf += l.p_coat * coat_pdf;
        }
        (value, pdf)
    }

    pub(super) fn albedo(&self, wo: Vec3) -> Vec3 {
        let Some(l) = self.lobes(wo) else { return Vec3::ZERO };
        let under =
            albedo(l.f0, l.f90, l.row.at(wo.z)) + l.diffuse * (1.0 - l.dielectric_wo) + l.bounces * (1.0 - l.white_wo);
        let coat = l.coat.as_ref().map_or(0.0, Coat::albedo);
        under * (1.0 - coat) + coat
    }
}
