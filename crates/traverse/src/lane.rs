//! Lanes: the state of one ray, its stack and its hit.

use crate::lanes::{HasStatus, Is, Status};
use crate::ray::LaneRay;
use crate::tree::{Entry, EntryOf, Leaf, Tree, slot_index};
use raywarp_geom::{Hit, PrimitiveId};

/// Ray index of a lane that has no ray.
pub(crate) const IDLE: u32 = u32::MAX;

/// Largest number of leaves that a lane can put aside for later.
pub(crate) const MAX_POSTPONED: usize = 4;

/// Next step of a lane: a pop, a node or leaf, or nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Work<I, L> {
    /// The lane takes the next entry from its stack.
    Pop,
    /// The lane visits a node, or tests the triangles of a leaf.
    At(Entry<I, L>),
    /// The lane has nothing to do: its stack is empty, or a hit decided the ray.
    Done,
}

/// State of a lane: its ray, its stack and the hit found so far.
pub(crate) struct Lane<T: Tree> {
    /// Index of the lane's ray in the batch, or [`IDLE`].
    pub ray: u32,
    pub setup: Option<T::Ray>,
    pub work: Work<T::Inner, T::Leaf>,
    /// `true` if the leaf whose triangle the lane tested last has no triangles left.
    pub leaf_ended: bool,
    /// Leaves that the lane put aside, in the order in which they were found.
    pub postponed: Postponed<T::Leaf>,
    pub stack: Stack<EntryOf<T>>,
    /// Index of the lane's stack among those of the warp, which stays where it is in memory when the ray is parked.
    pub stack_number: u16,
    pub found: Found,
}

/// Queue of leaves that a lane put aside: first in, first out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Postponed<L> {
    leaves: [Option<L>; MAX_POSTPONED],
    count: usize,
}

impl<L: Copy> Postponed<L> {
    pub const EMPTY: Self = Self { leaves: [None; MAX_POSTPONED], count: 0 };

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn push(&mut self, leaf: L) {
        self.leaves[self.count] = Some(leaf);
        self.count += 1;
    }

    pub fn first_mut(&mut self) -> Option<&mut L> {
        self.leaves[0].as_mut()
    }

    pub fn remove_first(&mut self) -> Option<L> {
        let first = self.leaves[0].take();
        if first.is_some() {
            self.leaves.rotate_left(1);
            self.count -= 1;
        }
        first
    }
}

/// A traversal stack as deep as the encoded tree requires.
pub(crate) struct Stack<E> {
    entries: Vec<E>,
    capacity: usize,
}

impl<E> Stack<E> {
    pub fn new(capacity: usize) -> Self {
        Self { entries: Vec::with_capacity(capacity), capacity }
    }

    /// Pushes an entry, and returns its index.
    ///
    /// # Panics
    /// Past the capacity: the tree's stack depth would be wrong, a bug of ours.
    #[inline]
    pub fn push(&mut self, entry: E) -> u32 {
        assert!(self.entries.len() < self.capacity, "a tree needs a deeper stack than its encoding says");
        self.entries.push(entry);
        self.entries.len() as u32
    }

    /// Pops an entry, and returns it with its index; index 0 is the sentinel under the stack.
    #[inline]
    pub fn pop(&mut self) -> (Option<E>, u32) {
        let index = self.entries.len() as u32;
        (self.entries.pop(), index)
    }

    /// Returns the number of entries on the stack.
    #[inline]
    pub fn len(&self) -> u32 {
        self.entries.len() as u32
    }

    pub fn clear(&mut self) {
        self.entries.clear();
    }
}

/// The hit that a ray has found so far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Found {
    /// Distance `t` and barycentric coordinates `u v` of the nearest hit; for an any-hit ray, of the nearest hit that
    /// is not opaque.
    pub tuv: [f32; 3],
    /// Index of the hit triangle, `u32::MAX` for none.
    pub index: u32,
    /// Farthest distance `t` at which a hit still counts.
    pub limit: f32,
    /// `true` if an any-hit ray has hit something opaque.
    pub blocked: bool,
    /// `true` if the ray is invalid and cannot hit anything.
    pub invalid: bool,
    /// `true` if the variant cannot decide the ray, which another one must trace.
    pub beyond: bool,
}

impl Found {
    /// Makes the state of a ray that has found nothing yet, and whose hits count up to `t_max`.
    pub fn nothing(t_max: f32) -> Self {
        Self { tuv: [0.0; 3], index: u32::MAX, limit: t_max, blocked: false, invalid: false, beyond: false }
    }

