//! What bounds a kernel's rate on a machine: `raywarp simulate --machine`.

pub(crate) mod report;
pub(crate) mod what_if;

pub use what_if::WhatIf;

use crate::simulate::{EfficiencyRequest, SimulateError, name_of, sample_rays, theirs_column};
use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_family::costs::{KernelCosts, read_costs};
use raywarp_family::{Key, Organisation, Sync, Variant};
use raywarp_geom::{Control, Ray, TraceError};
use raywarp_scene::{Scene, flatten};
use raywarp_sim::bounds::{Bound, Subject, bounds, lowest};
use raywarp_sim::machine::{Launch, Machine, keys};
use raywarp_sim::memory::{Caches, Traffic, traffic};
use raywarp_sim::{Al09Prices, CostChange, Price, Prices, Profile, ProfileOptions, al09, profile, table1};
use raywarp_traverse::{Kernel, KernelError, Query};
use raywarp_workload::rays::{Order, RayKind, Workload};

/// What to bound.
#[derive(Debug, Clone)]
pub struct BoundsRequest {
    /// Scene, rays, kernels, widths and trees.
    pub rays: EfficiencyRequest,
    /// Machines.
    pub machines: Vec<Machine>,
    /// Costs of operations that are otherwise than in the tables.
    pub changes: Vec<CostChange>,
    /// A table of costs in place of ours, as `crates/cuda/prebuilt/costs.sm_*.csv.gz` has them, unpacked.
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
}

/// Bounds the rates of kernels on machines. All triangles count as opaque.
///
/// `control.cancel` stops between two warps.
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
    for &leaf_size in &wanted.leaf_sizes {
        let mut trees: Vec<(u32, Bvh2)> = Vec::new();
        for variant in &wanted.variants {
            let max_leaf = leaf_size.min(variant.tree().max_leaf());
            if trees.iter().all(|(known, _)| *known != max_leaf) {
                trees.push((max_leaf, build(&triangles, &BuildOptions { max_leaf, ..wanted.build })?));
            }
            let Some((_, bvh)) = trees.iter().find(|(known, _)| *known == max_leaf) else { continue };
            // Lanes that are left to the hardware run in lockstep here.
            let voted = variant.with(Key::Sync, "voted").unwrap_or(*variant);
            let kernel = Kernel::new(&voted, bvh, &triangles)?;
            for &width in wanted.widths.iter().filter(|&&width| width % variant.lanes_per_ray() == 0) {
                for ((kind, views), (_, _, all)) in samples.iter().zip(&rays) {
                    let query = if kind.is_any() { Query::Any } else { Query::Closest };
                    let options = ProfileOptions { width, memory: true, resident: None, cancel: control.cancel };
                    // A launch a view.
                    let launch_rays = all / views.len().max(1) as u64;
                    let mut sum: Option<Profile> = None;
                    for rays in views {
                        let one = profile(&kernel, rays, launch_rays.max(rays.len() as u64), query, options)?;
                        if control.is_cancelled() {
                            return Err(TraceError::Cancelled.into());
                        }
                        sum = Some(match sum {
                            Some(sum) => sum.plus(&one),
                            None => one,
                        });
                    }
                    let Some(profile) = sum else { continue };
                    let mut through = Vec::new();
                    for machine in &request.machines {
                        let launch = known_costs(request.costs.as_deref(), machine, variant, query).launch;
                        through.push(match caches(machine, launch) {
                            Some(caches) => Some(over_views(&kernel, views, query, width, caches)?),
                            None => None,
                        });
                    }
                    profiled.push(Profiled { variant: *variant, kind: *kind, leaf_size: max_leaf, profile, through });
                }
                control.advance(1);
            }
        }
    }
    let mut rows = Vec::new();
    for (number, machine) in request.machines.iter().enumerate() {
        rows.extend(profiled.iter().map(|profiled| bound_row(request, (number, machine), profiled)));
    }
    let fit = fit(request, &profiled);
    Ok(BoundsReport { request: request.clone(), rows, rays, fit })
}

/// What a kernel does with rays of a kind.
struct Profiled {
    variant: Variant,
    kind: RayKind,
    leaf_size: u32,
    profile: Profile,
    /// What that does in each machine's caches.
    through: Vec<Option<Traffic>>,
}

