//! The 64-byte block that is a leaf: one triangle, or two that share an edge, and the test that reads it.
//!
//! The corners stand by axis, so that a kernel loads them along the axes that the watertight test calls x, y and z
//! by choosing addresses. A pair is two triangles that pass their shared edge in opposite directions, as neighbours
//! of a closed mesh do: then both have their corners in their own cyclic order,
//!
//! ```text
//! first   start, own, end
//! second  end, other own, start
//! ```
//!
//! and a few bits say which of these is the triangle's first, second and third corner as given. So a block's test is
//! [`raywarp_geom::triangle::Watertight`]'s of each triangle, with its bits, and shears the shared corners once.

use super::node::H8Block;
use crate::{INDEX_MASK, NON_OPAQUE, UNUSED_SLOT};
use raywarp_geom::FlatTriangles;
use raywarp_geom::triangle::{Middling, Tuv, Watertight};

/// Codes in [`H8Pair::order`] that say which corner of a pair a triangle's corner is: this one, the start of the shared
/// edge.
const START: u32 = 1;
const OWN: u32 = 2;
const END: u32 = 0;

/// Codes of corner orders for the first and the second triangle, by which of its corners starts the shared edge.
const ORDERS: [[u32; 3]; 2] = [
    [order([START, OWN, END]), order([END, START, OWN]), order([OWN, END, START])],
    [order([START, END, OWN]), order([OWN, START, END]), order([END, OWN, START])],
];

const fn order([a, b, c]: [u32; 3]) -> u32 {
    // From bit 1 on: one instruction of a GPU makes predicates of them.
    (a | b << 2 | c << 4) << 1
}

/// Decoded leaf of an [`H8`](super::H8) tree: one triangle, or two that share an edge.
///
/// | chunk | words |
/// |---|---|
/// | 0, 1, 2 | `corners` along x, y, z |
/// | 3 | the first triangle: index, with [`NON_OPAQUE`] set where a query must ask; the second, [`UNUSED_SLOT`] for none; `order` of each |
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct H8Pair {
    /// Corners: start of the shared edge, first triangle's own, end of the edge, second triangle's own (the start again
    /// for no second triangle).
    pub corners: [[f32; 3]; 4],
    /// Triangle index and flags of each of the two triangles.
    pub words: [u32; 2],
    /// Order in which each triangle had its corners, as codes of two bits each from bit 1 on; 0 for no second triangle.
    /// They say what its first, second and third corners are: 1 the start of the shared edge, 2 its own corner, 0 the
    /// end.
    pub order: [u32; 2],
}

impl H8Pair {
    /// Makes the leaf of one triangle, or of two that have a [`shared_edge`].
    pub(crate) fn new(triangles: &FlatTriangles, references: &[u32]) -> Self {
        let corners = |i: usize| &triangles.vertices[references[i] as usize];
        let word = |&r: &u32| r | if triangles.opaque[r as usize] { 0 } else { NON_OPAQUE };
        let first = corners(0);
        let shared = references.get(1).and_then(|&second| shared_edge(first, &triangles.vertices[second as usize]));
        let [start, other] = shared.unwrap_or([0; 2]);
        let after = |i: usize, by: usize| first[(i + by) % 3];
        let mut pair = Self {
            corners: [first[start], after(start, 1), after(start, 2), first[start]],
            words: [word(&references[0]), UNUSED_SLOT],
            order: [ORDERS[0][start], 0],
        };
        if shared.is_some() {
            pair.corners[3] = corners(1)[(other + 2) % 3];
            pair.words[1] = word(&references[1]);
            pair.order[1] = ORDERS[1][other];
        }
        pair
    }

    /// Decodes a leaf from the block at `index`.
    #[inline]
    pub fn unpack(block: &H8Block, index: u32) -> Self {
        let [x, y, z, words] = block.chunks(index);
        let corners = std::array::from_fn(|i| [x[i], y[i], z[i]].map(f32::from_bits));
        Self { corners, words: [words[0], words[1]], order: [words[2], words[3]] }
    }

