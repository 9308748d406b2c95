//! Kernels whose rays walk alike share one dump of their operations.

use super::{EfficiencyRequest, Samples, SimulateError, TracedRays, query_of};
use raywarp_bvh::Bvh2;
use raywarp_family::{Key, Variant};
use raywarp_geom::{Control, FlatTriangles, Ray, TraceError};
use raywarp_sim::{EventSource, LaunchCounts, WarpCounts, count_source, measure_source, side_by_side};
use raywarp_traverse::{Kernel, RayDump, Replay};

/// Dumps of the rays' operations, for each kind of rays and view.
pub(super) type Dumps = Vec<Vec<RayDump>>;

/// Kernels of a request, by index, whose rays walk the tree alike; one whose walk cannot be dumped is alone.
pub(super) struct Group {
    /// Variant that stands for the walk of all of them; `None` if it cannot be dumped.
    pub walk: Option<Variant>,
    /// Indices of the kernels in order, at least one.
    pub rows: Vec<usize>,
}

/// Groups all variants by their walk, in the order of each group's first.
pub(super) fn groups(variants: &[Variant]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (row, variant) in variants.iter().enumerate() {
        let walk = RayDump::walk_of(variant).ok();
        match groups.iter_mut().find(|group| group.walk.is_some() && group.walk == walk) {
            Some(group) => group.rows.push(row),
            None => groups.push(Group { walk, rows: vec![row] }),
        }
    }
    groups
}

impl Group {
    /// Returns a group of a walk without any kernels.
    pub fn alone(walk: &Variant) -> Self {
        Self { walk: Some(*walk), rows: Vec::new() }
    }

    /// Returns `true` if the rays' operations are needed more than once, and not only the number of nodes that they
    /// need.
    pub fn is_worth_a_dump(&self, request: &EfficiencyRequest) -> bool {
        let rows = || self.rows.iter().map(|&row| &request.variants[row]);
        // One of those that only differ in their supplies tells what the others do.
        let mut kernels: Vec<Variant> = Vec::new();
        for variant in rows().filter(|variant| Replay::walk_of(variant).is_ok()) {
            let kernel = side_by_side(variant).unwrap_or(*variant);
            if !kernels.contains(&kernel) {
                kernels.push(kernel);
            }
        }
        let replays = kernels.len() * request.widths.len();
        let needed = rows().any(|variant| without_postponing(variant).is_some());
        replays > 0 && replays + usize::from(needed) > 1
    }

    /// Returns the dumps of the rays' operations for all views, if they are [worth it](Group::is_worth_a_dump).
    pub fn dumps(
        &self,
        request: &EfficiencyRequest,
        bvh: &Bvh2,
        triangles: &FlatTriangles,
        samples: &Samples,
        control: &Control<'_>,
    ) -> Result<Option<Dumps>, SimulateError> {
        if !self.is_worth_a_dump(request) {
            return Ok(None);
        }
        self.write_down(bvh, triangles, samples, control)
    }

    /// Dumps the operations of the rays of all views; `None` where the walk cannot be dumped.
    pub fn write_down(
        &self,
        bvh: &Bvh2,
        triangles: &FlatTriangles,
        samples: &[(TracedRays, Vec<Vec<Ray>>)],
        control: &Control<'_>,
    ) -> Result<Option<Dumps>, SimulateError> {
        let Some(walk) = self.walk else { return Ok(None) };
        let kernel = Kernel::new(&walk, bvh, triangles)?;
        let mut dumps = Dumps::new();
        for (kind, views) in samples {
            if control.is_cancelled() {
                return Err(TraceError::Cancelled.into());
            }
            let dump = |rays: &Vec<_>| RayDump::record(&kernel, rays, &[], query_of(*kind));
            dumps.push(views.iter().map(dump).collect::<Result<_, _>>()?);
        }
        Ok(Some(dumps))
    }
}

/// Sources of a variant's events over all rays: traced, or replayed from dumps.
pub(super) struct Runs<'a> {
    samples: &'a Samples,
    variant: Variant,
    how: How<'a>,
}

enum How<'a> {
    Replay(&'a Dumps),
    Run(Box<Kernel>),
}

impl<'a> Runs<'a> {
    pub fn new(
        variant: &Variant,
        bvh: &Bvh2,
        triangles: &FlatTriangles,
        samples: &'a Samples,
        dumps: Option<&'a Dumps>,
    ) -> Result<Self, SimulateError> {
        let how = match dumps.filter(|_| Replay::walk_of(variant).is_ok()) {
            Some(dumps) => How::Replay(dumps),
            None => How::Run(Box::new(Kernel::new(variant, bvh, triangles)?)),
        };
        Ok(Self { samples, variant: *variant, how })
    }

    /// Returns the rays of the kind with index `number`, for each view.
    pub fn sources(&self, number: usize) -> Result<Vec<EventSource<'_>>, SimulateError> {
        let (kind, views) = &self.samples[number];
        let source = |(view, rays): (usize, &'a Vec<Ray>)| {
            Ok(match &self.how {
                How::Replay(dumps) => EventSource::Replay(Replay::new(&self.variant, &dumps[number][view])?),
                How::Run(kernel) => EventSource::Run { kernel, rays, after: &[], query: query_of(*kind) },
            })
        };
        views.iter().enumerate().map(source).collect()
    }

    /// Counts events as `Runs::counts` does, with what tables of costs need as well.
    pub fn tallied(&self, number: usize, width: u32) -> Result<LaunchCounts, SimulateError> {
        let sources = self.sources(number)?;
        let add = |sum: LaunchCounts, source| Ok(sum.plus(&count_source(source, width)?));
        sources.iter().try_fold(LaunchCounts::new(width), add)
    }

    /// Counts the events of warps of `width` lanes, for the rays of the kind with index `number` over all views.
    pub fn counts(&self, number: usize, width: u32) -> Result<WarpCounts, SimulateError> {
        let sources = self.sources(number)?;
        let add = |sum: WarpCounts, source| Ok(sum.plus(&measure_source(source, width)?));
        sources.iter().try_fold(WarpCounts::new(width), add)
    }
}

/// Returns the variant without a postpone buffer; `None` if it has none.
pub(super) fn without_postponing(variant: &Variant) -> Option<Variant> {
    let speculative = variant.traversal_loop().is_speculative() && variant.postpone() > 0;
    speculative.then(|| variant.with(Key::Postpone, "0").ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_walk_alike_are_one_group_and_others_are_alone() {
        let names = ["al09-while-while", "al09-wide8", "al09-packet", "al09-queue", "watertight", "al09-wide8"];
        let variants = names.map(|name| name.parse().unwrap());
        let rows: Vec<Vec<usize>> = groups(&variants).into_iter().map(|group| group.rows).collect();
        assert_eq!(rows, [vec![0, 2, 3], vec![1], vec![4], vec![5]]);
    }
}
