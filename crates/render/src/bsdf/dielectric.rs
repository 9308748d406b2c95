//! Glass: reflection and transmission at a smooth or a GGX boundary (Walter et al. 2007), or through
//! a thin sheet. Below the shading normal is inside. Radiance that enters denser matter is squeezed
//! into a smaller cone: transmission has the factor `1 / eta^2` for it, as in pbrt and Mitsuba.
//!
//! Those two lose the light that meets a second facet. Here a lobe of its own returns it (Kulla and Conty
//! 2017): of what `wo` loses, a fixed share comes from its own side and the rest from the other, each in
//! proportion to what the direction there loses. Let `l` and `d` be the mean losses of the thinner and the
//! denser side. Light takes the same way back if the shares of transmission are in proportion to
//! `n^2 d` and `l`; and that of a smooth boundary, `T` and `T / n^2`, should be kept where the means are
//! equal. So they are `T d / max(l, d)` and `T / n^2 l / max(l, d)`.

use super::ggx::Ggx;
use super::horizon::Horizon;
use super::loss_table::{GlassLosses, WhiteLosses};
use super::{BsdfSample, MIN_COS, Scattering, fresnel};
use crate::texture::Inputs;
use glam::{Vec2, Vec3};
use std::f32::consts::FRAC_1_PI;

/// BSDF of glass, with its parameters at a surface point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dielectric {
    /// Refractive index inside over that outside; positive.
    pub ior: f32,
    /// GGX alpha along tangent and bitangent; below 1e-4 the surface is smooth.
    pub alpha: Vec2,
    /// Tint of reflections.
    pub reflectance: Vec3,
    /// Tint of transmission.
    pub transmittance: Vec3,
    /// `true` for a sheet without thickness: light passes unbent, and reflections between its two sides are summed. A
    /// rough sheet transmits its reflection lobe mirrored at the sheet: an approximation, since two refractions spread
    /// light a little less.
    pub thin: bool,
    /// Whether only the first bounce counts, or also further ones between facets.
    pub scattering: Scattering,
}

/// Light that single scattering loses at glass facets, on either side of the boundary.
#[derive(Debug, Clone, Copy)]
enum Losses {
    Sheet(WhiteLosses),
    Glass {
        losses: GlassLosses,
        /// `true` if `wo` is on the denser side.
        from_dense: bool,
    },
}

impl Losses {
    /// Returns the fraction of the light from `w` that is lost; `wo` must be above the surface.
    #[inline]
    fn at(&self, w: Vec3) -> f32 {
        match self {
            Self::Sheet(losses) => losses.at(w),
            Self::Glass { losses, from_dense } => losses.at(*from_dense == (w.z > 0.0), w),
        }
    }

    #[inline]
    fn horizon(&self) -> Horizon {
        match self {
            Self::Sheet(losses) => losses.horizon(),
            Self::Glass { losses, .. } => losses.horizon(),
        }
    }
}

/// Lobe of further bounces between the facets of rough glass, for one `wo`.
#[derive(Debug, Clone, Copy)]
pub struct GlassBounces {
    losses: Losses,
    /// Light lost from `wo`, times the fraction that returns on its own side (`over_here`) or beyond, over the mean
    /// loss there.
    over_here: f32,
    over_beyond: f32,
    /// Fraction of the returned light that comes back on the side of `wo`.
    reflected: f32,
    /// Probability of choosing this lobe.
    p: f32,
}

impl GlassBounces {
    /// Samples a direction of further bounces, for `wo` above the surface.
    #[inline]
    fn sample(&self, u_side: f32, u: [f32; 2]) -> Vec3 {
        if u_side < self.reflected {
            return self.losses.horizon().sample(u_side / self.reflected, u);
        }
        let wi = self.losses.horizon().sample((u_side - self.reflected) / (1.0 - self.reflected), u);
        wi.with_z(-wi.z)
    }
}

/// Smallest difference of the refractive index from 1 at which rough transmission is a lobe: below it light bends by at
/// most a degree. Masking would still take light from it that only turns up in a lobe all over the hemisphere; so with
/// further bounces it counts as smooth.
const LEAST_BEND: f32 = 0.02;

impl Dielectric {
    /// Reads the parameters of a material of kind [`super::MaterialKind::Dielectric`].
    #[inline]
    pub(super) fn look_up(m: &Inputs) -> Self {
        Self {
            ior: m.numbers(4)[0],
            alpha: m.alpha(2, 0.0),
            reflectance: m.share(0),
            transmittance: m.share(1),
            thin: m.is_thin(),
            scattering: m.scattering,
        }
    }

