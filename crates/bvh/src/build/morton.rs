//! References in the order of a space-filling curve.
//!
//! Source: Morton 1966; codes as in Lauterbach et al. 2009, "Fast BVH construction on GPUs", section 3.
//! Departure: 21 bits an axis instead of 10, in cubic cells: on an oblong scene cells as oblong as it
//! make worse trees.

use crate::parallel;
use crate::reference::{RangeBounds, Reference};
use crate::watch::{Stopped, Watch};

/// Work that [`sorted_codes`] counts for each reference.
pub(super) const CODES: f64 = 2.0;

/// Number of bits of a Morton code for each axis.
const AXIS_BITS: u32 = 21;
/// Number of references that one task of the radix sort counts and moves.
const CHUNK: usize = 1 << 16;
const DIGIT_BITS: u32 = 8;
const DIGITS: usize = 1 << DIGIT_BITS;

/// Morton code of a reference's centroid, with the index of the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Coded {
    pub(super) code: u64,
    pub(super) index: u32,
}

/// Returns the Morton codes of `references` in increasing order; equal ones keep the order of the references.
pub(super) fn sorted_codes(references: &[Reference], watch: &Watch<'_>) -> Result<Vec<Coded>, Stopped> {
    let centroids = RangeBounds::of(references, watch)?.centroids;
    let extent = (centroids.max - centroids.min).max_element();
    let cells = (1u32 << AXIS_BITS) as f32;
    // Clamped, so that no zero times infinity gives a NaN.
    let scale = if extent > 0.0 { (cells / extent).min(f32::MAX) } else { 0.0 };
    let code = |index: usize| {
        let cell = ((references[index].centroid() - centroids.min) * scale).to_array();
        let [x, y, z] = cell.map(|x| spread(u64::from((x as u32).min((1 << AXIS_BITS) - 1))));
        Coded { code: x << 2 | y << 1 | z, index: index as u32 }
    };
    let mut codes = parallel::map(watch, references.len(), &code)?;
    sort(&mut codes, watch, CODES * references.len() as f64)?;
    Ok(codes)
}

/// Spreads the 21 low bits of `x` apart: bit i moves to bit 3 i.
fn spread(x: u64) -> u64 {
    let x = (x | x << 32) & 0x001f_0000_0000_ffff;
    let x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    let x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    let x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

/// Sorts codes of at most 63 bits by a stable parallel radix sort, from the lowest digit on; counts `work` as done.
pub(super) fn sort(codes: &mut Vec<Coded>, watch: &Watch<'_>, work: f64) -> Result<(), Stopped> {
    // Filled in parallel, since the first touch of so much memory takes longer than the filling.
    let mut scratch = parallel::map(watch, codes.len(), &|_| Coded { code: 0, index: 0 })?;
    for shift in (0..3 * AXIS_BITS).step_by(DIGIT_BITS as usize) {
        watch.advance(work / f64::from((3 * AXIS_BITS).div_ceil(DIGIT_BITS)));
        let digit = |coded: &Coded| (coded.code >> shift) as usize & (DIGITS - 1);
        let count = |chunk: &[Coded]| {
            let mut counts = [0usize; DIGITS];
            chunk.iter().for_each(|coded| counts[digit(coded)] += 1);
            counts
        };
        let counts = parallel::map_chunks(watch, codes, CHUNK, &count)?;
        let total = |digit: usize| counts.iter().map(|counts| counts[digit]).sum::<usize>();
        if (0..DIGITS).any(|digit| total(digit) == codes.len()) {
            continue;
        }
        // The place of each chunk's share of each digit: digit by digit, and chunk by chunk in it.
        let mut places: Vec<Vec<std::slice::IterMut<'_, Coded>>> =
            counts.iter().map(|_| Vec::with_capacity(DIGITS)).collect();
        let mut rest = &mut scratch[..];
        for digit in 0..DIGITS {
            for (places, counts) in places.iter_mut().zip(&counts) {
                let (share, after) = rest.split_at_mut(counts[digit]);
                places.push(share.iter_mut());
                rest = after;
            }
        }
        parallel::run_each(watch, codes.chunks(CHUNK).zip(places).collect(), &|(chunk, mut places)| {
            for coded in chunk {
                // As many places as were counted, so that there always is a next one.
                if let Some(place) = places[digit(coded)].next() {
                    *place = *coded;
                }
            }
        })?;
        std::mem::swap(codes, &mut scratch);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_geom::Aabb;

    fn numbers(count: usize) -> Vec<u64> {
        let mut random = raywarp_testing::Random::new(1);
        let next = |_: &u64| Some(random.state());
        std::iter::successors(Some(1), next).take(count).collect()
    }

    #[test]
    fn spreading_puts_two_zeros_between_bits() {
        for x in numbers(100).iter().map(|x| x >> 43) {
            let slow: u64 = (0..AXIS_BITS).map(|i| (x >> i & 1) << (3 * i)).sum();
            assert_eq!(spread(x), slow);
        }
    }

    #[test]
    fn the_radix_sort_orders_as_the_library_does() {
        // Three chunks; full codes, few different codes, and codes that differ in one digit or in two.
        let two_digits = (0..7).map(|digit| 0xffff << (8 * digit) & u64::MAX >> 1);
        for mask in [u64::MAX >> 1, 0x7000_0000_0000_0003, 0xff00].into_iter().chain(two_digits) {
            let coded = |(i, x): (usize, &u64)| Coded { code: x & mask, index: i as u32 };
            let mut codes: Vec<Coded> = numbers(2 * CHUNK + 1000).iter().enumerate().map(coded).collect();
            let mut slow = codes.clone();
            slow.sort();
            sort(&mut codes, &Watch::nothing(), 0.0).unwrap();
            assert!(codes == slow, "{mask:x}");
        }
        sort(&mut vec![], &Watch::nothing(), 0.0).unwrap();
    }

    #[test]
    fn codes_follow_the_curve_and_use_the_whole_range() {
        let corner = |i: usize| Aabb { min: [4, 2, 1].map(|b| if i & b > 0 { 1.0 } else { -1.0 }), max: [1.0; 3] };
        let references: Vec<Reference> = (0..8).rev().map(|i| Reference::new(&corner(i), i as u32)).collect();
        let codes = sorted_codes(&references, &Watch::nothing()).unwrap();
        assert_eq!(codes.iter().map(|c| 7 - c.index).collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
        assert_eq!((codes[0].code, codes[7].code), (0, u64::MAX >> 1));
    }

    #[test]
    fn scenes_without_extent_or_of_the_largest_have_codes() {
        let point = |x: f32| Reference::new(&Aabb { min: [x; 3], max: [x; 3] }, 0);
        for (a, b) in [(1.0, 1.0), (-f32::MAX, f32::MAX), (0.0, 1e-45), (0.0, 1e-38)] {
            let codes = sorted_codes(&[point(b), point(a)], &Watch::nothing()).unwrap();
            assert!(codes.is_sorted(), "{a} to {b}: {codes:?}");
        }
    }
}
