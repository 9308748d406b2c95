//! The walk of coherent packets: rays that look alike go through the tree together, a ray a lane.
//!
//! A node is visited once for all of them, by interval arithmetic (Wald, Slusallek, Benthin and Wagner 2001,
//! "Interactive Rendering with Coherent Ray Tracing", has the packets; Boulos, Wald and Benthin 2008, "Adaptive Ray
//! Packet Reordering", and Embree cull by the packet's bounds as this does): eight boxes at a time against the least
//! entry and the greatest exit that any ray of the packet may have. Triangles are tested for all rays at a time.
//!
//! # Why no hit is lost
//! A ray enters a box at the largest of `(plane - origin) * inverse` over the axes. Rounding keeps order, so that each
//! of these, as computed, is no less than the same of the packet's extreme origin and the better of its extreme
//! inverses, as computed; and no exit is greater than the packet's. What a ray would visit, its packet visits. The
//! triangle test is that of single rays, and of equal `t` the lower index wins in whatever order triangles come:
//! answers have the same bits.

use super::group::{GROUP, Group, HALF};
use super::order::{ChildOrder, Keys, bound, entry};
use super::triangle;
use super::walk::{END, prefetch, push, rows, stack_length};
use crate::batch::Job;
use crate::query::Query;
use crate::ray::AXES;
use raywarp_geom::Ray;
use raywarp_lanes::{Mask, TaskOn, Vector, Words};
use raywarp_layout::{BLOCK, INDEX_MASK, LEAF, REFERENCE_BYTES, TriangleBlock, Wide8, Wide8Node};
use std::cell::Cell;
use std::mem::MaybeUninit;

/// Largest spread of the shears of a packet's rays: the ratios of the direction's two smaller components to the
/// largest.
const COHERENT: f32 = 0.125;

/// Steps (nodes and leaves) that a packet of 8 and one of 16 rays may take a ray, over those of a ray by itself, until
/// its rays had better walk by themselves: where triangles are small beside the distance of rays, a packet visits what
/// few of its rays need (docs/notebook/2026-11-30-cpu-rays.md, "Packets that part").
const MOST_STEPS: [f32; 2] = [0.2, 0.16];

/// Largest spread of the origins of a packet's rays, as a fraction of the scene's largest extent.
const NEAR: f32 = 1.0 / 64.0;

/// Bounds of all rays of a packet, for one box test for all of them.
struct Bounds {
    /// Extreme padded origins for the planes where rays enter a box (`near_origin`) and where they leave it
    /// (`far_origin`).
    near_origin: [f32; 3],
    far_origin: [f32; 3],
    /// Smallest and largest reciprocals of the directions, by axis.
    least: [f32; 3],
    most: [f32; 3],
    /// Byte offsets in a node, by axis, of the plane rows where rays enter boxes (`enter`) and where they leave
    /// (`leave`).
    enter: [usize; 3],
    leave: [usize; 3],
    /// Smallest and largest distance at which a box can hold a hit of the packet.
    low: f32,
    limit: f32,
}

/// Rays of a packet in the form that triangle tests take.
struct Rays<'a, V> {
    /// Group of prepared rays, the lane `at` from which the packet's rays begin, and the untransformed rays.
    group: &'a Group,
    at: usize,
    given: &'a [Ray],
    /// Axes that the triangle test calls x, y and z.
    k: [usize; 3],
    origin: [V; 3],
    shear: [V; 2],
    inverse: V,
    low: V,
}

/// Nearest hits of a packet so far; an any-hit query uses only the limits.
struct Nearest<V, W> {
    t: V,
    u: V,
    v: V,
    index: W,
}

