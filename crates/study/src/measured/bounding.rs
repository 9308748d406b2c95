//! Simulation of measured launches with the same rays and trees, row by row.

use super::{Job, MeasuredError, MeasuredRate, MeasuredRequest, MeasuredRow, OtherTree, shares, studied_kernel};
use crate::launch::{KernelStudy, Prediction, SampleWarps, StudyOptions, is_implicit};
use crate::simulate::{EfficiencyRequest, Samples, SimulateError, TracedRays, sample_rays};
use raywarp_bench::{DataHash, RayOrder};
use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_family::Variant;
use raywarp_geom::{Control, FlatTriangles, Ray};
use raywarp_sim::machine::keys;
use raywarp_traverse::Kernel;
use raywarp_workload::rays::{Order, RayKind, Workload};

/// Results of the simulation so far.
pub(super) struct Found<'a> {
    pub(super) rows: &'a mut [MeasuredRow],
    pub(super) other_trees: Vec<OtherTree>,
    pub(super) counts: crate::simulate::RayCounts,
}

/// Bounds the rates of all launches; the results so far are valid after an error, too.
pub(super) fn bound_all(
    triangles: &FlatTriangles,
    request: &MeasuredRequest,
    jobs: &[(MeasuredRate, bool, Job)],
    control: &Control<'_>,
    found: &mut Found<'_>,
) -> Result<(), MeasuredError> {
    // Rays are made once for all rows that have them, and then trees.
    let mut settings: Vec<(Workload, RayOrder)> = Vec::new();
    for (rate, ..) in jobs.iter().filter(|(rate, ..)| studied_kernel(rate).is_some()) {
        if !settings.contains(&(rate.workload, rate.order)) {
            settings.push((rate.workload, rate.order));
        }
    }
    for setting in settings {
        let is_of = |rate: &MeasuredRate| (rate.workload, rate.order) == setting && studied_kernel(rate).is_some();
        let rays = rays_of(triangles, request, setting, jobs, control)?;
        found.counts.extend(rays.counts.iter().copied());
        let mut left: Vec<usize> = (0..jobs.len()).filter(|&row| is_of(&jobs[row].0)).collect();
        while let Some(options) = left.first().map(|&row| jobs[row].0.build) {
            let bvh = build(triangles, &options).map_err(SimulateError::from)?;
            let (of_tree, others): (Vec<usize>, Vec<usize>) =
                left.iter().partition(|&&row| jobs[row].0.build == options);
            left = others;
            let hash = DataHash::of_tree(&bvh);
            let is_same = |rate: &MeasuredRate| {
                let nodes = rate.tree_nodes.is_none_or(|nodes| nodes == bvh.nodes.len());
                nodes && rate.tree_hash.is_none_or(|tree| tree == hash)
            };
            let (same, changed): (Vec<usize>, Vec<usize>) = of_tree.iter().partition(|&&row| is_same(&jobs[row].0));
            for rate in changed.iter().map(|&row| &jobs[row].0) {
                let (tree, max_leaf, measured) = (rate.tree.clone(), options.max_leaf, rate.tree_nodes.unwrap_or(0));
                let other = OtherTree { tree, max_leaf, measured, found: bvh.nodes.len() };
                if !found.other_trees.contains(&other) {
                    found.other_trees.push(other);
                }
            }
            let on_tree = OnTree { request, bvh: &bvh, triangles, rays: &rays, control };
            on_tree.rows(&same, jobs, found.rows)?;
        }
    }
    Ok(())
}

/// The rays of one workload and order.
struct Rays {
    samples: Samples,
    counts: crate::simulate::RayCounts,
}

/// Makes the rays for the rows of a workload and order, and checks that there are as many as were measured.
fn rays_of(
    triangles: &FlatTriangles,
    request: &MeasuredRequest,
    (workload, order): (Workload, RayOrder),
    jobs: &[(MeasuredRate, bool, Job)],
    control: &Control<'_>,
) -> Result<Rays, MeasuredError> {
    let is_of =
        |rate: &MeasuredRate| (rate.workload, rate.order) == (workload, order) && studied_kernel(rate).is_some();
    let has = |kind: &RayKind| jobs.iter().any(|(rate, ..)| is_of(rate) && rate.kind == *kind);
    let wanted = EfficiencyRequest {
        workload,
        kinds: RayKind::ALL.into_iter().filter(has).collect(),
        own: Vec::new(),
        views: request.views.iter().map(|(_, view)| view.clone()).collect(),
        size: request.size,
        sample: request.sample,
        order: match order {
            RayOrder::Workload => Order::Workload,
            RayOrder::Morton => Order::Morton,
            RayOrder::Shuffled => Order::Shuffled(0),
        },
        rays_per_pixel: request.rays_per_pixel,
        variants: Vec::new(),
        widths: Vec::new(),
        draw: 0,
        leaf_sizes: Vec::new(),
        build: BuildOptions::default(),
        scene: request.scene.clone(),
    };
    let (samples, counts) = sample_rays(triangles, &wanted, control)?;
    for (rate, _, job) in jobs.iter().filter(|(rate, ..)| is_of(rate)) {
        let Some(&(_, _, all)) = counts.iter().find(|(kind, ..)| *kind == rate.kind) else { continue };
        let sampled = |views: &[usize]| -> u64 {
            let of_kind = samples.iter().find(|(kind, _)| *kind == rate.kind);
            of_kind.map_or(0, |(_, rays)| views.iter().map(|&view| rays[view].len() as u64).sum())
        };
        let is_wrong = match job {
            Job::Launch(views) if views.len() == request.views.len() => rate.rays != all,
            // Of one of several viewpoints only the sample is known.
            Job::Launch(views) => rate.rays < sampled(views) || rate.rays > all,
            Job::Total(_) => rate.rays != all,
        };
        if is_wrong {
            return Err(MeasuredError::Rays { kind: rate.kind.name(), measured: rate.rays, found: all });
        }
    }
    let rates = || jobs.iter().map(|(rate, ..)| rate).filter(|rate| is_of(rate) && rate.rays_hash.is_some());
    let is_whole = |kind: RayKind| counts.iter().any(|(of, sampled, all)| *of == kind && sampled == all);
    let whole = samples.iter().filter(|(of, _)| RayKind::ALL.into_iter().any(|kind| *of == kind && is_whole(kind)));
    check_hashes(request, whole, &mut rates())?;
    // Primary rays are soon made; of others that are sampled there are too many.
    if !is_whole(RayKind::Primary) && rates().any(|rate| rate.kind == RayKind::Primary) {
        let primary = EfficiencyRequest { kinds: vec![RayKind::Primary], sample: usize::MAX, ..wanted };
        let (rays, _) = sample_rays(triangles, &primary, control)?;
        check_hashes(request, rays.iter(), &mut rates())?;
    }
    Ok(Rays { samples, counts })
}

