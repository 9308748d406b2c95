//! Glass: reflection and transmission at a smooth or a GGX boundary (Walter et al. 2007), or through
//! a thin sheet. Below the shading normal is inside. Radiance that enters denser matter is squeezed
//! into a smaller cone: transmission has the factor `1 / eta^2` for it, as in pbrt and Mitsuba.

use super::ggx::Ggx;
use super::{BsdfSample, MIN_COS, fresnel};
use crate::texture::Inputs;
use glam::{Vec2, Vec3};

/// Glass with its parameters at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dielectric {
    /// Index of refraction inside over outside; positive.
    pub ior: f32,
    /// GGX alpha along tangent and bitangent; below 1e-4 the surface is smooth.
    pub alpha: Vec2,
    /// Tint of reflections.
    pub reflectance: Vec3,
    /// Tint of transmission.
    pub transmittance: Vec3,
    /// A sheet without thickness: light goes on in its direction, reflections between its two sides
    /// are summed. A rough sheet transmits its reflection lobe mirrored at the sheet: an
    /// approximation, since two refractions spread light a little less.
    pub thin: bool,
}

impl Dielectric {
    /// From a material of kind [`super::MaterialKind::Dielectric`].
    #[inline]
    pub(super) fn look_up(m: &Inputs) -> Self {
        Self {
            ior: m.numbers(4)[0],
            alpha: m.alpha(2, 0.0),
            reflectance: m.share(0),
            transmittance: m.share(1),
            thin: m.is_thin(),
        }
    }

    /// Smooth, or bending so little that a lobe of transmitted light would be narrower than f32
    /// directions can tell.
    #[inline]
    pub(super) fn is_smooth(&self) -> bool {
        Ggx::is_smooth(self.alpha) || (!self.thin && (self.ior - 1.0).abs() < 1e-3)
    }

    /// Index on the other side of `wo` over that on its own.
    #[inline]
    fn relative_ior(&self, wo: Vec3) -> f32 {
        if wo.z >= 0.0 || self.thin { self.ior } else { 1.0 / self.ior }
    }

    /// Share reflected for a facet with cosine `cos`, and the cosine of the refracted direction.
    #[inline]
    fn reflected(&self, cos: f32, eta: f32) -> (f32, f32) {
        let (r, cos_t) = fresnel::dielectric(cos, eta);
        // R + T R T + T R^3 T + ... of the two sides of a sheet.
        if self.thin { (2.0 * r / (1.0 + r), cos_t) } else { (r, cos_t) }
    }

    #[inline]
    pub(super) fn sample(&self, wo: Vec3, u_lobe: f32, u: [f32; 2]) -> Option<BsdfSample> {
        let eta = self.relative_ior(wo);
        // Everything with wo above, then turned back.
        let up = super::above(wo);
        let ggx = Ggx::new(self.alpha);
        let smooth = self.is_smooth();
        let h = if smooth { Vec3::Z } else { ggx.sample_visible(up, u) };
        let cos = up.dot(h).max(MIN_COS);
        let (reflected, cos_t) = self.reflected(cos, eta);
        let (wi, tint, probability) = if u_lobe < reflected {
            (2.0 * cos * h - up, self.reflectance, reflected)
        } else if self.thin {
            let wi = 2.0 * cos * h - up;
            (wi.with_z(-wi.z), self.transmittance, 1.0 - reflected)
        } else {
            ((cos / eta - cos_t) * h - up / eta, self.transmittance / (eta * eta), 1.0 - reflected)
        };
        // A facet may send its light to the wrong side of the surface; that light is lost.
        if (wi.z > 0.0) != (u_lobe < reflected) {
            return None;
        }
        let wi = wi.normalize_or_zero();
        let turned = if wo.z < 0.0 { wi.with_z(-wi.z) } else { wi };
        if smooth {
            return BsdfSample::delta(wo, turned, tint);
        }
        let density = if u_lobe < reflected || self.thin {
            ggx.reflection_pdf(up, h)
        } else {
            refraction_pdf(&ggx, up, wi, h, eta)
        };
        BsdfSample::smooth(wo, turned, tint * ggx.g1(wi), density * probability)
    }

    #[inline]
    pub(super) fn eval(&self, wo: Vec3, wi: Vec3) -> (Vec3, f32) {
        if self.is_smooth() || wo.z * wi.z == 0.0 {
            return (Vec3::ZERO, 0.0);
        }
        let eta = self.relative_ior(wo);
        let up = super::above(wo);
        let wi = if wo.z < 0.0 { wi.with_z(-wi.z) } else { wi };
        let ggx = Ggx::new(self.alpha);
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
        let pdf = refraction_pdf(&ggx, up, wi, h, eta) * (1.0 - reflected);
        (self.transmittance / (eta * eta) * (pdf * ggx.g1(wi)), pdf)
    }

    pub(super) fn albedo(&self, wo: Vec3) -> Vec3 {
        let (reflected, _) = self.reflected(wo.z, self.ior);
        self.reflectance * reflected + self.transmittance * (1.0 - reflected)
    }
}

/// Density of the refracted `wi`, if every visible facet refracts: that of the facet times the
/// Jacobian `|wi h| / (wi h + wo h / eta)^2` (Walter et al. 2007, equation 17, in terms of eta).
#[inline]
fn refraction_pdf(ggx: &Ggx, wo: Vec3, wi: Vec3, h: Vec3, eta: f32) -> f32 {
    let (o, i) = (wo.dot(h), wi.dot(h));
    let denominator = i + o / eta;
    let visible = ggx.g1(wo) * ggx.d(h) * o.max(0.0) / wo.z;
    visible * i.abs() / (denominator * denominator)
}
