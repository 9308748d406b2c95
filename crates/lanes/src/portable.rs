//! Vectors in plain Rust, for CPUs whose instructions nobody wrote down here, and for Miri.
//!
//! Loops over arrays, which a compiler may turn into whatever vectors the target surely has.

use crate::fused::fused_multiply_adds;
use crate::isa::{Isa, Portable};
use crate::task::{InstructionSet, TaskOn, sealed};
use crate::vector::{Mask, Vector, Words};
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

impl sealed::Sealed for Portable {}

impl InstructionSet for Portable {
    const NATIVE_LANES: usize = 1;
    type F4 = Floats<4>;
    type F8 = Floats<8>;
    type F16 = Floats<16>;

    #[inline(always)]
    fn isa(self) -> Isa {
        Isa::Portable(self)
    }

    // A function of its own, as for every other set: several tasks in one function, all of them loops over lanes, take
    // an optimiser far longer than each alone.
    #[inline(never)]
    fn enter<T: TaskOn<Self>>(self, task: T) -> T::Output {
        task.run_on(self)
    }

    #[inline(always)]
    fn prefetch(self, _: *const u8) {}
}

/// Vector of `N` f32 values, as a plain array.
#[derive(Debug, Clone, Copy)]
pub struct Floats<const N: usize>([f32; N]);

/// Vector of `N` u32 values, as a plain array.
#[derive(Debug, Clone, Copy)]
pub struct Integers<const N: usize>([u32; N]);

/// Mask of `N` lanes, as one bit each.
#[derive(Debug, Clone, Copy)]
pub struct Truths<const N: usize>(u32);

/// Evaluates an expression for each lane, in which the names of the arrays stand for the lane's elements.
macro_rules! each {
    (|$a:ident| $value:expr) => {{
        let mut lanes = [Default::default(); N];
        for lane in 0..N {
            let $a = $a[lane];
            lanes[lane] = $value;
        }
        lanes
    }};
    (|$a:ident, $b:ident| $value:expr) => {{
        let mut lanes = [Default::default(); N];
        for lane in 0..N {
            let ($a, $b) = ($a[lane], $b[lane]);
            lanes[lane] = $value;
        }
        lanes
    }};
}

/// Evaluates a condition for each lane and returns the results as a mask.
macro_rules! truths {
    (|$a:ident, $b:ident| $value:expr) => {{
        let mut bits = 0;
        for lane in 0..N {
            let ($a, $b) = ($a[lane], $b[lane]);
            bits |= u32::from($value) << lane;
        }
        Truths(bits)
    }};
}

macro_rules! operator {
    ($type:ident, $trait:ident, $method:ident, |$a:ident, $b:ident| $value:expr) => {
        impl<const N: usize> $trait for $type<N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                Self(each!(|$a, $b| $value))
            }
        }
    };
}

operator!(Floats, Add, add, |a, b| a + b);
operator!(Floats, Sub, sub, |a, b| a - b);
operator!(Floats, Mul, mul, |a, b| a * b);
operator!(Floats, Div, div, |a, b| a / b);
operator!(Integers, Add, add, |a, b| a.wrapping_add(b));
operator!(Integers, Sub, sub, |a, b| a.wrapping_sub(b));
operator!(Integers, Mul, mul, |a, b| a.wrapping_mul(b));
operator!(Integers, BitAnd, bitand, |a, b| a & b);
operator!(Integers, BitOr, bitor, |a, b| a | b);
operator!(Integers, BitXor, bitxor, |a, b| a ^ b);

impl<const N: usize> Neg for Floats<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        let a = self.0;
        Self(each!(|a| -a))
    }
}

impl<const N: usize> Not for Integers<N> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        let a = self.0;
        Self(each!(|a| !a))
    }
}

macro_rules! truth_operator {
    ($trait:ident, $method:ident, $operator:tt) => {
        impl<const N: usize> $trait for Truths<N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0 $operator other.0)
            }
        }
    };
}

truth_operator!(BitAnd, bitand, &);
truth_operator!(BitOr, bitor, |);
truth_operator!(BitXor, bitxor, ^);

impl<const N: usize> Not for Truths<N> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self::from_bits(Portable, !self.0)
    }
}

impl<const N: usize> Mask<N> for Truths<N> {
    type Set = Portable;

    #[inline(always)]
    fn from_bits(_: Portable, bits: u32) -> Self {
        Self(bits & u32::MAX >> (32 - N))
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        self.0
    }
}

/// Packs the lanes of `a` that `mask` selects to the front of an array; zeros follow.
macro_rules! compressed {
    ($a:expr, $mask:expr) => {{
        let (mut lanes, mut count) = ([Default::default(); N], 0);
        for lane in 0..N {
            if $mask.0 >> lane & 1 == 1 {
                lanes[count] = $a[lane];
                count += 1;
            }
        }
        lanes
    }};
}

/// Reads `table[index]` in the lanes that `mask` selects; the others are zero.
macro_rules! gathered {
    ($table:expr, $index:expr, $mask:expr) => {{
        let mut lanes = [Default::default(); N];
        for lane in 0..N {
            if $mask.0 >> lane & 1 == 1 {
                lanes[lane] = $table[$index[lane] as usize];
            }
        }
        lanes
    }};
}

/// Takes each lane from `yes` where `mask` is set, else from `no`.
macro_rules! selected {
    ($mask:expr, $yes:expr, $no:expr) => {{
        let mut lanes = $no;
        for lane in 0..N {
            if $mask.0 >> lane & 1 == 1 {
                lanes[lane] = $yes[lane];
            }
        }
        lanes
    }};
}

