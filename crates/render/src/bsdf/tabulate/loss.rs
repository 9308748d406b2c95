//! Integrals of the light that single scattering loses, as `loss_data.rs` has them.

use super::albedo::over_the_square;
use crate::bsdf::Scattering;
use crate::bsdf::albedo_table::{AlbedoTable, albedo};
use crate::bsdf::coat_table::{COAT_F0, COAT_MARGIN, COAT_MEAN_NUMBERS, COAT_NODES, CoatLoss};
use crate::bsdf::facets::Facets;
use crate::bsdf::fresnel;
use crate::bsdf::ggx::Ggx;
use crate::bsdf::loss_data::{ANISOTROPIC, ANISOTROPIC_MEANS, COAT};
use crate::bsdf::loss_table::{
    ANISOTROPIC_MARGIN, ANISOTROPIC_NODES, ANISOTROPIC_ZERO, GLASS_NODES, Glass, INDEX_AXIS, LEAST_ALPHA, LEAST_ROOT,
    MARGIN, MEAN_NODES, MOST_ANISOTROPY, SCALE, WHITE_NODES, White, WhiteLosses, even_alpha,
};
use glam::{DVec2, Vec2, Vec3};
use rayon::prelude::*;

/// Number of integration points along an axis with which the loss tables were made.
pub(crate) const POINTS: u32 = 96;

/// Returns the exact fraction of light lost at white facets, or at facets of glass if `eta` is the refractive index
/// beyond over that before.
pub(crate) fn exact(alpha: f32, cos: f32, eta: Option<f32>) -> f64 {
    let cos = cos.max(1e-7);
    let wo = Vec3::new((1.0 - cos * cos).max(0.0).sqrt(), 0.0, cos);
    let ggx = Ggx::new(Vec2::splat(alpha));
    1.0 - over_the_square(POINTS, |u| kept(&ggx, wo, eta, u)).element_sum()
}

/// Returns the fractions of light that one facet, sampled by the numbers `u`, reflects and refracts.
pub(crate) fn kept(ggx: &Ggx, wo: Vec3, eta: Option<f32>, u: [f32; 2]) -> DVec2 {
    let h = ggx.sample_visible(wo, u);
    let cos = wo.dot(h);
    let wi = 2.0 * cos * h - wo;
    let reflected = if wi.z > 0.0 { ggx.g1(wi) } else { 0.0 };
    let Some(eta) = eta else { return DVec2::new(f64::from(reflected), 0.0) };
    let (share, cos_t) = fresnel::dielectric(cos, eta);
    let wi = ((cos / eta - cos_t) * h - wo / eta).normalize();
    let refracted = if share < 1.0 && wi.z < 0.0 { ggx.g1(wi) } else { 0.0 };
    DVec2::new(f64::from(share * reflected), f64::from((1.0 - share) * refracted))
}

/// Returns the exact fraction of light lost at anisotropic facets in the direction `wo`.
pub(crate) fn exact_anisotropic(alpha: Vec2, wo: Vec3, eta: Option<f32>, points: u32) -> f64 {
    let ggx = Ggx::new(alpha);
    // The square is that of half a turn.
    let both = |u: [f32; 2]| 0.5 * (kept(&ggx, wo, eta, u) + kept(&ggx, wo, eta, [u[0], u[1] + 0.5]));
    1.0 - over_the_square(points, both).element_sum()
}

/// Returns what a node of the table of anisotropic facets stands for: the two alphas, a direction, and the alpha along
/// it.
pub(crate) fn anisotropic_place(node: usize) -> (Vec2, Vec3, f32) {
    let [_, ratios, azimuths, cosines] = ANISOTROPIC_NODES;
    let at = [
        node / (ratios * azimuths * cosines),
        node / (azimuths * cosines) % ratios,
        node / cosines % azimuths,
        node % cosines,
    ];
    let [a, q, p, t] = std::array::from_fn(|axis| at[axis] as f32 / (ANISOTROPIC_NODES[axis] - 1) as f32);
    let most = (a * a).max(LEAST_ALPHA);
    let least = most * (1.0 - MOST_ANISOTROPY * q);
    let along = least + p * (most - least);
    let x2 = if q > 0.0 { (along * along - least * least) / (most * most - least * least) } else { 0.5 };
    let cos = cos_at(f64::from(t), along).max(1e-6);
    let sin = (1.0 - cos * cos).max(0.0).sqrt();
    (Vec2::new(most, least), Vec3::new(sin * x2.sqrt(), sin * (1.0 - x2).max(0.0).sqrt(), cos), along)
}

