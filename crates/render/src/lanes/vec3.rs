//! Three-vectors, a vector of lanes a coordinate. Sums, products and quotients are those of `glam`'s vectors, in its
//! order: bits must be the same.

use raywarp_lanes::{Vector, Words};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Three-dimensional vectors, one per lane of `V`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vec3s<V> {
    pub x: V,
    pub y: V,
    pub z: V,
}

impl<V: Add<Output = V>> Add for Vec3s<V> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl<V: Sub<Output = V>> Sub for Vec3s<V> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl<V: Mul<Output = V>> Mul for Vec3s<V> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self { x: self.x * other.x, y: self.y * other.y, z: self.z * other.z }
    }
}

impl<V: Copy + Mul<Output = V>> Mul<V> for Vec3s<V> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, scale: V) -> Self {
        Self { x: self.x * scale, y: self.y * scale, z: self.z * scale }
    }
}

impl<V: Copy + Div<Output = V>> Div<V> for Vec3s<V> {
    type Output = Self;

    #[inline(always)]
    fn div(self, by: V) -> Self {
        Self { x: self.x / by, y: self.y / by, z: self.z / by }
    }
}

impl<V: Neg<Output = V>> Neg for Vec3s<V> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z }
    }
}

impl<V: Copy + Add<Output = V> + Sub<Output = V> + Mul<Output = V>> Vec3s<V> {
    #[inline(always)]
    pub fn dot(self, other: Self) -> V {
        (self.x * other.x) + (self.y * other.y) + (self.z * other.z)
    }

    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - other.y * self.z,
            y: self.z * other.x - other.z * self.x,
            z: self.x * other.y - other.x * self.y,
        }
    }

    #[inline(always)]
    pub fn length_squared(self) -> V {
        self.dot(self)
    }
}

impl<V> Vec3s<V> {
    /// Returns the vector `v` in all lanes.
    #[inline(always)]
    pub fn splat<const N: usize>(set: V::Set, v: impl Into<[f32; 3]>) -> Self
    where
        V: Vector<N>,
    {
        let [x, y, z] = v.into();
        Self { x: V::splat(set, x), y: V::splat(set, y), z: V::splat(set, z) }
    }

    /// Makes vectors from three words of records, read as floats.
    #[inline(always)]
    pub fn of_words<const N: usize>(words: &[V::Words]) -> Self
    where
        V: Vector<N>,
    {
        Self { x: V::from_bits(words[0]), y: V::from_bits(words[1]), z: V::from_bits(words[2]) }
    }

    #[inline(always)]
    pub fn select<const N: usize>(mask: V::Mask, yes: Self, no: Self) -> Self
    where
        V: Vector<N>,
    {
        Self { x: V::select(mask, yes.x, no.x), y: V::select(mask, yes.y, no.y), z: V::select(mask, yes.z, no.z) }
    }

    /// Returns the coordinates as arrays.
    #[inline(always)]
    pub fn store<const N: usize>(self) -> [[f32; N]; 3]
    where
        V: Vector<N>,
    {
        [self.x.store(), self.y.store(), self.z.store()]
    }

    /// Returns the absolute value of each coordinate.
    #[inline(always)]
    pub fn abs<const N: usize>(self) -> Self
    where
        V: Vector<N>,
    {
        Self { x: self.x.abs(), y: self.y.abs(), z: self.z.abs() }
    }

    /// Returns the largest coordinate of each vector.
    #[inline(always)]
    pub fn max_element<const N: usize>(self) -> V
    where
        V: Vector<N>,
    {
        self.x.max(self.y.max(self.z))
    }

    /// Scales vectors to unit length; the mask has the lanes where that is possible: not for zero, nor where the
    /// squared length leaves the range of `f32`.
    #[inline(always)]
    pub fn try_normalize<const N: usize>(self) -> (Self, V::Mask)
    where
        V: Vector<N>,
    {
        let set = self.x.set();
        let inverse = V::splat(set, 1.0) / self.length_squared().sqrt();
        (self * inverse, is_finite(inverse) & inverse.gt(V::splat(set, 0.0)))
    }

    /// Returns the lanes where all coordinates are finite.
    #[inline(always)]
    pub fn is_finite<const N: usize>(self) -> V::Mask
    where
        V: Vector<N>,
    {
        is_finite(self.x) & is_finite(self.y) & is_finite(self.z)
    }

    /// Returns the lanes where the vector is not zero.
    #[inline(always)]
    pub fn is_something<const N: usize>(self) -> V::Mask
    where
        V: Vector<N>,
    {
        let zero = V::splat(self.x.set(), 0.0);
        !(self.x.eq(zero) & self.y.eq(zero) & self.z.eq(zero))
    }
}

/// Returns the vector of one lane from arrays of coordinates.
#[inline(always)]
pub(super) fn of_lane<const N: usize>([x, y, z]: &[[f32; N]; 3], lane: usize) -> [f32; 3] {
    [x[lane], y[lane], z[lane]]
}

/// Returns the lanes where `x` is neither infinite nor NaN.
#[inline(always)]
pub(super) fn is_finite<V: Vector<N>, const N: usize>(x: V) -> V::Mask {
    x.abs().lt(V::splat(x.set(), f32::INFINITY))
}

/// Returns 1 or -1 with the sign of `x` in each lane.
#[inline(always)]
pub(super) fn signed_one<V: Vector<N>, const N: usize>(x: V) -> V {
    copysign(V::splat(x.set(), 1.0), x)
}

/// Returns `magnitude`, which must not be negative, with the sign of `of`.
#[inline(always)]
pub(super) fn copysign<V: Vector<N>, const N: usize>(magnitude: V, of: V) -> V {
    let sign = V::Words::splat(of.set(), 1 << 31);
    V::from_bits(magnitude.to_bits() | (of.to_bits() & sign))
}
