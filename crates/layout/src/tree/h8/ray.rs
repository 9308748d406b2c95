//! The ray as nodes see it, and the test of eight boxes in halves.
//!
//! Every operation is fixed, so that a GPU's packed instructions and this find the same bits.
//!
//! # Why no box is missed
//! A ray is scaled by a power of two so that its longest component is in 1..2. It is moved to `start`, a `t` before
//! which it cannot be in any of a node's boxes and after which it is in them for less than 450 steps of the
//! coarsest axis: there `t` is counted, in units of a quarter step over 2^24, so that all that matters is among
//! the first 2^11 halves, which are 2^-24 apart. A plane is then `byte * 2^-24 * factor + offset`. What rounds, in
//! steps of the plane's own axis (an axis is at most 8 times finer than the coarsest):
//! - a component below [`LEAST_COMPONENT`] counts as that: the ray is moved by `450 * 8 * 6.25e-5 = 0.22`, since it
//!   starts at the node;
//! - the factor as a half: `255 * 2^-12 = 0.06`; the offset: 0.06 and 2^-25;
//! - the sum: 2^-25, or 2^-12 of it beyond the first 2^11.
//!
//! Planes leave half a step for the first three, and offsets [`GUARD`] for the halves' own steps. The ray's place
//! at `start` rounds by 2^-24 of the coordinate, which the pad of the boxes covers together with what the triangle
//! test rounds, for rays that start within twice the tree's reach; from farther away a triangle test's own error
//! grows beyond the pad ([`H8Ray::is_beyond`]).
//!
//! # A ray from anywhere
//! Let `A` be the largest coordinate of the ray's start and of the tree, and `u = 2^-24`. What the pad of the boxes
//! covers (`quantize.rs`) is then at most `11 u (A + R) + 25 u R`, of which the boxes have `64 u R` already: `11 u A`
//! are left, and [`H8Ray::of_any`] lets planes give way by `16 u A` more. `start` is earlier by as much, and by 2^-20
//! of three terms of `A` at most, so that what matters is no longer among the first 2^11 halves: they round by 2^-12 of
//! up to `11 * 16 u A`, and a clamped component may move the ray by 6.25e-5 of the same: together less than `0.1 u A`.
//! Where `A` is beyond [`FARTHEST`], products need not be floats, and every box is hit.

use super::node::{H8Node, SLOTS};
use raywarp_geom::triangle::power_of_two_under;
use raywarp_geom::{HALF_INFINITY, Ray, fused_multiply_add as fma, half_from_f32, half_multiply_add, half_to_f64};

/// Least magnitude of a direction's components, when the longest is in 1..2; 4 times its reciprocal is still a 16-bit
/// float.
const LEAST_COMPONENT: f32 = 6.25e-5;
/// Tolerance of plane distances: two of the least steps of 16-bit floats, 2^-23.
const GUARD: f32 = 1.192_092_9e-7;
/// Relative slack of the start point, 2^-20: more than its nine roundings take of its largest term.
const START_SLACK: f32 = 9.536_743e-7;
/// Relative growth of boxes for rays from anywhere, 2^-20 of the farthest coordinate.
const FAR_PAD: f32 = 9.536_743e-7;
/// Largest coordinate whose products with directions are finite floats: 2^90.
const FARTHEST: f32 = 1.237_940_04e27;
/// Length below which directions are scaled up, 2^-80, so that their reciprocals are floats; [`LONG`] scales them by
/// 2^80.
const SHORT: f32 = 8.271_806e-25;
const LONG: f32 = 1.208_925_82e24;
/// Largest length of a direction relative to the tree's reach, 2^60: for longer ones `t` may be no normal float.
const LONGEST_OF_REACH: f32 = 1_152_921_504_606_846_976.0;
/// Largest reach of a tree, 2^60, with which the edge functions of pairs are sure to be finite.
const LARGEST_REACH: f32 = 1_152_921_504_606_846_976.0;
/// Factor of the scene's largest coordinate that exceeds any sum of a corner's products with a direction.
const REACH: f32 = 16.0;