impl<const N: usize> Vector<N> for Floats<N> {
    type Set = Portable;
    type Words = Integers<N>;
    type Mask = Truths<N>;

    #[inline(always)]
    fn set(self) -> Portable {
        Portable
    }
    #[inline(always)]
    fn splat(_: Portable, x: f32) -> Self {
        Self([x; N])
    }
    #[inline(always)]
    fn load(_: Portable, x: &[f32; N]) -> Self {
        Self(*x)
    }
    #[inline(always)]
    fn store(self) -> [f32; N] {
        self.0
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Self(fused_multiply_adds(self.0, b.0, c.0))
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
        let a = self.0;
        Self(each!(|a| a.sqrt()))
    }
    #[inline(always)]
    fn floor(self) -> Self {
        let a = self.0;
        Self(each!(|a| a.floor()))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        let a = self.0;
        Self(each!(|a| a.abs()))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self(each!(|a, b| if a < b { a } else { b }))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self(each!(|a, b| if a > b { a } else { b }))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Truths<N> {
        let (a, b) = (self.0, other.0);
        truths!(|a, b| a < b)
    }
    #[inline(always)]
    fn le(self, other: Self) -> Truths<N> {
        let (a, b) = (self.0, other.0);
        truths!(|a, b| a <= b)
    }
    #[inline(always)]
    fn eq(self, other: Self) -> Truths<N> {
        let (a, b) = (self.0, other.0);
        truths!(|a, b| a == b)
    }
    #[inline(always)]
    fn select(mask: Truths<N>, yes: Self, no: Self) -> Self {
        Self(selected!(mask, yes.0, no.0))
    }
    #[inline(always)]
    fn to_bits(self) -> Integers<N> {
        let a = self.0;
        Integers(each!(|a| a.to_bits()))
    }
    #[inline(always)]
    fn from_bits(bits: Integers<N>) -> Self {
        let a = bits.0;
        Self(each!(|a| f32::from_bits(a)))
    }
    #[inline(always)]
    fn to_u32(self) -> Integers<N> {
        let a = self.0;
        Integers(each!(|a| a as u32))
    }
    #[inline(always)]
    fn to_i32(self) -> Integers<N> {
        let a = self.0;
        Integers(each!(|a| (a as i32).cast_unsigned()))
    }
    #[inline(always)]
    fn from_u32(words: Integers<N>) -> Self {
        let a = words.0;
        Self(each!(|a| a as f32))
    }
    #[inline(always)]
    fn from_i32(words: Integers<N>) -> Self {
        let a = words.0;
        Self(each!(|a| a.cast_signed() as f32))
    }
    #[inline(always)]
    fn compress(self, mask: Truths<N>) -> Self {
        Self(compressed!(self.0, mask))
    }
    #[inline(always)]
    fn gather(table: &[f32], index: Integers<N>, mask: Truths<N>) -> Self {
        Self(gathered!(table, index.0, mask))
    }
}

impl<const N: usize> Words<N> for Integers<N> {
    type Set = Portable;
    type Mask = Truths<N>;

    #[inline(always)]
    fn set(self) -> Portable {
        Portable
    }
    #[inline(always)]
    fn splat(_: Portable, x: u32) -> Self {
        Self([x; N])
    }
    #[inline(always)]
    fn load(_: Portable, x: &[u32; N]) -> Self {
        Self(*x)
    }
    #[inline(always)]
    fn store(self) -> [u32; N] {
        self.0
    }
    #[inline(always)]
    fn shl(self, count: u32) -> Self {
        let a = self.0;
        Self(each!(|a| a.unbounded_shl(count)))
    }
    #[inline(always)]
    fn shr(self, count: u32) -> Self {
        let a = self.0;
        Self(each!(|a| a.unbounded_shr(count)))
    }
    #[inline(always)]
    fn shl_each(self, counts: Self) -> Self {
        let (a, b) = (self.0, counts.0);
        Self(each!(|a, b| a.unbounded_shl(b)))
    }
    #[inline(always)]
    fn shr_each(self, counts: Self) -> Self {
        let (a, b) = (self.0, counts.0);
        Self(each!(|a, b| a.unbounded_shr(b)))
    }
    #[inline(always)]
    fn reverse_bits(self) -> Self {
        let a = self.0;
        Self(each!(|a| a.reverse_bits()))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self(each!(|a, b| a.min(b)))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self(each!(|a, b| a.max(b)))
    }
    #[inline(always)]
    fn eq(self, other: Self) -> Truths<N> {
        let (a, b) = (self.0, other.0);
        truths!(|a, b| a == b)
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Truths<N> {
        let (a, b) = (self.0, other.0);
        truths!(|a, b| a < b)
    }
    #[inline(always)]
    fn select(mask: Truths<N>, yes: Self, no: Self) -> Self {
        Self(selected!(mask, yes.0, no.0))
    }
    #[inline(always)]
    fn compress(self, mask: Truths<N>) -> Self {
        Self(compressed!(self.0, mask))
    }
    #[inline(always)]
    fn gather(self, table: &[u32], mask: Truths<N>) -> Self {
        Self(gathered!(table, self.0, mask))
    }
    #[inline(always)]
    fn transpose(_: Portable, rows: [&[u32; 4]; N]) -> [Self; 4] {
        let mut words = [Self([0; N]); 4];
        for word in 0..4 {
            for lane in 0..N {
                words[word].0[lane] = rows[lane][word];
            }
        }
        words
    }
}
