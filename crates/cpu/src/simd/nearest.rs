//! The walk of a point: nearest boxes first, eight at a time, and four triangles at a time in the leaves.
//!
//! # How far off a triangle's distance is
//! All is relative to the point and scaled ([`Space`]), with `u = 2^-24`, `d` the distance and `L` the longest edge, so
//! that no corner is farther than `d + L`. Corners are rounded once, `2 u (d + L)`. The edges between them are then
//! those of a triangle whose corners lie that near to the true ones: its distance differs by as much. Of that triangle
//! the foot is a corner plus multiples of edges that end within it, each rounded thrice; how far along an edge it lies
//! does not matter in the first order, since the distance is least there; and the height over the first edge is
//! measured against what lies across that edge, as in `nearest::foot`. Together below `16 u (d + L)`; the bound is
//! twice that, and what tests see is below `4 u (d + L)`. A face whose first edge or height is below `2^-50` is left to
//! its edges, which are as near to all of its points; [`Space::least`] takes that and all underflow.

use super::order::{ChildOrder, bound, child, entry};
use super::place::{InPlace, Place};
use super::single::{Deep, ENTRIES};
use super::walk::{END, address, sort_keys};
use crate::custom::Custom;
use crate::levels::{LevelsTracer, Motion, Moved, Placed, ROOT, Then};
use crate::nearest::{Search, Space, TreeSpace};
use crate::tracer::Encoding;
use raywarp_geom::{Affine64, PrimitiveId};
use raywarp_lanes::{Mask, TaskOn, Vector};
use raywarp_layout::{BLOCK, LEAF, TriangleBlock, Wide8, Wide8Node};
use std::mem::MaybeUninit;

/// Error of distances, as a share of distance and longest edge: `32 u`.
const SHARE: f32 = 16.0 * f32::EPSILON;

/// Square of an edge or a height that is too short for a face: `2^-100`.
const THIN: f32 = 1.0 / (1u128 << 100) as f32;

/// Task that looks for the nearest point in a tree, which is not empty.
pub(super) struct InTree<'s, 'a, P> {
    pub tree: &'a Wide8,
    /// Child reference of the tree at which it begins.
    pub start: u32,
    pub space: TreeSpace,
    pub place: &'s P,
    /// Number of the tree's placement.
    pub placed: u32,
    pub search: &'s mut Search<'a>,
}

impl<S: ChildOrder, P: Place> TaskOn<S> for InTree<'_, '_, P> {
    type Output = ();

    #[inline(always)]
    fn run_on(self, set: S) {
        let Self { tree, start, space, place, placed, search } = self;
        let base = tree.lines().as_ptr().cast();
        // SAFETY: the leaves are those of the tree, which is not empty, and `start` is its own.
        unsafe { walk(set, (base, start), tree.stack_depth(), &space, &Blocks { place, placed }, search) }
    }
}

/// Task that looks for the nearest point in a scene of two levels, which is not empty.
pub(super) struct InLevels<'s, 'a> {
    pub scene: &'a LevelsTracer,
    /// When placements that move are seen; from 0 to 1.
    pub time: f32,
    pub search: &'s mut Search<'a>,
}

impl<S: ChildOrder> TaskOn<S> for InLevels<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run_on(self, set: S) {
        let Self { scene, time, search } = self;
        let (base, space) = (scene.top.nodes().as_ptr().cast(), TreeSpace::in_place(&search.world));
        // SAFETY: the leaves are those of the tree, which is not empty.
        unsafe { walk(set, (base, ROOT), scene.top.stack_depth(), &space, &Placements { scene, time }, search) }
    }
}

/// What a point does at the leaves of a tree.
trait PointLeaves<'a> {
    /// Visits the leaf that `reference` names.
    ///
    /// # Safety
    /// The leaf is of the tree at `base`.
    unsafe fn visit<S: ChildOrder>(&self, set: S, base: *const u8, search: &mut Search<'a>, reference: u32);
}

/// Leaves of triangles.
struct Blocks<'p, P> {
    place: &'p P,
    placed: u32,
}

impl<'a, P: Place> PointLeaves<'a> for Blocks<'_, P> {
    #[inline(always)]
    unsafe fn visit<S: ChildOrder>(&self, set: S, base: *const u8, search: &mut Search<'a>, reference: u32) {
        let mut record = address(base, reference & !LEAF);
        loop {
            // SAFETY: the caller's promise; an encoder's leaves have their blocks in range, and they end.
            let block: &'a TriangleBlock = unsafe { &*record.cast() };
            test_block::<S::F4, P>(set, block, self.place, self.placed, search);
            if !block.has_more() {
                return;
            }
            record = record.wrapping_add(size_of::<TriangleBlock>());
        }
    }
}