/// Ray prepared for testing the nodes of an [`H8`](super::H8) tree in 16-bit floats. Its `t` is in lengths of
/// [`H8Ray::direction`]: the given ray's is [`H8Ray::unscale`] times less.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct H8Ray {
    /// Origin of the ray, as given.
    pub origin: [f32; 3],
    /// Direction scaled by a power of two so that the longest component is in 1..2. Of a direction beyond 2^126 or
    /// denormal it is outside, and of the latter boxes may be missed.
    pub direction: [f32; 3],
    /// Factor that undoes the scaling of the direction, the reciprocal of that power of two.
    pub unscale: f32,
    /// Reciprocals of the scaled direction's components, clamped.
    inverse: [f32; 3],
    /// Dot product of origin and direction, plus more than rounding may take of it.
    along: f32,
    /// Sum of the magnitudes of the direction's negative components, times 256.
    behind: f32,
    /// Reciprocal of the direction's squared length.
    inverse_square: f32,
    /// Smallest ray parameter `t` at which a hit counts, in lengths of the scaled direction.
    t_min: f32,
    /// Distance by which boxes grow beyond their own padding; infinite where every box counts as hit.
    pad: f32,
}

impl H8Ray {
    /// Prepares a valid ray for a tree whose reach is `farthest`.
    #[inline]
    pub fn new(ray: &Ray, t_min: f32, farthest: f32) -> Self {
        Self::prepared(ray.origin, ray.direction, t_min, farthest)
    }

    /// Returns `true` if [`H8Ray::new`] may miss hits of a valid ray, because it is too far away or too long for a tree
    /// of this reach.
    #[inline]
    pub fn is_beyond(ray: &Ray, reach: f32) -> bool {
        let largest = |v: &[f32; 3]| v.iter().fold(0f32, |most, x| most.max(x.abs()));
        let longest = largest(&ray.direction);
        largest(&ray.origin) > 2.0 * reach
            || longest < SHORT
            || longest > LONGEST_OF_REACH * reach
            || reach > LARGEST_REACH
    }

    /// Prepares a valid ray from any origin with any direction, at the price of larger boxes.
    pub fn of_any(ray: &Ray, t_min: f32, reach: f32) -> Self {
        let largest = |v: &[f32; 3]| v.iter().fold(0f32, |most, x| most.max(x.abs()));
        // Exact, but for components that are nothing beside the longest.
        let longest = largest(&ray.direction);
        let (factor, back) = match longest {
            longest if longest < SHORT => (LONG, SHORT),
            longest if longest > LONG => (SHORT, LONG),
            _ => (1.0, 1.0),
        };
        let farthest = largest(&ray.origin).max(reach);
        let is_plain = farthest <= FARTHEST;
        let origin = if is_plain { ray.origin } else { [0.0; 3] };
        let prepared = Self::prepared(origin, ray.direction.map(|x| x * factor), 0.0, reach);
        let unscale = prepared.unscale * back;
        // What `t` is off where it is no normal float.
        let underflow = (longest + 16.0) * f32::from_bits(1);
        let pad = if is_plain { FAR_PAD * farthest + underflow } else { f32::INFINITY };
        Self {
            unscale,
            // Boxes that have grown begin before.
            along: prepared.along + 8.0 * pad,
            t_min: if is_plain { (t_min.max(-f32::MAX) * unscale).max(-f32::MAX) } else { 0.0 },
            pad,
            ..prepared
        }
    }

    #[inline]
    fn prepared(origin: [f32; 3], d: [f32; 3], t_min: f32, farthest: f32) -> Self {
        // As the triangle test scales it, so that both shear alike.
        let scale = power_of_two_under(d[0].abs().max(d[1].abs()).max(d[2].abs()));
        let unscale = 1.0 / scale;
        let s = d.map(|x| x * scale);
        let inverse = s.map(|x| (1.0 / x.abs().max(LEAST_COMPONENT)).copysign(x));
        let [x, y, z]: [f32; 3] = std::array::from_fn(|i| origin[i] * s[i]);
        let size = x.abs() + y.abs() + z.abs() + REACH * farthest;
        let negative = |x: f32| if x.is_sign_negative() { -x } else { 0.0 };
        Self {
            origin,
            direction: s,
            unscale,
            inverse,
            along: fma(size, START_SLACK, x + y + z),
            behind: 256.0 * (negative(s[0]) + negative(s[1]) + negative(s[2])),
            inverse_square: 1.0 / fma(s[0], s[0], fma(s[1], s[1], s[2] * s[2])),
            t_min: t_min * unscale,
            pad: 0.0,
        }
    }

