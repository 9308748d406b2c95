//! A Lambert base under GGX facets with Schlick's Fresnel term: [`crate::bsdf::Principled`] of a dielectric, without a clear
//! coat and with one alpha, a surface a lane.

use super::facets::{Facets, albedo};
use super::ggx::Ggx;
use super::model::{Model, Sample};
use super::tables::Tables;
use super::vec3::Vec3s;
use super::warp::cosine_hemisphere;
use crate::bsdf::Scattering;
use raywarp_lanes::{Mask, Vector};
use std::f32::consts::FRAC_1_PI;

/// The parameters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parameters<V> {
    pub base: Vec3s<V>,
    pub f0: Vec3s<V>,
    pub f90: V,
    pub alpha: V,
}

/// With what sampling and evaluation share for one `wo`: `crate::bsdf::principled`'s lobes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coated<'t, V, W, M> {
    facets: Facets<'t, V, W>,
    ggx: Ggx<V>,
    f0: Vec3s<V>,
    f90: V,
    /// What the base reflects, times what is left for it of the light from `wo`, over its mean.
    diffuse: Vec3s<V>,
    p_specular: V,
    p_diffuse: V,
    albedo: Vec3s<V>,
    /// Where anything scatters.
    scatters: M,
}

impl<'t, V: Copy> Coated<'t, V, (), ()> {
    /// Of surfaces seen from `wo`, above or below.
    #[inline(always)]
    pub fn of<const N: usize>(
        tables: &'t Tables,
        scattering: Scattering,
        parameters: &Parameters<V>,
        wo: Vec3s<V>,
    ) -> Coated<'t, V, V::Words, V::Mask>
    where
        V: Vector<N>,
    {
        let Parameters { base, f0, f90, alpha } = *parameters;
        let set = f90.set();
        let (zero, one) = (V::splat(set, 0.0), V::splat(set, 1.0));
        let wo_z = wo.z.abs().max(V::splat(set, 1e-6));
        let alpha = alpha.max(V::splat(set, 1e-3)).min(one);
        let facets = Facets::new(tables, alpha, scattering);
        let (at, mean) = (facets.at(wo_z), facets.mean);
        let specular = albedo(f0, f90, at);
        let ones = Vec3s { x: one, y: one, z: one };
        let least = V::splat(set, 1e-6);
        let left_mean = ones - albedo(f0, f90, mean);
        let left_mean = Vec3s { x: left_mean.x.max(least), y: left_mean.y.max(least), z: left_mean.z.max(least) };
        let scattered = base * (ones - specular);
        let diffuse =
            Vec3s { x: scattered.x / left_mean.x, y: scattered.y / left_mean.y, z: scattered.z / left_mean.z };
        let p_specular = specular.x + specular.y + specular.z;
        let p_diffuse = scattered.x + scattered.y + scattered.z;
        let total = p_specular + p_diffuse;
        let sum = specular + scattered;
        let albedo = match scattering {
            Scattering::Single => sum,
            Scattering::Multiple => Vec3s { x: sum.x.min(one), y: sum.y.min(one), z: sum.z.min(one) },
        };
        let scatters = total.gt(zero);
        let scale = one / total;
        let nothing = Vec3s { x: zero, y: zero, z: zero };
        Coated {
            facets,
            ggx: Ggx { alpha },
            f0,
            f90,
            diffuse,
            p_specular: p_specular * scale,
            p_diffuse: p_diffuse * scale,
            albedo: Vec3s::select(scatters, albedo, nothing),
            scatters,
        }
    }
}

impl<V: Vector<N>, const N: usize> Model<V, N> for Coated<'_, V, V::Words, V::Mask> {
    const CHOOSES: bool = true;

    #[inline(always)]
    fn eval_above(&self, wo: Vec3s<V>, wi: Vec3s<V>) -> (Vec3s<V>, V) {
        let set = wo.x.set();
        let (zero, one) = (V::splat(set, 0.0), V::splat(set, 1.0));
        let (h, has_length) = (wo + wi).try_normalize();
        let h = Vec3s::select(has_length, h, Vec3s { x: zero, y: zero, z: one });
        let specular_pdf = self.ggx.reflection_pdf(wo, h);
        let at = self.facets.at(wi.z);
        let cosine = wi.z * V::splat(set, FRAC_1_PI);
        let m = (one - wo.dot(h)).max(zero).min(one);
        let m2 = m * m;
        let weight = m2 * m2 * m;
        let f90 = Vec3s { x: self.f90, y: self.f90, z: self.f90 };
        let schlick = self.f0 + (f90 - self.f0) * weight;
        let value = schlick * (specular_pdf * self.ggx.g1(wi));
        let left = Vec3s { x: one, y: one, z: one } - albedo(self.f0, self.f90, at);
        let value = value + self.diffuse * left * cosine;
        let pdf = self.p_specular * specular_pdf + self.p_diffuse * cosine;
        let nothing = Vec3s { x: zero, y: zero, z: zero };
        (Vec3s::select(self.scatters, value, nothing), V::select(self.scatters, pdf, zero))
    }

    #[inline(always)]
    fn sample_above(&self, wo: Vec3s<V>, u_lobe: V, u: [V; 2]) -> (Sample<V>, V::Mask) {
        let set = wo.x.set();
        let is_diffuse = u_lobe.lt(self.p_diffuse);
        let mut wi = cosine_hemisphere(u);
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
