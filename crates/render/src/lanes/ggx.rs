//! The GGX distribution of one alpha: `crate::bsdf::ggx`, a surface a lane.

use super::vec3::Vec3s;
use super::warp::sin_cos_turn;
use raywarp_lanes::Vector;
use std::f32::consts::PI;

/// GGX distributions of microfacet normals, one per lane; directions are above the surface.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ggx<V> {
    /// GGX alpha of the facets, 1e-3 to 1.
    pub alpha: V,
}

impl<V> Ggx<V> {
    #[inline(always)]
    fn d<const N: usize>(&self, h: Vec3s<V>) -> V
    where
        V: Vector<N>,
    {
        let area = self.alpha * self.alpha;
        let (x, y, z) = (h.x * self.alpha, h.y * self.alpha, h.z * area);
        let s = x * x + y * y + z * z;
        area * area * area / (V::splat(s.set(), PI) * s * s)
    }

    /// Returns the fraction of the facets facing `w` that are visible from it (Smith's masking function G1).
    #[inline(always)]
    pub fn g1<const N: usize>(&self, w: Vec3s<V>) -> V
    where
        V: Vector<N>,
    {
        let (x, y) = (w.x * self.alpha, w.y * self.alpha);
        let z = w.z.abs();
        V::splat(z.set(), 2.0) * z / (z + (z * z + x * x + y * y).sqrt())
    }

    /// Returns the solid-angle density of the `wi` that results from reflection at a visible normal `h`.
    #[inline(always)]
    pub fn reflection_pdf<const N: usize>(&self, wo: Vec3s<V>, h: Vec3s<V>) -> V
    where
        V: Vector<N>,
    {
        let (x, y) = (wo.x * self.alpha, wo.y * self.alpha);
        let half = V::splat(x.set(), 0.5);
        self.d(h) * (half / (wo.z + (wo.z * wo.z + x * x + y * y).sqrt()))
    }

    /// Samples a microfacet normal visible from `wo`.
    #[inline(always)]
    pub fn sample_visible<const N: usize>(&self, wo: Vec3s<V>, u: [V; 2]) -> Vec3s<V>
    where
        V: Vector<N>,
    {
        let set = wo.x.set();
        let (zero, one) = (V::splat(set, 0.0), V::splat(set, 1.0));
        let stretched = Vec3s { x: wo.x * self.alpha, y: wo.y * self.alpha, z: wo.z };
        let stretched = stretched * (one / stretched.length_squared().sqrt());
        let z = (one - u[0]) * (one + stretched.z) - stretched.z;
        let r = (one - z * z).max(zero).sqrt();
        let (sin, cos) = sin_cos_turn(u[1]);
        let h = Vec3s { x: r * cos, y: r * sin, z } + stretched;
        let (normal, has_length) = Vec3s { x: h.x * self.alpha, y: h.y * self.alpha, z: h.z.max(zero) }.try_normalize();
        Vec3s::select(has_length, normal, Vec3s { x: zero, y: zero, z: one })
    }
}