/// Leaves of placements.
struct Placements<'a> {
    scene: &'a LevelsTracer,
    time: f32,
}

impl<'a> PointLeaves<'a> for Placements<'a> {
    #[inline(always)]
    unsafe fn visit<S: ChildOrder>(&self, set: S, _: *const u8, search: &mut Search<'a>, reference: u32) {
        for item in self.scene.top.items(reference) {
            let (index, start) = self.scene.item(item);
            let placed = &self.scene.placed[index as usize];
            match &placed.motion {
                Some(motion) if self.time > 0.0 => self.moving(set, index, motion, search),
                _ => self.meet(set, (index, start), placed.moved.as_deref(), search),
            }
        }
    }
}

impl<'a> Placements<'a> {
    /// Looks in a placement that stands still, where `moved` has it, from child reference `start` of its tree on.
    #[inline(always)]
    fn meet<S: ChildOrder>(&self, set: S, (index, start): (u32, u32), moved: Option<&Moved>, search: &mut Search<'a>) {
        let placed = &self.scene.placed[index as usize];
        let tracer = &*self.scene.trees[placed.tree as usize];
        if let Encoding::Custom(custom) = &tracer.encoding {
            if custom.answers_points && !custom.boxes.nodes().is_empty() && !search.leaves_out(placed.base) {
                let (space, to_world) = match moved {
                    None => (TreeSpace::in_place(&search.world), Affine64::IDENTITY),
                    Some(moved) => {
                        let bounds = custom.boxes.bounds();
                        let space = TreeSpace::placed(&search.point, &search.world, moved, bounds);
                        (space, Affine64::from(&moved.to_world))
                    }
                };
                let leaves = Primitives { custom, instance: placed.base, to_world: &to_world };
                set.enter(InCustom { space, leaves, search });
            }
            return;
        }
        let Some(tree) = self.tree_of(placed, search) else { return };
        match moved {
            None => {
                let space = TreeSpace::in_place(&search.world);
                set.enter(InTree { tree, start, space, place: &InPlace, placed: index, search });
            }
            Some(moved) => {
                let space = TreeSpace::placed(&search.point, &search.world, moved, tree.bounds());
                set.enter(InTree { tree, start, space, place: &moved.to_world, placed: index, search });
            }
        }
    }

    /// Looks in a placement that moves, where it is at the time. Apart, so that those who ask scenes in which nothing
    /// moves do not pay for it.
    #[cold]
    #[inline(never)]
    fn moving<S: ChildOrder>(&self, set: S, index: u32, motion: &Motion, search: &mut Search<'a>) {
        match motion.at(self.time) {
            Then::Unseen => {}
            Then::InPlace => self.meet(set, (index, ROOT), None, search),
            Then::Moved(moved) => self.meet(set, (index, ROOT), Some(&motion.for_points(moved)), search),
            Then::Whole(map) => {
                if let Some(tree) = self.tree_of(&self.scene.placed[index as usize], search) {
                    let space = TreeSpace::unknown(tree.bounds());
                    set.enter(InTree { tree, start: ROOT, space, place: &map, placed: index, search });
                }
            }
        }
    }

    /// Returns the tree of a placement's triangles; `None` if it has none, or none that count.
    #[inline(always)]
    fn tree_of(&self, placed: &Placed, search: &Search<'a>) -> Option<&'a Wide8> {
        let tracer = &*self.scene.trees[placed.tree as usize];
        let tree = tracer.wide8().filter(|tree| !tree.lines().is_empty())?;
        // Ids are far off in memory.
        if !search.is_filtered() {
            return Some(tree);
        }
        // They ascend, so the first and the last tell whether all are of one placement.
        let last = tracer.ids.len().checked_sub(1)?;
        let [first, last] = [0, last].map(|index| tracer.ids.get(index).instance);
        let is_left_out = first == last && search.leaves_out(placed.base + first);
        (!is_left_out).then_some(tree)
    }
}

/// Task that looks for the nearest point of custom geometry, whose tree is not empty.
struct InCustom<'s, 'a, 'p> {
    space: TreeSpace,
    leaves: Primitives<'p>,
    search: &'s mut Search<'a>,
}

impl<S: ChildOrder> TaskOn<S> for InCustom<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run_on(self, set: S) {
        let Self { space, leaves, search } = self;
        let boxes = &leaves.custom.boxes;
        // SAFETY: the leaves are those of the tree, which is not empty.
        unsafe { walk(set, (boxes.nodes().as_ptr().cast(), ROOT), boxes.stack_depth(), &space, &leaves, search) }
    }
}

