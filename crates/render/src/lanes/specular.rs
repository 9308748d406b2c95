//! Surfaces that scatter into single directions: mirrors, smooth metal and smooth glass ([`crate::bsdf`]'s `Mirror`,
//! `Conductor` and `Dielectric`), a surface a lane.

use super::metal::fresnel;
use super::model::{Model, Sample, above};
use super::vec3::{Vec3s, copysign};
use raywarp_lanes::{Mask, Vector, Words};

/// Kinds of specular surfaces, stored as a word of their parameters.
pub(super) mod kind {
    /// Glass with an inside and an outside.
    pub const GLASS: u32 = 0;
    /// Sheet of glass without thickness.
    pub const SHEET: u32 = 1;
    /// Mirror without a Fresnel term.
    pub const MIRROR: u32 = 2;
    /// Smooth metal with a Fresnel term.
    pub const METAL: u32 = 3;
}

/// Delta lobes of specular surfaces, prepared for one `wo` per lane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Specular<V, M> {
    /// Tint of reflections; for metal, eta.
    first: Vec3s<V>,
    /// Tint of transmission; for metal, k.
    second: Vec3s<V>,
    /// Refractive index inside over that outside.
    ior: V,
    is_sheet: M,
    is_mirror: M,
    is_metal: M,
    /// Cosine of `wo` to the normal, moved above the surface.
    wo_z: V,
}

impl<V: Copy> Specular<V, ()> {
    /// Decodes the parameters of smooth glass, mirrors and metals from `words`; a `wo` below the surface is mirrored
    /// above it.
    #[inline(always)]
    pub fn of<const N: usize>(words: &[V::Words; 12], wo: Vec3s<V>) -> Specular<V, V::Mask>
    where
        V: Vector<N>,
    {
        let set = wo.x.set();
        Specular {
            first: Vec3s::of_words(&words[0..3]),
            second: Vec3s::of_words(&words[3..6]),
            ior: V::from_bits(words[6]),
            is_sheet: words[7].eq(V::Words::splat(set, kind::SHEET)),
            is_mirror: words[7].eq(V::Words::splat(set, kind::MIRROR)),
            is_metal: words[7].eq(V::Words::splat(set, kind::METAL)),
            wo_z: above(wo).z,
        }
    }
}

impl<V, M> Specular<V, M> {
    /// Returns the fractions of light that glass reflects, and the cosines of the refracted directions; `eta` is the
    /// refractive index beyond over that before.
    #[inline(always)]
    fn reflected<const N: usize>(&self, cos: V, eta: V) -> (V, V)
    where
        V: Vector<N, Mask = M>,
        M: Mask<N, Set = V::Set>,
    {
        let set = cos.set();
        let (zero, half) = (V::splat(set, 0.0), V::splat(set, 0.5));
        let (one, two) = (V::splat(set, 1.0), V::splat(set, 2.0));
        let sin2_t = (one - cos * cos).max(zero) / (eta * eta);
        let is_total = sin2_t.ge(one);
        let cos_t = (one - sin2_t).sqrt();
        let parallel = (eta * cos - cos_t) / (eta * cos + cos_t);
        let perpendicular = (cos - eta * cos_t) / (cos + eta * cos_t);
        let r = half * (parallel * parallel + perpendicular * perpendicular);
        let (r, cos_t) = (V::select(is_total, one, r), V::select(is_total, zero, cos_t));
        // The two sides of a sheet, all reflections between them summed.
        (V::select(self.is_sheet, two * r / (one + r), r), cos_t)
    }

