//! Albedos of facets with Schlick's Fresnel term: `crate::bsdf::albedo_table`, a surface a lane.

use super::losses::locate;
use super::tables::{Albedos, Tables};
use super::vec3::Vec3s;
use raywarp_lanes::{Mask, Vector, Words};

/// Row of an albedo table at one alpha per lane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'t, V, W> {
    albedos: &'t Albedos,
    /// Row below the alpha in the table; `t` is the fraction of the way to the next.
    row: W,
    t: V,
    /// Scale and bias of the albedo averaged over the hemisphere.
    pub mean: [V; 2],
}

/// Returns the node of an albedo table below `x` on either axis, and the fraction of the way to the next.
#[inline(always)]
fn locate_root<V: Vector<N>, const N: usize>(x: V) -> (V::Words, V) {
    let set = x.set();
    let x = x.max(V::splat(set, 0.0)).min(V::splat(set, 1.0));
    locate(x.sqrt(), Tables::ALBEDO_NODES)
}

/// Interpolates linearly in each lane, with the bits of `glam`'s `lerp`.
#[inline(always)]
pub(super) fn lerp<V: Vector<N>, const N: usize>(a: V, b: V, t: V) -> V {
    a * (V::splat(t.set(), 1.0) - t) + b * t
}

/// Returns the albedo of a lobe in each lane: `f0 * scale + f90 * bias`, as in [`crate::bsdf`].
#[inline(always)]
pub(super) fn albedo<V: Vector<N>, const N: usize>(f0: Vec3s<V>, f90: V, [scale, bias]: [V; 2]) -> Vec3s<V> {
    let set = f90.set();
    let (zero, one, rest) = (V::splat(set, 0.0), V::splat(set, 1.0), f90 * bias);
    Vec3s {
        x: (f0.x * scale + rest).max(zero).min(one),
        y: (f0.y * scale + rest).max(zero).min(one),
        z: (f0.z * scale + rest).max(zero).min(one),
    }
}

/// Returns Schlick's Fresnel term in each lane, as in [`crate::bsdf::fresnel`].
#[inline(always)]
pub(super) fn schlick<V: Vector<N>, const N: usize>(f0: Vec3s<V>, f90: V, cos: V) -> Vec3s<V> {
    let set = cos.set();
    let (zero, one) = (V::splat(set, 0.0), V::splat(set, 1.0));
    let m = (one - cos).max(zero).min(one);
    let m2 = m * m;
    let f90 = Vec3s { x: f90, y: f90, z: f90 };
    f0 + (f90 - f0) * (m2 * m2 * m)
}

impl<'t, V> Row<'t, V, ()> {
    /// Returns the albedo table's rows at `alpha`, 0 to 1.
    #[inline(always)]
    pub fn new<const N: usize>(albedos: &'t Albedos, alpha: V) -> Row<'t, V, V::Words>
    where
        V: Vector<N>,
    {
        let (row, t) = locate_root(alpha);
        let [scale, bias, next_scale, next_bias] = row.gather_records(&albedos.means, V::Mask::first(alpha.set(), N));
        let mean = [
            lerp(V::from_bits(scale), V::from_bits(next_scale), t),
            lerp(V::from_bits(bias), V::from_bits(next_bias), t),
        ];
        Row { albedos, row, t, mean }
    }
}

impl<V, W> Row<'_, V, W> {
    /// Returns scale and bias of the albedo in directions with these cosines.
    #[inline(always)]
    pub fn at<const N: usize>(&self, cos: V) -> [V; 2]
    where
        V: Vector<N, Words = W>,
        W: Words<N, Set = V::Set, Mask = V::Mask>,
    {
        let set = cos.set();
        let all = V::Mask::first(set, N);
        let (node, t) = locate_root(cos);
        let cells = W::splat(set, Tables::ALBEDO_NODES - 1);
        let at = self.row * cells + node;
        let [scale, bias, next_scale, next_bias] = at.gather_records(&self.albedos.nodes, all);
        let low_scale = lerp(V::from_bits(scale), V::from_bits(next_scale), t);
        let low_bias = lerp(V::from_bits(bias), V::from_bits(next_bias), t);
        let [scale, bias, next_scale, next_bias] = (at + cells).gather_records(&self.albedos.nodes, all);
        let high_scale = lerp(V::from_bits(scale), V::from_bits(next_scale), t);
        let high_bias = lerp(V::from_bits(bias), V::from_bits(next_bias), t);
        [lerp(low_scale, high_scale, self.t), lerp(low_bias, high_bias, self.t)]
    }
}
