//! Early split clipping: large triangles enter the builder as several smaller boxes.
//!
//! Source: Ernst and Greiner 2007, "Early split clipping for bounding volume hierarchies"; AL09 2
//! uses it. A box is cut across its longest axis, and each part shrinks around the part of the
//! triangle in it. Departures, with inner nodes visited plus triangles tested by a ray in an atrium of
//! long diagonal triangles and in a room with large walls (unsplit 37 and 19):
//! - the paper splits whatever exceeds a given area (29 and 25 with the largest first); here goes
//!   first what has most area that is not the triangle's own, which leaves most of the walls alone
//!   (31 and 22), until a given number of extra references is used up;
//! - the paper cuts in the middle; here at the coarsest multiple of a power of two, so that the cuts
//!   of neighbours line up (Karras and Aila 2013, 4.2; 28 and 21).

use crate::build::extra_references;
use crate::parallel;
use crate::polygon::{Polygon, pad_of};
use crate::reference::Reference;
use crate::watch::{Stopped, Watch};
use raywarp_geom::{Aabb, TriangleSource};
use std::collections::BinaryHeap;

/// Number of triangles that one task works on.
const CHUNK: usize = 1 << 12;

/// Splits references of large triangles until `share` as many have been added as there are triangles, or no split pays.
/// `references` has one entry a triangle, in order; the new ones come after them.
///
/// The boxes of a triangle together cover it: each part's box is enlarged by a few roundings, so
/// that a ray which hits the triangle in floating point also meets the box.
pub(crate) fn split(
    references: &mut Vec<Reference>,
    triangles: &dyn TriangleSource,
    share: f32,
    watch: &Watch<'_>,
) -> Result<(), Stopped> {
    let budget = extra_references(references.len() as u64, share) as usize;
    if budget == 0 {
        return Ok(());
    }
    let before = &references[..];
    let candidate = |i: usize| {
        let projected_area = Polygon::of(&triangles.corners(i)).projected_area();
        Candidate::new(i as u32, &Part { cell: before[i].bounds().aabb(), projected_area })
    };
    let chunks = parallel::tasks(watch, before.len().div_ceil(CHUNK), &|chunk| {
        let places = chunk * CHUNK..before.len().min((chunk + 1) * CHUNK);
        places.filter_map(candidate).collect::<Vec<Candidate>>()
    })?;
    let mut candidates: Vec<Candidate> = chunks.into_iter().flatten().collect();
    if candidates.len() > budget {
        // Each split uses up one of the budget: the rest would never be reached.
        candidates.select_nth_unstable_by(budget - 1, |a, b| b.cmp(a));
        candidates.truncate(budget);
    }
    references.reserve_exact(budget);
    let mut heap = BinaryHeap::from(candidates);
    let end = references.len() + budget;
    while references.len() < end
        && let Some(Candidate { index, .. }) = heap.pop()
    {
        watch.look()?;
        let reference = references[index as usize];
        let primitive = reference.primitive();
        let triangle = &triangles.corners(primitive as usize);
        let Some([left, right]) = halves(triangle, &reference.bounds().aabb()) else { continue };
        let added = references.len() as u32;
        references[index as usize] = Reference::new(&left.cell, primitive);
        references.push(Reference::new(&right.cell, primitive));
        heap.extend(Candidate::new(index, &left));
        heap.extend(Candidate::new(added, &right));
    }
    Ok(())
}

/// Part of a triangle that lies in a box (cell).
struct Part {
    cell: Aabb,
    /// Sum of the part's areas projected along the three axes.
    projected_area: f64,
}

/// Reference that may be split; the heap orders them by `waste`, the greatest first, and of equal ones the lower index.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    /// Half area of the box minus the projected area of the triangle's part in it: what endless splitting would save.
    waste: f64,
    index: u32,
}

