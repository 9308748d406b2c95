//! Fit of the light that glass of different alphas loses to its integrals, as `anisotropic_glass_data.rs` has it.

use super::loss::{POINTS, array, exact_anisotropic, mean_of_anisotropic, stored};
use super::{direction, numbers};
use crate::bsdf::anisotropic_glass::{
    INDEX_AXIS, MEAN_NODES, MEANS_SIDE, NODES, RATIO, SIDE, UNIT, ZERO, alpha_of_base, envelope,
};
use crate::bsdf::loss_table::{Glass, GlassLosses, LEAST_ALPHA, LEAST_ROOT, MOST_ANISOTROPY, even_alpha, locate};
use glam::{Vec2, Vec3};
use rayon::prelude::*;

/// Direction at anisotropic glass, on one side of the boundary, to which the table is fitted. The first alpha is the
/// larger.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub alpha: Vec2,
    pub n: f32,
    pub dense: bool,
    pub wo: Vec3,
}

impl Place {
    /// Returns the facets' alpha along the direction.
    fn along(&self) -> f32 {
        let (x2, y2) = (self.wo.x * self.wo.x, self.wo.y * self.wo.y);
        if x2 + y2 == 0.0 {
            return self.alpha.x;
        }
        ((x2 * self.alpha.x * self.alpha.x + y2 * self.alpha.y * self.alpha.y) / (x2 + y2)).sqrt()
    }

    pub fn exact(&self, points: u32) -> f64 {
        exact_anisotropic(self.alpha, self.wo, Some(if self.dense { 1.0 / self.n } else { self.n }), points)
    }

    /// Returns the loss of the isotropic facets to which the table of anisotropic glass adds.
    fn isotropic(&self) -> f32 {
        let alpha = alpha_of_base(even_alpha(self.alpha), self.along(), self.wo.z);
        Glass::new(alpha, self.n).at(self.dense, self.wo.z, alpha)
    }

    /// Returns the indices of the 32 table numbers from which the table interpolates here, with their weights.
    fn stencil(&self) -> [(usize, f32); 32] {
        let [most, least] = self.alpha.to_array();
        let index = ((1.0 - 1.0 / self.n).sqrt() - INDEX_AXIS[0]) / (INDEX_AXIS[1] - INDEX_AXIS[0]);
        let along = (self.along() - least) / (most - least);
        let place = [index, most.sqrt(), (1.0 - least / most) / MOST_ANISOTROPY, along, self.wo.z];
        let cells: [(usize, f32); 5] = std::array::from_fn(|axis| locate(place[axis], NODES[axis]));
        std::array::from_fn(|corner| {
            let (mut at, mut weight) = (usize::from(self.dense), envelope(most, self.wo.z));
            for (axis, (node, beyond)) in cells.into_iter().enumerate() {
                let upper = corner >> axis & 1;
                at = at * NODES[axis] + node + upper;
                weight *= if upper == 1 { beyond } else { 1.0 - beyond };
            }
            (at, weight)
        })
    }

    /// Makes the `i`-th random direction and glass, often at the ends of table axes.
    pub fn random(i: u32, dense: bool) -> Self {
        let (v, u) = numbers(i);
        let (index, [azimuth, ratio]) = numbers(i + 1_000_000);
        let (kind, _) = numbers(i + 3_000_000);
        let most = if i.is_multiple_of(7) { 1.0 } else { (v * v).max(2e-3) };
        let alpha =
            Vec2::new(most, most * (1.0 - MOST_ANISOTROPY * if i.is_multiple_of(3) { 1.0 } else { ratio.max(0.02) }));
        let cos = if i.is_multiple_of(8) {
            1.0
        } else if i.is_multiple_of(2) {
            u[0]
        } else {
            u[0] * u[0]
        };
        let azimuth = if i.is_multiple_of(5) { azimuth.round() } else { azimuth };
        let n = if kind < 0.4 { 1.02 + 2.0 * index * index } else { index_at(if kind > 0.95 { 1.0 } else { index }) };
        let wo = direction(f64::from(cos.max(1e-5)).acos().to_degrees(), 90.0 * f64::from(azimuth));
        Self { alpha, n, dense, wo }
    }

    /// Returns the direction and glass of a number of the table; the alphas are equal where the table adds nothing.
    fn of_number(mut at: usize) -> Self {
        let mut place = [0.0f32; 5];
        for axis in (0..5).rev() {
            place[axis] = (at % NODES[axis]) as f32 / (NODES[axis] - 1) as f32;
            at /= NODES[axis];
        }
        let [index, most, ratio, along, cos] = place;
        let most = (most * most).max(LEAST_ALPHA);
        let least = most * (1.0 - MOST_ANISOTROPY * ratio);
        let along = least + along * (most - least);
        let x2 = if ratio > 0.0 { (along * along - least * least) / (most * most - least * least) } else { 0.5 };
        let cos = cos.max(1e-6);
        let sin = (1.0 - cos * cos).max(0.0).sqrt();
        let wo = Vec3::new(sin * x2.sqrt(), sin * (1.0 - x2).max(0.0).sqrt(), cos);
        Self { alpha: Vec2::new(most, least), n: index_at(index), dense: at == 1, wo }
    }
}

