//! What white GGX facets lose: `crate::bsdf::loss_table`'s `WhiteLosses`, a surface a lane.

use super::facets::locate;
use super::tables::Tables;
use super::turned::{Turned, even_alpha, projected};
use super::vec3::Vec3s;
use crate::bsdf::loss_table::{LEAST_ROOT, MEAN_NODES, SCALE};
use raywarp_lanes::{Mask, Vector, Words};

/// Facets of any alphas along tangent and bitangent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Losses<'t, V, W> {
    tables: &'t Tables,
    alpha: [V; 2],
    /// The alpha of even facets with about these losses.
    pub even: V,
    /// The row of the losses below, and how far beyond it.
    row: W,
    t: V,
    turned: Turned<V, W>,
    /// What all directions lose.
    pub mean: V,
}

impl<'t, V> Losses<'t, V, ()> {
    /// Of facets of `alpha`, 1e-4 to 1.
    #[inline(always)]
    pub fn new<const N: usize>(tables: &'t Tables, alpha: [V; 2]) -> Losses<'t, V, V::Words>
    where
        V: Vector<N>,
    {
        let [x, y] = alpha;
        let set = x.set();
        let even = even_alpha(alpha);
        let root = even.sqrt();
        let (row, t) = locate(root, Tables::LOSS_NODES);
        let least = V::splat(set, LEAST_ROOT);
        let scale = V::splat(set, 1.0 / (1.0 - LEAST_ROOT));
        let (m, s) = locate((root.sqrt() - least) * scale, MEAN_NODES as u32);
        let [low, high, _, _] = m.gather_records(&tables.loss_means, V::Mask::first(set, N));
        let (low, high) = (V::from_bits(low), V::from_bits(high));
        let mut mean = even * even * (low + s * (high - low));
        let mut turned = Turned::none(set);
        let differ = !x.eq(y);
        if differ.any() {
            turned = Turned::new(tables, alpha, differ);
            mean = V::select(differ, mean * turned.mean, mean);
        }
        Losses { tables, alpha, even, row, t, turned, mean }
    }
}

impl<V, W> Losses<'_, V, W> {
    /// Share of the light that `w` loses.
    #[inline(always)]
    pub fn at<const N: usize>(&self, w: Vec3s<V>) -> V
    where
        V: Vector<N, Words = W>,
        W: Words<N, Set = V::Set, Mask = V::Mask>,
    {
        let set = w.z.set();
        let (zero, one) = (V::splat(set, 0.0), V::splat(set, 1.0));
        let cos = w.z.abs();
        let [x, y] = self.alpha;
        let differ = !x.eq(y);
        let mut alpha = x;
        if differ.any() {
            alpha = projected(self.alpha, w);
        }
        let place = cos * (one + alpha) / (cos + alpha);
        let (node, s) = locate(place, Tables::LOSS_NODES);
        let at = self.row * W::splat(set, Tables::LOSS_NODES - 1) + node;
        let [a, b, c, d] = at.gather_records(&self.tables.losses, V::Mask::first(set, N));
        let (a, b, c, d) = (V::from_bits(a), V::from_bits(b), V::from_bits(c), V::from_bits(d));
        let (low, high) = (a + s * (b - a), c + s * (d - c));
        let mut lost = V::splat(set, SCALE) * (low + self.t * (high - low));
        if differ.any() {
            let more = self.turned.at(self.tables, place, alpha, differ);
            lost = V::select(differ, (lost + more).max(zero).min(one), lost);
        }
        lost
    }
}
