//! Lanes that run a schedule: one alone, or a warp in lockstep.

mod lockstep;
mod scalar;

pub(crate) use lockstep::Lockstep;
pub(crate) use scalar::Scalar;

/// A set of lanes that take part.
pub(crate) trait Mask: Copy + Eq {
    /// Set without any lane.
    const NONE: Self;
    /// Returns `true` if any lane takes part.
    fn any(self) -> bool;
    /// Returns the number of lanes that take part.
    fn count(self) -> u32;
    /// Returns one bit a lane, lane 0 lowest.
    fn bits(self) -> u64;
    /// Returns the lanes that are in either set.
    fn or(self, other: Self) -> Self;
    /// Returns the lanes that are in both sets.
    fn and(self, other: Self) -> Self;
    /// Returns the lowest lane alone; no lane of an empty set.
    fn first(self) -> Self;
    /// Returns the lanes that are not in the other set.
    fn without(self, other: Self) -> Self;
}

/// States that a lane may be in; each is a bit of its [`Status`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Is {
    /// The lane has no ray.
    Idle,
    /// The lane has something left to do.
    Alive,
    /// The lane has a ray that has ended.
    Ended,
    /// The lane is able to visit a node now.
    AtInner,
    /// The lane is at a leaf, which it must test or put aside to go on.
    AtLeaf,
    /// The lane is able to test a triangle now.
    HasLeaf,
    /// The lane has triangles left of the leaf that it began.
    InLeaf,
    /// The lane is about to take an entry from its stack, before anything else.
    Exhausted,
}

/// Set of all states that a lane is in, [`Is`] by bit.
pub(crate) type Status = u8;

/// State of a lane that tells its status.
pub(crate) trait HasStatus {
    /// Returns the present status of the lane.
    fn status(&self) -> Status;

    /// Returns `true` if the lane is in state `is`.
    fn is(&self, is: Is) -> bool {
        self.status() >> is as u32 & 1 == 1
    }
}

/// Lanes, each with the state of one ray.
///
/// The two implementations share nothing: [`Scalar`] has no masks to get wrong, and [`Lockstep`]
/// of width 1 must do what it does, event for event.
pub(crate) trait Lanes {
    /// Sets of these lanes.
    type Mask: Mask;
    /// State of one lane.
    type Lane: HasStatus;
    /// Returns the number of lanes.
    fn count(&self) -> u32;
    /// Returns all lanes.
    fn all(&self) -> Self::Mask;
    /// Returns the lanes that are in state `is`.
    fn which(&self, is: Is) -> Self::Mask;
    /// Returns the lanes of `mask` that `wants` says yes to.
    fn among(&self, mask: Self::Mask, wants: impl Fn(&Self::Lane) -> bool) -> Self::Mask;
    /// Runs `run` for each lane of `mask`, in order.
    fn each(&mut self, mask: Self::Mask, run: impl FnMut(u32, &mut Self::Lane));
}
