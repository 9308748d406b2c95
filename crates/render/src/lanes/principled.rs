//! Metal and dielectric mixed, GGX facets with Schlick's Fresnel term over a Lambert base: [`crate::bsdf::Principled`]
//! without a clear coat and with one alpha, a surface a lane.

use super::albedos::{albedo, lerp, schlick};
use super::facets::{Facets, Returned};
use super::ggx::Ggx;
use super::horizon::Horizon;
use super::model::{Model, Sample, half_vector};
use super::tables::Tables;
use super::vec3::Vec3s;
use crate::bsdf::Scattering;
use crate::bsdf::coat::MIN_LAYER_ALPHA;
use crate::bsdf::principled::LEAST_MEAN;
use raywarp_lanes::{Mask, Vector};
use std::f32::consts::FRAC_1_PI;

/// Parameters of [`crate::bsdf::Principled`] for one surface per lane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parameters<V> {
    pub base: Vec3s<V>,
    pub f0: Vec3s<V>,
    pub f90: V,
    pub alpha: V,
    pub metallic: V,
}

/// Principled model prepared for one `wo` per lane, as the lobes of `crate::bsdf::principled`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Principled<'t, V, W, M> {
    facets: Facets<'t, V, W>,
    ggx: Ggx<V>,
    /// Fresnel term of the dielectric part.
    dielectric: Fresnel<V>,
    /// Fresnel term of metal and dielectric mixed.
    mixed: Fresnel<V>,
    /// Reflectances of the diffuse base (`diffuse`) and of the metal's further bounces, times the light left to them
    /// from `wo`, over its mean.
    diffuse: Vec3s<V>,
    bounces: Vec3s<V>,
    horizon: Horizon<V>,
    p_specular: V,
    p_diffuse: V,
    albedo: Vec3s<V>,
    /// Lanes with a metal part (`has_metal`), and lanes whose surface scatters at all.
    has_metal: M,
    scatters: M,
}

/// Parameters of Schlick's Fresnel term: f0 and f90.
#[derive(Debug, Clone, Copy)]
struct Fresnel<V> {
    f0: Vec3s<V>,
    f90: V,
}

/// Further bounces between the facets of the metal part.
struct Bounces<V> {
    /// Reflectance of the lobe, times the light left to it from `wo`, over its mean.
    factor: Vec3s<V>,
    /// Fraction of the light from `wo` that they scatter (`scattered`), and the fraction of the facets' first loss that
    /// returns (`returned`).
    scattered: Vec3s<V>,
    returned: V,
}

impl<'t, V: Copy> Principled<'t, V, (), ()> {
    /// Prepares the lobes of surfaces seen from `wo`, above or below.
    #[inline(always)]
    pub fn of<const N: usize>(
        tables: &'t Tables,
        scattering: Scattering,
        parameters: &Parameters<V>,
        wo: Vec3s<V>,
    ) -> Principled<'t, V, V::Words, V::Mask>
    where
        V: Vector<N>,
    {
        let Parameters { base, f0, f90, alpha, metallic } = *parameters;
        let set = f90.set();
        let (zero, one) = (V::splat(set, 0.0), V::splat(set, 1.0));
        let nothing = Vec3s { x: zero, y: zero, z: zero };
        let ones = Vec3s { x: one, y: one, z: one };
        let wo_z = wo.z.abs().max(V::splat(set, 1e-6));
        let alpha = alpha.max(V::splat(set, MIN_LAYER_ALPHA)).min(one);
        // The mean of two alphas, which rounding keeps a little off where they are one.
        let mean_alpha = (alpha * alpha).sqrt();
        let facets = Facets::new(tables, alpha, mean_alpha, scattering);
        let (at, mean) = (facets.at(wo_z), facets.mean());
        let left = ones - albedo(f0, f90, at.scale_bias);
        let least = V::splat(set, LEAST_MEAN);
        let left_mean = ones - albedo(f0, f90, mean.scale_bias);
        let left_mean = Vec3s { x: left_mean.x.max(least), y: left_mean.y.max(least), z: left_mean.z.max(least) };
        let has_metal = metallic.gt(zero);
        let dielectric = Fresnel { f0, f90 };
        let (mut mixed, mut diffuse) = (dielectric, base * left);
        let mut bounces = Bounces { factor: nothing, scattered: nothing, returned: zero };
        // Most surfaces have none.
        if has_metal.any() {
            let m = V::select(has_metal, metallic.min(one), zero);
            mixed.f0 = Vec3s { x: lerp(f0.x, base.x, m), y: lerp(f0.y, base.y, m), z: lerp(f0.z, base.z, m) };
            mixed.f90 = f90 + (one - f90) * m;
            diffuse = base * (one - m) * left;
            bounces = further_bounces(scattering, m, base, at, mean);
        }
        let specular = albedo(mixed.f0, mixed.f90, at.scale_bias);
        let scattered = diffuse + bounces.scattered;
        let diffuse = Vec3s { x: diffuse.x / left_mean.x, y: diffuse.y / left_mean.y, z: diffuse.z / left_mean.z };
        let p_specular = specular.x + specular.y + specular.z;
        let p_diffuse = scattered.x + scattered.y + scattered.z;
        let mut horizon = Horizon::none(set);
        if scattering == Scattering::Multiple && bounces.returned.gt(zero).any() {
            let scaled = Horizon::new(mean_alpha).scaled(bounces.returned / p_diffuse);
            horizon = Horizon::select(bounces.returned.gt(zero), scaled, horizon);
        }
        let total = p_specular + p_diffuse;
        let sum = specular + scattered;
        let albedo = match scattering {
            Scattering::Single => sum,
            Scattering::Multiple => Vec3s { x: sum.x.min(one), y: sum.y.min(one), z: sum.z.min(one) },
        };
        let scatters = total.gt(zero);
        let scale = one / total;
        Principled {
            facets,
            ggx: Ggx { alpha },
            dielectric,
            mixed,
            diffuse,
            bounces: bounces.factor,
            horizon,
            p_specular: p_specular * scale,
            p_diffuse: p_diffuse * scale,
            albedo: Vec3s::select(scatters, albedo, nothing),
            has_metal,
            scatters,
        }
    }
}

