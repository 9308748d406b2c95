//! Table of the light that scaling by a coat takes too much of.
//!
//! A base of white facets lies under a coat and is scaled by `1 - max(E(wo), E(wi))`, E the coat's albedo,
//! instead of by `1 - E(wo)`: `COAT` is the mean of what `E(wi)` is larger by. It is linear in the cosine and
//! the roots of the alphas. `COAT_MEANS` has means over the hemisphere at the same alphas.
//! Both are for a coat of `f0` [`COAT_F0`]; other coats take too much in proportion to `1 - f0`.

use super::loss_data::{COAT, COAT_MEANS};
use super::loss_table::{SCALE, between_rows, locate};
use glam::Vec2;

/// Numbers of table nodes for the coat's alpha, the base's alpha and the cosine.
pub(super) const COAT_NODES: [usize; 3] = [6, 16, 16];
/// Reflectance at normal incidence of a clear coat, whose refractive index is 1.5.
pub(super) const COAT_F0: f32 = 0.04;
/// Amount by which the stored losses are reduced: about the table's largest interpolation error upwards.
#[cfg(any(test, feature = "tables"))]
pub(super) const COAT_MARGIN: f32 = 0.001;
/// Number of numbers in a [`CoatMeans`].
pub(super) const COAT_MEAN_NUMBERS: usize = 5;

/// Light that a coat of one alpha takes too much of, over white facets of another: a position in the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct CoatLoss {
    /// Row of `COAT` at the nodes below both alphas.
    row: u32,
    /// Fractions of the way from the nodes below to the next ones, 0 to 1: of the base's alpha (`base`) and the coat's
    /// (`coat`).
    base: f32,
    coat: f32,
}

/// Means over the hemisphere, weighted by the cosine, of a coat's losses over white facets.
#[derive(Debug, Clone, Copy)]
pub(super) struct CoatMeans {
    /// Mean of the loss [`CoatLoss::at`].
    pub loss: f32,
    /// Scale and bias of the coat's albedo, averaged with the further weight of what white facets under it lose.
    pub lost: Vec2,
    /// Factors on f0 and f90 of a dielectric base in the mean of `E_base E + E_base / (1 - lost) loss`.
    pub covered: Vec2,
}

impl CoatLoss {
    #[inline]
    pub fn new(base_alpha: f32, coat_alpha: f32) -> Self {
        let (b, base) = locate(base_alpha.max(0.0).sqrt(), COAT_NODES[1]);
        let (a, coat) = locate(coat_alpha.max(0.0).sqrt(), COAT_NODES[0]);
        Self { row: (a * COAT_NODES[1] + b) as u32, base, coat }
    }

    /// Returns the fraction of the light from a direction that the coat's scaling takes too much.
    #[inline]
    pub fn at(&self, cos: f32) -> f32 {
        let (node, x) = locate(cos, COAT_NODES[2]);
        let at = self.row as usize * COAT_NODES[2] + node;
        let low = between_rows(&COAT, at, COAT_NODES[2], x, self.base);
        let high = between_rows(&COAT, at + COAT_NODES[1] * COAT_NODES[2], COAT_NODES[2], x, self.base);
        SCALE * (low + self.coat * (high - low))
    }

    #[inline]
    pub fn means(&self) -> CoatMeans {
        let number = |i: usize| {
            let at = |row: usize| f32::from(COAT_MEANS[row * COAT_MEAN_NUMBERS + i]);
            let row = self.row as usize;
            let next = row + COAT_NODES[1];
            let low = at(row) + self.base * (at(row + 1) - at(row));
            let high = at(next) + self.base * (at(next + 1) - at(next));
            SCALE * (low + self.coat * (high - low))
        };
        CoatMeans { loss: number(0), lost: Vec2::new(number(1), number(2)), covered: Vec2::new(number(3), number(4)) }
    }
}
