//! The 64-byte block that is a leaf: one triangle, or two that share an edge, and the test that reads it.
//!
//! A pair is a corner `v0` on the shared edge, the shared edge `e2` from it, and an edge `e1` and `e3` from it
//! to each triangle's own corner. Both triangles then take the same three formulas, with `e` for `e1` or `e3`:
//! Möller and Trumbore's with the factors of the shared edge taken once,
//!
//! ```text
//! s = o - v0, p = d x e2, w = s . p                 for both
//! q = s x e, det = e . p                            for each
//! weight of the own corner w / det, of the other end of e2 (d . q) / det, t (e2 . q) / det
//! ```
//!
//! so that a ray is on one side of the shared edge by the sign of the one `w`, and never slips through it.

use super::node::H8Block;
use crate::{INDEX_MASK, NON_OPAQUE, UNUSED_SLOT};
use raywarp_geom::{FlatTriangles, fused_multiply_add as fma};

/// Twice a triangle's area across a ray, times the square of the direction's length: within these, 2^-120 to 2^120, no
/// reciprocal needs care. Triangles beside them are not hit.
const AREAS: std::ops::RangeInclusive<f32> = 7.523_163_8e-37..=1.329_228e36;

/// One or two triangles, unpacked.
///
/// | chunk | words |
/// |---|---|
/// | 0 | `v0`, then the first triangle: index, with [`NON_OPAQUE`] set where a query must ask |
/// | 1 | `e1`, then the second triangle, [`UNUSED_SLOT`] for none |
/// | 2 | `e2`, then `order` |
/// | 3 | `e3`, zero for no second triangle, then 0 |
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct H8Pair {
    /// The corner that edges start from.
    pub v0: [f32; 3],
    /// To the first triangle's own corner; along the shared edge; to the second's own corner.
    pub edges: [[f32; 3]; 3],
    /// The triangles.
    pub words: [u32; 2],
    /// For each triangle four bits: which weight is `u`, which is `v`, two bits each: 0 of `v0`, 1 of the own
    /// corner, 2 of the end of the shared edge. The second triangle's are the higher four.
    pub order: u32,
}

impl H8Pair {
    /// The record of one triangle, or of two that [`shared_edge`] found an edge of.
    pub(crate) fn new(triangles: &FlatTriangles, references: &[u32]) -> Self {
        let corners = |i: usize| &triangles.vertices[references[i] as usize];
        let word = |&r: &u32| r | if triangles.opaque[r as usize] { 0 } else { NON_OPAQUE };
        let first = corners(0);
        let shared = references.get(1).and_then(|&second| shared_edge(first, &triangles.vertices[second as usize]));
        // Where each of v0, the own corner and the end of the shared edge stands in the first triangle.
        let [places, others] = shared.unwrap_or([[0, 1, 2]; 2]);
        let v0 = first[places[0]];
        let edge = |corner: &[f32; 3]| std::array::from_fn(|i| corner[i] - v0[i]);
        let mut pair = Self {
            v0,
            edges: [edge(&first[places[1]]), edge(&first[places[2]]), [0.0; 3]],
            words: [word(&references[0]), UNUSED_SLOT],
            order: order(places),
        };
        if shared.is_some() {
            pair.edges[2] = edge(&corners(1)[others[1]]);
            pair.words[1] = word(&references[1]);
            pair.order |= order(others) << 4;
        }
        pair
    }

    /// Unpacks the block at `index`.
    #[inline]
    pub fn unpack(block: &H8Block, index: u32) -> Self {
        let [a, b, c, d] = block.chunks(index);
        let point = |words: [u32; 4]| [words[0], words[1], words[2]].map(f32::from_bits);
        Self { v0: point(a), edges: [point(b), point(c), point(d)], words: [a[3], b[3]], order: c[3] }
    }

    /// The block at `index` that holds the pair.
    pub(crate) fn pack(&self, index: u32) -> H8Block {
        let chunk = |point: &[f32; 3], word: u32| [point[0].to_bits(), point[1].to_bits(), point[2].to_bits(), word];
        let [e1, e2, e3] = &self.edges;
        let [first, second] = self.words;
        H8Block::new(index, [chunk(&self.v0, first), chunk(e1, second), chunk(e2, self.order), chunk(e3, 0)])
    }

