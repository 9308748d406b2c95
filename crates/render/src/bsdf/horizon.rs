//! Directions in about the proportion in which light returns from further bounces between facets.
//!
//! Facets of a small alpha lose light at the horizon only, where a cosine lobe has hardly a direction: its
//! few hits would be as bright as one in a thousand has to be. So a share of the directions is even in the
//! `t` of `loss_table.rs`.

use glam::Vec3;
use raywarp_sample::warp::{cosine_hemisphere, sin_cos_turn};
use std::f32::consts::{FRAC_1_PI, TAU};

/// Mixture of a cosine lobe and a lobe near the horizon, which samples directions in proportion to lost light.
#[derive(Debug, Clone, Copy)]
pub struct Horizon {
    alpha: f32,
    /// Probability of the lobe near the horizon.
    share: f32,
}

impl Horizon {
    /// Mixture that is a cosine lobe alone.
    pub const NONE: Self = Self { alpha: 1.0, share: 0.0 };

    /// Makes the mixture for facets of roughness `alpha`, 1e-4 to 1.
    #[inline]
    pub fn new(alpha: f32) -> Self {
        Self { alpha, share: 0.5 * (1.0 - alpha) }
    }

    /// Returns the mixture with the horizon lobe's probability scaled by `part`.
    #[inline]
    pub fn scaled(self, part: f32) -> Self {
        Self { share: self.share * part.min(1.0), ..self }
    }

    /// Samples a direction in the upper hemisphere; `u_lobe` chooses the lobe, and all numbers are in `0 .. 1`.
    #[inline]
    pub fn sample(&self, u_lobe: f32, u: [f32; 2]) -> Vec3 {
        if u_lobe >= self.share {
            return Vec3::from(cosine_hemisphere(u));
        }
        let z = (u[0] * self.alpha / (1.0 + self.alpha - u[0])).clamp(1e-6, 1.0);
        let r = (1.0 - z * z).max(0.0).sqrt();
        let (sin, cos) = sin_cos_turn(u[1]);
        Vec3::new(r * cos, r * sin, z)
    }

    /// Returns the density per solid angle of a direction with this cosine.
    #[inline]
    pub fn pdf(&self, cos: f32) -> f32 {
        let cosine = cos * FRAC_1_PI;
        if self.share == 0.0 {
            return cosine;
        }
        let sum = cos + self.alpha;
        let horizon = self.alpha * (1.0 + self.alpha) / (TAU * sum * sum);
        cosine + self.share * (horizon - cosine)
    }
}
