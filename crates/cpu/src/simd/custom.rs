//! Leaves of custom geometry: the program intersects what lies there, in the geometry's own space.

use super::order::ChildOrder;
use super::single::{Asking, Leaves, Visited, walk};
use crate::custom::{Custom, TakesCustom};
use crate::levels::ROOT;
use crate::probe::Probe;
use crate::ray::WalkRay;
use raywarp_geom::Ray;
use raywarp_lanes::TaskOn;

/// Largest number of hits of a primitive that a filter leaves out before it is given up: of a geometry that finds one
/// at every `t`.
const MOST_LEFT_OUT: usize = 1000;

/// Task that walks a ray through the tree over a geometry's boxes, which is not empty.
pub(super) struct Customs<'a, 'r, Q> {
    pub custom: &'a Custom,
    /// The ray as the tree's boxes take it.
    pub walk: &'r WalkRay,
    /// The ray in the geometry's space, whose `t` is that of the query times the power.
    pub ray: &'r Ray,
    pub power: f32,
    pub query: &'r mut Q,
}

impl<S: ChildOrder, Q: TakesCustom> TaskOn<S> for Customs<'_, '_, Q> {
    type Output = ();

    #[inline(always)]
    fn run_on(self, set: S) {
        let Self { custom, walk: ray, ray: local, power, query } = self;
        let boxes = &custom.boxes;
        let base = boxes.nodes().as_ptr().cast();
        let leaves = Primitives { custom, ray: local, power };
        // SAFETY: the tree is not empty, as whoever makes the task has seen, and the leaves are its own.
        unsafe { walk(set, (base, ROOT), boxes.stack_depth(), (ray, query), &leaves) }
    }
}

/// Leaves of primitives.
struct Primitives<'a, 'r> {
    custom: &'a Custom,
    ray: &'r Ray,
    power: f32,
}

impl<S: ChildOrder, Q: TakesCustom> Leaves<S, Q> for Primitives<'_, '_> {
    #[inline(always)]
    unsafe fn visit(
        &self,
        _: S,
        _: *const u8,
        (walk, query): Asking<'_, Q>,
        limit: &mut f32,
        reference: u32,
    ) -> Visited {
        for primitive in self.custom.of_leaf(reference) {
            query.probe().triangles(|| 1);
            let mut ray = self.ray.with_interval(query.low() * self.power, query.limit() * self.power);
            // Behind a hit that a filter leaves out there may be another of the same primitive.
            for _ in 0..MOST_LEFT_OUT {
                let Some(hit) = self.custom.geometry.intersect(primitive, &ray) else { break };
                // One before the interval would be found again and again.
                let is_left_out = query.offer_custom(&hit, hit.t / self.power, primitive);
                if !is_left_out || hit.t < ray.t_min {
                    break;
                }
                ray.t_min = hit.t.next_up();
            }
            if query.is_decided() {
                return Visited::Decided;
            }
        }
        if Q::ORDERED {
            *limit = walk.box_high(query.limit());
        }
        Visited::Done
    }
}
