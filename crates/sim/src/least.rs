//! The least work of a launch's warps, however its rays are dealt to them and whatever waits for whom.
//!
//! A ray needs each node whose box it enters before its hit, and each triangle of the leaves among them, in whatever
//! order a schedule comes to them: so each ray is walked by itself, with its end just before its hit, where nothing
//! shortens it any more. A block that so many rays need is issued at least once for each 32 of them. Votes, iterations
//! of loops and what deals rays need no lane of their own, and count as nothing here. Of a blocked any-hit ray no more
//! counts than its start and the root: a lucky order finds what blocks it at once.

use crate::profile::ProfileError;
use crate::warp_counts::{Counter, WarpCounts};
use rayon::prelude::*;
use raywarp_costs::{CountSource, EventKind, IssueFormula, Pipe, PricedKernel};
use raywarp_family::Block;
use raywarp_geom::Ray;
use raywarp_traverse::{Batch, Execution, Kernel, KernelError, Probe, Query};
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of rays that a task walks.
const CHUNK: usize = 1 << 10;

/// Fraction of the distance to its hit by which a ray is ended earlier, as the box of what it hits may begin there.
const BEFORE_THE_HIT: f32 = 1e-5;

/// Code blocks that each ray needs by itself, as often as they are counted for it.
const NEEDED: [Block; 15] = [
    Block::FetchRay,
    Block::SetupRay,
    Block::VisitNode,
    Block::VisitNodeLinks,
    Block::VisitNodeOrder,
    Block::VisitNodePush,
    Block::Pop,
    Block::TestTriangle,
    Block::TestTriangleT,
    Block::TestTriangleU,
    Block::TestTriangleV,
    Block::StoreHit,
    // In scenes of two levels alone.
    Block::EnterInstance,
    Block::LeaveInstance,
    Block::TestTrianglePlace,
];

/// Number of lanes that each code block needs, over all rays, however rays are dealt to warps.
#[derive(Debug, Clone, PartialEq)]
pub struct LeastWork {
    /// Number of lanes by code block; 0 of code blocks that no ray needs.
    lanes: [u64; Block::ALL.len()],
}

/// Instructions that [`LeastWork`] costs in full warps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeastInstructions {
    /// Least number of warp instructions.
    pub warp_instructions: f64,
    /// Least number of warp instructions by pipeline ([`Pipe`]).
    pub pipes: [f64; Pipe::ALL.len()],
}

