//! Twice as many lanes as an instruction takes: two vectors side by side.

use crate::vector::{Mask, Vector, Words};
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// Vector of two vectors of half its length: the lower and the upper half of the lanes.
#[derive(Debug, Clone, Copy)]
pub struct Pair<T>(T, T);

macro_rules! operators {
    ($($trait:ident $method:ident),*) => {
        $(impl<T: $trait<Output = T>> $trait for Pair<T> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0.$method(other.0), self.1.$method(other.1))
            }
        })*
    };
}

operators!(Add add, Sub sub, Mul mul, Div div, BitAnd bitand, BitOr bitor, BitXor bitxor);

impl<T: Neg<Output = T>> Neg for Pair<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl<T: Not<Output = T>> Not for Pair<T> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0, !self.1)
    }
}

/// Splits an array into references to its two halves.
macro_rules! halves {
    ($array:expr, $half:literal) => {
        ($array.first_chunk::<$half>().expect("a half"), $array.last_chunk::<$half>().expect("a half"))
    };
}

/// Joins two arrays of half the length into one.
macro_rules! joined {
    ($low:expr, $high:expr, $zero:expr, $half:literal, $n:literal) => {{
        let mut lanes = [$zero; $n];
        *lanes.first_chunk_mut::<$half>().expect("a half") = $low;
        *lanes.last_chunk_mut::<$half>().expect("a half") = $high;
        lanes
    }};
}

/// Packs the lanes of a pair that a mask selects to the front, those of the upper half after those of the lower one;
/// zeros follow.
macro_rules! packed {
    ($pair:expr, $mask:expr, $zero:expr, $half:literal, $n:literal) => {{
        let mut lanes = [$zero; $n];
        *lanes.first_chunk_mut::<$half>().expect("a half") = $pair.0.compress($mask.0).store();
        // At most `$half` lanes lie before it, so that all of it has room.
        let behind = &mut lanes[$mask.0.count()..];
        *behind.first_chunk_mut::<$half>().expect("a half") = $pair.1.compress($mask.1).store();
        lanes
    }};
}

/// Defines methods of a pair of vectors that apply a method of the halves to each half.
macro_rules! half_by_half {
    ($($method:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        $(#[inline(always)]
        fn $method(self, $($argument: $type),*) -> $result {
            Pair(self.0.$method($($argument.0),*), self.1.$method($($argument.1),*))
        })*
    };
}

macro_rules! pair {
    ($half:literal, $n:literal) => {
        impl<M: Mask<$half>> Mask<$n> for Pair<M> {
            type Set = M::Set;

            #[inline(always)]
            fn from_bits(set: M::Set, bits: u32) -> Self {
                Self(M::from_bits(set, bits), M::from_bits(set, bits >> $half))
            }
            #[inline(always)]
            fn bits(self) -> u32 {
                self.0.bits() | self.1.bits() << $half
            }
        }

        impl<F: Vector<$half>> Vector<$n> for Pair<F> {
            type Set = F::Set;
            type Words = Pair<F::Words>;
            type Mask = Pair<F::Mask>;

            half_by_half! {
                mul_add(b: Self, c: Self) -> Self;
                mul_sub(b: Self, c: Self) -> Self;
                neg_mul_add(b: Self, c: Self) -> Self;
                sqrt() -> Self;
                floor() -> Self;
                abs() -> Self;
                min(other: Self) -> Self;
                max(other: Self) -> Self;
                lt(other: Self) -> Self::Mask;
                le(other: Self) -> Self::Mask;
                eq(other: Self) -> Self::Mask;
                to_bits() -> Self::Words;
                to_u32() -> Self::Words;
                to_i32() -> Self::Words;
            }

            #[inline(always)]
            fn set(self) -> F::Set {
                self.0.set()
            }
            #[inline(always)]
            fn splat(set: F::Set, x: f32) -> Self {
                Self(F::splat(set, x), F::splat(set, x))
            }
            #[inline(always)]
            fn load(set: F::Set, x: &[f32; $n]) -> Self {
                let (low, high) = halves!(x, $half);
                Self(F::load(set, low), F::load(set, high))
            }
            #[inline(always)]
            fn store(self) -> [f32; $n] {
                joined!(self.0.store(), self.1.store(), 0.0, $half, $n)
            }
            #[inline(always)]
            fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
                Self(F::select(mask.0, yes.0, no.0), F::select(mask.1, yes.1, no.1))
            }
            #[inline(always)]
            fn from_bits(bits: Self::Words) -> Self {
                Self(F::from_bits(bits.0), F::from_bits(bits.1))
            }
            #[inline(always)]
            fn from_u32(words: Self::Words) -> Self {
                Self(F::from_u32(words.0), F::from_u32(words.1))
            }
            #[inline(always)]
            fn from_i32(words: Self::Words) -> Self {
                Self(F::from_i32(words.0), F::from_i32(words.1))
            }
            #[inline(always)]
            fn compress(self, mask: Self::Mask) -> Self {
                Self::load(self.set(), &packed!(self, mask, 0.0, $half, $n))
            }
            #[inline(always)]
            fn gather(table: &[f32], index: Self::Words, mask: Self::Mask) -> Self {
                Self(F::gather(table, index.0, mask.0), F::gather(table, index.1, mask.1))
            }
        }

        impl<W: Words<$half>> Words<$n> for Pair<W> {
            type Set = W::Set;
            type Mask = Pair<W::Mask>;

            half_by_half! {
                shl_each(counts: Self) -> Self;
                shr_each(counts: Self) -> Self;
                reverse_bits() -> Self;
                min(other: Self) -> Self;
                max(other: Self) -> Self;
                eq(other: Self) -> Self::Mask;
                lt(other: Self) -> Self::Mask;
            }

            #[inline(always)]
            fn set(self) -> W::Set {
                self.0.set()
            }
            #[inline(always)]
            fn splat(set: W::Set, x: u32) -> Self {
                Self(W::splat(set, x), W::splat(set, x))
            }
            #[inline(always)]
            fn load(set: W::Set, x: &[u32; $n]) -> Self {
                let (low, high) = halves!(x, $half);
                Self(W::load(set, low), W::load(set, high))
            }
            #[inline(always)]
            fn store(self) -> [u32; $n] {
                joined!(self.0.store(), self.1.store(), 0, $half, $n)
            }
            #[inline(always)]
            fn shl(self, count: u32) -> Self {
                Self(self.0.shl(count), self.1.shl(count))
            }
            #[inline(always)]
            fn shr(self, count: u32) -> Self {
                Self(self.0.shr(count), self.1.shr(count))
            }
            #[inline(always)]
            fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
                Self(W::select(mask.0, yes.0, no.0), W::select(mask.1, yes.1, no.1))
            }
            #[inline(always)]
            fn compress(self, mask: Self::Mask) -> Self {
                Self::load(self.set(), &packed!(self, mask, 0, $half, $n))
            }
            #[inline(always)]
            fn gather(self, table: &[u32], mask: Self::Mask) -> Self {
                Self(self.0.gather(table, mask.0), self.1.gather(table, mask.1))
            }
            #[inline(always)]
            fn transpose(set: W::Set, rows: [&[u32; 4]; $n]) -> [Self; 4] {
                let (low, high) = halves!(rows, $half);
                let (low, high) = (W::transpose(set, *low), W::transpose(set, *high));
                [Pair(low[0], high[0]), Pair(low[1], high[1]), Pair(low[2], high[2]), Pair(low[3], high[3])]
            }
        }
    };
}

pair!(4, 8);
pair!(8, 16);