/// Checks that rays, whole batches by kind and viewpoint, have the hashes of those that were measured.
fn check_hashes<'a>(
    request: &MeasuredRequest,
    rays: impl Iterator<Item = &'a (TracedRays, Vec<Vec<Ray>>)>,
    rates: &mut dyn Iterator<Item = &MeasuredRate>,
) -> Result<(), MeasuredError> {
    let hashes: Vec<(TracedRays, Vec<DataHash>)> =
        rays.map(|(of, views)| (*of, views.iter().map(|rays| DataHash::of_rays(rays)).collect())).collect();
    for rate in rates {
        let Some((_, of_kind)) = hashes.iter().find(|(of, _)| *of == rate.kind) else { continue };
        let found = match rate.view {
            None => DataHash::of_all(of_kind),
            Some(number) => {
                let place = request.views.iter().position(|(own, _)| *own == number);
                let Some(hash) = place.and_then(|place| of_kind.get(place)) else { continue };
                *hash
            }
        };
        if let Some(measured) = rate.rays_hash.filter(|measured| *measured != found) {
            return Err(MeasuredError::OtherRays { kind: rate.kind.name(), view: rate.view, measured, found });
        }
    }
    Ok(())
}

/// Data that all rows on one tree share.
struct OnTree<'a> {
    request: &'a MeasuredRequest,
    bvh: &'a Bvh2,
    triangles: &'a FlatTriangles,
    rays: &'a Rays,
    control: &'a Control<'a>,
}

impl OnTree<'_> {
    /// Bounds the rates of the rows with these indices that are single launches.
    fn rows(
        &self,
        numbers: &[usize],
        jobs: &[(MeasuredRate, bool, Job)],
        rows: &mut [MeasuredRow],
    ) -> Result<(), MeasuredError> {
        // Kinds and viewpoints of a kernel follow each other.
        let mut kernel: Option<Kernel> = None;
        for &number in numbers {
            let (rate, _, Job::Launch(views)) = &jobs[number] else { continue };
            let Some(variant) = studied_kernel(rate) else { continue };
            // Lanes that are left to the hardware run in lockstep here.
            let voted = variant.voted();
            if kernel.as_ref().is_none_or(|kernel| *kernel.variant() != voted) {
                kernel = Some(Kernel::new(&voted, self.bvh, self.triangles).map_err(SimulateError::from)?);
            }
            let Some(kernel) = &kernel else { continue };
            let of_kind = self.rays.samples.iter().find(|(kind, _)| *kind == rate.kind);
            let Some((_, samples)) = of_kind else { continue };
            let rays: Vec<Ray> = views.iter().flat_map(|&view| samples[view].iter().copied()).collect();
            self.bound(&mut rows[number], kernel, &variant, &rays)?;
            self.control.advance(1);
        }
        Ok(())
    }

    /// Bounds the rate of a launch of which `rays` are a sample.
    fn bound(
        &self,
        row: &mut MeasuredRow,
        kernel: &Kernel,
        variant: &Variant,
        rays: &[Ray],
    ) -> Result<(), SimulateError> {
        let (machine, kind) = (&self.request.machine, row.rate.kind);
        let width = machine.count(keys::SM_WARP_WIDTH);
        let cancel = self.control.cancel;
        let options = StudyOptions { warps: SampleWarps::OfMachine, width, caches: true, expects: true, cancel };
        let mut study = KernelStudy::new((kernel, variant, kind.into()), [rays], row.rate.rays, options);
        let launch = study.on(machine, None)?;
        let profile = study.profile(&launch);
        let launch_costs = launch.costs_of(profile);
        row.bounds = launch_costs.bounds(machine, (variant, kind.into()), profile, launch.traffic.as_ref());
        row.expected = launch.expected(&launch_costs, machine, profile, &row.bounds);
        row.prediction = row.expected.and_then(|rate| Prediction::of(machine, variant, kind, (rate, false)));
        row.assumed = launch_costs.instructions.as_ref().map(|issued| issued.assumed);
        row.instructions =
            launch_costs.instructions.as_ref().map(|issued| issued.warp_instructions() / profile.rays() as f64);
        row.shares = shares::shares(&row.rate, is_implicit(variant), &row.bounds);
        Ok(())
    }
}
