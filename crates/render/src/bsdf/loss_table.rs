//! Light that single scattering between GGX facets loses, tabulated.
//!
//! A microfacet lobe knows one bounce. Light that meets a second facet on its way is lost: of white light
//! from all around, a direction gets `1 - loss(cos)`. Kulla and Conty 2017 give it back by one more lobe:
//! `loss(cos wo) loss(cos wi) / (pi mean)` returns exactly the share `loss(cos wo)`, and it is
//! reciprocal.
//!
//! The numbers are constants in `loss_data.rs`: flat arrays of what single scattering loses at white
//! facets (`WHITE`) and at clear glass from either side (`GLASS`). The axes are chosen so that linear
//! interpolation suffices:
//! - the cosine as `t = cos (1 + alpha) / (cos + alpha)`. Masking depends on `alpha / cos` alone where
//!   both are small, so that t resolves the horizon of every alpha;
//! - alpha by its square root;
//! - the index n of the denser over the thinner side by `sqrt(1 - 1 / n)`, which near 1 is in proportion
//!   to the cosine of the critical angle.
//!
//! `COAT` is what a coat loses of the light from the facets beneath it, see [`coat_loss`]; it is linear in
//! the cosine and the roots of the alphas.
//!
//! The glass is stored [`MARGIN`] too low, since too much light would be worse than too little.

use super::ggx::MIN_ALPHA;
use super::horizon::Horizon;
use super::loss_data::{COAT, GLASS, GLASS_MEANS, WHITE, WHITE_MEANS};
use glam::{Vec2, Vec3};

/// Nodes of the white table on the axes of the cosine and of alpha.
pub(super) const WHITE_NODES: usize = 25;
/// Nodes of the glass table on each of its three axes.
pub(super) const GLASS_NODES: usize = 16;
/// Nodes of the means over alpha.
pub(super) const MEAN_NODES: usize = 48;
/// What the tables' numbers are multiplied by.
pub(super) const SCALE: f32 = 1e-4;
/// What the glass table is too low by, about its largest error of interpolation upward.
#[cfg(test)]
pub(super) const MARGIN: f32 = 0.006;
/// The same of what a coat loses.
#[cfg(test)]
pub(super) const COAT_MARGIN: f32 = 0.001;
/// Alpha of the first node. Below it the loss depends on `cos / alpha` alone.
#[cfg(test)]
pub(super) const LEAST_ALPHA: f32 = 1e-3;
/// Fourth root of 1e-3, the alpha of the first node, where the axis of the means begins.
pub(super) const LEAST_ROOT: f32 = 0.177_827_94;
/// Nodes over the coat's alpha, the base's alpha and the cosine, and the `f0` of the coat.
pub(super) const COAT_NODES: [usize; 3] = [6, 16, 16];
pub(super) const COAT_F0: f32 = 0.04;
/// Ends of the axis of the index: 1.02 and 10.
pub(super) const INDEX_AXIS: [f32; 2] = [0.14, 0.95];

/// What single scattering loses at one alpha in either direction: four rows of a table with their weights, and the mean.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loss {
    table: &'static [u16],
    nodes: usize,
    rows: [usize; 4],
    weights: [f32; 4],
    pub mean: f32,
}

/// Node below a place on an axis of `nodes` nodes from 0 to 1, and how far beyond it.
#[inline]
fn locate(x: f32, nodes: usize) -> (usize, f32) {
    // The cast takes a NaN to 0.
    let s = x.clamp(0.0, 1.0) * (nodes - 1) as f32;
    let node = (s as usize).min(nodes - 2);
    (node, s - node as f32)
}

/// Place of alpha on the axis of the means, whose nodes are evenly spaced fourth roots: the means vanish
/// with alpha^2, and what is left of them changes with its logarithm.
#[inline]
fn locate_mean(root: f32) -> (usize, f32) {
    locate((root.sqrt() - LEAST_ROOT) / (1.0 - LEAST_ROOT), MEAN_NODES)
}

impl Loss {
    /// White facets: a metal that absorbs nothing, or a thin sheet.
    #[inline]
    pub fn white(alpha: f32) -> Self {
        let alpha = alpha.clamp(1e-4, 1.0);
        let root = alpha.sqrt();
        let (a, t) = locate(root, WHITE_NODES);
        let (m, s) = locate_mean(root);
        let mean = WHITE_MEANS[m] + s * (WHITE_MEANS[m + 1] - WHITE_MEANS[m]);
        let row = a * WHITE_NODES;
        Self {
            table: &WHITE,
            nodes: WHITE_NODES,
            rows: [row, row + WHITE_NODES, row, row],
            weights: [(1.0 - t) * SCALE, t * SCALE, 0.0, 0.0],
            mean: alpha * alpha * mean,
        }
    }

    /// A boundary of clear glass of index `n`, 1.02 to 10, of the denser side over the thinner; seen
    /// from the denser side or not.
    #[inline]
    pub fn glass(alpha: f32, n: f32, from_dense: bool) -> Self {
        let alpha = alpha.clamp(1e-4, 1.0);
        let root = alpha.sqrt();
        let (a, t) = locate(root, GLASS_NODES);
        let index = ((1.0 - 1.0 / n).max(0.0).sqrt() - INDEX_AXIS[0]) / (INDEX_AXIS[1] - INDEX_AXIS[0]);
        let (i, w) = locate(index, GLASS_NODES);
        let side = if from_dense { GLASS_NODES } else { 0 };
        let row = ((side + i) * GLASS_NODES + a) * GLASS_NODES;
        let next = row + GLASS_NODES * GLASS_NODES;
        let (m, s) = locate_mean(root);
        let at = (side + i) * MEAN_NODES + m;
        let low = GLASS_MEANS[at] + s * (GLASS_MEANS[at + 1] - GLASS_MEANS[at]);
        let at = at + MEAN_NODES;
        let high = GLASS_MEANS[at] + s * (GLASS_MEANS[at + 1] - GLASS_MEANS[at]);
        let [below, above] = [(1.0 - w) * SCALE, w * SCALE];
        Self {
            table: &GLASS,
            nodes: GLASS_NODES,
            rows: [row, row + GLASS_NODES, next, next + GLASS_NODES],
            weights: [(1.0 - t) * below, t * below, (1.0 - t) * above, t * above],
            mean: alpha * alpha * (low + w * (high - low)),
        }
    }

