//! A Lambert base under Blinn's facets: [`crate::bsdf::Blinn`], a surface a lane.

use super::albedos::{Row, albedo, schlick};
use super::exponential::{exp, exp_m1, ln_1p};
use super::model::{Model, Sample, half_vector};
use super::tables::Tables;
use super::vec3::Vec3s;
use super::warp::{cosine_hemisphere, sin_cos_turn};
use raywarp_lanes::{Mask, Vector};
use std::f32::consts::{FRAC_1_PI, TAU};

/// Parameters of [`crate::bsdf::Blinn`] for one surface per lane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parameters<V> {
    pub diffuse: Vec3s<V>,
    pub specular: Vec3s<V>,
    /// Blinn exponent n, 0 to 1e6.
    pub exponent: V,
}

/// Blinn's model prepared for one `wo` per lane, as the lobes of `crate::bsdf::blinn`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blinn<'t, V, W, M> {
    row: Row<'t, V, W>,
    n: V,
    f0: Vec3s<V>,
    f90: V,
    /// Albedo of the base, and the fractions of light that the facets leave it: from `wo`, and on average.
    base: Vec3s<V>,
    left: Vec3s<V>,
    left_mean: Vec3s<V>,
    /// Probability of choosing the facets' lobe.
    p_specular: V,
    albedo: Vec3s<V>,
    /// Lanes whose surface scatters at all.
    scatters: M,
}

impl<'t, V: Copy> Blinn<'t, V, (), ()> {
    /// Prepares the lobes of surfaces seen from `wo`, above or below.
    #[inline(always)]
    pub fn of<const N: usize>(
        tables: &'t Tables,
        parameters: &Parameters<V>,
        wo: Vec3s<V>,
    ) -> Blinn<'t, V, V::Words, V::Mask>
    where
        V: Vector<N>,
    {
        let Parameters { diffuse: base, specular: f0, exponent: n } = *parameters;
        let set = n.set();
        let (zero, one) = (V::splat(set, 0.0), V::splat(set, 1.0));
        let (ones, nothing) = (Vec3s { x: one, y: one, z: one }, Vec3s { x: zero, y: zero, z: zero });
        let wo_z = wo.z.abs().max(V::splat(set, 1e-6));
        let alpha = (V::splat(set, 2.0) / (n + V::splat(set, 2.0))).sqrt();
        let row = Row::new(&tables.blinn, alpha);
        let f90 = (V::splat(set, 50.0) * f0.max_element()).max(zero).min(one);
        let facets = albedo(f0, f90, row.at(wo_z));
        let left = ones - facets;
        let left_mean = ones - albedo(f0, f90, row.mean);
        // The product vanishes faster than the divisor where the lobe takes all.
        let least = V::splat(set, 1e-6);
        let left_mean = Vec3s { x: left_mean.x.max(least), y: left_mean.y.max(least), z: left_mean.z.max(least) };
        let diffuse = base * left;
        let specular = facets.x + facets.y + facets.z;
        let total = specular + (diffuse.x + diffuse.y + diffuse.z);
        let scatters = total.gt(zero);
        Blinn {
            row,
            n,
            f0,
            f90,
            base,
            left,
            left_mean,
            p_specular: specular / total,
            albedo: Vec3s::select(scatters, facets + diffuse, nothing),
            scatters,
        }
    }
}

