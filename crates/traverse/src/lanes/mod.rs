//! Who runs a schedule: one lane, or a warp in lockstep.

mod lockstep;
mod scalar;

pub(crate) use lockstep::Lockstep;
pub(crate) use scalar::Scalar;

/// A set of lanes that take part.
pub(crate) trait Mask: Copy + Eq {
    /// No lane.
    const NONE: Self;
    /// Whether any takes part.
    fn any(self) -> bool;
    /// How many take part.
    fn count(self) -> u32;
    /// One bit a lane, lane 0 lowest.
    fn bits(self) -> u64;
    /// Those in either.
    fn or(self, other: Self) -> Self;
    /// Those in both.
    fn and(self, other: Self) -> Self;
    /// The lowest, alone; none of none.
    fn first(self) -> Self;
    /// Those that are not in the other.
    fn without(self, other: Self) -> Self;
}

/// What a lane may be; each is a bit of its [`Status`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Is {
    /// Without a ray.
    Idle,
    /// With something left to do.
    Alive,
    /// With a ray that has ended.
    Ended,
    /// Able to visit a node now.
    AtInner,
    /// At a leaf, which it must test or put aside to go on.
    AtLeaf,
    /// Able to test a triangle now.
    HasLeaf,
    /// With triangles left of the leaf that it began.
    InLeaf,
    /// About to take an entry from its stack, before anything else.
    Exhausted,
}

/// All that a lane is, [`Is`] by bit.
pub(crate) type Status = u8;

/// What lanes hold.
pub(crate) trait HasStatus {
    /// What the lane is now.
    fn status(&self) -> Status;

    /// Whether it is that.
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
    /// What a lane holds.
    type Lane: HasStatus;
    /// How many lanes there are.
    fn count(&self) -> u32;
    /// All of them.
    fn all(&self) -> Self::Mask;
    /// The lanes that are `is`.
    fn which(&self, is: Is) -> Self::Mask;
    /// The lanes of `mask` that `wants` says yes to.
    fn among(&self, mask: Self::Mask, wants: impl Fn(&Self::Lane) -> bool) -> Self::Mask;
    /// Runs `run` for each lane of `mask`, in order.
    fn each(&mut self, mask: Self::Mask, run: impl FnMut(u32, &mut Self::Lane));
}
