//! Batches of rays through two levels.

mod job;
mod query;
mod walked;

pub(crate) use walked::{PlacedJob, PlacedQuery};

use super::solid::has_area;
use super::{LevelsTracer, NAME};
use crate::batch::Supply;
use crate::blocked::Blocked;
use crate::filtered::{Asks, cost};
use crate::ids::LentIds;
use crate::one_by_one::OneByOne;
use crate::parts::{self, Places, Rays};
use crate::probe::Off;
use crate::simd;
use crate::sink::{Asked, Nearest, Obstacle};
use job::{AnyJob, ClosestJob};
use raywarp_geom::{BatchStats, Candidate, Control, Hit, HitKey, PrimitiveId, Ray, RayCost, TraceError};
use raywarp_layout::TriangleBlock;

/// Number of rays below which each walks by itself, with the same hits.
const FEW: usize = 8;

/// Scene of two levels as batches ask it.
#[derive(Clone, Copy)]
pub(crate) struct Asking<'a> {
    pub scene: &'a LevelsTracer,
    /// `true` if triangles without area in the world are not there.
    pub is_solid: bool,
}

impl<'a> Asking<'a> {
    fn asked<K>(self, sink: K) -> Asked<'a, K, Off> {
        Asked { accept: if self.is_solid { Some(&has_area) } else { None }, ..Asked::all(sink) }
    }

    /// Finds the nearest hits of a batch as [`Tracer::closest`] does.
    pub fn closest_batch(
        self,
        rays: Rays<'_>,
        places: Places<'_>,
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        parts::closest(NAME, rays, places, control, |rays, places| self.closest_part(rays, places))
    }

    /// Finds what is in the way of the rays of a batch as [`Tracer::any`] does.
    pub fn any_batch(
        self,
        rays: Rays<'_>,
        blocked: &mut [u32],
        undecided: &mut Vec<Candidate>,
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        let trace = |rays: Rays<'_>, blocked: &mut [u32], undecided: &mut Vec<Candidate>| {
            self.any_part(rays, blocked, undecided)
        };
        parts::any(NAME, rays, blocked, undecided, control, trace)
    }

    /// Counts what the rays of a batch do as [`Tracer::cost`] does.
    pub fn cost_batch(
        self,
        rays: &[Ray],
        costs: &mut [RayCost],
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        parts::each(NAME, rays, costs, control, |rays, costs| self.cost_each(rays, costs))
    }

    /// Answers rays as [`OneByOne::closest_each`] does.
    fn closest_part(self, rays: Rays<'_>, places: Places<'_>) -> u64 {
        if rays.rays.len() < FEW {
            return self.closest_each(rays, places);
        }
        let supply = Supply::new(LentIds::NONE, rays.rays, rays.after);
        let mut job = ClosestJob { asking: self, supply, places };
        simd::walk_levels_batch(self.scene, &mut job);
        job.supply.invalid
    }

    /// Answers rays as [`OneByOne::any_each`] does.
    fn any_part(self, rays: Rays<'_>, blocked: &mut [u32], undecided: &mut Vec<Candidate>) -> u64 {
        if rays.rays.len() < FEW {
            return self.any_each(rays, blocked, undecided);
        }
        let supply = Supply::new(LentIds::NONE, rays.rays, rays.after);
        let mut job = AnyJob { asking: self, supply, blocked, undecided };
        simd::walk_levels_batch(self.scene, &mut job);
        job.undecided.sort_unstable_by_key(|candidate| candidate.ray);
        job.supply.invalid
    }

    /// Returns the id that hits on a triangle report, or on a primitive of custom geometry.
    fn id(self, placement: u32, index: u32) -> PrimitiveId {
        let placed = &self.scene.placed[placement as usize];
        let id = self.scene.trees[placed.tree as usize].ids.lent().get(index);
        PrimitiveId { instance: placed.base + id.instance, ..id }
    }

    /// Returns the block at an address, if it is one of a placement's tree.
    fn block(self, placement: u32, address: usize) -> Option<&'a TriangleBlock> {
        let tree = self.scene.trees[self.scene.placed[placement as usize].tree as usize].wide8()?;
        let blocks = tree.blocks();
        blocks.get(address.checked_sub(blocks.as_ptr().addr())? / size_of::<TriangleBlock>())
    }
}

/// Rays that walk by themselves.
impl OneByOne for Asking<'_> {
    fn closest(&self, ray: &Ray, after: HitKey) -> Option<(Hit, u32)> {
        self.scene.ask(ray, after, self.asked(Nearest::default()))?.sink.hit()
    }

    fn any(&self, ray: &Ray, after: HitKey) -> Blocked {
        let found = self.scene.ask(ray, after, self.asked(Obstacle::default()));
        found.map_or(Blocked::No, |found| found.sink.verdict())
    }

    fn cost(&self, ray: &Ray) -> RayCost {
        cost(self.scene, ray)
    }
}

/// Makes a tracer that has `asking` a [`Tracer`](raywarp_geom::Tracer) of batches.
macro_rules! traces_in_two_levels {
    ($tracer:ty) => {
        impl raywarp_geom::Tracer for $tracer {
            fn closest(
                &self,
                rays: &[Ray],
                after: &[HitKey],
                hits: &mut [Hit],
                instances: &mut [u32],
                control: &raywarp_geom::Control<'_>,
            ) -> Result<raywarp_geom::BatchStats, raywarp_geom::TraceError> {
                let (rays, places) = (parts::Rays::new(rays, after), parts::Places { hits, instances });
                self.asking().closest_batch(rays, places, control)
            }

            fn any(
                &self,
                rays: &[Ray],
                after: &[HitKey],
                blocked: &mut [u32],
                undecided: &mut Vec<raywarp_geom::Candidate>,
                control: &raywarp_geom::Control<'_>,
            ) -> Result<raywarp_geom::BatchStats, raywarp_geom::TraceError> {
                self.asking().any_batch(parts::Rays::new(rays, after), blocked, undecided, control)
            }

            fn cost(
                &self,
                rays: &[Ray],
                costs: &mut [raywarp_geom::RayCost],
                control: &raywarp_geom::Control<'_>,
            ) -> Result<raywarp_geom::BatchStats, raywarp_geom::TraceError> {
                self.asking().cost_batch(rays, costs, control)
            }

            fn preferred_batch(&self) -> usize {
                parts::PREFERRED_BATCH
            }
        }
    };
}
pub(super) use traces_in_two_levels;
