//! Types that generic code computes with: floats, words and masks of `N` lanes.
//!
//! Lane 0 is the first entry of an array and the lowest bit of a mask's bits.

use crate::task::InstructionSet;
use std::fmt::Debug;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// Mask of `N` lanes: a boolean for each.
pub trait Mask<const N: usize>:
    Copy + Debug + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    /// Instruction set that the mask belongs to.
    type Set: InstructionSet;

    /// Builds a mask from bits: lane `i` from bit `i`; bits from `N` on are ignored.
    fn from_bits(set: Self::Set, bits: u32) -> Self;

    /// Returns the lanes as bits, bit `i` from lane `i`; bits from `N` on are 0.
    fn bits(self) -> u32;

    /// Returns a mask in which the lanes below `count` are set; all of them if `count` is `N` or more.
    #[inline(always)]
    fn first(set: Self::Set, count: usize) -> Self {
        Self::from_bits(set, if count < N { (1 << count) - 1 } else { u32::MAX })
    }

    /// Returns `true` if any lane is set.
    #[inline(always)]
    fn any(self) -> bool {
        self.bits() != 0
    }

    /// Returns `true` if every lane is set.
    #[inline(always)]
    fn all(self) -> bool {
        self.bits() == u32::MAX >> (32 - N)
    }

    /// Returns the number of lanes that are set.
    #[inline(always)]
    fn count(self) -> usize {
        self.bits().count_ones() as usize
    }
}

/// Vector of `N` f32 values. The operators round once, to nearest; nothing is fused that does not say so.
pub trait Vector<const N: usize>:
    Copy + Debug + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// Instruction set that the vector belongs to.
    type Set: InstructionSet;
    /// Vector of `N` u32 values of the same instruction set.
    type Words: Words<N, Set = Self::Set, Mask = Self::Mask>;
    /// Mask of `N` lanes of the same instruction set.
    type Mask: Mask<N, Set = Self::Set>;

    /// Returns the instruction set that the vector belongs to, whose presence the vector proves.
    fn set(self) -> Self::Set;

    /// Returns a vector whose lanes are all `x`.
    fn splat(set: Self::Set, x: f32) -> Self;

    /// Loads a vector from an array, lane `i` from `x[i]`.
    fn load(set: Self::Set, x: &[f32; N]) -> Self;

    /// Returns the lanes as an array.
    fn store(self) -> [f32; N];

    /// Loads lane `i` from `x[i]` as far as the slice goes; the other lanes are 0.
    #[inline(always)]
    fn load_part(set: Self::Set, x: &[f32]) -> Self {
        if let Some(all) = x.first_chunk() {
            return Self::load(set, all);
        }
        let mut lanes = [0.0; N];
        lanes[..x.len()].copy_from_slice(x);
        Self::load(set, &lanes)
    }

    /// Stores lane `i` in `target[i]` as far as the slice goes.
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

    /// Returns the square root of each lane, rounded once.
    fn sqrt(self) -> Self;

    /// Rounds each lane down to an integer; zeros, infinities and NaN stay as they are.
    fn floor(self) -> Self;

    /// Returns the absolute value of each lane: clears the sign bit, also of NaN.
    fn abs(self) -> Self;

    /// Returns `if self < other { self } else { other }`: `other` if either is NaN or both are zeros. [`f32::min`] has
    /// another order of NaN.
    fn min(self, other: Self) -> Self;

    /// Returns `if self > other { self } else { other }`: `other` if either is NaN or both are zeros.
    fn max(self, other: Self) -> Self;

    /// Compares lane by lane: `self < other`; false with a NaN.
    fn lt(self, other: Self) -> Self::Mask;

    /// Compares lane by lane: `self <= other`; false with a NaN.
    fn le(self, other: Self) -> Self::Mask;

    /// Compares lane by lane: `self == other`; false with a NaN.
    fn eq(self, other: Self) -> Self::Mask;

    /// Compares lane by lane: `self > other`; false with a NaN.
    #[inline(always)]
    fn gt(self, other: Self) -> Self::Mask {
        other.lt(self)
    }

    /// Compares lane by lane: `self >= other`; false with a NaN.
    #[inline(always)]
    fn ge(self, other: Self) -> Self::Mask {
        other.le(self)
    }

    /// Takes each lane from `yes` where `mask` is set, else from `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// Returns the bit patterns of the lanes, as `f32::to_bits`.
    fn to_bits(self) -> Self::Words;

    /// Returns the floats whose bit patterns are `bits`, as `f32::from_bits`.
    fn from_bits(bits: Self::Words) -> Self;

    /// Converts each lane as Rust's `as u32`: towards zero; 0 for NaN and negative numbers, `u32::MAX` for numbers too
    /// large.
    fn to_u32(self) -> Self::Words;

    /// Converts each lane as Rust's `as i32`, in two's complement: towards zero, saturating; 0 for NaN.
    fn to_i32(self) -> Self::Words;

    /// Converts each u32 to the nearest float.
    fn from_u32(words: Self::Words) -> Self;

    /// Converts each word, taken as a signed number in two's complement, to the nearest float.
    fn from_i32(words: Self::Words) -> Self;

    /// Packs the lanes that `mask` selects to the front, in their order; the lanes after them are 0.
    fn compress(self, mask: Self::Mask) -> Self;

    /// Writes [`Vector::compress`] to the first `N` entries of `target`, zeros included, and returns the number of
    /// packed lanes.
    ///
    /// # Panics
    /// If `target` has fewer than `N` entries.
    #[inline(always)]
    fn compress_to(self, mask: Self::Mask, target: &mut [f32]) -> usize {
        *target.first_chunk_mut().expect("room for every lane") = self.compress(mask).store();
        mask.count()
    }

    /// Reads `table[index]` in the lanes that `mask` selects; the other lanes are 0, and their index may be anything.
    ///
    /// # Panics
    /// If an index in `mask` lies outside of `table`.
    fn gather(table: &[f32], index: Self::Words, mask: Self::Mask) -> Self;
}

