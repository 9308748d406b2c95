//! Counts of how full warps are.

use crate::source::EventSource;
use rayon::prelude::*;
use raywarp_family::{Block, Operation, Supply};
use raywarp_geom::{HitKey, Ray};
use raywarp_traverse::{Kernel, KernelError, Probe, Query, WarpEvent};

/// Number of times that a code block was issued, and number of lanes that took part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlockCount {
    /// Number of times that a warp issued the code block.
    pub issued: u64,
    /// Number of lanes that took part, summed over all times.
    pub active: u64,
}

/// Counts of what the warps of a launch issued, by code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarpCounts {
    /// Number of lanes of a warp.
    pub width: u32,
    /// Number of rays that were traced.
    pub rays: u64,
    /// Number of warps that traced the rays.
    pub warps: u64,
    /// Counts by code block, in the order of [`Block::ALL`].
    pub blocks: [BlockCount; Block::ALL.len()],
    /// Number of nodes that rays visited; lanes that share a ray visit a node together.
    pub nodes: u64,
}

impl WarpCounts {
    /// Returns counts of zero for warps of `width` lanes.
    pub fn new(width: u32) -> Self {
        Self { width, rays: 0, warps: 0, blocks: [BlockCount::default(); Block::ALL.len()], nodes: 0 }
    }

    /// Returns the sums of both counts.
    ///
    /// # Panics
    /// If their widths differ.
    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
        assert_eq!(self.width, other.width, "counts of one width only");
        self.rays += other.rays;
        self.warps += other.warps;
        self.nodes += other.nodes;
        for (sum, more) in self.blocks.iter_mut().zip(&other.blocks) {
            sum.issued += more.issued;
            sum.active += more.active;
        }
        self
    }

    /// Returns the counts without those of `other`, which is a part of them.
    pub(crate) fn minus(mut self, other: &Self) -> Self {
        self.rays -= other.rays;
        self.warps -= other.warps;
        self.nodes -= other.nodes;
        for (rest, part) in self.blocks.iter_mut().zip(&other.blocks) {
            rest.issued -= part.issued;
            rest.active -= part.active;
        }
        self
    }

    /// Returns the counts of a code block.
    pub fn block(&self, block: Block) -> BlockCount {
        self.blocks[block as usize]
    }

    /// Returns the counts of the code block that stands for a whole operation: the one that each lane taking part runs.
    pub fn operation(&self, operation: Operation) -> BlockCount {
        let leading: &[Block] = match operation {
            Operation::FetchRay => &[Block::FetchRay],
            Operation::SetupRay => &[Block::SetupRay],
            Operation::VisitNode => &[Block::VisitNode],
            Operation::Pop => &[Block::Pop],
            Operation::Postpone => &[Block::Postpone, Block::Defer],
            Operation::EnterInstance => &[Block::EnterInstance],
            Operation::LeaveInstance => &[Block::LeaveInstance],
            Operation::TestTriangle => &[Block::TestTriangle, Block::TestTriangleT],
            Operation::SecondTest => &[Block::SecondTest],
            Operation::ThirdTest => &[Block::ThirdTest],
            Operation::FourthTest => &[Block::FourthTest],
            Operation::Vote => &[Block::Vote],
            Operation::Ballot => &[Block::Ballot],
            Operation::Shuffle => &[Block::Shuffle, Block::Exchange],
            Operation::PrefixSum => &[Block::PrefixSum],
            Operation::StoreHit => &[Block::StoreHit],
            Operation::Loop => &[Block::Iteration],
        };
        leading.iter().fold(BlockCount::default(), |sum, &block| {
            let count = self.block(block);
            BlockCount { issued: sum.issued + count.issued, active: sum.active + count.active }
        })
    }

    /// Returns the average fraction of lanes, 0 to 1, that took part in `operation` when it was issued; NaN when it
    /// never was.
    pub fn simd_efficiency(&self, operation: Operation) -> f64 {
        let count = self.operation(operation);
        count.active as f64 / (count.issued as f64 * f64::from(self.width))
    }

    /// Returns the average number of nodes that a ray visits.
    pub fn nodes_per_ray(&self) -> f64 {
        self.nodes as f64 / self.rays as f64
    }

    /// Returns the average number of triangles that a ray is tested against.
    pub fn triangles_per_ray(&self) -> f64 {
        self.operation(Operation::TestTriangle).active as f64 / self.rays as f64
    }

    /// Returns the average number of lanes that visited a node for a ray: where lanes share a ray each tests one box
    /// (AL09 5.3), so that this is the number of box tests.
    pub fn lane_visits_per_ray(&self) -> f64 {
        self.operation(Operation::VisitNode).active as f64 / self.rays as f64
    }

    /// Returns the fraction of all lanes' work, 0 to 1, that only repeats a neighbour's where `lanes_per_ray` lanes
    /// share a ray (AL09 5.3), such as setting up the ray or popping its stack. Blocks count alike.
    pub fn replicated(&self, lanes_per_ray: u32) -> f64 {
        let repeats = |block: &Block| {
            !matches!(
                block,
                Block::VisitNode
                    | Block::VisitNodePush
                    | Block::TestTriangle
                    | Block::TestTriangleT
                    | Block::TestTriangleU
                    | Block::TestTriangleV
                    | Block::TestTriangleAccept
                    | Block::TestTrianglePlace
                    | Block::Shuffle
                    | Block::Exchange
                    | Block::Vote
                    | Block::FetchBatch
            )
        };
        let all: u64 = self.blocks.iter().map(|count| count.active).sum();
        let repeated: u64 =
            Block::ALL.iter().filter(|block| repeats(block)).map(|&block| self.block(block).active).sum();
        repeated as f64 * (1.0 - 1.0 / f64::from(lanes_per_ray)) / all.max(1) as f64
    }
}

