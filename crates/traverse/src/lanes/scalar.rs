//! Single lane without masks: the reference for warps.

use super::{HasStatus, Is, Lanes, Mask};

/// A machine of one lane.
pub(crate) struct Scalar<L>(pub L);

impl Mask for bool {
    const NONE: Self = false;

    fn any(self) -> bool {
        self
    }

    fn count(self) -> u32 {
        u32::from(self)
    }

    fn bits(self) -> u64 {
        u64::from(self)
    }

    fn or(self, other: Self) -> Self {
        self || other
    }

    fn and(self, other: Self) -> Self {
        self && other
    }

    fn first(self) -> Self {
        self
    }

    fn without(self, other: Self) -> Self {
        self && !other
    }
}

impl<L: HasStatus> Lanes for Scalar<L> {
    type Mask = bool;
    type Lane = L;

    fn count(&self) -> u32 {
        1
    }

    fn all(&self) -> bool {
        true
    }

    fn which(&self, is: Is) -> bool {
        self.0.is(is)
    }

    fn among(&self, mask: bool, wants: impl Fn(&L) -> bool) -> bool {
        mask && wants(&self.0)
    }

    fn each(&mut self, mask: bool, mut run: impl FnMut(u32, &mut L)) {
        if mask {
            run(0, &mut self.0);
        }
    }
}
