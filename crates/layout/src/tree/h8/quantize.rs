//! Quantisation of boxes: the grid of a tree, and those of its nodes.
//!
//! A box grows by three things before it is rounded outward: by [`PAD`] for what a triangle test and a
//! ray's own coordinates round, by half a step of the node's grid for what halves round in planes and
//! reciprocals, and kernels move every plane distance by two steps of 2^-24 more, for their own rounding.
//!
//! # What the pad covers
//! With `u = 2^-24` and `R` the tree's reach: no corner has a coordinate beyond `R`, no ray starts beyond `2 R`, and so
//! no coordinate difference is beyond `3 R`. A triangle's corner as the watertight test sees it is moved by at most
//! `6 u` of that in x and y and `u` in z, and the `t` of a hit is off by at most `4 u` of it and `9 u` of the
//! triangle's own extent, `2 R` ([`raywarp_geom::triangle::Watertight`] counts them; areas where more is lost are not
//! hit here): `11 * 3 + 9 * 2 = 51 u R`. Where a kernel's ray stands at a node rounds by `3 u R`, its distance to the
//! node's corner by `4 u R`. Together `58 u R`. The pad is at least `64 u R`, for a step of the grid is at
//! least `4 u R`. So the box of every triangle is met at the `t` that the test reports, and whatever is hit is
//! what the CPU's tracer hits, with its bits.

use super::node::{FIELD_BITS, H8Node, SLOTS};
use raywarp_geom::Aabb;

/// Number of grid steps by which boxes are padded: 2^-18 to 2^-17 of the reach.
pub(crate) const PAD: f64 = 16.0;

/// Number of grid steps from zero that all coordinates stay below.
const LIMIT: f64 = (1u32 << 22) as f64;
/// Part of `LIMIT`, in grid steps, that is left for padding and for half a step of the coarsest node.
const MARGIN: f64 = (1u32 << 16) as f64;
/// Largest ratio of steps between a node's axes, as a power of two. With directions whose components are clamped, all
/// quotients of step and direction then fit halves.
const FINEST: u32 = 3;

/// Largest coordinate that a tree can have, so that products with directions stay finite.
pub(crate) const MAX_COORDINATE: f32 = 1.267_650_6e30;
/// Exponent of the finest grid step, that of a tiny scene: 2^-100.
const LEAST_EXPONENT: i32 = -100;

/// Returns the grid step of a tree whose coordinates are up to `reach`: the least power of two of which 2^22 suffice,
/// with a margin.
pub(crate) fn grid_step(reach: f32) -> f32 {
    let exponent = (LEAST_EXPONENT..100).find(|&e| f64::from(reach) <= (LIMIT - MARGIN) * 2f64.powi(e));
    2f32.powi(exponent.unwrap_or(100))
}

/// Quantises the boxes of the used slots, at least one, on the finest grid that holds them; returns the node without
/// links.
pub(crate) fn quantize(boxes: &[Option<Aabb>; SLOTS], grid_step: f32) -> H8Node {
    let unit = f64::from(grid_step);
    let all = boxes.iter().flatten().fold(Aabb::EMPTY, |all, aabb| all.union(aabb));
    let span =
        |aabb: &Aabb, axis: usize| [f64::from(aabb.min[axis]) - PAD * unit, f64::from(aabb.max[axis]) + PAD * unit];
    let finest: [u32; 3] = std::array::from_fn(|axis| finest_exponent(span(&all, axis), axis, unit));
    let coarsest = finest.into_iter().fold(0, u32::max);
    let finer = finest.map(|e| (coarsest - e).min(FINEST));
    let (lo, hi) = ([[255; SLOTS]; 3], [[0; SLOTS]; 3]);
    let mut node = H8Node { corner: [0.0; 3], coarsest, finer, inner: 0, first: 0, lo, hi };
    for axis in 0..3 {
        let step = node.step(axis) * unit;
        node.corner[axis] = corner_below(span(&all, axis)[0] - 0.5 * step, node.field(axis), FIELD_BITS[axis]);
        let corner = f64::from(node.corner[axis]);
        for (slot, aabb) in boxes.iter().enumerate() {
            let Some(aabb) = aabb else { continue };
            let [lo, hi] = span(aabb, axis).map(|x| (x - corner) / step);
            // The casts only cut what is exactly an integer: the corner and the exponent were chosen for that.
            (node.lo[axis][slot], node.hi[axis][slot]) = ((lo - 0.5).floor() as u8, (hi + 0.5).ceil() as u8);
        }
    }
    node
}

/// Returns the largest float up to `most` whose lowest `bits` bits are `field`.
fn corner_below(most: f64, field: u32, bits: u32) -> f32 {
    let block = 1u32 << bits;
    // Floats in their order, as integers: those of a sign are so already.
    let nearest = (most as f32).to_bits();
    let mut candidate = nearest & !(block - 1) | field;
    // At most two steps: one for the rounding of `most`, one for the field.
    for _ in 0..3 {
        if f64::from(f32::from_bits(candidate)) <= most {
            break;
        }
        candidate = match candidate {
            negative if negative >> 31 == 1 => negative + block,
            positive if positive >= block => positive - block,
            _ => 1 << 31 | field,
        };
    }
    f32::from_bits(candidate)
}

