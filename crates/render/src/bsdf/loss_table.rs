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
//! `TURNED` is what facets lose more whose alphas along tangent and bitangent differ, see [`Turned`]; that of
//! glass is in `turned_glass.rs`. What a coat loses is in `coat_table.rs`.
//!
//! The glass is stored [`MARGIN`] too low, since too much light would be worse than too little.

use super::ggx::MIN_ALPHA;
use super::horizon::Horizon;
use super::loss_data::{GLASS, GLASS_MEANS, TURNED, TURNED_MEANS, WHITE, WHITE_MEANS};
use super::turned_glass::{TurnedGlass, alpha_of_base, mean_ratios};
use glam::{Vec2, Vec3};

/// Nodes of the white table on the axes of the cosine and of alpha.
pub(crate) const WHITE_NODES: usize = 25;
/// Nodes of the glass table on each of its three axes.
pub(super) const GLASS_NODES: usize = 16;
/// Nodes of the means over alpha.
pub(crate) const MEAN_NODES: usize = 48;
/// Unit of the numbers in the tables.
pub(crate) const SCALE: f32 = 1e-4;
/// Amount by which the glass table is too low, about its largest error of interpolation upward.
#[cfg(any(test, feature = "tables"))]
pub(super) const MARGIN: f32 = 0.006;
/// Alpha of the first node. Below it the loss depends on `cos / alpha` alone.
#[cfg(any(test, feature = "tables"))]
pub(super) const LEAST_ALPHA: f32 = 1e-3;
/// Fourth root of 1e-3, the alpha of the first node, where the axis of the means begins.
pub(crate) const LEAST_ROOT: f32 = 0.177_827_94;
/// Nodes of what anisotropic facets lose more, over the larger alpha's root, one less the ratio of the alphas, the
/// alpha along the view between the two, and the cosine's `t`.
pub(super) const TURNED_NODES: [usize; 4] = [7, 5, 4, 9];
/// End of the axis of the ratio: alphas of 1 to 4.
pub(super) const MOST_TURNED: f32 = 0.75;
/// Amount by which the numbers of turned facets are stored too high, since they have both signs.
pub(super) const TURNED_ZERO: f32 = 0.2;
/// Share of the loss by which the numbers of turned facets are too low, about their largest error upward.
#[cfg(any(test, feature = "tables"))]
pub(super) const TURNED_MARGIN: f32 = 0.015;
/// Ends of the axis of the index: 1.02 and 10.
pub(super) const INDEX_AXIS: [f32; 2] = [0.14, 0.95];

/// Returns the node below a place on an axis of `nodes` nodes from 0 to 1, and how far beyond it.
#[inline]
pub(super) fn locate(x: f32, nodes: usize) -> (usize, f32) {
    // The cast takes a NaN to 0.
    let s = x.clamp(0.0, 1.0) * (nodes - 1) as f32;
    let node = (s as u32 as usize).min(nodes - 2);
    (node, s - node as f32)
}

/// Returns the place of alpha on the axis of the means, whose nodes are evenly spaced fourth roots: the means vanish
/// with alpha^2, and what is left of them changes with its logarithm.
#[inline]
fn locate_mean(root: f32) -> (usize, f32) {
    locate((root.sqrt() - LEAST_ROOT) * (1.0 / (1.0 - LEAST_ROOT)), MEAN_NODES)
}

/// Interpolates between four numbers of a table: at `at`, the one after it, and the two `stride` further.
#[inline]
pub(super) fn between_rows(table: &[u16], at: usize, stride: usize, x: f32, y: f32) -> f32 {
    let row = |at: usize| {
        let (low, high) = (f32::from(table[at]), f32::from(table[at + 1]));
        low + x * (high - low)
    };
    let low = row(at);
    low + y * (row(at + stride) - low)
}

