//! What bounds a kernel's rate on a machine: `raywarp simulate --machine`.

mod known;
pub(crate) mod report;
pub(crate) mod what_if;

pub(crate) use known::{Costs, KnownCosts, known_costs};
pub use what_if::WhatIf;

use crate::simulate::{
    EfficiencyRequest, RayCounts, Samples, SimulateError, name_of, query_of, sample_rays, stopped, theirs_column,
};
use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_family::{Organisation, Supply, Sync, Variant};
use raywarp_geom::{Control, FlatTriangles, Ray, TraceError};
use raywarp_scene::{Scene, flatten};
use raywarp_sim::bounds::{Bound, Subject, bounds, lowest};
use raywarp_sim::machine::{Launch, Machine, keys};
use raywarp_sim::memory::{Caches, Traffic, traffic};
use raywarp_sim::{Al09Prices, CostChange, Price, Profile, ProfileOptions, Streams, al09, profile, table1};
use raywarp_traverse::{Kernel, KernelError, Query};
use raywarp_workload::rays::{Order, RayKind, Workload};
use std::sync::atomic::Ordering;

/// What to bound.
#[derive(Debug, Clone)]
pub struct BoundsRequest {
    /// Scene, rays, kernels, widths and trees.
    pub rays: EfficiencyRequest,
    /// Machines.
    pub machines: Vec<Machine>,
    /// Costs of operations that are otherwise than in the tables.
    pub changes: Vec<CostChange>,
    /// A table of costs in place of ours, as `crates/cuda/prebuilt/costs.sm_*.csv.xz` has them, unpacked.
    pub costs: Option<String>,
}

/// One kernel's bounds on one machine for one kind of rays.
#[derive(Debug, Clone)]
pub struct Bounded {
    /// The machine's place in the request.
    pub machine: usize,
    /// The kernel.
    pub variant: Variant,
    /// Which rays.
    pub kind: RayKind,
    /// Most triangles of a leaf.
    pub leaf_size: u32,
    /// What it did.
    pub profile: Profile,
    /// What that costs; none where nobody knows.
    pub price: Option<Price>,
    /// What its accesses do in the machine's caches; none where the machine has none that is known.
    pub traffic: Option<Traffic>,
    /// What its launch takes of a multiprocessor; none where nobody knows.
    pub launch: Option<Launch>,
    /// Why the price is not this kernel's on this machine.
    pub doubt: Option<String>,
    /// All bounds.
    pub bounds: Vec<Bound>,
    /// Rays a second by the model of a multiprocessor ([`raywarp_sim::pace`]); none where the machine code is not known, or costs
    /// were set.
    pub expected: Option<f64>,
    /// AL09's simulated rate, rays a second.
    pub theirs: Option<f64>,
}

impl Bounded {
    /// The bound that is reached first.
    pub fn lowest(&self) -> Option<&Bound> {
        lowest(&self.bounds)
    }
}

/// Prices of the GTX 285 from AL09's simulated rates on Sibenik, in times of an instruction.
#[derive(Debug, Clone, Copy)]
pub struct Fit {
    /// A visit and a test, by while-while's primary and diffuse cells alone.
    pub two_cells: Option<[f64; 2]>,
    /// By all cells without packets that are here.
    pub all: Option<Al09Prices>,
    /// How many these are.
    pub cells: usize,
}

/// Everything that was bounded.
#[derive(Debug, Clone)]
pub struct BoundsReport {
    pub(crate) request: BoundsRequest,
    /// In the order of machines, widths, leaf sizes, variants, kinds.
    pub rows: Vec<Bounded>,
    /// Rays of each kind that were traced, and that there are in all.
    pub rays: Vec<(RayKind, u64, u64)>,
    /// What the paper's cells say of the GTX 285's costs on these rays and this tree.
    pub fit: Option<Fit>,
    /// Whether the caller stopped it: kernels are missing.
    pub interrupted: bool,
}

