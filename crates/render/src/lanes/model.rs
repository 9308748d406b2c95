//! Scattering models, one surface a lane: [`crate::bsdf`]'s in its arithmetic. Directions are in the local frame.

use super::vec3::{Vec3s, copysign, is_finite};
use super::warp::{cosine_hemisphere, cosine_hemisphere_pdf};
use raywarp_lanes::Vector;

/// Scattering model evaluated for one surface per lane; by default opaque and equal on both sides. `wo` and `wi` are
/// above.
pub(super) trait Model<V: Vector<N>, const N: usize>: Copy {
    /// `true` if a random number chooses between lobes.
    const CHOOSES: bool;
    /// `true` if the model has only delta lobes, so that connections to lights are in vain.
    const IS_SPECULAR: bool = false;

    /// Returns the BSDF value times cosine and the density for `wi`, with both directions above the surface.
    fn eval_above(&self, wo: Vec3s<V>, wi: Vec3s<V>) -> (Vec3s<V>, V);

    /// Samples a direction for `wo` above the surface; the mask has the lanes where there is one.
    fn sample_above(&self, wo: Vec3s<V>, u_lobe: V, u: [V; 2]) -> (Sample<V>, V::Mask);

    /// Returns the albedo for a denoiser's albedo layer.
    fn albedo(&self) -> Vec3s<V>;

    /// Returns the BSDF value times cosine and the density for `wi`, with the lanes where both directions are on the
    /// same side.
    #[inline(always)]
    fn eval(&self, wo: Vec3s<V>, wi: Vec3s<V>) -> (Vec3s<V>, V, V::Mask) {
        let (value, pdf) = self.eval_above(above(wo), Vec3s { z: wi.z.abs(), ..wi });
        (value, pdf, (wo.z * wi.z).gt(V::splat(wi.z.set(), 0.0)))
    }

    /// Samples a direction on the side of `wo`; the mask has the lanes with a density and a weight.
    #[inline(always)]
    fn sample(&self, wo: Vec3s<V>, u_lobe: V, u: [V; 2]) -> (Sample<V>, V::Mask) {
        let (mut sample, found) = self.sample_above(above(wo), u_lobe, u);
        let zero = V::splat(u_lobe.set(), 0.0);
        let checked = sample.weight.is_finite()
            & sample.weight.max_element().gt(zero)
            & sample.wi.is_finite()
            & sample.pdf.gt(zero)
            & is_finite(sample.pdf);
        sample.wi.z = copysign(sample.wi.z.abs(), wo.z);
        (sample, found & checked)
    }
}

/// Sampled directions, one per lane, as [`crate::bsdf::BsdfSample`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample<V> {
    pub wi: Vec3s<V>,
    pub weight: Vec3s<V>,
    pub pdf: V,
}

/// Returns `v` mirrored to the upper side and moved off the horizon, as opaque models of `crate::bsdf` take `wo`.
#[inline(always)]
pub(super) fn above<V: Vector<N>, const N: usize>(v: Vec3s<V>) -> Vec3s<V> {
    Vec3s { z: v.z.abs().max(V::splat(v.z.set(), 1e-6)), ..v }
}

/// Returns the half vector between two directions above the surface.
#[inline(always)]
pub(super) fn half_vector<V: Vector<N>, const N: usize>(wo: Vec3s<V>, wi: Vec3s<V>) -> Vec3s<V> {
    let set = wo.x.set();
    let (zero, one) = (V::splat(set, 0.0), V::splat(set, 1.0));
    let (h, has_length) = (wo + wi).try_normalize();
    Vec3s::select(has_length, h, Vec3s { x: zero, y: zero, z: one })
}

/// Lambert reflection, one surface per lane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Diffuse<V> {
    pub reflectance: Vec3s<V>,
}

impl<V: Vector<N>, const N: usize> Model<V, N> for Diffuse<V> {
    const CHOOSES: bool = false;

    #[inline(always)]
    fn eval_above(&self, _: Vec3s<V>, wi: Vec3s<V>) -> (Vec3s<V>, V) {
        let pdf = cosine_hemisphere_pdf(wi.z);
        (self.reflectance * pdf, pdf)
    }

    #[inline(always)]
    fn sample_above(&self, _: Vec3s<V>, u_lobe: V, u: [V; 2]) -> (Sample<V>, V::Mask) {
        let wi = cosine_hemisphere(u);
        let sample = Sample { wi, weight: self.reflectance, pdf: cosine_hemisphere_pdf(wi.z) };
        (sample, u_lobe.eq(u_lobe))
    }

    #[inline(always)]
    fn albedo(&self) -> Vec3s<V> {
        self.reflectance
    }
}