/// Returns the place of a cosine on the tables' axis, toward which facets are as rough as `alpha`.
#[inline]
fn place_of_cosine(cos: f32, alpha: f32) -> f32 {
    cos * (1.0 + alpha) / (cos + alpha)
}

/// White facets of one alpha: a metal that absorbs nothing, or a thin sheet.
#[derive(Debug, Clone, Copy)]
pub(super) struct White {
    row: u32,
    t: f32,
    /// Mean of the loss over the hemisphere, weighted by the cosine.
    pub mean: f32,
}

impl White {
    #[inline]
    pub fn new(alpha: f32) -> Self {
        let alpha = alpha.clamp(MIN_ALPHA, 1.0);
        let root = alpha.sqrt();
        let (a, t) = locate(root, WHITE_NODES);
        let (m, s) = locate_mean(root);
        let mean = WHITE_MEANS[m] + s * (WHITE_MEANS[m + 1] - WHITE_MEANS[m]);
        Self { row: (a * WHITE_NODES) as u32, t, mean: alpha * alpha * mean }
    }

    /// Returns the share that a direction loses of cosine `cos`, toward which facets are as rough as `alpha`.
    #[inline]
    pub fn at(&self, cos: f32, alpha: f32) -> f32 {
        let (node, x) = locate(place_of_cosine(cos, alpha), WHITE_NODES);
        SCALE * between_rows(&WHITE, self.row as usize + node, WHITE_NODES, x, self.t)
    }
}

/// A boundary of clear glass of one alpha and one index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Glass {
    /// Node below the index, as rows of `GLASS`, and how far beyond.
    index: u32,
    w: f32,
    /// Node below the alpha, likewise.
    row: u32,
    t: f32,
}

/// Numbers of the glass table from one index, and from one side, to the next.
const GLASS_INDEX: usize = GLASS_NODES * GLASS_NODES;
const GLASS_SIDE: usize = GLASS_NODES * GLASS_INDEX;

impl Glass {
    /// Makes the boundary of index `n`, 1.02 to 10, of the denser side over the thinner.
    #[inline]
    pub fn new(alpha: f32, n: f32) -> Self {
        let alpha = alpha.clamp(MIN_ALPHA, 1.0);
        let root = alpha.sqrt();
        let (a, t) = locate(root, GLASS_NODES);
        let index = ((1.0 - 1.0 / n).max(0.0).sqrt() - INDEX_AXIS[0]) * (1.0 / (INDEX_AXIS[1] - INDEX_AXIS[0]));
        let (i, w) = locate(index, GLASS_NODES);
        Self { index: (i * GLASS_INDEX) as u32, w, row: (a * GLASS_NODES) as u32, t }
    }

    /// Returns the mean of the loss on the thinner and on the denser side, of the same `alpha`.
    #[inline]
    pub fn means(&self, alpha: f32) -> [f32; 2] {
        let alpha = alpha.clamp(MIN_ALPHA, 1.0);
        let (m, s) = locate_mean(alpha.sqrt());
        let mean = |at: usize| {
            let row = |at: usize| GLASS_MEANS[at] + s * (GLASS_MEANS[at + 1] - GLASS_MEANS[at]);
            let low = row(at);
            alpha * alpha * (low + self.w * (row(at + MEAN_NODES) - low))
        };
        let at = self.index as usize / GLASS_INDEX * MEAN_NODES + m;
        [mean(at), mean(at + GLASS_NODES * MEAN_NODES)]
    }

    /// Returns the boundary of the same index and another alpha.
    #[inline]
    fn of_alpha(self, alpha: f32) -> Self {
        let (a, t) = locate(alpha.clamp(MIN_ALPHA, 1.0).sqrt(), GLASS_NODES);
        Self { row: (a * GLASS_NODES) as u32, t, ..self }
    }

