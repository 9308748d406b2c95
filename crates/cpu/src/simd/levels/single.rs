//! The walk of one ray through two levels: a tree over placements, and in each placement that it meets a tree of
//! triangles.

use crate::ids::LentIds;
use crate::levels::{LevelsTracer, Motion, Moved, Placed, ROOT, Then, WorldRay};
use crate::probe::Probe;
use crate::query::{OfRange, Query, Range};
use crate::ray::WalkRay;
use crate::simd::custom::Customs;
use crate::simd::order::ChildOrder;
use crate::simd::place::{InPlace, Place};
use crate::simd::single::{Asking, Leaves, Triangles, Visited, walk_of};
use crate::simd::usual::Usual;
use crate::sink::{OfTree, Reply, Sink, Within};
use crate::tracer::Encoding;
use raywarp_geom::{HitKey, Ray};
use raywarp_lanes::TaskOn;
use raywarp_layout::Wide8;

/// Task that asks one ray its question of two levels.
pub(in crate::simd) struct Levels<'a, 'r, K, P> {
    pub scene: &'a LevelsTracer,
    pub ray: &'r Ray,
    pub time: f32,
    /// Key that hits must come after.
    pub after: HitKey,
    pub question: OfTree<'a, K, P>,
}

impl<'a, K: Sink, P: Probe> Levels<'a, '_, K, P> {
    /// Asks the prepared ray, a usual one where that is known.
    #[inline(always)]
    fn ask<S: ChildOrder>(self, set: S, walk: &WalkRay, usual: Option<Usual<S::F4>>) -> Option<Reply<K, P>> {
        let Self { scene, ray, time, after, question } = self;
        let top = &scene.top;
        // Nothing comes after a NaN.
        if after.t.is_nan() || top.nodes().is_empty() {
            return None;
        }
        let mut query = question.of_range(Range { low: walk.t_low, high: walk.t_high, after, ids: LentIds::NONE });
        let base = top.nodes().as_ptr().cast();
        let leaves = Placements { scene, ray: WorldRay::new(ray, walk, time), usual };
        // SAFETY: the tree is not empty, and the leaves are its own.
        unsafe { walk_of(set, (base, ROOT), top.stack_depth(), usual, (walk, &mut query), &leaves) };
        OfTree::answer(&query)
    }
}

impl<S: ChildOrder, K: Sink, P: Probe> TaskOn<S> for Levels<'_, '_, K, P> {
    type Output = Option<Reply<K, P>>;

    #[inline(always)]
    fn run_on(self, set: S) -> Self::Output {
        let Some(usual) = Usual::<S::F4>::new(set, self.ray, self.scene.top.bounds()) else {
            return set.enter(Unusual(self));
        };
        let prepared = usual.prepared(self.ray, &self.after);
        self.ask(set, &prepared, Some(usual))
    }
}

/// Task that asks a ray of unusual numbers its question of two levels.
struct Unusual<'a, 'r, K, P>(Levels<'a, 'r, K, P>);

impl<S: ChildOrder, K: Sink, P: Probe> TaskOn<S> for Unusual<'_, '_, K, P> {
    type Output = Option<Reply<K, P>>;

    #[inline(always)]
    fn run_on(self, set: S) -> Self::Output {
        let Self(levels) = self;
        let prepared = WalkRay::new(levels.ray, &levels.after, levels.scene.top.bounds())?;
        levels.ask(set, &prepared, None)
    }
}

/// Leaves of placements.
struct Placements<'a, 'r, S: ChildOrder> {
    scene: &'a LevelsTracer,
    ray: WorldRay<'r>,
    /// What is known of the ray if it is a usual one.
    usual: Option<Usual<S::F4>>,
}

