//! Light that a render adds to a scene: three built-in surroundings, or an image of one. See
//! docs/guide/light-and-camera.md.

mod sky;
mod studio;

use raywarp_scene::{Camera, Description, Image, Light, Pixels};
use std::fmt;
use std::str::FromStr;

/// Built-in surrounding light, which needs no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BuiltInLight {
    /// White surroundings of radiance 1.
    White,
    /// Studio: a soft key light from above left behind the camera, a weaker fill light from the right, an edge light
    /// from behind, and a grey backdrop. It turns with the camera.
    Studio,
    /// A clear sky with a sun, above grey ground. It stays in the world.
    Sky,
    /// No added light, even if the scene has none.
    None,
}

impl BuiltInLight {
    /// All built-in lights, white first.
    pub const ALL: [Self; 4] = [Self::White, Self::Studio, Self::Sky, Self::None];

    /// Returns the built-in light's name in commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::White => "white",
            Self::Studio => "studio",
            Self::Sky => "sky",
            Self::None => "none",
        }
    }
}

impl fmt::Display for BuiltInLight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for BuiltInLight {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|light| light.name() == text).ok_or(())
    }
}

/// Source of the light that is added to a scene.
#[derive(Debug, Clone, PartialEq)]
pub enum LightSource {
    /// Built-in surrounding light.
    BuiltIn(BuiltInLight),
    /// Environment map: a latitude-longitude image with row 0 at the top.
    Map(Image),
}

/// Light that a picture is to add to its scene.
#[derive(Debug, Clone, PartialEq)]
pub struct LightRequest {
    /// Source of the light; `None` to add what the scene needs. `None` adds a studio where the scene has no light of
    /// its own that could be seen.
    pub source: Option<LightSource>,
    /// Rotation of the light about the vertical in degrees, counter-clockwise as seen from above. Of a studio the lamps
    /// turn and the backdrop stays.
    pub rotate: f32,
    /// Factor on the light's radiance, not negative.
    pub strength: f32,
}

impl Default for LightRequest {
    fn default() -> Self {
        Self { source: None, rotate: 0.0, strength: 1.0 }
    }
}

impl LightRequest {
    /// Requests a built-in light, neither rotated nor scaled.
    pub fn built_in(light: BuiltInLight) -> Self {
        Self { source: Some(LightSource::BuiltIn(light)), ..Self::default() }
    }

    /// Adds `source` to the lights of `scene`, oriented for a picture from `camera`.
    pub(crate) fn add(&self, scene: &mut Description, source: &LightSource, camera: &Camera) {
        let radiance = [self.strength; 3];
        let (map, world_to_map) = match source {
            LightSource::BuiltIn(BuiltInLight::None) => return,
            LightSource::BuiltIn(BuiltInLight::White) => {
                scene.lights.push(Light::uniform_environment(radiance));
                return;
            }
            LightSource::BuiltIn(BuiltInLight::Studio) => {
                // The middle of the map lies behind what the camera looks at.
                let backwards = camera.forward.map(|x| -x);
                (studio::map(self.rotate), [camera.right, camera.up, backwards])
            }
            LightSource::BuiltIn(BuiltInLight::Sky) => (sky::map(), upright(camera.up, self.rotate)),
            LightSource::Map(image) => (image.clone(), upright(camera.up, self.rotate)),
        };
        let image = scene.add_image(map);
        scene.lights.push(Light::Environment { map: Some(image), radiance, world_to_map });
    }
}

/// Returns the rows of the rotation from world directions to a map that is upright for a camera with this `up`: the
/// map's +y is the world's +y or +z, whichever is nearer, and -z is its middle column. The map is turned by `degrees`
/// counter-clockwise about its +y.
fn upright(up: [f32; 3], degrees: f32) -> [[f32; 3]; 3] {
    let z_up = up[2].abs() > up[1].abs();
    let rows = if z_up {
        [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]
    } else {
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    };
    // A direction of the world sees what was at the direction turned back.
    let (sin, cos) = f64::from(degrees).to_radians().sin_cos();
    let mix = |a: f64, b: f64| std::array::from_fn(|i| (a * f64::from(rows[0][i]) + b * f64::from(rows[2][i])) as f32);
    [mix(cos, -sin), rows[1], mix(sin, cos)]
}

/// Draws a latitude-longitude map from a function of the unit direction in the map's frame.
fn draw(name: &str, [width, height]: [u32; 2], radiance: impl Fn([f64; 3]) -> [f64; 3]) -> Image {
    use std::f64::consts::{PI, TAU};
    let mut texels = Vec::with_capacity((width * height) as usize);
    for y in 0..height {
        let (sin, cos) = ((f64::from(y) + 0.5) / f64::from(height) * PI).sin_cos();
        for x in 0..width {
            let (sin_phi, cos_phi) = (((f64::from(x) + 0.5) / f64::from(width) - 0.5) * TAU).sin_cos();
            let [r, g, b] = radiance([sin * sin_phi, cos, -sin * cos_phi]).map(|c| c as f32);
            texels.push([r, g, b, 1.0]);
        }
    }
    Image { name: name.into(), width, height, pixels: Pixels::Float(texels).into() }
}

/// Returns a smooth step from 0 at `from` to 1 at `to`.
fn smooth_step(from: f64, to: f64, x: f64) -> f64 {
    let x = ((x - from) / (to - from)).clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests;
