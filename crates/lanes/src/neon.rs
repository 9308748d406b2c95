//! NEON of 64-bit ARM: four lanes in a register, more in several. A mask is a register too, with all bits of a lane set
//! or none.
//!
//! SAFETY of every block here that says no more: a value of `Neon` is made by its `detect` alone, after it saw the
//! instructions on this CPU, and a vector or mask by a function that was given one. Loads and stores go through
//! references to whole arrays.

use crate::isa::{Isa, Neon};
use crate::pair::Pair;
use crate::task::{InstructionSet, TaskOn, sealed};
use crate::vector::{Mask, Vector, Words};
use std::arch::aarch64::*;
use std::arch::asm;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

impl sealed::Sealed for Neon {}

impl InstructionSet for Neon {
    const NATIVE_LANES: usize = 4;
    type F4 = F4;
    type F8 = Pair<F4>;
    type F16 = Pair<Pair<F4>>;

    #[inline(always)]
    fn isa(self) -> Isa {
        Isa::Neon(self)
    }

    #[inline]
    fn enter<T: TaskOn<Self>>(self, task: T) -> T::Output {
        #[target_feature(enable = "neon")]
        fn entered<T: TaskOn<Neon>>(set: Neon, task: T) -> T::Output {
            task.run_on(set)
        }
        // SAFETY: `detect` saw it.
        unsafe { entered(self, task) }
    }

    #[inline(always)]
    fn prefetch(self, address: *const u8) {
        // SAFETY: a prefetch faults on no address and changes nothing.
        unsafe { asm!("prfm pldl1keep, [{}]", in(reg) address, options(nostack, preserves_flags)) }
    }
}

/// Four f32 values in a NEON register.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct F4(float32x4_t);

/// Four u32 values in a NEON register.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct U4(uint32x4_t);

/// Mask of four lanes in a NEON register: a lane that is set has all bits 1, the others 0.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct M4(uint32x4_t);

macro_rules! operators {
    ($type:ident, $($trait:ident $method:ident $intrinsic:ident),*) => {
        $(impl $trait for $type {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: see the module's text.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        })*
    };
}

operators!(F4, Add add vaddq_f32, Sub sub vsubq_f32, Mul mul vmulq_f32, Div div vdivq_f32);
operators!(U4, Add add vaddq_u32, Sub sub vsubq_u32, Mul mul vmulq_u32);
operators!(U4, BitAnd bitand vandq_u32, BitOr bitor vorrq_u32, BitXor bitxor veorq_u32);
operators!(M4, BitAnd bitand vandq_u32, BitOr bitor vorrq_u32, BitXor bitxor veorq_u32);

impl Neg for F4 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: see the module's text.
        Self(unsafe { vnegq_f32(self.0) })
    }
}

impl Not for U4 {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: see the module's text.
        Self(unsafe { vmvnq_u32(self.0) })
    }
}

impl Not for M4 {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: see the module's text.
        Self(unsafe { vmvnq_u32(self.0) })
    }
}

/// Bit that each lane has in a mask of bits.
const LANE_BITS: [u32; 4] = [1, 2, 4, 8];

