//! Many points, in an order in which neighbours follow each other.

use super::filter::NearestFilter;
use super::found::NearestPoint;
use super::search::Search;
use super::space::is_valid;
use super::surfaces::Surfaces;
use rayon::prelude::*;
use raywarp_geom::{Aabb, Control, TraceError};

/// Number of bits of a coordinate on the curve.
const BITS: u32 = 10;

/// Number of points asked between two looks at [`Control`] for cancellation, on one thread.
const PART: usize = 512;

/// Number of points below which a batch stays on the calling thread.
const FEW: usize = 256;

pub(super) fn nearest_each<T: Send>(
    (surfaces, filter): (&(impl Surfaces + Sync), Option<&(dyn NearestFilter + Sync)>),
    (points, within): (&[[f32; 3]], f32),
    found: &mut [T],
    answer: impl Fn(Option<NearestPoint>) -> T + Sync,
    control: &Control<'_>,
) -> Result<u64, TraceError> {
    assert_eq!(points.len(), found.len(), "an answer a point");
    // Nothing is done, and nothing cancelled.
    if points.is_empty() {
        return Ok(0);
    }
    let order = order(points);
    let part = |order: &[u32]| {
        if control.is_cancelled() {
            return Err(TraceError::Cancelled);
        }
        let answers: Vec<T> = in_order((surfaces, filter), points, within, order).map(&answer).collect();
        control.advance(order.len());
        Ok(answers)
    };
    let mut place = |order: &[u32], answers: Vec<T>| {
        order.iter().zip(answers).for_each(|(&i, answer)| found[i as usize] = answer);
    };
    if points.len() <= FEW {
        place(&order, part(&order)?);
    } else {
        // In rounds, so that answers that wait for their places are few.
        for order in order.chunks(64 * PART) {
            let answers: Vec<_> = order.par_chunks(PART).map(part).collect::<Result<_, _>>()?;
            order.chunks(PART).zip(answers).for_each(|(order, answers)| place(order, answers));
        }
    }
    Ok(points.iter().filter(|point| !is_valid(point)).count() as u64)
}

/// Asks points one after another, each with what the one before it found.
fn in_order<'a>(
    (surfaces, filter): (&'a impl Surfaces, Option<&'a (dyn NearestFilter + Sync)>),
    points: &'a [[f32; 3]],
    within: f32,
    order: &'a [u32],
) -> impl Iterator<Item = Option<NearestPoint>> {
    let bounds = surfaces.bounds();
    let mut last: Option<[[f32; 3]; 3]> = None;
    let ask = move |&i: &u32| {
        let filter = filter.map(|filter| filter as &dyn NearestFilter);
        let mut search = Search::new((surfaces, filter), (points[i as usize], within), &bounds)?;
        // What counts for one point need not for another.
        if let (Some(corners), None) = (&last, filter) {
            search.note(corners);
        }
        surfaces.look(&mut search);
        let (found, corners) = search.answer()?;
        last = corners.or(last);
        Some(found)
    };
    order.iter().map(ask)
}

/// Returns the indices of points in the order of a Morton curve through the box around them.
fn order(points: &[[f32; 3]]) -> Vec<u32> {
    let bounds = Aabb::of_points(points.iter().filter(|point| is_valid(point)));
    let cells = f64::from((1u32 << BITS) - 1);
    let factor: [f64; 3] = std::array::from_fn(|i| {
        let extent = f64::from(bounds.max[i]) - f64::from(bounds.min[i]);
        if extent > 0.0 { cells / extent } else { 0.0 }
    });
    let key = |point: &[f32; 3]| {
        // NaN is cell 0.
        let cell = |i: usize| ((f64::from(point[i]) - f64::from(bounds.min[i])) * factor[i]) as u32;
        spread(cell(0)) | spread(cell(1)) << 1 | spread(cell(2)) << 2
    };
    let mut keys: Vec<(u32, u32)> = points.iter().enumerate().map(|(i, point)| (key(point), i as u32)).collect();
    if keys.len() <= FEW {
        keys.sort_unstable();
    } else {
        keys.par_sort_unstable();
    }
    keys.into_iter().map(|(_, i)| i).collect()
}

/// Puts two zero bits between the low [`BITS`] bits of a number.
fn spread(x: u32) -> u32 {
    let x = x.min((1 << BITS) - 1);
    let x = (x | x << 16) & 0x0300_00ff;
    let x = (x | x << 8) & 0x0300_f00f;
    let x = (x | x << 4) & 0x030c_30c3;
    (x | x << 2) & 0x0924_9249
}
