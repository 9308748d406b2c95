//! WebAssembly's vectors of 128 bits: four lanes in a register, more in several. A mask is a register too, with all
//! bits of a lane set or none.
//!
//! Relaxed instructions stay away: their bits are the machine's choice. Multiply-adds are therefore computed in f64
//! ([`fused`]).
//!
//! A module is compiled for these instructions as a whole or not at all, so that its intrinsics are safe functions.
//!
//! SAFETY of every block here: loads and stores go through references to whole arrays of 16 bytes, at any alignment.

mod fused;

use crate::isa::{Isa, Simd128};
use crate::pair::Pair;
use crate::task::{InstructionSet, TaskOn, sealed};
use crate::vector::{Mask, Vector, Words};
use std::arch::wasm32::*;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

impl sealed::Sealed for Simd128 {}

impl InstructionSet for Simd128 {
    const NATIVE_LANES: usize = 4;
    type F4 = F4;
    type F8 = Pair<F4>;
    type F16 = Pair<Pair<F4>>;

    #[inline(always)]
    fn isa(self) -> Isa {
        Isa::Simd128(self)
    }

    // A function of its own, as in plain Rust: nothing else keeps tasks apart here.
    #[inline(never)]
    fn enter<T: TaskOn<Self>>(self, task: T) -> T::Output {
        task.run_on(self)
    }

    #[inline(always)]
    fn prefetch(self, _: *const u8) {}
}

/// Four f32 values in a register of 128 bits.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct F4(v128);

/// Four u32 values in a register of 128 bits.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct U4(v128);

/// Mask of four lanes in a register of 128 bits: a lane that is set has all bits 1, the others 0.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct M4(v128);

macro_rules! operators {
    ($type:ident, $($trait:ident $method:ident $intrinsic:ident),*) => {
        $(impl $trait for $type {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self($intrinsic(self.0, other.0))
            }
        })*
    };
}

operators!(F4, Add add f32x4_add, Sub sub f32x4_sub, Mul mul f32x4_mul, Div div f32x4_div);
operators!(U4, Add add i32x4_add, Sub sub i32x4_sub, Mul mul i32x4_mul);
operators!(U4, BitAnd bitand v128_and, BitOr bitor v128_or, BitXor bitxor v128_xor);
operators!(M4, BitAnd bitand v128_and, BitOr bitor v128_or, BitXor bitxor v128_xor);

impl Neg for F4 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(f32x4_neg(self.0))
    }
}

impl Not for U4 {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(v128_not(self.0))
    }
}

impl Not for M4 {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(v128_not(self.0))
    }
}

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

/// Each number of four bits with its bits in reverse order.
const REVERSED: [u8; 16] = [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15];

/// Loads 16 bytes.
#[inline(always)]
fn load_bytes(bytes: &[u8; 16]) -> v128 {
    // SAFETY: see the module's text.
    unsafe { v128_load(bytes.as_ptr().cast()) }
}

impl Mask<4> for M4 {
    type Set = Simd128;

    #[inline(always)]
    fn from_bits(_: Simd128, bits: u32) -> Self {
        let lanes = u32x4(1, 2, 4, 8);
        Self(i32x4_eq(v128_and(u32x4_splat(bits), lanes), lanes))
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        u32::from(i32x4_bitmask(self.0))
    }
    #[inline(always)]
    fn any(self) -> bool {
        v128_any_true(self.0)
    }
    #[inline(always)]
    fn all(self) -> bool {
        i32x4_all_true(self.0)
    }
}

impl Vector<4> for F4 {
    type Set = Simd128;
    type Words = U4;
    type Mask = M4;

    #[inline(always)]
    fn set(self) -> Simd128 {
        Simd128(())
    }
    #[inline(always)]
    fn splat(_: Simd128, x: f32) -> Self {
        Self(f32x4_splat(x))
    }
    #[inline(always)]
    fn load(_: Simd128, x: &[f32; 4]) -> Self {
        // SAFETY: see the module's text.
        Self(unsafe { v128_load(x.as_ptr().cast()) })
    }
    #[inline(always)]
    fn store(self) -> [f32; 4] {
        let mut x = [0.0; 4];
        // SAFETY: see the module's text.
        unsafe { v128_store(x.as_mut_ptr().cast(), self.0) };
        x
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Self(fused::multiply_add(self.0, b.0, c.0))
    }
    #[inline(always)]
    fn mul_sub(self, b: Self, c: Self) -> Self {
        self.mul_add(b, -c)
    }
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        (-self).mul_add(b, c)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(f32x4_sqrt(self.0))
    }
    #[inline(always)]
    fn floor(self) -> Self {
        Self(f32x4_floor(self.0))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(f32x4_abs(self.0))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // The instruction takes its second argument where that is less, else its first.
        Self(f32x4_pmin(other.0, self.0))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(f32x4_pmax(other.0, self.0))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> M4 {
        M4(f32x4_lt(self.0, other.0))
    }
    #[inline(always)]
    fn le(self, other: Self) -> M4 {
        M4(f32x4_le(self.0, other.0))
    }
    #[inline(always)]
    fn eq(self, other: Self) -> M4 {
        M4(f32x4_eq(self.0, other.0))
    }
    #[inline(always)]
    fn select(mask: M4, yes: Self, no: Self) -> Self {
        Self(v128_bitselect(yes.0, no.0, mask.0))
    }
    #[inline(always)]
    fn to_bits(self) -> U4 {
        U4(self.0)
    }
    #[inline(always)]
    fn from_bits(bits: U4) -> Self {
        Self(bits.0)
    }
    #[inline(always)]
    fn to_u32(self) -> U4 {
        U4(u32x4_trunc_sat_f32x4(self.0))
    }
    #[inline(always)]
    fn to_i32(self) -> U4 {
        U4(i32x4_trunc_sat_f32x4(self.0))
    }
    #[inline(always)]
    fn from_u32(words: U4) -> Self {
        Self(f32x4_convert_u32x4(words.0))
    }
    #[inline(always)]
    fn from_i32(words: U4) -> Self {
        Self(f32x4_convert_i32x4(words.0))
    }
    #[inline(always)]
    fn compress(self, mask: M4) -> Self {
        Self(self.to_bits().compress(mask).0)
    }
    #[inline(always)]
    fn gather(table: &[f32], index: U4, mask: M4) -> Self {
        let (index, bits, mut lanes) = (index.store(), mask.bits(), [0.0; 4]);
        for lane in 0..4 {
            if bits >> lane & 1 == 1 {
                lanes[lane] = table[index[lane] as usize];
            }
        }
        Self::load(Simd128(()), &lanes)
    }
}