    /// Returns `true` if the boundary is smooth, or bends light so little that f32 directions could not resolve its
    /// lobe of transmitted light.
    #[inline]
    pub(super) fn is_smooth(&self) -> bool {
        let least = match self.scattering {
            Scattering::Single => 1e-3,
            Scattering::Multiple => LEAST_BEND,
        };
        Ggx::is_smooth(self.alpha) || (!self.thin && (self.ior - 1.0).abs() < least)
    }

    /// Returns the lobe of further bounces; `None` if the boundary is smooth or they do not count.
    #[inline]
    pub(super) fn bounces(&self, wo: Vec3) -> Option<GlassBounces> {
        if self.scattering == Scattering::Single || self.is_smooth() {
            return None;
        }
        let eta = self.relative_ior(wo);
        let n = if eta > 1.0 { eta } else { 1.0 / eta };
        let fresnel = fresnel::dielectric_mean(n);
        // Mean losses here and beyond, and what a smooth boundary would let through.
        let (losses, here, beyond, smooth) = if self.thin {
            let losses = WhiteLosses::new(self.alpha);
            (Losses::Sheet(losses), losses.mean(), losses.mean(), (1.0 - fresnel) / (1.0 + fresnel))
        } else {
            let from_dense = eta < 1.0;
            let losses = GlassLosses::new(self.alpha, n);
            let smooth = if from_dense { (1.0 - fresnel) / (n * n) } else { 1.0 - fresnel };
            let means = losses.means(n);
            let (here, beyond) = (means[usize::from(from_dense)], means[usize::from(!from_dense)]);
            (Losses::Glass { losses, from_dense }, here, beyond, smooth)
        };
        let through = smooth / here.max(beyond);
        let lost = losses.at(super::above(wo));
        let reflected = 1.0 - through * beyond;
        Some(GlassBounces {
            losses,
            over_here: lost * reflected / here,
            over_beyond: lost * through,
            reflected,
            // The first bounce keeps a share of the samples where it keeps no light.
            p: lost.min(0.95),
        })
    }

    /// Adds further bounces to the value and density of the first one; `wi` is above if on the side of `wo`.
    #[inline]
    fn with_bounces(&self, first: (Vec3, f32), bounces: &GlassBounces, wi: Vec3, eta: f32) -> (Vec3, f32) {
        let cos = wi.z.abs();
        let (tint, over, side) = if wi.z > 0.0 {
            (self.reflectance, bounces.over_here, bounces.reflected)
        } else {
            let tint = if self.thin { self.transmittance } else { self.transmittance * (1.0 / (eta * eta)) };
            (tint, bounces.over_beyond, 1.0 - bounces.reflected)
        };
        let further = over * bounces.losses.at(wi) * (cos * FRAC_1_PI);
        let pdf = (1.0 - bounces.p) * first.1 + bounces.p * side * bounces.losses.horizon().pdf(cos);
        (first.0 + tint * further, pdf)
    }

    /// Adds further bounces, if any, to the value and density of the first one, for `wo` and `wi` on any side.
    #[inline]
    pub(super) fn with_further(
        &self,
        first: (Vec3, f32),
        bounces: Option<&GlassBounces>,
        wo: Vec3,
        wi: Vec3,
    ) -> (Vec3, f32) {
        match bounces {
            Some(bounces) => self.with_bounces(first, bounces, super::turned_as(wo, wi), self.relative_ior(wo)),
            None => first,
        }
    }

    /// Returns the refractive index on the side opposite to `wo`, over that on its own side.
    #[inline]
    pub(super) fn relative_ior(&self, wo: Vec3) -> f32 {
        if wo.z >= 0.0 || self.thin { self.ior } else { 1.0 / self.ior }
    }

    /// Returns the fraction of light that a facet reflects at the cosine `cos`, and the cosine of the refracted
    /// direction.
    #[inline]
    fn reflected(&self, cos: f32, eta: f32) -> (f32, f32) {
        let (r, cos_t) = fresnel::dielectric(cos, eta);
        // R + T R T + T R^3 T + ... of the two sides of a sheet.
        if self.thin { (2.0 * r / (1.0 + r), cos_t) } else { (r, cos_t) }
    }