impl Candidate {
    /// Makes the candidate for the reference `index`; `None` where a split cannot help.
    fn new(index: u32, part: &Part) -> Option<Self> {
        let waste = half_area(&part.cell) - part.projected_area;
        (waste > 0.0).then_some(Self { waste, index })
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.waste.total_cmp(&other.waste).then(other.index.cmp(&self.index))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate {}

fn half_area(cell: &Aabb) -> f64 {
    Reference::new(cell, 0).bounds().half_area()
}

/// Returns the parts of `triangle` on both sides of the plane that cuts `cell`, or `None` when no plane does or a box
/// would not shrink.
fn halves(triangle: &[[f32; 3]; 3], cell: &Aabb) -> Option<[Part; 2]> {
    let axis = Reference::new(cell, 0).bounds().longest_axis();
    let plane = cut_plane(f64::from(cell.min[axis]), f64::from(cell.max[axis]))?;
    let part = Polygon::of(triangle).clipped_to(cell);
    let pad = pad_of(triangle);
    let area = half_area(cell);
    let parts = [true, false].map(|below| {
        let side = part.clipped(axis, plane, below);
        Part { cell: side.bounds(pad).intersection(cell), projected_area: side.projected_area() }
    });
    parts.iter().all(|part| !part.cell.is_empty() && half_area(&part.cell) < area).then_some(parts)
}

/// Returns the multiple of the largest power of two between `min` and `max`, at a margin from both. Without the margin
/// the cuts would be at the same plane again, of which parts stick out by their pad.
fn cut_plane(min: f64, max: f64) -> Option<f64> {
    let margin = 0.05 * (max - min);
    if margin <= 0.0 {
        return None;
    }
    // Without its fraction a float is the power of two below; exact on every machine, unlike log2.
    let mut step = 2.0 * f64::from_bits((max - min).to_bits() & (0x7ff << 52));
    // At a quarter of the extent there is a multiple for sure, but for rounding.
    for _ in 0..4 {
        let plane = (((min + margin) / step).floor() + 1.0) * step;
        if min + margin < plane && plane < max - margin {
            return Some(plane);
        }
        step *= 0.5;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_geom::FlatTriangles;

    #[test]
    fn cuts_lie_at_the_roundest_place_inside() {
        assert_eq!(cut_plane(0.0, 1.0), Some(0.5));
        assert_eq!(cut_plane(-3.0, 5.0), Some(0.0));
        assert_eq!(cut_plane(-0.001, 1.0), Some(0.5), "too close to the end");
        assert_eq!(cut_plane(650.2, 651.9), Some(651.0));
        assert_eq!(cut_plane(1.0, 1.0), None);
    }

    #[test]
    fn both_parts_of_a_diagonal_triangle_have_a_quarter_of_its_box() {
        let triangle = [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 0.01]];
        let parts = halves(&triangle, &Aabb::of_points(&triangle)).unwrap();
        for (part, expected) in parts.iter().zip([[0.0, 0.5], [0.5, 1.0]]) {
            for axis in 0..2 {
                assert!(
                    (part.cell.min[axis] - expected[0]).abs() < 1e-5
                        && (part.cell.max[axis] - expected[1]).abs() < 1e-5
                );
            }
        }
    }

    #[test]
    fn the_budget_is_kept_and_the_largest_goes_first() {
        let small = [[0.0, 0.0, 0.0], [0.01, 0.02, 0.0], [0.0, 0.0, 0.01]];
        let large = [[0.0, 0.0, 0.0], [9.0, 9.0, 9.0], [9.0, 9.0, 8.0]];
        let triangles = FlatTriangles::from_vertices([vec![small; 9], vec![large]].concat());
        let mut references = crate::reference::references_of(&triangles, &Watch::nothing()).unwrap();
        split(&mut references, &triangles, 0.5, &Watch::nothing()).unwrap();
        assert_eq!(references.len(), 15);
        assert_eq!(references.iter().filter(|r| r.primitive() == 9).count(), 6);
    }
}
