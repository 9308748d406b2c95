//! A launch of a kernel on a machine, in the one sequence that everything here shares: what it takes of a
//! multiprocessor (*occupancy*), what its warps do on real rays (*profile*), what that costs by a table of machine code
//! (*costs*), what its accesses do in the caches, and what rates follow (*bounds*, and a rate to expect).
//!
//! A `KernelStudy` follows a kernel's warps; its `on` makes a `StudiedLaunch` of a machine, whose `costs_of` is all
//! that can be said of it.

mod change;
mod costs;
mod gain;
mod prediction;

pub(crate) use change::{Followed, LaunchChange, is_modelled};
pub(crate) use costs::{CodeOf, CostSource, KernelCostSource, code_of, kernel_costs};

pub use gain::{ExpectedGain, GainSpread};
pub use prediction::Prediction;
pub(crate) use prediction::{expected_cell, prediction_json};

use crate::simulate::{SimulateError, TracedRays, query_of};
use raywarp_family::{Supply, Sync, Variant};
use raywarp_geom::{Ray, TraceError};
use raywarp_sim::bounds::{Bound, BoundSubject, CostBasis, bounds, lowest, visits_what_others_do};
use raywarp_sim::machine::{LaunchResources, Machine, keys};
use raywarp_sim::memory::{Caches, Traffic, traffic};
use raywarp_sim::pace::Pace;
use raywarp_sim::{CostChange, LaunchInstructions, LeastInstructions, LeastWork, Profile, ProfileOptions, profile};
use raywarp_traverse::{Kernel, KernelError, Query};
use std::sync::atomic::{AtomicBool, Ordering};

/// Largest fraction of instructions with assumed counts before a kernel's costs are called a guess. When a third to a
/// half of a work queue's instructions were assumed, its costs were 13 to 25 % off an H200's counters: by half of that
/// share. A fifth is then a tenth off, twice what a prediction may be (`counters::WITHIN`).
pub(crate) const MOST_ASSUMED: f64 = 0.2;

/// Largest number of warps of a launch whose events are recorded for the clock-by-clock model: more than a
/// multiprocessor holds.
const STREAMS: u32 = 128;

/// Number of warps of a view whose accesses go through the model of the caches.
const CACHED_WARPS: u32 = 512;

/// Returns `true` if the variant leaves its lanes to the hardware; such kernels are simulated with votes.
pub(crate) fn is_implicit(variant: &Variant) -> bool {
    variant.sync() == Sync::Implicit
}

/// Returns `true` if what a ray does depends on the other rays of its warp.
fn is_up_to_others(variant: &Variant) -> bool {
    variant.supply() != Supply::Direct || visits_what_others_do(variant)
}

/// Number of warps that share the sampled rays of a launch, where warps take rays from one pool.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SampleWarps {
    /// As many warps as the machine's resident ones times the sampled fraction of the launch's rays.
    OfMachine,
    /// A given number of warps.
    Exactly(u32),
}

/// Options for the simulation of a kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StudyOptions<'a> {
    pub warps: SampleWarps,
    /// Number of lanes of a warp.
    pub width: u32,
    /// `true` if memory accesses go through a model of the caches.
    pub caches: bool,
    /// `true` to record what expected rates need: events of some warps, and the least work for any assignment of rays
    /// to warps; for costs of unchanged machine code.
    pub expects: bool,
    pub cancel: Option<&'a AtomicBool>,
}

/// Way in which the warps of a simulated launch share its rays and warp slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SharedBy {
    /// Number of warps that share the rays; `None` where rays are not taken from a pool.
    warps: Option<u32>,
    /// Number of warps of a thread block, whose slots are free when all of them have ended.
    block_warps: u32,
}

/// Simulation of a kernel on rays of one kind: a sample of a launch for each viewpoint. What machines have in common is
/// followed once.
pub(crate) struct KernelStudy<'a> {
    /// Kernel that traces the rays: `variant` with votes.
    kernel: &'a Kernel,
    variant: Variant,
    kind: TracedRays,
    /// Sampled rays of each launch, at least one launch.
    samples: Vec<&'a [Ray]>,
    /// Number of rays of a whole launch.
    launch_rays: u64,
    options: StudyOptions<'a>,
    /// Profiles of the launches, each with how warps share the rays.
    profiles: Vec<(SharedBy, Profile)>,
    /// Least work for these rays however they are dealt to warps; `None` where dealing does not matter.
    least: Option<LeastWork>,
}

/// A kernel's simulated launch on a machine, with its costs there.
pub(crate) struct StudiedLaunch {
    /// Index of the launch's profile in the study.
    profile: usize,
    pub costs: KernelCostSource,
    least: Option<LeastInstructions>,
    pub traffic: Option<Traffic>,
    pub pace: Option<Pace>,
}