/// Vector of `N` u32 values. Sums, differences and products are taken modulo 2^32.
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
    /// Mask of `N` lanes of the same instruction set.
    type Mask: Mask<N, Set = Self::Set>;

    /// Returns the instruction set that the words belong to, whose presence they prove.
    fn set(self) -> Self::Set;

    /// Returns words whose lanes are all `x`.
    fn splat(set: Self::Set, x: u32) -> Self;

    /// Loads words from an array, lane `i` from `x[i]`.
    fn load(set: Self::Set, x: &[u32; N]) -> Self;

    /// Returns the lanes as an array.
    fn store(self) -> [u32; N];

    /// Loads lane `i` from `x[i]` as far as the slice goes; the other lanes are 0.
    #[inline(always)]
    fn load_part(set: Self::Set, x: &[u32]) -> Self {
        if let Some(all) = x.first_chunk() {
            return Self::load(set, all);
        }
        let mut lanes = [0; N];
        lanes[..x.len()].copy_from_slice(x);
        Self::load(set, &lanes)
    }

    /// Stores lane `i` in `target[i]` as far as the slice goes.
    #[inline(always)]
    fn store_part(self, target: &mut [u32]) {
        let lanes = self.store();
        let count = target.len().min(N);
        target[..count].copy_from_slice(&lanes[..count]);
    }

    /// Returns the index of each lane: 0, 1, 2, ...
    #[inline(always)]
    fn count_up(set: Self::Set) -> Self {
        let mut lanes = [0; N];
        for lane in 0..N {
            lanes[lane] = lane as u32;
        }
        Self::load(set, &lanes)
    }

    /// Shifts each lane left by `count` bits; 0 from 32 bits on.
    fn shl(self, count: u32) -> Self;

    /// Shifts each lane right by `count` bits; 0 from 32 bits on.
    fn shr(self, count: u32) -> Self;

    /// Shifts each lane left by its own number of bits; 0 from 32 bits on.
    fn shl_each(self, counts: Self) -> Self;

    /// Shifts each lane right by its own number of bits; 0 from 32 bits on.
    fn shr_each(self, counts: Self) -> Self;

    /// Reverses the order of the bits in each lane.
    fn reverse_bits(self) -> Self;

    /// Returns the smaller value of each lane, unsigned.
    fn min(self, other: Self) -> Self;

    /// Returns the larger value of each lane, unsigned.
    fn max(self, other: Self) -> Self;

    /// Compares lane by lane: `self == other`.
    fn eq(self, other: Self) -> Self::Mask;

    /// Compares lane by lane: `self < other`, unsigned.
    fn lt(self, other: Self) -> Self::Mask;

    /// Compares lane by lane: `self < other`, as signed numbers in two's complement.
    #[inline(always)]
    fn lt_signed(self, other: Self) -> Self::Mask {
        let sign = Self::splat(self.set(), 1 << 31);
        (self ^ sign).lt(other ^ sign)
    }

    /// Takes each lane from `yes` where `mask` is set, else from `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// Keeps the lanes that `mask` selects; the others become 0.
    #[inline(always)]
    fn keep(self, mask: Self::Mask) -> Self {
        Self::select(mask, self, Self::splat(self.set(), 0))
    }

    /// Packs the lanes that `mask` selects to the front, in their order; the lanes after them are 0.
    fn compress(self, mask: Self::Mask) -> Self;

    /// Writes [`Words::compress`] to the first `N` entries of `target`, zeros included, and returns the number of
    /// packed lanes.
    ///
    /// # Panics
    /// If `target` has fewer than `N` entries.
    #[inline(always)]
    fn compress_to(self, mask: Self::Mask, target: &mut [u32]) -> usize {
        *target.first_chunk_mut().expect("room for every lane") = self.compress(mask).store();
        mask.count()
    }

    /// Reads `table[self]` in the lanes that `mask` selects; the other lanes are 0, and their index may be anything.
    ///
    /// # Panics
    /// If an index in `mask` lies outside of `table`.
    fn gather(self, table: &[u32], mask: Self::Mask) -> Self;

    /// Transposes `N` rows of four words into four vectors: lane `i` of vector `j` is `rows[i][j]`.
    fn transpose(set: Self::Set, rows: [&[u32; 4]; N]) -> [Self; 4];

    /// Reads the record `table[self]` in the lanes that `mask` selects, into one vector for each word of a record; the
    /// other lanes are 0.
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