pub(crate) fn anisotropic_node(node: usize) -> u16 {
    let (alpha, wo, along) = anisotropic_place(node);
    if alpha.x == alpha.y {
        return stored(f64::from(ANISOTROPIC_ZERO));
    }
    let even = f64::from(White::new(even_alpha(alpha)).at(wo.z, along));
    let exact = exact_anisotropic(alpha, wo, None, POINTS / 2) * f64::from(1.0 - ANISOTROPIC_MARGIN);
    stored(exact - even + f64::from(ANISOTROPIC_ZERO))
}

/// Returns the mean tabulated loss of anisotropic facets at a node's alphas, over that of isotropic facets.
pub(crate) fn anisotropic_mean(node: usize) -> f64 {
    let (alpha, _, _) = anisotropic_place(node * ANISOTROPIC_NODES[2] * ANISOTROPIC_NODES[3]);
    let even = White::new(even_alpha(alpha));
    if alpha.x == alpha.y {
        return 1.0;
    }
    let losses = WhiteLosses::new(alpha);
    mean_of_anisotropic(|w| losses.at(w), alpha) / f64::from(even.mean)
}

/// Returns a loss of anisotropic facets averaged over the hemisphere.
pub(crate) fn mean_of_anisotropic(loss: impl Fn(Vec3) -> f32, alpha: Vec2) -> f64 {
    let n = 32;
    let azimuths: Vec<_> =
        (0..n).map(|j| (0.25 * (f64::from(j) + 0.5) / f64::from(n) * std::f64::consts::TAU).sin_cos()).collect();
    let around = |cos: f32| {
        let sin = f64::from(1.0 - cos * cos).max(0.0).sqrt();
        let at =
            |azimuth: &(f64, f64)| f64::from(loss(Vec3::new((azimuth.1 * sin) as f32, (azimuth.0 * sin) as f32, cos)));
        (azimuths.iter().map(at).sum::<f64>() / f64::from(n)) as f32
    };
    let most = alpha.max_element();
    mean(around, most) * f64::from(most * most)
}

/// Returns the alpha at the fraction `x` of a table axis.
pub(crate) fn alpha_at(x: f64) -> f32 {
    ((x * x) as f32).max(LEAST_ALPHA)
}

pub(crate) fn cos_at(t: f64, alpha: f32) -> f32 {
    let a = f64::from(alpha);
    (t * a / (1.0 + a - t)) as f32
}

pub(crate) fn index_at(x: f64) -> f32 {
    let s = f64::from(INDEX_AXIS[0]) + x * f64::from(INDEX_AXIS[1] - INDEX_AXIS[0]);
    (1.0 / (1.0 - s * s)) as f32
}

pub(crate) fn white_at(alpha: f64, t: f64) -> f64 {
    let alpha = alpha_at(alpha);
    exact(alpha, cos_at(t, alpha), None)
}

/// Returns the exact loss of glass at fractions of the table's three axes.
pub(crate) fn glass_at(side: usize, [index, alpha, t]: [f64; 3]) -> f64 {
    let (n, alpha) = (index_at(index), alpha_at(alpha));
    exact(alpha, cos_at(t, alpha), Some(if side == 0 { n } else { 1.0 / n }))
}

