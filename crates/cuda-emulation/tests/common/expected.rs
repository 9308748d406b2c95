//! What the Rust schedules answer and do.

use raywarp_cuda::Query;
use raywarp_cuda_emulation::{EmulatedTrace, Logs};
use raywarp_family::{Block, Space};
use raywarp_geom::{Hit, HitKey, Ray};
use raywarp_traverse::{Answer, Batch, Execution, Kernel, Probe, WarpEvent};

/// A run of a Rust schedule.
pub struct Expected {
    /// In order of rays.
    pub answers: Vec<Answer>,
    /// Lane by lane: the events whose active lanes hold the lane.
    pub logs: Logs,
}

impl Expected {
    /// For each ray the key after its hit.
    pub fn keys(&self) -> Vec<HitKey> {
        let key = |answer: &Answer| match answer.hit.is_hit() {
            true => HitKey { t: answer.hit.t, instance: answer.instance, primitive: answer.hit.primitive },
            false => HitKey::START,
        };
        self.answers.iter().map(key).collect()
    }
}

/// Runs `kernel`; one warp takes all rays of a global counter.
pub fn expected(kernel: &Kernel, machine: Execution, rays: &[Ray], query: Query, after: &[HitKey]) -> Expected {
    let batch = Batch { rays, after, query, resident: 1 };
    let (mut answers, mut probe) = (Vec::new(), LaneProbe::default());
    for warp in 0..kernel.warp_count(machine, &batch).unwrap() {
        probe.logs.lanes.push(std::array::from_fn(|_| Vec::new()));
        probe.logs.votes.push(Vec::new());
        kernel.run_warp(machine, &batch, warp, &mut answers, Some(&mut probe)).unwrap();
    }
    answers.sort_by_key(|answer| answer.ray);
    Expected { answers, logs: probe.logs }
}

/// Writes each event into the logs of its active lanes, as the emulated machine does.
#[derive(Default)]
struct LaneProbe {
    logs: Logs,
}

impl Probe for LaneProbe {
    fn touches(&self) -> bool {
        true
    }

    fn event(&mut self, event: &WarpEvent<'_>) {
        let space = match event.block {
            Block::VisitNode | Block::VisitNodeLinks => Some(Space::Node),
            Block::TestTriangle | Block::TestTriangleT | Block::TestTriangleU | Block::TestTriangleV => {
                Some(Space::Triangle)
            }
            Block::TestTriangleAccept => Some(Space::Slot),
            _ => None,
        };
        let mut records = [Logs::NO_RECORD; 64];
        for touch in event.touches.iter().filter(|touch| Some(touch.space) == space) {
            records[usize::from(touch.lane)] = touch.index;
        }
        if matches!(event.block, Block::FetchRay | Block::SetupParked) {
            records[..event.rays.len()].copy_from_slice(event.rays);
        }
        let (Some(lanes), Some(votes)) = (self.logs.lanes.last_mut(), self.logs.votes.last_mut()) else { return };
        let mut left = event.active;
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            lanes[lane].push(Logs::event(event.block, records[lane]));
        }
        if matches!(event.block, Block::Vote | Block::Ballot) {
            votes.push((event.block, event.active as u32));
        }
    }
}

/// The first difference of answers, bit by bit.
pub fn difference(traced: &EmulatedTrace, answers: &[Answer], query: Query) -> Option<String> {
    let bits = |hit: &Hit| [hit.t.to_bits(), hit.u.to_bits(), hit.v.to_bits(), hit.primitive];
    let bit = |words: &[u32], ray: usize| words[ray / 32] >> (ray % 32) & 1 == 1;
    if traced.invalid != answers.iter().filter(|answer| answer.invalid).count() as u32 {
        return Some(format!("{} rays counted as invalid", traced.invalid));
    }
    answers.iter().enumerate().find_map(|(ray, answer)| {
        let open = query == Query::Any && !answer.blocked && answer.hit.is_hit();
        let (hit, instance) = match query == Query::Closest || open {
            true => (bits(&answer.hit), answer.instance),
            false => (EmulatedTrace::UNWRITTEN, EmulatedTrace::UNWRITTEN[0]),
        };
        let mut got = (bit(&traced.blocked, ray), bit(&traced.undecided, ray), traced.hits[ray], traced.instances[ray]);
        // Until a ray is traced again its place among the hits is one of a list.
        if answer.by_fallback && query == Query::Any && !open {
            got.2 = hit;
        }
        let want = (answer.blocked, open, hit, instance);
        (got != want).then(|| format!("ray {ray}: {got:x?}, Rust says {want:x?}"))
    })
}
