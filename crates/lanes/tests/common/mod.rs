//! Random lanes of every kind, comparisons with scalars, and a way to run a check at every width of every instruction set
//! of this CPU.

use raywarp_lanes::{InstructionSet, Isa, Mask, Task, Vector};
use raywarp_testing::Random;

/// Rounds of random lanes an operation; each has every kind of number.
pub const ROUNDS: usize = 4000;

/// Random lanes.
pub struct Lanes(Random);

impl Lanes {
    pub fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    pub fn next(&mut self) -> u32 {
        self.0.word()
    }

    /// A float of any kind: NaN, infinities, zeros, denormals, ends of the ranges of integers, halfway numbers, or any bits.
    pub fn float(&mut self) -> f32 {
        const SPECIAL: [f32; 26] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            -f32::NAN,
            f32::MIN_POSITIVE,
            -f32::MIN_POSITIVE,
            f32::MAX,
            f32::MIN,
            2_147_483_648.0,
            -2_147_483_648.0,
            2_147_483_520.0,
            -2_147_483_904.0,
            4_294_967_296.0,
            4_294_967_040.0,
            0.5,
            -0.5,
            0.999_999_94,
            -0.999_999_94,
            8_388_607.5,
            8_388_609.0,
            -8_388_607.5,
            16_777_216.0,
        ];
        match self.next() % 8 {
            0 | 1 => SPECIAL[self.next() as usize % SPECIAL.len()],
            // Denormals, and NaNs of any payload.
            2 => f32::from_bits(self.next() & 0x807f_ffff),
            3 => f32::from_bits(self.next() | 0x7f80_0000),
            // Sizes that sums and products meet in practice.
            4..=6 => f32::from_bits(self.next() & 0x83ff_ffff | (0x3c00_0000 + (self.next() & 0x03ff_ffff))),
            _ => f32::from_bits(self.next()),
        }
    }

    pub fn word(&mut self) -> u32 {
        match self.next() % 4 {
            0 => self.next() % 70,
            1 => [0, 1, u32::MAX, 1 << 31, i32::MAX as u32, 0x0100_0001, 0xffff_ff80][self.next() as usize % 7],
            _ => self.next(),
        }
    }

    pub fn floats<const N: usize>(&mut self) -> [f32; N] {
        std::array::from_fn(|_| self.float())
    }

    pub fn words<const N: usize>(&mut self) -> [u32; N] {
        std::array::from_fn(|_| self.word())
    }

    /// A mask, often with few lanes or all.
    pub fn mask<const N: usize>(&mut self) -> u32 {
        let bits = match self.next() % 5 {
            0 => 0,
            1 => u32::MAX,
            2 => 1 << (self.next() % 32),
            _ => self.next(),
        };
        bits & (u32::MAX >> (32 - N))
    }
}

/// Lane by lane the same bits. Of NaN that arithmetic made any will do.
#[track_caller]
pub fn same<const N: usize>(what: &str, got: [f32; N], want: impl Fn(usize) -> f32) {
    for lane in 0..N {
        let (got, want) = (got[lane], want(lane));
        let agrees = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
        assert!(agrees, "{what}, lane {lane} of {N}: {got:?} ({:#x}), want {want:?}", got.to_bits());
    }
}

/// Lane by lane the same bits, those of NaN too.
#[track_caller]
pub fn identical<const N: usize>(what: &str, got: [f32; N], want: impl Fn(usize) -> f32) {
    words(what, got.map(f32::to_bits), |lane| want(lane).to_bits());
}

/// Lane by lane the same words.
#[track_caller]
pub fn words<const N: usize>(what: &str, got: [u32; N], want: impl Fn(usize) -> u32) {
    for lane in 0..N {
        let want = want(lane);
        assert_eq!(got[lane], want, "{what}, lane {lane} of {N}: {:#x}, want {want:#x}", got[lane]);
    }
}

/// Lane by lane the same truths, and no bits behind them.
#[track_caller]
pub fn truths<const N: usize>(what: &str, got: impl Mask<N>, want: impl Fn(usize) -> bool) {
    let want = (0..N).fold(0, |bits, lane| bits | u32::from(want(lane)) << lane);
    assert_eq!(got.bits(), want, "{what} of {N} lanes: {:#b}, want {want:#b}", got.bits());
}

/// A check for one width of one instruction set.
pub trait Check {
    fn check<V: Vector<N>, const N: usize>(&self, set: V::Set);
}

/// Runs a check at every width.
struct EveryWidth<'a, C>(&'a C);

impl<C: Check> Task for EveryWidth<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run<S: InstructionSet>(self, set: S) {
        self.0.check::<S::F4, 4>(set);
        self.0.check::<S::F8, 8>(set);
        self.0.check::<S::F16, 16>(set);
    }
}

pub fn everywhere(check: &impl Check) {
    for isa in Isa::all() {
        println!("{isa}");
        isa.run(EveryWidth(check));
    }
}
