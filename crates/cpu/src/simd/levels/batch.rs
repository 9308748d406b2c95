//! The walk of a batch of rays through two levels, several interleaved as in a flat tree ([`walk_all`]).
//!
//! A ray stands in the tree over the placements, with boxes in the world, or in the tree of a placement, with boxes in
//! that tree's space. `t` is the same in both. So one stack holds what it has put aside above, a mark, and behind that
//! what it has put aside in the placement: a nearer hit drops what lies behind it in both, and to leave is to pop the
//! mark.
//!
//! Rays stand in three queues: those that visit a node, of whichever tree; those at a block of triangles, which only
//! placements have; and those at a gate. These come to a leaf of the tree over the placements, and enter one; or to the
//! mark, and leave; or to the end.
//!
//! What is unusual ends its walk and begins again by itself: rays and placements where `t` cannot be the distance to
//! boxes in f32.
//!
//! [`walk_all`]: crate::simd::walk::walk_all

use crate::batch::Task;
use crate::levels::{LevelsTracer, LocalRay, PlacedJob, PlacedQuery, WorldRay};
use crate::ray::{OVERFLOWING_REACH, WalkRay, origins};
use crate::simd::custom::Customs;
use crate::simd::group::{GROUP, Group};
use crate::simd::order::{ChildOrder, bound, child, entry};
use crate::simd::place::InPlace;
use crate::simd::queue::{INTERLEAVED, Queue, ROOM, sort_out};
use crate::simd::single::Deep;
use crate::simd::usual::{Usual, three};
use crate::simd::walk::{END, Walker, address, fetch, rows, stack_length, visit_leaf, visit_node};
use crate::tracer::Encoding;
use raywarp_geom::{Aabb, Affine, PaddedRay, Ray};
use raywarp_lanes::TaskOn;
use raywarp_layout::LEAF;
use std::mem::MaybeUninit;

/// Scales of box distances that can be taken out of them: with a [`REACH`] like this nothing overflows, and what
/// underflows is far below what boxes are padded by.
const SCALES: [f32; 2] = [1.0 / (1 << 20) as f32, (1 << 20) as f32];

/// Reach of a ray of such a scale: 2^-60, and what the triangle test takes.
const REACH: [f32; 2] = [1.0 / (1u64 << 60) as f32, OVERFLOWING_REACH];

/// What a ray's box tests need of a space.
#[derive(Clone, Copy)]
struct Boxes {
    near_origin: [f32; 3],
    far_origin: [f32; 3],
    inverse: [f32; 3],
}

impl Boxes {
    #[inline(always)]
    fn of(ray: &WalkRay) -> Self {
        Self { near_origin: ray.near_origin, far_origin: ray.far_origin, inverse: ray.inverse }
    }
}

/// Traversal state of a ray in two levels.
#[repr(align(64))]
struct Traveller<Q> {
    /// The ray, with the boxes of the space in which it is.
    walker: Walker<Q>,
    /// Start of the tree in which it is.
    base: *const u8,
    /// All ones in the tree over the placements, whose leaves are gates; 0 in a placement.
    above: u32,
    /// Map to the world of the placement in which it is; null if its corners are there already.
    map: *const Affine,
    /// The ray's boxes in the world.
    world: Boxes,
}

/// Where a ray is behind a gate.
enum Passed {
    AtNode,
    /// At triangles of a placement.
    AtLeaf,
    /// At its end.
    Over,
    /// The ray has to walk by itself.
    Alone,
}

/// What came of entering a placement.
enum Entered {
    /// The ray is in its tree, at this reference.
    Tree(u32),
    /// There is nothing more to do in it.
    Nothing,
    /// The ray has to walk by itself.
    Alone,
}

impl<Q: PlacedQuery> Traveller<Q> {
    /// Starts a ray's traversal above.
    ///
    /// # Safety
    /// `stack` has room for an entry.
    #[inline(always)]
    unsafe fn new(task: Task<Q>, base: *const u8, stack: *mut u64) -> Self {
        let world = Boxes::of(&task.ray);
        // SAFETY: the caller's promise.
        let walker = unsafe { Walker::new(task, base, stack) };
        Self { walker, base, above: u32::MAX, map: std::ptr::null(), world }
    }

    /// Makes boxes those of a space.
    #[inline(always)]
    fn set_boxes(&mut self, Boxes { near_origin, far_origin, inverse }: Boxes) {
        let ray = &mut self.walker.task.ray;
        (ray.near_origin, ray.far_origin, ray.inverse) = (near_origin, far_origin, inverse);
        [self.walker.enter, self.walker.leave] = rows(inverse);
    }

