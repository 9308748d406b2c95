//! The micro-operations of a packet: one node, one triangle and one stack for all rays of a warp
//! (Günther et al. 2007; AL09 3.1). Every lane with a ray takes part, also one whose ray has ended.

use super::test_triangle::{Parts, Tested};
use crate::lane::{Lane, Stack};
use crate::lanes::{HasStatus, Is, Lanes};
use crate::probe::Watch;
use crate::tree::{EntryOf, Tree};
use crate::warp::Warp;
use raywarp_family::{Block, Space};
use raywarp_layout::MemoryLayout;

impl<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch> Warp<'_, L, T, P> {
    /// Tests the children of a node with all rays of a packet, which goes on with the child that most rays meet first.
    /// Of equal ones that is the lower slot; the packet pushes others that any ray hits.
    pub fn visit_node_together(&mut self, inner: T::Inner, stack: &mut Stack<EntryOf<T>>) -> Option<EntryOf<T>> {
        let (launch, rules) = (self.launch, self.rules);
        let Self { lanes, visit, .. } = self;
        // Each of a node's two children that any ray hits, with how many hit it before its sibling.
        let mut wanted: [Option<(EntryOf<T>, u32)>; 2] = [None; 2];
        // Rays that have ended take part as well, but nobody asks what they hit.
        let alive = lanes.which(Is::Alive);
        lanes.each(alive, |_, lane| {
            let Some(ray) = lane.setup.as_ref() else { return };
            visit.clear();
            launch.tree.visit(inner, ray, lane.found.limit, &rules, visit);
            for (place, &(_, slot)) in visit.hits.as_slice().iter().enumerate() {
                let child = || (launch.tree.child(ray, visit.node, slot), 0);
                wanted[slot as usize].get_or_insert_with(child).1 += u32::from(place == 0);
            }
        });
        let all = self.holding();
        let node = self.visit.node;
        let bytes = MemoryLayout::of(launch.variant.tree()).node_bytes as u16;
        self.touch_by_all(all, Space::Node, node, bytes);
        self.issue(Block::VisitNode, all);
        // A vote for each child, and when both are hit two ballots of who meets which first.
        for _ in 0..self.visit.used {
            self.issue_everyone(Block::Vote);
        }
        if let [Some((one, first)), Some((other, second))] = wanted {
            self.issue_everyone(Block::Ballot);
            self.issue_everyone(Block::Ballot);
            let (next, later) = if second > first { (other, one) } else { (one, other) };
            let index = stack.push(later);
            self.touch_stack(0, 0, index, true);
            self.issue(Block::VisitNodePush, all);
            return Some(next);
        }
        let next = wanted.into_iter().flatten().next().map(|(child, _)| child);
        next.or_else(|| self.pop_together(stack))
    }

    /// Pops the entry that the packet pushed last; `None` if its stack is empty and the walk is done.
    pub fn pop_together(&mut self, stack: &mut Stack<EntryOf<T>>) -> Option<EntryOf<T>> {
        let (entry, index) = stack.pop();
        self.touch_stack(0, 0, index, false);
        self.issue(Block::Pop, self.holding());
        entry
    }

    /// Tests one triangle with all rays of the packet. One that has ended hits nothing any more.
    pub fn test_triangle_together(&mut self, record: u32) {
        let (launch, rules, holding) = (self.launch, self.test_rules, self.holding());
        let touches = self.wants_touches();
        let Self { lanes, tested, .. } = self;
        tested.clear();
        let mut parts = Parts::default();
        lanes.each(holding, |i, lane| {
            let mut test = Tested::nothing(i, record);
            if let Some(ray) = lane.setup.as_ref().filter(|_| lane.is(Is::Alive)) {
                test = Tested::new(i, record, launch.tree.test(record, ray, &mut lane.found, &rules));
                if lane.found.blocked {
                    lane.end();
                }
            }
            parts.add(&test);
            if touches {
                tested.push(test);
            }
        });
        if P::ON {
            self.tell_tests(&parts);
        }
    }

    /// Notes for the probe that every lane of `mask` reads the same record.
    fn touch_by_all(&mut self, mask: L::Mask, space: Space, index: u32, bytes: u16) {
        if self.wants_touches() {
            let mut lanes = std::mem::take(&mut self.noted);
            lanes.clear();
            self.lanes.each(mask, |i, _| lanes.push((i, index)));
            for &(i, index) in &lanes {
                self.touch(i, space, index, 0, bytes, false);
            }
            self.noted = lanes;
        }
    }
}
