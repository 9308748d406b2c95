//! Counts so far, kept so that nothing is traced that follows from them.

use super::walks::{Dumps, Group, Runs, without_postponing};
use super::{Samples, SimulateError, TracedRays, query_of};
use raywarp_bvh::Bvh2;
use raywarp_family::{Key, Variant};
use raywarp_geom::{Control, FlatTriangles};
use raywarp_sim::{WarpCounts, resupplied, side_by_side, without_idle_options};
use raywarp_traverse::{Code, RayDump};
use std::collections::HashMap;

/// Cache of counts over the rays of `samples`, in one tree or in trees that kernels of a kind share.
pub(super) struct CountCache<'a> {
    samples: &'a Samples,
    /// Counts with the variant that was simulated, by the variant without what does not matter to the rays, by warp
    /// width, and by index of the kind of rays.
    counts: HashMap<(Variant, u32, usize), (Variant, WarpCounts)>,
    /// Number of nodes that the rays of a kind need, by kind of tree walk.
    needed: HashMap<(Variant, usize), u64>,
}

impl<'a> CountCache<'a> {
    pub fn new(samples: &'a Samples) -> Self {
        Self { samples, counts: HashMap::new(), needed: HashMap::new() }
    }

    /// Returns the variant that is simulated for a kernel, and the key of its counts in the cache.
    fn key(&self, variant: &Variant, kind: usize, width: u32) -> (Variant, (Variant, u32, usize)) {
        let variant = without_idle_options(variant, query_of(self.samples[kind].0));
        (variant, (side_by_side(&variant).unwrap_or(variant), width, kind))
    }

    /// Returns the counts of a kernel, if the cache has them or they follow from what it has.
    pub fn counts(&self, variant: &Variant, kind: usize, width: u32) -> Result<Option<WarpCounts>, SimulateError> {
        let (variant, key) = self.key(variant, kind, width);
        let Some((known, counts)) = self.counts.get(&key) else { return Ok(None) };
        if *known == variant {
            return Ok(Some(counts.clone()));
        }
        let (kind, views) = &self.samples[kind];
        let launches: Vec<usize> = views.iter().map(Vec::len).collect();
        Ok(Some(resupplied(counts, known, &variant, &launches, query_of(*kind))?))
    }

    /// Stores the counts of a variant with rays of a kind.
    pub fn add(&mut self, variant: &Variant, kind: usize, counts: &WarpCounts) {
        let (variant, key) = self.key(variant, kind, counts.width);
        self.counts.entry(key).or_insert_with(|| (variant, counts.clone()));
    }

    /// Stores how many nodes the rays of a group's dumps need.
    pub fn add_dumps(&mut self, walk: &Variant, dumps: &Dumps) {
        for (kind, views) in dumps.iter().enumerate() {
            let nodes = views.iter().map(|dump| dump.count(Code::Visit)).sum();
            self.needed.insert((nodes_of(walk, self.samples[kind].0), kind), nodes);
        }
    }

    /// Returns the number of nodes that the rays of a kind (by index) need by themselves, for a variant that may visit
    /// more; `None` for others.
    pub fn needed(
        &mut self,
        variant: &Variant,
        kind: usize,
        bvh: &Bvh2,
        triangles: &FlatTriangles,
        control: &Control<'_>,
    ) -> Result<Option<u64>, SimulateError> {
        let Some(eager) = without_postponing(variant) else { return Ok(None) };
        let Ok(walk) = RayDump::walk_of(&eager) else {
            // Nobody can write it down: it is run.
            let runs = Runs::new(&eager, bvh, triangles, self.samples, None)?;
            return Ok(Some(runs.counts(kind, 32)?.nodes));
        };
        let key = (nodes_of(&walk, self.samples[kind].0), kind);
        if !self.needed.contains_key(&key) {
            let one = &self.samples[kind..=kind];
            let dumps = Group::alone(&key.0).write_down(bvh, triangles, one, control)?;
            let nodes = dumps.iter().flatten().flatten().map(|dump| dump.count(Code::Visit)).sum();
            self.needed.insert(key, nodes);
        }
        Ok(self.needed.get(&key).copied())
    }
}

/// Returns `walk` with defaults for the options that do not matter to which nodes the rays of a kind need.
fn nodes_of(walk: &Variant, kind: TracedRays) -> Variant {
    let fetch = Key::Fetch.default(walk.supply(), walk.tree());
    without_idle_options(&walk.with(Key::Fetch, fetch).unwrap_or(*walk), query_of(kind))
}
