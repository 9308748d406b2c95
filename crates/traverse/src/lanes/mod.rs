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
}

/// Lanes, each with the state of one ray.
///
/// The two implementations share nothing: [`Scalar`] has no masks to get wrong, and [`Lockstep`]
/// of width 1 must do what it does, event for event.
pub(crate) trait Lanes {
    /// Sets of these lanes.
    type Mask: Mask;
    /// What a lane holds.
    type Lane;
    /// How many lanes there are.
    fn count(&self) -> u32;
    /// The lanes that `wants` says yes to.
    fn filter(&self, wants: impl Fn(&Self::Lane) -> bool) -> Self::Mask;
    /// Runs `run` for each lane of `mask`, in order.
    fn each(&mut self, mask: Self::Mask, run: impl FnMut(u32, &mut Self::Lane));
}
