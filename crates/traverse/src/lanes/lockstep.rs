//! A warp of 1 to 64 lanes in lockstep.

use super::{Lanes, Mask};

/// A set of lanes as bits, lane 0 lowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LaneMask(u64);

impl Mask for LaneMask {
    const NONE: Self = Self(0);

    fn any(self) -> bool {
        self.0 != 0
    }

    fn count(self) -> u32 {
        self.0.count_ones()
    }

    fn bits(self) -> u64 {
        self.0
    }

    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

/// The lanes of a warp.
pub(crate) struct Lockstep<L>(pub Vec<L>);

impl<L> Lanes for Lockstep<L> {
    type Mask = LaneMask;
    type Lane = L;

    fn count(&self) -> u32 {
        self.0.len() as u32
    }

    fn filter(&self, wants: impl Fn(&L) -> bool) -> LaneMask {
        LaneMask(self.0.iter().enumerate().fold(0, |mask, (i, lane)| mask | u64::from(wants(lane)) << i))
    }

    fn each(&mut self, mask: LaneMask, mut run: impl FnMut(u32, &mut L)) {
        let mut left = mask.0;
        while left != 0 {
            let lane = left.trailing_zeros();
            left &= left - 1;
            run(lane, &mut self.0[lane as usize]);
        }
    }
}
