//! `visit_node`: fetch a node, test the ray against all its child boxes, order the hits, push all but
//! the nearest.

use crate::lane::{Lane, Work};
use crate::lanes::Lanes;
use crate::probe::{Touch, Watch};
use crate::tree::{Entry, Tree};
use crate::warp::{Warp, spread};
use raywarp_family::{Block, Fetch, Space};

/// What one lane's visit did.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Visited {
    lane: u32,
    /// Number of its stack.
    owner: u16,
    node: u32,
    hits: u32,
    /// Stack indices of the first and one past the last entry that was pushed.
    pushed: (u32, u32),
}

impl Visited {
    /// Entries that were pushed.
    fn push_count(&self) -> u32 {
        self.pushed.1.saturating_sub(self.pushed.0)
    }
}

impl<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch> Warp<'_, L, T, P> {
    /// The lanes of `mask` visit the nodes that they stand at. One without a hit child must pop then.
    #[inline(never)]
    pub fn visit_node(&mut self, mask: L::Mask) {
        let (launch, rules, visit) = (self.launch, self.rules, &mut self.visit);
        let room = launch.variant.postpone();
        let n = launch.variant.lanes_per_ray();
        let (mut visited, mut pushers) = (std::mem::take(&mut self.visited), std::mem::take(&mut self.stacked));
        visited.clear();
        pushers.clear();
        self.lanes.each(mask, |i, lane| {
            let (Work::At(Entry::Inner(inner)), Some(ray)) = (lane.work, &lane.setup) else { return };
            visit.clear();
            launch.tree.visit(inner, ray, lane.found.limit, &rules, visit);
            let mut pushed = (u32::MAX, 0);
            let mut push = |lane: &mut Lane<T>, entry| {
                let index = lane.stack.push(entry);
                pushed = (pushed.0.min(index), index + 1);
            };
            if let Some(rest) = visit.rest {
                push(lane, rest);
            }
            // A group of triangles has a register of its own where leaves can be put aside (YKL17).
            let mut first_leaf = None;
            if let Some(group) = visit.group {
                if lane.postponed.len() < room {
                    lane.postponed.push(group);
                } else {
                    first_leaf = Some(Entry::Leaf(T::join(group, &mut visit.children)));
                }
            }
            let hits = visit.children.len() as u32 + u32::from(visit.group.is_some());
            let mut next = first_leaf;
            let farther = if next.is_some() { 0 } else { 1 };
            for &child in visit.children.iter().skip(farther).rev() {
                push(lane, child);
            }
            if P::ON && n > 1 {
                // The lane that has tested a child pushes it.
                let slots = visit.hits.iter().skip(farther).rev().map(|hit| hit.1);
                pushers.extend(slots.zip(pushed.0..).map(|(slot, index)| (i * n + slot, lane.stack_number, index)));
            }
            next = next.or_else(|| visit.children.first().copied());
            lane.work = next.map_or(Work::Pop, Work::At);
            visited.push(Visited { lane: i, owner: lane.stack_number, node: visit.node, hits, pushed });
        });
        if P::ON {
            self.tell_visits(mask, &visited, &pushers);
        }
        (self.visited, self.stacked) = (visited, pushers);
    }

    #[inline(never)]
    fn tell_visits(&mut self, mask: L::Mask, visited: &[Visited], pushers: &[(u32, u16, u32)]) {
        let (variant, n) = (self.launch.variant, self.lanes_per_ray());
        let node_bytes = variant.tree().node_bytes() as u16;
        let split = variant.fetch() == Fetch::Needed && n == 1;
        // The last 16 bytes of a bvh2 node, 32 of a wide4 node, are its links.
        let boxes = if split { node_bytes * 3 / 4 } else { node_bytes };
        // Most probes count only.
        let touches = self.wants_touches();
        if touches {
            for v in visited {
                if n == 1 {
                    self.touch(v.lane, Space::Node, v.node, 0, boxes, false);
                } else {
                    // A lane learns that its child is not there by loading it.
                    for slot in 0..n {
                        self.touch(v.lane * n + slot, Space::Node, v.node * n + slot, 0, node_bytes, false);
                    }
                }
            }
        }
        self.issue(Block::VisitNode, mask);
        let lanes_of = |v: &Visited| if n == 1 { 1 << v.lane } else { spread(1 << v.lane, n, n) };
        let (mut hit, mut several, mut most) = (0, 0, 0);
        for v in visited {
            let lanes: u64 = lanes_of(v);
            hit |= if v.hits > 0 { lanes } else { 0 };
            several |= if v.hits > 1 { lanes } else { 0 };
            most = most.max(v.push_count());
        }
        if split {
            for v in visited.iter().filter(|v| touches && v.hits > 0) {
                self.touch(v.lane, Space::Node, v.node, boxes, node_bytes - boxes, false);
            }
            self.issue_bits(Block::VisitNodeLinks, hit);
        }
        if n > 1 {
            return self.tell_shared_pushes(mask, hit, pushers);
        }
        // Compressed nodes are ordered by their slots, which costs nothing here.
        if self.rules.order.is_some() && !variant.tree().groups_leaves() {
            self.issue_bits(Block::VisitNodeOrder, several);
        }
        for k in 0..most {
            let mut lanes = 0;
            for v in visited.iter().filter(|v| k < v.push_count()) {
                if touches {
                    self.touch_stack(v.lane, v.owner, v.pushed.0 + k, true);
                }
                lanes |= 1 << v.lane;
            }
            self.issue_bits(Block::VisitNodePush, lanes);
        }
    }

    /// The lanes of one ray look at each other's distances, or count the hits before theirs where the order does not
    /// matter; where there is a hit, all ask for the nearest, and those of the others push them at once, one a
    /// lane (AL09 5.3).
    fn tell_shared_pushes(&mut self, mask: L::Mask, hit: u64, pushers: &[(u32, u16, u32)]) {
        if self.rules.order.is_some() {
            for _ in 1..self.lanes_per_ray() {
                self.issue(Block::Shuffle, mask);
            }
        }
        self.issue(Block::PrefixSum, mask);
        // The two words of the nearest child.
        self.issue_bits(Block::Shuffle, hit);
        self.issue_bits(Block::Shuffle, hit);
        let bytes = self.launch.variant.stack().entry_bytes as u16;
        let mut active = 0;
        for &(lane, owner, index) in pushers {
            self.touch_by(Touch { lane: lane as u8, space: Space::Stack, index, owner, offset: 0, bytes, write: true });
            active |= 1 << lane;
        }
        self.issue_bits(Block::VisitNodePush, active);
    }
}