    /// Visits the node at which the ray is; returns the reference of what it visits next, [`END`] if that is a gate.
    ///
    /// # Safety
    /// It is at one, with the stack that [`walk_batch`] gives it.
    #[inline(always)]
    unsafe fn visit_node<S: ChildOrder>(&mut self, set: S) -> u32 {
        // SAFETY: the caller's promise.
        let next = unsafe { visit_node(set, self.base, &mut self.walker) };
        next | (next & LEAF).wrapping_neg() & self.above
    }

    /// Visits the leaf of triangles at which the ray is; returns the reference of what it visits next, [`END`] if that
    /// is a gate.
    ///
    /// # Safety
    /// As [`Traveller::visit_node`].
    #[inline(always)]
    unsafe fn visit_leaf<S: ChildOrder>(&mut self, set: S) -> u32 {
        // SAFETY: the caller's promise; the map is the placement's, which outlives the walk.
        unsafe {
            match self.map.as_ref() {
                None => visit_leaf(set, self.base, &mut self.walker, &InPlace),
                Some(map) => visit_leaf(set, self.base, &mut self.walker, map),
            }
        }
    }

    /// Returns the reference above that the ray at a gate comes to; [`END`] if its query is decided. It leaves the
    /// placement in which it was, but for its boxes.
    ///
    /// # Safety
    /// It is at a gate: what it popped last stands behind its stack's end.
    #[inline(always)]
    unsafe fn at_gate(&mut self) -> u32 {
        if self.walker.task.query.is_decided() {
            return END;
        }
        // SAFETY: below a mark is an entry, the bottom at least.
        unsafe {
            if self.above == 0 {
                self.above = u32::MAX;
                self.walker.top = self.walker.top.sub(1);
            }
            child(self.walker.top)
        }
    }

    /// Goes on above from a reference that [`Traveller::at_gate`] has returned, through placements in which there is
    /// nothing to do.
    ///
    /// # Safety
    /// The stack is as long as [`walk_batch`] makes it.
    #[inline(always)]
    unsafe fn pass<S: ChildOrder>(&mut self, set: S, scene: &LevelsTracer, ray: &Ray, mut reference: u32) -> Passed {
        let top = &scene.top;
        loop {
            if reference == END {
                return Passed::Over;
            }
            if reference & LEAF == 0 {
                self.set_boxes(self.world);
                self.base = top.nodes().as_ptr().cast();
                self.walker.record = address(self.base, reference);
                return Passed::AtNode;
            }
            let (item, others) = top.first_item(reference);
            // SAFETY: there is room for an entry, and below the end of the stack is one.
            unsafe {
                if let Some(others) = others {
                    self.put_aside(others);
                }
                match self.enter(set, scene, ray, scene.item(item)) {
                    Entered::Tree(start) if start & LEAF == 0 => return Passed::AtNode,
                    Entered::Tree(_) => return Passed::AtLeaf,
                    Entered::Alone => return Passed::Alone,
                    Entered::Nothing => {
                        self.walker.top = self.walker.top.sub(1);
                        reference = self.at_gate();
                    }
                }
            }
        }
    }

    /// Puts a reference aside that is never too far.
    ///
    /// # Safety
    /// The stack has room for an entry.
    #[inline(always)]
    unsafe fn put_aside(&mut self, reference: u32) {
        // SAFETY: the caller's promise.
        unsafe {
            *self.walker.top = entry(f32::NEG_INFINITY, reference);
            self.walker.top = self.walker.top.add(1);
        }
    }

    /// Enters a placement, or the part of it that `start` names. The boxes are those of any space before.
    ///
    /// # Safety
    /// The stack is as long as [`walk_batch`] makes it; the ray is above.
    #[inline(always)]
    unsafe fn enter<S: ChildOrder>(
        &mut self,
        set: S,
        scene: &LevelsTracer,
        ray: &Ray,
        (index, start): (u32, u32),
    ) -> Entered {
        let placed = &scene.placed[index as usize];
        let tracer = &*scene.trees[placed.tree as usize];
        self.walker.task.query.enter(index);
        let Encoding::Wide8(tree) = &tracer.encoding else {
            set.enter(AtCustom { traveller: self, scene, ray, index });
            return Entered::Nothing;
        };
        if tree.lines().is_empty() {
            return Entered::Nothing;
        }
        if tree.stack_depth() > scene.deepest {
            return Entered::Alone;
        }
        match placed.moved.as_deref() {
            None => {
                self.set_boxes(self.world);
                self.map = std::ptr::null();
            }
            Some(moved) => {
                let local = WorldRay::new(ray, &self.walker.task.ray, 0.0).local(placed, moved);
                let Some(boxes) = local_boxes(set, &local, tree.bounds()) else { return Entered::Alone };
                self.set_boxes(boxes);
                self.map = &moved.to_world;
            }
        }
        self.above = 0;
        self.base = tree.lines().as_ptr().cast();
        // SAFETY: the caller's promise: there is room for the mark.
        unsafe { self.put_aside(END) };
        self.walker.record = address(self.base, start);
        fetch(set, self.walker.record);
        Entered::Tree(start)
    }
}