impl<'a> KernelStudy<'a> {
    pub fn new(
        (kernel, variant, kind): (&'a Kernel, &Variant, TracedRays),
        samples: impl IntoIterator<Item = &'a [Ray]>,
        launch_rays: u64,
        options: StudyOptions<'a>,
    ) -> Self {
        let samples = samples.into_iter().collect();
        Self { kernel, variant: *variant, kind, samples, launch_rays, options, profiles: Vec::new(), least: None }
    }

    fn query(&self) -> Query {
        query_of(self.kind)
    }

    /// Simulates the launches for a machine, with costs from `table` or the known ones.
    ///
    /// # Errors
    /// [`SimulateError`]; cancelled where the caller says so.
    pub fn on(&mut self, machine: &Machine, table: Option<&str>) -> Result<StudiedLaunch, SimulateError> {
        self.with(machine, kernel_costs(table, machine, &self.variant, self.query()))
    }

    /// Simulates the launches for a machine, with these costs.
    ///
    /// # Errors
    /// As [`on`](Self::on).
    pub fn with(&mut self, machine: &Machine, costs: KernelCostSource) -> Result<StudiedLaunch, SimulateError> {
        let shared =
            SharedBy { warps: self.sample_warps(machine, &costs), block_warps: self.block_warps(costs.launch) };
        let profile = match self.profiles.iter().position(|(known, _)| *known == shared) {
            Some(known) => known,
            None => {
                let profile = self.follow(shared)?;
                self.profiles.push((shared, profile));
                self.profiles.len() - 1
            }
        };
        if self.least.is_none() && self.options.expects && costs.table().is_some() && is_up_to_others(&self.variant) {
            self.least = Some(self.least_work()?);
        }
        let least = self.least.as_ref().zip(costs.table());
        let least = least.map(|(work, table)| work.instructions(table, self.options.width));
        let caches = if self.options.caches { caches(machine, costs.launch) } else { None };
        let traffic = caches.map(|caches| self.through(caches)).transpose()?;
        let followed = &self.profiles[profile].1;
        let pace = match self.options.expects {
            true => costs.pace(machine, &self.variant, followed, traffic.as_ref()),
            false => None,
        };
        Ok(StudiedLaunch { profile, costs, least, traffic, pace })
    }

    /// Returns the profile of a launch's warps.
    pub fn profile(&self, launch: &StudiedLaunch) -> &Profile {
        &self.profiles[launch.profile].1
    }

    /// Returns the number of warps that share a sample of rays; `None` where rays are not taken from a pool.
    fn sample_warps(&self, machine: &Machine, costs: &KernelCostSource) -> Option<u32> {
        match self.options.warps {
            SampleWarps::Exactly(warps) => Some(warps),
            SampleWarps::OfMachine => {
                let launch = costs.launch.filter(|_| self.variant.supply() != Supply::Direct)?;
                let resident = machine.occupancy(launch).ok()?.warps * machine.count(keys::SM_COUNT);
                let sample = self.samples.first().map_or(0, |rays| rays.len() as u64);
                let share = (u64::from(resident) * sample).div_ceil(self.launch_rays.max(1));
                Some(share.clamp(1, u64::from(resident)) as u32)
            }
        }
    }

    /// Returns the number of warps of a thread block, whose slots are freed together; 1 for warps that take rays from a
    /// pool. Warps of a pool all last until it is empty.
    fn block_warps(&self, launch: Option<LaunchResources>) -> u32 {
        let launch = launch.filter(|_| self.variant.supply() == Supply::Direct);
        launch.map_or(1, |launch| launch.threads_per_block.div_ceil(self.options.width.max(1)))
    }

    /// Simulates the launches of all viewpoints one after the other, and sums up their profiles.
    fn follow(&self, SharedBy { warps: resident, block_warps }: SharedBy) -> Result<Profile, SimulateError> {
        let StudyOptions { width, expects, cancel, .. } = self.options;
        let streams = if expects { STREAMS } else { 0 };
        let options = ProfileOptions { width, memory: true, resident, streams, block_warps, cancel };
        let mut all: Option<Profile> = None;
        for rays in &self.samples {
            let launch_rays = self.launch_rays.max(rays.len() as u64);
            let one = profile(self.kernel, rays, launch_rays, self.query(), options)?;
            if cancel.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                return Err(TraceError::Cancelled.into());
            }
            all = Some(match all {
                Some(sum) => sum.plus(&one),
                None => one,
            });
        }
        match all {
            Some(all) => Ok(all),
            None => Ok(profile(self.kernel, &[], 0, self.query(), options)?),
        }
    }