    /// Samples reflection or refraction at glass: returns directions, weights, and the lanes that have one.
    #[inline(always)]
    fn glass<const N: usize>(&self, wo: Vec3s<V>, u_lobe: V) -> (Vec3s<V>, Vec3s<V>, M)
    where
        V: Vector<N, Mask = M>,
        M: Mask<N, Set = V::Set>,
    {
        let set = u_lobe.set();
        let (zero, one, two) = (V::splat(set, 0.0), V::splat(set, 1.0), V::splat(set, 2.0));
        let eta = V::select(wo.z.ge(zero) | self.is_sheet, self.ior, one / self.ior);
        let up = above(wo);
        let cos = up.z;
        let (reflected, cos_t) = self.reflected(cos, eta);
        let is_reflected = u_lobe.lt(reflected);
        // Products with the normal's zeros are kept: they decide the sign of a zero.
        let along = two * cos;
        let mirrored = Vec3s { x: along * zero - up.x, y: along * zero - up.y, z: along - up.z };
        let straight = Vec3s { z: -mirrored.z, ..mirrored };
        let along = cos / eta - cos_t;
        let bent = Vec3s { x: along * zero - up.x / eta, y: along * zero - up.y / eta, z: along - up.z / eta };
        let through = Vec3s::select(self.is_sheet, straight, bent);
        let wi = Vec3s::select(is_reflected, mirrored, through);
        let squeezed = Vec3s::select(self.is_sheet, self.second, self.second * (one / (eta * eta)));
        let tint = Vec3s::select(is_reflected, self.first, squeezed);
        let found = !(wi.z.gt(zero) ^ is_reflected);
        let (unit, has_length) = wi.try_normalize();
        let wi = Vec3s::select(has_length, unit, Vec3s { x: zero, y: zero, z: zero });
        (Vec3s { z: V::select(wo.z.lt(zero), -wi.z, wi.z), ..wi }, tint, found)
    }
}

impl<V: Vector<N>, const N: usize> Model<V, N> for Specular<V, V::Mask> {
    const CHOOSES: bool = true;
    const IS_SPECULAR: bool = true;

    #[inline(always)]
    fn eval_above(&self, wo: Vec3s<V>, _: Vec3s<V>) -> (Vec3s<V>, V) {
        let zero = V::splat(wo.x.set(), 0.0);
        (Vec3s { x: zero, y: zero, z: zero }, zero)
    }

    #[inline(always)]
    fn sample_above(&self, wo: Vec3s<V>, u_lobe: V, _: [V; 2]) -> (Sample<V>, V::Mask) {
        let set = u_lobe.set();
        let zero = V::splat(set, 0.0);
        let reflects = self.is_mirror | self.is_metal;
        let height = V::select(self.is_mirror, wo.z, copysign(self.wo_z, wo.z));
        let mut wi = Vec3s { x: -wo.x, y: -wo.y, z: height };
        let (mut weight, mut found) = (self.first, reflects);
        if self.is_metal.any() {
            weight = Vec3s::select(self.is_metal, fresnel(self.wo_z, self.first, self.second), weight);
        }
        if !reflects.all() {
            let (direction, tint, sent) = self.glass(wo, u_lobe);
            wi = Vec3s::select(reflects, wi, direction);
            weight = Vec3s::select(reflects, weight, tint);
            found = found | sent;
        }
        (Sample { wi, weight, pdf: zero }, found)
    }

    /// Samples the direction of a delta lobe, for `wo` above or below; densities are zero.
    #[inline(always)]
    fn sample(&self, wo: Vec3s<V>, u_lobe: V, u: [V; 2]) -> (Sample<V>, V::Mask) {
        let (sample, found) = self.sample_above(wo, u_lobe, u);
        let zero = V::splat(u_lobe.set(), 0.0);
        let checked = sample.weight.is_finite() & sample.weight.max_element().gt(zero) & sample.wi.is_finite();
        (sample, found & checked)
    }

    #[inline(always)]
    fn albedo(&self) -> Vec3s<V> {
        let one = V::splat(self.ior.set(), 1.0);
        let (reflected, _) = self.reflected(self.wo_z, self.ior);
        let glass = self.first * reflected + self.second * (one - reflected);
        let metal = fresnel(self.wo_z, self.first, self.second);
        Vec3s::select(self.is_mirror, self.first, Vec3s::select(self.is_metal, metal, glass))
    }
}
