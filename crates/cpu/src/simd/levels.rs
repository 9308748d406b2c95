//! The walk of one ray through two levels: a tree over placements, and in each placement that it meets a tree of
//! triangles.

use super::custom::Customs;
use super::order::ChildOrder;
use super::place::{InPlace, Place};
use super::single::{Asking, Leaves, Triangles, Visited, walk};
use crate::levels::{LevelsTracer, Motion, Moved, Placed, Then, WorldRay};
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
    pub query: &'r mut Within<'a, K, P>,
}

impl<'a, S: ChildOrder, K: Sink, P: Probe> TaskOn<S> for Levels<'a, '_, K, P> {
    type Output = ();

    #[inline(always)]
    fn run_on(self, set: S) {
        let Self { scene, ray, query } = self;
        let top = &scene.top;
        let base = top.nodes().as_ptr().cast();
        // SAFETY: the tree is not empty (`walk_levels`), and the leaves are its own.
        unsafe { walk(set, base, top.stack_depth(), (&ray.walk, query), &Placements { scene, ray }) }
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
        (_, query): Asking<'_, Within<'a, K, P>>,
        limit: &mut f32,
        reference: u32,
    ) -> Visited {
        let Self { scene, ray } = *self;
        for item in scene.top.items(reference) {
            let placed = &scene.placed[item as usize];
            match &placed.motion {
                Some(motion) if ray.time > 0.0 => self.moving(set, placed, motion, query),
                _ => self.meet(set, placed, placed.moved.as_deref(), query),
            }
            if query.is_decided() {
                return Visited::Decided;
            }
        }
        if K::ORDERED {
            *limit = ray.walk.box_high(query.limit());
        }
        Visited::Done
    }
}

impl<'a> Placements<'a, '_> {
    /// Asks a placement that stands still, where `moved` has it.
    #[inline(always)]
    fn meet<S: ChildOrder, K: Sink, P: Probe>(
        &self,
        set: S,
        placed: &Placed,
        moved: Option<&Moved>,
        query: &mut Within<'a, K, P>,
    ) {
        let Self { scene, ray } = *self;
        let tracer = &*scene.trees[placed.tree as usize];
        if let Encoding::Custom(custom) = &tracer.encoding {
            if custom.boxes.nodes().is_empty() {
                return;
            }
            query.enter_custom(placed.base);
            match moved {
                None => set.enter(Customs { custom, walk: &ray.walk, ray: ray.ray, power: 1.0, query }),
                Some(moved) => {
                    let (walk, local) = ray.placed(placed, moved, custom.boxes.bounds());
                    set.enter(Customs { custom, walk: &walk, ray: &local, power: ray.power, query });
                }
            }
            return;
        }
        let Some(tree) = tracer.wide8().filter(|tree| !tree.lines().is_empty()) else { return };
        query.enter(&tracer.ids, &tracer.split, placed.base);
        match moved {
            None => set.enter(Inner { tree, ray: &ray.walk, place: &InPlace, query }),
            Some(moved) => {
                let (ray, _) = ray.placed(placed, moved, tree.bounds());
                set.enter(Inner { tree, ray: &ray, place: &moved.to_world, query });
            }
        }
    }

    /// Asks a placement that moves: it stands still for the ray, where it is at its time. Apart, so that those who ask
    /// scenes in which nothing moves do not pay for it.
    #[cold]
    #[inline(never)]
    fn moving<S: ChildOrder, K: Sink, P: Probe>(
        &self,
        set: S,
        placed: &Placed,
        motion: &Motion,
        query: &mut Within<'a, K, P>,
    ) {
        match motion.at(self.ray.time) {
            Then::Unseen => {}
            Then::InPlace => self.meet(set, placed, None, query),
            Then::Moved(moved) => self.meet(set, placed, Some(&moved), query),
            Then::Whole(map) => {
                let tracer = &*self.scene.trees[placed.tree as usize];
                let Some(tree) = tracer.wide8().filter(|tree| !tree.lines().is_empty()) else { return };
                query.enter(&tracer.ids, &tracer.split, placed.base);
                set.enter(Inner { tree, ray: &self.ray.walk.through_all(), place: &map, query });
            }
        }
    }
}

/// Task that walks a ray through a tree, which is not empty.
pub(super) struct Inner<'q, Q, M> {
    pub tree: &'q Wide8,
    pub ray: &'q WalkRay,
    pub place: &'q M,
    pub query: &'q mut Q,
}

impl<S: ChildOrder, Q: Query, M: Place> TaskOn<S> for Inner<'_, Q, M> {
    type Output = ();

    #[inline(always)]
    fn run_on(self, set: S) {
        let Self { tree, ray, place, query } = self;
        let base = tree.lines().as_ptr().cast();
        // SAFETY: the leaves are those of the tree, which is not empty.
        unsafe { walk(set, base, tree.stack_depth(), (ray, query), &Triangles(place)) }
    }
}
