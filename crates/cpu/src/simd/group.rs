//! Rays prepared many at a time: [`WalkRay::new`], a ray a lane, bit for bit.
//!
//! A walk takes its rays one by one from here, where they lie as a structure of arrays; those that look alike are
//! handed to the walk of packets together ([`Group::coherent`]). What vectors do not prepare (a ray that is not
//! valid or that has a key, numbers near the ends of f32) is left to the functions of one ray.

use crate::ray::{AXES, OVERFLOWING_REACH, WalkRay};
use bytemuck::cast_slice;
use raywarp_geom::triangle::Watertight;
use raywarp_geom::{Aabb, PaddedRay, Ray};
use raywarp_lanes::{InstructionSet, Mask, Vector, Words};

/// Number of rays in a group, whose rays are prepared together.
pub(super) const GROUP: usize = 16;

/// Number of rays in half a group, which is the smallest packet.
pub(super) const HALF: usize = GROUP / 2;

/// Group of rays prepared together, as a structure of arrays of what [`WalkRay`] has of each.
#[repr(align(64))]
pub(super) struct Group {
    pub near_origin: [[f32; GROUP]; 3],
    pub far_origin: [[f32; GROUP]; 3],
    pub inverse: [[f32; GROUP]; 3],
    pub axis_origin: [[f32; GROUP]; 3],
    pub shear: [[f32; GROUP]; 2],
    pub triangle_inverse: [f32; GROUP],
    pub t_low: [f32; GROUP],
    pub t_high: [f32; GROUP],
    /// Axis of the largest component of each ray's direction.
    axis: [u32; GROUP],
    /// Index of the first ray in its batch.
    pub first: usize,
    /// Bit mask of the lanes whose rays are prepared.
    prepared: u32,
    /// Bit mask of the lanes whose rays are still to be handed out, whether prepared or not.
    pub left: u32,
    /// Number of rays with which it was filled.
    count: usize,
}

impl Group {
    /// Returns a group without rays.
    pub fn new() -> Self {
        Self {
            near_origin: [[0.0; GROUP]; 3],
            far_origin: [[0.0; GROUP]; 3],
            inverse: [[0.0; GROUP]; 3],
            axis_origin: [[0.0; GROUP]; 3],
            shear: [[0.0; GROUP]; 2],
            triangle_inverse: [0.0; GROUP],
            t_low: [0.0; GROUP],
            t_high: [0.0; GROUP],
            axis: [0; GROUP],
            first: 0,
            prepared: 0,
            left: 0,
            count: 0,
        }
    }

    /// Fills the group with up to [`GROUP`] `rays`, the first of which has the index `first` in its batch, for a tree
    /// within `bounds`. Those with keys are not prepared.
    #[inline(always)]
    pub fn fill<S: InstructionSet>(&mut self, set: S, rays: &[Ray], first: usize, keys: bool, bounds: &Aabb) {
        self.first = first;
        self.left = (1 << rays.len()) - 1;
        (self.prepared, self.count) = (0, rays.len());
        if keys {
            return;
        }
        if S::NATIVE_LANES >= GROUP {
            self.prepare::<S::F16, 16>(set, rays, 0, bounds);
        } else {
            self.prepare::<S::F8, 8>(set, rays, 0, bounds);
            self.prepare::<S::F8, 8>(set, rays, 8, bounds);
        }
    }

