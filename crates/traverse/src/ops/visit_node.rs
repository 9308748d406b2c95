//! `visit_node`: fetch a node, test the ray against all its child boxes, order the hits, push all but
//! the nearest.

use crate::lane::{Lane, Work};
use crate::lanes::Lanes;
use crate::probe::{Touch, Watch};
use crate::tree::{Entry, Tree};
use crate::warp::Warp;
use raywarp_family::{Block, Fetch, Space};
use raywarp_layout::MemoryLayout;

/// Record of one lane's visit of a node, to be told to the probe: what it read and pushed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Visited {
    lane: u32,
    /// Index of the lane's stack.
    owner: u16,
    node: u32,
    hits: u32,
    /// Stack index of the first entry that was pushed, and one past the last.
    pushed: (u32, u32),
}

impl Visited {
    /// Returns the number of stack entries that the visit pushed.
    fn push_count(&self) -> u32 {
        self.pushed.1.saturating_sub(self.pushed.0)
    }
}

/// Largest number of stack entries that one visit pushes for a lane with a ray of its own: what remains of a group, and
/// all but one of four children.
const MOST_PUSHES: usize = 4;

/// Lanes that take part in each block of a node visit's code.
#[derive(Debug, Default)]
struct Parts {
    /// Masks of the rays that hit a child, and of those that hit more than one.
    hit: u64,
    several: u64,
    /// Masks of the lanes that push a first stack entry, a second one, and so on; the first holds all where lanes share
    /// a ray.
    pushes: [u64; MOST_PUSHES],
}

impl<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch> Warp<'_, L, T, P> {
    /// Makes the lanes of `mask` visit the nodes that they stand at. One without a hit child must pop then.
    #[inline(never)]
    pub fn visit_node(&mut self, mask: L::Mask) {
        let (launch, rules) = (self.launch, self.rules);
        let (room, n, touches) = (launch.variant.postpone(), self.lanes_per_ray(), self.wants_touches());
        let Self { lanes, visit, visited, stacked: pushers, .. } = self;
        visited.clear();
        pushers.clear();
        let mut parts = Parts::default();
        lanes.each(mask, |i, lane| {
            let (Work::At(Entry::Inner(inner)), Some(ray)) = (lane.work, &lane.setup) else { return };
            visit.clear();
            launch.tree.visit(inner, ray, lane.found.limit, &rules, visit);
            let bottom = lane.stack.len();
            if let Some(rest) = visit.rest {
                lane.stack.push(rest);
            }
            // A group of triangles has a register of its own where leaves can be put aside (YKL17).
            let hits = visit.hits.as_slice();
            let count = hits.len() as u32 + u32::from(visit.group.is_some()) + u32::from(visit.nodes.is_some());
            let mut next = None;
            if let Some(group) = visit.group {
                if lane.postponed.len() < room {
                    lane.postponed.push(group);
                } else {
                    next = Some(Entry::Leaf(T::join(group, &mut visit.nodes)));
                }
            }
            if let Some(nodes) = visit.nodes.map(Entry::Inner) {
                if next.is_some() {
                    lane.stack.push(nodes);
                } else {
                    next = Some(nodes);
                }
            }
            if let Some((&(_, nearest), farther)) = hits.split_first() {
                for &(_, slot) in farther.iter().rev() {
                    lane.stack.push(launch.tree.child(ray, visit.node, slot));
                }
                next = Some(launch.tree.child(ray, visit.node, nearest));
                if P::ON && n > 1 {
                    // The lane that has tested a child pushes it.
                    parts.pushes[0] |= farther.iter().fold(0, |lanes, &(_, slot)| lanes | 1 << (i * n + slot));
                    if touches {
                        let slots = farther.iter().rev().map(|hit| hit.1);
                        pushers.extend(
                            slots.zip(bottom + 1..).map(|(slot, index)| (i * n + slot, lane.stack_number, index)),
                        );
                    }
                }
            }
            lane.work = next.map_or(Work::Pop, Work::At);
            if P::ON {
                let pushed = lane.stack.len() - bottom;
                parts.hit |= u64::from(count > 0) << i;
                parts.several |= u64::from(count > 1) << i;
                if n == 1 {
                    for (k, lanes) in parts.pushes.iter_mut().enumerate() {
                        *lanes |= u64::from((k as u32) < pushed) << i;
                    }
                }
                if touches {
                    let pushed = (bottom + 1, bottom + 1 + pushed);
                    visited.push(Visited { lane: i, owner: lane.stack_number, node: visit.node, hits: count, pushed });
                }
            }
        });
        if P::ON {
            self.tell_visits(mask, &parts);
        }
    }

    fn tell_visits(&mut self, mask: L::Mask, parts: &Parts) {
        let (variant, n) = (self.launch.variant, self.lanes_per_ray());
        let node_bytes = MemoryLayout::of(variant.tree()).node_bytes as u16;
        let split = variant.fetch() == Fetch::Needed && n == 1;
        // The last 16 bytes of a bvh2 node, 32 of a wide4 node, are its links.
        let boxes = if split { node_bytes * 3 / 4 } else { node_bytes };
        // Empty for a probe that counts only, as most do.
        let visited = std::mem::take(&mut self.visited);
        for v in &visited {
            if n == 1 {
                self.touch(v.lane, Space::Node, v.node, 0, boxes, false);
            } else {
                // A lane learns that its child is not there by loading it.
                for slot in 0..n {
                    self.touch(v.lane * n + slot, Space::Node, v.node * n + slot, 0, node_bytes, false);
                }
            }
        }
        self.issue(Block::VisitNode, mask);
        if n > 1 {
            self.visited = visited;
            return self.tell_shared_pushes(mask, parts.pushes[0]);
        }
        if split {
            for v in visited.iter().filter(|v| v.hits > 0) {
                self.touch(v.lane, Space::Node, v.node, boxes, node_bytes - boxes, false);
            }
            self.issue_bits(Block::VisitNodeLinks, parts.hit);
        }
        // Compressed nodes are ordered by their slots, which costs nothing here.
        if self.rules.order.is_some() && !variant.tree().groups_leaves() {
            self.issue_bits(Block::VisitNodeOrder, parts.several);
        }
        for (k, &lanes) in (0..).zip(&parts.pushes) {
            for v in visited.iter().filter(|v| k < v.push_count()) {
                self.touch_stack(v.lane, v.owner, v.pushed.0 + k, true);
            }
            self.issue_bits(Block::VisitNodePush, lanes);
        }
        self.visited = visited;
    }

    /// Tells the probe of pushes where lanes share a ray and each pushes its own child at once, at a position that it
    /// finds by comparing distances or counting hits (AL09 5.3).
    fn tell_shared_pushes(&mut self, mask: L::Mask, pushes: u64) {
        if self.rules.order.is_some() {
            self.issue_times(Block::Shuffle, mask, self.lanes_per_ray() - 1);
        }
        self.issue(Block::PrefixSum, mask);
        // The two words of the nearest child.
        self.issue_times(Block::Shuffle, mask, 2);
        let bytes = self.launch.variant.stack().entry_bytes as u16;
        let pushers = std::mem::take(&mut self.stacked);
        for &(lane, owner, index) in &pushers {
            self.touch_by(Touch { lane: lane as u8, space: Space::Stack, index, owner, offset: 0, bytes, write: true });
        }
        self.stacked = pushers;
        self.issue_bits(Block::VisitNodePush, pushes);
    }
}