/// Bounds the rates of kernels on machines. All triangles count as opaque.
///
/// `control.cancel` stops between two warps; what was bounded until then is the report, if it is anything.
///
/// # Errors
/// [`SimulateError`].
/// # Panics
/// If the scene does not pass [`raywarp_scene::validate`].
pub fn bound_rates(
    scene: &Scene,
    request: &BoundsRequest,
    control: &Control<'_>,
) -> Result<BoundsReport, SimulateError> {
    let wanted = &request.rays;
    let mut triangles = flatten(scene)?;
    triangles.opaque.fill(true);
    let (samples, rays) = sample_rays(&triangles, wanted, control)?;
    let mut profiled: Vec<Profiled> = Vec::new();
    let done = profile_all(&triangles, (&samples, &rays), request, control, &mut profiled);
    let interrupted = stopped(done, !profiled.is_empty())?;
    let mut rows = Vec::new();
    for (number, machine) in request.machines.iter().enumerate() {
        rows.extend(profiled.iter().filter_map(|profiled| bound_row(request, (number, machine), profiled)));
    }
    let fit = fit(request, &profiled);
    Ok(BoundsReport { request: request.clone(), rows, rays, fit, interrupted })
}

/// Follows all kernels; what is in `profiled` holds good after an error too.
fn profile_all(
    triangles: &FlatTriangles,
    (samples, rays): (&Samples, &RayCounts),
    request: &BoundsRequest,
    control: &Control<'_>,
    profiled: &mut Vec<Profiled>,
) -> Result<(), SimulateError> {
    let wanted = &request.rays;
    for &leaf_size in &wanted.leaf_sizes {
        let mut trees: Vec<(u32, Bvh2)> = Vec::new();
        for variant in &wanted.variants {
            let max_leaf = leaf_size.min(variant.tree().max_leaf());
            if trees.iter().all(|(known, _)| *known != max_leaf) {
                trees.push((max_leaf, build(triangles, &BuildOptions { max_leaf, ..wanted.build })?));
            }
            let Some((_, bvh)) = trees.iter().find(|(known, _)| *known == max_leaf) else { continue };
            // Lanes that are left to the hardware run in lockstep here.
            let kernel = Kernel::new(&variant.voted(), bvh, triangles)?;
            for &width in wanted.widths.iter().filter(|&&width| width % variant.lanes_per_ray() == 0) {
                for ((kind, views), (_, _, all)) in samples.iter().zip(rays) {
                    let Some((first, others)) = views.split_first() else { continue };
                    let query = query_of(*kind);
                    // A launch a view.
                    let launch_rays = all / views.len() as u64;
                    let mut profiles: Vec<(Option<u32>, Profile)> = Vec::new();
                    let streams = if request.changes.is_empty() { STREAMS } else { 0 };
                    // One a machine, whatever happens.
                    let on_machine = |machine: &Machine| -> Result<OnMachine, SimulateError> {
                        let known = known_costs(request.costs.as_deref(), machine, variant, query);
                        let launch = known.launch;
                        let pooled = launch.filter(|_| variant.supply() != Supply::Direct);
                        let resident =
                            pooled.and_then(|launch| share_of_warps(machine, launch, first.len() as u64, launch_rays));
                        let profile = match profiles.iter().position(|(known, _)| *known == resident) {
                            Some(known) => known,
                            None => {
                                let options =
                                    ProfileOptions { width, memory: true, resident, streams, cancel: control.cancel };
                                let profile = profile_views(&kernel, (first, others), launch_rays, query, options)?;
                                profiles.push((resident, profile));
                                profiles.len() - 1
                            }
                        };
                        let traffic = match caches(machine, launch) {
                            Some(caches) => Some(over_views(&kernel, views, query, width, caches)?),
                            None => None,
                        };
                        // What is set has no machine code.
                        let followed = request.changes.is_empty().then_some(&profiles[profile].1);
                        let instructions_per_clock = followed
                            .and_then(|one| known.instructions_per_clock(machine, variant, one, traffic.as_ref()));
                        Ok(OnMachine { profile, traffic, known, instructions_per_clock })
                    };
                    let on = request.machines.iter().map(on_machine).collect::<Result<_, _>>()?;
                    // Nobody follows their warps any more.
                    let left = |profile: Profile| Profile { streams: Streams::default(), ..profile };
                    let profiles = profiles.into_iter().map(|(_, profile)| left(profile)).collect();
                    profiled.push(Profiled { variant: *variant, kind: *kind, leaf_size: max_leaf, profiles, on });
                }
                control.advance(1);
            }
        }
    }
    Ok(())
}

