//! P-values, so that a statistical test's threshold comes from the test's own distribution.

/// Returns the probability that a chi-squared variable of `degrees` degrees of freedom exceeds `statistic`: the
/// regularised upper incomplete gamma function (Abramowitz and Stegun 6.5), absolute error below 1e-9.
pub fn chi_squared_p(statistic: f64, degrees: f64) -> f64 {
    let (a, x) = (0.5 * degrees, 0.5 * statistic);
    if x <= 0.0 {
        return 1.0;
    }
    let scale = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        // Series of the lower function.
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        while term > sum * 1e-14 {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return (1.0 - scale * sum).clamp(0.0, 1.0);
    }
    // Continued fraction of the upper function, evaluated forwards (Lentz).
    let mut b = x + 1.0 - a;
    let mut c = 1e300;
    let mut d = 1.0 / b;
    let mut h = d;
    for i in 1..100_000 {
        let i = f64::from(i);
        let an = i * (a - i);
        b += 2.0;
        d = 1.0 / (an * d + b);
        c = b + an / c;
        let step = d * c;
        h *= step;
        if (step - 1.0).abs() < 1e-14 {
            break;
        }
    }
    (scale * h).clamp(0.0, 1.0)
}

/// Returns the natural logarithm of the gamma function for positive `x`.
fn ln_gamma(x: f64) -> f64 {
    // Stirling's series, where the recurrence has made x large enough for 1e-13.
    if x < 12.0 {
        return ln_gamma(x + 1.0) - x.ln();
    }
    let r = 1.0 / (x * x);
    let series = (1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r / 1680.0))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series
}

/// Performs Pearson's test of counts against expected counts; returns (p, degrees of freedom).
///
/// Cells with an expectation below 5, where the statistic is not chi-squared, are pooled in order of
/// size (Cochran's rule). A hit in a cell with no expectation at all gives p = 0.
///
/// # Panics
/// If the slices differ in length.
pub fn chi_squared_test(observed: &[f64], expected: &[f64]) -> (f64, usize) {
    assert_eq!(observed.len(), expected.len(), "a count for each expectation");
    let mut order: Vec<usize> = (0..expected.len()).collect();
    order.sort_by(|&a, &b| expected[a].total_cmp(&expected[b]));
    let (mut statistic, mut cells) = (0.0, 0usize);
    let (mut pooled_observed, mut pooled_expected) = (0.0, 0.0);
    let mut add = |o: f64, e: f64| {
        statistic += (o - e) * (o - e) / e;
        cells += 1;
    };
    for i in order {
        if expected[i] <= 0.0 && observed[i] > 0.0 {
            return (0.0, 0);
        }
        pooled_observed += observed[i];
        pooled_expected += expected[i];
        if pooled_expected >= 5.0 {
            add(pooled_observed, pooled_expected);
            (pooled_observed, pooled_expected) = (0.0, 0.0);
        }
    }
    let degrees = cells.saturating_sub(1);
    (if degrees == 0 { 1.0 } else { chi_squared_p(statistic, degrees as f64) }, degrees)
}

/// Returns the significance of one of `tests` independent tests so that all together raise a false alarm with
/// probability `total` (Sidak's correction).
pub fn sidak(total: f64, tests: usize) -> f64 {
    -((-total).ln_1p() / tests.max(1) as f64).exp_m1()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_values_equal_those_of_tables_and_closed_forms() {
        // With 2 degrees of freedom p = exp(-x / 2); the others are the usual 5 % and 1 % points.
        for x in [0.1, 1.0, 5.0, 40.0] {
            assert!((chi_squared_p(x, 2.0) - (-0.5 * x).exp()).abs() < 1e-10);
        }
        for (x, degrees, p) in [(3.841_459, 1.0, 0.05), (18.307_04, 10.0, 0.05), (135.806_7, 100.0, 0.01)] {
            assert!((chi_squared_p(x, degrees) - p).abs() < 1e-6, "{x} {degrees}: {}", chi_squared_p(x, degrees));
        }
        assert!((chi_squared_p(4000.0, 4000.0) - 0.497).abs() < 0.002);
    }

    #[test]
    fn a_biased_coin_is_seen_and_a_fair_one_is_not() {
        assert!(chi_squared_test(&[5300.0, 4700.0], &[5000.0, 5000.0]).0 < 1e-6);
        assert!(chi_squared_test(&[5030.0, 4970.0], &[5000.0, 5000.0]).0 > 0.1);
        assert_eq!(chi_squared_test(&[1.0, 9.0], &[0.0, 10.0]).0, 0.0);
    }

    #[test]
    fn sidak_splits_the_error_over_the_tests() {
        assert!((1.0 - (1.0 - sidak(1e-3, 50)).powi(50) - 1e-3).abs() < 1e-9);
    }
}