/// Warps of a view that go through the model of the caches.
const CACHED_WARPS: u32 = 512;

/// The caches of a machine, as a launch shares them; none where they are not known.
fn caches(machine: &Machine, launch: Option<Launch>) -> Option<Caches> {
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

fn bound_row(request: &BoundsRequest, (number, machine): (usize, &Machine), profiled: &Profiled) -> Bounded {
    let Profiled { variant, kind, leaf_size, profile, through } = profiled;
    let traffic = through.get(number).copied().flatten();
    let query = if kind.is_any() { Query::Any } else { Query::Closest };
    let known = known_costs(request.costs.as_deref(), machine, variant, query);
    let doubt = known.doubt;
    let mut price = match known.costs {
        Costs::None => None,
        Costs::Table(costs) => Some(Price::of(&costs, &profile.tally)),
        Costs::Blocks(prices) => Some(Price::of_blocks(&prices, &profile.counts)),
    };
    if let Some(price) = &mut price {
        request.changes.iter().for_each(|change| price.change(change, &profile.counts));
    }
    let subject = Subject {
        variant,
        query,
        profile,
        price: price.as_ref(),
        launch: known.launch,
        traffic: traffic.as_ref(),
        doubt: doubt.as_deref(),
    };
    let bounds = bounds(machine, subject);
    let theirs = request.theirs(machine, variant, profile.counts.width).map(|rates| 1e6 * rates[theirs_column(*kind)]);
    Bounded {
        machine: number,
        variant: *variant,
        kind: *kind,
        leaf_size: *leaf_size,
        profile: profile.clone(),
        price,
        traffic,
        launch: known.launch,
        doubt,
        bounds,
        theirs,
    }
}

pub(crate) enum Costs {
    None,
    Table(KernelCosts),
    /// Warp instructions an event of a block.
    Blocks(Prices),
}

pub(crate) struct KnownCosts {
    pub costs: Costs,
    pub launch: Option<Launch>,
    pub doubt: Option<String>,
}

/// What a kernel costs on a machine: by the user's table, by AL09's simulator for a machine of its time, by the machine code
/// for the machine's compute capability, or for one that is near.
pub(crate) fn known_costs(table: Option<&str>, machine: &Machine, variant: &Variant, query: Query) -> KnownCosts {
    let query = match query {
        Query::Closest => raywarp_cuda::Query::Closest,
        Query::Any => raywarp_cuda::Query::Any,
    };
    let (major, minor) = machine.capability();
    if major == 1 && table.is_none() {
        let costs = match Al09Prices::know(variant) {
            true => Costs::Blocks(Al09Prices::default().of(variant).times(al09::SLOTS)),
            false => Costs::None,
        };
        let doubt = Some("costs fitted to AL09's simulated rates on Sibenik".to_string());
        return KnownCosts { costs, launch: Some(al09::LAUNCH), doubt };
    }
    let wanted = 10 * major + minor;
    let near = |architecture: &u32| {
        // Of the same generation and not newer, else the nearest.
        let same = *architecture / 10 == major && *architecture <= wanted;
        (!same, architecture.abs_diff(wanted))
    };
    let architecture = raywarp_cuda::cost_architectures().min_by_key(near);
    let resources = architecture.and_then(|a| raywarp_cuda::kernel_resources(variant, query, a));
    let launch = resources.map(|resources| Launch {
        registers_per_thread: resources.registers,
        shared_bytes_per_block: resources.shared_bytes,
        threads_per_block: resources.block_threads,
    });
    let (costs, mut doubt) = match table {
        // That it can be read was checked before.
        Some(table) => (read_costs(table, &raywarp_cuda::kernel_name(variant, query)).ok().flatten(), None),
        None => (architecture.and_then(|a| raywarp_cuda::costs(variant, query, a)), None),
    };
    if let Some(architecture) = architecture.filter(|&a| a != wanted && table.is_none()) {
        doubt = Some(format!("code for compute capability {}.{}", architecture / 10, architecture % 10));
    }
    KnownCosts { costs: costs.map_or(Costs::None, Costs::Table), launch, doubt }
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
    let machine = request.machines.iter().find(|machine| machine.capability() == (1, 3))?;
    if !(request.is_theirs() && request.rays.scene == "sibenik") {
        return None;
    }
    let cell = |Profiled { variant, kind, profile, .. }: &Profiled| {
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