/// What a kernel does with rays of a kind.
struct Profiled {
    variant: Variant,
    kind: RayKind,
    leaf_size: u32,
    /// As it does it where so many warps share its rays.
    profiles: Vec<Profile>,
    /// On each machine.
    on: Vec<OnMachine>,
}

/// What a kernel does on a machine.
struct OnMachine {
    /// Which of the profiles.
    profile: usize,
    /// What that does in the caches.
    traffic: Option<Traffic>,
    known: KnownCosts,
    instructions_per_clock: Option<f64>,
}

/// What launches over the rays of each view do together: a first one and others.
fn profile_views(
    kernel: &Kernel,
    (first, others): (&[Ray], &[Vec<Ray>]),
    launch_rays: u64,
    query: Query,
    options: ProfileOptions<'_>,
) -> Result<Profile, SimulateError> {
    let one = |rays: &[Ray]| -> Result<Profile, SimulateError> {
        let one = profile(kernel, rays, launch_rays.max(rays.len() as u64), query, options)?;
        match options.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            true => Err(TraceError::Cancelled.into()),
            false => Ok(one),
        }
    };
    others.iter().try_fold(one(first)?, |sum, rays| Ok(sum.plus(&one(rays)?)))
}

/// Of the warps that a launch of `rays` keeps on the machine, the part that a sample of it would.
pub(crate) fn share_of_warps(machine: &Machine, launch: Launch, sample: u64, rays: u64) -> Option<u32> {
    let warps = machine.occupancy(launch).ok()?.warps * machine.count(keys::SM_COUNT);
    Some((u64::from(warps) * sample).div_ceil(rays.max(1)).clamp(1, u64::from(warps)) as u32)
}

/// The most of a price that may be assumed before it is called a guess, as a share of its instructions. When a third to a
/// half of a work queue's instructions were assumed, its prices were 13 to 25 % off an H200's counters: by half of that share. A
/// fifth is then a tenth off, twice what a prediction may be (`counters::WITHIN`).
pub(crate) const MOST_ASSUMED: f64 = 0.2;

/// Warps of a launch that are followed clock by clock, at most: more than a multiprocessor holds.
pub(crate) const STREAMS: u32 = 128;

/// Warps of a view that go through the model of the caches.
pub(crate) const CACHED_WARPS: u32 = 512;

