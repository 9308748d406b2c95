//! Types that generic code computes with: floats, words and masks of `N` lanes.
//!
//! Lane 0 is the first entry of an array and the lowest bit of a mask's bits.

use crate::task::InstructionSet;
use std::fmt::Debug;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// A truth for each of `N` lanes.
pub trait Mask<const N: usize>:
    Copy + Debug + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    /// Instruction set that the mask belongs to.
    type Set: InstructionSet;

    /// Sets lane `i` from bit `i`; bits from `N` on do not count.
    fn from_bits(set: Self::Set, bits: u32) -> Self;

    /// Returns the lanes as bits, bit `i` from lane `i`; bits from `N` on are 0.
    fn bits(self) -> u32;

    /// Returns the lanes below `count`: all from `N` on.
    #[inline(always)]
    fn first(set: Self::Set, count: usize) -> Self {
        Self::from_bits(set, if count < N { (1 << count) - 1 } else { u32::MAX })
    }

    /// Returns `true` if a lane is true.
    #[inline(always)]
    fn any(self) -> bool {
        self.bits() != 0
    }

    /// Returns `true` if every lane is true.
    #[inline(always)]
    fn all(self) -> bool {
        self.bits() == u32::MAX >> (32 - N)
    }

    /// Returns the number of lanes that are true.
    #[inline(always)]
    fn count(self) -> usize {
        self.bits().count_ones() as usize
    }
}

/// `N` floats of 32 bits. The operators round once, to nearest; nothing is fused that does not say so.
pub trait Vector<const N: usize>:
    Copy + Debug + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// Instruction set that the vector belongs to.
    type Set: InstructionSet;
    /// Vector of as many words.
    type Words: Words<N, Set = Self::Set, Mask = Self::Mask>;
    /// Mask of as many lanes.
    type Mask: Mask<N, Set = Self::Set>;

    /// Returns the instruction set, which a vector proves to be there.
    fn set(self) -> Self::Set;

    /// Returns all lanes `x`.
    fn splat(set: Self::Set, x: f32) -> Self;

    /// Loads lane `i` from `x[i]`.
    fn load(set: Self::Set, x: &[f32; N]) -> Self;

    /// Stores lane `i` in entry `i`.
    fn store(self) -> [f32; N];

    /// Loads lane `i` from `x[i]`, where there is one; the other lanes are 0.
    #[inline(always)]
    fn load_part(set: Self::Set, x: &[f32]) -> Self {
        if let Some(all) = x.first_chunk() {
            return Self::load(set, all);
        }
        let mut lanes = [0.0; N];
        lanes[..x.len()].copy_from_slice(x);
        Self::load(set, &lanes)
    }

    /// Stores lane `i` in `target[i]`, where there is one.
    #[inline(always)]
    fn store_part(self, target: &mut [f32]) {
        let lanes = self.store();
        let count = target.len().min(N);
        target[..count].copy_from_slice(&lanes[..count]);
    }

    /// Returns `self * b + c`, rounded once.
    fn mul_add(self, b: Self, c: Self) -> Self;

    /// Returns `self * b - c`, rounded once.
    fn mul_sub(self, b: Self, c: Self) -> Self;

    /// Returns `c - self * b`, rounded once.
    fn neg_mul_add(self, b: Self, c: Self) -> Self;

    /// Returns the square root, rounded once.
    fn sqrt(self) -> Self;

    /// Returns the largest integer that is not larger; zeros, infinities and NaN stay.
    fn floor(self) -> Self;

    /// Removes the sign of each lane, also of NaN.
    fn abs(self) -> Self;

    /// Returns `if self < other { self } else { other }`: `other` if either is NaN or both are zeros. [`f32::min`] has
    /// another order of NaN.
    fn min(self, other: Self) -> Self;

    /// Returns `if self > other { self } else { other }`: `other` if either is NaN or both are zeros.
    fn max(self, other: Self) -> Self;

    /// Returns `self < other`; false with a NaN.
    fn lt(self, other: Self) -> Self::Mask;

    /// Returns `self <= other`; false with a NaN.
    fn le(self, other: Self) -> Self::Mask;

    /// Returns `self == other`; false with a NaN.
    fn eq(self, other: Self) -> Self::Mask;

    /// Returns `self > other`; false with a NaN.
    #[inline(always)]
    fn gt(self, other: Self) -> Self::Mask {
        other.lt(self)
    }

    /// Returns `self >= other`; false with a NaN.
    #[inline(always)]
    fn ge(self, other: Self) -> Self::Mask {
        other.le(self)
    }

    /// Returns the lanes in `mask` from `yes`, the others from `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// Returns the bits of each lane.
    fn to_bits(self) -> Self::Words;

    /// Floats of these bits.
    fn from_bits(bits: Self::Words) -> Self;

    /// Converts each lane as Rust's `as u32`: towards zero; 0 for NaN and below, the largest above.
    fn to_u32(self) -> Self::Words;

    /// Converts each lane as Rust's `as i32`, in two's complement: towards zero, to the nearest there is; 0 for NaN.
    fn to_i32(self) -> Self::Words;

    /// Returns the nearest float of each word.
    fn from_u32(words: Self::Words) -> Self;

    /// Returns the nearest float of each word, as a signed number in two's complement.
    fn from_i32(words: Self::Words) -> Self;

    /// Returns the lanes in `mask` side by side from lane 0 on, in their order; the lanes after them are 0.
    fn compress(self, mask: Self::Mask) -> Self;

    /// Writes [`Vector::compress`] to the first `N` entries of `target`, zeros after the packed lanes included, and
    /// returns how many are packed: where the next ones go.
    ///
    /// # Panics
    /// If `target` has fewer than `N` entries.
    #[inline(always)]
    fn compress_to(self, mask: Self::Mask, target: &mut [f32]) -> usize {
        *target.first_chunk_mut().expect("room for every lane") = self.compress(mask).store();
        mask.count()
    }

    /// Returns `table[index]` in the lanes of `mask`; the other lanes are 0, and their index may be anything.
    ///
    /// # Panics
    /// If an index in `mask` lies outside of `table`.
    fn gather(table: &[f32], index: Self::Words, mask: Self::Mask) -> Self;
}

