//! Tone curve AgX with its base look.
//!
//! Source: Sobotka, AgX (2022): an inset of the primaries, 16.5 stops of a logarithm around middle gray, a sigmoid
//! for contrast, the outset, and a display of gamma 2.2. We evaluate the sigmoid that his table samples, where
//! real-time versions take a polynomial near it (Wrensch 2023); the tests compare with that.

use super::multiply;

/// AgX's inset matrix in Rec. 709; its rows sum to 1 within 2e-4.
const INSET: [[f32; 3]; 3] = [
    [0.842_479_06, 0.078_433_6, 0.079_223_745],
    [0.042_328_242, 0.878_468_64, 0.079_166_13],
    [0.042_375_655, 0.078_433_6, 0.879_142_97],
];
/// AgX's outset matrix, the inverse of [`INSET`].
const OUTSET: [[f32; 3]; 3] = [
    [1.196_879, -0.098_020_88, -0.099_029_744],
    [-0.052_896_85, 1.151_903_1, -0.098_961_18],
    [-0.052_971_636, -0.098_043_45, 1.151_073_7],
];
/// Range of AgX's curve: stops below and above middle grey.
const STOPS: [f32; 2] = [10.0, 6.5];
const MIDDLE_GRAY: f32 = 0.18;
/// Slope of AgX's curve at middle grey (`SLOPE`), which maps to one half, and the powers of its lower and upper end.
const SLOPE: f32 = 2.0;
const TOE: f32 = 3.0;
const SHOULDER: f32 = 3.25;

pub fn agx(c: [f32; 3]) -> [f32; 3] {
    let contrasted = multiply(INSET, c).map(|c| {
        // The logarithm of zero is minus infinity, which the clamp takes to black.
        let stops = (c / MIDDLE_GRAY).log2().clamp(-STOPS[0], STOPS[1]);
        sigmoid((stops + STOPS[0]) / (STOPS[0] + STOPS[1]))
    });
    multiply(OUTSET, contrasted).map(|c| c.max(0.0).powf(2.2))
}

/// Evaluates AgX's sigmoid, which goes through (0, 0), middle grey at one half with [`SLOPE`], and (1, 1).
pub fn sigmoid(x: f32) -> f32 {
    let pivot = STOPS[0] / (STOPS[0] + STOPS[1]);
    // Both ends are the same curve, mirrored about the pivot: `room` is the distance to the end, `power` its bend.
    let (distance, room, power) = if x < pivot { (pivot - x, pivot, TOE) } else { (x - pivot, 1.0 - pivot, SHOULDER) };
    // The scale at which the curve reaches one half exactly at the end.
    let scale = ((SLOPE * room).powf(-power) * ((2.0 * SLOPE * room).powf(power) - 1.0)).powf(-1.0 / power);
    let t = SLOPE * distance / scale;
    let rise = scale * t / (1.0 + t.powf(power)).powf(1.0 / power);
    if x < pivot { 0.5 - rise } else { 0.5 + rise }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outset_undoes_the_inset() {
        for v in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.2, 0.7, 0.4]] {
            let back = multiply(OUTSET, multiply(INSET, v));
            assert!(v.iter().zip(back).all(|(a, b)| (a - b).abs() < 2e-6), "{v:?} {back:?}");
        }
    }

    #[test]
    fn the_sigmoid_is_near_the_published_polynomial() {
        // Wrensch 2023, sixth order; his mean squared error against the table is 3.7e-6, and at 1 it is 0.0014 low.
        let polynomial = |x: f32| {
            [0.1191, 0.4298, -6.868, 31.96, -40.14, 15.5].iter().rev().fold(0.0, |sum, k| (sum + k) * x) - 0.002_32
        };
        let worst =
            (0..=1000).map(|i| i as f32 / 1000.0).map(|x| (sigmoid(x) - polynomial(x)).abs()).fold(0.0, f32::max);
        assert!(worst < 0.006, "{worst}");
    }

    #[test]
    fn the_sigmoid_meets_its_ends_and_middle_gray() {
        let gray = sigmoid(STOPS[0] / (STOPS[0] + STOPS[1]));
        for (got, want) in [(sigmoid(0.0), 0.0), (gray, 0.5), (sigmoid(1.0), 1.0)] {
            assert!((got - want).abs() < 1e-6, "{got} {want}");
        }
    }
}
