//! Batches whose rays walk one by one.

use crate::blocked::Blocked;
use crate::parts::{Places, Rays};
use raywarp_geom::{Candidate, Hit, HitKey, Ray, RayCost};

/// Tracer that answers a ray by itself, and so batches of them one by one.
pub(crate) trait OneByOne {
    /// Returns the nearest hit of a ray after `after`, and its instance.
    fn closest(&self, ray: &Ray, after: HitKey) -> Option<(Hit, u32)>;

    /// Returns whether anything after `after` is in a ray's way.
    fn any(&self, ray: &Ray, after: HitKey) -> Blocked;

    /// Counts what the walk of a ray to its nearest hit does.
    fn cost(&self, ray: &Ray) -> RayCost;

    /// Counts what the rays' walks do; returns the number of those that are not valid.
    fn cost_each(&self, rays: &[Ray], costs: &mut [RayCost]) -> u64 {
        rays.iter().zip(costs).for_each(|(ray, cost)| *cost = self.cost(ray));
        invalid(rays)
    }

    /// Answers rays as [`Tracer::closest`](raywarp_geom::Tracer::closest) does; returns the number of those that are
    /// not valid.
    fn closest_each(&self, rays: Rays<'_>, mut places: Places<'_>) -> u64 {
        for (i, ray) in rays.rays.iter().enumerate() {
            places.write(i, ray.t_max, self.closest(ray, rays.after(i)));
        }
        invalid(rays.rays)
    }

    /// Answers rays as [`Tracer::any`](raywarp_geom::Tracer::any) does, whose bits are clear; returns the number of
    /// those that are not valid.
    fn any_each(&self, rays: Rays<'_>, blocked: &mut [u32], undecided: &mut Vec<Candidate>) -> u64 {
        for (i, ray) in rays.rays.iter().enumerate() {
            self.any(ray, rays.after(i)).write(i, blocked, undecided);
        }
        invalid(rays.rays)
    }
}

/// Returns the number of rays that are not valid.
fn invalid(rays: &[Ray]) -> u64 {
    rays.iter().filter(|ray| !ray.is_valid()).count() as u64
}
