//! Kernels that replay operations which were written down, of this program or of another: how full their warps are.
//!
//! No tree and no ray is needed; nothing is known of memory.

use super::{EfficiencyReport, EfficiencyRequest, Measurement, OwnRays, RayCounts, SimulateError, TracedRays};
use super::{sample_rays, stopped};
use raywarp_bvh::{BuildOptions, build};
use raywarp_family::Variant;
use raywarp_geom::{Control, TraceError};
use raywarp_scene::{Description, flatten};
use raywarp_sim::{EventSource, LaunchCounts, count_source};
use raywarp_traverse::{Kernel, NamedDump, RayDump, Replay, ReplayError};
use std::collections::HashMap;

/// Operations of launches that share a name, as rows of a report have them.
#[derive(Debug, Clone)]
pub struct DumpedRays {
    /// What the rays are called.
    pub rays: OwnRays,
    /// Operations of each launch.
    pub dumps: Vec<RayDump>,
}

impl DumpedRays {
    /// Groups launches by name and query, in the order of each group's first. Names live as long as the program.
    pub fn group(launches: Vec<NamedDump>) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        let mut places: HashMap<(&'static str, bool), usize> = HashMap::new();
        for NamedDump { name, dump } in launches {
            let any = dump.query() == raywarp_traverse::Query::Any;
            if let Some(&place) = places.get(&(name.as_str(), any)) {
                groups[place].dumps.push(dump);
                continue;
            }
            let name: &'static str = name.leak();
            places.insert((name, any), groups.len());
            groups.push(Self { rays: OwnRays { name, any, rays: [].into() }, dumps: vec![dump] });
        }
        groups
    }

    /// Returns what the rays are called.
    pub fn traced(&self) -> TracedRays {
        self.rays.traced()
    }

    /// Returns the number of rays.
    pub fn ray_count(&self) -> u64 {
        self.dumps.iter().map(|dump| dump.ray_count() as u64).sum()
    }

    /// Returns the launches whose rays walk as `variant` does.
    fn of_walk(&self, variant: &Variant) -> Result<Vec<&RayDump>, ReplayError> {
        let walk = Replay::walk_of(variant)?;
        Ok(self.dumps.iter().filter(|dump| dump.walk() == Some(&walk)).collect())
    }

    /// Counts the events of a kernel's warps of `width` lanes over the launches that walk as it does.
    ///
    /// # Errors
    /// [`SimulateError::Replay`] where no launch does.
    pub(crate) fn counts(&self, variant: &Variant, width: u32) -> Result<LaunchCounts, SimulateError> {
        let dumps = self.of_walk(variant)?;
        if let ([], Some(first)) = (&dumps[..], self.dumps.first()) {
            // With the reason.
            Replay::new(variant, first)?;
        }
        let mut sum = LaunchCounts::new(width);
        for dump in dumps {
            sum = sum.plus(&count_source(&EventSource::Replay(Replay::new(variant, dump)?), width)?);
        }
        Ok(sum)
    }
}

/// Returns those of `variants` that can replay each group of launches.
pub fn that_replay(variants: impl IntoIterator<Item = Variant>, groups: &[DumpedRays]) -> Vec<Variant> {
    let can = |variant: &Variant, group: &DumpedRays| group.of_walk(variant).is_ok_and(|dumps| !dumps.is_empty());
    variants.into_iter().filter(|variant| groups.iter().all(|group| can(variant, group))).collect()
}

/// Returns `request` for operations that were written down: rays of its own, on a tree that nobody knows.
pub(crate) fn request_of(request: &EfficiencyRequest, groups: &[DumpedRays]) -> EfficiencyRequest {
    let own = groups.iter().map(|group| group.rays.clone()).collect();
    EfficiencyRequest { own, leaf_sizes: vec![0], ..request.clone() }
}

/// Returns how many rays of each group there are, all of which are replayed.
pub(crate) fn ray_counts(groups: &[DumpedRays]) -> RayCounts {
    groups.iter().map(|group| (group.traced(), group.ray_count(), group.ray_count())).collect()
}

/// Replays written operations by the kernels of a request, and counts their warps' lanes at work. Of the request count
/// variants, widths and the scene's name.
///
/// # Errors
/// [`SimulateError::Replay`] for a kernel that cannot replay them; as [`efficiency`](super::efficiency).
pub fn efficiency_of_operations(
    groups: &[DumpedRays],
    request: &EfficiencyRequest,
    control: &Control<'_>,
) -> Result<EfficiencyReport, SimulateError> {
    let mut measurements = Vec::new();
    let done = measure(groups, request, control, &mut measurements);
    let interrupted = stopped(done, !measurements.is_empty())?;
    let request = request_of(request, groups);
    Ok(EfficiencyReport { request, measurements, rays: ray_counts(groups), interrupted })
}

fn measure(
    groups: &[DumpedRays],
    request: &EfficiencyRequest,
    control: &Control<'_>,
    measurements: &mut Vec<Measurement>,
) -> Result<(), SimulateError> {
    for &width in &request.widths {
        for variant in &request.variants {
            let mut row = Vec::with_capacity(groups.len());
            for group in groups {
                if control.is_cancelled() {
                    return Err(TraceError::Cancelled.into());
                }
                let counts = group.counts(variant, width)?.counts;
                row.push(Measurement { variant: *variant, kind: group.traced(), leaf_size: 0, counts, overfetch: 0.0 });
            }
            measurements.append(&mut row);
            control.advance(1);
        }
    }
    Ok(())
}

/// Writes down what the rays of a request do, in each kind of walk that its kernels have. All triangles count as
/// opaque.
///
/// # Errors
/// As [`efficiency`](super::efficiency); [`SimulateError::Kernel`] for kernels whose rays cannot be written down.
/// # Panics
/// If the scene does not pass [`raywarp_scene::validate`].
pub fn record_operations(
    scene: &Description,
    request: &EfficiencyRequest,
    control: &Control<'_>,
) -> Result<Vec<NamedDump>, SimulateError> {
    let mut triangles = flatten(scene)?;
    triangles.opaque.fill(true);
    let quiet = Control { cancel: control.cancel, progress: None };
    let (samples, _) = sample_rays(&triangles, request, &quiet)?;
    let mut walks: Vec<Variant> = Vec::new();
    for variant in &request.variants {
        let walk = Replay::walk_of(variant)?;
        if !walks.contains(&walk) {
            walks.push(walk);
        }
    }
    let mut launches = Vec::new();
    for walk in walks {
        let max_leaf = request.leaf_sizes.first().copied().unwrap_or(request.build.max_leaf);
        let max_leaf = max_leaf.min(walk.tree().max_leaf());
        let kernel = Kernel::new(&walk, &build(&triangles, &BuildOptions { max_leaf, ..request.build })?, &triangles)?;
        for (kind, views) in &samples {
            for rays in views {
                if control.is_cancelled() {
                    return Err(TraceError::Cancelled.into());
                }
                let dump = RayDump::record(&kernel, rays, &[], kind.query())?;
                launches.push(NamedDump { name: kind.name().to_string(), dump });
            }
        }
    }
    Ok(launches)
}