    /// How many triangles there are.
    #[inline]
    pub fn len(&self) -> usize {
        if self.words[1] == UNUSED_SLOT { 1 } else { 2 }
    }

    /// Never: a record holds a triangle.
    #[inline]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Index of triangle `i`.
    #[inline]
    pub fn triangle(&self, i: usize) -> u32 {
        self.words[i] & INDEX_MASK
    }

    /// `t u v` of the first and of the second triangle where a line meets them. `t` is in lengths of
    /// `direction`; `u` and `v` are the weights of the second and the third corner of the triangle as given.
    ///
    /// Every operation is fixed, so that all machines find the same bits: products that are not part of a
    /// fused multiply-add are the ones written so, and the reciprocal is correctly rounded.
    #[inline]
    pub fn test(&self, origin: &[f32; 3], direction: &[f32; 3]) -> [Option<[f32; 3]>; 2] {
        let [e1, e2, e3] = &self.edges;
        let s: [f32; 3] = std::array::from_fn(|i| origin[i] - self.v0[i]);
        let p = cross(direction, e2);
        let w = dot(&s, &p);
        let one = |e: &[f32; 3], order: u32| {
            let q = cross(&s, e);
            let det = dot(e, &p);
            // Signs as if the determinant were positive.
            let flip = |x: f32| if det.is_sign_negative() { -x } else { x };
            let (own, end, area) = (flip(w), flip(dot(direction, &q)), det.abs());
            if !(own >= 0.0 && end >= 0.0 && own + end <= area && AREAS.contains(&area)) {
                return None;
            }
            // One quotient for three: t may be off by an ulp and a half.
            let inverse = 1.0 / area;
            let t = flip(dot(e2, &q)) * inverse;
            if !t.is_finite() {
                return None;
            }
            let (own, end) = (own * inverse, end * inverse);
            let weight = |code: u32| match code & 3 {
                0 => (1.0 - own - end).max(0.0),
                1 => own,
                _ => end,
            };
            Some([t, weight(order), weight(order >> 2)])
        };
        [one(e1, self.order), one(e3, self.order >> 4)]
    }
}

/// Which weight is `u` and which is `v` in a triangle that has `v0`, the own corner and the end of the shared
/// edge at `places`.
fn order(places: [usize; 3]) -> u32 {
    let of = |corner: usize| places.iter().position(|&place| place == corner).unwrap_or(0) as u32;
    of(1) | of(2) << 2
}

/// The corners that two triangles share, if they share just an edge, bit for bit: for each triangle the
/// places of one shared corner, of its own corner, and of the other shared one.
pub(crate) fn shared_edge(a: &[[f32; 3]; 3], b: &[[f32; 3]; 3]) -> Option<[[usize; 3]; 2]> {
    // By value: a corner at -0 is the one at 0. Corners are finite.
    let twin = |i: usize| b.iter().position(|corner| *corner == a[i]);
    let twins: [Option<usize>; 3] = std::array::from_fn(twin);
    for own in 0..3 {
        let (first, last) = ((own + 1) % 3, (own + 2) % 3);
        if let (Some(x), None, Some(y)) = (twins[first], twins[own], twins[last])
            && x != y
        {
            return Some([[first, own, last], [x, 3 - x - y, y]]);
        }
    }
    None
}

#[cfg(test)]
mod limits {
    #[test]
    fn areas_end_at_powers_of_two() {
        assert_eq!((*super::AREAS.start(), *super::AREAS.end()), (2f32.powi(-120), 2f32.powi(120)));
    }
}

#[inline]
fn cross(a: &[f32; 3], b: &[f32; 3]) -> [f32; 3] {
    let at = |i: usize, k: usize| fma(a[i], b[k], -(a[k] * b[i]));
    [at(1, 2), at(2, 0), at(0, 1)]
}