/// Probe that counts what warps issue.
pub(crate) struct Counter {
    pub counts: WarpCounts,
    pub lanes_per_ray: u32,
}

impl Probe for Counter {
    fn touches(&self) -> bool {
        false
    }

    fn event(&mut self, event: &WarpEvent<'_>) {
        self.repeated(event, 1);
    }

    fn repeated(&mut self, event: &WarpEvent<'_>, times: u32) {
        let count = &mut self.counts.blocks[event.block as usize];
        let active = event.active.count_ones();
        count.issued += u64::from(times);
        count.active += u64::from(active) * u64::from(times);
        if event.block == Block::VisitNode {
            // The lanes of a ray visit a node together.
            let rays = active / self.lanes_per_ray;
            self.counts.nodes += u64::from(rays) * u64::from(times);
        }
    }
}

/// Runs `kernel` over `rays` in warps of `width` lanes, in parallel, and returns the counts of what they issue.
///
/// Supplies with a global pool deal it to as many warps as get about 32 batches each; at least one.
/// `after` as in [`Batch::after`](raywarp_traverse::Batch::after). The counts do not depend on the number of threads.
///
/// # Errors
/// [`KernelError::Width`] if warps of this width do not fit the variant.
pub fn measure(
    kernel: &Kernel,
    width: u32,
    rays: &[Ray],
    after: &[HitKey],
    query: Query,
) -> Result<WarpCounts, KernelError> {
    measure_source(&EventSource::Run { kernel, rays, after, query }, width)
}

/// Counts as [`measure`] does, for rays that are traced or replayed from a dump, with the same result.
///
/// # Errors
/// [`KernelError::Width`] if warps of this width do not fit the variant.
pub fn measure_source(source: &EventSource<'_>, width: u32) -> Result<WarpCounts, KernelError> {
    let resident = source.resident(width);
    let run = |number: u32| {
        let lanes_per_ray = source.variant().lanes_per_ray();
        let mut counter = Counter { counts: WarpCounts::new(width), lanes_per_ray };
        counter.counts.rays = source.run_warp(width, resident, number, &mut counter)?;
        counter.counts.warps = 1;
        Ok(counter.counts)
    };
    (0..source.warp_count(width, resident)?)
        .into_par_iter()
        .with_min_len(if source.variant().supply() == Supply::Direct { 16 } else { 1 })
        .map(run)
        .try_reduce(|| WarpCounts::new(width), |a, b| Ok(a.plus(&b)))
}
