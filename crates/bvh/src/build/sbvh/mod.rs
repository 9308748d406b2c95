//! Parallel builder with spatial splits: triangles may be cut where boxes would overlap.
//!
//! Source: Stich, Friedrich and Dietrich 2009, "Spatial splits in bounding volume hierarchies":
//! binned object splits, chopped binning of spatial ones, tried where the children of the best object
//! split overlap in more than alpha times the root's area, and references that are left whole where
//! that is cheaper (unsplitting). Departures:
//! - the number of references is bounded: a range may add so many and no more, and hands what it has
//!   not used to its two parts, in proportion to their areas times references (in proportion to the
//!   references alone, trees of the same budget cost up to 2 % more);
//! - whether a reference stays whole is decided against the boxes and counts of the whole split
//!   rather than of what has been divided so far, so that the order of work does not matter;
//! - the last few references of a branch are swept exactly, as in the binned builder.
//!
//! The result does not depend on the number of threads, for the reasons given in
//! [`super::binned_sah`]; budgets are shared out by counts and boxes of whole ranges.

mod cut;
mod large;
mod small;
mod spatial_bins;

use super::binned_sah::work_of;
use super::cost::{Decision, LeafRules, Split};
use super::subtree::{Store, Subtree};
use super::{BuildOptions, Builder, extra_references};
use crate::reference::{Bounds, RangeBounds, Reference};
use crate::watch::{Stopped, Watch};
use cut::cut;
use spatial_bins::{SlabMap, SpatialBins, SpatialSplit};

/// Input of the spatial-split builder that every task reads.
struct Sbvh<'a> {
    triangles: &'a [[[f32; 3]; 3]],
    rules: &'a LeafRules,
    /// Half area of the children's overlap above which spatial splits are tried.
    min_overlap: f64,
    /// Half area of the largest node that may be cut.
    most_area: f64,
    store: &'a Store,
    watch: &'a Watch<'a>,
}

/// State of the references below one node: their bounds, the depth and the budget for cuts.
#[derive(Debug, Clone, Copy)]
struct Range {
    bounds: RangeBounds,
    depth: u32,
    /// Number of references that cuts in this range may add.
    budget: usize,
}

/// Decision how a range of references is divided.
enum Plan {
    Leaf,
    /// The range is divided into two halves of equal count.
    Halve,
    /// The range is divided at the best object split, without cuts.
    Object,
    /// The range is divided at a plane, which may cut triangles.
    Spatial(SlabMap, SpatialSplit),
}

/// Side of a plane to which a reference goes, whole or in two parts.
enum Side {
    Left(Reference),
    Right(Reference),
    Both(Reference, Reference),
}

/// Builds a tree with spatial splits over at least one reference.
pub(super) fn build(
    references: Vec<Reference>,
    triangles: &[[[f32; 3]; 3]],
    options: &BuildOptions,
    rules: &LeafRules,
    store: &Store,
    watch: &Watch<'_>,
) -> Result<Subtree, Stopped> {
    watch.begin(Builder::Sbvh.weight(), work_of(references.len()))?;
    let bounds = RangeBounds::of(&references, watch)?;
    let [x, y, z] = (bounds.boxes.max - bounds.boxes.min).to_array();
    // The arithmetic of cuts overflows near the largest floats; such scenes are not cut.
    let may_cut = x.max(y).max(z) < f32::MAX / 16.0;
    let share = f64::from(options.split_alpha);
    let min_overlap = if may_cut { share * bounds.boxes.half_area() } else { f64::INFINITY };
    let budget = extra_references(triangles.len() as u64, options.split_budget) as usize;
    let most_area = f64::from(options.split_below) * bounds.boxes.half_area();
    let sbvh = Sbvh { triangles, rules, min_overlap, most_area, store, watch };
    sbvh.build_large(references, Range { bounds, depth: 0, budget })
}