impl Group {
    /// Returns the largest spread of a direction's shears if all rays of a group that is full, or half full, are
    /// prepared and have similar directions and origins, in a scene of size `extent`, so that they may go as packets.
    #[inline(always)]
    pub fn coherent<V: Vector<GROUP>>(&self, set: V::Set, extent: f32) -> Option<f32> {
        let zero = V::splat(set, 0.0);
        let every = u32::MAX >> (32 - self.lanes());
        let signs = [
            V::load(set, &self.inverse[0]).lt(zero).bits() & every,
            V::load(set, &self.inverse[1]).lt(zero).bits() & every,
            V::load(set, &self.inverse[2]).lt(zero).bits() & every,
        ];
        let axis = V::Words::load(set, self.axes());
        let alike = axis.eq(V::Words::splat(set, self.axes()[0])).bits() & every;
        let spread = self.spread(&self.shear[0]).max(self.spread(&self.shear[1]));
        let is_coherent = self.is_whole()
            && signs.iter().all(|&signs| signs == 0 || signs == every)
            && alike == every
            && spread <= COHERENT
            && self.axis_origin.iter().all(|origin| self.spread(origin) <= NEAR * extent);
        is_coherent.then_some(spread)
    }

    /// Returns the largest value less the smallest of the group's lanes.
    #[inline(always)]
    fn spread(&self, x: &[f32; GROUP]) -> f32 {
        if self.lanes() == GROUP {
            return spread(x);
        }
        let mut half = [0.0; HALF];
        half.copy_from_slice(&x[..HALF]);
        spread(&half)
    }
}

/// Returns the largest value less the smallest.
#[inline(always)]
fn spread<const N: usize>(x: &[f32; N]) -> f32 {
    greatest(x) - least(x)
}

/// Returns the smallest of some numbers, none of them NaN.
#[inline(always)]
fn least<const N: usize>(x: &[f32; N]) -> f32 {
    extreme::<false, N>(x)
}

/// Returns the largest of some numbers, none of them NaN.
#[inline(always)]
fn greatest<const N: usize>(x: &[f32; N]) -> f32 {
    extreme::<true, N>(x)
}

/// Finds the largest or smallest value by halving, which compilers vectorise.
#[inline(always)]
fn extreme<const GREATEST: bool, const N: usize>(x: &[f32; N]) -> f32 {
    let (mut x, mut half) = (*x, N / 2);
    while half > 0 {
        for i in 0..half {
            let is_other = if GREATEST { x[i + half] > x[i] } else { x[i + half] < x[i] };
            x[i] = if is_other { x[i + half] } else { x[i] };
        }
        half /= 2;
    }
    x[0]
}

/// Number of packets traced interleaved, one node or leaf each, so that one goes on while another waits for memory.
const INTERLEAVED: usize = 4;

/// Number of ray groups that one traversal takes at most: each is one packet with vectors of 16 lanes, else two. As
/// many stacks are in use.
pub(super) const GROUPS: usize = INTERLEAVED;

/// Task that traces coherent groups of rays as packets; returns how many steps they took a ray, over
/// [`MOST_STEPS`].
pub(super) struct Packets<'a, J> {
    pub tree: &'a Wide8,
    pub job: &'a mut J,
    /// Groups of coherent rays, at most [`GROUPS`].
    pub groups: &'a [Group],
    /// Traversal stacks of all packets: [`GROUPS`] times as long as a single ray's.
    pub stacks: &'a mut [MaybeUninit<u64>],
}

impl<S: ChildOrder, J: Job> TaskOn<S> for Packets<'_, J> {
    type Output = f32;

    #[inline(always)]
    fn run_on(mut self, set: S) -> f32 {
        let rays: usize = self.groups.iter().map(Group::lanes).sum();
        let (steps, most) = if S::NATIVE_LANES >= GROUP && self.groups.iter().all(|group| group.lanes() == GROUP) {
            (self.walk::<S, S::F16, GROUP>(set, self.groups), MOST_STEPS[1])
        } else {
            let mut steps = 0;
            for groups in self.groups.chunks(INTERLEAVED * HALF / GROUP) {
                steps += self.walk::<S, S::F8, HALF>(set, groups);
            }
            (steps, MOST_STEPS[0])
        };
        steps as f32 / (most * rays as f32)
    }
}

