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
//! `ANISOTROPIC` is what facets lose more whose alphas along tangent and bitangent differ, see [`AnisotropicLoss`];
//! that of glass is in `anisotropic_glass.rs`. What a coat loses is in `coat_table.rs`.
//!
//! The glass is stored [`MARGIN`] too low, since too much light would be worse than too little.

use super::anisotropic_glass::{AnisotropicGlass, alpha_of_base, mean_ratios};
use super::ggx::MIN_ALPHA;
use super::horizon::Horizon;
use super::loss_data::{ANISOTROPIC, ANISOTROPIC_MEANS, GLASS, GLASS_MEANS, WHITE, WHITE_MEANS};
use glam::{Vec2, Vec3};

/// Number of nodes of the table of white facets, for the cosine and for alpha.
pub(crate) const WHITE_NODES: usize = 25;
/// Number of nodes of the table of glass, on each of its three axes.
pub(super) const GLASS_NODES: usize = 16;
/// Number of nodes of the tables of means, on the axis of alpha.
pub(crate) const MEAN_NODES: usize = 48;
/// Unit of the integers stored in the tables.
pub(crate) const SCALE: f32 = 1e-4;
/// Amount by which the stored losses of glass are reduced: about the table's largest interpolation error upwards.
#[cfg(any(test, feature = "tables"))]
pub(super) const MARGIN: f32 = 0.006;
/// Roughness alpha of the first table node. Below it the loss depends on `cos / alpha` alone.
#[cfg(any(test, feature = "tables"))]
pub(super) const LEAST_ALPHA: f32 = 1e-3;
/// Fourth root of 1e-3, the alpha of the first node, at which the axis of the means begins.
pub(crate) const LEAST_ROOT: f32 = 0.177_827_94;
/// Numbers of table nodes of anisotropic facets' extra loss: root of the larger alpha, 1 less the ratio of the alphas,
/// alpha along the view between the two, and the cosine's `t`.
pub(super) const ANISOTROPIC_NODES: [usize; 4] = [7, 5, 4, 9];
/// End of the table axis of 1 less the ratio of the alphas: alphas of 1 to 4.
pub(super) const MOST_ANISOTROPY: f32 = 0.75;
/// Offset added to the stored extra losses of anisotropic facets, since they have both signs.
pub(super) const ANISOTROPIC_ZERO: f32 = 0.2;
/// Fraction of the loss by which the extra losses of anisotropic facets are reduced: about their largest error upwards.
#[cfg(any(test, feature = "tables"))]
pub(super) const ANISOTROPIC_MARGIN: f32 = 0.015;
/// Ends of the table axis of the refractive index, which stand for indices 1.02 and 10.
pub(super) const INDEX_AXIS: [f32; 2] = [0.14, 0.95];

/// Returns the node below `x` on an axis of `nodes` nodes from 0 to 1, and the fraction of the way to the next.
#[inline]
pub(super) fn locate(x: f32, nodes: usize) -> (usize, f32) {
    // The cast takes a NaN to 0.
    let s = x.clamp(0.0, 1.0) * (nodes - 1) as f32;
    let node = (s as u32 as usize).min(nodes - 2);
    (node, s - node as f32)
}

/// Returns the node of the means' axis below an alpha, given by its square `root`, and the fraction of the way to the
/// next; nodes are evenly spaced fourth roots, as the means vanish with alpha^2.
#[inline]
fn locate_mean(root: f32) -> (usize, f32) {
    locate((root.sqrt() - LEAST_ROOT) * (1.0 / (1.0 - LEAST_ROOT)), MEAN_NODES)
}

/// Interpolates bilinearly between four numbers of a table: at `at`, the one after it, and the two `stride` further on.
#[inline]
pub(super) fn between_rows(table: &[u16], at: usize, stride: usize, x: f32, y: f32) -> f32 {
    let row = |at: usize| {
        let (low, high) = (f32::from(table[at]), f32::from(table[at + 1]));
        low + x * (high - low)
    };
    let low = row(at);
    low + y * (row(at + stride) - low)
}

/// Returns the coordinate of a cosine on the tables' axis, for facets whose alpha along that direction is `alpha`.
#[inline]
fn place_of_cosine(cos: f32, alpha: f32) -> f32 {
    cos * (1.0 + alpha) / (cos + alpha)
}

/// Loss of white facets of one alpha (a metal that absorbs nothing, or a thin sheet): a position in the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct White {
    row: u32,
    t: f32,
    /// Loss averaged over the hemisphere with the cosine as weight.
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

    /// Returns the fraction of light lost in a direction of cosine `cos`, along which the facets' alpha is `alpha`.
    #[inline]
    pub fn at(&self, cos: f32, alpha: f32) -> f32 {
        let (node, x) = locate(place_of_cosine(cos, alpha), WHITE_NODES);
        SCALE * between_rows(&WHITE, self.row as usize + node, WHITE_NODES, x, self.t)
    }
}

/// Loss of clear glass of one alpha and one refractive index: a position in the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Glass {
    /// First number of `GLASS` at the node below the refractive index; `w` is the fraction of the way to the next.
    index: u32,
    w: f32,
    /// Offset of the node below alpha; `t` is the fraction of the way to the next.
    row: u32,
    t: f32,
}