impl LeastWork {
    /// Walks `rays` one by one through the tree, in parallel, and counts what each needs. Once `cancel` is true, what
    /// comes back is of some of them.
    ///
    /// # Errors
    /// [`ProfileError::Kernel`].
    pub fn of(kernel: &Kernel, rays: &[Ray], query: Query, cancel: Option<&AtomicBool>) -> Result<Self, ProfileError> {
        let lanes_per_ray = kernel.variant().lanes_per_ray();
        let machine = Execution::Lockstep { width: lanes_per_ray };
        let count = |rays: &[Ray]| -> Result<(WarpCounts, u64), KernelError> {
            let counts = WarpCounts::new(lanes_per_ray);
            if cancel.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                return Ok((counts, 0));
            }
            let mut counter = Counter { counts, lanes_per_ray };
            let needed = needed(kernel, machine, rays, query)?;
            run(kernel, machine, &needed, query, Some(&mut counter))?;
            Ok((counter.counts, (rays.len() - needed.len()) as u64))
        };
        let (all, blocked) = rays
            .par_chunks(CHUNK)
            .map(count)
            .try_reduce(|| (WarpCounts::new(lanes_per_ray), 0), |a, b| Ok((a.0.plus(&b.0), a.1 + b.1)))?;
        let mut lanes = [0; Block::ALL.len()];
        for block in NEEDED {
            lanes[block as usize] = all.block(block).active;
        }
        for block in [Block::FetchRay, Block::SetupRay, Block::VisitNode] {
            lanes[block as usize] += blocked * u64::from(lanes_per_ray);
        }
        Ok(Self { lanes })
    }

    /// Returns the sums of both works' counts.
    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
        self.lanes.iter_mut().zip(other.lanes).for_each(|(mine, theirs)| *mine += theirs);
        self
    }

    /// Returns the number of lanes that a code block needs.
    pub fn lanes(&self, block: Block) -> u64 {
        self.lanes[block as usize]
    }

    /// Returns the instructions that the work costs in full warps of `width` lanes.
    pub fn instructions(&self, costs: &PricedKernel, width: u32) -> LeastInstructions {
        let mut least = LeastInstructions { warp_instructions: 0.0, pipes: [0.0; Pipe::ALL.len()] };
        // Of what was guessed nothing is sure.
        let sure = |source: CountSource| matches!(source, CountSource::Measured | CountSource::Likened);
        for cost in costs.blocks.iter().filter(|cost| sure(cost.source)) {
            let times = self.lanes_of(&cost.issued) / f64::from(width);
            least.warp_instructions += times * f64::from(cost.instructions);
            least.pipes.iter_mut().zip(cost.pipes).for_each(|(sum, n)| *sum += times * f64::from(n));
        }
        least
    }

    /// Returns the number of lanes that must run a basic block which is issued by this formula. Events that come after
    /// some other, or that all lanes take part in, may be none.
    fn lanes_of(&self, issued: &IssueFormula) -> f64 {
        let plain = |count: &EventKind| EventKind { full: false, ..*count };
        let mut sum = 0.0;
        for (at, (factor, count)) in issued.0.iter().enumerate() {
            let same = |(other, _): &(usize, &(i32, EventKind))| *other != at;
            match (factor.signum(), count.full) {
                // Taken from what comes with it: at most as many are full as there are.
                (-1, _) if issued.0.iter().any(|(f, c)| *f > 0 && plain(c) == plain(count) && !c.full) => {}
                // Nobody knows how much is left.
                (-1, _) => return 0.0,
                (_, true) => {}
                _ => {
                    let of_full = issued.0.iter().enumerate().filter(same);
                    let taken: i32 =
                        of_full.filter(|(_, (f, c))| *f < 0 && plain(c) == *count).map(|(_, (f, _))| *f).sum();
                    let lanes = if count.after.is_none() { self.lanes[count.block as usize] } else { 0 };
                    sum += f64::from((factor + taken).max(0)) * lanes as f64;
                }
            }
        }
        sum
    }
}

/// Returns the rays shortened to end just before their hits; of any-hit rays those that nothing blocks.
fn needed(kernel: &Kernel, machine: Execution, rays: &[Ray], query: Query) -> Result<Vec<Ray>, KernelError> {
    let hits = run(kernel, machine, rays, query, None)?;
    let shortened = |(ray, hit): (&Ray, &Option<f32>)| match (hit, query) {
        (Some(_), Query::Any) => None,
        (Some(t), Query::Closest) => Some(Ray { t_max: t - t.abs() * BEFORE_THE_HIT, ..*ray }),
        (None, _) => Some(*ray),
    };
    Ok(rays.iter().zip(&hits).filter_map(shortened).collect())
}

