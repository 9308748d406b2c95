//! Nodes as kernels want them: a child in one word, as it lies on the stack (kernels/tree/entry.h).

use crate::CudaError;
use raywarp_layout::{ChildWords, MemoryLayout, NO_CHILD, leaf_word};

/// Rewrites encoded nodes for kernels: a child's index and count become one word, and the boxes of missing children go
/// to infinity, where no ray with a finite end meets them. Compressed nodes stay as they are: their children are words
/// already, or groups.
pub(crate) fn pack(layout: &MemoryLayout, nodes: &mut [u32]) -> Result<(), CudaError> {
    if layout.children.is_empty() {
        return Ok(());
    }
    for node in nodes.chunks_exact_mut(layout.node_bytes as usize / 4) {
        for places in layout.children {
            pack_child(node, places)?;
        }
    }
    Ok(())
}

fn pack_child(node: &mut [u32], places: &ChildWords) -> Result<(), CudaError> {
    let (index, count) = (node[places.child], node[places.count]);
    node[places.count] = 0;
    if index == NO_CHILD {
        node[places.child] = 0;
        places.planes.iter().for_each(|&plane| node[plane] = f32::INFINITY.to_bits());
    } else if count > 0 {
        node[places.child] = leaf_word(index, count).ok_or(CudaError::LeafTooLarge { count, first: index })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_family::Tree;

    #[test]
    fn children_become_entries_and_absent_ones_cannot_be_hit() {
        let mut words = [0u32; 16];
        (words[12], words[13], words[14], words[15]) = (77, NO_CHILD, 3, 0);
        pack(MemoryLayout::of(Tree::Bvh2), &mut words).unwrap();
        assert_eq!(words[12..], [leaf_word(77, 3).unwrap(), 0, 0, 0]);
        let infinity = f32::INFINITY.to_bits();
        assert_eq!([4, 5, 6, 7, 10, 11].map(|plane| words[plane]), [infinity; 6]);
        assert_eq!([0, 1, 2, 3, 8, 9].map(|plane| words[plane]), [0; 6]);
    }

    #[test]
    fn a_leaf_that_does_not_fit_a_word_is_an_error() {
        for (first, count) in [(0, 17), (1 << 27, 1)] {
            let mut words = [0u32; 16];
            (words[12], words[14]) = (first, count);
            let error = pack(MemoryLayout::of(Tree::Bvh2), &mut words);
            assert_eq!(error, Err(CudaError::LeafTooLarge { count, first }));
        }
    }
}
