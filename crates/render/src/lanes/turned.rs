//! Facets whose alphas along tangent and bitangent differ: what they lose, `crate::bsdf::loss_table`'s, a surface a lane.

use super::facets::locate;
use super::tables::Tables;
use super::vec3::Vec3s;
use crate::bsdf::loss_table::{MOST_TURNED, SCALE, TURNED_NODES, TURNED_ZERO};
use raywarp_lanes::{Vector, Words};

/// What such facets lose beyond even ones; nothing where the alphas are one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turned<V, W> {
    /// The larger alpha and the ratio below, as rows of the table's cells, and how far beyond.
    row: W,
    t: V,
    r: V,
    /// The smaller alpha, and one over how much larger the other is.
    least: V,
    scale: V,
    /// The mean of the sum over that of the even facets.
    pub mean: V,
}

/// Isotropic alphas with about the losses of two on the whole.
#[inline(always)]
pub(super) fn even_alpha<V: Vector<N>, const N: usize>([x, y]: [V; 2]) -> V {
    let half = V::splat(x.set(), 0.5);
    let mean = half * x + half * y;
    let square = half * x * x + half * y * y;
    V::select(x.eq(y), x, half * (mean + square.sqrt()))
}

/// The alphas along the directions `w`, on which masking depends.
#[inline(always)]
pub(super) fn projected<V: Vector<N>, const N: usize>([x, y]: [V; 2], w: Vec3s<V>) -> V {
    let (x2, y2) = (w.x * w.x, w.y * w.y);
    let sin2 = x2 + y2;
    let along = ((x2 * x * x + y2 * y * y) / sin2).sqrt();
    V::select(sin2.le(V::splat(x.set(), 0.0)) | x.eq(y), x, along)
}

/// Between four numbers of a cell.
#[inline(always)]
fn between<V: Vector<N>, const N: usize>(corners: &[V::Words], x: V, y: V) -> V {
    let (a, b) = (V::from_bits(corners[0]), V::from_bits(corners[1]));
    let (c, d) = (V::from_bits(corners[2]), V::from_bits(corners[3]));
    let low = a + x * (b - a);
    low + y * (c + x * (d - c) - low)
}

impl<V> Turned<V, ()> {
    /// Of facets of the alphas along tangent and bitangent; those in `mask` differ.
    #[inline(always)]
    pub fn new<const N: usize>(tables: &Tables, [x, y]: [V; 2], mask: V::Mask) -> Turned<V, V::Words>
    where
        V: Vector<N>,
    {
        let set = x.set();
        let one = V::splat(set, 1.0);
        let (least, most) = (x.min(y), x.max(y));
        let (a, t) = locate(most.sqrt(), TURNED_NODES[0] as u32);
        let (q, r) = locate((one - least / most) / V::splat(set, MOST_TURNED), TURNED_NODES[1] as u32);
        let row = a * V::Words::splat(set, TURNED_NODES[1] as u32 - 1) + q;
        let corners: [V::Words; 4] = row.gather_records(&tables.turned_means, mask);
        let mean = V::splat(set, 2.0 * SCALE) * between(&corners, r, t);
        Turned { row, t, r, least, scale: one / (most - least), mean }
    }

    /// For facets of one alpha.
    #[inline(always)]
    pub fn none<const N: usize>(set: V::Set) -> Turned<V, V::Words>
    where
        V: Vector<N>,
    {
        let zero = V::splat(set, 0.0);
        Turned { row: V::Words::splat(set, 0), t: zero, r: zero, least: zero, scale: zero, mean: zero }
    }
}

impl<V, W> Turned<V, W> {
    /// What is lost more, where the place of the cosine is `place` and the alpha along the view `projected`.
    #[inline(always)]
    pub fn at<const N: usize>(&self, tables: &Tables, place: V, projected: V, mask: V::Mask) -> V
    where
        V: Vector<N, Words = W>,
        W: Words<N, Set = V::Set, Mask = V::Mask>,
    {
        let set = place.set();
        let (p, y) = locate((projected - self.least) * self.scale, TURNED_NODES[2] as u32);
        let (node, x) = locate(place, TURNED_NODES[3] as u32);
        let cell = (self.row * W::splat(set, TURNED_NODES[2] as u32 - 1) + p)
            * W::splat(set, TURNED_NODES[3] as u32 - 1)
            + node;
        let corners: [W; 16] = cell.gather_records(&tables.turned, mask);
        let low = between(&corners[0..4], x, y);
        let low = low + self.r * (between(&corners[4..8], x, y) - low);
        let high = between(&corners[8..12], x, y);
        let high = high + self.r * (between(&corners[12..16], x, y) - high);
        V::splat(set, SCALE) * (low + self.t * (high - low)) - V::splat(set, TURNED_ZERO)
    }
}