/// Returns the value to store at a node of the glass table: the exact loss, less a correction for interpolation.
///
/// Between nodes the loss is mostly convex, and straight lines through its values lie too high: half the mean error at
/// the middles of the cells about is taken off.
pub(crate) fn glass_node(side: usize, node: [usize; 3], value: &impl Fn(usize, [usize; 3]) -> f64) -> f64 {
    let (mut error, mut cells) = (0.0, 0.0);
    for corner in 0..8 {
        let cell: [Option<usize>; 3] = std::array::from_fn(|axis| {
            let low = node[axis].checked_sub(corner >> axis & 1)?;
            (low < GLASS_NODES - 1).then_some(low)
        });
        let [Some(i), Some(a), Some(t)] = cell else { continue };
        let mean: f64 = (0..8).map(|c| value(side, [i + (c & 1), a + (c >> 1 & 1), t + (c >> 2)])).sum::<f64>() / 8.0;
        let middle = [i, a, t].map(|low| (low as f64 + 0.5) / (GLASS_NODES - 1) as f64);
        error += mean - glass_at(side, middle);
        cells += 1.0;
    }
    (value(side, node) - 0.5 * error / cells - f64::from(MARGIN)).clamp(0.0, 1.0)
}

pub(crate) fn glass_value(side: usize, node: [usize; 3]) -> f64 {
    glass_at(side, node.map(|i| i as f64 / (GLASS_NODES - 1) as f64))
}

/// Returns the light from white facets that the coat's scaling takes too much, integrated, at fractions of the table's
/// axes.
pub(crate) fn coat_at([coat, base, cos]: [f64; 3]) -> f64 {
    let row = AlbedoTable::ggx().row((coat * coat) as f32);
    let e = |cos: f32| albedo(Vec3::splat(COAT_F0), 1.0, row.at(cos)).x;
    let cos = (cos as f32).max(1e-3);
    let wo = Vec3::new((1.0 - cos * cos).sqrt(), 0.0, cos);
    let ggx = Ggx::new(Vec2::splat((base * base) as f32));
    let lost = over_the_square(POINTS, |u| {
        let h = ggx.sample_visible(wo, u);
        let wi = 2.0 * wo.dot(h) * h - wo;
        let weight = if wi.z > 0.0 { ggx.g1(wi) } else { 0.0 };
        DVec2::new(f64::from(weight * (e(wi.z) - e(cos)).max(0.0)), 0.0)
    });
    lost.x
}

/// Returns [`coat_at`] at a node of the coat table. The scale of three axes is the place of a node on them.
pub(crate) fn coat_node(at: usize) -> f64 {
    let [_, bases, cosines] = COAT_NODES;
    let node = [at / (bases * cosines), at / cosines % bases, at % cosines];
    let place = std::array::from_fn(|axis| node[axis] as f64 / (COAT_NODES[axis] - 1) as f64);
    (coat_at(place) - f64::from(COAT_MARGIN)).max(0.0)
}

/// Returns the alpha at a node of the tables of means.
pub(crate) fn mean_alpha(node: usize) -> f32 {
    let root = LEAST_ROOT + (1.0 - LEAST_ROOT) * node as f32 / (MEAN_NODES - 1) as f32;
    (root * root) * (root * root)
}

/// Returns the cosine-weighted mean of the interpolated `loss` over the hemisphere, divided by alpha^2.
pub(crate) fn mean(loss: impl Fn(f32) -> f32, alpha: f32) -> f64 {
    let n = 6000;
    let a = f64::from(alpha);
    let sum: f64 = (0..n)
        .map(|i| {
            let t = (f64::from(i) + 0.5) / f64::from(n);
            let cos = cos_at(t, alpha);
            let slope = a * (1.0 + a) / ((1.0 + a - t) * (1.0 + a - t));
            f64::from(loss(cos)) * 2.0 * f64::from(cos) * slope / f64::from(n)
        })
        .sum();
    sum / (a * a)
}

pub(crate) fn stored(x: f64) -> u16 {
    (x.clamp(0.0, 1.0) / f64::from(SCALE)).round() as u16
}

/// Returns the refractive index at a node of the glass table.
pub(crate) fn index_of(node: usize) -> f32 {
    index_at(node as f64 / (GLASS_NODES - 1) as f64)
}

pub(crate) fn array(text: &mut String, name: &str, size: &str, numbers: impl Iterator<Item = String>) {
    *text += &format!("\n#[rustfmt::skip]\npub(super) static {name}: {size} = [\n");
    let numbers: Vec<String> = numbers.collect();
    for line in numbers.chunks(24) {
        *text += &format!("    {},\n", line.join(","));
    }
    *text += "];\n";
}

