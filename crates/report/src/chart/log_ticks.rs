//! Labels of a logarithmic axis.

use std::ops::Range;

/// Pixels between two labels at least.
const APART: f64 = 8.0;

/// Multiples of a power of ten that have labels, from many to few.
const MULTIPLES: [&[i32]; 3] = [&[1, 2, 3, 4, 5, 6, 7, 8, 9], &[1, 2, 5], &[1]];

/// Returns the round numbers in `range` that have labels, as many as have room for them side by side on so many pixels;
/// `extent` is how many of of them the label of a number takes.
///
/// Plotters' own have one label at 9 and two at 10, and none below the first power of ten.
pub(super) fn log_ticks(range: &Range<f64>, pixels: u32, extent: impl Fn(f64) -> i32) -> Vec<f64> {
    let per_decade = f64::from(pixels) / (range.end / range.start).log10();
    let (first, last) = (range.start.log10().floor() as i32, range.end.log10().ceil() as i32);
    let ticks = |multiples: &[i32], step: usize| -> Vec<f64> {
        let decades = (first..=last).filter(|decade| decade.rem_euclid(step as i32) == 0);
        let all = decades.flat_map(|decade| multiples.iter().map(move |&multiple| value(multiple, decade)));
        all.filter(|tick| range.contains(tick)).collect()
    };
    let has_room = |ticks: &Vec<f64>| {
        ticks.windows(2).all(|pair| {
            let extents = f64::from(extent(pair[0]) + extent(pair[1]));
            (pair[1] / pair[0]).log10() * per_decade >= extents / 2.0 + APART
        })
    };
    let decades = (last - first).max(1) as usize;
    let mut choices =
        MULTIPLES.iter().map(|multiples| ticks(multiples, 1)).chain((2..=decades).map(|n| ticks(&[1], n)));
    choices.find(has_room).unwrap_or_default()
}

/// Returns `multiple * 10^decade`, exact where that is a whole number.
fn value(multiple: i32, decade: i32) -> f64 {
    let power = 10f64.powi(decade.abs());
    if decade < 0 { f64::from(multiple) / power } else { f64::from(multiple) * power }
}

#[cfg(test)]
mod tests {
    use super::super::{axis_number, text_width};
    use super::*;

    fn width(value: f64) -> i32 {
        text_width(&axis_number(value))
    }

    fn across(range: Range<f64>, pixels: u32) -> Vec<f64> {
        log_ticks(&range, pixels, width)
    }

    #[test]
    fn labels_are_round_and_as_many_as_have_room() {
        assert_eq!(across(0.7..7.5, 700), [0.7, 0.8, 0.9, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        assert_eq!(across(0.7..59.0, 700), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]);
        assert_eq!(across(0.7..59.0, 120), [1.0, 10.0]);
        assert_eq!(across(1.0..1e7, 240), [1.0, 100.0, 1e4, 1e6]);
        assert_eq!(across(0.7..59.0, 1), [1.0]);
    }

    #[test]
    fn no_label_comes_twice_or_lies_over_the_next() {
        for pixels in [1, 40, 200, 336, 756] {
            for (least, most) in [(0.7, 2.1), (0.7, 59.0), (2.1, 6.0), (0.013, 0.2), (3.0, 2e9)] {
                let ticks = across(least..most, pixels);
                let at = |tick: f64| (tick / least).log10() / (most / least).log10() * f64::from(pixels);
                let half = |tick: f64| f64::from(width(tick)) / 2.0;
                let apart = |a: &f64, b: &f64| at(*a) + half(*a) < at(*b) - half(*b);
                assert!(ticks.is_sorted_by(apart), "{least}..{most} on {pixels}: {ticks:?}");
                assert!(ticks.len() > 1 || pixels < 200, "{least}..{most} on {pixels}: {ticks:?}");
            }
        }
    }
}
