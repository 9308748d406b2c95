//! Sources of events: a kernel that runs, or a dump that is replayed.

use raywarp_family::{Supply, Variant};
use raywarp_geom::{HitKey, Ray};
use raywarp_traverse::{Batch, Execution, Kernel, KernelError, Probe, Query, Replay};

/// Source of the events of a kernel's warps: traced rays or dumps.
#[derive(Clone, Copy)]
pub enum EventSource<'a> {
    /// Rays that are traced through the tree.
    Run {
        /// Kernel: the variant with its tree.
        kernel: &'a Kernel,
        /// Rays of the batch that is traced.
        rays: &'a [Ray],
        /// Keys of the hits after which each ray searches, as in [`Batch::after`].
        after: &'a [HitKey],
        /// Query of the rays: closest hit or any hit.
        query: Query,
    },
    /// Dumped operations of rays, which give the same events, but without the memory that lanes touch.
    Replay(Replay<'a>),
}

/// Number of batches from the global pool that a warp should get, so that its first and last rays count for little.
const BATCHES_PER_WARP: u64 = 32;

/// Returns the number of warps of `width` lanes among which a variant's global pool of `rays` rays is dealt: see
/// [`EventSource::resident`].
pub(crate) fn resident_warps(variant: &Variant, width: u32, rays: u64) -> u32 {
    let per_batch = u64::from(variant.batch().unwrap_or(1)) * u64::from(width / variant.lanes_per_ray()).max(1);
    match variant.supply() {
        Supply::Direct => 1,
        _ => (rays / (per_batch * BATCHES_PER_WARP)).max(1) as u32,
    }
}

impl EventSource<'_> {
    /// Returns the variant of the kernel.
    pub fn variant(&self) -> &Variant {
        match self {
            Self::Run { kernel, .. } => kernel.variant(),
            Self::Replay(replay) => replay.variant(),
        }
    }

    /// Returns the number of rays that are traced or replayed.
    pub fn ray_count(&self) -> u64 {
        match self {
            Self::Run { rays, .. } => rays.len() as u64,
            Self::Replay(replay) => replay.dump().ray_count() as u64,
        }
    }

    /// Returns the number of warps of `width` lanes that share the pool of rays, such that each takes about 32 batches
    /// from it; at least one.
    pub fn resident(&self, width: u32) -> u32 {
        resident_warps(self.variant(), width, self.ray_count())
    }

    /// Returns the number of warps of `width` lanes that trace the rays, on a machine that holds `resident` at once.
    ///
    /// # Errors
    /// [`KernelError::Width`] if warps of this width do not fit the variant; [`KernelError::TooManyRays`].
    pub fn warp_count(&self, width: u32, resident: u32) -> Result<u32, KernelError> {
        let machine = Execution::Lockstep { width };
        match *self {
            Self::Run { kernel, rays, after, query } => {
                kernel.warp_count(machine, &Batch { rays, after, query, resident })
            }
            Self::Replay(replay) => replay.warp_count(machine, resident),
        }
    }

    /// Runs warp `number` and tells `probe` its events. Returns how many rays ended in it.
    ///
    /// # Errors
    /// As [`EventSource::warp_count`].
    pub fn run_warp(&self, width: u32, resident: u32, number: u32, probe: &mut dyn Probe) -> Result<u64, KernelError> {
        let machine = Execution::Lockstep { width };
        match *self {
            Self::Run { kernel, rays, after, query } => {
                let mut answers = Vec::new();
                let batch = Batch { rays, after, query, resident };
                kernel.run_warp(machine, &batch, number, &mut answers, Some(probe))?;
                Ok(answers.len() as u64)
            }
            Self::Replay(replay) => replay.run_warp(machine, resident, number, probe),
        }
    }
}
