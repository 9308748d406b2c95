//! A kernel's work on a batch of rays: everything that instruction counts and bounds are made of.

use crate::clocked_counter::ClockedCounter;
use crate::event_lanes::EventLanes;
use crate::memory::{AddressMap, MemoryCounts, MemoryProbe};
use crate::source::resident_warps;
use crate::streams::{Moment, StreamKeeper, Streams};
use crate::warp_counts::{Counter, WarpCounts};
use crate::{Al09Costs, BlockCosts};
use rayon::prelude::*;
use raywarp_costs::EventCounts;
use raywarp_family::Supply;
use raywarp_geom::Ray;
use raywarp_traverse::{Batch, Execution, Kernel, KernelError, Probe, Query, WarpEvent};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts of what a kernel's warps do in one or more launches.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Counts of events and lanes by code block.
    pub counts: WarpCounts,
    /// Counts of events by what came before them, for tables of costs.
    pub tally: EventCounts,
    /// Number of lanes in the events of `tally`.
    pub lanes: EventLanes,
    /// Counts of memory accesses; `None` where they were not asked for.
    pub memory: Option<MemoryCounts>,
    /// Recorded events of some warps of the first launch, in order.
    pub streams: Streams,
    /// Number of rays of the whole launches, of which the traced rays may be a sample.
    pub launch_rays: u64,
    /// Number of launches that the counts are summed over.
    pub launches: u64,
}

impl Profile {
    /// Returns the number of rays that were traced.
    pub fn rays(&self) -> u64 {
        self.counts.rays
    }

    /// Returns `true` if every ray of the launches was traced.
    pub fn is_whole(&self) -> bool {
        self.rays() == self.launch_rays
    }

    /// Returns the sums of both profiles.
    ///
    /// # Panics
    /// If their widths differ.
    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
        self.counts = self.counts.plus(&other.counts);
        self.tally.merge(&other.tally);
        self.lanes.merge(&other.lanes);
        match (&mut self.memory, &other.memory) {
            (Some(mine), Some(theirs)) => mine.merge(theirs),
            // Half of the accesses would be less than nothing.
            (mine, _) => *mine = None,
        }
        self.launch_rays += other.launch_rays;
        self.launches += other.launches;
        self
    }
}

/// Error that a launch cannot be simulated.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// The kernel cannot run on the rays or on warps of this width.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// Warps that share a pool need a thread each, and the system starts no more threads.
    #[error(
        "{wanted} warps that share the launch's rays need a thread each, and the system starts no more than {started}; trace fewer rays"
    )]
    Threads {
        /// Number of warps that were to run.
        wanted: u32,
        /// Number of threads that could be started.
        started: u32,
    },
}

/// Options for what a profile counts.
#[derive(Debug, Clone, Copy)]
pub struct ProfileOptions<'a> {
    /// Number of lanes of a warp, 1 to 64.
    pub width: u32,
    /// `true` if accesses to memory are counted, which takes about as long again.
    pub memory: bool,
    /// Number of warps among which a global pool is dealt; `None` for so few that each gets many batches
    /// ([`crate::measure`]).
    pub resident: Option<u32>,
    /// Largest number of warps whose events are recorded, rounded up to whole thread blocks.
    pub streams: u32,
    /// Number of warps of a thread block, whose slots are free when its last warp has ended; 1 where warps go on as
    /// long as there are rays.
    pub block_warps: u32,
    /// Flag that keeps further warps from running once it is `true`; the profile is then of those that did.
    pub cancel: Option<&'a AtomicBool>,
}

impl Default for ProfileOptions<'_> {
    fn default() -> Self {
        Self { width: 32, memory: true, resident: None, streams: 0, block_warps: 1, cancel: None }
    }
}

/// Counts of one thread's part of the warps.
struct Gathered {
    counter: Counter,
    tally: EventCounts,
    lanes: EventLanes,
    everyone: u64,
    memory: Option<MemoryProbe>,
    kept: StreamKeeper,
    streams: Streams,
}

impl Gathered {
    fn new(kernel: &Kernel, options: ProfileOptions<'_>, warps: u32) -> Self {
        let variant = kernel.variant();
        let ProfileOptions { width, memory, .. } = options;
        Self {
            counter: Counter { counts: WarpCounts::new(width), lanes_per_ray: variant.lanes_per_ray() },
            tally: EventCounts::default(),
            lanes: EventLanes::default(),
            everyone: u64::MAX >> (64 - width),
            memory: memory.then(|| memory_probe(kernel, width)),
            kept: StreamKeeper::new(warps, options.streams, options.block_warps),
            streams: Streams::of_blocks(options.block_warps),
        }
    }

    fn join(mut self, other: Self) -> Self {
        self.counter.counts = self.counter.counts.plus(&other.counter.counts);
        self.tally.merge(&other.tally);
        self.lanes.merge(&other.lanes);
        if let (Some(mine), Some(theirs)) = (&mut self.memory, &other.memory) {
            mine.join(theirs);
        }
        self.streams.join(other.streams);
        self
    }
}

fn memory_probe(kernel: &Kernel, width: u32) -> MemoryProbe {
    MemoryProbe::new(AddressMap::new(kernel.variant(), width))
}

impl Probe for Gathered {
    fn touches(&self) -> bool {
        self.memory.is_some()
    }

    fn event(&mut self, event: &WarpEvent<'_>) {
        self.counter.event(event);
        let (after, full) = self.tally.add(event.block, event.active, self.everyone);
        self.lanes.add(event.block, after, event.active);
        if self.kept.has(event.warp) {
            self.streams.add(event.warp, Moment { block: event.block, after, full });
        }
        if let Some(memory) = &mut self.memory {
            memory.event(event.touches);
        }
    }
}

