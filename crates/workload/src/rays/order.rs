//! Other orders of rays: sorted along a Morton curve, and shuffled.

use rayon::prelude::*;
use raywarp_geom::{Aabb, Ray};
use raywarp_sample::hash::combine;

/// Number of bits for each dimension of a Morton key: 19 for origins and 16 for directions.
const BITS: [u32; 2] = [19, 16];

/// Returns the ray's position on the Morton curve through the six dimensions of origin (within `bounds`) and unit
/// direction. Directions count from -1 to 1, and x comes before y before z. Origins are cut eight times as fine as
/// directions, as in the authors' published benchmark (256 to 32): the first nine bits are of the origin alone, the
/// others alternate. An invalid ray gets some key.
pub fn morton_key(ray: &Ray, bounds: &Aabb) -> u128 {
    key_of(ray, bounds, |half, axis| (half, axis))
}

/// Returns the Morton key of a ray with dimensions in the order of the authors' published benchmark (ALK12). Else as
/// [`morton_key`]: directions come before origins where both have a bit, and z before y before x.
pub fn published_key(ray: &Ray, bounds: &Aabb) -> u128 {
    key_of(ray, bounds, |half, axis| (1 - half, 2 - axis))
}

/// Returns a Morton key whose bits come in the order that `place` gives. It returns the `half` (0 for origins, 1 for
/// directions) and axis for each place within a level of bits.
fn key_of(ray: &Ray, bounds: &Aabb, place: impl Fn(usize, usize) -> (usize, usize)) -> u128 {
    let length = ray.direction.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    // The cast saturates, and takes a NaN (a flat box, a zero direction) to 0.
    let cell = |x: f64, bits: u32| ((x * f64::from(1u32 << bits)) as u32).min((1 << bits) - 1);
    let places: [[u32; 2]; 3] = std::array::from_fn(|i| {
        let (low, high) = (f64::from(bounds.min[i]), f64::from(bounds.max[i]));
        let origin = (f64::from(ray.origin[i]) - low) / (high - low);
        let direction = 0.5 * (f64::from(ray.direction[i]) / length + 1.0);
        [cell(origin, BITS[0]), cell(direction, BITS[1])]
    });
    let mut key = 0u128;
    for bit in (0..BITS[0]).rev() {
        for half in 0..2 {
            for axis in 0..3 {
                let (half, axis) = place(half, axis);
                if bit < BITS[half] {
                    key = key << 1 | u128::from(places[axis][half] >> bit & 1);
                }
            }
        }
    }
    key
}

/// Sorts rays by [`morton_key`] within the box of their origins; equal keys keep their order.
pub fn sort_morton(rays: &mut [Ray]) {
    let bounds = Aabb::of_points(rays.iter().map(|ray| &ray.origin));
    sort_by(rays, |ray| morton_key(ray, &bounds));
}

/// Sorts rays by [`published_key`] within the box of their origins and ends; equal keys keep their order. An end at
/// infinity is in no box.
pub fn sort_published(rays: &mut [Ray]) {
    let ends: Vec<[f32; 3]> = rays.iter().map(|ray| ray.at(ray.t_max)).collect();
    let ends = ends.iter().filter(|end| end.iter().all(|x| x.is_finite()));
    let bounds = Aabb::of_points(rays.iter().map(|ray| &ray.origin).chain(ends));
    sort_by(rays, |ray| published_key(ray, &bounds));
}

fn sort_by(rays: &mut [Ray], key: impl Fn(&Ray) -> u128 + Sync) {
    // The index makes the order total, so that an unstable sort gives one result.
    let mut keys: Vec<(u128, usize)> =
        rays.par_iter().with_min_len(4096).enumerate().map(|(i, ray)| (key(ray), i)).collect();
    keys.par_sort_unstable();
    let sorted: Vec<Ray> = keys.par_iter().with_min_len(4096).map(|&(_, i)| rays[i]).collect();
    rays.copy_from_slice(&sorted);
}

/// Shuffles rays (AL09 6), in the same way for the same seed and number of rays.
pub fn shuffle(rays: &mut [Ray], seed: u32) {
    let permutation = Permutation::new(rays.len() as u64, seed);
    let shuffled: Vec<Ray> =
        (0..rays.len()).into_par_iter().with_min_len(4096).map(|i| rays[permutation.at(i as u64) as usize]).collect();
    rays.copy_from_slice(&shuffled);
}

/// Seeded permutation of `0 .. count` that is computed on demand instead of stored. So many rays as a view has need not
/// be in memory to be shuffled.
///
/// A Feistel network over the next even power of two; what falls outside goes round again (cycle
/// walking: Black and Rogaway 2002).
#[derive(Debug, Clone, Copy)]
pub struct Permutation {
    count: u64,
    half_bits: u32,
    seed: u32,
}

impl Permutation {
    /// Makes the permutation of `0 .. count` for a seed; `count` at most 2^62.
    pub fn new(count: u64, seed: u32) -> Self {
        let bits = 64 - count.saturating_sub(1).leading_zeros();
        Self { count, half_bits: bits.div_ceil(2).max(1), seed }
    }

