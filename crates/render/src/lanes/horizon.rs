//! Directions in about the proportion in which light returns from further bounces: `crate::bsdf::horizon`, a surface a
//! lane.

use super::vec3::Vec3s;
use super::warp::{cosine_hemisphere, sin_cos_turn};
use raywarp_lanes::{Mask, Vector};
use std::f32::consts::{FRAC_1_PI, TAU};

/// Mixtures of a cosine lobe and a lobe near the horizon, one per lane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Horizon<V> {
    alpha: V,
    /// Probability of the lobe near the horizon.
    share: V,
}

impl<V> Horizon<V> {
    /// Makes the mixture that is a cosine lobe alone.
    #[inline(always)]
    pub fn none<const N: usize>(set: V::Set) -> Self
    where
        V: Vector<N>,
    {
        Self { alpha: V::splat(set, 1.0), share: V::splat(set, 0.0) }
    }

    /// Returns the mixture with the horizon lobe's probability scaled by `part`.
    #[inline(always)]
    pub fn scaled<const N: usize>(self, part: V) -> Self
    where
        V: Vector<N>,
    {
        Self { share: self.share * part.min(V::splat(part.set(), 1.0)), ..self }
    }

    #[inline(always)]
    pub fn select<const N: usize>(mask: V::Mask, yes: Self, no: Self) -> Self
    where
        V: Vector<N>,
    {
        Self { alpha: V::select(mask, yes.alpha, no.alpha), share: V::select(mask, yes.share, no.share) }
    }

    /// Makes the mixture for facets of roughness `alpha`, 1e-4 to 1.
    #[inline(always)]
    pub fn new<const N: usize>(alpha: V) -> Self
    where
        V: Vector<N>,
    {
        let set = alpha.set();
        Self { alpha, share: V::splat(set, 0.5) * (V::splat(set, 1.0) - alpha) }
    }

    /// Samples directions in the upper hemisphere; `u_lobe` chooses the lobe.
    #[inline(always)]
    pub fn sample<const N: usize>(&self, u_lobe: V, u: [V; 2]) -> Vec3s<V>
    where
        V: Vector<N>,
    {
        let set = u_lobe.set();
        let (zero, one) = (V::splat(set, 0.0), V::splat(set, 1.0));
        let cosine = cosine_hemisphere(u);
        let is_cosine = u_lobe.ge(self.share);
        if is_cosine.all() {
            return cosine;
        }
        let z = (u[0] * self.alpha / (one + self.alpha - u[0])).max(V::splat(set, 1e-6)).min(one);
        let r = (one - z * z).max(zero).sqrt();
        let (sin, cos) = sin_cos_turn(u[1]);
        Vec3s::select(is_cosine, cosine, Vec3s { x: r * cos, y: r * sin, z })
    }

    /// Returns the densities per solid angle of directions with these cosines.
    #[inline(always)]
    pub fn pdf<const N: usize>(&self, cos: V) -> V
    where
        V: Vector<N>,
    {
        let set = cos.set();
        let cosine = cos * V::splat(set, FRAC_1_PI);
        let sum = cos + self.alpha;
        let horizon = self.alpha * (V::splat(set, 1.0) + self.alpha) / (V::splat(set, TAU) * sum * sum);
        cosine + self.share * (horizon - cosine)
    }
}