    #[inline]
    pub(super) fn sample(
        &self,
        bounces: Option<&GlassBounces>,
        wo: Vec3,
        mut u_lobe: f32,
        u: [f32; 2],
    ) -> Option<BsdfSample> {
        let eta = self.relative_ior(wo);
        // Everything with wo above, then turned back.
        let up = super::above(wo);
        let ggx = Ggx::new(self.alpha);
        let smooth = self.is_smooth();
        if let Some(bounces) = bounces {
            if u_lobe < bounces.p {
                let wi = bounces.sample(u_lobe / bounces.p, u);
                let first = self.first(&ggx, up, wi, eta);
                let (value, pdf) = self.with_bounces(first, bounces, wi, eta);
                let turned = super::turned_as(wo, wi);
                return BsdfSample::smooth(wo, turned, value * (1.0 / pdf), pdf);
            }
            u_lobe = ((u_lobe - bounces.p) / (1.0 - bounces.p)).min(1.0 - f32::EPSILON);
        }
        let h = if smooth { Vec3::Z } else { ggx.sample_visible(up, u) };
        let cos = up.dot(h).max(MIN_COS);
        let (reflected, cos_t) = self.reflected(cos, eta);
        let (wi, tint, probability) = if u_lobe < reflected {
            (2.0 * cos * h - up, self.reflectance, reflected)
        } else if self.thin {
            let wi = 2.0 * cos * h - up;
            (wi.with_z(-wi.z), self.transmittance, 1.0 - reflected)
        } else {
            ((cos / eta - cos_t) * h - up / eta, self.transmittance * (1.0 / (eta * eta)), 1.0 - reflected)
        };
        // A facet may send its light to the wrong side of the surface; that light is lost.
        if (wi.z > 0.0) != (u_lobe < reflected) {
            return None;
        }
        let wi = wi.normalize_or_zero();
        let turned = super::turned_as(wo, wi);
        if smooth {
            return BsdfSample::delta(wo, turned, tint);
        }
        let density = if u_lobe < reflected || self.thin {
            ggx.reflection_pdf(up, h)
        } else {
            refraction_pdf(&ggx, up, wi, h, eta)
        };
        let (weight, pdf) = (tint * ggx.g1(wi), density * probability);
        if let Some(bounces) = bounces {
            let (value, pdf) = self.with_bounces((weight * pdf, pdf), bounces, wi, eta);
            return BsdfSample::smooth(wo, turned, value * (1.0 / pdf), pdf);
        }
        BsdfSample::smooth(wo, turned, weight, pdf)
    }

    #[inline]
    pub(super) fn eval(&self, bounces: Option<&GlassBounces>, wo: Vec3, wi: Vec3) -> (Vec3, f32) {
        if self.is_smooth() || wo.z * wi.z == 0.0 {
            return (Vec3::ZERO, 0.0);
        }
        let eta = self.relative_ior(wo);
        let up = super::above(wo);
        let wi = super::turned_as(wo, wi);
        let first = self.first(&Ggx::new(self.alpha), up, wi, eta);
        match bounces {
            Some(bounces) => self.with_bounces(first, bounces, wi, eta),
            None => first,
        }
    }

    /// Returns value and density of the first bounce, for `wo` above the surface (`up`).
    #[inline]
    fn first(&self, ggx: &Ggx, up: Vec3, wi: Vec3, eta: f32) -> (Vec3, f32) {
        if wi.z > 0.0 || self.thin {
            // A thin sheet's transmission is its reflection mirrored.
            let h = (up + wi.with_z(wi.z.abs())).normalize_or(Vec3::Z);
            let (reflected, _) = self.reflected(up.dot(h).max(MIN_COS), eta);
            let (tint, share) =
                if wi.z > 0.0 { (self.reflectance, reflected) } else { (self.transmittance, 1.0 - reflected) };
            let pdf = ggx.reflection_pdf(up, h) * share;
            return (tint * (pdf * ggx.g1(wi)), pdf);
        }
        // The half vector of a refraction points into the thinner medium; here always up.
        let h = (up + eta * wi).normalize_or(Vec3::Z);
        let h = if h.z < 0.0 { -h } else { h };
        // A facet seen from one side cannot be refracted at from the other.
        if up.dot(h) <= 0.0 || wi.dot(h) >= 0.0 {
            return (Vec3::ZERO, 0.0);
        }
        let (reflected, _) = self.reflected(up.dot(h).max(MIN_COS), eta);
        let pdf = refraction_pdf(ggx, up, wi, h, eta) * (1.0 - reflected);
        (self.transmittance * (1.0 / (eta * eta)) * (pdf * ggx.g1(wi)), pdf)
    }

    pub(super) fn albedo(&self, wo: Vec3) -> Vec3 {
        let (reflected, _) = self.reflected(wo.z, self.ior);
        self.reflectance * reflected + self.transmittance * (1.0 - reflected)
    }
}

/// Returns the density of the refracted `wi` if every visible facet refracts: the facet's density times the Jacobian
/// `|wi h| / (wi h + wo h / eta)^2` (Walter et al. 2007, equation 17, in terms of eta).
#[inline]
fn refraction_pdf(ggx: &Ggx, wo: Vec3, wi: Vec3, h: Vec3, eta: f32) -> f32 {
    let (o, i) = (wo.dot(h), wi.dot(h));
    let denominator = i + o / eta;
    let visible = ggx.g1(wo) * ggx.d(h) * o.max(0.0) / wo.z;
    visible * i.abs() / (denominator * denominator)
}