    /// Returns the share that a direction on the thinner or the denser side loses, as [`White::at`].
    #[inline]
    pub fn at(&self, dense: bool, cos: f32, alpha: f32) -> f32 {
        let (node, x) = locate(place_of_cosine(cos, alpha), GLASS_NODES);
        let at = (self.index + self.row) as usize + node + if dense { GLASS_SIDE } else { 0 };
        let low = between_rows(&GLASS, at, GLASS_NODES, x, self.t);
        let high = between_rows(&GLASS, at + GLASS_INDEX, GLASS_NODES, x, self.t);
        SCALE * (low + self.w * (high - low))
    }
}

/// Losses of single scattering at white facets of any alphas along tangent and bitangent.
#[derive(Debug, Clone, Copy)]
pub struct WhiteLosses {
    alpha: Vec2,
    /// Isotropic facets of the mean alpha, whose mean is that of these losses.
    even: White,
    even_alpha: f32,
    /// Losses beyond `even`, where the alphas differ.
    turned: Turned,
}

/// Losses of single scattering at a boundary of clear glass, of any alphas along tangent and bitangent.
#[derive(Debug, Clone, Copy)]
pub(super) struct GlassLosses {
    alpha: Vec2,
    /// Isotropic glass of the mean alpha.
    even: Glass,
    even_alpha: f32,
    /// Losses beyond isotropic facets of [`alpha_of_base`], where the alphas differ.
    turned: TurnedGlass,
}

/// Returns an isotropic alpha with about the losses of `alpha` on the whole: between the mean and the root of the mean
/// square.
#[inline]
pub(super) fn even_alpha(alpha: Vec2) -> f32 {
    if alpha.x == alpha.y {
        return alpha.x;
    }
    let mean = 0.5 * alpha.x + 0.5 * alpha.y;
    let square = 0.5 * alpha.x * alpha.x + 0.5 * alpha.y * alpha.y;
    0.5 * (mean + square.sqrt())
}

/// Returns the alpha along the direction `w`, on which its masking depends.
#[inline]
fn projected(alpha: Vec2, w: Vec3) -> f32 {
    let (x2, y2) = (w.x * w.x, w.y * w.y);
    let sin2 = x2 + y2;
    if sin2 <= 0.0 {
        return alpha.x;
    }
    ((x2 * alpha.x * alpha.x + y2 * alpha.y * alpha.y) / sin2).sqrt()
}

/// Losses of white facets of different alphas beyond isotropic ones of [`even_alpha`] whose horizon is that of the
/// alpha along the view, from `TURNED`. Without it up to 0.1 would be missing.
#[derive(Debug, Clone, Copy)]
struct Turned {
    /// Nodes below the larger alpha and the ratio, as rows of `TURNED_MEANS`, and how far beyond.
    row: u32,
    t: f32,
    r: f32,
    /// Smaller alpha, and one over how much larger the other is.
    least: f32,
    scale: f32,
}

/// Numbers of `TURNED` from one ratio to the next.
const TURNED_RATIO: usize = TURNED_NODES[2] * TURNED_NODES[3];

impl Turned {
    const NONE: Self = Self { row: 0, t: 0.0, r: 0.0, least: 0.0, scale: 0.0 };

    #[inline]
    fn new(alpha: Vec2) -> Self {
        let (least, most) = (alpha.min_element(), alpha.max_element());
        let (a, t) = locate(most.sqrt(), TURNED_NODES[0]);
        let (q, r) = locate((1.0 - least / most) / MOST_TURNED, TURNED_NODES[1]);
        Self { row: (a * TURNED_NODES[1] + q) as u32, t, r, least, scale: 1.0 / (most - least) }
    }

