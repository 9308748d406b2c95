//! A usual ray prepared by itself: [`WalkRay::new`], three axes at a time, bit for bit.

use crate::levels::LocalRay;
use crate::ray::{AXES, OVERFLOWING_REACH, WalkRay, larger, smaller};
use bytemuck::cast_ref;
use raywarp_geom::triangle::{Watertight, power_of_two_under};
use raywarp_geom::{Aabb, HitKey, PaddedRay, Ray};
use raywarp_lanes::{Mask, Vector};
use std::hint::select_unpredictable;

/// Range of the components of a usual ray's direction, whose ratio is [`PaddedRay::LEAST_SHARE`].
const LENGTHS: [f32; 2] = [1.0 / (1 << 24) as f32, (1 << 16) as f32];

/// Range of a usual ray's reach, the upper end also that of its origin: nothing overflows, and with these directions
/// nothing underflows.
const REACH: [f32; 2] = [1.0 / (1u64 << 60) as f32, OVERFLOWING_REACH / 4.0];

/// What is known of a usual ray, axes in lanes; the fourth means nothing.
#[derive(Clone, Copy)]
pub(super) struct Usual<V> {
    /// Ray origin for the planes through which the ray enters and leaves boxes, padded.
    pub near_origin: V,
    pub far_origin: V,
    /// Reciprocal of the direction.
    pub inverse: V,
    /// Lengths of the direction's components.
    lengths: V,
    /// A bit for each axis along which the direction is negative.
    pub negative: u32,
}

impl<V: Vector<4>> Usual<V> {
    /// Returns what is known of a ray through a scene within `bounds`; `None` if it is not valid, or unusual.
    #[inline(always)]
    pub fn new(set: V::Set, ray: &Ray, bounds: &Aabb) -> Option<Self> {
        let [origin, direction]: &[[f32; 4]; 2] = cast_ref(ray);
        let usual = Self::of(set, (V::load(set, origin), V::load(set, direction)), bounds, V::splat(set, 0.0))?;
        (!(ray.t_min.is_nan() | ray.t_max.is_nan())).then_some(usual)
    }

    /// Returns what is known of a ray in the space of a tree within `bounds`; `None` if it is not valid, or unusual.
    #[inline(always)]
    pub fn grown(set: V::Set, ray: &LocalRay, bounds: &Aabb) -> Option<Self> {
        let LocalRay { origin, direction, growth } = ray;
        Self::of(set, (four(set, origin), four(set, direction)), bounds, four(set, growth))
    }

    /// Returns what is known of a ray, from its origin and direction, with boxes that grow by `extra` more.
    #[inline(always)]
    fn of(set: V::Set, (o, d): (V, V), bounds: &Aabb, extra: V) -> Option<Self> {
        let (lengths, away) = (d.abs(), o.abs());
        let (min, max): (V, V) = (four(set, &bounds.min), four(set, &bounds.max));
        let corner = (min - o).abs().max((max - o).abs());
        let is_usual = V::splat(set, LENGTHS[0]).le(lengths)
            & lengths.le(V::splat(set, LENGTHS[1]))
            & away.max(corner).le(V::splat(set, REACH[1]))
            & extra.le(V::splat(set, REACH[1]));
        let [x, y, z, _] = corner.store();
        let reach = larger(larger(x, y), z);
        if is_usual.bits() & 7 != 7 || reach < REACH[0] {
            return None;
        }
        let pads = V::splat(set, PaddedRay::REACH_PAD * reach) + V::splat(set, PaddedRay::ORIGIN_PAD) * away + extra;
        let (low, high) = (o + pads, o - pads);
        let is_negative = d.lt(V::splat(set, 0.0));
        Some(Self {
            near_origin: V::select(is_negative, high, low),
            far_origin: V::select(is_negative, low, high),
            inverse: V::splat(set, 1.0) / d,
            lengths,
            negative: is_negative.bits() & 7,
        })
    }

    /// Returns the interval of the ray's hits after `after`, finite.
    #[inline(always)]
    pub fn interval(ray: &Ray, after: &HitKey) -> [f32; 2] {
        [larger(larger(ray.t_min, after.t), f32::MIN), smaller(ray.t_max, f32::MAX)]
    }

    /// Returns the ray prepared for hits after `after`.
    #[inline(always)]
    pub fn prepared(self, ray: &Ray, after: &HitKey) -> WalkRay {
        let [t_low, t_high] = Self::interval(ray, after);
        let [x, y, z, _] = self.lengths.store();
        let z_or_y = select_unpredictable(y >= z, 1, 2);
        let k = AXES[select_unpredictable((x >= y) & (x >= z), 0, z_or_y)];
        let largest = ray.direction[k[2]];
        let scale = power_of_two_under(largest.abs());
        let inverse = 1.0 / (largest * scale);
        let shear = [ray.direction[k[0]] * scale * inverse, ray.direction[k[1]] * scale * inverse];
        WalkRay {
            near_origin: three(self.near_origin),
            far_origin: three(self.far_origin),
            inverse: three(self.inverse),
            triangle: Watertight { origin: ray.origin, k, shear, inverse: inverse * scale, largest },
            axis_origin: [ray.origin[k[0]], ray.origin[k[1]], ray.origin[k[2]]],
            t_low,
            t_high,
            may_overflow: false,
            scale: 1.0,
        }
    }
}