    /// Returns the number with which slots are xored to visit children about front to back: in increasing
    /// `slot ^ octant`.
    #[inline]
    pub fn octant(&self) -> usize {
        let bit = |axis: usize, bit: usize| if self.direction[axis].is_sign_negative() { bit } else { 0 };
        bit(0, 4) | bit(1, 2) | bit(2, 1)
    }

    /// Returns the bit mask of the slots whose box the ray may be in at some `t` up to `limit`, in lengths of the
    /// original direction. Unused slots are never hit.
    #[inline]
    pub fn hits(&self, node: &H8Node, grid_step: f32, limit: f32) -> u8 {
        let (planes, end) = self.planes(node, grid_step, limit);
        let (hits, doubtful) = planes.hits_but_for_doubts(end);
        let asked = (0..SLOTS).filter(|slot| doubtful >> slot & 1 == 1);
        let hits = asked.fold(hits, |hits, slot| hits | u8::from(planes.is_hit(slot, end)) << slot);
        // The planes of an unused slot are on the wrong sides, which a box that grows may turn round.
        if self.pad > 0.0 { hits & node.children() } else { hits }
    }

    /// Returns the planes of a node as the ray meets them, and the end of the ray's interval as a 16-bit float.
    #[inline]
    fn planes<'a>(&self, node: &'a H8Node, grid_step: f32, limit: f32) -> (Planes<'a>, u16) {
        // Powers of two and whole steps of the grid: exact.
        let coarse = grid_step * exponent_of_two(node.coarsest as i32);
        let unit = exponent_of_two(-22) / coarse;
        let corner = node.corner;
        let [px, py, pz] = corner;
        let [dx, dy, dz] = self.direction;
        let ahead = fma(px, dx, fma(py, dy, fma(pz, dz, -self.along)));
        let start = fma(-coarse, self.behind, ahead) * self.inverse_square;
        // As a GPU's maximum, which takes the number of a number and a NaN.
        let start = self.t_min.max(start);
        let mut planes =
            Planes { first: [&node.lo[0]; 3], second: [&node.hi[0]; 3], factor: [0; 3], offsets: [[0; 2]; 3] };
        for axis in 0..3 {
            let place = corner[axis] - fma(start, self.direction[axis], self.origin[axis]);
            let inverse = self.inverse[axis] * unit;
            let guard = if self.pad > 0.0 { fma(self.pad, inverse.abs(), GUARD) } else { GUARD };
            planes.offsets[axis] = [fma(place, inverse, -guard), fma(place, inverse, guard)].map(half_from_f32);
            planes.factor[axis] = half_from_f32(self.inverse[axis] * exponent_of_two(2 - node.finer[axis] as i32));
            let (lo, hi) = (&node.lo[axis], &node.hi[axis]);
            let negative = self.direction[axis].is_sign_negative();
            (planes.first[axis], planes.second[axis]) = if negative { (hi, lo) } else { (lo, hi) };
        }
        let guard = if self.pad < f32::INFINITY { GUARD } else { self.pad };
        let end = half_from_f32(fma((limit * self.unscale).min(f32::MAX) - start, unit, guard));
        (planes, end)
    }
}