/// Returns the refractive index at the fraction `x`, 0 to 1, of the index axis of the table for anisotropic glass.
pub(crate) fn index_at(x: f32) -> f32 {
    let s = INDEX_AXIS[0] + x * (INDEX_AXIS[1] - INDEX_AXIS[0]);
    1.0 / (1.0 - s * s)
}

/// Settings of the fit: number of random directions, and number of rounds over them.
const PLACES: u32 = 160_000;
const ROUNDS: u32 = 60;
/// Errors that the fit aims at: all are drawn a little to `MIDDLE`, and those outside `BOUNDS` strongly, more so from
/// above, since too much light is worse than too little.
const MIDDLE: f32 = -0.0065;
const BOUNDS: [f32; 2] = [-0.013, -0.0015];

/// Clamps a number to the range that the table can store.
fn within(x: f32) -> f32 {
    x.clamp(-ZERO, UNIT * f32::from(u16::MAX) - ZERO)
}

/// Fits the table's numbers for one side of the glass to exact losses at random directions, beginning with the losses
/// at the nodes.
fn fit(dense: bool) -> Vec<f32> {
    let side = usize::from(dense) * SIDE;
    let is_even = |at: usize| (at / RATIO).is_multiple_of(NODES[2]);
    let value = |at: usize| {
        let place = Place::of_number(at);
        let more = place.exact(POINTS / 2) as f32 - place.isotropic();
        if is_even(at) { 0.0 } else { within(more / envelope(place.alpha.x, place.wo.z)) }
    };
    let mut table: Vec<f32> = (side..side + SIDE).into_par_iter().map(value).collect();
    let places: Vec<_> = (0..PLACES)
        .into_par_iter()
        .map(|i| Place::random(i + 100_000, dense))
        .map(|place| (place.stencil(), place.exact(POINTS / 3) as f32 - place.isotropic()))
        .collect();
    for round in 0..ROUNDS {
        let slower = 1.0 - 0.9 * round as f32 / ROUNDS as f32;
        for (stencil, want) in &places {
            let got: f32 = stencil.iter().map(|(at, weight)| weight * table[at - side]).sum();
            let squares: f32 = stencil.iter().map(|(_, weight)| weight * weight).sum();
            let error = got - want;
            let outside = 1.2 * (error - BOUNDS[1]).max(0.0) + (error - BOUNDS[0]).min(0.0);
            let step = slower * (0.01 * (error - MIDDLE) + 0.5 * outside) / squares.max(0.05);
            for &(at, weight) in stencil.iter().filter(|s| !is_even(s.0)) {
                table[at - side] = within(table[at - side] - step * weight);
            }
        }
    }
    table
}

/// Returns the mean tabulated losses of anisotropic glass on the thinner and the denser side, over those of isotropic
/// glass with the even alpha.
fn mean_ratio(alpha: Vec2, n: f32) -> [f64; 2] {
    let losses = GlassLosses::new(alpha, n);
    let even = even_alpha(alpha);
    let means = Glass::new(even, n).means(even);
    [false, true]
        .map(|dense| mean_of_anisotropic(|w| losses.at(dense, w), alpha) / f64::from(means[usize::from(dense)]))
}

/// Returns a mean of anisotropic glass by its index in the table, in its stored form.
pub(crate) fn mean_number(at: usize) -> u16 {
    let [indices, alphas, ratios] = MEAN_NODES;
    let place = |node: usize, nodes: usize| (node % nodes) as f32 / (nodes - 1) as f32;
    let root = LEAST_ROOT + (1.0 - LEAST_ROOT) * place(at / ratios, alphas);
    let most = (root * root) * (root * root);
    let alpha = Vec2::new(most, most * (1.0 - MOST_ANISOTROPY * place(at, ratios)));
    if alpha.x == alpha.y {
        return stored(0.25);
    }
    let n = index_at(place(at / (ratios * alphas), indices));
    stored(0.25 * mean_ratio(alpha, n)[at / MEANS_SIDE])
}

fn write(table: &[u16], means: &[u16]) -> String {
    let mut text = String::from(
        "// Generated by `cargo xtask tables`; do not edit.\n\
         //! What glass of different alphas loses more, and its means; see `anisotropic_glass.rs`.\n\n\
         use super::anisotropic_glass::{MEANS_SIDE, SIDE};\n",
    );
    for (about, name, size, numbers) in [
        (
            "Extra loss of anisotropic glass, by side, index, larger alpha, ratio, alpha along the view, then cosine",
            "ANISOTROPIC_GLASS",
            "[u16; 2 * SIDE]",
            table,
        ),
        (
            "Mean loss of anisotropic glass over that of isotropic, by side, index, larger alpha, then ratio",
            "ANISOTROPIC_GLASS_MEANS",
            "[u16; 2 * MEANS_SIDE]",
            means,
        ),
    ] {
        text += &format!("\n/// {about}.");
        array(&mut text, name, size, numbers.iter().map(u16::to_string));
    }
    text
}

/// Returns the generated source text of `anisotropic_glass_data.rs`: the fitted numbers, and means of the tables as
/// they are compiled in.
pub(crate) fn text() -> String {
    let (thin, dense) = rayon::join(|| fit(false), || fit(true));
    let table: Vec<u16> = [thin, dense].concat().into_iter().map(|x| ((x + ZERO) / UNIT).round() as u16).collect();
    let means: Vec<u16> = (0..2 * MEANS_SIDE).into_par_iter().map(mean_number).collect();
    write(&table, &means)
}