#[inline]
fn dot(a: &[f32; 3], b: &[f32; 3]) -> f32 {
    fma(a[0], b[0], fma(a[1], b[1], a[2] * b[2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles on either side of the edge from (0, 0, 0) to (1, 1, 0), with corners turned and swapped.
    fn quads() -> Vec<[[[f32; 3]; 3]; 2]> {
        let (a, b, c, d) = ([0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
        let turns = |t: [[f32; 3]; 3]| {
            let [x, y, z] = t;
            [[x, y, z], [y, z, x], [z, x, y], [x, z, y], [z, y, x], [y, x, z]]
        };
        turns([a, c, b]).into_iter().flat_map(|one| turns([a, b, d]).map(|two| [one, two])).collect()
    }

    #[test]
    fn both_triangles_of_a_pair_answer_with_their_own_weights() {
        for vertices in quads() {
            let triangles = FlatTriangles::from_vertices(vertices.to_vec());
            let pair = H8Pair::new(&triangles, &[0, 1]);
            assert_eq!((pair.len(), pair.words), (2, [0, 1]));
            assert_eq!(H8Pair::unpack(&pair.pack(5), 5), pair);
            for (x, y) in [(0.75, 0.25), (0.25, 0.75), (0.9, 0.05), (0.05, 0.3)] {
                for z in [1.0, -1.0] {
                    let found = pair.test(&[x, y, z], &[0.0, 0.0, -2.0 * z]);
                    let hit = usize::from(y > x);
                    assert_eq!(found[1 - hit], None);
                    let [t, u, v] = found[hit].expect("it is inside");
                    let [a, b, c] = vertices[hit];
                    let at: [f32; 3] = std::array::from_fn(|i| (1.0 - u - v) * a[i] + u * b[i] + v * c[i]);
                    assert!((t - 0.5).abs() < 1e-6 && (at[0] - x).abs() < 1e-6 && (at[1] - y).abs() < 1e-6);
                }
            }
            assert_eq!(pair.test(&[0.5, 2.0, 1.0], &[0.0, 0.0, -1.0]), [None; 2]);
        }
    }

    #[test]
    fn no_ray_slips_through_the_shared_edge() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        for _ in 0..20_000 {
            let mut point = || [next(), next(), next()];
            let (a, b, c) = (point(), point(), point());
            // Opposite c in the plane, so that a ray at the edge must hit one of the two.
            let d = std::array::from_fn(|i| a[i] + b[i] - c[i]);
            let triangles = FlatTriangles::from_vertices(vec![[a, b, c], [b, a, d]]);
            let pair = H8Pair::new(&triangles, &[0, 1]);
            let (origin, s) = (point(), 0.1 + 0.4 * (next() + 1.0));
            let direction = std::array::from_fn(|i| a[i] + s * (b[i] - a[i]) - origin[i]);
            let area = cross(&pair.edges[0], &pair.edges[1]);
            // Seen nearly from the side, the outer edges are as near as the shared one.
            if dot(&area, &direction).abs() > 1e-3 {
                assert!(
                    pair.test(&origin, &direction).iter().any(Option::is_some),
                    "{a:?} {b:?} {c:?} from {origin:?}"
                );
            }
        }
    }

    #[test]
    fn triangles_alone_equal_or_apart_share_no_edge() {
        let at = |x: f32| [[x, 0.0, 0.0], [x, 1.0, 0.0], [x, 0.0, 1.0]];
        assert_eq!(shared_edge(&at(0.0), &at(1.0)), None);
        assert_eq!(shared_edge(&at(0.0), &at(0.0)), None);
        let flat = [[0.0; 3], [0.0; 3], [1.0, 0.0, 0.0]];
        assert_eq!(shared_edge(&flat, &at(0.0)), None);
        let alone = H8Pair::new(&FlatTriangles::from_vertices(vec![at(0.0)]), &[0]);
        assert_eq!((alone.len(), alone.edges[2]), (1, [0.0; 3]));
        assert_eq!(alone.test(&[-1.0, 0.2, 0.3], &[1.0, 0.0, 0.0])[1], None);
        assert!(alone.test(&[-1.0, 0.2, 0.3], &[1.0, 0.0, 0.0])[0].is_some());
    }

    #[test]
    fn degenerate_triangles_are_never_hit() {
        for vertices in [[[0.0f32; 3]; 3], [[0.0; 3], [1.0; 3], [0.0; 3]], [[0.0; 3], [1.0; 3], [2.0; 3]]] {
            let pair = H8Pair::new(&FlatTriangles::from_vertices(vec![vertices]), &[0]);
            for direction in [[1.0, 1.0, 1.0], [0.0, 1.0, 0.0], [-1.0, -1.0, -1.0]] {
                assert_eq!(pair.test(&[0.0; 3], &direction), [None; 2]);
                assert_eq!(pair.test(&[-1.0, -1.0, -1.0], &direction), [None; 2]);
            }
        }
    }
}
