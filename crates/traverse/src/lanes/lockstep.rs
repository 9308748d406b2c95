//! Warp of 1 to 64 lanes in lockstep.

use super::{HasStatus, Is, Lanes, Mask, Status};

/// A set of lanes as a bit mask, with lane 0 in the lowest bit.
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

    fn first(self) -> Self {
        Self(self.0 & self.0.wrapping_neg())
    }

    fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// The lanes of a warp that runs in lockstep.
///
/// What each is stands beside them, a byte a lane: schedules ask for it several times a step, and lanes are large.
pub(crate) struct Lockstep<L> {
    lanes: Vec<L>,
    status: [Status; 64],
}

impl<L: HasStatus> Lockstep<L> {
    /// Makes a warp of the given lanes, at most 64.
    pub fn new(lanes: Vec<L>) -> Self {
        let mut status = [0; 64];
        for (status, lane) in status.iter_mut().zip(&lanes) {
            *status = lane.status();
        }
        Self { lanes, status }
    }
}

/// Mask of the lowest bit of each byte.
const LOWEST: u64 = 0x0101_0101_0101_0101;
/// Factor that gathers the lowest bits of eight bytes in the highest byte: bit `i` of it is byte `i`'s.
const GATHER: u64 = 0x0102_0408_1020_4080;

impl<L: HasStatus> Lanes for Lockstep<L> {
    type Mask = LaneMask;
    type Lane = L;

    fn count(&self) -> u32 {
        self.lanes.len() as u32
    }

    fn all(&self) -> LaneMask {
        LaneMask((1u64 << (self.lanes.len() - 1) << 1).wrapping_sub(1))
    }

    #[inline]
    fn which(&self, is: Is) -> LaneMask {
        let (eights, _) = self.status.as_chunks::<8>();
        let used = self.lanes.len().div_ceil(8);
        let bits = |eight: &[u8; 8]| (u64::from_le_bytes(*eight) >> is as u32 & LOWEST).wrapping_mul(GATHER) >> 56;
        let mask = eights.iter().take(used).rev().fold(0, |mask, eight| mask << 8 | bits(eight));
        debug_assert_eq!(mask, self.among(self.all(), |lane| lane.is(is)).0, "{is:?}");
        LaneMask(mask)
    }

    fn among(&self, mask: LaneMask, wants: impl Fn(&L) -> bool) -> LaneMask {
        let mut found = 0;
        let mut left = mask.0;
        while left != 0 {
            let lane = left.trailing_zeros();
            left &= left - 1;
            found |= u64::from(wants(&self.lanes[lane as usize])) << lane;
        }
        LaneMask(found)
    }

    #[inline]
    fn each(&mut self, mask: LaneMask, mut run: impl FnMut(u32, &mut L)) {
        let mut left = mask.0;
        while left != 0 {
            let number = left.trailing_zeros();
            left &= left - 1;
            let lane = &mut self.lanes[number as usize];
            run(number, lane);
            self.status[number as usize] = lane.status();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Byte(u8);

    impl HasStatus for Byte {
        fn status(&self) -> Status {
            self.0
        }
    }

    #[test]
    fn a_lane_is_what_it_says_after_it_has_run() {
        let all = [Is::Idle, Is::Alive, Is::Ended, Is::AtInner, Is::AtLeaf, Is::HasLeaf, Is::InLeaf, Is::Exhausted];
        for width in [1, 7, 8, 9, 32, 63, 64] {
            let mut lanes = Lockstep::new((0..width).map(|i| Byte(1 << (i % 8))).collect());
            assert_eq!(lanes.all().count(), width);
            let want = |is: Is, of: &dyn Fn(u32) -> u8| (0..width).filter(|&i| of(i) >> is as u32 & 1 == 1).collect();
            let got = |mask: LaneMask| (0..64).filter(|i| mask.bits() >> i & 1 == 1).collect::<Vec<u32>>();
            for is in all {
                let wanted: Vec<u32> = want(is, &|i| 1 << (i % 8));
                assert_eq!(got(lanes.which(is)), wanted, "{is:?} of {width}");
            }
            let some = lanes.among(lanes.all(), |lane| lane.0 != 4);
            lanes.each(some, |_, lane| lane.0 ^= 0xff);
            for is in all {
                let wanted: Vec<u32> = want(is, &|i| if i % 8 != 2 { !(1 << (i % 8)) } else { 1 << (i % 8) });
                assert_eq!(got(lanes.which(is)), wanted, "{is:?} of {width}");
            }
        }
    }
}
