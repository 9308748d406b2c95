//! Sine and cosine of shares of a full turn.

use crate::elementary::sin_cos_octant;
use std::f32::consts::FRAC_PI_2;

/// Returns the sine and cosine of the angle of `turn` full turns (2 pi `turn`), for `turn` in `0 ..= 1`. About 1e-7
/// absolute error.
#[inline]
pub fn sin_cos_turn(turn: f32) -> (f32, f32) {
    let quarters = 4.0 * turn;
    // Truncation is floor here; the result is 0 ..= 4 quarters.
    let quadrant = (quarters + 0.5) as u32;
    let (s, c) = sin_cos_octant((quarters - quadrant as f32) * FRAC_PI_2);
    match quadrant & 3 {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_agrees_with_the_library() {
        for i in 0..=100_000 {
            let turn = i as f32 / 100_000.0;
            let (s, c) = sin_cos_turn(turn);
            let (ls, lc) = (f64::from(turn) * std::f64::consts::TAU).sin_cos();
            assert!((f64::from(s) - ls).abs() < 2e-7 && (f64::from(c) - lc).abs() < 2e-7, "{turn}");
        }
    }
}