    /// Share that a direction loses of cosine `cos`, toward which facets are as rough as `alpha`.
    #[inline]
    pub fn at(&self, cos: f32, alpha: f32) -> f32 {
        let (node, t) = locate(cos * (1.0 + alpha) / (cos + alpha), self.nodes);
        let mut sum = 0.0;
        for i in 0..4 {
            let at = self.rows[i] + node;
            let low = f32::from(self.table[at]);
            let high = f32::from(self.table[at + 1]);
            sum += self.weights[i] * (low + t * (high - low));
        }
        sum
    }
}

/// What is beyond the facets.
#[derive(Debug, Clone, Copy)]
pub(super) enum Boundary {
    /// Nothing: they reflect all light, or share it between the two sides of a thin sheet.
    White,
    /// Clear glass of index `n` of the denser over the thinner side.
    Glass { n: f32, from_dense: bool },
}

/// What single scattering loses at facets of any alphas along tangent and bitangent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Losses {
    alpha: Vec2,
    boundary: Boundary,
    /// At the mean alpha.
    even: Loss,
    even_alpha: f32,
}

impl Losses {
    #[inline]
    pub fn new(alpha: Vec2, boundary: Boundary) -> Self {
        let alpha = alpha.clamp(Vec2::splat(MIN_ALPHA), Vec2::ONE);
        let even = if alpha.x == alpha.y { alpha.x } else { mean_alpha(alpha, 0.5) };
        Self { alpha, boundary, even: boundary.loss(even), even_alpha: even }
    }

    /// Share of the light that `w` loses, on either side.
    ///
    /// Anisotropic facets lose about what isotropic ones do of a mean alpha, while the alpha along a grazing
    /// view decides where its horizon begins. White facets then lose as the axis across does, but glass as
    /// the axis along, which decides how much is refracted at all. For alphas up to 1 to 4 the error is
    /// within 0.04 for white facets (the geometric mean's: 0.15) and 0.13 for glass of index 1.5.
    #[inline]
    pub fn at(&self, w: Vec3) -> f32 {
        let cos = w.z.abs();
        let (x2, y2) = (w.x * w.x, w.y * w.y);
        let sin2 = x2 + y2;
        if self.alpha.x == self.alpha.y || sin2 <= 0.0 {
            return self.even.at(cos, self.alpha.x);
        }
        let across = self.boundary.across() * sin2 * (y2 - 0.5 * sin2);
        let row = mean_alpha(self.alpha, 0.5 + across);
        let squares = self.alpha * self.alpha;
        let projected = ((x2 * squares.x + y2 * squares.y) / sin2).sqrt();
        self.boundary.loss(row).at(cos, projected)
    }

    /// Its mean over the hemisphere, weighted by the cosine.
    #[inline]
    pub fn mean(&self) -> f32 {
        self.even.mean
    }

    /// What finds the directions that lose light.
    #[inline]
    pub fn horizon(&self) -> Horizon {
        Horizon::new(self.even_alpha)
    }
}

impl Boundary {
    /// How much the loss toward a grazing view is that of the axis across it; fitted.
    #[inline]
    fn across(self) -> f32 {
        match self {
            Self::White => 0.4,
            Self::Glass { .. } => -0.5,
        }
    }

    #[inline]
    fn loss(self, alpha: f32) -> Loss {
        match self {
            Self::White => Loss::white(alpha),
            Self::Glass { n, from_dense } => Loss::glass(alpha, n, from_dense),
        }
    }
}

/// Between the arithmetic mean and the root of the mean square; `x` is the weight of `alpha.x`.
#[inline]
fn mean_alpha(alpha: Vec2, x: f32) -> f32 {
    let y = 1.0 - x;
    let mean = x * alpha.x + y * alpha.y;
    let square = x * alpha.x * alpha.x + y * alpha.y * alpha.y;
    0.5 * (mean + square.sqrt())
}

/// What is lost where a base of white facets lies under a coat and is scaled by
/// `1 - max(E(wo), E(wi))`, E the coat's albedo, instead of by `1 - E(wo)`: the mean of what `E(wi)` is
/// larger by. For a coat of `f0` [`COAT_F0`]; other coats lose in proportion to `1 - f0`.
#[inline]
pub(super) fn coat_loss(cos: f32, base_alpha: f32, coat_alpha: f32) -> f32 {
    let (c, x) = locate(cos, COAT_NODES[2]);
    let (b, y) = locate(base_alpha.max(0.0).sqrt(), COAT_NODES[1]);
    let (a, z) = locate(coat_alpha.max(0.0).sqrt(), COAT_NODES[0]);
    let row = |a: usize, b: usize| {
        let at = (a * COAT_NODES[1] + b) * COAT_NODES[2] + c;
        let (low, high) = (f32::from(COAT[at]), f32::from(COAT[at + 1]));
        low + x * (high - low)
    };
    let low = row(a, b) + y * (row(a, b + 1) - row(a, b));
    let high = row(a + 1, b) + y * (row(a + 1, b + 1) - row(a + 1, b));
    SCALE * (low + z * (high - low))
}