/// The caches of a machine, as a launch shares them; none where they are not known.
pub(crate) fn caches(machine: &Machine, launch: Option<Launch>) -> Option<Caches> {
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

fn over_views(
    kernel: &Kernel,
    views: &[Vec<Ray>],
    query: Query,
    width: u32,
    caches: Caches,
) -> Result<Traffic, KernelError> {
    let one = |rays: &Vec<Ray>| traffic(kernel, rays, query, width, CACHED_WARPS, caches);
    views.iter().try_fold(Traffic::default(), |sum, rays| Ok(sum.plus(&one(rays)?)))
}

fn bound_row(request: &BoundsRequest, (number, machine): (usize, &Machine), profiled: &Profiled) -> Option<Bounded> {
    let Profiled { variant, kind, leaf_size, profiles, on } = profiled;
    let OnMachine { profile, traffic, known, instructions_per_clock } = on.get(number)?;
    let profile = profiles.get(*profile)?;
    let mut priced = Priced::new(known, profile);
    priced.change(&request.changes, profile);
    let bounds = priced.bounds(machine, (variant, *kind), profile, traffic.as_ref());
    let expected = priced.expected(*instructions_per_clock, machine, profile, &bounds);
    let theirs = request.theirs(machine, variant, profile.counts.width).map(|rates| 1e6 * rates[theirs_column(*kind)]);
    Some(Bounded {
        machine: number,
        variant: *variant,
        kind: *kind,
        leaf_size: *leaf_size,
        profile: profile.clone(),
        price: priced.price,
        traffic: *traffic,
        launch: priced.launch,
        doubt: priced.doubt,
        bounds,
        expected,
        theirs,
    })
}

/// What a kernel's events cost on a machine.
pub(crate) struct Priced {
    pub price: Option<Price>,
    pub launch: Option<Launch>,
    pub doubt: Option<String>,
}

impl Priced {
    pub(crate) fn new(known: &KnownCosts, profile: &Profile) -> Self {
        let price = match &known.costs {
            Costs::None => None,
            Costs::Table(costs) => Some(Price::of(costs, &profile.tally)),
            Costs::Blocks(prices) => Some(Price::of_blocks(prices, &profile.counts)),
        };
        Self { price, launch: known.launch, doubt: known.doubt.clone() }
    }

    fn change<'a>(&mut self, changes: impl IntoIterator<Item = &'a CostChange>, profile: &Profile) {
        let Some(price) = &mut self.price else { return };
        changes.into_iter().for_each(|change| price.change(change, &profile.counts));
    }

    /// Rays a second of a machine whose multiprocessors issue so many instructions a clock. At most the lowest of `bounds`, some of
    /// whose resources are not in that model.
    pub(crate) fn expected(
        &self,
        instructions_per_clock: Option<f64>,
        machine: &Machine,
        profile: &Profile,
        bounds: &[Bound],
    ) -> Option<f64> {
        let a_second = instructions_per_clock? * machine.need(keys::SM_COUNT) * machine.clock_hz();
        let rate = a_second * profile.rays() as f64 / self.price.as_ref()?.warp_instructions();
        Some(lowest(bounds).map_or(rate, |bound| rate.min(bound.rays_per_s)))
    }

    /// All bounds of what was profiled.
    pub(crate) fn bounds(
        &self,
        machine: &Machine,
        (variant, kind): (&Variant, RayKind),
        profile: &Profile,
        traffic: Option<&Traffic>,
    ) -> Vec<Bound> {
        let subject = Subject {
            variant,
            query: query_of(kind),
            profile,
            price: self.price.as_ref(),
            launch: self.launch,
            traffic,
            doubt: self.doubt.as_deref(),
        };
        bounds(machine, subject)
    }
}

impl BoundsRequest {
    /// AL09's simulated rates of a kernel, where these are its rays and its machine.
    fn theirs(&self, machine: &Machine, variant: &Variant, width: u32) -> Option<[f64; 3]> {
        (self.is_theirs() && machine.capability() == (1, 3) && width == 32)
            .then(|| table1::simulated(&self.rays.scene, &name_of(variant)))
            .flatten()
    }

    fn is_theirs(&self) -> bool {
        let rays = &self.rays;
        rays.workload == Workload::Al09
            && rays.order == Order::Workload
            && rays.views.len() == 5
            && rays.size == raywarp_workload::rays::RESOLUTION
    }
}

/// What the paper's cells say, as these rays and this tree have them.
fn fit(request: &BoundsRequest, profiled: &[Profiled]) -> Option<Fit> {
    let (number, machine) = request.machines.iter().enumerate().find(|(_, m)| m.capability() == (1, 3))?;
    if !(request.is_theirs() && request.rays.scene == "sibenik") {
        return None;
    }
    let cell = |Profiled { variant, kind, profiles, on, .. }: &Profiled| {
        let profile = profiles.get(on.get(number)?.profile)?;
        let rate = 1e6 * request.theirs(machine, variant, profile.counts.width)?[theirs_column(*kind)];
        let packet = variant.organisation() == Organisation::Packet;
        let times_per_s = machine.issue_per_s() / al09::SLOTS;
        let cell = al09::Cell::new(variant, &profile.counts, rate, times_per_s);
        (!packet).then(|| (name_of(variant), *kind, cell))
    };
    let cells: Vec<_> = profiled.iter().filter_map(cell).collect();
    let find = |wanted| cells.iter().find(|(name, kind, _)| name == "al09-while-while" && *kind == wanted);
    let two_cells = match (find(RayKind::Primary), find(RayKind::Diffuse)) {
        (Some(primary), Some(diffuse)) => al09::two_cells([primary.2, diffuse.2]),
        _ => None,
    };
    let all: Vec<al09::Cell> = cells.iter().map(|cell| cell.2).collect();
    Some(Fit { two_cells, all: al09::fit(&all), cells: all.len() })
}

/// Whether kernels with lanes left to the hardware are bounded.
pub(crate) fn is_implicit(variant: &Variant) -> bool {
    variant.sync() == Sync::Implicit
}
