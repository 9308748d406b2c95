//! A clear sky with a sun: Preetham, Shirley and Smits, "A Practical Analytic Model for Daylight" (SIGGRAPH 1999),
//! appendix A.2 (luminance and colour of the sky for a turbidity), above grey ground.
//!
//! The sun is a direct normal illuminance after the IES Lighting Handbook (127.5 klx outside of the air, extinction
//! 0.21 a unit of clear air), spread over a disk wider than the true one of half a degree, so that a map of this size
//! holds it. The whole is scaled so that a level white surface has luminance [`WHITE`].

use super::{dot, draw, smooth_step};
use raywarp_scene::Image;
use std::f64::consts::PI;

/// Haze of the sky (turbidity): 2 is a very clear day, 6 a hazy one.
const TURBIDITY: f64 = 3.0;
/// Elevation of the sun above the horizon in degrees.
const ELEVATION: f64 = 45.0;
/// Azimuth of the sun in degrees to the left of the front (+z with y upwards).
const AZIMUTH: f64 = 35.0;
/// Angular radius of the sun's disk in degrees (at half its radiance), and the width of its soft border.
const SUN: [f64; 2] = [1.4, 0.7];
/// Illuminance of the sun outside the atmosphere in kilolux (`EXTRATERRESTRIAL`), and its extinction per unit of clear
/// air.
const EXTRATERRESTRIAL: f64 = 127.5;
const EXTINCTION: f64 = 0.21;
/// Colour of the sun at this elevation: a black body of about 5,200 K, with luminance 1.
const SUN_COLOR: [f64; 3] = [1.132, 0.982, 0.795];
/// Reflectance of the ground.
const GROUND: f64 = 0.2;
/// Luminance of a horizontal white diffuse surface under sky and sun, to which the map is scaled.
const WHITE: f64 = 0.8;

/// Draws the sky map: +y is up, and the front (+z) is in the outer columns.
pub(super) fn map() -> Image {
    let (elevation, azimuth) = (ELEVATION.to_radians(), AZIMUTH.to_radians());
    let sun = [-azimuth.sin() * elevation.cos(), elevation.sin(), azimuth.cos() * elevation.cos()];
    let sky = Sky::new(PI / 2.0 - elevation);
    let sun_illuminance = EXTRATERRESTRIAL * (-EXTINCTION / elevation.sin()).exp();
    let level = sun_illuminance * elevation.sin() + sky.level_illuminance(sun);
    let scale = WHITE * PI / level;
    let ground = GROUND * WHITE;
    let [radius, border] = SUN.map(f64::to_radians);
    // The integral of a disk whose border is symmetrical about its radius.
    let sun_radiance = scale * sun_illuminance / (PI * radius * radius);
    draw("sky", [1024, 512], |d| {
        let above = sky.color([d[0], d[1].max(0.0), d[2]], sun).map(|c| c * scale);
        let angle = dot(d, sun).clamp(-1.0, 1.0).acos();
        let disk = sun_radiance * smooth_step(radius + 0.5 * border, radius - 0.5 * border, angle);
        // A haze of two degrees where sky and ground meet.
        let sky_share = smooth_step(-0.035, 0.0, d[1]);
        std::array::from_fn(|i| ground + (above[i] - ground) * sky_share + disk * SUN_COLOR[i])
    })
}

/// Preetham's sky model for one elevation of the sun.
struct Sky {
    /// Perez parameters A to E of the sky's Y, x and y.
    shape: [[f64; 5]; 3],
    /// Luminance Y (kcd/m2) and chromaticity x, y at the zenith, each over Perez's function there.
    zenith: [f64; 3],
}