/// Returns the numbers of `CoatMeans` at a node, computed from the stored tables.
pub(crate) fn coat_means(node: usize) -> [f64; COAT_MEAN_NUMBERS] {
    let place = |i: usize, axis: usize| (i as f64 / (COAT_NODES[axis] - 1) as f64).powi(2) as f32;
    let (coat_alpha, base_alpha) = (place(node / COAT_NODES[1], 0), place(node % COAT_NODES[1], 1).max(LEAST_ALPHA));
    let table = CoatLoss::new(place(node % COAT_NODES[1], 1), coat_alpha);
    let coat = AlbedoTable::ggx().row(coat_alpha);
    let base_row = AlbedoTable::ggx().row(base_alpha);
    let base = Facets::new(base_row, Vec2::splat(base_alpha), Scattering::Multiple);
    let mut sums = [0.0; COAT_MEAN_NUMBERS];
    let mut sum_of_lost = 0.0;
    // Half of the points lie evenly in the cosine, half evenly in its place on the axis of the losses, which crowds at
    // the horizon; each counts by the density of both.
    let n = 4000;
    let a = f64::from(base_alpha);
    for i in 0..2 * n {
        let x = (f64::from(i / 2) + 0.5) / f64::from(n);
        let cos = if i % 2 == 0 { x } else { x * a / (1.0 + a - x) };
        let density = 0.5 + 0.5 * a * (1.0 + a) / ((cos + a) * (cos + a));
        let weight = 2.0 * cos / density / f64::from(2 * n);
        let cos = cos as f32;
        let w = Vec3::new((1.0 - cos * cos).sqrt(), 0.0, cos);
        let (at, coat) = (base.at(w), coat.at(cos).as_dvec2());
        let (loss, lost) = (f64::from(table.at(cos)), f64::from(at.lost));
        let base = at.scale_bias.as_dvec2();
        let covered = base * (f64::from(COAT_F0) * coat.x + coat.y) + base / (1.0 - lost).max(1e-6) * loss;
        let values = [loss, lost * coat.x, lost * coat.y, covered.x, covered.y];
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum += weight * value;
        }
        sum_of_lost += weight * lost;
    }
    sums[1] /= sum_of_lost;
    sums[2] /= sum_of_lost;
    sums
}

pub(crate) fn white_mean(node: usize) -> f64 {
    let alpha = mean_alpha(node);
    let loss = White::new(alpha);
    mean(|cos| loss.at(cos, alpha), alpha)
}

pub(crate) fn glass_mean(side: usize, index: usize, node: usize) -> f64 {
    let alpha = mean_alpha(node);
    let loss = Glass::new(alpha, index_of(index));
    mean(|cos| loss.at(side == 1, cos, alpha), alpha)
}