    /// Prepares the `N` rays from lane `at` on.
    #[inline(always)]
    fn prepare<V: Vector<N>, const N: usize>(&mut self, set: V::Set, rays: &[Ray], at: usize, bounds: &Aabb) {
        let there = V::Mask::first(set, rays.len().saturating_sub(at));
        let index = V::Words::count_up(set) + V::Words::splat(set, at as u32);
        let [ox, oy, oz, t_min, dx, dy, dz, t_max] = index.gather_records(cast_slice::<_, [u32; 8]>(rays), there);
        let o = [V::from_bits(ox), V::from_bits(oy), V::from_bits(oz)];
        let d = [V::from_bits(dx), V::from_bits(dy), V::from_bits(dz)];
        let (t_min, t_max) = (V::from_bits(t_min), V::from_bits(t_max));
        let (zero, one) = (V::splat(set, 0.0), V::splat(set, 1.0));

        let length = [d[0].abs(), d[1].abs(), d[2].abs()];
        let longest = length[0].max(length[1]).max(length[2]);
        let shortest = length[0].min(length[1]).min(length[2]);
        let away = [o[0].abs(), o[1].abs(), o[2].abs()];
        let mut reach = zero;
        for i in 0..3 {
            let corner = (V::splat(set, bounds.min[i]) - o[i]).abs().max((V::splat(set, bounds.max[i]) - o[i]).abs());
            reach = reach.max(corner);
        }
        let farthest = reach + away[0].max(away[1]).max(away[2]);
        // Zero, or NaN if something is infinite or NaN.
        let excess = (o[0] + o[1] + o[2] + d[0] + d[1] + d[2]) * zero;
        let prepared = there
            & excess.eq(zero)
            & t_min.eq(t_min)
            & t_max.eq(t_max)
            & V::splat(set, *PaddedRay::PLAIN_LENGTHS.start()).le(longest)
            & longest.le(V::splat(set, *PaddedRay::PLAIN_LENGTHS.end()))
            & (V::splat(set, PaddedRay::LEAST_SHARE) * longest).le(shortest)
            & farthest.le(V::splat(set, PaddedRay::FARTHEST) * longest)
            & (longest + V::splat(set, PaddedRay::LEAST_REACH * PaddedRay::FARTHEST)).le(V::splat(set, PaddedRay::FARTHEST) * reach)
            // Then nothing overflows, neither here nor in the triangle test.
            & farthest.lt(V::splat(set, OVERFLOWING_REACH));

        let pad = V::splat(set, PaddedRay::REACH_PAD) * reach;
        for i in 0..3 {
            let inverse = one / d[i];
            let pad = pad + V::splat(set, PaddedRay::ORIGIN_PAD) * away[i];
            let (low, high) = (o[i] + pad, o[i] - pad);
            let is_negative = inverse.lt(zero);
            put(&mut self.near_origin[i], at, V::select(is_negative, high, low));
            put(&mut self.far_origin[i], at, V::select(is_negative, low, high));
            put(&mut self.inverse[i], at, inverse);
        }

        let is_x = length[1].le(length[0]) & length[2].le(length[0]);
        let is_y = !is_x & length[2].le(length[1]);
        let largest = [is_x, is_y];
        let along = [
            at_largest(largest, [d[1], d[2], d[0]]),
            at_largest(largest, [d[2], d[0], d[1]]),
            at_largest(largest, [d[0], d[1], d[2]]),
        ];
        put(&mut self.axis_origin[0], at, at_largest(largest, [o[1], o[2], o[0]]));
        put(&mut self.axis_origin[1], at, at_largest(largest, [o[2], o[0], o[1]]));
        put(&mut self.axis_origin[2], at, at_largest(largest, [o[0], o[1], o[2]]));
        // A power of two; lengths of rays that are prepared are within its range.
        let exponent = along[2].abs().to_bits() & V::Words::splat(set, 0x7f80_0000);
        let scale = V::from_bits(V::Words::splat(set, 0x7f00_0000) - exponent);
        let inverse = one / (along[2] * scale);
        put(&mut self.shear[0], at, along[0] * scale * inverse);
        put(&mut self.shear[1], at, along[1] * scale * inverse);
        put(&mut self.triangle_inverse, at, inverse * scale);
        put(&mut self.t_low, at, t_min.max(V::splat(set, f32::MIN)));
        put(&mut self.t_high, at, t_max.min(V::splat(set, f32::MAX)));
        let axis = V::Words::select(is_y, V::Words::splat(set, 1), V::Words::splat(set, 2));
        let axis = V::Words::select(is_x, V::Words::splat(set, 0), axis);
        self.axis[at..at + N].copy_from_slice(&axis.store());
        self.prepared |= prepared.bits() << at;
    }

    /// Returns `true` if the ray in `lane` is prepared.
    #[inline(always)]
    pub fn is_prepared(&self, lane: usize) -> bool {
        self.prepared >> lane & 1 == 1
    }

    /// Returns the number of lanes that a packet of the group's rays has: half of them for half a group.
    #[inline(always)]
    pub fn lanes(&self) -> usize {
        if self.count == HALF { HALF } else { GROUP }
    }

    /// Returns `true` if the ray of every one of its lanes is prepared, and none was handed out.
    #[inline(always)]
    pub fn is_whole(&self) -> bool {
        (self.prepared & self.left).count_ones() as usize == self.lanes()
    }

    /// Returns the axis of the largest direction component of each prepared ray.
    #[inline(always)]
    pub fn axes(&self) -> &[u32; GROUP] {
        &self.axis
    }

    /// Returns the prepared ray of `lane`; `ray` is its untransformed form.
    #[inline(always)]
    pub fn ray(&self, lane: usize, ray: &Ray) -> WalkRay {
        let lane = lane % GROUP;
        let of = |rows: &[[f32; GROUP]; 3]| [rows[0][lane], rows[1][lane], rows[2][lane]];
        let k = AXES[self.axis[lane] as usize % 3];
        WalkRay {
            near_origin: of(&self.near_origin),
            far_origin: of(&self.far_origin),
            inverse: of(&self.inverse),
            triangle: Watertight {
                origin: ray.origin,
                k,
                shear: [self.shear[0][lane], self.shear[1][lane]],
                inverse: self.triangle_inverse[lane],
                largest: ray.direction[k[2]],
            },
            axis_origin: of(&self.axis_origin),
            t_low: self.t_low[lane],
            t_high: self.t_high[lane],
            may_overflow: false,
            scale: 1.0,
        }
    }
}

/// Stores a vector in a row of the group, from lane `at` on.
#[inline(always)]
fn put<V: Vector<N>, const N: usize>(row: &mut [f32; GROUP], at: usize, x: V) {
    row[at..at + N].copy_from_slice(&x.store());
}

/// Selects in each lane `x` where the direction's first component is the largest, `y` where the second is, else `z`.
#[inline(always)]
fn at_largest<V: Vector<N>, const N: usize>([is_x, is_y]: [V::Mask; 2], [x, y, z]: [V; 3]) -> V {
    V::select(is_x, x, V::select(is_y, y, z))
}