/// Distance in the glass table from one refractive index to the next, and from one side to the other.
const GLASS_INDEX: usize = GLASS_NODES * GLASS_NODES;
const GLASS_SIDE: usize = GLASS_NODES * GLASS_INDEX;

impl Glass {
    /// Makes the loss of glass of refractive index `n` (denser over thinner side), 1.02 to 10.
    #[inline]
    pub fn new(alpha: f32, n: f32) -> Self {
        let alpha = alpha.clamp(MIN_ALPHA, 1.0);
        let root = alpha.sqrt();
        let (a, t) = locate(root, GLASS_NODES);
        let index = ((1.0 - 1.0 / n).max(0.0).sqrt() - INDEX_AXIS[0]) * (1.0 / (INDEX_AXIS[1] - INDEX_AXIS[0]));
        let (i, w) = locate(index, GLASS_NODES);
        Self { index: (i * GLASS_INDEX) as u32, w, row: (a * GLASS_NODES) as u32, t }
    }

    /// Returns the mean losses on the thinner and on the denser side; `alpha` is the one that this was made for.
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

    /// Returns the loss of glass of the same refractive index and another alpha.
    #[inline]
    fn of_alpha(self, alpha: f32) -> Self {
        let (a, t) = locate(alpha.clamp(MIN_ALPHA, 1.0).sqrt(), GLASS_NODES);
        Self { row: (a * GLASS_NODES) as u32, t, ..self }
    }

    /// Returns the fraction of light lost in a direction of cosine `cos` on the thinner or the denser side, as
    /// [`White::at`] does.
    #[inline]
    pub fn at(&self, dense: bool, cos: f32, alpha: f32) -> f32 {
        let (node, x) = locate(place_of_cosine(cos, alpha), GLASS_NODES);
        let at = (self.index + self.row) as usize + node + if dense { GLASS_SIDE } else { 0 };
        let low = between_rows(&GLASS, at, GLASS_NODES, x, self.t);
        let high = between_rows(&GLASS, at + GLASS_INDEX, GLASS_NODES, x, self.t);
        SCALE * (low + self.w * (high - low))
    }
}

/// Light that single scattering loses at white facets, isotropic or anisotropic.
#[derive(Debug, Clone, Copy)]
pub struct WhiteLosses {
    alpha: Vec2,
    /// Loss of isotropic facets of about the mean alpha, which has the same mean.
    even: White,
    even_alpha: f32,
    /// Extra loss where the two alphas differ.
    anisotropic: AnisotropicLoss,
}

/// Light that single scattering loses at clear glass, isotropic or anisotropic.
#[derive(Debug, Clone, Copy)]
pub(super) struct GlassLosses {
    alpha: Vec2,
    /// Loss of isotropic glass of about the mean alpha.
    even: Glass,
    even_alpha: f32,
    /// Extra loss where the two alphas differ, beyond isotropic facets of [`alpha_of_base`].
    anisotropic: AnisotropicGlass,
}

/// Returns the isotropic alpha with about the same losses as anisotropic facets: between the mean and the root mean
/// square of the two alphas.
#[inline]
pub(super) fn even_alpha(alpha: Vec2) -> f32 {
    if alpha.x == alpha.y {
        return alpha.x;
    }
    let mean = 0.5 * alpha.x + 0.5 * alpha.y;
    let square = 0.5 * alpha.x * alpha.x + 0.5 * alpha.y * alpha.y;
    0.5 * (mean + square.sqrt())
}

/// Returns the alpha of anisotropic facets along the direction `w`, which decides their masking.
#[inline]
fn projected(alpha: Vec2, w: Vec3) -> f32 {
    let (x2, y2) = (w.x * w.x, w.y * w.y);
    let sin2 = x2 + y2;
    if sin2 <= 0.0 {
        return alpha.x;
    }
    ((x2 * alpha.x * alpha.x + y2 * alpha.y * alpha.y) / sin2).sqrt()
}

/// Extra loss of anisotropic white facets beyond isotropic ones of [`even_alpha`] with the horizon of the alpha along
/// the view: a position in `ANISOTROPIC`. Without it up to 0.1 would be missing.
#[derive(Debug, Clone, Copy)]
struct AnisotropicLoss {
    /// Row of `ANISOTROPIC_MEANS` at the nodes below the larger alpha and the ratio; `t` and `r` are the fractions of
    /// the way to the next.
    row: u32,
    t: f32,
    r: f32,
    /// Smaller alpha (`least`), and the inverse of the alphas' difference (`scale`).
    least: f32,
    scale: f32,
}

/// Distance in `ANISOTROPIC` from one ratio of alphas to the next.
const ANISOTROPIC_RATIO: usize = ANISOTROPIC_NODES[2] * ANISOTROPIC_NODES[3];

impl AnisotropicLoss {
    const NONE: Self = Self { row: 0, t: 0.0, r: 0.0, least: 0.0, scale: 0.0 };