/// Traces each ray alone and returns what it hits, if anything.
fn run(
    kernel: &Kernel,
    machine: Execution,
    rays: &[Ray],
    query: Query,
    mut probe: Option<&mut Counter>,
) -> Result<Vec<Option<f32>>, KernelError> {
    let batch = Batch { rays, after: &[], query, resident: 1 };
    let mut answers = Vec::new();
    for warp in 0..kernel.warp_count(machine, &batch)? {
        let probe = probe.as_mut().map(|probe| &mut **probe as &mut dyn Probe);
        kernel.run_warp(machine, &batch, warp, &mut answers, probe)?;
    }
    let mut hits = vec![None; rays.len()];
    for answer in answers {
        hits[answer.ray as usize] = (answer.hit.is_hit() || answer.blocked).then_some(answer.hit.t);
    }
    Ok(hits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ProfileOptions, profile};
    use raywarp_bvh::{BuildOptions, build};
    use raywarp_costs::PricedBlock;
    use raywarp_geom::FlatTriangles;

    /// Returns a staircase of triangles that rays from the front hit at various depths.
    fn stairs() -> FlatTriangles {
        let step = |i: usize| {
            let (x, z) = (i as f32 * 0.11 % 1.0, i as f32 * 0.37 % 5.0);
            [[x, 0.0, z], [x + 0.4, 0.1, z], [x, 0.9, z + 0.3]]
        };
        FlatTriangles::from_vertices((0..200).map(step).collect())
    }

    fn rays() -> Vec<Ray> {
        let ray = |i: u32| Ray::new([(i % 37) as f32 / 37.0, (i % 23) as f32 / 23.0, -3.0], [0.05, 0.02, 1.0]);
        (0..600).map(ray).collect()
    }

    #[test]
    fn whoever_deals_rays_does_at_least_this() {
        let triangles = stairs();
        let bvh = build(&triangles, &BuildOptions { max_leaf: 1, ..BuildOptions::default() }).unwrap();
        let rays = rays();
        for name in
            ["g14", "alk12-kepler", "al09-queue", "ykl17", "raywarp-h8", "al09-packet", "al09-wide8", "al09-if-if"]
        {
            let kernel = Kernel::new(&name.parse().unwrap(), &bvh, &triangles).unwrap();
            for query in [Query::Closest, Query::Any] {
                let least = LeastWork::of(&kernel, &rays, query, None).unwrap();
                assert!(least.lanes(Block::VisitNode) > 0);
                for resident in [1, 3, 12] {
                    let options = ProfileOptions { resident: Some(resident), ..ProfileOptions::default() };
                    let profile = profile(&kernel, &rays, 600, query, options).unwrap();
                    for block in NEEDED {
                        let (issued, lanes) = (profile.counts.block(block).issued, least.lanes(block));
                        assert!(
                            32 * issued >= lanes,
                            "{name}, {query:?}, {resident}, {}: {issued}, {lanes}",
                            block.name()
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_ray_alone_that_goes_straight_to_its_hit_needs_what_it_does() {
        let triangles = FlatTriangles::from_vertices(vec![[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]);
        let bvh = build(&triangles, &BuildOptions::default()).unwrap();
        let kernel = Kernel::new(&"al09-while-while".parse().unwrap(), &bvh, &triangles).unwrap();
        let rays = [Ray::new([0.2, 0.2, -5.0], [0.0, 0.0, 1.0]), Ray::new([5.0, 0.2, -5.0], [0.0, 0.0, 1.0])];
        let least = LeastWork::of(&kernel, &rays, Query::Closest, None).unwrap();
        assert_eq!((least.lanes(Block::VisitNode), least.lanes(Block::StoreHit)), (2, 2));
    }

    #[test]
    fn only_what_must_be_issued_costs_instructions() {
        let mut lanes = [0; Block::ALL.len()];
        lanes[Block::VisitNode as usize] = 640;
        lanes[Block::Pop as usize] = 320;
        let work = LeastWork { lanes };
        let least = |issued: &str, source| {
            let (alone, pipes) = (None, [0; Pipe::ALL.len()]);
            let issued = issued.parse().unwrap();
            let block =
                PricedBlock { block: Block::Iteration, offset: 0, instructions: 10, pipes, alone, issued, source };
            work.instructions(&PricedKernel { blocks: vec![block], verified: true }, 32).warp_instructions
        };
        for (issued, instructions) in [
            ("visit_node", 200.0),
            ("2*visit_node-visit_node!", 200.0),
            ("visit_node+visit_node!", 200.0),
            ("visit_node!", 0.0),
            ("pop@visit_node", 0.0),
            ("visit_node-pop", 0.0),
            ("visit_node+pop", 300.0),
            ("vote", 0.0),
        ] {
            assert_eq!(least(issued, CountSource::Measured), instructions, "{issued}");
            assert_eq!(least(issued, CountSource::Nearest), 0.0);
        }
    }
}