/// Planes of a node as a ray meets them, at the distances `byte * 2^-24 * factor + offset` in 16-bit floats.
struct Planes<'a> {
    /// Quantised planes that the ray meets first, by axis and slot; those that it meets second follow.
    first: [&'a [u8; SLOTS]; 3],
    second: [&'a [u8; SLOTS]; 3],
    factor: [u16; 3],
    /// Offsets of the first and of the second planes, for each axis.
    offsets: [[u16; 2]; 3],
}

impl Planes<'_> {
    /// Returns `true` if the ray meets the box of `slot` before `end`.
    fn is_hit(&self, slot: usize, end: u16) -> bool {
        let distance =
            |plane: u8, axis: usize, offset: u16| half_multiply_add(u16::from(plane), self.factor[axis], offset) as i16;
        // The bits as integers, as ALK12 compares floats: what is negative among the near ones does not count,
        // and one negative far one decides.
        let near = (0..3).map(|i| distance(self.first[i][slot], i, self.offsets[i][0])).fold(0, i16::max);
        let far = (0..3).map(|i| distance(self.second[i][slot], i, self.offsets[i][1])).fold(end as i16, i16::min);
        // The comparison itself is of halves: both zeros are equal (and a visit in vain, very rarely).
        near <= far || (near == 0 && far == i16::MIN)
    }

    /// Returns the bit mask of slots that are surely hit, and that of slots that [`Planes::is_hit`] must decide.
    ///
    /// Rounding, to f32 and to halves, keeps the order. So where the near end is less than the far one after f32's it
    /// is not more after halves', and where it is more by two steps of halves it stays more. What is negative and would
    /// not round to a zero is negative as an integer, and then its size does not matter.
    #[inline]
    fn hits_but_for_doubts(&self, end: u16) -> (u8, u8) {
        /// Bound from which on values are near the largest 16-bit float.
        const HUGE: f32 = 60_000.0;
        let is_finite = |half: &u16| half & HALF_INFINITY != HALF_INFINITY;
        if !self.factor.iter().chain(self.offsets.as_flattened()).all(is_finite) || end & 0x7fff > HALF_INFINITY {
            return (0, u8::MAX);
        }
        let value = |half: u16| half_to_f64(half) as f32;
        let end = value(end);
        let (mut near, mut far, mut least) = ([0f32; SLOTS], [end; SLOTS], [end.abs(); SLOTS]);
        for axis in 0..3 {
            // Exact, as is its product with a byte.
            let factor = value(self.factor[axis]) * exponent_of_two(-24);
            let [near_offset, far_offset] = self.offsets[axis].map(value);
            for slot in 0..SLOTS {
                let first = f32::from(self.first[axis][slot]) * factor + near_offset;
                let second = f32::from(self.second[axis][slot]) * factor + far_offset;
                near[slot] = if first > near[slot] { first } else { near[slot] };
                far[slot] = if second < far[slot] { second } else { far[slot] };
                least[slot] = if second.abs() < least[slot] { second.abs() } else { least[slot] };
            }
        }
        let (mut hits, mut doubtful) = (0, 0);
        for slot in 0..SLOTS {
            let (near, far) = (near[slot], far[slot]);
            let hit = (far > 0.0) & (near < far);
            let beyond = (far > 0.0) & (near > far * 1.002 + exponent_of_two(-22)) & (near < HUGE);
            let behind = (far < 0.0) & (least[slot] > exponent_of_two(-24));
            hits |= u8::from(hit) << slot;
            doubtful |= u8::from(!(hit | beyond | behind)) << slot;
        }
        (hits, doubtful)
    }
}

