//! Without further bounces the models are what they were before these came, but for rounding: comparisons with pbrt and
//! Mitsuba rest on that.

use super::*;

/// Returns sums of a BSDF's values and densities, and of its samples' weights, densities and directions. Logarithms of
/// densities, of which a few peaks would rule the sum.
fn sums(bsdf: &Bsdf) -> [f64; 5] {
    let mut sums = [0.0; 5];
    for i in 0..400 {
        let (u_lobe, u) = numbers(i);
        let (_, v) = numbers(i + 10_000);
        let [wo, wi] = [u, v].map(|u| Vec3::from(raywarp_sample::warp::uniform_sphere(u)));
        let (value, pdf) = bsdf.eval(wo, wi);
        sums[0] += f64::from(value.dot(Vec3::new(1.0, 2.0, 3.0)));
        sums[1] += f64::from(pdf).ln_1p();
        if let Some(s) = bsdf.sample(wo, u_lobe, v) {
            sums[2] += f64::from(s.weight.dot(Vec3::new(1.0, 2.0, 3.0)));
            sums[3] += f64::from(s.pdf).ln_1p();
            sums[4] += f64::from(s.wi.dot(Vec3::new(1.0, 2.0, 3.0)));
        }
    }
    sums
}

/// Sums of BSDFs from before further bounces were added, which single scattering must still give.
const SUMS: [(&str, [f64; 5]); 18] = [
    ("metal 0.1", [142.53222, 19.771869, 1493.7028, 621.99301, -12.910091]),
    ("metal 0.5", [93.981616, 27.09448, 1048.0987, 69.004678, -11.798819]),
    ("metal 1", [58.11262, 23.547516, 634.22038, 30.414597, 10.748917]),
    ("metal 0.1 x 0.5", [134.45937, 26.07287, 1219.0675, 247.47014, -17.48461]),
    ("glass 0.3", [198.60059, 23.646623, 1805.2414, 356.86721, -479.8604]),
    ("glass 0.6", [142.29606, 23.952836, 1401.8346, 237.47594, -381.3995]),
    ("glass 1", [87.824313, 22.837655, 1089.9477, 119.38923, -307.14316]),
    ("glass 0.3 x 0.6", [144.10451, 21.232214, 1553.4331, 298.08208, -413.53822]),
    ("thinner glass", [113.68458, 16.027651, 1887.006, 396.34287, 418.76156]),
    ("thin glass", [150.88236, 24.022619, 1978.9494, 121.65338, 13.188214]),
    ("tinted glass", [77.124398, 23.646623, 740.84189, 356.86721, -479.8604]),
    ("plastic", [89.213986, 31.141705, 1077.6109, 76.467282, 30.732604]),
    ("anisotropic plastic", [93.12334, 31.461677, 1030.9427, 75.520183, 30.46377]),
    ("gold", [81.418704, 27.383019, 934.53315, 139.18667, -15.72644]),
    ("half gold, coated", [84.726246, 27.54968, 1115.9633, 165.88645, -0.45422915]),
    ("car paint", [31.961899, 25.264028, 545.1276, 253.68461, 14.810148]),
    ("visible flakes", [30.130298, 23.767576, 518.29496, 253.95758, -5.9510363]),
    ("flakes without a coat", [30.564377, 26.854866, 373.72556, 151.63922, -25.877629]),
];

#[test]
fn the_first_bounce_is_what_it_always_was() {
    let cases = rough_cases();
    for (name, want) in SUMS {
        let case = cases.iter().find(|case| case.name == format!("{name}, first bounce"));
        let found = sums(&case.expect(name).bsdf);
        // Some roundings of sums of up to 400 numbers.
        let is_same = (0..5).all(|i| (found[i] / want[i] - 1.0).abs() < 2e-6);
        assert!(is_same, "{name}: {found:?}, not {want:?}");
    }
}
