//! Metal and dielectric mixed, as in glTF: GGX reflection with Schlick's Fresnel term over a Lambert
//! base, under an optional clear coat.
//!
//! No energy is made or lost: the dielectric's base gets what its facets leave, and the metal gets back
//! the light of further bounces between facets (Kulla and Conty 2017), which is the same kind of lobe.
//! glTF's own formula does neither. Under a coat both lobes also get what scaling by the coat takes too
//! much of; without further bounces ([`Scattering::Single`]) that is lost.

use super::albedo_table::{AlbedoTable, albedo};
use super::coat::{Beneath, COAT_F0, Coat, Left, MIN_LAYER_ALPHA};
use super::facets::{Facets, Returned};
use super::fresnel::{f90_of_f0, schlick, schlick_mean};
use super::ggx::Ggx;
use super::horizon::Horizon;
use super::{Bsdf, BsdfSample, Dielectric, Glazed, MaterialKind, Scattering, f0_of_ior};
use crate::texture::Inputs;
use glam::{Vec2, Vec3};
use raywarp_sample::warp::choose;
use std::f32::consts::FRAC_1_PI;

/// Smallest divisor of a diffuse lobe that scatters what the facets leave.
pub(crate) const LEAST_MEAN: f32 = 1e-6;

/// BSDF of an opaque surface between metal and dielectric, with an optional clear coat (glTF's principled model).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrincipledBsdf {
    /// Albedo of the dielectric's diffuse base, and reflectance of the metal at normal incidence.
    pub base: Vec3,
    /// Fraction of metal, from 0 (dielectric) to 1 (metal).
    pub metallic: f32,
    /// Reflectance of the dielectric at normal incidence.
    pub f0: Vec3,
    /// Reflectance of the dielectric at grazing incidence: glTF's specular strength.
    pub f90: f32,
    /// GGX alpha along tangent and bitangent, at least 1e-3. Energy is balanced for their geometric mean.
    pub alpha: Vec2,
    /// Fraction of the area that the clear coat covers.
    pub coat: f32,
    /// GGX alpha of the clear coat.
    pub coat_alpha: f32,
    /// Whether light of further bounces under the coat returns or is lost; further bounces between the metal's facets
    /// always count.
    pub scattering: Scattering,
}

/// Quantities that sampling and evaluation of the principled model share for one `wo`: lobes with their colours and
/// probabilities.
#[derive(Debug, Clone, Copy)]
pub struct PrincipledLobes {
    ggx: Ggx,
    facets: Facets,
    coat: Option<Coat>,
    /// Losses of the coat over white facets; `None` without a coat or if further bounces don't count.
    beneath: Option<Beneath>,
    /// Fresnel reflectance of metal and dielectric mixed, at normal incidence (`f0`) and grazing incidence (`f90`).
    f0: Vec3,
    f90: f32,
    /// Reflectance of the Lambert base (`diffuse`) and of the metal's further bounces (`bounces`), times the light left
    /// to them from `wo`, over its mean.
    diffuse: Vec3,
    bounces: Vec3,
    /// Mixture of lobes that samples directions of the further bounces.
    horizon: Horizon,
    p_coat: f32,
    p_specular: f32,
    p_diffuse: f32,
}

/// Light that the facets leave to the diffuse lobes, of the base and of the metal's further bounces.
struct BaseLobes {
    /// Light left to the diffuse lobes from one direction `wo`, and its mean over all directions.
    wo: Left,
    mean: Left,
    beneath: Option<Beneath>,
}

/// Diffuse lobes of the principled model: the Lambert base, and the metal's further bounces.
struct AllAround {
    /// Reflectances of the diffuse lobes, as in [`PrincipledLobes`].
    diffuse: Vec3,
    bounces: Vec3,
    /// Fraction of the light from `wo` that these lobes scatter (`scattered`), and the fraction of the metal facets'
    /// first loss that returns (`returned`).
    scattered: Vec3,
    returned: f32,
}

impl PrincipledBsdf {
    /// Reads the parameters of a material of kind [`super::MaterialKind::Coated`].
    #[inline]
    pub(super) fn look_up_coated(m: &Inputs) -> Self {
        Self::coated(m.share(0), m.share(1), m.alpha(2, MIN_LAYER_ALPHA), m.scattering)
    }

