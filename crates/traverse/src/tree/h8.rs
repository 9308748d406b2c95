//! Our eight-child node of 64 bytes: groups of nodes in octant order, and groups of pairs of triangles.

use super::node_group::NodeGroup;
use super::{BoxTree, Candidate, Entry, Leaf, UNDECIDED, Visit, VisitRules};
use crate::ray::LaneRay;
use crate::triangles::Triangles;
use raywarp_geom::triangle::Middling;
use raywarp_layout::{H8, H8Ray, child_block};

/// Leaf children of one node that a ray hits, each a record of one or two triangles, perhaps with the node children
/// that it hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PairGroup {
    first: u32,
    inner: u8,
    hits: u8,
    /// Mask of the slots of hit child nodes that the ray visits after these leaves.
    nodes: u8,
}

impl Leaf for PairGroup {
    #[inline]
    fn take(&mut self) -> Option<u32> {
        let slot = self.hits.trailing_zeros();
        (self.hits != 0).then(|| {
            self.hits &= self.hits - 1;
            child_block(self.first, self.inner, slot as usize)
        })
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.hits == 0
    }
}

impl BoxTree for H8 {
    type Inner = NodeGroup;
    type Leaf = PairGroup;

    #[inline]
    fn join(leaf: PairGroup, nodes: &mut Option<NodeGroup>) -> PairGroup {
        PairGroup { nodes: nodes.take().map_or(0, |nodes| nodes.hits), ..leaf }
    }

    #[inline]
    fn take_behind(leaf: &mut PairGroup) -> Option<NodeGroup> {
        let hits = std::mem::take(&mut leaf.nodes);
        (hits != 0).then_some(NodeGroup { first: leaf.first, inner: leaf.inner, hits })
    }

    fn root(&self) -> Option<Entry<NodeGroup, PairGroup>> {
        (!self.blocks().is_empty()).then_some(Entry::Inner(NodeGroup::ROOT))
    }

    fn stack_depth(&self) -> usize {
        H8::stack_depth(self)
    }

    #[inline]
    fn test(&self, record: u32, ray: &LaneRay, _: f32, _: &Triangles) -> [Option<Candidate>; 2] {
        let Some(watertight) = &ray.watertight else { return [None; 2] };
        let pair = self.pair(record);
        let mut i = 0;
        let mut with_word = |tuv: Option<[f32; 3]>| {
            i += 1;
            tuv.map(|tuv| (tuv, pair.words[i - 1]))
        };
        if ray.takes_any {
            return pair.test_each(watertight).map(with_word);
        }
        pair.test(watertight).map(|found| {
            with_word(match found {
                Middling::Miss => None,
                Middling::Hit(tuv) => Some(tuv),
                Middling::Undecided => Some(UNDECIDED),
            })
        })
    }

    fn is_beyond(&self, ray: &LaneRay) -> bool {
        !ray.takes_any && H8Ray::is_beyond(&ray.given, self.reach())
    }

    #[inline]
    fn visit(
        &self,
        mut group: NodeGroup,
        ray: &LaneRay,
        t_max: f32,
        rules: &VisitRules,
        out: &mut Visit<NodeGroup, PairGroup>,
    ) {
        let Some(blocks) = &ray.blocks else { return };
        out.node = group.take_nearest(rules.octant(blocks.octant()));
        out.rest = (group.hits != 0).then_some(Entry::Inner(group));
        let node = self.node(out.node);
        out.used = (0..8).filter(|&slot| node.has_child(slot)).count() as u32;
        let hits = blocks.hits(&node, self.grid_step(), t_max);
        let (first, inner) = (node.first, node.inner);
        if hits & inner != 0 {
            out.nodes = Some(NodeGroup { first, inner, hits: hits & inner });
        }
        out.group = (hits & !inner != 0).then_some(PairGroup { first, inner, hits: hits & !inner, nodes: 0 });
    }

    fn child(&self, _: u32, _: u32) -> Entry<NodeGroup, PairGroup> {
        unreachable!("children are in groups")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_bring_the_nodes_behind_them_along() {
        let nodes = NodeGroup { first: 40, inner: 0b0000_0110, hits: 0b0000_0100 };
        let leaves = PairGroup { first: 40, inner: nodes.inner, hits: 0b0000_1001, nodes: 0 };
        let mut behind = Some(nodes);
        let mut joined = H8::join(leaves, &mut behind);
        assert_eq!(behind, None);
        // Nodes come first in memory: slots 0 and 3 are the third and the fourth block.
        assert_eq!([joined.take(), joined.take(), joined.take()], [Some(42), Some(43), None]);
        assert_eq!((H8::take_behind(&mut joined), H8::take_behind(&mut joined)), (Some(nodes), None));
        assert_eq!(H8::take_behind(&mut H8::join(leaves, &mut None)), None);
    }
}