    /// Encodes the leaf as the block at `index`.
    pub(crate) fn pack(&self, index: u32) -> H8Block {
        let axis = |axis: usize| self.corners.map(|corner| corner[axis].to_bits());
        let ([first, second], [order, other]) = (self.words, self.order);
        H8Block::new(index, [axis(0), axis(1), axis(2), [first, second, order, other]])
    }

    /// Returns the number of triangles, 1 or 2.
    #[inline]
    pub fn len(&self) -> usize {
        if self.words[1] == UNUSED_SLOT { 1 } else { 2 }
    }

    /// Returns `false`, since a leaf holds at least one triangle.
    #[inline]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Returns the index of the leaf's triangle `i`, 0 or 1.
    #[inline]
    pub fn triangle(&self, i: usize) -> u32 {
        self.words[i] & INDEX_MASK
    }

    /// Returns the corners of the leaf's triangle `i`, 0 or 1, in their original order.
    #[inline]
    pub fn vertices(&self, i: usize) -> [[f32; 3]; 3] {
        let own = if i == 0 { 1 } else { 3 };
        std::array::from_fn(|corner| match self.order[i] >> (1 + 2 * corner) & 3 {
            START => self.corners[0],
            OWN => self.corners[own],
            _ => self.corners[2],
        })
    }

    /// Tests the ray's line against both triangles by the quick test [`Watertight::test_middling`].
    #[inline]
    pub fn test(&self, ray: &Watertight) -> [Middling; 2] {
        let second = if self.len() == 2 { ray.test_middling(&self.vertices(1)) } else { Middling::Miss };
        [ray.test_middling(&self.vertices(0)), second]
    }

    /// Tests the ray's line against both triangles by the full test [`Watertight::test`], which is never undecided.
    pub fn test_each(&self, ray: &Watertight) -> [Option<Tuv>; 2] {
        let second = if self.len() == 2 { ray.test(&self.vertices(1)) } else { None };
        [ray.test(&self.vertices(0)), second]
    }

    /// Returns `true` if `order` holds valid codes for one triangle or for a pair.
    pub(crate) fn has_sound_order(&self) -> bool {
        let [first, second] = self.order;
        let second_is_sound = if self.len() == 2 { ORDERS[1].contains(&second) } else { second == 0 };
        ORDERS[0].contains(&first) && second_is_sound
    }
}