impl Range {
    /// Returns the ranges of the two children, which share what is left of the budget once `added` references are new.
    /// `counts` references went to each.
    fn parts(&self, bounds: [RangeBounds; 2], counts: [usize; 2], added: usize) -> [Self; 2] {
        let budget = self.budget - added;
        let cost = [0, 1].map(|i| counts[i] as f64 * bounds[i].boxes.half_area());
        // Nothing, where neither part has any area and the quotient is a NaN.
        let left = (budget as f64 * (cost[0] / (cost[0] + cost[1]))) as usize;
        let part = |bounds, budget| Self { bounds, depth: self.depth + 1, budget };
        [part(bounds[0], left.min(budget)), part(bounds[1], budget - left.min(budget))]
    }
}

impl Sbvh<'_> {
    /// Chooses between the best object split `object`, with children of boxes `sides`, the best spatial split, and a
    /// leaf. `bin` is called for the spatial split where that may help.
    fn plan(
        &self,
        range: &Range,
        count: usize,
        object: &Split,
        sides: [Bounds; 2],
        bin: impl FnOnce(&SlabMap) -> Result<SpatialBins, Stopped>,
    ) -> Plan {
        let half_area = range.bounds.boxes.half_area();
        if let Some((map, spatial)) = self.spatial(range, count, object, sides, bin) {
            match self.rules.decide_sides(count, half_area, spatial.cost, spatial.counts, range.depth) {
                Decision::Leaf => return Plan::Leaf,
                Decision::Split => return Plan::Spatial(map, spatial),
                Decision::Halve => {}
            }
        }
        match self.rules.decide(count, half_area, object, range.depth) {
            Decision::Leaf => Plan::Leaf,
            Decision::Halve => Plan::Halve,
            Decision::Split => Plan::Object,
        }
    }

    /// Returns the best spatial split, if one may be tried here and costs less than `object`.
    fn spatial(
        &self,
        range: &Range,
        count: usize,
        object: &Split,
        sides: [Bounds; 2],
        bin: impl FnOnce(&SlabMap) -> Result<SpatialBins, Stopped>,
    ) -> Option<(SlabMap, SpatialSplit)> {
        let overlap =
            if object.left == 0 { range.bounds.boxes.half_area() } else { sides[0].intersection(sides[1]).half_area() };
        let large = range.bounds.boxes.half_area() > self.most_area;
        if range.budget == 0 || large || overlap <= self.min_overlap {
            return None;
        }
        let map = SlabMap::new(&range.bounds.boxes, count);
        let split = bin(&map).ok()?.best_split(range.budget).filter(|split| split.cost < object.cost)?;
        Some((map, split))
    }

    /// Returns the side of a spatial split to which `reference` goes.
    #[inline]
    fn side(&self, reference: &Reference, map: &SlabMap, split: &SpatialSplit) -> Side {
        let (first, last) = map.reach(reference)[split.axis];
        if last < split.at {
            Side::Left(*reference)
        } else if first >= split.at {
            Side::Right(*reference)
        } else {
            self.cut_or_keep(reference, map, split)
        }
    }

    /// Decides whether a reference that crosses the plane is cut or goes whole to one side, whichever costs least.
    fn cut_or_keep(&self, reference: &Reference, map: &SlabMap, split: &SpatialSplit) -> Side {
        let triangle = &self.triangles[reference.primitive() as usize];
        let (left, right) = match cut(reference, triangle, split.axis, map.plane(split.axis, split.at)) {
            [Some(left), Some(right)] => (left, right),
            [Some(left), None] => return Side::Left(left),
            [None, Some(right)] => return Side::Right(right),
            // Nothing of the triangle is here after all, by rounding: kept as it is.
            [None, None] => return Side::Left(*reference),
        };
        let area = |bounds: Bounds| bounds.half_area();
        let [left_count, right_count] = split.counts.map(|count| count as f64);
        let [left_box, right_box] = split.sides;
        let both = area(left_box) * left_count + area(right_box) * right_count;
        let whole = reference.bounds();
        let only_left = area(left_box.union(whole)) * left_count + area(right_box) * (right_count - 1.0);
        let only_right = area(left_box) * (left_count - 1.0) + area(right_box.union(whole)) * right_count;
        if both <= only_left.min(only_right) {
            Side::Both(left, right)
        } else if only_left <= only_right {
            Side::Left(*reference)
        } else {
            Side::Right(*reference)
        }
    }
}
