//! Rough metal of one alpha with the light of further bounces between its facets: [`crate::bsdf::Conductor`], a surface
//! a lane.

use super::ggx::Ggx;
use super::horizon::Horizon;
use super::losses::Losses;
use super::model::{Model, Sample, above, half_vector};
use super::tables::Tables;
use super::vec3::Vec3s;
use crate::bsdf::ggx::MIN_ALPHA;
use raywarp_lanes::{Mask, Vector};
use std::f32::consts::FRAC_1_PI;

/// Parameters of [`crate::bsdf::Conductor`] for one surface per lane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parameters<V> {
    pub eta: Vec3s<V>,
    pub k: Vec3s<V>,
    pub alpha: V,
    /// Fresnel reflectance averaged over the hemisphere; not black, since black metal has no further bounces.
    pub fresnel_mean: Vec3s<V>,
}

/// Metal prepared for one `wo` per lane, as the further bounces of `crate::bsdf::conductor`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Metal<'t, V, W> {
    eta: Vec3s<V>,
    k: Vec3s<V>,
    ggx: Ggx<V>,
    losses: Losses<'t, V, W>,
    horizon: Horizon<V>,
    wo_z: V,
    /// Fraction of the light from `wo` that the facets lose (`lost`), and what part of it further bounces return
    /// (`further`).
    lost: V,
    further: Vec3s<V>,
    /// Value of the lobe of further bounces without its dependence on `wi`: the returned part of `lost`, over the mean
    /// loss.
    factor: Vec3s<V>,
    /// Probability of choosing the lobe of further bounces.
    p: V,
}

impl<'t, V: Copy> Metal<'t, V, ()> {
    /// Prepares the lobes of surfaces seen from `wo`, above or below.
    #[inline(always)]
    pub fn of<const N: usize>(tables: &'t Tables, parameters: &Parameters<V>, wo: Vec3s<V>) -> Metal<'t, V, V::Words>
    where
        V: Vector<N>,
    {
        let Parameters { eta, k, alpha, fresnel_mean: f } = *parameters;
        let set = alpha.set();
        let (least, one) = (V::splat(set, MIN_ALPHA), V::splat(set, 1.0));
        let alpha = alpha.max(least).min(one);
        let wo = above(wo);
        let losses = Losses::new(tables, alpha);
        let (lost, mean) = (losses.at(wo.z), losses.mean);
        let ones = Vec3s { x: one, y: one, z: one };
        let (some, rest) = (f * f * (one - mean), ones - f * mean);
        let reflectance = Vec3s { x: some.x / rest.x, y: some.y / rest.y, z: some.z / rest.z };
        let further = lost * (reflectance.x + reflectance.y + reflectance.z);
        let first = (one - lost) * (f.x + f.y + f.z);
        Metal {
            eta,
            k,
            ggx: Ggx { alpha },
            losses,
            horizon: Horizon::new(alpha),
            wo_z: wo.z,
            lost,
            further: reflectance,
            factor: reflectance * (lost / mean),
            p: further / (further + first),
        }
    }
}

impl<V, W> Metal<'_, V, W> {
    /// Returns value and density of both lobes, first and further bounces, for the half vector `h`.
    #[inline(always)]
    fn both<const N: usize>(&self, wo: Vec3s<V>, wi: Vec3s<V>, h: Vec3s<V>) -> (Vec3s<V>, V)
    where
        V: Vector<N, Words = W>,
        W: raywarp_lanes::Words<N, Set = V::Set, Mask = V::Mask>,
    {
        let set = wi.z.set();
        let pdf = self.ggx.reflection_pdf(wo, h);
        let first = fresnel(wo.dot(h), self.eta, self.k) * (pdf * self.ggx.g1(wi));
        let further = self.factor * (self.losses.at(wi.z) * (wi.z * V::splat(set, FRAC_1_PI)));
        let density = (V::splat(set, 1.0) - self.p) * pdf + self.p * self.horizon.pdf(wi.z);
        (first + further, density)
    }
}

