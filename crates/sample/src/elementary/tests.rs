use super::*;
use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, PI};

/// Step between the bit patterns of the `f32` numbers that are tested: every 997th one is. A prime, so that all low
/// bits come up.
const STRIDE: usize = 997;
const SIGN: u32 = 1 << 31;

/// Iterates over every [`STRIDE`]th `f32` from `first`, away from zero, to `last`.
fn numbers(first: f32, last: f32) -> impl Iterator<Item = f32> {
    assert_eq!(first.is_sign_negative(), last.is_sign_negative());
    (first.to_bits()..=last.to_bits()).step_by(STRIDE).chain([last.to_bits()]).map(f32::from_bits)
}

/// Returns the unit in the last place of an `f32` as large as `value`.
fn ulp(value: f64) -> f64 {
    let exponent = ((value.abs().to_bits() >> 52) as i32 - 1023).max(-126);
    f64::from_bits(((exponent - 23 + 1023) as u64) << 52)
}

/// Returns the largest error in units in the last place (ulp) over all inputs, and the input that has it. What is
/// exactly beyond the range of `f32` must be infinite.
fn worst<I>(inputs: impl Iterator<Item = I>, got: impl Fn(&I) -> f32, want: impl Fn(&I) -> f64) -> (f64, I) {
    inputs
        .map(|input| {
            let (got, want) = (f64::from(got(&input)), want(&input));
            let overflow = want.abs() >= f64::from(f32::MAX) + 0.5 * ulp(f64::from(f32::MAX));
            let error = if overflow { f64::from(f32::MAX) / got } else { (got - want).abs() / ulp(want) };
            // A NaN is the worst of all.
            (if error.is_nan() { f64::INFINITY } else { error }, input)
        })
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .unwrap()
}

/// Checks that `f` is within `limit` ulp of the same function in `f64`, from `first`, away from zero, to `last`.
#[track_caller]
fn check(f: fn(f32) -> f32, exact: fn(f64) -> f64, [first, last]: [f32; 2], limit: f64) {
    let (error, x) = worst(numbers(first, last), |&x| f(x), |&x| exact(f64::from(x)));
    assert!(error <= limit, "{error} ulp at {x:e}");
}

#[test]
fn errors_stay_within_what_the_comments_say() {
    check(exp, f64::exp, [0.0, 100.0], 1.01);
    check(exp, f64::exp, [-0.0, -200.0], 1.01);
    check(exp_m1, f64::exp_m1, [0.0, 100.0], 1.32);
    check(exp_m1, f64::exp_m1, [-0.0, -200.0], 1.32);
    check(ln, f64::ln, [f32::from_bits(1), f32::MAX], 1.01);
    check(ln_1p, f64::ln_1p, [0.0, f32::MAX], 1.52);
    check(ln_1p, f64::ln_1p, [-0.0, (-1.0f32).next_up()], 1.52);
    check(acos, f64::acos, [0.0, 1.0], 1.16);
    check(acos, f64::acos, [-0.0, -1.0], 1.16);
}

#[test]
fn the_angle_of_a_point_is_within_its_error_all_around() {
    // Slopes of every size, and points of every quadrant.
    for (x, y) in [(1.0f32, 1.0f32), (-1.0, 1.7), (0.013, -1.0), (-3e20, -1.0)] {
        for swap in [false, true] {
            let points = numbers(f32::from_bits(1), f32::MAX).map(|t| if swap { (t * y, x) } else { (y, t * x) });
            let (error, point) = worst(points, |&(y, x)| atan2(y, x), |&(y, x)| f64::from(y).atan2(f64::from(x)));
            assert!(error <= 1.6, "{error} ulp at {point:?}");
        }
    }
}

#[test]
fn sines_and_cosines_are_within_their_error() {
    for sign in [1.0, -1.0] {
        for x in numbers(0.0, 4.0 * PI).map(|x| sign * x) {
            let ((s, c), (sin, cos)) = (sin_cos(x), f64::from(x).sin_cos());
            let error = (f64::from(s) - sin).abs().max((f64::from(c) - cos).abs());
            assert!(error <= 1.1e-7, "{error:e} at {x}");
        }
    }
}

