//! Directional albedo of microfacet lobes with Schlick's Fresnel term, tabulated.
//!
//! Schlick's term is linear in `f0` and `f90`, so the albedo at a cosine and an alpha is
//! `E = f0 * scale + f90 * bias` with two tabulated numbers (Karis 2013). Layers are coupled by it: a
//! base under the lobe gets the share `1 - E` of the light, in and out (Kelemen and Szirmay-Kalos 2001).
//! The numbers are constants in `albedo_data.rs`; the tests integrate them anew.

use super::albedo_data;
use super::blinn::alpha_of_exponent;
use glam::{Vec2, Vec3};

/// Cells a side. Both axes are square roots, which puts the nodes where the albedo bends; then linear
/// interpolation is right to 3e-3, but for alphas below 0.01 within a degree of the horizon (the tests
/// measure it).
pub(crate) const CELLS: usize = 32;

/// Scale and bias, in this order, at the nodes of one axis.
pub(super) type Nodes = [[f32; 2]; CELLS + 1];

/// Scale and bias over alpha and the cosine, and their cosine-weighted means over the hemisphere.
pub struct AlbedoTable {
    /// Scale and bias at the nodes, alpha by alpha, and in each by the cosine.
    pub nodes: [Nodes; CELLS + 1],
    /// Means of scale and bias over the hemisphere, by alpha.
    pub means: Nodes,
}

/// Row of the table at one alpha.
#[derive(Debug, Clone, Copy)]
pub struct Row<'t> {
    low: &'t Nodes,
    high: &'t Nodes,
    mean: Vec2,
    t: f32,
}

/// Returns the node below a place on an axis, and how far beyond it.
#[inline]
fn locate(x: f32) -> (usize, f32) {
    super::loss_table::locate(x.clamp(0.0, 1.0).sqrt(), CELLS + 1)
}

#[inline]
fn between(nodes: &Nodes, node: usize, t: f32) -> Vec2 {
    Vec2::from_array(nodes[node]).lerp(Vec2::from_array(nodes[node + 1]), t)
}

impl AlbedoTable {
    /// Returns the table of GGX facets.
    #[inline]
    pub fn ggx() -> &'static Self {
        &albedo_data::GGX
    }

    /// Returns the table of Blinn facets, over the alpha of their exponent.
    #[inline]
    pub fn blinn() -> &'static Self {
        &albedo_data::BLINN
    }

    /// Returns the row of the table at one alpha, 0 to 1.
    #[inline]
    pub fn row(&self, alpha: f32) -> Row<'_> {
        let (node, t) = locate(alpha);
        Row { low: &self.nodes[node], high: &self.nodes[node + 1], mean: between(&self.means, node, t), t }
    }

    /// Returns the row of the table at a Blinn exponent.
    #[inline]
    pub fn row_of_exponent(&self, exponent: f32) -> Row<'_> {
        self.row(alpha_of_exponent(exponent))
    }
}

impl Row<'_> {
    /// Returns scale and bias at a cosine.
    #[inline]
    pub fn at(&self, cos: f32) -> Vec2 {
        let (node, t) = locate(cos);
        between(self.low, node, t).lerp(between(self.high, node, t), self.t)
    }

    /// Returns scale and bias of the mean over the hemisphere.
    #[inline]
    pub fn mean(&self) -> Vec2 {
        self.mean
    }
}

/// Returns the albedo `f0 * scale + f90 * bias`.
#[inline]
pub fn albedo(f0: Vec3, f90: f32, scale_bias: Vec2) -> Vec3 {
    (f0 * scale_bias.x + f90 * scale_bias.y).clamp(Vec3::ZERO, Vec3::ONE)
}

/// Returns the share of light that the lobe leaves to a Lambert base: `(1 - E(wo)) (1 - E(wi)) / (1 - mean E)`.
/// Reciprocal, and a white base under it returns all light that the lobe does not.
#[inline]
pub fn coupling(e_wo: Vec3, e_wi: Vec3, mean: Vec3) -> Vec3 {
    // The product vanishes faster than the divisor where the lobe takes all.
    (1.0 - e_wo) * (1.0 - e_wi) / (1.0 - mean).max(Vec3::splat(1e-6))
}
