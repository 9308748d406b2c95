//! Batches of rays through two levels as their walk takes them, and where answers go.

use super::Asking;
use super::query::{Any, Closest};
use super::walked::PlacedJob;
use crate::batch::{Job, Supply, Task};
use crate::one_by_one::OneByOne;
use crate::parts::Places;
use raywarp_geom::{Aabb, Candidate, Hit};

/// Batch of closest-hit queries.
pub(super) struct ClosestJob<'a> {
    pub asking: Asking<'a>,
    pub supply: Supply<'a>,
    pub places: Places<'a>,
}

impl ClosestJob<'_> {
    #[inline(always)]
    fn write(&mut self, index: usize, found: Option<(Hit, u32)>) {
        self.places.write(index, self.supply.rays[index].t_max, found);
    }
}

impl<'a> Job for ClosestJob<'a> {
    type Query = Closest<'a>;

    #[inline(always)]
    fn supply(&self) -> &Supply<'_> {
        &self.supply
    }

    #[inline(always)]
    fn take(&mut self, most: usize) -> std::ops::Range<usize> {
        self.supply.take(most)
    }

    #[inline(always)]
    fn query(&self, low: f32, high: f32) -> Self::Query {
        Closest::new(self.asking, &self.supply.range(low, high))
    }

    #[inline(always)]
    fn prepare(&mut self, index: usize, bounds: &Aabb) -> Option<Task<Self::Query>> {
        if let Some((ray, range)) = self.supply.prepare(index, bounds) {
            return Some(Task { index, ray, query: Closest::new(self.asking, &range) });
        }
        self.write(index, None);
        None
    }

    #[inline(always)]
    fn finish(&mut self, index: usize, query: &Self::Query) {
        if self.asking.is_solid && query.is_on_nothing() {
            return self.alone(index);
        }
        self.write(index, query.found());
    }
}

impl PlacedJob for ClosestJob<'_> {
    #[cold]
    #[inline(never)]
    fn alone(&mut self, index: usize) {
        let found = self.asking.closest(&self.supply.rays[index], self.supply.after_of(index));
        self.write(index, found);
    }
}

/// Batch of any-hit queries.
pub(super) struct AnyJob<'a> {
    pub asking: Asking<'a>,
    pub supply: Supply<'a>,
    /// One bit for each ray, set if something opaque is in its way; clear before the job begins.
    pub blocked: &'a mut [u32],
    /// Receives the first non-opaque hits of rays that no opaque surface blocks, in any order.
    pub undecided: &'a mut Vec<Candidate>,
}

impl<'a> Job for AnyJob<'a> {
    type Query = Any<'a>;

    #[inline(always)]
    fn supply(&self) -> &Supply<'_> {
        &self.supply
    }

    #[inline(always)]
    fn take(&mut self, most: usize) -> std::ops::Range<usize> {
        self.supply.take(most)
    }

    #[inline(always)]
    fn query(&self, low: f32, high: f32) -> Self::Query {
        Any::new(self.asking, &self.supply.range(low, high))
    }

    #[inline(always)]
    fn prepare(&mut self, index: usize, bounds: &Aabb) -> Option<Task<Self::Query>> {
        let (ray, range) = self.supply.prepare(index, bounds)?;
        Some(Task { index, ray, query: Any::new(self.asking, &range) })
    }

    #[inline(always)]
    fn finish(&mut self, index: usize, query: &Self::Query) {
        query.found().write(index, self.blocked, self.undecided);
    }
}

impl PlacedJob for AnyJob<'_> {
    #[cold]
    #[inline(never)]
    fn alone(&mut self, index: usize) {
        let found = self.asking.any(&self.supply.rays[index], self.supply.after_of(index));
        found.write(index, self.blocked, self.undecided);
    }
}
