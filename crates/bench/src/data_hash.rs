//! Hashes of what a run traced and walked, by which another run can tell that it had the same.

use rayon::prelude::*;
use raywarp_bvh::{Bvh2, Node};
use raywarp_cuda::elf::fingerprint;
use raywarp_geom::Ray;
use std::fmt;
use std::str::FromStr;

/// Number of rays, or of a tree's nodes or references, that are hashed as one piece.
const PIECE: usize = 1 << 14;

/// A 64-bit hash of rays or of a tree: FNV-1a of the FNV-1a hashes of its pieces. Its text is 16 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DataHash(u64);

impl DataHash {
    /// Returns the hash of rays in their order.
    pub fn of_rays(rays: &[Ray]) -> Self {
        Self::of_pieces(rays.par_chunks(PIECE).map(|rays| fingerprint(bytemuck::cast_slice(rays))))
    }

    /// Returns the hash of a binary tree: of its nodes and of the references of its leaves. Every encoding is made of
    /// these and of the triangles alone.
    pub fn of_tree(bvh: &Bvh2) -> Self {
        let nodes = bvh.nodes.par_chunks(PIECE).map(|nodes| {
            let words: Vec<[u32; 8]> = nodes.iter().map(words).collect();
            fingerprint(bytemuck::cast_slice(&words))
        });
        let references = bvh.references.par_chunks(PIECE).map(|some| fingerprint(bytemuck::cast_slice(some)));
        Self::of_pieces(nodes.chain(references))
    }

    /// Returns the hash of several together, in this order; that of a single one is its own.
    pub fn of_all(all: &[Self]) -> Self {
        match all {
            [one] => *one,
            _ => Self::of_pieces(all.par_iter().map(|hash| hash.0)),
        }
    }

    fn of_pieces(pieces: impl IndexedParallelIterator<Item = u64>) -> Self {
        let hashes: Vec<u64> = pieces.collect();
        Self(fingerprint(&hashes.into_iter().flat_map(u64::to_le_bytes).collect::<Vec<u8>>()))
    }
}

fn words(node: &Node) -> [u32; 8] {
    let [[left, bottom, near], [right, top, far]] = [node.bounds.min, node.bounds.max];
    let [left, bottom, near, right, top, far] = [left, bottom, near, right, top, far].map(f32::to_bits);
    [left, bottom, near, right, top, far, node.first, node.count]
}

impl fmt::Display for DataHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A text that is no [`DataHash`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a hash has 16 hexadecimal digits")]
pub struct NoDataHash;

impl FromStr for DataHash {
    type Err = NoDataHash;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_hash = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        u64::from_str_radix(text, 16).ok().filter(|_| is_hash).map(Self).ok_or(NoDataHash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_geom::Aabb;

    fn rays(count: usize) -> Vec<Ray> {
        (0..count).map(|i| Ray::new([i as f32, 0.5, -1.0], [0.0, 0.0, 1.0])).collect()
    }

    #[test]
    fn a_bit_of_a_ray_and_its_place_make_another_hash() {
        for count in [0, 1, PIECE, PIECE + 1, 3 * PIECE + 5] {
            let same = DataHash::of_rays(&rays(count));
            assert_eq!(DataHash::of_rays(&rays(count)), same);
            assert_ne!(DataHash::of_rays(&rays(count + 1)), same);
            for place in [0, count / 2, count.saturating_sub(1)].into_iter().filter(|place| *place < count) {
                let mut changed = rays(count);
                changed[place].t_max = f32::from_bits(changed[place].t_max.to_bits() ^ 1);
                assert_ne!(DataHash::of_rays(&changed), same, "ray {place} of {count}");
            }
        }
        let (mut turned, hash) = (rays(2 * PIECE), DataHash::of_rays(&rays(2 * PIECE)));
        turned.rotate_left(PIECE);
        assert_ne!(DataHash::of_rays(&turned), hash);
    }

    #[test]
    fn a_tree_of_other_nodes_or_references_has_another_hash() {
        let leaf = Node { bounds: Aabb { min: [0.0; 3], max: [1.0; 3] }, first: 0, count: 2 };
        let tree = |node: Node, references: [u32; 2]| {
            DataHash::of_tree(&Bvh2 { nodes: vec![node], references: references.to_vec(), primitive_count: 2 })
        };
        let hash = tree(leaf, [0, 1]);
        assert_eq!(tree(leaf, [0, 1]), hash);
        let wider = Node { bounds: Aabb { min: [0.0; 3], max: [1.0, 1.0, 2.0] }, ..leaf };
        for other in [tree(leaf, [1, 0]), tree(wider, [0, 1]), tree(Node { count: 1, ..leaf }, [0, 1])] {
            assert_ne!(other, hash);
        }
    }

    #[test]
    fn a_hash_is_read_as_it_is_written_and_one_alone_stands_for_all() {
        let [one, other] = [1, 2].map(|count| DataHash::of_rays(&rays(count)));
        assert_eq!(one.to_string().parse(), Ok(one));
        assert_eq!("5".parse::<DataHash>(), Err(NoDataHash));
        assert_eq!(DataHash::of_all(&[one]), one);
        assert_ne!(DataHash::of_all(&[one, other]), DataHash::of_all(&[other, one]));
    }
}