impl Words<4> for U4 {
    type Set = Simd128;
    type Mask = M4;

    #[inline(always)]
    fn set(self) -> Simd128 {
        Simd128(())
    }
    #[inline(always)]
    fn splat(_: Simd128, x: u32) -> Self {
        Self(u32x4_splat(x))
    }
    #[inline(always)]
    fn load(_: Simd128, x: &[u32; 4]) -> Self {
        // SAFETY: see the module's text.
        Self(unsafe { v128_load(x.as_ptr().cast()) })
    }
    #[inline(always)]
    fn store(self) -> [u32; 4] {
        let mut x = [0; 4];
        // SAFETY: see the module's text.
        unsafe { v128_store(x.as_mut_ptr().cast(), self.0) };
        x
    }
    #[inline(always)]
    fn shl(self, count: u32) -> Self {
        // The instruction takes the number modulo 32.
        if count < 32 { Self(u32x4_shl(self.0, count)) } else { Self::splat(Simd128(()), 0) }
    }
    #[inline(always)]
    fn shr(self, count: u32) -> Self {
        if count < 32 { Self(u32x4_shr(self.0, count)) } else { Self::splat(Simd128(()), 0) }
    }
    #[inline(always)]
    fn shl_each(self, counts: Self) -> Self {
        let (mut lanes, counts) = (self.store(), counts.store());
        for lane in 0..4 {
            lanes[lane] = lanes[lane].unbounded_shl(counts[lane]);
        }
        Self::load(Simd128(()), &lanes)
    }
    #[inline(always)]
    fn shr_each(self, counts: Self) -> Self {
        let (mut lanes, counts) = (self.store(), counts.store());
        for lane in 0..4 {
            lanes[lane] = lanes[lane].unbounded_shr(counts[lane]);
        }
        Self::load(Simd128(()), &lanes)
    }
    #[inline(always)]
    fn reverse_bits(self) -> Self {
        let table = load_bytes(&REVERSED);
        let low = u8x16_swizzle(table, v128_and(self.0, u8x16_splat(15)));
        let high = u8x16_swizzle(table, u8x16_shr(self.0, 4));
        let bytes = v128_or(u8x16_shl(low, 4), high);
        Self(u8x16_shuffle::<3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12>(bytes, bytes))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(u32x4_min(self.0, other.0))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(u32x4_max(self.0, other.0))
    }
    #[inline(always)]
    fn eq(self, other: Self) -> M4 {
        M4(i32x4_eq(self.0, other.0))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> M4 {
        M4(u32x4_lt(self.0, other.0))
    }
    #[inline(always)]
    fn lt_signed(self, other: Self) -> M4 {
        M4(i32x4_lt(self.0, other.0))
    }
    #[inline(always)]
    fn select(mask: M4, yes: Self, no: Self) -> Self {
        Self(v128_bitselect(yes.0, no.0, mask.0))
    }
    #[inline(always)]
    fn keep(self, mask: M4) -> Self {
        Self(v128_and(self.0, mask.0))
    }
    #[inline(always)]
    fn compress(self, mask: M4) -> Self {
        Self(u8x16_swizzle(self.0, load_bytes(&PACKED_BYTES[mask.bits() as usize & 15])))
    }
    #[inline(always)]
    fn gather(self, table: &[u32], mask: M4) -> Self {
        let (index, bits, mut lanes) = (self.store(), mask.bits(), [0; 4]);
        for lane in 0..4 {
            if bits >> lane & 1 == 1 {
                lanes[lane] = table[index[lane] as usize];
            }
        }
        Self::load(Simd128(()), &lanes)
    }
    #[inline(always)]
    fn transpose(set: Simd128, rows: [&[u32; 4]; 4]) -> [Self; 4] {
        let (a, b) = (Self::load(set, rows[0]).0, Self::load(set, rows[1]).0);
        let (c, d) = (Self::load(set, rows[2]).0, Self::load(set, rows[3]).0);
        let (low_ab, high_ab) = (u32x4_shuffle::<0, 4, 1, 5>(a, b), u32x4_shuffle::<2, 6, 3, 7>(a, b));
        let (low_cd, high_cd) = (u32x4_shuffle::<0, 4, 1, 5>(c, d), u32x4_shuffle::<2, 6, 3, 7>(c, d));
        [
            Self(u64x2_shuffle::<0, 2>(low_ab, low_cd)),
            Self(u64x2_shuffle::<1, 3>(low_ab, low_cd)),
            Self(u64x2_shuffle::<0, 2>(high_ab, high_cd)),
            Self(u64x2_shuffle::<1, 3>(high_ab, high_cd)),
        ]
    }
}