impl<'a, S: ChildOrder, K: Sink, P: Probe> Leaves<S, Within<'a, K, P>> for Placements<'a, '_, S> {
    #[inline(always)]
    unsafe fn visit(
        &self,
        set: S,
        _: *const u8,
        (_, query): Asking<'_, Within<'a, K, P>>,
        limit: &mut f32,
        reference: u32,
    ) -> Visited {
        let Self { scene, ray, .. } = self;
        for item in scene.top.items(reference) {
            let (index, start) = scene.item(item);
            let placed = &scene.placed[index as usize];
            match &placed.motion {
                Some(motion) if ray.time > 0.0 => self.moving(set, placed, motion, query),
                _ => self.meet(set, (placed, start), placed.moved.as_deref(), query),
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

impl<'a, S: ChildOrder> Placements<'a, '_, S> {
    /// Asks a placement that stands still, where `moved` has it, or the part of it that `start` names.
    #[inline(always)]
    fn meet<K: Sink, P: Probe>(
        &self,
        set: S,
        (placed, start): (&Placed, u32),
        moved: Option<&Moved>,
        query: &mut Within<'a, K, P>,
    ) {
        let Self { scene, ray, usual } = self;
        let tracer = &*scene.trees[placed.tree as usize];
        if let Encoding::Custom(custom) = &tracer.encoding {
            if custom.boxes.nodes().is_empty() {
                return;
            }
            query.enter_custom(placed.base);
            query.probe().enter_instance();
            match moved {
                None => set.enter(Customs { custom, walk: ray.walk, ray: ray.ray, power: 1.0, query }),
                Some(moved) => {
                    let (walk, local) = ray.placed(placed, moved, custom.boxes.bounds());
                    set.enter(Customs { custom, walk: &walk, ray: &local, power: ray.power, query });
                }
            }
            leave(query);
            return;
        }
        let Some(tree) = tracer.wide8().filter(|tree| !tree.lines().is_empty()) else { return };
        query.enter(tracer.ids.lent(), &tracer.split, placed.base);
        query.probe().enter_instance();
        match moved {
            None => set.enter(Inner { tree, start, ray: ray.walk, usual: *usual, place: &InPlace, query }),
            Some(moved) => set.enter(Local { tree, start, ray, placed, moved, query }),
        }
        leave(query);
    }

    /// Asks a placement that moves: it stands still for the ray, where it is at its time. Apart, so that those who ask
    /// scenes in which nothing moves do not pay for it.
    #[cold]
    #[inline(never)]
    fn moving<K: Sink, P: Probe>(&self, set: S, placed: &Placed, motion: &Motion, query: &mut Within<'a, K, P>) {
        match motion.at(self.ray.time) {
            Then::Unseen => {}
            Then::InPlace => self.meet(set, (placed, ROOT), None, query),
            Then::Moved(moved) => self.meet(set, (placed, ROOT), Some(&moved), query),
            Then::Whole(map) => {
                let tracer = &*self.scene.trees[placed.tree as usize];
                let Some(tree) = tracer.wide8().filter(|tree| !tree.lines().is_empty()) else { return };
                query.enter(tracer.ids.lent(), &tracer.split, placed.base);
                query.probe().enter_instance();
                let ray = &self.ray.walk.through_all();
                set.enter(Inner { tree, start: ROOT, ray, usual: None, place: &map, query });
                leave(query);
            }
        }
    }
}

/// Counts that a ray leaves the placement that it has walked, unless it ended there.
#[inline(always)]
fn leave<Q: Query>(query: &mut Q) {
    if Q::Probe::COUNTS && !query.is_decided() {
        query.probe().leave_instance();
    }
}

/// Task that walks a ray through a tree, which is not empty, or through a part of it.
struct Inner<'q, S: ChildOrder, Q, M> {
    tree: &'q Wide8,
    /// Child reference of the tree at which it begins.
    start: u32,
    ray: &'q WalkRay,
    /// What is known of the ray if it is a usual one.
    usual: Option<Usual<S::F4>>,
    place: &'q M,
    query: &'q mut Q,
}

impl<S: ChildOrder, Q: Query, M: Place> TaskOn<S> for Inner<'_, S, Q, M> {
    type Output = ();

    #[inline(always)]
    fn run_on(self, set: S) {
        let Self { tree, start, ray, usual, place, query } = self;
        let base = tree.lines().as_ptr().cast();
        // SAFETY: the leaves are those of the tree, which is not empty, and `start` is its own.
        unsafe { walk_of(set, (base, start), tree.stack_depth(), usual, (ray, query), &Triangles(place)) }
    }
}

/// Task that takes a ray to a placed tree, which is not empty, and walks it there, or through a part of it.
struct Local<'q, 'r, Q> {
    tree: &'q Wide8,
    /// Child reference of the tree at which it begins.
    start: u32,
    ray: &'q WorldRay<'r>,
    placed: &'q Placed,
    moved: &'q Moved,
    query: &'q mut Q,
}

impl<S: ChildOrder, Q: Query> TaskOn<S> for Local<'_, '_, Q> {
    type Output = ();

    #[inline(always)]
    fn run_on(self, set: S) {
        let Self { tree, start, ray, placed, moved, query } = self;
        if ray.power == 1.0 && ray.walk.scale == 1.0 {
            let local = ray.local(placed, moved);
            if let Some(usual) = Usual::<S::F4>::grown(set, &local, tree.bounds()) {
                // Triangles are tested in the world, where `t` is the same: only boxes are the tree's.
                return Inner { tree, start, ray: ray.walk, usual: Some(usual), place: &moved.to_world, query }
                    .run_on(set);
            }
        }
        set.enter(UnusualLocal(Local { tree, start, ray, placed, moved, query }));
    }
}

/// Task of a [`Local`] ray whose numbers are unusual.
struct UnusualLocal<'q, 'r, Q>(Local<'q, 'r, Q>);

impl<S: ChildOrder, Q: Query> TaskOn<S> for UnusualLocal<'_, '_, Q> {
    type Output = ();

    #[inline(always)]
    fn run_on(self, set: S) {
        let Self(Local { tree, start, ray, placed, moved, query }) = self;
        let (ray, _) = ray.placed(placed, moved, tree.bounds());
        Inner { tree, start, ray: &ray, usual: None, place: &moved.to_world, query }.run_on(set);
    }
}