fn write(
    [white, glass, coat, coat_means, anisotropic, anisotropic_means]: &[&[u16]; 6],
    white_means: &[f32],
    glass_means: &[f32],
) -> String {
    let mut text = String::from(
        "// Generated by `cargo xtask tables`; do not edit.\n\
         //! What single scattering loses, in units of 1e-4, and means over alpha^2; see `loss_table.rs`.\n\n\
         use super::coat_table::{COAT_MEAN_NUMBERS, COAT_NODES};\n\
         use super::loss_table::{ANISOTROPIC_NODES, GLASS_NODES, MEAN_NODES, WHITE_NODES};\n",
    );
    let side = "[u16; 2 * GLASS_NODES * GLASS_NODES * GLASS_NODES]";
    let coats = "[u16; COAT_NODES[0] * COAT_NODES[1] * COAT_NODES[2]]";
    let coats_means = "[u16; COAT_NODES[0] * COAT_NODES[1] * COAT_MEAN_NUMBERS]";
    let of_losses = "[u16; ANISOTROPIC_NODES[0] * ANISOTROPIC_NODES[1] * ANISOTROPIC_NODES[2] * ANISOTROPIC_NODES[3]]";
    let of_means = "[u16; ANISOTROPIC_NODES[0] * ANISOTROPIC_NODES[1]]";
    for (about, name, size, numbers) in [
        ("Loss of white facets, by alpha, then cosine", "WHITE", "[u16; WHITE_NODES * WHITE_NODES]", white),
        ("Loss of clear glass, by side (thinner first), refractive index, alpha, then cosine", "GLASS", side, glass),
        ("Loss of a coat over white facets, by the coat's alpha, the base's alpha, then cosine", "COAT", coats, coat),
        (
            "Means of a coat's losses, by the coat's alpha, the base's alpha, then the numbers of `CoatMeans`",
            "COAT_MEANS",
            coats_means,
            coat_means,
        ),
        (
            "Extra loss of anisotropic white facets, by larger alpha, ratio, alpha along the view, then cosine",
            "ANISOTROPIC",
            of_losses,
            anisotropic,
        ),
        (
            "Mean loss of anisotropic white facets over that of isotropic ones, by larger alpha, then ratio",
            "ANISOTROPIC_MEANS",
            of_means,
            anisotropic_means,
        ),
    ] {
        text += &format!("\n/// {about}.");
        array(&mut text, name, size, numbers.iter().map(u16::to_string));
    }
    let size = "[f32; 2 * GLASS_NODES * MEAN_NODES]";
    for (about, name, size, numbers) in [
        ("Mean loss of white facets over alpha^2, by alpha", "WHITE_MEANS", "[f32; MEAN_NODES]", white_means),
        (
            "Mean loss of clear glass over alpha^2, by side, refractive index, then alpha",
            "GLASS_MEANS",
            size,
            glass_means,
        ),
    ] {
        text += &format!("\n/// {about}.");
        array(&mut text, name, size, numbers.iter().map(|m| format!("{m:.4}")));
    }
    text
}

/// Returns the generated source text of `loss_data.rs`: losses at nodes, and means of the tables as they are compiled
/// in.
pub(crate) fn text() -> String {
    let white: Vec<u16> = (0..WHITE_NODES * WHITE_NODES)
        .into_par_iter()
        .map(|i| [i / WHITE_NODES, i % WHITE_NODES].map(|i| i as f64 / (WHITE_NODES - 1) as f64))
        .map(|[alpha, t]| stored(white_at(alpha, t)))
        .collect();
    let coat: Vec<u16> = (0..COAT.len()).into_par_iter().map(|at| stored(coat_node(at))).collect();
    let anisotropic: Vec<u16> = (0..ANISOTROPIC.len()).into_par_iter().map(anisotropic_node).collect();
    let coat_means: Vec<[u16; COAT_MEAN_NUMBERS]> =
        (0..COAT_NODES[0] * COAT_NODES[1]).into_par_iter().map(|node| coat_means(node).map(stored)).collect();
    let anisotropic_means: Vec<u16> =
        (0..ANISOTROPIC_MEANS.len()).into_par_iter().map(|node| stored(0.5 * anisotropic_mean(node))).collect();
    let white_means: Vec<f32> = (0..MEAN_NODES).into_par_iter().map(|m| white_mean(m) as f32).collect();
    let glass_means: Vec<f32> = (0..2 * GLASS_NODES * MEAN_NODES)
        .into_par_iter()
        .map(|at| (at / (GLASS_NODES * MEAN_NODES), at / MEAN_NODES % GLASS_NODES, at % MEAN_NODES))
        .map(|(side, index, node)| glass_mean(side, index, node) as f32)
        .collect();
    let tables = [&white[..], &glass_nodes(), &coat, coat_means.as_flattened(), &anisotropic, &anisotropic_means];
    write(&tables, &white_means, &glass_means)
}

/// Computes the numbers of the glass table in their stored form.
fn glass_nodes() -> Vec<u16> {
    let n = GLASS_NODES;
    let node = |i: usize| [i / (n * n) % n, i / n % n, i % n];
    let all = 0..2 * n * n * n;
    let values: Vec<f64> = all.clone().into_par_iter().map(|i| glass_value(i / (n * n * n), node(i))).collect();
    let value = |side: usize, [i, a, t]: [usize; 3]| values[((side * n + i) * n + a) * n + t];
    all.into_par_iter().map(|i| stored(glass_node(i / (n * n * n), node(i), &value))).collect()
}