    #[inline]
    fn new(alpha: Vec2) -> Self {
        let (least, most) = (alpha.min_element(), alpha.max_element());
        let (a, t) = locate(most.sqrt(), ANISOTROPIC_NODES[0]);
        let (q, r) = locate((1.0 - least / most) / MOST_ANISOTROPY, ANISOTROPIC_NODES[1]);
        Self { row: (a * ANISOTROPIC_NODES[1] + q) as u32, t, r, least, scale: 1.0 / (most - least) }
    }

    #[inline]
    fn at(&self, cos: f32, projected: f32) -> f32 {
        let (p, y) = locate((projected - self.least) * self.scale, ANISOTROPIC_NODES[2]);
        let (node, x) = locate(place_of_cosine(cos, projected), ANISOTROPIC_NODES[3]);
        let at = self.row as usize * ANISOTROPIC_RATIO + p * ANISOTROPIC_NODES[3] + node;
        let row = |at: usize| {
            let low = between_rows(&ANISOTROPIC, at, ANISOTROPIC_NODES[3], x, y);
            low + self.r * (between_rows(&ANISOTROPIC, at + ANISOTROPIC_RATIO, ANISOTROPIC_NODES[3], x, y) - low)
        };
        let low = row(at);
        SCALE * (low + self.t * (row(at + ANISOTROPIC_NODES[1] * ANISOTROPIC_RATIO) - low)) - ANISOTROPIC_ZERO
    }

    /// Returns the mean loss with the extra loss, over that of the isotropic facets.
    #[inline]
    fn mean(&self) -> f32 {
        // Stored by halves.
        2.0 * SCALE * between_rows(&ANISOTROPIC_MEANS, self.row as usize, ANISOTROPIC_NODES[1], self.r, self.t)
    }
}

impl WhiteLosses {
    /// Makes the losses of white facets with `alpha` along tangent and bitangent.
    #[inline]
    pub fn new(alpha: Vec2) -> Self {
        let alpha = alpha.clamp(Vec2::splat(MIN_ALPHA), Vec2::ONE);
        let even_alpha = even_alpha(alpha);
        let mut even = White::new(even_alpha);
        let mut anisotropic = AnisotropicLoss::NONE;
        if alpha.x != alpha.y {
            anisotropic = AnisotropicLoss::new(alpha);
            even.mean *= anisotropic.mean();
        }
        Self { alpha, even, even_alpha, anisotropic }
    }

    /// Returns the fraction of the light from `w` that is lost, on either side.
    #[inline]
    pub fn at(&self, w: Vec3) -> f32 {
        let cos = w.z.abs();
        if self.alpha.x == self.alpha.y {
            return self.even.at(cos, self.alpha.x);
        }
        let projected = projected(self.alpha, w);
        (self.even.at(cos, projected) + self.anisotropic.at(cos, projected)).clamp(0.0, 1.0)
    }

    /// Returns the loss averaged over the hemisphere with the cosine as weight.
    #[inline]
    pub fn mean(&self) -> f32 {
        self.even.mean
    }

    /// Returns a mixture of lobes that samples directions about in proportion to their loss.
    #[inline]
    pub fn horizon(&self) -> Horizon {
        Horizon::new(self.even_alpha)
    }
}

impl GlassLosses {
    /// Makes the losses of glass of refractive index `n` (denser over thinner side), 1.02 to 10.
    #[inline]
    pub fn new(alpha: Vec2, n: f32) -> Self {
        let alpha = alpha.clamp(Vec2::splat(MIN_ALPHA), Vec2::ONE);
        let even_alpha = even_alpha(alpha);
        let anisotropic = if alpha.x == alpha.y { AnisotropicGlass::NONE } else { AnisotropicGlass::new(alpha, n) };
        Self { alpha, even: Glass::new(even_alpha, n), even_alpha, anisotropic }
    }

    /// Returns the fraction of the light from `w` that is lost on the thinner or the denser side.
    #[inline]
    pub fn at(&self, dense: bool, w: Vec3) -> f32 {
        let cos = w.z.abs();
        if self.alpha.x == self.alpha.y {
            return self.even.at(dense, cos, self.alpha.x);
        }
        let projected = projected(self.alpha, w);
        let alpha = alpha_of_base(self.even_alpha, projected, cos);
        let base = self.even.of_alpha(alpha).at(dense, cos, alpha);
        (base + self.anisotropic.at(dense, self.alpha, cos, projected)).clamp(0.0, 1.0)
    }

    /// Returns the mean losses over the hemisphere, cosine-weighted, on the thinner and on the denser side; `n` is the
    /// one that this was made for.
    #[inline]
    pub fn means(&self, n: f32) -> [f32; 2] {
        let even = self.even.means(self.even_alpha);
        if self.alpha.x == self.alpha.y {
            return even;
        }
        let ratios = mean_ratios(self.alpha, n);
        [even[0] * ratios[0], even[1] * ratios[1]]
    }

    /// Returns a mixture of lobes that samples directions about in proportion to their loss.
    #[inline]
    pub fn horizon(&self) -> Horizon {
        Horizon::new(self.even_alpha)
    }
}
