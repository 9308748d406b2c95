//! Directional albedo of microfacet lobes with Schlick's Fresnel term, tabulated.
//!
//! Schlick's term is linear in `f0` and `f90`, so the albedo at a cosine and an alpha is
//! `E = f0 * scale + f90 * bias` with two tabulated numbers (Karis 2013). Layers are coupled by it: a
//! base under the lobe gets the share `1 - E` of the light, in and out (Kelemen and Szirmay-Kalos 2001).
//! The numbers are constants in `albedo_data.rs`; the tests integrate them anew.

use super::albedo_data;
use super::blinn::alpha_of_exponent;
use glam::{Vec2, Vec3};

/// Number of cells of the albedo tables along either axis. Both axes are square roots, which puts the nodes where the
/// albedo bends; then linear interpolation is right to 3e-3, but for alphas below 0.01 within a degree of the horizon
/// (the tests measure it).
pub(crate) const CELLS: usize = 32;

/// Scale and bias of the albedo, in this order, at the nodes of one table axis.
pub(super) type Nodes = [[f32; 2]; CELLS + 1];

/// Table of the albedo of microfacet lobes (scale and bias of Schlick's term) by roughness alpha and cosine, with means
/// over the hemisphere.
pub struct AlbedoTable {
    /// Scale and bias at the nodes, indexed by alpha, then by the cosine.
    pub nodes: [Nodes; CELLS + 1],
    /// Scale and bias averaged over the hemisphere, weighted by the cosine, by alpha.
    pub means: Nodes,
}

/// Row of the albedo table, interpolated at one roughness alpha.
#[derive(Debug, Clone, Copy)]
pub struct AlbedoRow<'t> {
    low: &'t Nodes,
    high: &'t Nodes,
    mean: Vec2,
    t: f32,
}

/// Returns the table node below `x` on an axis of square roots, and the fraction of the way to the next.
#[inline]
fn locate(x: f32) -> (usize, f32) {
    super::loss_table::locate(x.clamp(0.0, 1.0).sqrt(), CELLS + 1)
}

#[inline]
fn between(nodes: &Nodes, node: usize, t: f32) -> Vec2 {
    Vec2::from_array(nodes[node]).lerp(Vec2::from_array(nodes[node + 1]), t)
}

impl AlbedoTable {
    /// Returns the albedo table of GGX facets.
    #[inline]
    pub fn ggx() -> &'static Self {
        &albedo_data::GGX
    }

    /// Returns the albedo table of Blinn facets, by the alpha that corresponds to their exponent.
    #[inline]
    pub fn blinn() -> &'static Self {
        &albedo_data::BLINN
    }

    /// Returns the table's row at one roughness alpha, 0 to 1.
    #[inline]
    pub fn row(&self, alpha: f32) -> AlbedoRow<'_> {
        let (node, t) = locate(alpha);
        AlbedoRow { low: &self.nodes[node], high: &self.nodes[node + 1], mean: between(&self.means, node, t), t }
    }

    /// Returns the table's row at a Blinn exponent.
    #[inline]
    pub fn row_of_exponent(&self, exponent: f32) -> AlbedoRow<'_> {
        self.row(alpha_of_exponent(exponent))
    }
}

impl AlbedoRow<'_> {
    /// Returns scale and bias of the albedo for a direction with this cosine to the normal.
    #[inline]
    pub fn at(&self, cos: f32) -> Vec2 {
        let (node, t) = locate(cos);
        between(self.low, node, t).lerp(between(self.high, node, t), self.t)
    }

    /// Returns scale and bias of the albedo averaged over the hemisphere.
    #[inline]
    pub fn mean(&self) -> Vec2 {
        self.mean
    }
}

/// Returns a lobe's albedo for all channels: `f0 * scale + f90 * bias`.
#[inline]
pub fn albedo(f0: Vec3, f90: f32, scale_bias: Vec2) -> Vec3 {
    (f0 * scale_bias.x + f90 * scale_bias.y).clamp(Vec3::ZERO, Vec3::ONE)
}

/// Returns the fraction of light that a specular lobe leaves to a Lambert base under it: `(1 - E(wo)) (1 - E(wi)) / (1
/// - mean E)`. Reciprocal, and a white base under it returns all light that the lobe does not.
#[inline]
pub fn coupling(e_wo: Vec3, e_wi: Vec3, mean: Vec3) -> Vec3 {
    // The product vanishes faster than the divisor where the lobe takes all.
    (1.0 - e_wo) * (1.0 - e_wi) / (1.0 - mean).max(Vec3::splat(1e-6))
}