/// Leaves of custom geometry, which the program measures itself.
struct Primitives<'p> {
    custom: &'p Custom,
    instance: u32,
    to_world: &'p Affine64,
}

impl<'a> PointLeaves<'a> for Primitives<'_> {
    #[inline(always)]
    unsafe fn visit<S: ChildOrder>(&self, _: S, _: *const u8, search: &mut Search<'a>, reference: u32) {
        let Self { custom, instance, to_world } = *self;
        for primitive in custom.of_leaf(reference) {
            let point = search.point.map(f64::from);
            if let Some(nearest) = custom.geometry.nearest(primitive, point, to_world) {
                search.take_point(PrimitiveId { instance, primitive }, nearest);
            }
        }
    }
}

/// Walks a point through a tree, or through the part of it that the child reference `start` names.
///
/// # Safety
/// At `base` lies a tree that is not empty, with `depth` as its stack's depth; `start` and `leaves` are its own.
#[inline(always)]
unsafe fn walk<'a, S: ChildOrder, L: PointLeaves<'a>>(
    set: S,
    (base, start): (*const u8, u32),
    depth: usize,
    space: &TreeSpace,
    leaves: &L,
    search: &mut Search<'a>,
) {
    let mut short = [MaybeUninit::uninit(); ENTRIES];
    let mut long = Deep::of(depth);
    let stack = long.stack().unwrap_or(&mut short);
    // SAFETY: the caller's promise; only entries that were pushed are read. The bottom is never too far.
    unsafe {
        let mut top: *mut u64 = stack.as_mut_ptr().cast();
        *top = entry(f32::NEG_INFINITY, END);
        top = top.add(1);
        let mut limit = space.limit(search.limit);
        let mut next = start;
        while next != END {
            if next & LEAF == 0 {
                next = at_node(set, address(base, next).cast(), &space.space, limit, &mut top);
                continue;
            }
            let before = search.limit;
            leaves.visit(set, base, search, next);
            if search.limit < before {
                limit = space.limit(search.limit);
            }
            next = pop(&mut top, limit);
        }
    }
}

/// Visits a node: pushes its children that are near enough but the nearest, which it returns, or what it pops.
///
/// # Safety
/// At `node` lies a node; eight entries from `top` on are writable, and below it lies an entry that is not too far.
#[inline(always)]
unsafe fn at_node<S: ChildOrder>(set: S, node: *const Wide8Node, space: &Space, limit: f32, top: &mut *mut u64) -> u32 {
    // SAFETY: the caller's promise.
    unsafe {
        let Wide8Node { planes, children, .. } = &*node;
        let squares = squares(set, planes, space);
        let near = squares.le(S::F8::splat(set, limit));
        let mask = near.bits();
        if mask == 0 {
            return pop(top, limit);
        }
        let first = mask.trailing_zeros() as usize;
        let others = mask & (mask - 1);
        if others == 0 {
            return *children.get_unchecked(first);
        }
        if others & (others - 1) == 0 {
            let second = others.trailing_zeros() as usize;
            let squares = squares.store();
            let is_first = squares.get_unchecked(first) <= squares.get_unchecked(second);
            let [next, later] = if is_first { [first, second] } else { [second, first] };
            **top = entry(*squares.get_unchecked(later), *children.get_unchecked(later));
            *top = top.add(1);
            return *children.get_unchecked(next);
        }
        let keys = sort_keys(set, squares, near);
        *top = top.add(set.push_sorted(*top, 0, keys, children, mask) - 1);
        child(*top)
    }
}

/// Returns the squared distances to the boxes of a node's children; infinite for empty ones.
#[inline(always)]
fn squares<S: ChildOrder>(set: S, planes: &[[f32; 8]; 6], space: &Space) -> S::F8 {
    let scale = S::F8::splat(set, space.scale);
    let zero = S::F8::splat(set, 0.0);
    let [px, py, pz] =
        [S::F8::splat(set, space.point[0]), S::F8::splat(set, space.point[1]), S::F8::splat(set, space.point[2])];
    let x = outside::<S::F8, 8>(set, &planes[0], &planes[1], scale, px, zero);
    let y = outside::<S::F8, 8>(set, &planes[2], &planes[3], scale, py, zero);
    let z = outside::<S::F8, 8>(set, &planes[4], &planes[5], scale, pz, zero);
    x.mul_add(x, y.mul_add(y, z * z))
}