impl<V: Vector<N>, const N: usize> Model<V, N> for Metal<'_, V, V::Words> {
    const CHOOSES: bool = true;

    #[inline(always)]
    fn eval_above(&self, wo: Vec3s<V>, wi: Vec3s<V>) -> (Vec3s<V>, V) {
        self.both(wo, wi, half_vector(wo, wi))
    }

    #[inline(always)]
    fn sample_above(&self, wo: Vec3s<V>, u_lobe: V, u: [V; 2]) -> (Sample<V>, V::Mask) {
        let set = wo.x.set();
        let mut h = self.ggx.sample_visible(wo, u);
        let mut wi = h * (V::splat(set, 2.0) * wo.dot(h)) - wo;
        let is_further = u_lobe.lt(self.p);
        if is_further.any() {
            let around = self.horizon.sample(u_lobe / self.p, u);
            h = Vec3s::select(is_further, half_vector(wo, around), h);
            wi = Vec3s::select(is_further, around, wi);
        }
        let (value, pdf) = self.both(wo, wi, h);
        let weight = value * (V::splat(set, 1.0) / pdf);
        (Sample { wi, weight, pdf }, !wi.z.le(V::splat(set, 0.0)))
    }

    #[inline(always)]
    fn albedo(&self) -> Vec3s<V> {
        let one = V::splat(self.lost.set(), 1.0);
        fresnel(self.wo_z, self.eta, self.k) * (one - self.lost) + self.further * self.lost
    }
}

/// Returns the exact Fresnel reflectance of metals per channel, as [`crate::bsdf::fresnel`] does.
#[inline(always)]
pub(super) fn fresnel<V: Vector<N>, const N: usize>(cos: V, eta: Vec3s<V>, k: Vec3s<V>) -> Vec3s<V> {
    let set = cos.set();
    let cos = cos.max(V::splat(set, 0.0)).min(V::splat(set, 1.0));
    Vec3s { x: channel(cos, eta.x, k.x), y: channel(cos, eta.y, k.y), z: channel(cos, eta.z, k.z) }
}

#[inline(always)]
fn channel<V: Vector<N>, const N: usize>(cos: V, eta: V, k: V) -> V {
    let set = cos.set();
    let (zero, half, one, two) = (V::splat(set, 0.0), V::splat(set, 0.5), V::splat(set, 1.0), V::splat(set, 2.0));
    let cos2 = cos * cos;
    let sin2 = one - cos2;
    let (eta2, k2) = (eta * eta, k * k);
    let t0 = eta2 - k2 - sin2;
    let a2_b2 = (t0 * t0 + V::splat(set, 4.0) * eta2 * k2).sqrt();
    let a = (half * (a2_b2 + t0)).max(zero).sqrt();
    let (t1, t2) = (a2_b2 + cos2, two * cos * a);
    let perpendicular = (t1 - t2) / (t1 + t2);
    let (t3, t4) = (cos2 * a2_b2 + sin2 * sin2, t2 * sin2);
    let parallel = perpendicular * (t3 - t4) / (t3 + t4);
    let reflectance = half * (perpendicular + parallel);
    // Not a number where nothing differs across the boundary, at grazing incidence.
    V::select(reflectance.eq(reflectance), reflectance.max(zero).min(one), one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bsdf::fresnel::conductor;
    use glam::Vec3;
    use raywarp_lanes::{InstructionSet, Isa, Task};

    /// Test task that computes metals' reflectances at a cosine in vectors of eight lanes.
    struct Fresnel(f32, Vec3, Vec3);

    impl Task for Fresnel {
        type Output = [f32; 3];

        #[inline(always)]
        fn run<S: InstructionSet>(self, set: S) -> [f32; 3] {
            let Self(cos, eta, k) = self;
            let eta = Vec3s { x: S::F8::splat(set, eta.x), y: S::F8::splat(set, eta.y), z: S::F8::splat(set, eta.z) };
            let k = Vec3s { x: S::F8::splat(set, k.x), y: S::F8::splat(set, k.y), z: S::F8::splat(set, k.z) };
            let Vec3s { x, y, z } = fresnel(S::F8::splat(set, cos), eta, k);
            [x.store()[0], y.store()[0], z.store()[0]]
        }
    }

    #[test]
    fn reflectances_that_divide_nothing_by_nothing_are_those_of_one_path() {
        let (eta, k) = (Vec3::new(1.0, 0.0, 1.3), Vec3::new(0.0, 0.0, 2.0));
        // Index-matched at the horizon, and without any index at the normal.
        for cos in [0.0, 1.0, 0.5, -1.0, 2.0] {
            let expected = conductor(cos, eta, k).to_array().map(f32::to_bits);
            for isa in Isa::all() {
                assert_eq!(isa.run(Fresnel(cos, eta, k)).map(f32::to_bits), expected, "{isa}, {cos}");
            }
        }
    }
}
