//! Facts that the oracle gathers of each ray: its exact hits, and those that any rounding must find.

use super::Tolerance;
use super::crossing::{Crossing, Line};
use rayon::prelude::*;
use raywarp_geom::{FlatTriangles, Ray};
use std::collections::HashMap;

/// Hit found by the oracle in exact arithmetic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OracleHit {
    /// Ray parameter of the hit.
    pub t: f64,
    /// Index of the triangle in the list of all triangles.
    pub index: u32,
}

/// Returns all hits of a ray within its interval, sorted by t, then by triangle index. A triangle without area across
/// the ray is never hit, nor is one at a t that f32 does not hold.
pub fn all_hits(triangles: &FlatTriangles, ray: &Ray) -> Vec<OracleHit> {
    let Some(line) = Line::new(ray) else { return Vec::new() };
    let mut hits: Vec<OracleHit> = (0u32..)
        .zip(&triangles.vertices)
        .filter_map(|(index, vertices)| {
            let crossing = Crossing::new(&line, vertices).filter(Crossing::is_hit)?;
            let [low, high] = interval(ray);
            (low <= crossing.t && crossing.t <= high).then_some(OracleHit { t: crossing.t, index })
        })
        .collect();
    hits.sort_by(|a, b| a.t.total_cmp(&b.t).then(a.index.cmp(&b.index)));
    hits
}

/// Returns a ray's interval of t, clamped to the finite range of `f32`.
pub(super) fn interval(ray: &Ray) -> [f64; 2] {
    [f64::from(ray.t_min).max(f64::from(f32::MIN)), f64::from(ray.t_max).min(f64::from(f32::MAX))]
}

/// Hit that every tracer must find, however it rounds within a tolerance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Certain {
    pub index: u32,
    pub opaque: bool,
    /// Smallest t that a tracer may report for the hit; the largest is `high`.
    pub low: f64,
    pub high: f64,
}

/// Reference facts about one ray, with which answers are compared.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    /// Nearest hit in exact arithmetic.
    pub closest: Option<OracleHit>,
    /// Nearest exact hit of an opaque triangle; that of a non-opaque one follows.
    pub first_opaque: Option<OracleHit>,
    pub first_other: Option<OracleHit>,
    /// Certain hits for each tolerance, sorted by `high`.
    pub certain: [Vec<Certain>; 3],
    /// Largest t up to which a watertight test must have hit something; infinity where nothing is certain. The second
    /// is the same for opaque triangles. Infinite where nothing is certain.
    pub surrounded: f64,
    pub surrounded_opaque: f64,
}

/// Exact reference answers for a batch of rays, by brute force over all triangles. Costs a test of every triangle a
/// ray, in parallel.
#[derive(Debug, Clone)]
pub struct Oracle {
    pub(super) facts: Vec<Facts>,
    /// Least index, for each triangle, of a triangle with identical corners.
    pub(super) first_copy: Vec<u32>,
    /// Least index, for each triangle, of a triangle with identical corners and the same opacity.
    pub(super) first_equal: Vec<u32>,
}

impl Oracle {
    /// Computes the reference answers for every ray.
    pub fn new(triangles: &FlatTriangles, rays: &[Ray]) -> Self {
        let facts = rays.par_iter().map(|ray| Facts::new(triangles, ray)).collect();
        let first = |key: &dyn Fn(usize) -> ([u32; 9], bool)| {
            let mut seen = HashMap::new();
            (0..triangles.len()).map(|i| *seen.entry(key(i)).or_insert(i as u32)).collect()
        };
        let bits = |i: usize| -> [u32; 9] {
            let v = &triangles.vertices[i];
            // Adding 0 makes -0 the same as 0.
            std::array::from_fn(|k| (v[k / 3][k % 3] + 0.0).to_bits())
        };
        Self { facts, first_copy: first(&|i| (bits(i), true)), first_equal: first(&|i| (bits(i), triangles.opaque[i])) }
    }

    /// Returns the number of rays that were answered.
    pub fn len(&self) -> usize {
        self.facts.len()
    }

