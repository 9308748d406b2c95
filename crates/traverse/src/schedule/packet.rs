//! Packet traversal (Günther et al. 2007; AL09 3.1): all rays of a warp follow one path with one stack.
//! A node is visited when any ray hits it, and all rays take part in every test.
//!
//! ```text
//! while any ray is not terminated
//!     if node does not contain primitives
//!         test both children; vote which any ray hits; go to the one that more rays meet first
//!     else
//!         test all of its primitives
//!         pop
//! ```

use crate::lane::{Lane, Stack};
use crate::lanes::Lanes;
use crate::probe::Probe;
use crate::tree::{Entry, EntryOf, Leaf, Tree};
use crate::warp::Warp;
use raywarp_family::{Block, Space};

/// The path that a warp shares.
pub(crate) struct Packet;

impl Packet {
    /// Traces the rays that the warp holds to their end.
    pub fn trace<L: Lanes<Lane = Lane<T>>, T: Tree, P: Probe>(warp: &mut Warp<'_, L, T, P>) {
        let mut stack: Stack<EntryOf<T>> = Stack::new(warp.launch.tree.stack_depth());
        let mut next = warp.launch.tree.root();
        while let Some(entry) = next {
            next = match entry {
                Entry::Inner(inner) => Self::visit(warp, inner, &mut stack),
                Entry::Leaf(mut leaf) => {
                    while let Some(record) = leaf.take() {
                        warp.test_record_by_all(record);
                    }
                    Self::pop(warp, &mut stack)
                }
            };
            if !warp.any(warp.alive()) {
                break;
            }
        }
        let all = warp.holding();
        warp.lanes.each(all, |_, lane| lane.end());
    }

    /// All rays test both children; the packet goes on with one that any of them hits.
    fn visit<L: Lanes<Lane = Lane<T>>, T: Tree, P: Probe>(
        warp: &mut Warp<'_, L, T, P>,
        inner: T::Inner,
        stack: &mut Stack<EntryOf<T>>,
    ) -> Option<EntryOf<T>> {
        let (launch, rules, visit) = (warp.launch, warp.rules, &mut warp.visit);
        // Rays that hit each child, and those that meet it first.
        let mut children: Vec<(EntryOf<T>, u32, u32)> = Vec::with_capacity(2);
        let mut node = 0;
        let all = warp.lanes.filter(|lane| !lane.is_idle());
        warp.lanes.each(all, |_, lane| {
            let Some(ray) = lane.setup.as_ref().filter(|_| lane.is_alive()) else { return };
            visit.clear();
            launch.tree.visit(inner, ray, lane.found.limit, &rules, visit);
            node = visit.node;
            for (place, &child) in visit.children.iter().enumerate() {
                let first = u32::from(place == 0);
                match children.iter_mut().find(|known| known.0 == child) {
                    Some(known) => (known.1, known.2) = (known.1 + 1, known.2 + first),
                    None => children.push((child, 1, first)),
                }
            }
        });
        warp.touch(0, Space::Node, node, 0, launch.variant.tree().node_bytes() as u16, false);
        warp.issue(Block::VisitNode, all);
        // A vote for each child, and one for the order when both are hit.
        warp.any(all);
        warp.any(all);
        if children.len() == 2 {
            warp.ballot(all);
            children.sort_by_key(|&(_, _, first)| std::cmp::Reverse(first));
        }
        let mut rest = children.into_iter().map(|(child, _, _)| child);
        let next = rest.next();
        for child in rest {
            let index = stack.push(child);
            warp.touch(0, Space::Stack, index, 0, 4, true);
            warp.issue(Block::VisitNodePush, all);
        }
        next.or_else(|| Self::pop(warp, stack))
    }

    fn pop<L: Lanes<Lane = Lane<T>>, T: Tree, P: Probe>(
        warp: &mut Warp<'_, L, T, P>,
        stack: &mut Stack<EntryOf<T>>,
    ) -> Option<EntryOf<T>> {
        let (entry, index) = stack.pop();
        warp.touch(0, Space::Stack, index, 0, 4, false);
        warp.issue(Block::Pop, warp.holding());
        entry
    }
}