impl<J: Job> Packets<'_, J> {
    /// Traces the rays of some groups, as at most [`INTERLEAVED`] packets of `N` rays; returns how many nodes and
    /// leaves these visit.
    #[inline(always)]
    fn walk<S: ChildOrder, V: Vector<N, Set = S>, const N: usize>(&mut self, set: S, groups: &[Group]) -> usize {
        let Self { tree, job, stacks, .. } = self;
        let base = tree.lines().as_ptr().cast::<u8>();
        let depth = stacks.len() / INTERLEAVED;
        assert!(depth >= stack_length(tree.stack_depth()));
        let mut packets: [Option<Walker<V, J::Query, N>>; INTERLEAVED] = [const { None }; INTERLEAVED];
        let halves = groups.iter().flat_map(|group| (0..group.lanes()).step_by(N).map(move |at| (group, at)));
        for ((packet, stack), (group, at)) in packets.iter_mut().zip(stacks.chunks_exact_mut(depth)).zip(halves) {
            *packet = Some(State::new(set, &**job, group, at, stack.as_mut_ptr().cast()));
        }
        let (mut left, mut steps) = (packets.len(), 0);
        while left > 0 {
            left = 0;
            for packet in packets.iter_mut().flatten() {
                if packet.current != END {
                    let given = &job.rays()[packet.first..];
                    // SAFETY: `Wide8`'s fields are private and its encoder keeps its invariants: references name nodes
                    // or leaves, leaves have their blocks in range and end, and `stack_depth` bounds what is pushed, to
                    // a stack that is as long.
                    unsafe { packet.step::<S>(set, base, given) };
                    left += 1;
                }
            }
            steps += left;
        }
        for packet in packets.iter_mut().flatten() {
            packet.finish(*job);
        }
        steps
    }
}

thread_local! {
    /// What packets cost in the tree that this thread asked last, and its address: a hint for the next batch.
    static LAST: Cell<(usize, PacketCost)> = const { Cell::new((0, PacketCost::UNKNOWN)) };
}

/// What packets have cost, by which the next groups of coherent rays go as packets or ray by ray. No hit depends on it.
///
/// A packet visits what any of its rays needs. That is worth it where the rays together are no wider than what a node
/// far down holds; beyond that it depends on the place, and is seen from the steps of those before.
#[derive(Clone, Copy)]
pub(super) struct PacketCost {
    /// Spread up to which packets are worth it wherever they go, and beyond which nowhere.
    sure: f32,
    never: f32,
    /// Number of groups that are traced together; fewer until packets have been seen to be worth it.
    pub most: usize,
    /// Steps of packets a ray over [`MOST_STEPS`], the later the more they count; 0 before the first.
    mean: f32,
    /// Steps of rays by themselves, and how many rays took them.
    pub steps: usize,
    pub rays: usize,
    /// Number of groups that still go ray by ray, and as many as next time.
    skipped: u32,
    skips: u32,
}

impl PacketCost {
    /// Nothing is known, and steps are usual.
    const UNKNOWN: Self =
        Self { sure: 0.0, never: 0.0, most: 2, mean: 0.0, steps: 14 * 16, rays: 16, skipped: 0, skips: Self::SKIPPED };
    /// Spread of a direction's shears, times the square root of a tree's cache lines, up to which packets are worth it,
    /// and beyond which they are not.
    const SURE: f32 = 25.0;
    const NEVER: f32 = 80.0;
    /// Numbers of groups that go ray by ray where packets are not worth it, before the next are tried: at first, and at
    /// most.
    const SKIPPED: u32 = 4;
    const LONGEST: u32 = 24;
    /// Number of rays beyond which the older count half.
    const MANY: usize = 4096;