    /// Reads the parameters of a material of kind [`super::MaterialKind::Principled`]; `u` chooses between its glass
    /// and its opaque part.
    #[inline]
    pub(super) fn look_up(m: &Inputs, mut u: f32) -> Bsdf {
        let base = m.share(0);
        let metallic = m.fraction(1);
        let ior = m.numbers(9)[0];
        let specular = m.fraction(4);
        let tint = m.color(5).max(Vec3::ZERO);
        let coat = m.fraction(7);
        let coat_roughness = m.fraction(8);
        let coat_alpha = (coat_roughness * coat_roughness).max(MIN_LAYER_ALPHA);
        let transmission = m.fraction(MaterialKind::TRANSMISSION) * (1.0 - metallic);
        if transmission > 0.0 && choose(transmission, &mut u).0 {
            let glass = Dielectric {
                ior,
                alpha: m.alpha(2, 0.0),
                reflectance: Vec3::ONE,
                transmittance: base,
                thin: m.is_thin(),
                scattering: m.scattering,
            };
            return Glazed::new(glass, tint, specular, coat, coat_alpha).map_or(Bsdf::Dielectric(glass), Bsdf::Glazed);
        }
        // The glass share of what is left has been taken out: the metal's share of it grows.
        let metallic = if transmission < 1.0 { metallic / (1.0 - transmission) } else { metallic };
        Bsdf::Principled(Self {
            base,
            metallic: metallic.min(1.0),
            f0: (f0_of_ior(ior) * tint).min(Vec3::ONE) * specular,
            f90: specular,
            alpha: m.alpha(2, MIN_LAYER_ALPHA),
            coat,
            coat_alpha,
            scattering: m.scattering,
        })
    }

    /// Makes the model of a `diffuse` base under a rough coat with reflectance `f0` at normal incidence (pbrt's
    /// `plastic`). A coat below 2 % fades out.
    pub fn coated(diffuse: Vec3, f0: Vec3, alpha: Vec2, scattering: Scattering) -> Self {
        let f90 = f90_of_f0(f0);
        Self { base: diffuse, metallic: 0.0, f0, f90, alpha, coat: 0.0, coat_alpha: 0.0, scattering }
    }

    /// Returns the lobes for one `wo`, which sampling and evaluation share; `None` if nothing scatters.
    #[inline]
    pub(super) fn lobes(&self, wo: Vec3) -> Option<PrincipledLobes> {
        Some(self.lobes_and_albedo(wo)?.0)
    }

    #[inline]
    fn lobes_and_albedo(&self, wo: Vec3) -> Option<(PrincipledLobes, Vec3)> {
        let alpha = self.alpha.clamp(Vec2::splat(MIN_LAYER_ALPHA), Vec2::ONE);
        let mean_alpha = (alpha.x * alpha.y).sqrt();
        let facets = Facets::new(AlbedoTable::ggx().row(mean_alpha), alpha, self.scattering);
        let coat = Coat::new(self.coat, COAT_F0, self.coat_alpha, wo);
        let m = if self.metallic > 0.0 { self.metallic.min(1.0) } else { 0.0 };
        let (at, mean) = (facets.at(wo), facets.mean());
        let f0 = self.f0.lerp(self.base, m);
        let f90 = self.f90 + (1.0 - self.f90) * m;
        let base = self.base_lobes(coat.as_ref(), wo, at, mean, mean_alpha);
        let specular = albedo(f0, f90, at.scale_bias);
        let coat_albedo = coat.as_ref().map_or(0.0, Coat::albedo);
        let under = 1.0 - coat_albedo;

        let AllAround { diffuse, bounces, scattered, returned } = self.all_around(m, &base, at, mean);
        let p_coat = coat_albedo * 3.0;
        let p_specular = under * specular.element_sum();
        // Beneath a coat the lobes have it in them.
        let share = if base.beneath.is_some() { 1.0 } else { under };
        let p_diffuse = share * scattered.element_sum();
        let horizon = match self.scattering {
            // Of the metal's part, which a coat's share makes wider.
            Scattering::Multiple if returned > 0.0 => Horizon::new(mean_alpha).scaled(returned / p_diffuse),
            _ => Horizon::NONE,
        };
        let total = p_coat + p_specular + p_diffuse;
        if total.is_nan() || total <= 0.0 {
            return None;
        }
        let albedo = match self.scattering {
            Scattering::Single => (specular + scattered) * under + coat_albedo,
            Scattering::Multiple => (specular * under + scattered + coat_albedo).min(Vec3::ONE),
        };
        let scale = 1.0 / total;
        let lobes = PrincipledLobes {
            ggx: Ggx::new(alpha),
            facets,
            coat,
            beneath: base.beneath,
            f0,
            f90,
            diffuse,
            bounces,
            horizon,
            p_coat: p_coat * scale,
            p_specular: p_specular * scale,
            p_diffuse: p_diffuse * scale,
        };
        Some((lobes, albedo))
    }