/// Returns an upper bound of the distance that [`corner_below`] may move a corner down.
pub(crate) fn corner_room(place: f64, axis: usize, unit: f64) -> f64 {
    place.abs() * 2f64.powi(FIELD_BITS[axis] as i32 + 2 - 23) + unit * 2f64.powi(-20)
}

/// Returns the least exponent of a step with which 255 steps reach from the corner for `least` half a step beyond
/// `most`.
fn finest_exponent([least, most]: [f64; 2], axis: usize, unit: f64) -> u32 {
    let reaches = |e: &u32| {
        let step = 2f64.powi(*e as i32) * unit;
        let corner = least - 0.5 * step - corner_room(least.abs() + step, axis, unit);
        (most - corner) / step + 0.5 <= 255.0
    };
    (0..16).find(reaches).unwrap_or(16)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(seed: u64) -> impl FnMut() -> f32 {
        let mut random = raywarp_testing::Random::new(seed);
        move || random.unit()
    }

    #[test]
    fn planes_leave_the_pad_and_half_a_step_and_not_two_more() {
        let mut next = random(1);
        for round in 0..20_000 {
            let (size, reach) = (2f32.powi(-(round % 24)), 2f32.powi(round % 50 - 25));
            let centre: [f32; 3] = std::array::from_fn(|_| 2.0 * next() - 1.0);
            let flat = round as usize % 4;
            let boxes: [Option<Aabb>; SLOTS] = std::array::from_fn(|slot| {
                let mut corner = |i: usize| {
                    let beside = if i == flat { 0.0 } else { size * (next() - 0.5) };
                    (centre[i] * (1.0 - size) + beside) * reach
                };
                let (a, b): ([f32; 3], [f32; 3]) = (std::array::from_fn(&mut corner), std::array::from_fn(&mut corner));
                let min = std::array::from_fn(|i| a[i].min(b[i]));
                let max = std::array::from_fn(|i| a[i].max(b[i]));
                (slot < 1 + round as usize % 8).then_some(Aabb { min, max })
            });
            let grid = grid_step(reach);
            let node = quantize(&boxes, grid);
            for axis in 0..3 {
                let step = 2f64.powi(node.coarsest as i32 - node.finer[axis] as i32);
                assert_eq!(node.corner[axis].to_bits() & ((1 << FIELD_BITS[axis]) - 1), node.field(axis));
                for (slot, aabb) in boxes.iter().enumerate() {
                    let (lo, hi) = (node.lo[axis][slot], node.hi[axis][slot]);
                    let Some(aabb) = aabb else {
                        assert_eq!((lo, hi), (255, 0));
                        continue;
                    };
                    let [least, most] = node.planes(slot, axis, grid).map(|x| x / f64::from(grid));
                    let below = f64::from(aabb.min[axis]) / f64::from(grid) - least - PAD;
                    let above = most - f64::from(aabb.max[axis]) / f64::from(grid) - PAD;
                    assert!(0.5 * step <= below && below < 1.5 * step, "{below} of {step}");
                    assert!(0.5 * step <= above && above < 1.5 * step, "{above} of {step}");
                }
            }
        }
    }

    #[test]
    fn corners_are_floats_below_with_the_bits_they_must_have() {
        let tiny = f64::from(f32::from_bits(1));
        let places = [0.0, 1.0, -1.0, 3.7, -1e-3, 1e30, -1e30, tiny, -tiny, 100.0 * tiny, 1e-38, -1e-38, 0.1, -2.0];
        for most in places {
            for (bits, fields) in [(2, 0..4), (7, 0..128)] {
                for field in fields {
                    let corner = corner_below(most, field, bits);
                    assert_eq!(corner.to_bits() & ((1 << bits) - 1), field);
                    let room = most.abs() * 2f64.powi(bits as i32 + 1 - 23) + 300.0 * tiny;
                    assert!((0.0..=room).contains(&(most - f64::from(corner))), "{most} {field}: {corner}");
                }
            }
        }
    }

    #[test]
    fn the_grid_reaches_every_scene_with_room_for_the_root_and_is_no_coarser() {
        for x in [0.0, 1e-40, 1e-6, 1.0, 1.0f32.next_up(), 4_128_768.0, 1e6, MAX_COORDINATE] {
            let step = grid_step(x);
            assert!(f64::from(x) <= (LIMIT - MARGIN) * f64::from(step), "{x}");
            assert!(f64::from(x) > 0.49 * (LIMIT - MARGIN) * f64::from(step) || step == 2f32.powi(-100), "{x}");
            let root = Aabb { min: [-x; 3], max: [x; 3] };
            let node = quantize(&[Some(root); SLOTS], step);
            assert!(node.coarsest <= 16 && node.lo.iter().flatten().all(|&q| q <= 1), "{x}");
        }
    }
}
