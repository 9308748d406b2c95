//! What GGX facets of one alpha return: `crate::bsdf::facets` and its tables, a surface a lane.

use super::losses::Losses;
use super::tables::Tables;
use super::vec3::Vec3s;
use crate::bsdf::Scattering;
use raywarp_lanes::{Mask, Vector, Words};

/// Facets of one roughness.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facets<'t, V, W> {
    tables: &'t Tables,
    scattering: Scattering,
    /// The row of the albedos below, and how far beyond it.
    row: W,
    t: V,
    losses: Losses<'t, V, W>,
    /// What is returned to all directions.
    pub mean: [V; 2],
}

/// Node below a place of 0 to 1 on an axis of `nodes` nodes, and how far beyond it.
#[inline(always)]
pub(super) fn locate<V: Vector<N>, const N: usize>(x: V, nodes: u32) -> (V::Words, V) {
    let set = x.set();
    let x = x.max(V::splat(set, 0.0)).min(V::splat(set, 1.0));
    let s = x * V::splat(set, (nodes - 1) as f32);
    let node = s.to_u32().min(V::Words::splat(set, nodes - 2));
    (node, s - V::from_u32(node))
}

/// Node of the albedos on either axis.
#[inline(always)]
fn locate_root<V: Vector<N>, const N: usize>(x: V) -> (V::Words, V) {
    let set = x.set();
    let x = x.max(V::splat(set, 0.0)).min(V::splat(set, 1.0));
    locate(x.sqrt(), Tables::ALBEDO_NODES)
}

/// `glam`'s `lerp`.
#[inline(always)]
fn lerp<V: Vector<N>, const N: usize>(a: V, b: V, t: V) -> V {
    a * (V::splat(t.set(), 1.0) - t) + b * t
}

/// `f0 * scale + f90 * bias`: [`crate::bsdf`]'s albedo of a lobe.
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

/// Scale and bias such that white facets lose `lost`.
#[inline(always)]
fn corrected<V: Vector<N>, const N: usize>([scale, bias]: [V; 2], lost: V) -> [V; 2] {
    let by = (V::splat(lost.set(), 1.0) - lost) / (scale + bias);
    [scale * by, bias * by]
}

impl<'t, V> Facets<'t, V, ()> {
    /// Facets of `alpha`, 1e-3 to 1.
    #[inline(always)]
    pub fn new<const N: usize>(tables: &'t Tables, alpha: V, scattering: Scattering) -> Facets<'t, V, V::Words>
    where
        V: Vector<N>,
    {
        let set = alpha.set();
        let all = V::Mask::first(set, N);
        // The mean of two alphas, which rounding keeps a little off where they are one.
        let (row, t) = locate_root((alpha * alpha).sqrt());
        let [scale, bias, next_scale, next_bias] = row.gather_records(&tables.albedo_means, all);
        let mut mean = [
            lerp(V::from_bits(scale), V::from_bits(next_scale), t),
            lerp(V::from_bits(bias), V::from_bits(next_bias), t),
        ];
        let losses = Losses::new(tables, alpha);
        if scattering == Scattering::Multiple {
            mean = corrected(mean, losses.mean);
        }
        Facets { tables, scattering, row, t, losses, mean }
    }
}

impl<V, W> Facets<'_, V, W> {
    /// What is returned to a direction above, by its cosine.
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
        let [scale, bias, next_scale, next_bias] = at.gather_records(&self.tables.albedos, all);
        let low_scale = lerp(V::from_bits(scale), V::from_bits(next_scale), t);
        let low_bias = lerp(V::from_bits(bias), V::from_bits(next_bias), t);
        let [scale, bias, next_scale, next_bias] = (at + cells).gather_records(&self.tables.albedos, all);
        let high_scale = lerp(V::from_bits(scale), V::from_bits(next_scale), t);
        let high_bias = lerp(V::from_bits(bias), V::from_bits(next_bias), t);
        let returned = [lerp(low_scale, high_scale, self.t), lerp(low_bias, high_bias, self.t)];
        if self.scattering == Scattering::Single {
            return returned;
        }
        corrected(returned, self.losses.at(cos))
    }
}