/// Returns the boxes of a ray in a tree's space; `None` if it is unusual there.
#[inline(always)]
fn local_boxes<S: ChildOrder>(set: S, local: &LocalRay, bounds: &Aabb) -> Option<Boxes> {
    let Some(usual) = Usual::<S::F4>::grown(set, local, bounds) else { return unusual_boxes(local, bounds) };
    Some(Boxes {
        near_origin: three(usual.near_origin),
        far_origin: three(usual.far_origin),
        inverse: three(usual.inverse),
    })
}

/// As [`local_boxes`], of a ray that is not usual.
#[cold]
#[inline(never)]
fn unusual_boxes(local: &LocalRay, bounds: &Aabb) -> Option<Boxes> {
    let LocalRay { origin, direction, growth } = *local;
    let padded = by_t(PaddedRay::grown(&Ray::new(origin, direction), bounds, growth))?;
    let [near_origin, far_origin] = origins(&padded);
    Some(Boxes { near_origin, far_origin, inverse: padded.inverse })
}

/// Returns the ray with distances to boxes that are its `t`, if they can be.
fn by_t(padded: PaddedRay) -> Option<PaddedRay> {
    let is_within = |x: f32, [low, high]: [f32; 2]| low <= x && x <= high;
    if padded.scale == 1.0 {
        // Beyond f32 boxes are at infinity.
        return (padded.reach < f32::MAX).then_some(padded);
    }
    // The scale is a power of two.
    (is_within(padded.scale, SCALES) && is_within(padded.reach, REACH)).then(|| PaddedRay {
        inverse: padded.inverse.map(|x| x / padded.scale),
        scale: 1.0,
        ..padded
    })
}

/// Task that walks a ray through custom geometry, where it stays above.
struct AtCustom<'a, 'r, Q> {
    traveller: &'r mut Traveller<Q>,
    scene: &'a LevelsTracer,
    ray: &'r Ray,
    /// Index of the placement.
    index: u32,
}

impl<S: ChildOrder, Q: PlacedQuery> TaskOn<S> for AtCustom<'_, '_, Q> {
    type Output = ();

    #[inline(always)]
    fn run_on(self, set: S) {
        let Self { traveller, scene, ray, index } = self;
        let placed = &scene.placed[index as usize];
        let Encoding::Custom(custom) = &scene.trees[placed.tree as usize].encoding else { return };
        if custom.boxes.nodes().is_empty() {
            return;
        }
        traveller.set_boxes(traveller.world);
        let Walker { task, .. } = &mut traveller.walker;
        match placed.moved.as_deref() {
            None => set.enter(Customs { custom, walk: &task.ray, ray, power: 1.0, query: &mut task.query }),
            Some(moved) => {
                let (walk, local) = WorldRay::new(ray, &task.ray, 0.0).placed(placed, moved, custom.boxes.bounds());
                set.enter(Customs { custom, walk: &walk, ray: &local, power: 1.0, query: &mut task.query });
            }
        }
        let walker = &mut traveller.walker;
        if Q::ORDERED {
            walker.limit = walker.task.ray.box_high(walker.task.query.limit());
            // SAFETY: the stack reaches up to `top`, and has room behind it.
            unsafe {
                let height = walker.top.offset_from_unsigned(walker.stack);
                walker.top = walker.stack.add(set.drop_farther(walker.stack, height, bound(walker.limit)));
            }
        }
    }
}

