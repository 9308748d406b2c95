//! Losses at facets of clear glass whose alphas along tangent and bitangent differ, beyond those of isotropic facets
//! whose alpha is that along a grazing view and the even one of a view from above.
//!
//! Those have their critical angle and their horizon about where these have them, so that the rest is smooth and a
//! coarse table does: over the side, the index, the larger alpha, the ratio of the alphas, the alpha along the view
//! between the two, and the cosine. Its numbers are no values at nodes, but fitted to the integrals between them (by
//! `tabulate/anisotropic_glass.rs`; `tests/anisotropic_glass.rs` bounds the errors): values at nodes would be wrong by
//! twice as much. Where the alphas are equal nothing is added.

use super::anisotropic_glass_data::{ANISOTROPIC_GLASS, ANISOTROPIC_GLASS_MEANS};
use super::loss_table::{LEAST_ROOT, MOST_ANISOTROPY, SCALE, between_rows, locate};
use glam::Vec2;

/// Numbers of table nodes for the refractive index (by `sqrt(1 - 1 / n)`), the root of the larger alpha, 1 less the
/// ratio of the alphas, the alpha along the view between the two, and the cosine.
pub(super) const NODES: [usize; 5] = [6, 5, 4, 7, 8];
/// Ends of the table axis of the refractive index, which stand for indices 1.02 and 3.05. Denser glass has the numbers
/// of the latter.
pub(super) const INDEX_AXIS: [f32; 2] = [0.14, 0.82];
/// Offset added to the stored numbers, since losses have both signs here.
pub(super) const ZERO: f32 = 1.0;
/// Unit of the stored integers.
pub(super) const UNIT: f32 = 4e-5;
/// Distances in the table from one ratio, larger alpha, refractive index and side to the next.
pub(super) const RATIO: usize = NODES[3] * NODES[4];
const LARGER: usize = NODES[2] * RATIO;
const INDEX: usize = NODES[1] * LARGER;
pub(super) const SIDE: usize = NODES[0] * INDEX;
/// Numbers of nodes of the table of means, for the refractive index, the fourth root of the larger alpha, and the ratio
/// of the alphas.
pub(super) const MEAN_NODES: [usize; 3] = [11, 17, 4];
const MEANS_INDEX: usize = MEAN_NODES[1] * MEAN_NODES[2];
pub(super) const MEANS_SIDE: usize = MEAN_NODES[0] * MEANS_INDEX;

/// Extra loss of anisotropic glass, for two alphas and a refractive index: a position in the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnisotropicGlass {
    /// Row at the nodes below refractive index, larger alpha and ratio; `w`, `t` and `r` are the fractions of the way
    /// to the next.
    row: u32,
    w: f32,
    t: f32,
    r: f32,
    /// Inverse of the difference of the two alphas.
    scale: f32,
}

impl AnisotropicGlass {
    /// Placeholder for isotropic glass, which has no extra loss.
    pub const NONE: Self = Self { row: 0, w: 0.0, t: 0.0, r: 0.0, scale: 0.0 };

    /// Returns the table position of two different alphas and a refractive index `n` (denser over thinner side).
    #[inline]
    pub fn new(alpha: Vec2, n: f32) -> Self {
        let (least, most) = (alpha.min_element(), alpha.max_element());
        let (i, w) = locate(place_of_index(n), NODES[0]);
        let (a, t) = locate(most.sqrt(), NODES[1]);
        let (q, r) = locate((1.0 - least / most) / MOST_ANISOTROPY, NODES[2]);
        Self { row: ((i * NODES[1] + a) * NODES[2] + q) as u32, w, t, r, scale: 1.0 / (most - least) }
    }

    /// Returns the extra loss in a direction of cosine `cos` on the thinner or the denser side, along which the alpha
    /// is `projected`.
    #[inline]
    pub fn at(&self, dense: bool, alpha: Vec2, cos: f32, projected: f32) -> f32 {
        let (p, y) = locate((projected - alpha.min_element()) * self.scale, NODES[3]);
        let (node, x) = locate(cos, NODES[4]);
        let at = self.row as usize * RATIO + p * NODES[4] + node + if dense { SIDE } else { 0 };
        let of_ratio = |at: usize| between_rows(&ANISOTROPIC_GLASS, at, NODES[4], x, y);
        let of_larger = |at: usize| {
            let low = of_ratio(at);
            low + self.r * (of_ratio(at + RATIO) - low)
        };
        let of_index = |at: usize| {
            let low = of_larger(at);
            low + self.t * (of_larger(at + LARGER) - low)
        };
        let low = of_index(at);
        let number = UNIT * (low + self.w * (of_index(at + INDEX) - low)) - ZERO;
        number * envelope(alpha.max_element(), cos)
    }
}

/// Returns the alpha of the isotropic glass to which the extra loss is added, for a direction of cosine `cos` with the
/// alpha `projected` along it.
#[inline]
pub(super) fn alpha_of_base(even: f32, projected: f32, cos: f32) -> f32 {
    projected + (even - projected) * cos
}

/// Returns the factor on the table's numbers, which falls off away from the horizon about as losses do. Without it the
/// errors of the fit at small alphas would be more than all that is lost there.
#[inline]
pub(super) fn envelope(most: f32, cos: f32) -> f32 {
    let e = most / (cos + most);
    e * e
}

/// Returns the coordinate of a refractive index on its table axis.
#[inline]
fn place_of_index(n: f32) -> f32 {
    ((1.0 - 1.0 / n).max(0.0).sqrt() - INDEX_AXIS[0]) * (1.0 / (INDEX_AXIS[1] - INDEX_AXIS[0]))
}

/// Returns the mean losses on the thinner and the denser side, over those of isotropic glass with the even alpha.
#[inline]
pub(super) fn mean_ratios(alpha: Vec2, n: f32) -> [f32; 2] {
    let (least, most) = (alpha.min_element(), alpha.max_element());
    let (i, w) = locate(place_of_index(n), MEAN_NODES[0]);
    let (a, t) = locate((most.sqrt().sqrt() - LEAST_ROOT) * (1.0 / (1.0 - LEAST_ROOT)), MEAN_NODES[1]);
    let (q, r) = locate((1.0 - least / most) / MOST_ANISOTROPY, MEAN_NODES[2]);
    let mean = |at: usize| {
        let low = between_rows(&ANISOTROPIC_GLASS_MEANS, at, MEAN_NODES[2], r, t);
        let high = between_rows(&ANISOTROPIC_GLASS_MEANS, at + MEANS_INDEX, MEAN_NODES[2], r, t);
        // Stored by quarters.
        4.0 * SCALE * (low + w * (high - low))
    };
    let at = (i * MEAN_NODES[1] + a) * MEAN_NODES[2] + q;
    [mean(at), mean(at + MEANS_SIDE)]
}