/// Finds the only edge that two triangles share bit for bit, passed in opposite directions; returns its start as a
/// corner index in each. The first goes on from there to its own corner, the second comes from its own.
pub(crate) fn shared_edge(a: &[[f32; 3]; 3], b: &[[f32; 3]; 3]) -> Option<[usize; 2]> {
    let bits = |corner: &[f32; 3]| corner.map(f32::to_bits);
    let twin = |i: usize| b.iter().position(|corner| bits(corner) == bits(&a[i]));
    let twins: [Option<usize>; 3] = std::array::from_fn(twin);
    (0..3).find_map(|start| {
        let (own, end) = ((start + 1) % 3, (start + 2) % 3);
        match (twins[start], twins[own], twins[end]) {
            (Some(x), None, Some(y)) if (x + 1) % 3 == y => Some([start, x]),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_geom::Ray;

    fn test(pair: &H8Pair, origin: [f32; 3], direction: [f32; 3]) -> [Option<Tuv>; 2] {
        let ray = Watertight::new(&Ray::new(origin, direction));
        let each = pair.test_each(&ray);
        for (middling, each) in pair.test(&ray).into_iter().zip(each) {
            match middling {
                Middling::Miss => assert_eq!(each, None),
                Middling::Hit(tuv) => assert_eq!(each, Some(tuv)),
                Middling::Undecided => {}
            }
        }
        each
    }

    fn rotations([a, b, c]: [[f32; 3]; 3]) -> [[[f32; 3]; 3]; 3] {
        [[a, b, c], [b, c, a], [c, a, b]]
    }

    /// Returns pairs of triangles on either side of the edge from (0, 0, 0) to (1, 1, 0), with corners in every
    /// rotation.
    fn quads() -> Vec<[[[f32; 3]; 3]; 2]> {
        let (a, b, c, d) = ([0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
        let both_ways = [[[a, c, b], [a, b, d]], [[a, b, c], [b, a, d]]];
        both_ways
            .into_iter()
            .flat_map(|[one, two]| rotations(one).map(|one| rotations(two).map(|two| [one, two])))
            .flatten()
            .collect()
    }

    #[test]
    fn both_triangles_of_a_pair_answer_with_their_own_weights() {
        for vertices in quads() {
            let triangles = FlatTriangles::from_vertices(vertices.to_vec());
            let pair = H8Pair::new(&triangles, &[0, 1]);
            assert_eq!((pair.len(), pair.words, pair.has_sound_order()), (2, [0, 1], true));
            assert_eq!([pair.vertices(0), pair.vertices(1)], vertices);
            assert_eq!(H8Pair::unpack(&pair.pack(5), 5), pair);
            for (x, y) in [(0.75, 0.25), (0.25, 0.75), (0.9, 0.05), (0.05, 0.3)] {
                for z in [1.0, -1.0] {
                    let found = test(&pair, [x, y, z], [0.0, 0.0, -2.0 * z]);
                    let hit = usize::from(y > x);
                    assert_eq!(found[1 - hit], None);
                    let [t, u, v] = found[hit].expect("it is inside");
                    let [a, b, c] = vertices[hit];
                    let at: [f32; 3] = std::array::from_fn(|i| (1.0 - u - v) * a[i] + u * b[i] + v * c[i]);
                    assert!((t - 0.5).abs() < 1e-6 && (at[0] - x).abs() < 1e-6 && (at[1] - y).abs() < 1e-6);
                }
            }
            assert_eq!(test(&pair, [0.5, 2.0, 1.0], [0.0, 0.0, -1.0]), [None; 2]);
            // Either triangle is hit on the shared edge.
            assert!(test(&pair, [0.5, 0.5, 1.0], [0.0, 0.0, -1.0]).iter().all(Option::is_some));
        }
    }

    #[test]
    fn triangles_alone_equal_or_apart_or_turned_over_share_no_edge() {
        let at = |x: f32| [[x, 0.0, 0.0], [x, 1.0, 0.0], [x, 0.0, 1.0]];
        assert_eq!(shared_edge(&at(0.0), &at(1.0)), None);
        assert_eq!(shared_edge(&at(0.0), &at(0.0)), None);
        let flat = [[0.0; 3], [0.0; 3], [1.0, 0.0, 0.0]];
        assert_eq!(shared_edge(&flat, &at(0.0)), None);
        for [one, [a, b, c]] in quads() {
            assert!(shared_edge(&one, &[a, b, c]).is_some());
            assert_eq!(shared_edge(&one, &[b, a, c]), None);
        }
        let alone = H8Pair::new(&FlatTriangles::from_vertices(vec![at(0.0)]), &[0]);
        assert_eq!((alone.len(), alone.corners[3], alone.has_sound_order()), (1, alone.corners[0], true));
        assert_eq!(test(&alone, [-1.0, 0.2, 0.3], [1.0, 0.0, 0.0])[1], None);
        assert!(test(&alone, [-1.0, 0.2, 0.3], [1.0, 0.0, 0.0])[0].is_some());
    }

    #[test]
    fn degenerate_triangles_are_never_hit() {
        for vertices in [[[0.0f32; 3]; 3], [[0.0; 3], [1.0; 3], [0.0; 3]], [[0.0; 3], [1.0; 3], [2.0; 3]]] {
            let pair = H8Pair::new(&FlatTriangles::from_vertices(vec![vertices]), &[0]);
            for direction in [[1.0, 1.0, 1.0], [0.0, 1.0, 0.0], [-1.0, -1.0, -1.0]] {
                assert_eq!(test(&pair, [0.0; 3], direction), [None; 2]);
                assert_eq!(test(&pair, [-1.0, -1.0, -1.0], direction), [None; 2]);
            }
        }
    }
}