    /// Takes the hit of a triangle if it counts for the ray, and returns `true` if it did.
    ///
    /// Of equal `t` the lower index wins, so that the order of tests does not matter.
    #[inline]
    pub fn offer(
        &mut self,
        ray: &LaneRay,
        tuv: [f32; 3],
        word: u32,
        id_of: impl Fn(u32) -> PrimitiveId,
        any_hit: bool,
    ) -> bool {
        let ((index, opaque), t) = (slot_index(word), tuv[0]);
        if !(ray.t_low() <= t && t <= self.limit) {
            return false;
        }
        if t == ray.after.t {
            let id = id_of(index);
            if (id.instance, id.primitive) <= (ray.after.instance, ray.after.primitive) {
                return false;
            }
        }
        if any_hit && opaque {
            self.blocked = true;
            return true;
        }
        let nearer = self.index == u32::MAX || (t, index) < (self.tuv[0], self.index);
        if nearer {
            (self.tuv, self.index) = (tuv, index);
            // Something opaque may still lie behind an any-hit ray's candidate.
            if !any_hit {
                self.limit = t;
            }
        }
        nearer
    }

    /// Returns the hit that was found, and the index of its instance.
    pub fn hit(&self, t_max: f32, id_of: impl Fn(u32) -> PrimitiveId) -> (Hit, u32) {
        if self.index == u32::MAX || self.blocked {
            return (Hit::miss(t_max), Hit::MISS);
        }
        let ([t, u, v], id) = (self.tuv, id_of(self.index));
        (Hit { t, u, v, primitive: id.primitive }, id.instance)
    }
}

impl<T: Tree> HasStatus for Lane<T> {
    #[inline]
    fn status(&self) -> Status {
        let postponed = self.postponed.len() > 0;
        let (at_inner, at_leaf, exhausted, done) = match self.work {
            Work::At(Entry::Inner(_)) => (true, false, false, false),
            Work::At(Entry::Leaf(_)) => (false, true, false, false),
            // It changes the level before it does anything else (`Warp::at_instance`, `Warp::above`).
            Work::At(Entry::Instance(_) | Entry::Above) => (false, false, false, false),
            Work::Pop => (false, false, true, false),
            Work::Done => (false, false, false, true),
        };
        let (idle, alive, has_leaf) = (self.ray == IDLE, postponed | !done, postponed | at_leaf);
        let bit = |is: Is, yes: bool| u8::from(yes) << is as u32;
        bit(Is::Idle, idle)
            | bit(Is::Alive, alive)
            | bit(Is::Ended, !idle & !alive)
            | bit(Is::AtInner, at_inner)
            | bit(Is::AtLeaf, at_leaf)
            | bit(Is::HasLeaf, has_leaf)
            | bit(Is::InLeaf, has_leaf & !self.leaf_ended)
            | bit(Is::Exhausted, exhausted)
    }
}

impl<T: Tree> Lane<T> {
    /// Makes a lane without a ray, with stack `stack_number` of `stack_depth` entries.
    pub fn idle(stack_depth: usize, stack_number: u16) -> Self {
        Self {
            ray: IDLE,
            setup: None,
            work: Work::Done,
            leaf_ended: false,
            postponed: Postponed::EMPTY,
            stack: Stack::new(stack_depth),
            stack_number,
            found: Found::nothing(0.0),
        }
    }

    /// Takes the next triangle record of the lane's oldest leaf, and drops the leaf when it is empty; a lane that stood
    /// at it must pop then, unless nodes are grouped with the leaf.
    pub fn take_record(&mut self) -> Option<u32> {
        if let Some(leaf) = self.postponed.first_mut() {
            let record = leaf.take();
            self.leaf_ended = leaf.is_empty();
            if self.leaf_ended {
                self.postponed.remove_first();
            }
            return record;
        }
        let Work::At(Entry::Leaf(leaf)) = &mut self.work else { return None };
        let record = leaf.take();
        self.leaf_ended = leaf.is_empty();
        if self.leaf_ended {
            self.work = T::take_behind(leaf).map_or(Work::Pop, |nodes| Work::At(Entry::Inner(nodes)));
        }
        record
    }

    /// Ends the ray of the lane: whatever it had still to do is dropped.
    pub fn end(&mut self) {
        self.work = Work::Done;
        self.postponed = Postponed::EMPTY;
        self.stack.clear();
    }
}