#[test]
fn the_check_catches_an_error_of_an_ulp_and_a_half() {
    let off = |x: f32| exp(x).next_up().next_up();
    let (error, _) = worst(numbers(0.5, 80.0), |&x| off(x), |&x| f64::from(x).exp());
    assert!(error > 1.5, "{error}");
    assert_eq!(worst([90.0f32].into_iter(), |_| f32::MAX, |&x| f64::from(x).exp()).0, 1.0);
    assert_eq!(worst([0.0f32].into_iter(), |_| f32::NAN, |_| 0.0).0, f64::INFINITY);
    assert_eq!(
        [ulp(1.0), ulp(1.999), ulp(0.0), ulp(1e-40)],
        [2f64.powi(-23), 2f64.powi(-23), 2f64.powi(-149), 2f64.powi(-149)]
    );
}

#[test]
fn ends_of_the_domains_are_exact() {
    let tiny = [0.0, -0.0, f32::from_bits(1), f32::from_bits(SIGN | 1), 1.1e-38, -1.1e-38, 1e-30, -1e-30];
    let same = |got: f32, want: f32| assert_eq!(got.to_bits(), want.to_bits(), "{got} for {want}");
    for x in tiny {
        same(exp(x), 1.0);
        same(exp_m1(x), x);
        same(ln_1p(x), x);
        same(acos(x), FRAC_PI_2);
        assert_eq!(sin_cos(x), (x, 1.0));
        same(atan2(x, 1.0), x);
        same(atan2(x, -1.0), PI.copysign(x));
        same(atan2(x, f32::INFINITY), 0.0f32.copysign(x));
        same(atan2(1.0, x), FRAC_PI_2);
        same(atan2(-1.0, x), -FRAC_PI_2);
    }
    let inf = f32::INFINITY;
    let far = [(exp(-inf), 0.0), (exp(inf), inf), (exp_m1(-inf), -1.0), (exp_m1(inf), inf), (ln(inf), inf)];
    let large = [(exp(f32::MIN), 0.0), (exp(f32::MAX), inf), (exp_m1(f32::MIN), -1.0), (exp_m1(f32::MAX), inf)];
    let zero = [(ln(0.0), -inf), (ln(-0.0), -inf), (ln_1p(-1.0), -inf), (ln_1p(inf), inf)];
    let whole = [(ln(1.0), 0.0), (ln(2.0), LN_2), (acos(1.0), 0.0), (acos(-1.0), PI)];
    let axes = [(atan2(inf, 1.0), FRAC_PI_2), (atan2(f32::MAX, inf), 0.0), (atan2(f32::MAX, -inf), PI)];
    for &(got, want) in far.iter().chain(&large).chain(&zero).chain(&whole).chain(&axes) {
        same(got, want);
    }
    // The signs of two infinities choose the quadrant, the angles are those of (1, 1) and (1, -1).
    for (y, x) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        same(atan2(y * inf, x * inf), atan2(y, x));
        assert!((atan2(y, x) - y * (2.0 - x) * FRAC_PI_4).abs() < 3e-7);
    }
}

#[test]
fn nan_comes_of_nan_and_from_outside_the_domain() {
    let nan = f32::NAN;
    let past = 1f32.next_up();
    let all = [exp(nan), exp_m1(nan), ln(nan), ln_1p(nan), acos(nan), sin_cos(nan).0, sin_cos(nan).1];
    let outside = [ln(-1.0), ln(f32::NEG_INFINITY), ln(-f32::from_bits(1)), ln_1p(-past), ln_1p(f32::NEG_INFINITY)];
    let beyond = [acos(past), acos(-past), acos(f32::INFINITY), sin_cos(f32::INFINITY).0, sin_cos(f32::INFINITY).1];
    let either = [0.0, 1.0, -2.0, f32::INFINITY, nan].map(|x| [atan2(nan, x), atan2(x, nan)]);
    for x in all.iter().chain(&outside).chain(&beyond).chain(either.as_flattened()) {
        assert!(x.is_nan(), "{x}");
    }
    // Far beyond the range any number may come, but it comes.
    let _ = [sin_cos(1e30), sin_cos(f32::MIN)];
}