    #[inline]
    fn at(&self, cos: f32, projected: f32) -> f32 {
        let (p, y) = locate((projected - self.least) * self.scale, TURNED_NODES[2]);
        let (node, x) = locate(place_of_cosine(cos, projected), TURNED_NODES[3]);
        let at = self.row as usize * TURNED_RATIO + p * TURNED_NODES[3] + node;
        let row = |at: usize| {
            let low = between_rows(&TURNED, at, TURNED_NODES[3], x, y);
            low + self.r * (between_rows(&TURNED, at + TURNED_RATIO, TURNED_NODES[3], x, y) - low)
        };
        let low = row(at);
        SCALE * (low + self.t * (row(at + TURNED_NODES[1] * TURNED_RATIO) - low)) - TURNED_ZERO
    }

    /// Returns the mean of the sum over that of the isotropic facets.
    #[inline]
    fn mean(&self) -> f32 {
        // Stored by halves.
        2.0 * SCALE * between_rows(&TURNED_MEANS, self.row as usize, TURNED_NODES[1], self.r, self.t)
    }
}

impl WhiteLosses {
    /// Makes the losses at facets of these alphas.
    #[inline]
    pub fn new(alpha: Vec2) -> Self {
        let alpha = alpha.clamp(Vec2::splat(MIN_ALPHA), Vec2::ONE);
        let even_alpha = even_alpha(alpha);
        let mut even = White::new(even_alpha);
        let mut turned = Turned::NONE;
        if alpha.x != alpha.y {
            turned = Turned::new(alpha);
            even.mean *= turned.mean();
        }
        Self { alpha, even, even_alpha, turned }
    }

    /// Returns the share of the light that `w` loses, on either side.
    #[inline]
    pub fn at(&self, w: Vec3) -> f32 {
        let cos = w.z.abs();
        if self.alpha.x == self.alpha.y {
            return self.even.at(cos, self.alpha.x);
        }
        let projected = projected(self.alpha, w);
        (self.even.at(cos, projected) + self.turned.at(cos, projected)).clamp(0.0, 1.0)
    }

    /// Returns the mean of the loss over the hemisphere, weighted by the cosine.
    #[inline]
    pub fn mean(&self) -> f32 {
        self.even.mean
    }

    /// Returns the mixture of lobes that samples directions about as they lose light.
    #[inline]
    pub fn horizon(&self) -> Horizon {
        Horizon::new(self.even_alpha)
    }
}

impl GlassLosses {
    /// Makes the losses for index `n`, 1.02 to 10, of the denser side over the thinner.
    #[inline]
    pub fn new(alpha: Vec2, n: f32) -> Self {
        let alpha = alpha.clamp(Vec2::splat(MIN_ALPHA), Vec2::ONE);
        let even_alpha = even_alpha(alpha);
        let turned = if alpha.x == alpha.y { TurnedGlass::NONE } else { TurnedGlass::new(alpha, n) };
        Self { alpha, even: Glass::new(even_alpha, n), even_alpha, turned }
    }

    /// Returns the share of the light that `w` loses on the thinner or the denser side.
    #[inline]
    pub fn at(&self, dense: bool, w: Vec3) -> f32 {
        let cos = w.z.abs();
        if self.alpha.x == self.alpha.y {
            return self.even.at(dense, cos, self.alpha.x);
        }
        let projected = projected(self.alpha, w);
        let alpha = alpha_of_base(self.even_alpha, projected, cos);
        let base = self.even.of_alpha(alpha).at(dense, cos, alpha);
        (base + self.turned.at(dense, self.alpha, cos, projected)).clamp(0.0, 1.0)
    }

    /// Returns the means over the hemisphere, weighted by the cosine, on the thinner and on the denser side, at the
    /// same `n`.
    #[inline]
    pub fn means(&self, n: f32) -> [f32; 2] {
        let even = self.even.means(self.even_alpha);
        if self.alpha.x == self.alpha.y {
            return even;
        }
        let ratios = mean_ratios(self.alpha, n);
        [even[0] * ratios[0], even[1] * ratios[1]]
    }

    /// Returns the mixture of lobes that samples directions about as they lose light.
    #[inline]
    pub fn horizon(&self) -> Horizon {
        Horizon::new(self.even_alpha)
    }
}