    /// Returns the number at position `index` of the permutation.
    ///
    /// # Panics
    /// If `index` is not below the count.
    pub fn at(&self, index: u64) -> u64 {
        assert!(index < self.count, "place {index} of {}", self.count);
        let mask = (1u64 << self.half_bits) - 1;
        let mut value = index;
        loop {
            let (mut left, mut right) = (value >> self.half_bits, value & mask);
            for round in 0..6 {
                let noise = combine(combine(self.seed, round), right as u32);
                (left, right) = (right, left ^ (u64::from(noise) & mask));
            }
            value = left << self.half_bits | right;
            // The network is a bijection of its power of two, so walking on from a place inside ends inside.
            if value < self.count {
                return value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_sample::statistics::chi_squared_test;

    const BOX: Aabb = Aabb { min: [0.0; 3], max: [1.0; 3] };

    #[test]
    fn keys_interleave_six_dimensions() {
        let key = |origin, direction| morton_key(&Ray::new(origin, direction), &BOX);
        // Three levels of the origin alone, then 16 of both.
        assert_eq!(key([0.0; 3], [-1.0, 0.0, 0.0]), 0b011 << 90);
        assert_eq!(key([0.5, 0.0, 0.0], [-2.0, 0.0, 0.0]), 0b100 << 102 | 0b011 << 90);
        assert_eq!(key([0.0, 0.5, 0.0625], [-3.0, 0.0, 0.0]), 0b010 << 102 | 0b001_011 << 90);
        assert_eq!(key([1.0; 3], [1.0, 0.0, 0.0]) >> 90, 0x7fff);
        let published = |origin, direction| published_key(&Ray::new(origin, direction), &BOX);
        // z before y before x, and directions first.
        assert_eq!(published([0.5, 0.0, 0.0], [-1.0, 0.0, 0.0]), 0b001 << 102 | 0b110_000 << 90);
        assert_eq!(published([0.0, 0.5, 0.0625], [-3.0, 0.0, 0.0]), 0b010 << 102 | 0b110_100 << 90);
        // A flat box and invalid rays have keys too.
        morton_key(&Ray::new([f32::NAN; 3], [0.0; 3]), &Aabb { min: [0.0; 3], max: [0.0; 3] });
    }

    #[test]
    fn the_published_order_is_in_the_box_of_both_ends() {
        let mut rays = some_rays(5000);
        rays.iter_mut().for_each(|ray| ray.t_max = 20.0);
        rays[17].t_max = f32::INFINITY;
        sort_published(&mut rays);
        let ends = rays.iter().filter(|ray| ray.t_max < 1e9).map(|ray| ray.at(ray.t_max));
        let points: Vec<[f32; 3]> = rays.iter().map(|ray| ray.origin).chain(ends).collect();
        let (both, origins) = (Aabb::of_points(points.iter()), Aabb::of_points(rays.iter().map(|ray| &ray.origin)));
        assert!(rays.is_sorted_by_key(|ray| published_key(ray, &both)));
        assert!(!rays.is_sorted_by_key(|ray| published_key(ray, &origins)));
    }

    fn some_rays(count: u32) -> Vec<Ray> {
        let unit = |i: u32| combine(5, i) as f32 / u32::MAX as f32;
        let at = |i: u32| std::array::from_fn(|d| unit(6 * i + d as u32) - 0.5);
        (0..count).map(|i| Ray::new(at(2 * i), at(2 * i + 1))).collect()
    }

    fn as_bits(rays: &[Ray]) -> Vec<[u32; 8]> {
        let mut bits: Vec<[u32; 8]> = rays.iter().map(ray_bits).collect();
        bits.sort_unstable();
        bits
    }

    fn ray_bits(ray: &Ray) -> [u32; 8] {
        let (o, d) = (ray.origin, ray.direction);
        [o[0], o[1], o[2], ray.t_min, d[0], d[1], d[2], ray.t_max].map(f32::to_bits)
    }

    #[test]
    fn sorting_orders_the_keys_and_keeps_the_rays() {
        let rays = some_rays(20_000);
        let mut sorted = rays.clone();
        sort_morton(&mut sorted);
        let bounds = Aabb::of_points(rays.iter().map(|ray| &ray.origin));
        assert!(sorted.is_sorted_by_key(|ray| morton_key(ray, &bounds)));
        assert!(!rays.is_sorted_by_key(|ray| morton_key(ray, &bounds)));
        assert_eq!(as_bits(&rays), as_bits(&sorted));
        sort_morton(&mut []);
    }

    #[test]
    fn a_permutation_has_each_number_once() {
        for count in [1, 2, 3, 4, 5, 31, 32, 33, 1000, 4096] {
            for seed in 0..3 {
                let permutation = Permutation::new(count, seed);
                let mut seen: Vec<u64> = (0..count).map(|i| permutation.at(i)).collect();
                seen.sort_unstable();
                assert!(seen.into_iter().eq(0..count), "{count}, seed {seed}");
            }
        }
    }

    #[test]
    fn numbers_land_anywhere_with_equal_chance() {
        // From eight ranges into eight ranges, over seeds; the margins are fixed: 49 degrees of freedom at
        // least, so a plain test is on the safe side.
        let (count, seeds) = (1 << 10, 40);
        let mut landed = vec![0.0; 64];
        for seed in 0..seeds {
            let permutation = Permutation::new(count, seed);
            for i in 0..count {
                landed[(i * 8 / count * 8 + permutation.at(i) * 8 / count) as usize] += 1.0;
            }
        }
        let expected = vec![count as f64 * f64::from(seeds) / 64.0; 64];
        let (p, _) = chi_squared_test(&landed, &expected);
        assert!(p > 1e-4, "p {p}: {landed:?}");
    }

    #[test]
    fn shuffling_keeps_the_rays_and_depends_on_the_seed() {
        let rays = some_rays(3000);
        let shuffled = |seed| {
            let mut rays = rays.clone();
            shuffle(&mut rays, seed);
            rays
        };
        assert_eq!(as_bits(&rays), as_bits(&shuffled(1)));
        assert!(shuffled(1) == shuffled(1) && shuffled(1) != shuffled(2) && shuffled(1) != rays);
    }
}