    /// Returns what this thread knows of a tree.
    #[inline(always)]
    pub fn of(tree: &Wide8) -> Self {
        let (last, known) = LAST.get();
        if last == tree.lines().as_ptr().addr() {
            return known;
        }
        let root = (tree.lines().len() as f32).sqrt();
        Self { sure: Self::SURE / root, never: Self::NEVER / root, ..Self::UNKNOWN }
    }

    /// Keeps it for this thread's next batch.
    #[inline(always)]
    pub fn keep(mut self, tree: &Wide8) {
        if self.rays > Self::MANY {
            (self.steps, self.rays) = (self.steps / 2, self.rays / 2);
        }
        LAST.set((tree.lines().as_ptr().addr(), self));
    }

    /// Returns `true` if a group of coherent rays of such a spread goes as packets.
    #[inline(always)]
    pub fn is_worth(&mut self, spread: f32) -> bool {
        if spread <= self.sure || spread > self.never {
            return spread <= self.sure;
        }
        let is_skipped = self.skipped > 0;
        self.skipped -= u32::from(is_skipped);
        !is_skipped
    }

    /// Takes note of the steps of packets a ray, over [`MOST_STEPS`].
    #[inline(always)]
    pub fn heed(&mut self, steps: f32) {
        self.mean = if self.mean == 0.0 { steps } else { 0.5 * (self.mean + steps) };
        let is_dear = self.mean * self.rays as f32 > self.steps as f32;
        (self.skipped, self.skips, self.most) = if is_dear {
            (self.skips, (2 * self.skips).min(Self::LONGEST), Self::UNKNOWN.most)
        } else {
            (0, Self::SKIPPED, GROUPS)
        };
    }
}

/// State of a packet of rays with vectors `V`.
type Walker<'a, V, Q, const N: usize> = State<'a, V, <V as Vector<N>>::Words, Q, N>;

/// Traversal state of a packet of `N` rays.
struct State<'a, V, W, Q, const N: usize> {
    bounds: Bounds,
    group: &'a Group,
    /// First lane of the packet in its group (`at`), and that ray's index in the batch (`first`).
    at: usize,
    first: usize,
    nearest: Nearest<V, W>,
    /// Any-hit queries of the rays; closest-hit packets have none.
    queries: [Option<Q>; N],
    /// Bit mask of the lanes whose answer is known.
    decided: u32,
    /// Reference of the node or leaf that the packet visits next.
    current: u32,
    stack: *mut u64,
    top: usize,
}

