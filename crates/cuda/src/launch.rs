//! Parameters that a kernel is given: the same fields in the same order as `Launch` in kernels/launch.h.

use crate::Parameters;
use raywarp_family::{Tree, Variant};

/// Number of entries of a kernel's traversal stack, as `STACK_DEPTH` in kernels/launch.h.
const STACK_DEPTH: usize = 128;

/// Number of entries of the traversal stack of h8's kernels, as `DEPTH` in kernels/tree/h8.h.
const H8_STACK_DEPTH: usize = 63;

/// Returns the number of traversal stack entries of a variant's kernels; as `GroupStack` in kernels/stack.h where lanes
/// share a ray.
pub fn stack_depth(variant: &Variant) -> usize {
    match variant.lanes_per_ray() {
        1 if variant.tree() == Tree::H8 => H8_STACK_DEPTH,
        1 => STACK_DEPTH,
        // One of them is what lies below the first.
        lanes => 32 * lanes as usize - 1,
    }
}

/// Number of lanes of a warp.
pub(crate) const WARP: u32 = 32;

/// Bytes of the stacks of a work queue's rays for one warp: two stacks a lane, with the word below the first entry.
pub const WARP_STACK_BYTES: usize = (STACK_DEPTH + 1) * 2 * WARP as usize * 8;

/// Parameters of a traversal kernel's launch, with device addresses; kernels/launch.h says what each is.
#[allow(missing_docs)] // There, once.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub struct Launch {
    pub nodes: u64,
    pub triangles: u64,
    pub slots: u64,
    pub ids: u64,
    pub rays: u64,
    pub after: u64,
    pub hits: u64,
    pub instances: u64,
    pub blocked: u64,
    pub undecided: u64,
    pub counter: u64,
    pub invalid: u64,
    pub stacks: u64,
    pub ray_count: u32,
    pub node_count: u32,
    pub bounds: [f32; 6],
    pub grid: u32,
    pub farthest: f32,
    pub fallback_count: u64,
}

// SAFETY: plain words without padding at the places where the kernels look for them (asserted below).
unsafe impl Parameters for Launch {}

const _: () = assert!(size_of::<Launch>() == 14 * 8 + 10 * 4);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::BLOCK_THREADS;

    #[test]
    fn stacks_and_blocks_are_as_large_as_the_kernels_have_them() {
        let number = |text: &str, name: &str| -> usize {
            let at = text.find(name).expect("it is there") + name.len();
            text[at..].split(';').next().and_then(|number| number.parse().ok()).expect("a number")
        };
        let launch = include_str!("../kernels/launch.h");
        assert_eq!(number(launch, "constexpr u32 STACK_DEPTH = "), STACK_DEPTH);
        assert_eq!(number(launch, "constexpr u32 BLOCK_WARPS = "), (BLOCK_THREADS / WARP) as usize);
        assert_eq!(number(include_str!("../kernels/tree/h8.h"), "constexpr u32 DEPTH = "), H8_STACK_DEPTH);
    }
}