/// Returns how far coordinates `point` lie outside of ranges.
#[inline(always)]
fn outside<V: Vector<N>, const N: usize>(
    set: V::Set,
    min: &[f32; N],
    max: &[f32; N],
    scale: V,
    point: V,
    zero: V,
) -> V {
    let (low, high) = (V::load(set, min).mul_sub(scale, point), V::load(set, max).neg_mul_add(scale, point));
    low.max(high).max(zero)
}

/// Pops the entries that are too far, and the first that is not, whose child it returns.
///
/// # Safety
/// The stack holds an entry below `top` that is not too far.
#[inline(always)]
unsafe fn pop(top: &mut *mut u64, limit: f32) -> u32 {
    let bound = bound(limit);
    loop {
        // SAFETY: the caller's promise.
        unsafe {
            *top = top.sub(1);
            if (**top).cast_signed() <= bound {
                return child(*top);
            }
        }
    }
}

/// Measures the triangles of a block, and passes those on that may be the nearest.
#[inline(always)]
fn test_block<'a, V: Vector<BLOCK>, P: Place>(
    set: V::Set,
    block: &'a TriangleBlock,
    place: &P,
    placed: u32,
    search: &mut Search<'a>,
) {
    let [a, b, c] = [
        corner(set, &block.corners[0], place, &search.world),
        corner(set, &block.corners[1], place, &search.world),
        corner(set, &block.corners[2], place, &search.world),
    ];
    let (distance, error) = distances::<V>(set, [a, b, c], search.world.least);
    let (lower, upper) = (distance - error, distance + error);
    // NaN in unused slots, which are not near.
    if lower.le(V::splat(set, search.limit)).any() {
        search.take(block, placed, &lower.store(), &upper.store());
    }
}

/// Returns a corner of each triangle of a block, relative to the point.
#[inline(always)]
fn corner<V: Vector<BLOCK>, P: Place>(set: V::Set, corner: &[[f32; BLOCK]; 3], place: &P, world: &Space) -> [V; 3] {
    // SAFETY: there are three axes.
    let [x, y, z] = unsafe { place.axes::<V>(set, corner, [0, 1, 2]) };
    let scale = V::splat(set, world.scale);
    [
        x.mul_sub(scale, V::splat(set, world.point[0])),
        y.mul_sub(scale, V::splat(set, world.point[1])),
        z.mul_sub(scale, V::splat(set, world.point[2])),
    ]
}

/// Returns the distances of the origin to triangles, and how far they may be off.
#[inline(always)]
fn distances<V: Vector<BLOCK>>(set: V::Set, [a, b, c]: [[V; 3]; 3], least: f32) -> (V, V) {
    let [zero, one, thin] = [V::splat(set, 0.0), V::splat(set, 1.0), V::splat(set, THIN)];
    let (e, g, h) = (minus(b, a), minus(c, a), minus(c, b));
    let [ee, gg, hh] = [dot(e, e), dot(g, g), dot(h, h)];
    let t = -dot(a, e) / ee;
    let [t0, t1, t2] = [t, -dot(a, g) / gg, -dot(b, h) / hh];
    // Of an edge without length `t` is NaN: 0.
    let [t0, t1, t2] = [t0.max(zero).min(one), t1.max(zero).min(one), t2.max(zero).min(one)];
    let [f0, f1, f2] = [along(a, t0, e), along(a, t1, g), along(b, t2, h)];
    let edges = dot(f0, f0).min(dot(f1, f1)).min(dot(f2, f2));
    let k = dot(g, e) / ee;
    let (across, height) = (along(a, t, e), along(g, -k, e));
    let hh_face = dot(height, height);
    let s = -dot(across, height) / hh_face;
    let second = k.neg_mul_add(s, t);
    let inside = zero.le(s) & zero.le(second) & (s + second).le(one) & thin.le(ee) & thin.le(hh_face);
    let foot = along(across, s, height);
    let distance = V::select(inside, dot(foot, foot), edges).sqrt();
    let longest = ee.max(gg).max(hh).sqrt();
    (distance, (distance + longest).mul_add(V::splat(set, SHARE), V::splat(set, least)))
}

#[inline(always)]
fn minus<V: Vector<BLOCK>>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn dot<V: Vector<BLOCK>>(a: [V; 3], b: [V; 3]) -> V {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

/// Returns `a + t * b`.
#[inline(always)]
fn along<V: Vector<BLOCK>>(a: [V; 3], t: V, b: [V; 3]) -> [V; 3] {
    [t.mul_add(b[0], a[0]), t.mul_add(b[1], a[1]), t.mul_add(b[2], a[2])]
}
