//! Directional albedo of microfacet lobes with Schlick's Fresnel term, tabulated.
//!
//! Schlick's term is linear in `f0` and `f90`, so the albedo at a cosine and an alpha is
//! `E = f0 * scale + f90 * bias` with two tabulated numbers (Karis 2013). Layers are coupled by it: a
//! base under the lobe gets the share `1 - E` of the light, in and out (Kelemen and Szirmay-Kalos 2001).

use super::blinn::{alpha_of_exponent, blinn_scale_and_bias, exponent_of_alpha};
use super::fresnel::schlick_weight;
use super::ggx::Ggx;
use glam::{Vec2, Vec3};
use std::sync::OnceLock;

/// Cells a side. Both axes are square roots, which puts the nodes where the albedo bends; then linear
/// interpolation is right to 1e-3 (the tests measure it).
const CELLS: usize = 32;
/// Points of a node's quadrature.
const POINTS: u32 = 256;

/// The two numbers over (alpha, cosine), and their cosine-weighted means over the hemisphere.
pub(super) struct AlbedoTable {
    nodes: Vec<[Vec2; CELLS + 1]>,
    means: [Vec2; CELLS + 1],
}

/// The table at one alpha.
#[derive(Clone, Copy)]
pub(super) struct Row<'t> {
    low: &'t [Vec2; CELLS + 1],
    high: &'t [Vec2; CELLS + 1],
    mean: Vec2,
    t: f32,
}

/// Node below a place on an axis, and how far beyond it.
#[inline]
fn locate(x: f32) -> (usize, f32) {
    let s = x.clamp(0.0, 1.0).sqrt() * CELLS as f32;
    let node = (s as usize).min(CELLS - 1);
    (node, s - node as f32)
}

impl AlbedoTable {
    /// `contribution(alpha, wo, u)` is the weight of a sample, split into what multiplies f0 and f90.
    fn compute(contribution: impl Fn(f32, Vec3, [f32; 2]) -> Vec2) -> Self {
        let axis = |i: usize| (i as f32 / CELLS as f32).powi(2);
        let points: Vec<[f32; 2]> = (0..POINTS)
            .map(|i| {
                raywarp_sample::sobol::point(i)
                    .map(|x| (x as f32 / 4_294_967_296.0 + 0.5 / POINTS as f32).min(0.999_999))
            })
            .collect();
        let node = |alpha: f32, cos: f32| -> Vec2 {
            let cos = cos.max(1e-4);
            let wo = Vec3::new((1.0 - cos * cos).max(0.0).sqrt(), 0.0, cos);
            points.iter().map(|&u| contribution(alpha, wo, u)).sum::<Vec2>() / POINTS as f32
        };
        let nodes: Vec<[Vec2; CELLS + 1]> =
            (0..=CELLS).map(|a| std::array::from_fn(|c| node(axis(a), axis(c)))).collect();
        let mut means = [Vec2::ZERO; CELLS + 1];
        for (mean, row) in means.iter_mut().zip(&nodes) {
            // 2 E cos dcos with cos = s^2 is 4 E s^3 ds; Gauss with three points is exact for the
            // interpolated E.
            for (c, pair) in row.windows(2).enumerate() {
                for (x, weight) in [(0.112_701_67, 5.0 / 18.0), (0.5, 8.0 / 18.0), (0.887_298_33, 5.0 / 18.0)] {
                    let s = (c as f32 + x) / CELLS as f32;
                    *mean += 4.0 * s * s * s * weight / CELLS as f32 * pair[0].lerp(pair[1], x);
                }
            }
        }
        Self { nodes, means }
    }

    /// GGX.
    pub fn ggx() -> &'static Self {
        static TABLE: OnceLock<AlbedoTable> = OnceLock::new();
        TABLE.get_or_init(|| {
            Self::compute(|alpha, wo, u| {
                let ggx = Ggx::new(Vec2::splat(alpha));
                let h = ggx.sample_visible(wo, u);
                let cos = wo.dot(h);
                let wi = 2.0 * cos * h - wo;
                let weight = if wi.z > 0.0 { ggx.g1(wi) } else { 0.0 };
                let s = schlick_weight(cos);
                weight * Vec2::new(1.0 - s, s)
            })
        })
    }

    /// Blinn, over the alpha of its exponent.
    pub fn blinn() -> &'static Self {
        static TABLE: OnceLock<AlbedoTable> = OnceLock::new();
        TABLE.get_or_init(|| Self::compute(|alpha, wo, u| blinn_scale_and_bias(exponent_of_alpha(alpha), wo, u)))
    }

    /// The table at one alpha, 0 to 1.
    #[inline]
    pub fn row(&self, alpha: f32) -> Row<'_> {
        let (node, t) = locate(alpha);
        Row {
            low: &self.nodes[node],
            high: &self.nodes[node + 1],
            mean: self.means[node].lerp(self.means[node + 1], t),
            t,
        }
    }

    /// The table at a Blinn exponent.
    #[inline]
    pub fn row_of_exponent(&self, exponent: f32) -> Row<'_> {
        self.row(alpha_of_exponent(exponent))
    }
}

impl Row<'_> {
    /// (scale, bias) at a cosine.
    #[inline]
    pub fn at(&self, cos: f32) -> Vec2 {
        let (node, t) = locate(cos);
        let low = self.low[node].lerp(self.low[node + 1], t);
        let high = self.high[node].lerp(self.high[node + 1], t);
        low.lerp(high, self.t)
    }

    /// (scale, bias) of the mean over the hemisphere.
    #[inline]
    pub fn mean(&self) -> Vec2 {
        self.mean
    }
}

/// `f0 * scale + f90 * bias`.
#[inline]
pub(super) fn albedo(f0: Vec3, f90: f32, scale_bias: Vec2) -> Vec3 {
    (f0 * scale_bias.x + f90 * scale_bias.y).clamp(Vec3::ZERO, Vec3::ONE)
}

/// Share of light that the lobe leaves to a Lambert base: `(1 - E(wo)) (1 - E(wi)) / (1 - mean E)`.
/// Reciprocal, and a white base under it returns all light that the lobe does not.
#[inline]
pub(super) fn coupling(e_wo: Vec3, e_wi: Vec3, mean: Vec3) -> Vec3 {
    // The product vanishes faster than the divisor where the lobe takes all.
    (1.0 - e_wo) * (1.0 - e_wi) / (1.0 - mean).max(Vec3::splat(1e-6))
}