/// Byte indices that pack the lanes of each 4-bit mask to the front by a table look-up; the rest are 255, which yields
/// zero.
const PACKED_BYTES: [[u8; 16]; 16] = {
    let mut table = [[255; 16]; 16];
    let mut mask = 0;
    while mask < 16 {
        let (mut lane, mut place) = (0, 0);
        while lane < 4 {
            if mask >> lane & 1 == 1 {
                let mut byte = 0;
                while byte < 4 {
                    table[mask][4 * place + byte] = (4 * lane + byte) as u8;
                    byte += 1;
                }
                place += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

impl Mask<4> for M4 {
    type Set = Neon;

    #[inline(always)]
    fn from_bits(_: Neon, bits: u32) -> Self {
        // SAFETY: see the module's text.
        Self(unsafe { vtstq_u32(vdupq_n_u32(bits), vld1q_u32(LANE_BITS.as_ptr())) })
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        // SAFETY: see the module's text.
        unsafe { vaddvq_u32(vandq_u32(self.0, vld1q_u32(LANE_BITS.as_ptr()))) }
    }
}

impl Vector<4> for F4 {
    type Set = Neon;
    type Words = U4;
    type Mask = M4;

    #[inline(always)]
    fn set(self) -> Neon {
        Neon(())
    }
    #[inline(always)]
    fn splat(_: Neon, x: f32) -> Self {
        // SAFETY: see the module's text.
        Self(unsafe { vdupq_n_f32(x) })
    }
    #[inline(always)]
    fn load(_: Neon, x: &[f32; 4]) -> Self {
        // SAFETY: see the module's text.
        Self(unsafe { vld1q_f32(x.as_ptr()) })
    }
    #[inline(always)]
    fn store(self) -> [f32; 4] {
        let mut x = [0.0; 4];
        // SAFETY: see the module's text.
        unsafe { vst1q_f32(x.as_mut_ptr(), self.0) };
        x
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        // SAFETY: see the module's text.
        Self(unsafe { vfmaq_f32(c.0, self.0, b.0) })
    }
    #[inline(always)]
    fn mul_sub(self, b: Self, c: Self) -> Self {
        self.mul_add(b, -c)
    }
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        // SAFETY: see the module's text.
        Self(unsafe { vfmsq_f32(c.0, self.0, b.0) })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: see the module's text.
        Self(unsafe { vsqrtq_f32(self.0) })
    }
    #[inline(always)]
    fn floor(self) -> Self {
        // SAFETY: see the module's text.
        Self(unsafe { vrndmq_f32(self.0) })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: see the module's text.
        Self(unsafe { vabsq_f32(self.0) })
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // The instruction for minima knows other answers for NaN and zeros.
        Self::select(self.lt(other), self, other)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(other.lt(self), self, other)
    }
    #[inline(always)]
    fn lt(self, other: Self) -> M4 {
        // SAFETY: see the module's text.
        M4(unsafe { vcltq_f32(self.0, other.0) })
    }
    #[inline(always)]
    fn le(self, other: Self) -> M4 {
        // SAFETY: see the module's text.
        M4(unsafe { vcleq_f32(self.0, other.0) })
    }
    #[inline(always)]
    fn eq(self, other: Self) -> M4 {
        // SAFETY: see the module's text.
        M4(unsafe { vceqq_f32(self.0, other.0) })
    }
    #[inline(always)]
    fn select(mask: M4, yes: Self, no: Self) -> Self {
        // SAFETY: see the module's text.
        Self(unsafe { vbslq_f32(mask.0, yes.0, no.0) })
    }
    #[inline(always)]
    fn to_bits(self) -> U4 {
        // SAFETY: see the module's text.
        U4(unsafe { vreinterpretq_u32_f32(self.0) })
    }
    #[inline(always)]
    fn from_bits(bits: U4) -> Self {
        // SAFETY: see the module's text.
        Self(unsafe { vreinterpretq_f32_u32(bits.0) })
    }
    #[inline(always)]
    fn to_u32(self) -> U4 {
        // SAFETY: see the module's text.
        U4(unsafe { vcvtq_u32_f32(self.0) })
    }
    #[inline(always)]
    fn to_i32(self) -> U4 {
        // SAFETY: see the module's text.
        U4(unsafe { vreinterpretq_u32_s32(vcvtq_s32_f32(self.0)) })
    }
    #[inline(always)]
    fn from_u32(words: U4) -> Self {
        // SAFETY: see the module's text.
        Self(unsafe { vcvtq_f32_u32(words.0) })
    }
    #[inline(always)]
    fn from_i32(words: U4) -> Self {
        // SAFETY: see the module's text.
        Self(unsafe { vcvtq_f32_s32(vreinterpretq_s32_u32(words.0)) })
    }
    #[inline(always)]
    fn compress(self, mask: M4) -> Self {
        Vector::from_bits(self.to_bits().compress(mask))
    }
    #[inline(always)]
    fn gather(table: &[f32], index: U4, mask: M4) -> Self {
        let (index, bits, mut lanes) = (index.store(), mask.bits(), [0.0; 4]);
        for lane in 0..4 {
            if bits >> lane & 1 == 1 {
                lanes[lane] = table[index[lane] as usize];
            }
        }
        Self::load(Neon(()), &lanes)
    }
}

impl Words<4> for U4 {
    type Set = Neon;
    type Mask = M4;

    #[inline(always)]
    fn set(self) -> Neon {
        Neon(())
    }
    #[inline(always)]
    fn splat(_: Neon, x: u32) -> Self {
        // SAFETY: see the module's text.
        Self(unsafe { vdupq_n_u32(x) })
    }
    #[inline(always)]
    fn load(_: Neon, x: &[u32; 4]) -> Self {
        // SAFETY: see the module's text.
        Self(unsafe { vld1q_u32(x.as_ptr()) })
    }
    #[inline(always)]
    fn store(self) -> [u32; 4] {
        let mut x = [0; 4];
        // SAFETY: see the module's text.
        unsafe { vst1q_u32(x.as_mut_ptr(), self.0) };
        x
    }
    #[inline(always)]
    fn shl(self, count: u32) -> Self {
        // SAFETY: see the module's text; the instruction knows numbers of a byte.
        Self(unsafe { vshlq_u32(self.0, vdupq_n_s32(count.min(32).cast_signed())) })
    }
    #[inline(always)]
    fn shr(self, count: u32) -> Self {
        // SAFETY: see the module's text; the instruction shifts down by negative numbers, of a byte.
        Self(unsafe { vshlq_u32(self.0, vdupq_n_s32(-count.min(32).cast_signed())) })
    }
    #[inline(always)]
    fn shl_each(self, counts: Self) -> Self {
        // SAFETY: see the module's text; the instruction knows numbers of a byte.
        Self(unsafe { vshlq_u32(self.0, vreinterpretq_s32_u32(vminq_u32(counts.0, vdupq_n_u32(32)))) })
    }
    #[inline(always)]
    fn shr_each(self, counts: Self) -> Self {
        // SAFETY: see the module's text; the instruction shifts down by negative numbers, of a byte.
        Self(unsafe {
            let counts = vreinterpretq_s32_u32(vminq_u32(counts.0, vdupq_n_u32(32)));
            vshlq_u32(self.0, vnegq_s32(counts))
        })
    }
    #[inline(always)]
    fn reverse_bits(self) -> Self {
        // SAFETY: see the module's text.
        Self(unsafe { vreinterpretq_u32_u8(vrev32q_u8(vrbitq_u8(vreinterpretq_u8_u32(self.0)))) })
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: see the module's text.
        Self(unsafe { vminq_u32(self.0, other.0) })
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: see the module's text.
        Self(unsafe { vmaxq_u32(self.0, other.0) })
    }
    #[inline(always)]
    fn eq(self, other: Self) -> M4 {
        // SAFETY: see the module's text.
        M4(unsafe { vceqq_u32(self.0, other.0) })
    }
    #[inline(always)]
    fn lt(self, other: Self) -> M4 {
        // SAFETY: see the module's text.
        M4(unsafe { vcltq_u32(self.0, other.0) })
    }
    #[inline(always)]
    fn select(mask: M4, yes: Self, no: Self) -> Self {
        // SAFETY: see the module's text.
        Self(unsafe { vbslq_u32(mask.0, yes.0, no.0) })
    }
    #[inline(always)]
    fn compress(self, mask: M4) -> Self {
        // SAFETY: see the module's text; a mask of four lanes has 16 values, and a row has 16 bytes.
        Self(unsafe {
            let places = vld1q_u8(PACKED_BYTES[mask.bits() as usize & 15].as_ptr());
            vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(self.0), places))
        })
    }
    #[inline(always)]
    fn gather(self, table: &[u32], mask: M4) -> Self {
        let (index, bits, mut lanes) = (self.store(), mask.bits(), [0; 4]);
        for lane in 0..4 {
            if bits >> lane & 1 == 1 {
                lanes[lane] = table[index[lane] as usize];
            }
        }
        Self::load(Neon(()), &lanes)
    }
    #[inline(always)]
    fn transpose(set: Neon, rows: [&[u32; 4]; 4]) -> [Self; 4] {
        let (a, b) = (Self::load(set, rows[0]), Self::load(set, rows[1]));
        let (c, d) = (Self::load(set, rows[2]), Self::load(set, rows[3]));
        // SAFETY: see the module's text.
        unsafe {
            let (even_ab, odd_ab) = (vtrn1q_u32(a.0, b.0), vtrn2q_u32(a.0, b.0));
            let (even_cd, odd_cd) = (vtrn1q_u32(c.0, d.0), vtrn2q_u32(c.0, d.0));
            [
                Self(lower_halves(even_ab, even_cd)),
                Self(lower_halves(odd_ab, odd_cd)),
                Self(upper_halves(even_ab, even_cd)),
                Self(upper_halves(odd_ab, odd_cd)),
            ]
        }
    }
}

/// Returns the first two lanes of `a`, then those of `b`.
#[inline(always)]
fn lower_halves(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
    // SAFETY: who has registers of NEON has its instructions.
    unsafe { vreinterpretq_u32_u64(vtrn1q_u64(vreinterpretq_u64_u32(a), vreinterpretq_u64_u32(b))) }
}

/// Returns the last two lanes of `a`, then those of `b`.
#[inline(always)]
fn upper_halves(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
    // SAFETY: who has registers of NEON has its instructions.
    unsafe { vreinterpretq_u32_u64(vtrn2q_u64(vreinterpretq_u64_u32(a), vreinterpretq_u64_u32(b))) }
}