/// Traces every ray of `job` through the scene at time 0.
#[inline(always)]
pub(in crate::simd) fn walk_batch<S: ChildOrder, J: PlacedJob>(set: S, scene: &LevelsTracer, job: &mut J) {
    let top = &scene.top;
    let bounds = top.bounds();
    if top.nodes().is_empty() {
        while let Some(task) = job.next(bounds) {
            job.finish(task.index, &task.query);
        }
        return;
    }
    let base = top.nodes().as_ptr().cast::<u8>();
    // Between what is put aside above and in a placement stands the mark.
    let depth = stack_length(top.stack_depth() + 1 + scene.deepest);
    let mut stacks = Deep::long(INTERLEAVED * depth);
    let mut travellers = [const { MaybeUninit::<Traveller<J::Query>>::uninit() }; INTERLEAVED];
    let (mut at_node, mut at_leaf, mut at_gate) = (Queue::EMPTY, Queue::EMPTY, Queue::EMPTY);
    // What those of the queue that was visited visit next.
    let mut next_records = [0; ROOM];
    let mut group = Group::new();
    // SAFETY: each ray has a stack of its own, as long as the trees say; travellers stay where they are while the
    // queues point to them, each in at most one queue; there are at most `INTERLEAVED` of them.
    unsafe {
        for (stack, traveller) in stacks.all().chunks_exact_mut(depth).zip(&mut travellers) {
            let Some(task) = next(set, bounds, job, &mut group) else { break };
            at_node.push((at_node.len * size_of::<Traveller<J::Query>>()) as u32);
            traveller.write(Traveller::new(task, base, stack.as_mut_ptr().cast()));
        }
        let travellers: *mut Traveller<J::Query> = travellers.as_mut_ptr().cast();
        while at_node.len + at_leaf.len > 0 {
            while at_node.len > at_leaf.len + at_gate.len {
                for i in 0..at_node.len {
                    let traveller = &mut *travellers.byte_add(*at_node.walkers.get_unchecked(i) as usize);
                    *next_records.get_unchecked_mut(i) = traveller.visit_node(set);
                }
                sort_out::<_, false>(set, &next_records, &mut at_node, &mut at_leaf, &mut at_gate);
            }
            for i in 0..at_leaf.len {
                let traveller = &mut *travellers.byte_add(*at_leaf.walkers.get_unchecked(i) as usize);
                *next_records.get_unchecked_mut(i) = traveller.visit_leaf(set);
            }
            sort_out::<_, true>(set, &next_records, &mut at_leaf, &mut at_node, &mut at_gate);
            let count = std::mem::take(&mut at_gate.len);
            for i in 0..count {
                let traveller = &mut *travellers.byte_add(*at_gate.walkers.get_unchecked(i) as usize);
                let reference = traveller.at_gate();
                *next_records.get_unchecked_mut(i) = reference;
                if reference != END && reference & LEAF != 0 {
                    let (index, _) = scene.item(top.first_item(reference).0);
                    set.prefetch(scene.placed.as_ptr().wrapping_add(index as usize).cast());
                }
            }
            for i in 0..count {
                let place = *at_gate.walkers.get_unchecked(i);
                let traveller = &mut *travellers.byte_add(place as usize);
                let index = traveller.walker.task.index;
                match traveller.pass(set, scene, &job.rays()[index], *next_records.get_unchecked(i)) {
                    Passed::AtNode => {
                        at_node.push(place);
                        continue;
                    }
                    Passed::AtLeaf => {
                        at_leaf.push(place);
                        continue;
                    }
                    Passed::Over => job.finish(index, &traveller.walker.task.query),
                    Passed::Alone => job.alone(index),
                }
                if let Some(task) = next(set, bounds, job, &mut group) {
                    *traveller = Traveller::new(task, base, traveller.walker.stack);
                    at_node.push(place);
                }
            }
        }
    }
}

/// Returns the next ray of `job` that walks beside others; those before it that have to walk by themselves are
/// answered.
#[inline(always)]
fn next<S: ChildOrder, J: PlacedJob>(set: S, bounds: &Aabb, job: &mut J, group: &mut Group) -> Option<Task<J::Query>> {
    loop {
        if group.left == 0 {
            let taken = job.take(GROUP);
            if taken.is_empty() {
                return None;
            }
            group.fill(set, &job.rays()[taken.clone()], taken.start, job.has_keys(), bounds);
        }
        let lane = group.left.trailing_zeros() as usize;
        group.left &= group.left - 1;
        let index = group.first + lane;
        let ray = job.rays()[index];
        let task = if group.is_prepared(lane) {
            let prepared = group.ray(lane, &ray);
            Task { index, query: job.query(prepared.t_low, prepared.t_high), ray: prepared }
        } else {
            let Some(mut task) = job.prepare(index, bounds) else { continue };
            if task.ray.scale != 1.0 {
                let Some(padded) = by_t(PaddedRay::new(&ray, bounds)) else {
                    job.alone(index);
                    continue;
                };
                task.ray = task.ray.with_boxes_of(&padded);
            }
            task
        };
        if WorldRay::new(&ray, &task.ray, 0.0).power == 1.0 {
            return Some(task);
        }
        job.alone(index);
    }
}