    fn least_work(&self) -> Result<LeastWork, SimulateError> {
        let one = |rays: &&[Ray]| LeastWork::of(self.kernel, rays, self.query(), self.options.cancel);
        let mut all = one(self.samples.first().unwrap_or(&&[][..]))?;
        for rays in self.samples.iter().skip(1) {
            all = all.plus(&one(rays)?);
        }
        match self.options.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            true => Err(TraceError::Cancelled.into()),
            false => Ok(all),
        }
    }

    fn through(&self, caches: Caches) -> Result<Traffic, KernelError> {
        let one = |rays: &&[Ray]| traffic(self.kernel, rays, self.query(), self.options.width, CACHED_WARPS, caches);
        self.samples.iter().try_fold(Traffic::default(), |sum, rays| Ok(sum.plus(&one(rays)?)))
    }
}

/// Returns the sizes of a machine's caches and the number of warps that share them; `None` where they are not known.
fn caches(machine: &Machine, launch: Option<LaunchResources>) -> Option<Caches> {
    let launch = launch?;
    let warps = machine.occupancy(launch).ok()?;
    let shared = u64::from(warps.blocks) * u64::from(launch.shared_bytes_per_block);
    Some(Caches {
        // Where shared memory is taken from it, what is left.
        l1_bytes: (machine.get(keys::L1_BYTES)? as u64).saturating_sub(shared),
        l2_bytes: machine.get(keys::L2_BYTES)? as u64,
        multiprocessors: machine.count(keys::SM_COUNT),
        warps: warps.warps,
    })
}

impl StudiedLaunch {
    /// Returns the launch with the instruction costs of `profile`, which must be its own.
    pub fn costs_of(&self, profile: &Profile) -> LaunchCosts {
        LaunchCosts { least: self.least, ..LaunchCosts::new(&self.costs, profile) }
    }

    /// Returns the rate in rays a second to expect on the machine, at most the lowest of `bounds`, which may be by
    /// resources that are not in the model; `None` if [`StudyOptions::expects`] is false.
    pub fn expected(
        &self,
        kernel: &LaunchCosts,
        machine: &Machine,
        profile: &Profile,
        bounds: &[Bound],
    ) -> Option<f64> {
        let instructions = kernel.instructions.as_ref()?.warp_instructions();
        Some(expected_rate(machine, (self.pace?.instructions_per_clock, instructions), profile, bounds))
    }
}

/// Returns the rays a second of a machine whose multiprocessors issue this many instructions a clock for a profile with
/// this many; at most the lowest of `bounds`.
fn expected_rate(
    machine: &Machine,
    (instructions_per_clock, instructions): (f64, f64),
    profile: &Profile,
    bounds: &[Bound],
) -> f64 {
    let per_second = instructions_per_clock * machine.need(keys::SM_COUNT) * machine.clock_hz();
    let rate = per_second * profile.rays() as f64 / instructions;
    lowest(bounds).map_or(rate, |bound| rate.min(bound.rays_per_s))
}

/// A kernel's launch with the instructions that its events cost on a machine.
#[derive(Debug, Clone)]
pub(crate) struct LaunchCosts {
    pub instructions: Option<LaunchInstructions>,
    /// Least instructions for these rays however they are dealt to warps; `None` where dealing does not matter, or
    /// costs were changed.
    pub least: Option<LeastInstructions>,
    pub launch: Option<LaunchResources>,
    pub doubt: Option<String>,
    /// Source of the instruction costs.
    pub basis: CostBasis,
}

impl LaunchCosts {
    pub fn new(costs: &KernelCostSource, profile: &Profile) -> Self {
        let issued = match &costs.costs {
            CostSource::None => None,
            CostSource::Table(costs) => Some(LaunchInstructions::of(costs, &profile.tally)),
            CostSource::Blocks(costs) => Some(LaunchInstructions::of_blocks(costs, &profile.counts)),
        };
        let doubt = costs.doubt.as_ref().map(ToString::to_string);
        Self { instructions: issued, least: None, launch: costs.launch, doubt, basis: costs.basis }
    }

    /// Makes a launch whose instructions are already known.
    pub fn of(
        instructions: Option<LaunchInstructions>,
        launch: Option<LaunchResources>,
        doubt: Option<String>,
        basis: CostBasis,
    ) -> Self {
        Self { instructions, least: None, launch, doubt, basis }
    }

    pub fn change(&mut self, change: &CostChange, profile: &Profile) {
        self.least = None;
        if let Some(issued) = &mut self.instructions {
            issued.change(change, &profile.counts);
        }
    }

    /// Returns all bounds of the rate of a profiled launch.
    pub fn bounds(
        &self,
        machine: &Machine,
        (variant, kind): (&Variant, TracedRays),
        profile: &Profile,
        traffic: Option<&Traffic>,
    ) -> Vec<Bound> {
        let subject = BoundSubject {
            variant,
            query: query_of(kind),
            profile,
            instructions: self.instructions.as_ref(),
            least: self.least.as_ref(),
            launch: self.launch,
            traffic,
            doubt: self.doubt.as_deref(),
            basis: self.basis,
        };
        bounds(machine, subject)
    }
}
