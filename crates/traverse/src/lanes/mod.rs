//! Lanes that run a schedule: one alone, or a warp in lockstep.

mod lockstep;
mod scalar;

pub(crate) use lockstep::Lockstep;
pub(crate) use scalar::Scalar;

/// A set of lanes of a warp.
pub(crate) trait Mask: Copy + Eq {
    /// The empty set of lanes.
    const NONE: Self;
    /// Returns `true` if any lane is in the set.
    fn any(self) -> bool;
    /// Returns the number of lanes in the set.
    fn count(self) -> u32;
    /// Returns the set as a bit mask, with lane 0 in the lowest bit.
    fn bits(self) -> u64;
    /// Returns the lanes that are in this set or the other one.
    fn or(self, other: Self) -> Self;
    /// Returns the lanes that are in this set and the other one.
    fn and(self, other: Self) -> Self;
    /// Returns the set of the lowest lane alone; empty for an empty set.
    fn first(self) -> Self;
    /// Returns the lanes of this set that are not in the other one.
    fn without(self, other: Self) -> Self;
}

/// State that a lane may be in; each is a bit of its [`Status`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Is {
    /// The lane has no ray.
    Idle,
    /// The lane has a ray that has not ended.
    Alive,
    /// The lane has a ray that has ended, whose result is not yet stored.
    Ended,
    /// The lane stands at a node, which it can visit now.
    AtInner,
    /// The lane is at a leaf, which it must test or put aside to go on.
    AtLeaf,
    /// The lane stands at a leaf or has put one aside, and can test a triangle now.
    HasLeaf,
    /// The lane has triangles left of the leaf that it began.
    InLeaf,
    /// The lane must take an entry from its stack before anything else.
    Exhausted,
}

/// Set of all states that a lane is in, with one bit for each [`Is`].
pub(crate) type Status = u8;

/// State of a lane that can tell its [`Status`].
pub(crate) trait HasStatus {
    /// Returns the present status of the lane.
    fn status(&self) -> Status;

    /// Returns `true` if the lane is in the state `is`.
    fn is(&self, is: Is) -> bool {
        self.status() >> is as u32 & 1 == 1
    }
}

/// The lanes of a machine, each with the state of one ray.
///
/// The two implementations share nothing: [`Scalar`] has no masks to get wrong, and [`Lockstep`]
/// of width 1 must do what it does, event for event.
pub(crate) trait Lanes {
    /// Type of sets of these lanes.
    type Mask: Mask;
    /// Type of the state of one lane.
    type Lane: HasStatus;
    /// Returns the number of lanes of the machine.
    fn count(&self) -> u32;
    /// Returns the set of all lanes.
    fn all(&self) -> Self::Mask;
    /// Returns the lanes that are in the state `is`.
    fn which(&self, is: Is) -> Self::Mask;
    /// Returns the lanes of `mask` for whose state `wants` returns `true`.
    fn among(&self, mask: Self::Mask, wants: impl Fn(&Self::Lane) -> bool) -> Self::Mask;
    /// Runs `run` on the index and the state of each lane of `mask`, in order.
    fn each(&mut self, mask: Self::Mask, run: impl FnMut(u32, &mut Self::Lane));
}
