//! The studio: soft lamps and a grey backdrop, drawn around the camera.
//!
//! Frame: the camera looks along -z, +x is the right of its picture and +y the top. Every number was chosen by
//! looking: a diffuse object of reflectance 0.7 comes out at about 0.5 in sRGB, one of reflectance 1 is not clipped,
//! and both a white and a black object stand out from the backdrop (see the tests of
//! `crates/raywarp/tests/looks/mod.rs`).

use super::{dot, draw, smooth_step};
use raywarp_scene::Image;

/// Round studio lamp with a soft border.
struct Lamp {
    /// Azimuth in degrees to the right of straight behind the camera.
    azimuth: f64,
    /// Elevation in degrees above the camera's horizon.
    elevation: f64,
    /// Angular radius of the lamp in degrees, at half its radiance.
    radius: f64,
    radiance: f64,
}

const LAMPS: [Lamp; 3] = [
    // Key: from above left, behind the camera. Large, so that its shadows and its image in a varnish are soft.
    Lamp { azimuth: -52.0, elevation: 44.0, radius: 26.0, radiance: 3.6 },
    // Fill: from the right, low and weak.
    Lamp { azimuth: 68.0, elevation: 8.0, radius: 28.0, radiance: 0.5 },
    // Edge: from above behind the object, outside of any picture of less than 90 degrees: it draws the upper outline
    // of what is as dark as the backdrop.
    Lamp { azimuth: 170.0, elevation: 68.0, radius: 15.0, radiance: 2.2 },
];

/// Width of a studio lamp's soft border in degrees.
const SOFT: f64 = 12.0;
/// Radiance of the studio's walls behind the camera, which keep shadows from going black.
const ROOM: f64 = 0.1;
/// Radiance of the backdrop far from the picture's middle, and what a glow behind the object adds.
const BACKDROP: [f64; 2] = [0.04, 0.045];
/// Width of the glow behind the object in degrees.
const GLOW: f64 = 17.0;
/// Angle from the picture's middle, in degrees, within which no lamp is visible: beyond the corners of most pictures.
const HIDDEN: f64 = 50.0;

/// Draws the studio map, with its lamps rotated by `rotate` degrees counter-clockwise as seen from above.
pub(super) fn map(rotate: f32) -> Image {
    let lamps = LAMPS.map(|lamp| {
        let (azimuth, elevation) = ((lamp.azimuth + f64::from(rotate)).to_radians(), lamp.elevation.to_radians());
        let direction = [azimuth.sin() * elevation.cos(), elevation.sin(), azimuth.cos() * elevation.cos()];
        (direction, lamp.radius, lamp.radiance)
    });
    draw("studio", [256, 128], |d| {
        let glow = (-(angle(d, [0.0, 0.0, -1.0]) / GLOW).powi(2)).exp();
        let backdrop = BACKDROP[0] + BACKDROP[1] * glow;
        let behind = smooth_step(-0.3, 0.5, d[2]);
        let mut sum = backdrop + (ROOM - backdrop) * behind;
        // A lamp that is turned to the front is hidden by the backdrop.
        let free = smooth_step(HIDDEN - SOFT, HIDDEN, angle(d, [0.0, 0.0, -1.0]));
        for (direction, radius, radiance) in lamps {
            let border = smooth_step(radius + 0.5 * SOFT, radius - 0.5 * SOFT, angle(d, direction));
            sum += radiance * border * free;
        }
        [sum; 3]
    })
}

/// Returns the angle between two unit vectors in degrees.
fn angle(a: [f64; 3], b: [f64; 3]) -> f64 {
    dot(a, b).clamp(-1.0, 1.0).acos().to_degrees()
}
