//! Warps and frames: those of [`raywarp_sample::warp`] that shading needs, in its arithmetic.

use super::vec3::{Vec3s, signed_one};
use raywarp_lanes::{Vector, Words};
use std::f32::consts::{FRAC_1_PI, FRAC_PI_2, FRAC_PI_4};

/// Orthonormal frames, one per lane, with the shading normal as z.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frames<V> {
    pub tangent: Vec3s<V>,
    pub bitangent: Vec3s<V>,
    pub normal: Vec3s<V>,
}

impl<V> Frames<V> {
    /// Makes frames about unit normals with arbitrary tangents, as [`raywarp_sample::warp::onb`] does.
    #[inline(always)]
    pub fn around<const N: usize>(normal: Vec3s<V>) -> Self
    where
        V: Vector<N>,
    {
        let Vec3s { x, y, z } = normal;
        let one = V::splat(x.set(), 1.0);
        let sign = signed_one(z);
        let a = -one / (sign + z);
        let b = x * y * a;
        Self {
            tangent: Vec3s { x: one + sign * x * x * a, y: sign * b, z: -sign * x },
            bitangent: Vec3s { x: b, y: sign + y * y * a, z: -y },
            normal,
        }
    }

    #[inline(always)]
    pub fn to_local<const N: usize>(self, v: Vec3s<V>) -> Vec3s<V>
    where
        V: Vector<N>,
    {
        Vec3s { x: self.tangent.dot(v), y: self.bitangent.dot(v), z: self.normal.dot(v) }
    }

    #[inline(always)]
    pub fn to_world<const N: usize>(self, v: Vec3s<V>) -> Vec3s<V>
    where
        V: Vector<N>,
    {
        self.tangent * v.x + self.bitangent * v.y + self.normal * v.z
    }
}

/// Maps points of the unit square to cosine-weighted directions of a hemisphere, as
/// [`raywarp_sample::warp::cosine_hemisphere`] does.
#[inline(always)]
pub(super) fn cosine_hemisphere<V: Vector<N>, const N: usize>(u: [V; 2]) -> Vec3s<V> {
    let set = u[0].set();
    let [x, y] = concentric_disk(u);
    Vec3s { x, y, z: (V::splat(set, 1.0) - x * x - y * y).max(V::splat(set, 1e-12)).sqrt() }
}

/// Maps points of the unit square to the unit disk, as [`raywarp_sample::warp::concentric_disk`] does.
#[inline(always)]
pub(super) fn concentric_disk<V: Vector<N>, const N: usize>(u: [V; 2]) -> [V; 2] {
    let set = u[0].set();
    let (one, two) = (V::splat(set, 1.0), V::splat(set, 2.0));
    let (a, b) = (two * u[0] - one, two * u[1] - one);
    let wide = a.abs().gt(b.abs());
    let (r, other) = (V::select(wide, a, b), V::select(wide, b, a));
    let zero = V::splat(set, 0.0);
    let ratio = V::select(r.eq(zero), zero, other / r);
    let (sin, cos) = sin_cos_octant(V::splat(set, FRAC_PI_4) * ratio);
    let (along, across) = (r * cos, r * sin);
    [V::select(wide, along, across), V::select(wide, across, along)]
}

/// Returns the cosine-weighted density of directions with these cosines, as
/// [`raywarp_sample::warp::cosine_hemisphere_pdf`] does.
#[inline(always)]
pub(super) fn cosine_hemisphere_pdf<V: Vector<N>, const N: usize>(cos: V) -> V {
    cos.max(V::splat(cos.set(), 0.0)) * V::splat(cos.set(), FRAC_1_PI)
}

/// Returns sine and cosine of angles in `-pi/4 ..= pi/4`, as in [`raywarp_sample::elementary`].
#[inline(always)]
fn sin_cos_octant<V: Vector<N>, const N: usize>(x: V) -> (V, V) {
    let set = x.set();
    let y = x * x;
    let s = V::splat(set, -1.0 / 5040.0) + y * V::splat(set, 1.0 / 362_880.0);
    let s = V::splat(set, 1.0 / 120.0) + y * s;
    let s = V::splat(set, -1.0 / 6.0) + y * s;
    let c = V::splat(set, -1.0 / 720.0) + y * V::splat(set, 1.0 / 40_320.0);
    let c = V::splat(set, 1.0 / 24.0) + y * c;
    let c = V::splat(set, -0.5) + y * c;
    (x + x * y * s, V::splat(set, 1.0) + y * c)
}

/// Maps points of the unit square to uniform barycentric weights of a triangle, as
/// [`raywarp_sample::warp::uniform_triangle`] does.
#[inline(always)]
pub(super) fn uniform_triangle<V: Vector<N>, const N: usize>([a, b]: [V; 2]) -> [V; 2] {
    let half = V::splat(a.set(), 0.5);
    let (half_a, half_b) = (half * a, half * b);
    let upper = b.gt(a);
    [V::select(upper, half_a, a - half_b), V::select(upper, b - half_a, half_b)]
}

/// Returns sine and cosine of fractions of a full turn, as [`raywarp_sample::warp::sin_cos_turn`] does.
#[inline(always)]
pub(super) fn sin_cos_turn<V: Vector<N>, const N: usize>(turn: V) -> (V, V) {
    let set = turn.set();
    let quarters = V::splat(set, 4.0) * turn;
    let quadrant = (quarters + V::splat(set, 0.5)).to_u32();
    let (s, c) = sin_cos_octant((quarters - V::from_u32(quadrant)) * V::splat(set, FRAC_PI_2));
    // The quadrants (s, c), (c, -s), (-s, -c), (-c, s): exchanged in odd ones, and signs from the two bits.
    let odd = (quadrant & V::Words::splat(set, 1)).eq(V::Words::splat(set, 1));
    let (sin, cos) = (V::select(odd, c, s), V::select(odd, s, c));
    let second = quadrant.shr(1);
    let sin_sign = second.shl(31);
    let cos_sign = (second ^ quadrant).shl(31);
    (V::from_bits(sin.to_bits() ^ sin_sign), V::from_bits(cos.to_bits() ^ cos_sign))
}