/// Returns the further bounces of surfaces whose metal fraction is `m`; zeros where that is 0.
#[inline(always)]
fn further_bounces<V: Vector<N>, const N: usize>(
    scattering: Scattering,
    m: V,
    base: Vec3s<V>,
    at: Returned<V>,
    mean: Returned<V>,
) -> Bounces<V> {
    let set = m.set();
    let one = V::splat(set, 1.0);
    let ones = Vec3s { x: one, y: one, z: one };
    // Schlick's mean over the hemisphere, then the sum over all further bounces.
    let fresnel = base + (ones - base) / V::splat(set, 21.0);
    let [scale, bias] = mean.scale_bias;
    let white = (scale + bias).min(one);
    let (some, rest) = (fresnel * m * fresnel * white, ones - fresnel * (one - white));
    let all = Vec3s { x: some.x / rest.x, y: some.y / rest.y, z: some.z / rest.z };
    // The exact means of the losses are never 0, those of the albedo table can be.
    let least = match scattering {
        Scattering::Single => LEAST_MEAN,
        Scattering::Multiple => 0.0,
    };
    let returned = all * at.lost;
    Bounces {
        factor: all * (at.lost / mean.lost.max(V::splat(set, least))),
        scattered: returned,
        returned: returned.x + returned.y + returned.z,
    }
}

impl<V: Vector<N>, const N: usize> Model<V, N> for Principled<'_, V, V::Words, V::Mask> {
    const CHOOSES: bool = true;

    #[inline(always)]
    fn eval_above(&self, wo: Vec3s<V>, wi: Vec3s<V>) -> (Vec3s<V>, V) {
        let set = wo.x.set();
        let (zero, one) = (V::splat(set, 0.0), V::splat(set, 1.0));
        let h = half_vector(wo, wi);
        let specular_pdf = self.ggx.reflection_pdf(wo, h);
        let at = self.facets.at(wi.z);
        let cosine = wi.z * V::splat(set, FRAC_1_PI);
        let Fresnel { f0, f90 } = self.mixed;
        let mut value = schlick(f0, f90, wo.dot(h)) * (specular_pdf * self.ggx.g1(wi));
        let Fresnel { f0, f90 } = self.dielectric;
        let left = Vec3s { x: one, y: one, z: one } - albedo(f0, f90, at.scale_bias);
        value = value + self.diffuse * left * cosine;
        if self.has_metal.any() {
            value = value + self.bounces * (at.lost * cosine);
        }
        let pdf = self.p_specular * specular_pdf + self.p_diffuse * self.horizon.pdf(wi.z);
        let nothing = Vec3s { x: zero, y: zero, z: zero };
        (Vec3s::select(self.scatters, value, nothing), V::select(self.scatters, pdf, zero))
    }

    #[inline(always)]
    fn sample_above(&self, wo: Vec3s<V>, u_lobe: V, u: [V; 2]) -> (Sample<V>, V::Mask) {
        let set = wo.x.set();
        let is_diffuse = u_lobe.lt(self.p_diffuse);
        let mut wi = self.horizon.sample(u_lobe / self.p_diffuse, u);
        if !is_diffuse.all() {
            let h = self.ggx.sample_visible(wo, u);
            let mirrored = h * (V::splat(set, 2.0) * wo.dot(h)) - wo;
            wi = Vec3s::select(is_diffuse, wi, mirrored);
        }
        let (value, pdf) = self.eval_above(wo, wi);
        let weight = value * (V::splat(set, 1.0) / pdf);
        (Sample { wi, weight, pdf }, self.scatters & !wi.z.le(V::splat(set, 0.0)))
    }

    #[inline(always)]
    fn albedo(&self) -> Vec3s<V> {
        self.albedo
    }
}