/// Returns 2^`exponent` as an `f32`, for exponents of normal numbers.
#[inline]
fn exponent_of_two(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::h8::quantize::{grid_step, quantize};
    use raywarp_geom::Aabb;
    use raywarp_testing::Random;

    fn random_floats(seed: u64) -> impl FnMut() -> f32 {
        let mut random = Random::new(seed);
        move || random.unit()
    }

    /// Returns a random node of `count` boxes within `size` of a place in the unit cube, all of it scaled by `scale`.
    fn node(
        next: &mut impl FnMut() -> f32,
        count: usize,
        size: f32,
        scale: f32,
    ) -> ([Option<Aabb>; SLOTS], H8Node, f32) {
        let place: [f32; 3] = std::array::from_fn(|_| 2.0 * next() - 1.0);
        let thin = (next() * 4.0) as usize;
        let boxes: [Option<Aabb>; SLOTS] = std::array::from_fn(|slot| {
            let mut corner =
                |i: usize| scale * (place[i] * (1.0 - size) + size * if i == thin { 0.0 } else { next() - 0.5 });
            let (a, b): ([f32; 3], [f32; 3]) = (std::array::from_fn(&mut corner), std::array::from_fn(&mut corner));
            let (min, max) = (std::array::from_fn(|i| a[i].min(b[i])), std::array::from_fn(|i| a[i].max(b[i])));
            (slot < count).then_some(Aabb { min, max })
        });
        let grid = grid_step(scale);
        let node = H8Node { first: 1, ..quantize(&boxes, grid) };
        (boxes, node, grid)
    }

    /// Returns a random direction, often with small, zero and negative zero components.
    fn direction(next: &mut impl FnMut() -> f32) -> [f32; 3] {
        let lengths = [1.0, 1.0, 1.0, 1.0, 1e-3, 1e-4, 3e-5, 1e-6, 1e-9, 1e-40, 0.0, -0.0];
        std::array::from_fn(|_| (2.0 * next() - 1.0) * lengths[(next() * 12.0) as usize])
    }

    #[test]
    fn a_ray_through_a_point_of_a_box_hits_it() {
        let mut next = random_floats(1);
        for round in 0..60_000 {
            let (size, scale) = (2f32.powi(-(round % 14)), [1.0, 1e-6, 1e6, 1e20][round as usize % 4]);
            let (boxes, node, grid) = node(&mut next, 1 + round as usize % 8, size, scale);
            let slot = (next() * 8.0) as usize;
            let Some(aabb) = boxes[slot] else { continue };
            // On faces and edges often.
            let target: [f32; 3] = std::array::from_fn(|i| match (next() * 3.0) as u32 {
                0 => aabb.min[i],
                1 => aabb.max[i],
                _ => (aabb.min[i] + next() * (aabb.max[i] - aabb.min[i])).clamp(aabb.min[i], aabb.max[i]),
            });
            let mut d = direction(&mut next);
            if d == [0.0; 3] {
                d[round as usize % 3] = 1.0;
            }
            let stretch = [1.0, 1e-20, 1e20, 0.3][(next() * 4.0) as usize];
            let longest = d.iter().fold(0f32, |m, x| m.max(x.abs()));
            let d = d.map(|x| x / longest * stretch);
            let t = scale * 2.0 * next() / stretch;
            if !t.is_finite() || t * 1e6 * stretch > 1e30 {
                continue;
            }
            let origin: [f32; 3] = std::array::from_fn(|i| target[i] - t * d[i]);
            let ray = H8Ray::new(&Ray::new(origin, d), 0.0, scale);
            let far = t * 1.000_01 + scale * 1e-5 / stretch;
            for limit in [f32::INFINITY, far] {
                let hits = ray.hits(&node, grid, limit);
                assert!(hits >> slot & 1 == 1, "{round}: {aabb:?} from {origin:?} along {d:?}, {node:?}");
                assert!((0..SLOTS).all(|slot| boxes[slot].is_some() || hits >> slot & 1 == 0), "an unused slot is hit");
            }
            let before = Ray::new(origin, d);
            assert_eq!(
                H8Ray::new(&before, far * 4.0 + scale * 4.0 / stretch, scale).hits(&node, grid, f32::INFINITY),
                0,
                "behind"
            );
        }
    }

    #[test]
    fn boxes_are_hit_as_halves_say_and_few_need_to_be_asked() {
        let mut numbers = Random::new(1);
        let mut random = || (numbers.state() >> 40) as u32;
        let (mut asked, mut hit) = (0, 0);
        for round in 0..100_000 {
            let [lo, hi]: [[[u8; SLOTS]; 3]; 2] =
                [(); 2].map(|()| [(); 3].map(|()| [(); SLOTS].map(|()| random() as u8)));
            // Any bits; numbers of one size, so that ends meet; the least ones, of either sign, and zeros.
            let mut half = || match round % 4 {
                0 => random() as u16,
                1 => (random() % 64) as u16 | (random() as u16 & 0x8000),
                2 => 0x5000 | (random() as u16 & 0x83ff),
                _ => (random() % 0x800) as u16 | (random() as u16 & 0x8000),
            };
            let factor = [half(), half(), half()];
            let offsets = [(); 3].map(|()| [half(), half()]);
            let ends = [half(), HALF_INFINITY, 0, 0x8000];
            let planes = Planes { first: lo.each_ref(), second: hi.each_ref(), factor, offsets };
            for end in ends {
                let (hits, doubtful) = planes.hits_but_for_doubts(end);
                for slot in (0..SLOTS).filter(|slot| doubtful >> slot & 1 == 0) {
                    let exactly = planes.is_hit(slot, end);
                    assert_eq!(hits >> slot & 1 == 1, exactly, "{lo:?} {hi:?} {factor:?} {offsets:?} {end:#x}, {slot}");
                    hit += u32::from(exactly);
                }
                asked += doubtful.count_ones();
            }
        }
        assert!(hit > 20_000, "{hit} hit, {asked} asked");
        // Of nodes and rays as they are.
        let mut next = random_floats(4);
        let (mut asked, mut all) = (0, 0);
        for round in 0..20_000 {
            let (_, node, grid) = node(&mut next, 8, 2f32.powi(-(round % 9)), 1.0);
            let origin: [f32; 3] = std::array::from_fn(|_| 2.0 * next() - 1.0);
            let ray = H8Ray::new(&Ray::new(origin, direction(&mut next)), 0.0, 1.0);
            for limit in [f32::INFINITY, 0.3] {
                let (planes, end) = ray.planes(&node, grid, limit);
                asked += planes.hits_but_for_doubts(end).1.count_ones();
                all += 8;
            }
        }
        assert!(asked < all / 50, "{asked} of {all}");
    }

    #[test]
    fn few_boxes_are_hit_in_vain() {
        // Against the exact box in f64, grown by a share of the node: what quantisation and guards may cost.
        let mut next = random_floats(2);
        let (mut exact, mut hit, mut grown, mut vain) = (0u32, 0u32, 0u32, 0u32);
        for round in 0..40_000 {
            let size = 2f32.powi(-(round % 9));
            let (boxes, node, grid) = node(&mut next, 8, size, 1.0);
            let origin: [f32; 3] = std::array::from_fn(|_| 2.0 * next() - 1.0);
            let at = boxes[0].unwrap();
            let target: [f32; 3] = std::array::from_fn(|i| 0.5 * (at.min[i] + at.max[i]) + size * (next() - 0.5));
            let d: [f32; 3] = std::array::from_fn(|i| target[i] - origin[i]);
            let hits = H8Ray::new(&Ray::new(origin, d), 0.0, 1.0).hits(&node, grid, f32::INFINITY);
            hit += hits.count_ones();
            let step = node.step(0).max(node.step(1)).max(node.step(2)) * f64::from(grid);
            let meets = |aabb: &Aabb, pad: f64| {
                let (mut near, mut far) = (0f64, f64::INFINITY);
                for i in 0..3 {
                    let [a, b] = [f64::from(aabb.min[i]) - pad, f64::from(aabb.max[i]) + pad]
                        .map(|x| (x - f64::from(origin[i])) / f64::from(d[i]));
                    (near, far) = (near.max(a.min(b)), far.min(a.max(b)));
                }
                near <= far
            };
            for (slot, aabb) in boxes.iter().flatten().enumerate() {
                exact += u32::from(meets(aabb, 0.0));
                let allowed = meets(aabb, 3.5 * step);
                grown += u32::from(allowed);
                // A far plane at just -0 hides that another is behind: rare, and no more than a visit in vain.
                vain += u32::from(!allowed && hits >> slot & 1 == 1);
            }
        }
        assert!(
            hit < exact + exact / 10 && exact <= hit && hit <= grown && vain < 10,
            "{exact} exact, {hit} hit, {grown} near, {vain} far"
        );
    }
}
