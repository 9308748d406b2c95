//! Losses of white GGX facets of one alpha: those of `crate::bsdf::loss_table`, a surface a lane.

use super::tables::Tables;
use crate::bsdf::loss_table::{LEAST_ROOT, MEAN_NODES, SCALE};
use raywarp_lanes::{Mask, Vector, Words};

/// Returns the node below a coordinate of 0 to 1 on an axis of `nodes` nodes, and the fraction of the way to the next.
#[inline(always)]
pub(super) fn locate<V: Vector<N>, const N: usize>(x: V, nodes: u32) -> (V::Words, V) {
    let set = x.set();
    let x = x.max(V::splat(set, 0.0)).min(V::splat(set, 1.0));
    let s = x * V::splat(set, (nodes - 1) as f32);
    let node = s.to_u32().min(V::Words::splat(set, nodes - 2));
    (node, s - V::from_u32(node))
}

/// Light lost at white facets of one alpha per lane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Losses<'t, V, W> {
    tables: &'t Tables,
    alpha: V,
    /// Row below the alpha in the loss table; `t` is the fraction of the way to the next.
    row: W,
    t: V,
    /// Loss averaged over the hemisphere.
    pub mean: V,
}

impl<'t, V> Losses<'t, V, ()> {
    /// Makes the losses of facets of roughness `alpha`, 1e-4 to 1.
    #[inline(always)]
    pub fn new<const N: usize>(tables: &'t Tables, alpha: V) -> Losses<'t, V, V::Words>
    where
        V: Vector<N>,
    {
        let set = alpha.set();
        let root = alpha.sqrt();
        let (row, t) = locate(root, Tables::LOSS_NODES);
        let least = V::splat(set, LEAST_ROOT);
        let scale = V::splat(set, 1.0 / (1.0 - LEAST_ROOT));
        let (m, s) = locate((root.sqrt() - least) * scale, MEAN_NODES as u32);
        let [low, high, _, _] = m.gather_records(&tables.loss_means, V::Mask::first(set, N));
        let (low, high) = (V::from_bits(low), V::from_bits(high));
        Losses { tables, alpha, row, t, mean: alpha * alpha * (low + s * (high - low)) }
    }
}

impl<V, W> Losses<'_, V, W> {
    /// Returns the fraction of light lost in directions with these cosines.
    #[inline(always)]
    pub fn at<const N: usize>(&self, cos: V) -> V
    where
        V: Vector<N, Words = W>,
        W: Words<N, Set = V::Set, Mask = V::Mask>,
    {
        let set = cos.set();
        let cos = cos.abs();
        let place = cos * (V::splat(set, 1.0) + self.alpha) / (cos + self.alpha);
        let (node, x) = locate(place, Tables::LOSS_NODES);
        let at = self.row * W::splat(set, Tables::LOSS_NODES - 1) + node;
        let [a, b, c, d] = at.gather_records(&self.tables.losses, V::Mask::first(set, N));
        let (a, b, c, d) = (V::from_bits(a), V::from_bits(b), V::from_bits(c), V::from_bits(d));
        let (low, high) = (a + x * (b - a), c + x * (d - c));
        V::splat(set, SCALE) * (low + self.t * (high - low))
    }
}
