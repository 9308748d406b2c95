//! `test_triangle`: fetch a triangle record, test, shorten the ray.

use crate::lane::Lane;
use crate::lanes::{Lanes, Mask};
use crate::probe::Probe;
use crate::tree::Tree;
use crate::warp::{Launch, Warp};
use raywarp_family::{Block, Fetch, Space};

/// Bytes of a triangle record, and of each of its three rows.
const RECORD_BYTES: u16 = 48;
const ROW_BYTES: u16 = 16;

/// What one lane's test did.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tested {
    lane: u32,
    record: u32,
    /// Whether the second and the third row were needed.
    rows: [bool; 2],
    accepted: bool,
}

impl<L: Lanes<Lane = Lane<T>>, T: Tree, P: Probe> Warp<'_, L, T, P> {
    /// The lanes of `mask` test the next triangle of their oldest leaf, and as many more as the loop is
    /// unrolled. One that ended a leaf it stood at must pop then; an any-hit ray that something opaque
    /// blocks ends.
    pub fn test_triangle(&mut self, mask: L::Mask) {
        self.test_one(mask);
        for _ in 1..self.launch.variant.unroll() {
            self.test_one(mask.and(self.in_leaf()));
        }
    }

    /// One test a lane; where several lanes share a ray, one on each of those while the leaf lasts.
    #[inline(never)]
    fn test_one(&mut self, mask: L::Mask) {
        let launch = self.launch;
        let n = self.lanes_per_ray();
        let mut tested = std::mem::take(&mut self.tested);
        tested.clear();
        self.lanes.each(mask, |i, lane| {
            for k in 0..n {
                let Some(record) = lane.take_record() else { break };
                tested.push(Tested { lane: i * n + k, ..test_record::<T, P>(&launch, lane, record) });
                if lane.found.blocked {
                    lane.end();
                }
                if lane.leaf_ended || lane.found.blocked {
                    break;
                }
            }
        });
        if P::EVENTS {
            self.tell_tests(&tested);
            if n > 1 {
                self.reduce_over_ray(mask);
            }
        }
        self.tested = tested;
    }

    /// All rays of a packet test one triangle.
    #[inline(never)]
    pub fn test_record_by_all(&mut self, record: u32) {
        let (launch, holding) = (self.launch, self.holding());
        let mut tested = std::mem::take(&mut self.tested);
        tested.clear();
        self.lanes.each(holding, |i, lane| {
            // A ray that has ended takes part all the same, and hits nothing.
            let mut test = Tested { lane: i, record, rows: [true; 2], accepted: false };
            if lane.is_alive() {
                test = Tested { lane: i, ..test_record::<T, P>(&launch, lane, record) };
                if lane.found.blocked {
                    lane.end();
                }
            }
            tested.push(test);
        });
        if P::EVENTS {
            self.tell_tests(&tested);
        }
        self.tested = tested;
    }

    #[inline(never)]
    fn tell_tests(&mut self, tested: &[Tested]) {
        let by_rows = self.launch.variant.fetch() == Fetch::Needed;
        let row = |k: u16| (k * ROW_BYTES, ROW_BYTES);
        if by_rows {
            self.tell_rows(Block::TestTriangleT, tested, row(0), |_| true);
            self.tell_rows(Block::TestTriangleU, tested, row(1), |t| t.rows[0]);
            self.tell_rows(Block::TestTriangleV, tested, row(2), |t| t.rows[1]);
        } else {
            self.tell_rows(Block::TestTriangle, tested, (0, RECORD_BYTES), |_| true);
        }
        let mut active = 0;
        for t in tested.iter().filter(|t| t.accepted) {
            self.touch(t.lane, Space::Slot, t.record, 0, 4, false);
            active |= 1 << t.lane;
        }
        self.issue_bits(Block::TestTriangleAccept, active);
    }

    fn tell_rows(&mut self, block: Block, tested: &[Tested], (offset, bytes): (u16, u16), runs: fn(&Tested) -> bool) {
        let mut active = 0;
        for t in tested.iter().filter(|t| runs(t)) {
            self.touch(t.lane, Space::Triangle, t.record, offset, bytes, false);
            active |= 1 << t.lane;
        }
        self.issue_bits(block, active);
    }
}

/// Tests one record; the lane's ray is shortened by a hit.
fn test_record<T: Tree, P: Probe>(launch: &Launch<'_, T>, lane: &mut Lane<T>, record: u32) -> Tested {
    let mut result = Tested { lane: 0, record, rows: [true; 2], accepted: false };
    let Some(ray) = &lane.setup else { return result };
    if P::EVENTS && launch.variant.fetch() == Fetch::Needed {
        result.rows = launch.triangles.rows_needed(record, ray, lane.found.limit);
    }
    if let Some(tuv) = launch.triangles.test(record, ray) {
        let word = launch.tree.slots()[record as usize];
        result.accepted = lane.found.offer(ray, tuv, word, &launch.triangles.ids, launch.any_hit);
    }
    result
}
