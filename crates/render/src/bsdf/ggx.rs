//! The GGX distribution of microfacet normals, anisotropic (Walter et al. 2007; Heitz 2014), with
//! Smith's masking, and sampling of the normals that a direction sees (Heitz 2018) by the spherical cap
//! of Dupuy and Benyoub 2023.

use glam::{Vec2, Vec3};
use raywarp_sample::warp::sin_cos_turn;
use std::f32::consts::PI;

/// Smallest GGX alpha of rough surfaces: below it surfaces count as smooth, since f32 half vectors cannot resolve a
/// narrower lobe.
pub(crate) const MIN_ALPHA: f32 = 1e-4;

/// GGX distribution of microfacet normals; all directions are in the upper hemisphere.
#[derive(Debug, Clone, Copy)]
pub struct Ggx {
    alpha: Vec2,
}

impl Ggx {
    /// Makes the GGX distribution with `alpha` along tangent and bitangent, clamped to at least 1e-4.
    #[inline]
    pub fn new(alpha: Vec2) -> Self {
        Self { alpha: alpha.clamp(Vec2::splat(MIN_ALPHA), Vec2::ONE) }
    }

    /// Returns `true` if `alpha` means a smooth surface.
    #[inline]
    pub fn is_smooth(alpha: Vec2) -> bool {
        alpha.is_nan() || alpha.max_element() < MIN_ALPHA
    }

    /// Returns the density D of microfacet normals at `h`, normalised so that `integral D(h) cos h dh = 1`.
    #[inline]
    pub fn d(&self, h: Vec3) -> f32 {
        // From x and y, which near the peak have the digits that 1 - cos^2 has lost; times alpha^2, for a single
        // division.
        let area = self.alpha.x * self.alpha.y;
        let (x, y, z) = (h.x * self.alpha.y, h.y * self.alpha.x, h.z * area);
        let s = x * x + y * y + z * z;
        area * area * area / (PI * s * s)
    }

    /// Returns the fraction of the facets facing `w` that are visible from it (Smith's masking function G1).
    #[inline]
    pub fn g1(&self, w: Vec3) -> f32 {
        let (x, y) = (w.x * self.alpha.x, w.y * self.alpha.y);
        // 1 / (1 + lambda), multiplied by z so that the horizon needs no infinite tangent.
        let z = w.z.abs();
        2.0 * z / (z + (z * z + x * x + y * y).sqrt())
    }

    /// Returns the solid-angle density of the `wi` that results from reflection at a visible normal `h`. `h` is their
    /// half vector.
    #[inline]
    pub fn reflection_pdf(&self, wo: Vec3, h: Vec3) -> f32 {
        // G1 over four times the cosine.
        let (x, y) = (wo.x * self.alpha.x, wo.y * self.alpha.y);
        self.d(h) * (0.5 / (wo.z + (wo.z * wo.z + x * x + y * y).sqrt()))
    }

    /// Samples a microfacet normal visible from `wo`, with density `G1(wo) D(h) max(wo h, 0) / cos wo`.
    #[inline]
    pub fn sample_visible(&self, wo: Vec3, u: [f32; 2]) -> Vec3 {
        // Stretched, the facets are a hemisphere; seen along a direction they reflect uniformly into
        // the cap above its opposite.
        let stretched = Vec3::new(wo.x * self.alpha.x, wo.y * self.alpha.y, wo.z).normalize();
        let z = (1.0 - u[0]) * (1.0 + stretched.z) - stretched.z;
        let r = (1.0 - z * z).max(0.0).sqrt();
        let (sin, cos) = sin_cos_turn(u[1]);
        let h = Vec3::new(r * cos, r * sin, z) + stretched;
        Vec3::new(h.x * self.alpha.x, h.y * self.alpha.y, h.z.max(0.0)).normalize_or(Vec3::Z)
    }
}