/// Simulates `kernel` over `rays`, a part of a launch of `launch_rays`, in warps of the options' width, and counts what
/// they do. In parallel over warps; the result does not depend on the number of threads. Supplies with a global pool
/// deal it as [`crate::measure`] says.
///
/// # Errors
/// [`KernelError::Width`] if warps of this width do not fit the variant; [`KernelError::TooManyRays`];
/// [`ProfileError::Threads`].
pub fn profile(
    kernel: &Kernel,
    rays: &[Ray],
    launch_rays: u64,
    query: Query,
    options: ProfileOptions<'_>,
) -> Result<Profile, ProfileError> {
    let machine = Execution::Lockstep { width: options.width };
    let usual = || resident_warps(kernel.variant(), options.width, rays.len() as u64);
    let batch = Batch { rays, after: &[], query, resident: options.resident.unwrap_or_else(usual) };
    let warps = kernel.warp_count(machine, &batch)?;
    let new = || Gathered::new(kernel, options, warps);
    let done = |gathered: Gathered| Profile {
        counts: gathered.counter.counts,
        tally: gathered.tally,
        lanes: gathered.lanes,
        memory: gathered.memory.map(|memory| memory.counts()),
        streams: gathered.streams,
        launch_rays,
        launches: 1,
    };
    if options.resident.is_some() && kernel.variant().supply() != Supply::Direct && warps <= MOST_SHARING {
        return Ok(done(by_clock(kernel, &batch, options, warps)?));
    }
    let run = |mut gathered: Gathered, number: u32| -> Result<Gathered, KernelError> {
        if options.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Ok(gathered);
        }
        let mut answers = Vec::new();
        kernel.run_warp(machine, &batch, number, &mut answers, Some(&mut gathered))?;
        gathered.counter.counts.rays += answers.len() as u64;
        gathered.counter.counts.warps += 1;
        Ok(gathered)
    };
    let gathered = (0..warps)
        .into_par_iter()
        .with_min_len(if kernel.variant().supply() == Supply::Direct { 16 } else { 1 })
        .try_fold(new, run)
        .try_reduce(new, |a, b| Ok(a.join(b)))?;
    Ok(done(gathered))
}

/// Largest number of warps that run at the same time and share a ray counter; for more, rays are dealt round robin.
const MOST_SHARING: u32 = 1 << 14;

/// Number of memory probes that these warps share: few, since each has a bit for each sector of the tree.
const MEMORY_PROBES: u32 = 32;

/// Runs warps that share one ray counter, ordered by their clocks: whoever has issued least is served first, as on a
/// machine that holds them all.
fn by_clock(
    kernel: &Kernel,
    batch: &Batch<'_>,
    options: ProfileOptions<'_>,
    warps: u32,
) -> Result<Gathered, ProfileError> {
    let counter = ClockedCounter::new(warps, options.cancel);
    let costs = Al09Costs::default().of(kernel.variant());
    let own = ProfileOptions { memory: false, ..options };
    let probes = if options.memory { MEMORY_PROBES.min(warps) } else { 0 };
    let memory: Vec<_> = (0..probes).map(|_| Mutex::new(memory_probe(kernel, options.width))).collect();
    let run = |number: u32| -> Result<Gathered, KernelError> {
        let _leaves = counter.leaving(number);
        let memory = memory.get(number as usize % memory.len().max(1));
        let mut timed = Timed { gathered: Gathered::new(kernel, own, warps), memory, counter: &counter, costs: &costs };
        let mut answers = Vec::new();
        let machine = Execution::Lockstep { width: options.width };
        kernel.run_warp_sharing(machine, batch, number, &counter, &mut answers, &mut timed)?;
        let mut gathered = timed.gathered;
        gathered.counter.counts.rays += answers.len() as u64;
        gathered.counter.counts.warps += 1;
        Ok(gathered)
    };
    std::thread::scope(|scope| {
        let start = |number| {
            let run = &run;
            std::thread::Builder::new().stack_size(1 << 20).spawn_scoped(scope, move || run(number))
        };
        let threads: Vec<_> = (0..warps).map_while(|number| start(number).ok()).collect();
        let started = threads.len() as u32;
        if started < warps {
            counter.stop();
            (started..warps).for_each(|number| drop(counter.leaving(number)));
        }
        let mut sum = Gathered::new(kernel, options, warps);
        for thread in threads {
            let one = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            sum = sum.join(one);
        }
        if started < warps {
            return Err(ProfileError::Threads { wanted: warps, started });
        }
        for probe in &memory {
            sum.memory.iter_mut().for_each(|mine| mine.join(&lock(probe)));
        }
        Ok(sum)
    })
}

fn lock(probe: &Mutex<MemoryProbe>) -> MutexGuard<'_, MemoryProbe> {
    probe.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Probe of a warp that gathers counts and advances the warp's clock.
struct Timed<'a> {
    /// Counts of everything but memory.
    gathered: Gathered,
    memory: Option<&'a Mutex<MemoryProbe>>,
    counter: &'a ClockedCounter<'a>,
    costs: &'a BlockCosts,
}

impl Probe for Timed<'_> {
    fn touches(&self) -> bool {
        self.memory.is_some()
    }

    fn event(&mut self, event: &WarpEvent<'_>) {
        self.counter.spend(event.warp, self.costs.of(event.block) as u64);
        self.gathered.event(event);
        if let Some(memory) = self.memory.filter(|_| !event.touches.is_empty()) {
            lock(memory).event(event.touches);
        }
    }
}