    /// Returns the diffuse lobes for what the facets leave, where the fraction `m` of the surface is metal.
    #[inline]
    fn all_around(&self, m: f32, base: &BaseLobes, at: Returned, mean: Returned) -> AllAround {
        let mut lobes = AllAround { diffuse: Vec3::ZERO, bounces: Vec3::ZERO, scattered: Vec3::ZERO, returned: 0.0 };
        // Most surfaces are one or the other: metal or dielectric.
        if self.metallic < 1.0 {
            let reflectance = (1.0 - m) * self.base * base.wo.dielectric;
            // The product vanishes faster than the divisor where the lobe takes all.
            lobes.diffuse = reflectance / base.mean.dielectric.max(Vec3::splat(LEAST_MEAN));
            lobes.scattered = reflectance;
        }
        if m > 0.0 {
            // Schlick's mean over the hemisphere, then the sum over all further bounces.
            let fresnel_mean = schlick_mean(self.base);
            let white_mean = (mean.scale_bias.x + mean.scale_bias.y).min(1.0);
            let all = m * fresnel_mean * fresnel_mean * white_mean / (1.0 - fresnel_mean * (1.0 - white_mean));
            lobes.bounces = all * (base.wo.metal / base.mean.metal.max(self.least_metal_mean()));
            lobes.scattered += all * base.wo.metal;
            lobes.returned = (all * at.lost).element_sum();
        }
        lobes
    }

    /// Returns the light from `wo` that the facets leave, which return `at` in its direction and `mean` on average.
    #[inline]
    fn base_lobes(&self, coat: Option<&Coat>, wo: Vec3, at: Returned, mean: Returned, alpha: f32) -> BaseLobes {
        let dielectric_wo = albedo(self.f0, self.f90, at.scale_bias);
        let dielectric_mean = albedo(self.f0, self.f90, mean.scale_bias);
        if let Some(coat) = coat
            && self.scattering == Scattering::Multiple
        {
            let beneath = coat.beneath(alpha);
            return BaseLobes {
                wo: beneath.left(wo.z, at, dielectric_wo, coat.let_in_wo()),
                mean: coat.left_mean(&beneath, mean, self.f0, self.f90, dielectric_mean),
                beneath: Some(beneath),
            };
        }
        BaseLobes {
            wo: Left { dielectric: 1.0 - dielectric_wo, metal: at.lost },
            mean: Left { dielectric: 1.0 - dielectric_mean, metal: mean.lost },
            beneath: None,
        }
    }

    /// Samples an incident direction, given the lobes for `wo`.
    #[inline]
    pub(super) fn sample(&self, l: Option<&PrincipledLobes>, wo: Vec3, u_lobe: f32, u: [f32; 2]) -> Option<BsdfSample> {
        let l = l?;
        let wi = if u_lobe < l.p_diffuse {
            l.horizon.sample(u_lobe / l.p_diffuse, u)
        } else {
            let h = match &l.coat {
                Some(coat) if u_lobe >= l.p_diffuse + l.p_specular => coat.sample_normal(wo, u),
                _ => l.ggx.sample_visible(wo, u),
            };
            2.0 * wo.dot(h) * h - wo
        };
        if wi.z <= 0.0 {
            return None;
        }
        let (value, pdf) = self.eval(Some(l), wo, wi);
        BsdfSample::smooth(wo, wi, value * (1.0 / pdf), pdf)
    }

    /// Returns the BSDF value times cosine and the density for `wi`, given the lobes for `wo`.
    #[inline]
    pub(super) fn eval(&self, l: Option<&PrincipledLobes>, wo: Vec3, wi: Vec3) -> (Vec3, f32) {
        let Some(l) = l else { return (Vec3::ZERO, 0.0) };
        let h = (wo + wi).normalize_or(Vec3::Z);
        let specular_pdf = l.ggx.reflection_pdf(wo, h);
        let at = l.facets.at(wi);
        let cosine = wi.z * FRAC_1_PI;
        let mut value = schlick(l.f0, l.f90, wo.dot(h)) * (specular_pdf * l.ggx.g1(wi));
        let e_wi = albedo(self.f0, self.f90, at.scale_bias);
        let mut left_wi = Left { dielectric: 1.0 - e_wi, metal: at.lost };
        if let (Some(coat), Some(beneath)) = (&l.coat, &l.beneath) {
            let e = coat.e(wi);
            value *= coat.transmitted(e);
            left_wi = beneath.left(wi.z, at, e_wi, coat.let_in(e));
        }
        value += l.diffuse * left_wi.dielectric * cosine;
        if self.metallic > 0.0 {
            value += l.bounces * (left_wi.metal * cosine);
        }
        let mut pdf = l.p_specular * specular_pdf + l.p_diffuse * l.horizon.pdf(wi.z);
        if let Some(coat) = &l.coat {
            let (coat_value, coat_pdf) = coat.eval(wo, wi, h);
            if l.beneath.is_none() {
                value *= coat.transmitted(coat.e(wi));
            }
            value += coat_value;
            pdf += l.p_coat * coat_pdf;
        }
        (value, pdf)
    }

    /// Returns the smallest divisor of the metal's further bounces: exact mean losses are never 0, but those of the
    /// albedo table may be.
    #[inline]
    fn least_metal_mean(&self) -> f32 {
        match self.scattering {
            Scattering::Single => LEAST_MEAN,
            Scattering::Multiple => 0.0,
        }
    }

    pub(super) fn albedo(&self, wo: Vec3) -> Vec3 {
        self.lobes_and_albedo(wo).map_or(Vec3::ZERO, |(_, albedo)| albedo)
    }
}