/// Returns three numbers and a zero in lanes.
#[inline(always)]
fn four<V: Vector<4>>(set: V::Set, &[x, y, z]: &[f32; 3]) -> V {
    V::load(set, &[x, y, z, 0.0])
}

/// Returns the first three lanes.
#[inline(always)]
pub(super) fn three<V: Vector<4>>(lanes: V) -> [f32; 3] {
    let [x, y, z, _] = lanes.store();
    [x, y, z]
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_lanes::{Isa, Task};
    use raywarp_testing::Random;

    /// Prepares rays both ways; returns how many were usual.
    struct Compare<'a> {
        rays: &'a [Ray],
        bounds: &'a Aabb,
    }

    impl Task for Compare<'_> {
        type Output = usize;

        #[inline(always)]
        fn run<S: raywarp_lanes::InstructionSet>(self, set: S) -> usize {
            let mut usual = 0;
            for ray in self.rays {
                let after = HitKey { t: 0.25, ..HitKey::START };
                let Some(prepared) = Usual::<S::F4>::new(set, ray, self.bounds) else { continue };
                let negative = std::array::from_fn(|i| prepared.negative >> i & 1 == 1);
                assert_eq!(ray.direction.map(|d| d < 0.0), negative, "{ray:?}");
                let prepared = prepared.prepared(ray, &after);
                let expected = WalkRay::new(ray, &after, self.bounds).expect("usual rays are valid");
                assert_eq!(numbers(&prepared), numbers(&expected), "{ray:?}");
                assert_eq!(prepared.triangle.k, expected.triangle.k, "{ray:?}");
                assert!(!expected.may_overflow && expected.fuses(), "{ray:?}");
                usual += 1;
            }
            usual
        }
    }

    /// Returns the bits of what a prepared ray has.
    fn numbers(ray: &WalkRay) -> Vec<u32> {
        let WalkRay { near_origin, far_origin, inverse, triangle, axis_origin, t_low, t_high, scale, .. } = ray;
        let Watertight { origin, shear, inverse: over, largest, .. } = triangle;
        let all = [&near_origin[..], far_origin, inverse, axis_origin, origin, shear, &[*over, *largest]];
        let all = all.into_iter().flatten().chain([t_low, t_high, scale]);
        all.map(|x| x.to_bits()).collect()
    }

    #[test]
    fn a_usual_ray_is_prepared_bit_for_bit() {
        let mut random = Random::new(50);
        let bounds = Aabb { min: [-3.0, -1.0, 0.5], max: [2.0, 7.0, 0.75] };
        let sizes = [0.0, -0.0, 1e-30, 3e-8, 6e-8, 1e-3, 0.5, 1.0, 7.0, 65536.0, 65600.0, 1e17, 2.6e17, 1e19, 1e38];
        let special = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        let mut number = |extremes: bool| {
            let of =
                |random: &mut Random, from: &[f32]| from[(random.unit() * from.len() as f32) as usize % from.len()];
            match (extremes, (random.unit() * 100.0) as u32) {
                (true, 0..2) => of(&mut random, &special),
                (true, 2..60) => of(&mut random, &sizes) * (2.0 * random.unit() - 1.0).signum(),
                _ => 2.0 * random.unit() - 1.0,
            }
        };
        let mut rays: Vec<Ray> = (0..40_000)
            .map(|i| {
                let mut three = || [number(i % 2 == 0), number(i % 2 == 0), number(i % 2 == 0)];
                let (origin, direction) = (three(), three());
                Ray { t_min: number(i % 2 == 0), t_max: number(i % 2 == 0), origin, direction }
            })
            .collect();
        // Components of one length: the first is the largest.
        rays.extend([[1.0, 1.0, 1.0], [-1.0, 1.0, 0.5], [0.5, 1.0, -1.0]].map(|d| Ray::new([0.1, 0.2, 0.3], d)));
        for bounds in [bounds, Aabb::EMPTY, Aabb { min: [0.0; 3], max: [1e-20; 3] }] {
            for isa in Isa::all() {
                let usual = isa.run(Compare { rays: &rays, bounds: &bounds });
                assert_eq!(usual > 20_000, !bounds.is_empty(), "{usual} rays on {}", isa.name());
            }
        }
    }

    #[test]
    fn a_ray_that_is_not_valid_is_not_usual() {
        let bounds = Aabb { min: [-1.0; 3], max: [1.0; 3] };
        let good = Ray::new([0.5; 3], [0.6, 0.8, 0.1]);
        let bad = [
            Ray { origin: [f32::NAN, 0.0, 0.0], ..good },
            Ray { origin: [0.0, 0.0, f32::INFINITY], ..good },
            Ray { direction: [0.5, f32::NAN, 0.5], ..good },
            Ray { direction: [f32::NEG_INFINITY, 0.5, 0.5], ..good },
            Ray { direction: [0.0; 3], ..good },
            Ray { t_min: f32::NAN, ..good },
            Ray { t_max: f32::NAN, ..good },
        ];
        for isa in Isa::all() {
            assert_eq!(isa.run(Compare { rays: &[good], bounds: &bounds }), 1);
            assert_eq!(isa.run(Compare { rays: &bad, bounds: &bounds }), 0);
        }
    }
}
