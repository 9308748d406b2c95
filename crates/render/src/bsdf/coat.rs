//! A clear dielectric coat over any base.

use super::albedo_table::{AlbedoTable, Row, albedo};
use super::fresnel::schlick;
use super::ggx::Ggx;
use glam::{Vec2, Vec3};

/// Least alpha of a lobe in a layered model, which has no delta lobes: a spike of 1e-3 looks like a
/// mirror, and its density has room in f32.
pub(super) const MIN_LAYER_ALPHA: f32 = 1e-3;

/// A coat as seen from `wo`: GGX reflection over `strength` of the area.
///
/// What is under it is scaled by `1 - strength max(E(wo), E(wi))`, E the coat's albedo. Unlike
/// `(1 - E(wo)) (1 - E(wi)) / (1 - mean)`, which suits a Lambert base only, this bounds any base: it is
/// reciprocal and never makes energy, though it loses a little.
pub(super) struct Coat {
    strength: f32,
    f0: Vec3,
    ggx: Ggx,
    row: Row<'static>,
    e_wo: f32,
}

impl Coat {
    /// `None` for a strength of 0.
    #[inline]
    pub fn new(strength: f32, f0: f32, alpha: f32, wo: Vec3) -> Option<Self> {
        (strength > 0.0).then(|| {
            let alpha = alpha.clamp(MIN_LAYER_ALPHA, 1.0);
            let row = AlbedoTable::ggx().row(alpha);
            let f0 = Vec3::splat(f0);
            Self {
                strength: strength.min(1.0),
                f0,
                ggx: Ggx::new(Vec2::splat(alpha)),
                row,
                e_wo: albedo(f0, 1.0, row.at(wo.z)).x,
            }
        })
    }

    /// Share of the light from `wo` that the coat reflects.
    #[inline]
    pub fn albedo(&self) -> f32 {
        self.strength * self.e_wo
    }

    /// Share of the base's scattering from `wi` to `wo` that is left.
    #[inline]
    pub fn transmitted(&self, wi: Vec3) -> f32 {
        1.0 - self.strength * self.e_wo.max(albedo(self.f0, 1.0, self.row.at(wi.z)).x)
    }

    /// `f cos` of the coat's reflection and its density, `h` the half vector.
    #[inline]
    pub fn eval(&self, wo: Vec3, wi: Vec3, h: Vec3) -> (f32, f32) {
        let pdf = self.ggx.reflection_pdf(wo, h);
        (self.strength * schlick(self.f0, 1.0, wo.dot(h)).x * self.ggx.g1(wi) * pdf, pdf)
    }

    /// A facet that `wo` sees.
    #[inline]
    pub fn sample_normal(&self, wo: Vec3, u: [f32; 2]) -> Vec3 {
        self.ggx.sample_visible(wo, u)
    }
}
