//! `test_triangle`: fetch a triangle record, test, shorten the ray.

use crate::lane::Lane;
use crate::lanes::{Lanes, Mask};
use crate::probe::Watch;
use crate::tree::{RecordTest, Tree};
use crate::warp::Warp;
use raywarp_family::{Block, Fetch, Space};
use raywarp_layout::MemoryLayout;

/// Bytes of each of the three rows of a triangle record.
const ROW_BYTES: u16 = 16;

/// Bytes of the map by which corners of a placed tree go to the world.
const MAP_BYTES: u16 = 48;

/// Record of one lane's triangle test, to be told to the probe: what it read and found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tested {
    lane: u32,
    record: u32,
    result: RecordTest,
}

impl Tested {
    /// Makes a test that reads all rows of a record and hits nothing.
    pub(super) fn nothing(lane: u32, record: u32) -> Self {
        Self { lane, record, result: RecordTest { rows: [true; 2], accepted: false } }
    }

    pub(super) fn new(lane: u32, record: u32, result: RecordTest) -> Self {
        Self { lane, record, result }
    }
}

/// Lanes that take part in each block of a triangle test's code.
#[derive(Debug, Default)]
pub(super) struct Parts {
    all: u64,
    /// Masks of the lanes that need the record's second row, and its third.
    rows: [u64; 2],
    accepted: u64,
    /// Mask of the lanes whose triangle is of a placed tree, so that its corners go to the world first.
    pub placed: u64,
}

impl Parts {
    #[inline]
    pub fn add(&mut self, test: &Tested) {
        let bit = |yes: bool| u64::from(yes) << test.lane;
        self.all |= bit(true);
        self.rows[0] |= bit(test.result.rows[0]);
        self.rows[1] |= bit(test.result.rows[1]);
        self.accepted |= bit(test.result.accepted);
    }
}

/// Returns the code block with which an unrolled loop goes on to its test `number`, counted from 0.
fn next_test(number: u32) -> Block {
    match number {
        1 => Block::SecondTest,
        2 => Block::ThirdTest,
        _ => Block::FourthTest,
    }
}

impl<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch> Warp<'_, L, T, P> {
    /// Makes the lanes of `mask` test the next triangle of their oldest leaf, and as many more as the loop is unrolled.
    /// One that ended a leaf it stood at must pop then; an any-hit ray that something opaque blocks ends.
    pub fn test_triangle(&mut self, mask: L::Mask) {
        self.test_one(mask);
        for test in 1..self.launch.variant.unroll() {
            let mask = mask.and(self.in_leaf());
            self.issue(next_test(test), mask);
            self.test_one(mask);
        }
    }

    /// Makes each lane test one triangle; where several lanes share a ray, each of them tests another one, side by
    /// side, and the ray is shortened after all tests.
    #[inline(never)]
    fn test_one(&mut self, mask: L::Mask) {
        let (launch, rules) = (self.launch, self.test_rules);
        let (n, touches) = (self.lanes_per_ray(), self.wants_touches());
        let Self { lanes, tested, noted: places, .. } = self;
        tested.clear();
        if T::LEVELS {
            places.clear();
        }
        let mut parts = Parts::default();
        lanes.each(mask, |i, lane| {
            let before = lane.found;
            for k in 0..n {
                let Some(record) = lane.take_record() else { break };
                let Some(ray) = &lane.setup else { break };
                if let Some(place) = launch.tree.placed_by(ray).filter(|_| T::LEVELS) {
                    parts.placed |= 1 << (i * n + k);
                    places.push((i * n + k, place));
                }
                // What the lane by itself sees; the record counts for the ray below.
                let seen = (lane.found != before).then(|| launch.tree.test(record, ray, &mut before.clone(), &rules));
                let counts = launch.tree.test(record, ray, &mut lane.found, &rules);
                let test = Tested::new(i * n + k, record, seen.unwrap_or(counts));
                parts.add(&test);
                if touches {
                    tested.push(test);
                }
                if lane.leaf_ended {
                    break;
                }
            }
            if lane.found.blocked || lane.found.beyond {
                lane.end();
            }
        });
        if P::ON {
            self.tell_placed(&parts);
            self.tell_tests(&parts);
            if n > 1 {
                self.reduce_over_ray(mask);
            }
        }
    }

    /// Tells the probe of corners that go to the world, by maps that lanes read for each test: kept, one would take 12
    /// registers of each lane.
    fn tell_placed(&mut self, parts: &Parts) {
        if !T::LEVELS {
            return;
        }
        let places = std::mem::take(&mut self.noted);
        places.iter().for_each(|&(lane, record)| self.touch(lane, Space::Node, record, 0, MAP_BYTES, false));
        self.noted = places;
        self.issue_bits(Block::TestTrianglePlace, parts.placed);
    }

    /// Tells the probe of triangle tests on the lanes of `parts`, with the memory touched if the probe wants it.
    pub(super) fn tell_tests(&mut self, parts: &Parts) {
        let layout = MemoryLayout::of(self.launch.variant.tree());
        let by_rows = self.launch.variant.fetch() == Fetch::Needed;
        let row = |k: u16| (k * ROW_BYTES, ROW_BYTES);
        if by_rows {
            self.tell_rows(Block::TestTriangleT, parts.all, row(0), |_| true);
            self.tell_rows(Block::TestTriangleU, parts.rows[0], row(1), |t| t.result.rows[0]);
            self.tell_rows(Block::TestTriangleV, parts.rows[1], row(2), |t| t.result.rows[1]);
        } else {
            let bytes = layout.record_bytes as u16;
            self.tell_rows(Block::TestTriangle, parts.all, (0, bytes), |_| true);
        }
        // A pair's words are in its record.
        let bytes = if layout.records_among_nodes { 0 } else { 4 };
        self.tell_touched(Space::Slot, (0, bytes), |t| t.result.accepted);
        self.issue_bits(Block::TestTriangleAccept, parts.accepted);
    }

    fn tell_rows(&mut self, block: Block, lanes: u64, bytes: (u16, u16), runs: fn(&Tested) -> bool) {
        self.tell_touched(Space::Triangle, bytes, runs);
        self.issue_bits(block, lanes);
    }

    fn tell_touched(&mut self, space: Space, (offset, bytes): (u16, u16), runs: fn(&Tested) -> bool) {
        // Empty for a probe that counts only, as most do.
        if self.tested.is_empty() || bytes == 0 {
            return;
        }
        let tested = std::mem::take(&mut self.tested);
        for t in tested.iter().filter(|t| runs(t)) {
            self.touch(t.lane, space, t.record, offset, bytes, false);
        }
        self.tested = tested;
    }
}
