//! The micro-operations of a packet: one node, one triangle and one stack for all rays of a warp
//! (Günther et al. 2007; AL09 3.1). Every lane with a ray takes part, also one whose ray has ended.

use super::test_triangle::Tested;
use crate::lane::{Lane, Stack};
use crate::lanes::Lanes;
use crate::probe::Watch;
use crate::tree::{EntryOf, Tree};
use crate::warp::Warp;
use raywarp_family::{Block, Space};

/// A child that some rays of a packet hit.
struct Wanted<E> {
    child: E,
    slot: u32,
    /// Rays that hit it before its siblings.
    first: u32,
}

impl<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch> Warp<'_, L, T, P> {
    /// All rays test the children of a node; the packet goes on with the one that most rays meet first, of
    /// equals the lower slot, and pushes the others that any ray hits.
    pub fn visit_node_together(&mut self, inner: T::Inner, stack: &mut Stack<EntryOf<T>>) -> Option<EntryOf<T>> {
        let (launch, rules, visit) = (self.launch, self.rules, &mut self.visit);
        let mut wanted: Vec<Wanted<EntryOf<T>>> = Vec::with_capacity(2);
        let all = self.lanes.filter(|lane| !lane.is_idle());
        // Rays that have ended take part as well, but nobody asks what they hit.
        let alive = self.lanes.filter(Lane::is_alive);
        self.lanes.each(alive, |_, lane| {
            let Some(ray) = lane.setup.as_ref() else { return };
            visit.clear();
            launch.tree.visit(inner, ray, lane.found.limit, &rules, visit);
            for (place, (&child, &(_, slot))) in visit.children.iter().zip(&visit.hits).enumerate() {
                let first = u32::from(place == 0);
                match wanted.iter_mut().find(|known| known.slot == slot) {
                    Some(known) => known.first += first,
                    None => wanted.push(Wanted { child, slot, first }),
                }
            }
        });
        let node = self.visit.node;
        let bytes = launch.variant.tree().node_bytes() as u16;
        self.touch_by_all(all, Space::Node, node, bytes);
        self.issue(Block::VisitNode, all);
        // A vote for each child, and when both are hit two ballots of who meets which first.
        for _ in 0..self.visit.used {
            self.issue_everyone(Block::Vote);
        }
        if wanted.len() > 1 {
            self.issue_everyone(Block::Ballot);
            self.issue_everyone(Block::Ballot);
            wanted.sort_by_key(|child| (std::cmp::Reverse(child.first), child.slot));
        }
        let mut rest = wanted.into_iter().map(|wanted| wanted.child);
        let next = rest.next();
        for child in rest {
            let index = stack.push(child);
            self.touch_stack(0, 0, index, true);
            self.issue(Block::VisitNodePush, all);
        }
        next.or_else(|| self.pop_together(stack))
    }

    /// The packet goes on with what it pushed last; `None` at the end of its path.
    pub fn pop_together(&mut self, stack: &mut Stack<EntryOf<T>>) -> Option<EntryOf<T>> {
        let (entry, index) = stack.pop();
        self.touch_stack(0, 0, index, false);
        self.issue(Block::Pop, self.holding());
        entry
    }

    /// All rays test one triangle. One that has ended hits nothing any more.
    pub fn test_triangle_together(&mut self, record: u32) {
        let (launch, rules, holding) = (self.launch, self.test_rules, self.holding());
        let mut tested = std::mem::take(&mut self.tested);
        tested.clear();
        self.lanes.each(holding, |i, lane| {
            let mut test = Tested::nothing(i, record);
            if let Some(ray) = lane.setup.as_ref().filter(|_| lane.is_alive()) {
                test = Tested::new(i, record, launch.tree.test(record, ray, &mut lane.found, &rules));
                if lane.found.blocked {
                    lane.end();
                }
            }
            tested.push(test);
        });
        if P::ON {
            self.tell_tests(&tested);
        }
        self.tested = tested;
    }

    /// Every lane of `mask` reads the same record.
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
