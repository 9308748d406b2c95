//! `test_triangle`: fetch a triangle record, test, shorten the ray.

use crate::lane::Lane;
use crate::lanes::{Lanes, Mask};
use crate::probe::Watch;
use crate::tree::{RecordTest, Tree};
use crate::warp::Warp;
use raywarp_family::{Block, Fetch, Space, Tree as TreeKind};

/// Bytes of each of the three rows of a record.
const ROW_BYTES: u16 = 16;

/// What one lane's test did.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tested {
    lane: u32,
    record: u32,
    result: RecordTest,
}

impl Tested {
    /// A test of `record` that all rows are read for, and that hits nothing.
    pub(super) fn nothing(lane: u32, record: u32) -> Self {
        Self { lane, record, result: RecordTest { rows: [true; 2], accepted: false } }
    }

    pub(super) fn new(lane: u32, record: u32, result: RecordTest) -> Self {
        Self { lane, record, result }
    }
}

impl<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch> Warp<'_, L, T, P> {
    /// The lanes of `mask` test the next triangle of their oldest leaf, and as many more as the loop is
    /// unrolled. One that ended a leaf it stood at must pop then; an any-hit ray that something opaque
    /// blocks ends.
    pub fn test_triangle(&mut self, mask: L::Mask) {
        self.test_one(mask);
        for _ in 1..self.launch.variant.unroll() {
            self.test_one(mask.and(self.in_leaf()));
        }
    }

    /// One test a lane; where several lanes share a ray, one on each of those while the leaf lasts: they test
    /// side by side, and the ray is shortened after all of them.
    #[inline(never)]
    fn test_one(&mut self, mask: L::Mask) {
        let (launch, rules) = (self.launch, self.test_rules);
        let n = self.lanes_per_ray();
        let mut tested = std::mem::take(&mut self.tested);
        tested.clear();
        self.lanes.each(mask, |i, lane| {
            let before = lane.found;
            for k in 0..n {
                let Some(record) = lane.take_record() else { break };
                let Some(ray) = &lane.setup else { break };
                let result = if n > 1 {
                    // What the lane by itself sees; the record counts for the ray below.
                    let seen = launch.tree.test(record, ray, &mut before.clone(), &rules);
                    launch.tree.test(record, ray, &mut lane.found, &rules);
                    seen
                } else {
                    launch.tree.test(record, ray, &mut lane.found, &rules)
                };
                tested.push(Tested::new(i * n + k, record, result));
                if lane.leaf_ended {
                    break;
                }
            }
            if lane.found.blocked {
                lane.end();
            }
        });
        if P::ON {
            self.tell_tests(&tested);
            if n > 1 {
                self.reduce_over_ray(mask);
            }
        }
        self.tested = tested;
    }

    #[inline(never)]
    pub(super) fn tell_tests(&mut self, tested: &[Tested]) {
        let by_rows = self.launch.variant.fetch() == Fetch::Needed;
        let row = |k: u16| (k * ROW_BYTES, ROW_BYTES);
        if by_rows {
            self.tell_rows(Block::TestTriangleT, tested, row(0), |_| true);
            self.tell_rows(Block::TestTriangleU, tested, row(1), |t| t.result.rows[0]);
            self.tell_rows(Block::TestTriangleV, tested, row(2), |t| t.result.rows[1]);
        } else {
            let bytes = self.launch.variant.tree().record_bytes() as u16;
            self.tell_rows(Block::TestTriangle, tested, (0, bytes), |_| true);
        }
        let mut active = 0;
        for t in tested.iter().filter(|t| t.result.accepted) {
            // A pair's words are in its record.
            if self.launch.variant.tree() != TreeKind::H8 {
                self.touch(t.lane, Space::Slot, t.record, 0, 4, false);
            }
            active |= 1 << t.lane;
        }
        self.issue_bits(Block::TestTriangleAccept, active);
    }

    fn tell_rows(&mut self, block: Block, tested: &[Tested], (offset, bytes): (u16, u16), runs: fn(&Tested) -> bool) {
        let mut active = 0;
        let touches = self.wants_touches();
        for t in tested.iter().filter(|t| runs(t)) {
            if touches {
                self.touch(t.lane, Space::Triangle, t.record, offset, bytes, false);
            }
            active |= 1 << t.lane;
        }
        self.issue_bits(block, active);
    }
}