    /// Returns `true` if no ray was answered.
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// Returns the nearest exact hit of the ray with index `ray`.
    ///
    /// # Panics
    /// If there is no such ray.
    pub fn closest(&self, ray: usize) -> Option<OracleHit> {
        self.facts[ray].closest
    }

    /// Returns `true` if an opaque triangle lies on the ray with index `ray`.
    ///
    /// # Panics
    /// If there is no such ray.
    pub fn is_blocked(&self, ray: usize) -> bool {
        self.facts[ray].first_opaque.is_some()
    }
}

impl Facts {
    fn new(triangles: &FlatTriangles, ray: &Ray) -> Self {
        let mut facts = Self { surrounded: f64::INFINITY, surrounded_opaque: f64::INFINITY, ..Self::default() };
        let Some(line) = Line::new(ray) else { return facts };
        let [t_min, t_max] = interval(ray);
        let mut widest: f64 = 0.0;
        for (index, (vertices, &opaque)) in (0u32..).zip(triangles.vertices.iter().zip(&triangles.opaque)) {
            let Some(crossing) = Crossing::new(&line, vertices) else { continue };
            let t = crossing.t;
            if crossing.is_hit() && t_min <= t && t <= t_max {
                let earlier = |old: Option<OracleHit>| old.is_none_or(|old| t < old.t);
                let first = if opaque { &mut facts.first_opaque } else { &mut facts.first_other };
                if earlier(*first) {
                    *first = Some(OracleHit { t, index });
                }
                if earlier(facts.closest) {
                    facts.closest = Some(OracleHit { t, index });
                }
            }
            for tolerance in Tolerance::ALL {
                let [low, high] = crossing.range(tolerance);
                if crossing.surely_inside(tolerance) && t_min <= low && high <= t_max {
                    let [low, high] = crossing.agreeing(tolerance);
                    facts.certain[tolerance.index()].push(Certain { index, opaque, low, high });
                }
            }
            let watertight = Tolerance::Watertight;
            if crossing.maybe_inside(watertight) && !crossing.surely_inside(watertight) {
                widest = widest.max(crossing.margin(watertight));
            }
        }
        for certain in &mut facts.certain {
            certain.sort_by(|a, b| a.high.total_cmp(&b.high).then(a.index.cmp(&b.index)));
        }
        if widest > 0.0 {
            [facts.surrounded, facts.surrounded_opaque] = surrounded(triangles, &line, [t_min, t_max], 2.0 * widest);
        }
        facts
    }
}

/// Returns the largest t, over eight lines around `line`, at which each has certainly hit a triangle, and an opaque
/// triangle. No single triangle need be certain: their edges are inclusive here.
fn surrounded(triangles: &FlatTriangles, line: &Line, [t_min, t_max]: [f64; 2], radius: f64) -> [f64; 2] {
    let (mut farthest, diagonal) = ([0.0f64; 2], std::f64::consts::FRAC_1_SQRT_2);
    farthest.fill(f64::NEG_INFINITY);
    let around = [[1.0, 0.0], [diagonal, diagonal], [0.0, 1.0], [-diagonal, diagonal]];
    for [x, y] in around.into_iter().chain(around.map(|[x, y]| [-x, -y])) {
        let line = line.moved([radius * x, radius * y]);
        let mut nearest = [f64::INFINITY; 2];
        for (vertices, &opaque) in triangles.vertices.iter().zip(&triangles.opaque) {
            let Some(crossing) = Crossing::new(&line, vertices).filter(Crossing::is_hit) else { continue };
            let [low, high] = crossing.range(Tolerance::Watertight);
            if t_min <= low && high <= t_max {
                let high = crossing.agreeing(Tolerance::Watertight)[1];
                nearest[0] = nearest[0].min(high);
                nearest[1] = if opaque { nearest[1].min(high) } else { nearest[1] };
            }
        }
        farthest = [0, 1].map(|i| farthest[i].max(nearest[i]));
    }
    farthest
}