impl<V, W, M> Blinn<'_, V, W, M> {
    /// Returns the distribution D of microfacet normals at `h`.
    #[inline(always)]
    fn d<const N: usize>(&self, h: Vec3s<V>) -> V
    where
        V: Vector<N>,
    {
        let n = self.n;
        let set = n.set();
        let (one, half, two) = (V::splat(set, 1.0), V::splat(set, 0.5), V::splat(set, 2.0));
        let sin2 = (h.x * h.x + h.y * h.y).min(one);
        let power = V::select(n.eq(V::splat(set, 0.0)), one, exp(half * n * ln_1p(-sin2)));
        (n + two) / V::splat(set, TAU) * power
    }

    /// Samples a microfacet normal with density D times its cosine.
    #[inline(always)]
    fn sample_normal<const N: usize>(&self, u: [V; 2]) -> Vec3s<V>
    where
        V: Vector<N>,
    {
        let set = self.n.set();
        let (zero, one, two) = (V::splat(set, 0.0), V::splat(set, 1.0), V::splat(set, 2.0));
        let sin2 = -exp_m1(two / (self.n + two) * ln_1p(-u[0]));
        let (sin, cos) = sin_cos_turn(u[1]);
        let r = sin2.sqrt();
        Vec3s { x: r * cos, y: r * sin, z: (one - sin2).max(zero).sqrt() }
    }
}

/// Returns the fraction visible from `w` of a facet with normal `h` and its mirror image about z (masking function G1).
#[inline(always)]
fn g1<V: Vector<N>, const N: usize>(w: Vec3s<V>, h: Vec3s<V>) -> V {
    let set = w.z.set();
    let (zero, one, two) = (V::splat(set, 0.0), V::splat(set, 1.0), V::splat(set, 2.0));
    let cos = w.dot(h);
    V::select(cos.gt(zero), (two * h.z * w.z / cos).min(one), zero)
}

impl<V: Vector<N>, const N: usize> Model<V, N> for Blinn<'_, V, V::Words, V::Mask> {
    const CHOOSES: bool = true;

    #[inline(always)]
    fn eval_above(&self, wo: Vec3s<V>, wi: Vec3s<V>) -> (Vec3s<V>, V) {
        let set = wo.x.set();
        let (zero, one) = (V::splat(set, 0.0), V::splat(set, 1.0));
        let h = half_vector(wo, wi);
        let facets = self.d(h) / (V::splat(set, 4.0) * wo.z);
        let masking = g1(wo, h);
        let cosine = wi.z * V::splat(set, FRAC_1_PI);
        let left = Vec3s { x: one, y: one, z: one } - albedo(self.f0, self.f90, self.row.at(wi.z));
        let (both, mean) = (self.left * left, self.left_mean);
        let coupling = Vec3s { x: both.x / mean.x, y: both.y / mean.y, z: both.z / mean.z };
        let value =
            schlick(self.f0, self.f90, wo.dot(h)) * (facets * masking.min(g1(wi, h))) + self.base * coupling * cosine;
        let pdf = self.p_specular * facets * masking + (one - self.p_specular) * cosine;
        let nothing = Vec3s { x: zero, y: zero, z: zero };
        (Vec3s::select(self.scatters, value, nothing), V::select(self.scatters, pdf, zero))
    }

    #[inline(always)]
    fn sample_above(&self, wo: Vec3s<V>, u_lobe: V, u: [V; 2]) -> (Sample<V>, V::Mask) {
        let set = wo.x.set();
        let (zero, one) = (V::splat(set, 0.0), V::splat(set, 1.0));
        let is_specular = u_lobe.lt(self.p_specular);
        let mut wi = cosine_hemisphere(u);
        if is_specular.any() {
            let h = self.sample_normal(u);
            // Of the two facets of a cavity, how visible each is.
            let twin = Vec3s { x: -h.x, y: -h.y, z: h.z };
            let (a, b) = (wo.dot(h).max(zero), wo.dot(twin).max(zero));
            let sum = a + b;
            let first = V::select(sum.gt(zero), a / sum, one);
            let h = Vec3s::select(u_lobe.lt(self.p_specular * first), h, twin);
            let mirrored = h * (V::splat(set, 2.0) * wo.dot(h)) - wo;
            wi = Vec3s::select(is_specular, mirrored, wi);
        }
        let (value, pdf) = self.eval_above(wo, wi);
        let weight = value * (one / pdf);
        (Sample { wi, weight, pdf }, self.scatters & !wi.z.le(zero))
    }

    #[inline(always)]
    fn albedo(&self) -> Vec3s<V> {
        self.albedo
    }
}