impl<'a, V: Vector<N>, Q: Query, const N: usize> State<'a, V, V::Words, Q, N> {
    /// Starts a packet at the root of the tree.
    #[inline(always)]
    fn new<J>(set: V::Set, job: &J, group: &'a Group, at: usize, stack: *mut u64) -> Self
    where
        J: Job<Query = Q>,
    {
        let mut queries = [None; N];
        if !Q::ORDERED {
            for (lane, query) in queries.iter_mut().enumerate() {
                *query = Some(job.query(group.t_low[at + lane], group.t_high[at + lane]));
            }
        }
        let (t, nothing) = (V::load(set, part(&group.t_high, at)), V::splat(set, 0.0));
        let nearest = Nearest { t, u: nothing, v: nothing, index: V::Words::splat(set, u32::MAX) };
        // SAFETY: the stack has room for an entry.
        unsafe { *stack = entry(f32::NEG_INFINITY, END) };
        Self {
            bounds: Bounds::of::<N>(group, at),
            group,
            at,
            first: group.first + at,
            nearest,
            queries,
            decided: 0,
            current: 0,
            stack,
            top: 1,
        }
    }

    /// Visits the packet's current node or leaf, and finds the next.
    ///
    /// # Safety
    /// `self` was made for the tree that begins at `base`, with a stack of its [`stack_length`], and is not at the
    /// end.
    #[inline(always)]
    unsafe fn step<S: ChildOrder>(&mut self, set: S, base: *const u8, given: &[Ray])
    where
        V: Vector<N, Set = S>,
    {
        // SAFETY: the caller's promise.
        unsafe {
            let record = base.add((self.current & !LEAF) as usize * REFERENCE_BYTES);
            if self.current & LEAF == 0 {
                self.top = visit_node::<S, V, Q, N>(set, record, self);
            } else {
                let rays = Rays::<V>::of::<N>(set, self.group, self.at, given);
                let Self { nearest, queries, decided, .. } = self;
                let found = visit_leaf::<V, Q, N>(set, record.cast(), &rays, nearest, queries, decided);
                if found && Q::ORDERED {
                    self.bounds.limit = greatest(&self.nearest.t.store());
                    self.top = set.drop_farther(self.stack, self.top, bound(self.bounds.limit));
                }
                if !Q::ORDERED && self.decided == u32::MAX >> (32 - N) {
                    self.current = END;
                    return;
                }
            }
            self.top -= 1;
            self.current = *self.stack.add(self.top) as u32;
            prefetch(set, base, self.current);
        }
    }

    /// Returns `true` if any undecided ray of the packet enters the box in `slot` of the node at `record`, by the box
    /// test of single rays.
    ///
    /// # Safety
    /// At `record` lies a node, and `slot` is below 8.
    #[inline(always)]
    unsafe fn enters<S: ChildOrder>(&self, set: S, record: *const u8, slot: usize) -> bool
    where
        V: Vector<N, Set = S>,
    {
        let Self { group, at, bounds, nearest, .. } = self;
        let (mut near, mut far) = (V::load(set, part(&group.t_low, *at)), nearest.t);
        for i in 0..3 {
            // SAFETY: row offsets stay within the node that the caller promises.
            let (enter, leave): (f32, f32) = unsafe {
                (
                    *record.add(bounds.enter[i]).cast::<f32>().add(slot),
                    *record.add(bounds.leave[i]).cast::<f32>().add(slot),
                )
            };
            let inverse = V::load(set, part(&group.inverse[i], *at));
            near = ((V::splat(set, enter) - V::load(set, part(&group.near_origin[i], *at))) * inverse).max(near);
            far = ((V::splat(set, leave) - V::load(set, part(&group.far_origin[i], *at))) * inverse).min(far);
        }
        near.le(far).bits() & !self.decided != 0
    }

    /// Hands the packet's answers to the batch.
    #[inline(always)]
    fn finish<J: Job<Query = Q>>(&mut self, job: &mut J) {
        let Nearest { t, u, v, index } = &self.nearest;
        let (t, u, v, index) = (t.store(), u.store(), v.store(), index.store());
        for lane in 0..N {
            let query = if Q::ORDERED {
                let mut query = job.query(self.group.t_low[self.at + lane], self.group.t_high[self.at + lane]);
                if index[lane] != u32::MAX {
                    query.offer([t[lane], u[lane], v[lane]], index[lane]);
                }
                query
            } else {
                self.queries[lane].expect("queries for any hit were made")
            };
            job.finish(self.first + lane, &query);
        }
    }
}

/// Returns `N` lanes of a row, from lane `at` on.
#[inline(always)]
fn part<const N: usize>(row: &[f32; GROUP], at: usize) -> &[f32; N] {
    row[at..].first_chunk().expect("lanes are within the group")
}

impl Bounds {
    #[inline(always)]
    fn of<const N: usize>(group: &Group, at: usize) -> Self {
        let [enter, leave] = rows([group.inverse[0][at], group.inverse[1][at], group.inverse[2][at]]);
        let mut bounds = Self {
            near_origin: [0.0; 3],
            far_origin: [0.0; 3],
            least: [0.0; 3],
            most: [0.0; 3],
            enter,
            leave,
            low: least::<N>(part(&group.t_low, at)),
            limit: greatest::<N>(part(&group.t_high, at)),
        };
        for i in 0..3 {
            let is_negative = group.inverse[i][at] < 0.0;
            let (near, far) = (part::<N>(&group.near_origin[i], at), part::<N>(&group.far_origin[i], at));
            // A box is nearest as seen from the origin that is farthest ahead.
            (bounds.near_origin[i], bounds.far_origin[i]) =
                if is_negative { (least(near), greatest(far)) } else { (greatest(near), least(far)) };
            bounds.least[i] = least::<N>(part(&group.inverse[i], at));
            bounds.most[i] = greatest::<N>(part(&group.inverse[i], at));
        }
        bounds
    }
}

impl<'a, V> Rays<'a, V> {
    #[inline(always)]
    fn of<const N: usize>(set: V::Set, group: &'a Group, at: usize, given: &'a [Ray]) -> Self
    where
        V: Vector<N>,
    {
        let o = &group.axis_origin;
        Self {
            group,
            at,
            given,
            k: AXES[group.axes()[at] as usize % 3],
            origin: [V::load(set, part(&o[0], at)), V::load(set, part(&o[1], at)), V::load(set, part(&o[2], at))],
            shear: [V::load(set, part(&group.shear[0], at)), V::load(set, part(&group.shear[1], at))],
            inverse: V::load(set, part(&group.triangle_inverse, at)),
            low: V::load(set, part(&group.t_low, at)),
        }
    }
}

/// Tests a node's boxes and pushes the children that a ray of the packet may enter; returns the new stack height.
///
/// # Safety
/// At `record` lies a node, and eight entries from `stack + top` on are writable.
#[inline(always)]
unsafe fn visit_node<S: ChildOrder, V: Vector<N, Set = S>, Q: Query, const N: usize>(
    set: S,
    record: *const u8,
    packet: &State<'_, V, V::Words, Q, N>,
) -> usize {
    let State { bounds, stack, top, .. } = packet;
    // SAFETY: the caller's promise; row offsets stay within a node.
    unsafe {
        let mut near = S::F8::splat(set, bounds.low);
        let mut far = S::F8::splat(set, bounds.limit);
        for i in 0..3 {
            let (least, most) = (S::F8::splat(set, bounds.least[i]), S::F8::splat(set, bounds.most[i]));
            let enter = S::F8::load(set, &*record.add(bounds.enter[i]).cast());
            let enter = enter - S::F8::splat(set, bounds.near_origin[i]);
            near = (enter * least).min(enter * most).max(near);
            let leave = S::F8::load(set, &*record.add(bounds.leave[i]).cast());
            let leave = leave - S::F8::splat(set, bounds.far_origin[i]);
            far = (leave * least).max(leave * most).min(far);
        }
        let mut hit = near.le(far);
        let children = &(*record.cast::<Wide8Node>()).children;
        // Leaves cost more than the test of each ray that keeps the packet from those that no ray enters, if there are
        // many: 1 for 16 lanes, 3 for 8 (always is 8 % slower in sibenik with AVX2, never 27 % in kitchen with
        // AVX-512).
        let leaf = Keys::<S>::splat(set, LEAF);
        let mut leaves = ((Keys::<S>::load(set, children) & leaf).eq(leaf) & hit).bits();
        let mut passed = 0;
        if (leaves.count_ones() as usize) < 24 / N {
            leaves = 0;
        }
        while leaves != 0 {
            let slot = leaves.trailing_zeros() as usize % 8;
            leaves &= leaves - 1;
            passed |= u32::from(!packet.enters(set, record, slot)) << slot;
        }
        hit = hit & !<S::F8 as Vector<8>>::Mask::from_bits(set, passed);
        push::<S, Q>(set, *stack, *top, near, hit, children)
    }
}

/// Tests the triangles of a leaf with all rays of the packet; returns whether any was hit.
///
/// # Safety
/// At `block` lies a leaf.
#[inline(always)]
unsafe fn visit_leaf<V: Vector<N>, Q: Query, const N: usize>(
    set: V::Set,
    mut block: *const TriangleBlock,
    rays: &Rays<'_, V>,
    nearest: &mut Nearest<V, V::Words>,
    queries: &mut [Option<Q>; N],
    decided: &mut u32,
) -> bool {
    let mut found = false;
    loop {
        // SAFETY: the caller's promise: a leaf's blocks lie side by side, and it ends.
        let here = unsafe { &*block };
        for slot in 0..here.len() % (BLOCK + 1) {
            found |= test_triangle::<V, Q, N>(set, here, slot, rays, nearest, queries, decided);
        }
        if !here.has_more() {
            return found;
        }
        block = block.wrapping_add(1);
    }
}

/// Tests one triangle with all rays of the packet, by the operations of `Watertight::test`. Returns whether any ray
/// took it.
#[inline(always)]
fn test_triangle<V: Vector<N>, Q: Query, const N: usize>(
    set: V::Set,
    block: &TriangleBlock,
    slot: usize,
    rays: &Rays<'_, V>,
    nearest: &mut Nearest<V, V::Words>,
    queries: &mut [Option<Q>; N],
    decided: &mut u32,
) -> bool {
    let corners = [
        corner::<V, N>(set, block, 0, slot, rays),
        corner::<V, N>(set, block, 1, slot, rays),
        corner::<V, N>(set, block, 2, slot, rays),
    ];
    let (edges, same_side) = triangle::edges::<V, N>(corners);
    if !same_side.any() {
        return false;
    }
    let ([t, u, v], is_finite) = triangle::weigh(corners, edges, rays.inverse);
    let within = same_side & rays.low.le(t) & t.le(nearest.t);
    let word = block.slots[slot];
    // Numbers near the ends of f32: the test of one ray knows what to do then.
    let wide = (same_side & !is_finite).bits();
    let is_wide = wide != 0;
    if is_wide {
        let mut found = Found {
            tuv: [nearest.t.store(), nearest.u.store(), nearest.v.store()],
            index: nearest.index.store(),
            decided: *decided,
        };
        found.test_each(block, slot, rays.group, rays.at, rays.given, wide, queries);
        nearest.t = V::load(set, &found.tuv[0]);
        nearest.u = V::load(set, &found.tuv[1]);
        nearest.v = V::load(set, &found.tuv[2]);
        nearest.index = V::Words::load(set, &found.index);
        *decided = found.decided;
    }
    if Q::ORDERED {
        let index = V::Words::splat(set, word & INDEX_MASK);
        let taken = within & (t.lt(nearest.t) | index.lt(nearest.index));
        nearest.t = V::select(taken, t, nearest.t);
        nearest.u = V::select(taken, u, nearest.u);
        nearest.v = V::select(taken, v, nearest.v);
        nearest.index = V::Words::select(taken, index, nearest.index);
        return taken.any() | is_wide;
    }
    let mut bits = within.bits() & !*decided;
    if bits != 0 {
        let (t, u, v) = (t.store(), u.store(), v.store());
        while bits != 0 {
            let lane = bits.trailing_zeros() as usize % N;
            bits &= bits - 1;
            if let Some(query) = &mut queries[lane] {
                query.offer([t[lane], u[lane], v[lane]], word);
                *decided |= u32::from(query.is_decided()) << lane;
            }
        }
    }
    (within.bits() != 0) | is_wide
}

/// Returns a corner of a triangle, relative to each ray of the packet and sheared along it.
#[inline(always)]
fn corner<V: Vector<N>, const N: usize>(
    set: V::Set,
    block: &TriangleBlock,
    corner: usize,
    slot: usize,
    rays: &Rays<'_, V>,
) -> [V; 3] {
    let (axes, [x, y, z]) = (&block.corners[corner], rays.k);
    let corner = [V::splat(set, axes[x][slot]), V::splat(set, axes[y][slot]), V::splat(set, axes[z][slot])];
    triangle::local::<V, N>(corner, rays.origin, rays.shear)
}

/// Hits of a packet in memory, for scalar tests.
struct Found<const N: usize> {
    tuv: [[f32; N]; 3],
    index: [u32; N],
    decided: u32,
}

impl<const N: usize> Found<N> {
    /// Tests a triangle by the scalar test for each ray in the lanes of `wide`, whose vector test may overflow.
    #[cold]
    #[inline(never)]
    #[allow(clippy::too_many_arguments)] // The parts of `Rays` that are no vectors.
    fn test_each<Q: Query>(
        &mut self,
        block: &TriangleBlock,
        slot: usize,
        group: &Group,
        at: usize,
        given: &[Ray],
        mut wide: u32,
        queries: &mut [Option<Q>; N],
    ) {
        while wide != 0 {
            let lane = wide.trailing_zeros() as usize % N;
            wide &= wide - 1;
            let ray = group.ray(at + lane, &given[lane]);
            let Some(tuv) = ray.triangle.test(&block.vertices(slot)) else { continue };
            if let Some(query) = &mut queries[lane] {
                query.offer(tuv, block.slots[slot]);
                self.decided |= u32::from(query.is_decided()) << lane;
                continue;
            }
            let index = block.slots[slot] & INDEX_MASK;
            let nearer = tuv[0] < self.tuv[0][lane] || (tuv[0] == self.tuv[0][lane] && index < self.index[lane]);
            if nearer && tuv[0] >= ray.t_low {
                for (row, x) in self.tuv.iter_mut().zip(tuv) {
                    row[lane] = x;
                }
                self.index[lane] = index;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_geom::Aabb;
    use raywarp_lanes::{InstructionSet, Isa, Task};

    /// Fills one group again and again with so many rays; returns of each filling whether it may go as packets.
    struct Fillings<'a> {
        rays: &'a [Ray],
        counts: &'a [usize],
    }

    impl Task for Fillings<'_> {
        type Output = Vec<bool>;

        #[inline(always)]
        fn run<S: InstructionSet>(self, set: S) -> Vec<bool> {
            let (bounds, mut group) = (Aabb { min: [-1.0; 3], max: [1.0; 3] }, Group::new());
            let filled = |&count: &usize| {
                group.fill(set, &self.rays[..count], 0, false, &bounds);
                group.coherent::<S::F16>(set, 2.0).is_some()
            };
            self.counts.iter().map(filled).collect()
        }
    }

    #[test]
    fn whole_and_half_groups_of_rays_that_look_alike_go_as_packets_and_no_others() {
        for sign in [1.0, -1.0] {
            let alike = |i: usize| Ray::new([0.5; 3], [sign, 0.5 * sign, sign * (0.25 + 0.001 * i as f32)]);
            let rays: Vec<Ray> = (0..GROUP).map(alike).collect();
            let last_of = |lane: usize, ray: Ray| {
                let mut rays = rays.clone();
                rays[lane] = ray;
                rays
            };
            let (other, bad) = (Ray::new([0.5; 3], [-sign, 0.5, 0.25]), Ray::new([0.5; 3], [0.0; 3]));
            let far = Ray { origin: [0.5, 0.5, 0.75], ..rays[0] };
            for isa in Isa::all() {
                let found = |rays: &[Ray], counts: &[usize]| isa.run(Fillings { rays, counts });
                let counts = [GROUP, HALF, GROUP - 1, HALF, HALF - 1, HALF + 1, 1, 0, GROUP];
                let expected = counts.map(|count| count == GROUP || count == HALF);
                assert_eq!(found(&rays, &counts), expected, "{}", isa.name());
                for ray in [other, bad, far] {
                    // In a lane that half a group does not have, and in its last one.
                    assert_eq!(found(&last_of(HALF, ray), &[GROUP, HALF]), [false, true], "{} {ray:?}", isa.name());
                    assert_eq!(found(&last_of(HALF - 1, ray), &[GROUP, HALF]), [false; 2], "{} {ray:?}", isa.name());
                }
            }
        }
    }
}