impl Sky {
    /// Makes the sky model for a sun at the angle `theta` from the zenith.
    fn new(theta: f64) -> Self {
        let t = TURBIDITY;
        let line = |[slope, offset]: [f64; 2]| slope * t + offset;
        let shape = [
            [[0.1787, -1.4630], [-0.3554, 0.4275], [-0.0227, 5.3251], [0.1206, -2.5771], [-0.0670, 0.3703]].map(line),
            [[-0.0193, -0.2592], [-0.0665, 0.0008], [-0.0004, 0.2125], [-0.0641, -0.8989], [-0.0033, 0.0452]].map(line),
            [[-0.0167, -0.2608], [-0.0950, 0.0092], [-0.0079, 0.2102], [-0.0441, -1.6537], [-0.0109, 0.0529]].map(line),
        ];
        let chi = (4.0 / 9.0 - t / 120.0) * (PI - 2.0 * theta);
        let luminance = (4.0453 * t - 4.9710) * chi.tan() - 0.2155 * t + 2.4192;
        let cubic = |[a, b, c, d]: [f64; 4]| ((a * theta + b) * theta + c) * theta + d;
        let chromaticity = |rows: [[f64; 4]; 3]| {
            let [a, b, c] = rows.map(cubic);
            (a * t + b) * t + c
        };
        let x = chromaticity([
            [0.00166, -0.00375, 0.00209, 0.0],
            [-0.02903, 0.06377, -0.03202, 0.00394],
            [0.11693, -0.21196, 0.06052, 0.25886],
        ]);
        let y = chromaticity([
            [0.00275, -0.00610, 0.00317, 0.0],
            [-0.04214, 0.08970, -0.04153, 0.00516],
            [0.15346, -0.26756, 0.06670, 0.26688],
        ]);
        let mut sky = Self { shape, zenith: [luminance, x, y] };
        for i in 0..3 {
            sky.zenith[i] /= sky.perez(i, 1.0, theta);
        }
        sky
    }

    /// Evaluates Perez's function of a quantity (Y, x or y) in a direction of cosine `cos` to the zenith, at the angle
    /// `gamma` from the sun.
    fn perez(&self, quantity: usize, cos: f64, gamma: f64) -> f64 {
        let [a, b, c, d, e] = self.shape[quantity];
        // Below a degree above the horizon the model's exponential has no meaning.
        let cos = cos.max(0.017);
        (1.0 + a * (b / cos).exp()) * (1.0 + c * (d * gamma).exp() + e * gamma.cos().powi(2))
    }

    /// Returns the sky's colour in a direction of the upper hemisphere, in linear Rec. 709, kcd/m2.
    fn color(&self, direction: [f64; 3], sun: [f64; 3]) -> [f64; 3] {
        let gamma = dot(direction, sun).clamp(-1.0, 1.0).acos();
        let [luminance, x, y] = [0, 1, 2].map(|i| self.zenith[i] * self.perez(i, direction[1], gamma));
        let (cx, cz) = (luminance * x / y, luminance * (1.0 - x - y) / y);
        // CIE XYZ to Rec. 709 (IEC 61966-2-1); what lies outside of its colours is clipped.
        let rows = [[3.2406, -1.5372, -0.4986], [-0.9689, 1.8758, 0.0415], [0.0557, -0.2040, 1.0570]];
        rows.map(|row| dot(row, [cx, luminance, cz]).max(0.0))
    }

    /// Returns the illuminance of a horizontal surface by the sky alone, in klx.
    fn level_illuminance(&self, sun: [f64; 3]) -> f64 {
        const STEPS: u32 = 64;
        let step = |i: u32| (f64::from(i) + 0.5) / f64::from(STEPS);
        let mut sum = 0.0;
        for i in 0..STEPS {
            // Directions spread by the cosine: each counts the same.
            let sin = step(i).sqrt();
            for j in 0..STEPS {
                let (s, c) = (2.0 * PI * step(j)).sin_cos();
                let d = [sin * s, (1.0 - sin * sin).sqrt(), sin * c];
                sum += self.zenith[0] * self.perez(0, d[1], dot(d, sun).clamp(-1.0, 1.0).acos());
            }
        }
        PI * sum / f64::from(STEPS * STEPS)
    }
}
