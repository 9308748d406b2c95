//! The walk of one ray through two levels: a tree over placements, and in each placement that it meets a tree of
//! triangles.

use super::custom::Customs;
use super::order::ChildOrder;
use super::place::{InPlace, Place};
use super::single::{Leaves, Triangles, pop, walk};
use super::walk::{END, Walker};
use crate::batch::Task;
use crate::levels::{LevelsTracer, WorldRay};
use crate::probe::Probe;
use crate::query::Query;
use crate::ray::WalkRay;
use crate::sink::{Sink, Within};
use crate::tracer::Encoding;
use raywarp_lanes::TaskOn;
use raywarp_layout::Wide8;

/// Task that asks one ray its query of two levels.
pub(super) struct Levels<'a, 'r, K, P> {
    pub scene: &'a LevelsTracer,
    pub ray: &'r WorldRay<'r>,
    pub query: Within<'a, K, P>,
}

impl<'a, S: ChildOrder, K: Sink, P: Probe> TaskOn<S> for Levels<'a, '_, K, P> {
    type Output = Within<'a, K, P>;

    #[inline(always)]
    fn run_on(self, set: S) -> Self::Output {
        let Self { scene, ray, query } = self;
        let top = &scene.top;
        let task = Task { index: 0, ray: ray.walk, query };
        let base = top.nodes().as_ptr().cast();
        // SAFETY: the tree is not empty (`walk_levels`), and the leaves are its own.
        unsafe { walk(set, base, top.stack_depth(), task, &Placements { scene, ray }) }
    }
}

/// Leaves of placements.
struct Placements<'a, 'r> {
    scene: &'a LevelsTracer,
    ray: &'r WorldRay<'r>,
}

impl<'a, K: Sink, P: Probe> Leaves<Within<'a, K, P>> for Placements<'a, '_> {
    #[inline(always)]
    unsafe fn visit<S: ChildOrder>(
        &self,
        set: S,
        _: *const u8,
        walker: &mut Walker<Within<'a, K, P>>,
        reference: u32,
    ) -> u32 {
        let Self { scene, ray } = *self;
        for item in scene.top.items(reference) {
            let placed = &scene.placed[item as usize];
            let tracer = &*scene.trees[placed.tree as usize];
            if let Encoding::Custom(custom) = &tracer.encoding {
                if !custom.boxes.nodes().is_empty() {
                    let mut query = walker.task.query;
                    query.enter_custom(placed.base);
                    query = match &placed.moved {
                        None => set.enter(Customs { custom, walk: ray.walk, ray: ray.ray, power: 1.0, query }),
                        Some(moved) => {
                            let (walk, local) = ray.placed(placed, moved, custom.boxes.bounds());
                            set.enter(Customs { custom, walk, ray: &local, power: ray.power, query })
                        }
                    };
                    walker.task.query = query;
                    if query.is_decided() {
                        return END;
                    }
                }
                continue;
            }
            let Some(tree) = tracer.wide8().filter(|tree| !tree.lines().is_empty()) else { continue };
            let mut query = walker.task.query;
            query.enter(&tracer.ids, &tracer.split, placed.base);
            query = match &placed.moved {
                None => set.enter(Inner { tree, ray: ray.walk, place: &InPlace, query }),
                Some(moved) => {
                    let (ray, _) = ray.placed(placed, moved, tree.bounds());
                    set.enter(Inner { tree, ray, place: &moved.to_world, query })
                }
            };
            walker.task.query = query;
            if query.is_decided() {
                return END;
            }
        }
        if K::ORDERED {
            walker.limit = ray.walk.box_high(walker.task.query.limit());
        }
        // SAFETY: the bottom of the stack is not too far.
        unsafe { pop(walker) }
    }
}

/// Task that walks a ray through a tree, which is not empty.
pub(super) struct Inner<'a, Q, M> {
    pub tree: &'a Wide8,
    pub ray: WalkRay,
    pub place: &'a M,
    pub query: Q,
}

impl<S: ChildOrder, Q: Query, M: Place> TaskOn<S> for Inner<'_, Q, M> {
    type Output = Q;

    #[inline(always)]
    fn run_on(self, set: S) -> Q {
        let Self { tree, ray, place, query } = self;
        let base = tree.lines().as_ptr().cast();
        // SAFETY: the leaves are those of the tree, which is not empty.
        unsafe { walk(set, base, tree.stack_depth(), Task { index: 0, ray, query }, &Triangles(place)) }
    }
}
