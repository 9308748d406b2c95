//! Losses at facets of clear glass whose alphas along tangent and bitangent differ, beyond those of isotropic facets
//! whose alpha is that along a grazing view and the even one of a view from above.
//!
//! Those have their critical angle and their horizon about where these have them, so that the rest is smooth and a
//! coarse table does: over the side, the index, the larger alpha, the ratio of the alphas, the alpha along the view
//! between the two, and the cosine. Its numbers are no values at nodes, but fitted to the integrals between them (by
//! `tabulate/turned_glass.rs`; `tests/turned_glass.rs` bounds the errors): values at nodes would be wrong by twice as
//! much. Where the alphas are equal nothing is added.

use super::loss_table::{LEAST_ROOT, MOST_TURNED, SCALE, between_rows, locate};
use super::turned_glass_data::{TURNED_GLASS, TURNED_GLASS_MEANS};
use glam::Vec2;

/// Nodes over the index by `sqrt(1 - 1 / n)`, the larger alpha's root, one less the ratio of the alphas, the alpha
/// along the view between the two, and the cosine.
pub(super) const NODES: [usize; 5] = [6, 5, 4, 7, 8];
/// Ends of the axis of the index: 1.02 and 3.05. Denser glass has the numbers of the latter.
pub(super) const INDEX_AXIS: [f32; 2] = [0.14, 0.82];
/// Amount by which the numbers are stored too high, since they have both signs.
pub(super) const ZERO: f32 = 1.0;
/// Unit of the stored numbers.
pub(super) const UNIT: f32 = 4e-5;
/// Numbers from one ratio, one larger alpha, one index and one side to the next.
pub(super) const RATIO: usize = NODES[3] * NODES[4];
const LARGER: usize = NODES[2] * RATIO;
const INDEX: usize = NODES[1] * LARGER;
pub(super) const SIDE: usize = NODES[0] * INDEX;
/// Nodes of the means over the index, the larger alpha's fourth root, and the ratio.
pub(super) const MEAN_NODES: [usize; 3] = [11, 17, 4];
const MEANS_INDEX: usize = MEAN_NODES[1] * MEAN_NODES[2];
pub(super) const MEANS_SIDE: usize = MEAN_NODES[0] * MEANS_INDEX;

/// Place of two alphas and an index in the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct TurnedGlass {
    /// Nodes below the index, the larger alpha and the ratio, and how far beyond.
    row: u32,
    w: f32,
    t: f32,
    r: f32,
    /// Inverse of how much larger the one alpha is.
    scale: f32,
}

impl TurnedGlass {
    /// Place for equal alphas, of which nothing is asked.
    pub const NONE: Self = Self { row: 0, w: 0.0, t: 0.0, r: 0.0, scale: 0.0 };

    /// Returns the place of alphas that differ, at the index `n` of the denser side over the thinner.
    #[inline]
    pub fn new(alpha: Vec2, n: f32) -> Self {
        let (least, most) = (alpha.min_element(), alpha.max_element());
        let (i, w) = locate(place_of_index(n), NODES[0]);
        let (a, t) = locate(most.sqrt(), NODES[1]);
        let (q, r) = locate((1.0 - least / most) / MOST_TURNED, NODES[2]);
        Self { row: ((i * NODES[1] + a) * NODES[2] + q) as u32, w, t, r, scale: 1.0 / (most - least) }
    }

    /// Returns what a direction of cosine `cos` loses more, on the thinner or the denser side; toward it the alpha is
    /// `projected`.
    #[inline]
    pub fn at(&self, dense: bool, alpha: Vec2, cos: f32, projected: f32) -> f32 {
        let (p, y) = locate((projected - alpha.min_element()) * self.scale, NODES[3]);
        let (node, x) = locate(cos, NODES[4]);
        let at = self.row as usize * RATIO + p * NODES[4] + node + if dense { SIDE } else { 0 };
        let of_ratio = |at: usize| between_rows(&TURNED_GLASS, at, NODES[4], x, y);
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

/// Returns the alpha of the isotropic facets, in a direction of cosine `cos` toward which the alpha is `projected`.
#[inline]
pub(super) fn alpha_of_base(even: f32, projected: f32, cos: f32) -> f32 {
    projected + (even - projected) * cos
}

/// Returns the factor on the table's numbers: about how losses fall off away from the horizon. Without it the errors of
/// the fit at small alphas would be more than all that is lost there.
#[inline]
pub(super) fn envelope(most: f32, cos: f32) -> f32 {
    let e = most / (cos + most);
    e * e
}

/// Returns the place of an index on its axis.
#[inline]
fn place_of_index(n: f32) -> f32 {
    ((1.0 - 1.0 / n).max(0.0).sqrt() - INDEX_AXIS[0]) * (1.0 / (INDEX_AXIS[1] - INDEX_AXIS[0]))
}

/// Returns the mean losses on the thinner and on the denser side, over those of isotropic facets of the even alpha.
#[inline]
pub(super) fn mean_ratios(alpha: Vec2, n: f32) -> [f32; 2] {
    let (least, most) = (alpha.min_element(), alpha.max_element());
    let (i, w) = locate(place_of_index(n), MEAN_NODES[0]);
    let (a, t) = locate((most.sqrt().sqrt() - LEAST_ROOT) * (1.0 / (1.0 - LEAST_ROOT)), MEAN_NODES[1]);
    let (q, r) = locate((1.0 - least / most) / MOST_TURNED, MEAN_NODES[2]);
    let mean = |at: usize| {
        let low = between_rows(&TURNED_GLASS_MEANS, at, MEAN_NODES[2], r, t);
        let high = between_rows(&TURNED_GLASS_MEANS, at + MEANS_INDEX, MEAN_NODES[2], r, t);
        // Stored by quarters.
        4.0 * SCALE * (low + w * (high - low))
    };
    let at = (i * MEAN_NODES[1] + a) * MEAN_NODES[2] + q;
    [mean(at), mean(at + MEANS_SIDE)]
}