/// `N` unsigned integers of 32 bits. Sums, differences and products are taken modulo 2^32.
pub trait Words<const N: usize>:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    /// Instruction set that the words belong to.
    type Set: InstructionSet;
    /// Mask of as many lanes.
    type Mask: Mask<N, Set = Self::Set>;

    /// Returns the instruction set, which words prove to be there.
    fn set(self) -> Self::Set;

    /// Returns all lanes `x`.
    fn splat(set: Self::Set, x: u32) -> Self;

    /// Loads lane `i` from `x[i]`.
    fn load(set: Self::Set, x: &[u32; N]) -> Self;

    /// Stores lane `i` in entry `i`.
    fn store(self) -> [u32; N];

    /// Loads lane `i` from `x[i]`, where there is one; the other lanes are 0.
    #[inline(always)]
    fn load_part(set: Self::Set, x: &[u32]) -> Self {
        if let Some(all) = x.first_chunk() {
            return Self::load(set, all);
        }
        let mut lanes = [0; N];
        lanes[..x.len()].copy_from_slice(x);
        Self::load(set, &lanes)
    }

    /// Stores lane `i` in `target[i]`, where there is one.
    #[inline(always)]
    fn store_part(self, target: &mut [u32]) {
        let lanes = self.store();
        let count = target.len().min(N);
        target[..count].copy_from_slice(&lanes[..count]);
    }

    /// Returns the numbers of the lanes: 0, 1, 2, ...
    #[inline(always)]
    fn count_up(set: Self::Set) -> Self {
        let mut lanes = [0; N];
        for lane in 0..N {
            lanes[lane] = lane as u32;
        }
        Self::load(set, &lanes)
    }

    /// Shifts each lane by `count` bits up; 0 from 32 bits on.
    fn shl(self, count: u32) -> Self;

    /// Shifts each lane by `count` bits down; 0 from 32 bits on.
    fn shr(self, count: u32) -> Self;

    /// Shifts each lane by its own number of bits up; 0 from 32 bits on.
    fn shl_each(self, counts: Self) -> Self;

    /// Shifts each lane by its own number of bits down; 0 from 32 bits on.
    fn shr_each(self, counts: Self) -> Self;

    /// Reverses the order of the bits in each lane.
    fn reverse_bits(self) -> Self;

    /// Returns the smaller one.
    fn min(self, other: Self) -> Self;

    /// Returns the larger one.
    fn max(self, other: Self) -> Self;

    /// Compares lane by lane: `self == other`.
    fn eq(self, other: Self) -> Self::Mask;

    /// Compares lane by lane: `self < other`.
    fn lt(self, other: Self) -> Self::Mask;

    /// Returns `self < other`, both as signed numbers in two's complement.
    #[inline(always)]
    fn lt_signed(self, other: Self) -> Self::Mask {
        let sign = Self::splat(self.set(), 1 << 31);
        (self ^ sign).lt(other ^ sign)
    }

    /// Returns the lanes in `mask` from `yes`, the others from `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// Returns the lanes in `mask`; the others are 0.
    #[inline(always)]
    fn keep(self, mask: Self::Mask) -> Self {
        Self::select(mask, self, Self::splat(self.set(), 0))
    }

    /// Returns the lanes in `mask` side by side from lane 0 on, in their order; the lanes after them are 0.
    fn compress(self, mask: Self::Mask) -> Self;

    /// Writes [`Words::compress`] to the first `N` entries of `target`, zeros after the packed lanes included, and
    /// returns how many are packed: where the next ones go.
    ///
    /// # Panics
    /// If `target` has fewer than `N` entries.
    #[inline(always)]
    fn compress_to(self, mask: Self::Mask, target: &mut [u32]) -> usize {
        *target.first_chunk_mut().expect("room for every lane") = self.compress(mask).store();
        mask.count()
    }

    /// Returns `table[self]` in the lanes of `mask`; the other lanes are 0, and their index may be anything.
    ///
    /// # Panics
    /// If an index in `mask` lies outside of `table`.
    fn gather(self, table: &[u32], mask: Self::Mask) -> Self;

    /// Transposes rows: lane `i` of word `j` is from `rows[i][j]`.
    fn transpose(set: Self::Set, rows: [&[u32; 4]; N]) -> [Self; 4];

    /// Gathers word `j` of each record `table[self]`, for every `j`, in the lanes of `mask`; the other lanes are 0, and
    /// their index may be anything.
    ///
    /// Each record is read whole, 16 bytes at a time, and turned round in registers. For records of 64 bytes that takes
    /// a quarter of the time of sixteen gathers where the table lies in a cache, and half of it beyond (8 lanes, AVX2
    /// and AVX-512; `examples/gather_speed.rs`, AMD Zen 4, 25 November 2026). Slices of other records of whole 16 bytes
    /// become such a table by `bytemuck::cast_slice`.
    ///
    /// # Panics
    /// If an index in `mask` lies outside of `table`. That `R` is a multiple of 4 is checked when it is compiled.
    #[inline(always)]
    fn gather_records<const R: usize>(self, table: &[[u32; R]], mask: Self::Mask) -> [Self; R] {
        const { assert!(R.is_multiple_of(4), "records are of whole 16 bytes") };
        let (index, bits, nothing) = (self.store(), mask.bits(), [0; R]);
        let mut records = [&nothing; N];
        for lane in 0..N {
            if bits >> lane & 1 == 1 {
                records[lane] = &table[index[lane] as usize];
            }
        }
        let mut words = [Self::splat(self.set(), 0); R];
        for (quarter, words) in words.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let mut rows = [&[0; 4]; N];
            for lane in 0..N {
                rows[lane] = &records[lane].as_chunks::<4>().0[quarter];
            }
            *words = Self::transpose(self.set(), rows);
        }
        words
    }
}