/// Checks results bit by bit against those that every machine must give. A change of a formula changes some of them,
/// and with them pictures: such a change is made on purpose and these are renewed.
#[test]
fn bits_are_the_same_on_every_machine() {
    let bits = |values: &[f32]| values.iter().map(|x| x.to_bits()).collect::<Vec<u32>>();
    assert_eq!(
        bits(&[-103.5, -87.5, -10.1, -1.3, -0.4, 0.3, 0.7, 5.5, 88.7].map(exp)),
        [0x00000001, 0x006cb2bc, 0x382c4cd2, 0x3e8b894a, 0x3f2b9a18, 0x3facc82c, 0x4000e153, 0x4374b122, 0x7f7a37fc]
    );
    assert_eq!(
        bits(&[-15.0, -3.3, -0.4, -0.01, 1e-7, 0.3, 0.36, 7.7, 88.7].map(exp_m1)),
        [0xbf7ffffb, 0xbf768ed3, 0xbea8cbcf, 0xbc230605, 0x33d6bf96, 0x3eb320b2, 0x3edddd5b, 0x4509f58f, 0x7f7a37fc]
    );
    assert_eq!(
        bits(&[1e-40, 1e-9, 0.3, 0.71, 0.9999, 1.3, 1.42, 9.0, 3e38].map(ln)),
        [0xc2b834f2, 0xc1a5c940, 0xbf9a1bc8, 0xbeaf5ae5, 0xb8d1c2af, 0x3e86549b, 0x3eb3894b, 0x400c9f54, 0x42b13196]
    );
    assert_eq!(
        bits(&[-0.99999, -0.7, -0.3, -1e-5, 1e-7, 0.3, 0.45, 9.0, 3e38].map(ln_1p)),
        [0xc1382f62, 0xbf9a1bc8, 0xbeb69e1a, 0xb727c5e3, 0x33d6bf94, 0x3e86549c, 0x3ebe3d94, 0x40135d8e, 0x42b13196]
    );
    assert_eq!(
        bits(&[-0.999_999, -0.8, -0.4, 1e-4, 0.3, 0.49, 0.51, 0.9, 0.999_999].map(acos)),
        [0x4048f888, 0x401fe0bc, 0x3ffdbc70, 0x3fc90c94, 0x3fa20fb0, 0x3f8783b2, 0x3f848eeb, 0x3ee6ecfe, 0x3aba9729]
    );
    let angles = [-12.5, -7.1, -2.0, -0.6, 0.3, 0.8, 1.6, 3.1, 11.0].map(sin_cos);
    assert_eq!(
        bits(&angles.map(|(s, _)| s)),
        [0x3d87d3c6, 0xbf3a9db6, 0xbf68c7b7, 0xbf108c69, 0x3e974e6d, 0x3f37a4a7, 0x3f7fe40e, 0x3d2a5096, 0xbf7fff5c]
    );
    assert_eq!(
        bits(&angles.map(|(_, c)| c)),
        [0x3f7f6fb5, 0x3f2f3e74, 0xbed51132, 0x3f534932, 0x3f7490ef, 0x3f325b5f, 0xbcef33e2, 0xbf7fc752, 0x3b910572]
    );
    let points = [(1.0, 3.0), (3.0, 1.1), (2.0, -0.3), (0.2, -7.0), (-1e-4, -2.0), (-3.0, -2.9), (-1e-3, 1.0)];
    assert_eq!(
        bits(&points.map(|(y, x)| atan2(y, x))),
        [0x3ea4bc7d, 0x3f9c13b6, 0x3fdc1eae, 0x40473bde, 0xc0490f09, 0xc015b639, 0xba83126c]
    );
}
