//! Environment maps, sampled by luminance times solid angle.

use crate::world::texture::lookup;
use glam::{Vec2, Vec3};
use raywarp_sample::warp::Distribution2d;
use raywarp_scene::{Image, ImageFilter, Wrap};
use std::f32::consts::{PI, TAU};

/// Radiance from everywhere around.
pub(super) struct Environment {
    radiance: Vec3,
    /// Rows of the rotation from the world to the map.
    rows: [Vec3; 3],
    map: Option<Map>,
    mean: Vec3,
}

struct Map {
    /// Linear texels as 32-bit floats, so that look-ups need not decode.
    image: Image,
    /// Over (u, v), proportional to luminance times sin(theta).
    distribution: Distribution2d,
}

impl Environment {
    pub fn new(map: Option<&Image>, radiance: Vec3, world_to_map: &[[f32; 3]; 3]) -> Self {
        let rows = world_to_map.map(Vec3::from);
        let Some(source) = map else {
            return Self { radiance, rows, map: None, mean: radiance };
        };
        let (w, h) = (source.width, source.height);
        let texels: Vec<[f32; 4]> =
            (0..h).flat_map(|y| (0..w).map(move |x| source.texel(x, y).map(|c| c.max(0.0)))).collect();
        let image = Image {
            name: source.name.clone(),
            width: w,
            height: h,
            pixels: raywarp_scene::Pixels::Float(texels.clone()),
        };
        let mut sum = glam::DVec3::ZERO;
        let mut solid_angle = 0.0f64;
        let mut weights = Vec::with_capacity(texels.len());
        for y in 0..h {
            let sin = ((y as f32 + 0.5) / h as f32 * PI).sin();
            for x in 0..w {
                // The look-up is bilinear: a cell's weight takes its neighbours in, or directions
                // beside a bright texel would have radiance but almost no density.
                let at = |dx: i64, dy: i64| {
                    let x = (i64::from(x) + dx).rem_euclid(i64::from(w)) as usize;
                    let y = (i64::from(y) + dy).clamp(0, i64::from(h) - 1) as usize;
                    let t = texels[y * w as usize + x];
                    Vec3::new(t[0], t[1], t[2])
                };
                let mut smooth = Vec3::ZERO;
                for (dy, wy) in [(-1, 0.125), (0, 0.75), (1, 0.125)] {
                    for (dx, wx) in [(-1, 0.125), (0, 0.75), (1, 0.125)] {
                        smooth += wx * wy * at(dx, dy);
                    }
                }
                weights.push(super::luminance(smooth * radiance) * sin);
                sum += (at(0, 0) * sin).as_dvec3();
                solid_angle += f64::from(sin);
            }
        }
        let mean = (sum / solid_angle).as_vec3() * radiance;
        let map = Distribution2d::new(&weights, w as usize, h as usize).map(|distribution| Map { image, distribution });
        // An all-black map has no distribution, and is no light.
        let radiance = if map.is_some() { radiance } else { Vec3::ZERO };
        Self { radiance, rows, map, mean }
    }

    /// Mean radiance over the sphere.
    pub fn mean(&self) -> Vec3 {
        self.mean
    }

    /// Radiance from the unit world `direction` and its solid-angle density in [`Self::sample`].
    pub fn eval(&self, direction: Vec3) -> (Vec3, f32) {
        let Some(map) = &self.map else {
            return (self.radiance, 1.0 / (4.0 * PI));
        };
        let d = Vec3::new(self.rows[0].dot(direction), self.rows[1].dot(direction), self.rows[2].dot(direction));
        let cos = d.y.clamp(-1.0, 1.0);
        let uv = Vec2::new((0.5 + d.x.atan2(-d.z) / TAU).clamp(0.0, 1.0), cos.acos() / PI);
        let sin = (1.0 - cos * cos).sqrt();
        let pdf = if sin > 0.0 { map.distribution.pdf(uv.into()) / (TAU * PI * sin) } else { 0.0 };
        (self.look_up(map, uv), pdf)
    }

    /// A unit world direction, its radiance and its solid-angle density.
    pub fn sample(&self, u: [f32; 2]) -> Option<(Vec3, Vec3, f32)> {
        let Some(map) = &self.map else {
            let d = Vec3::from(raywarp_sample::warp::uniform_sphere(u));
            return Some((d, self.radiance, 1.0 / (4.0 * PI)));
        };
        let (uv, density) = map.distribution.sample(u);
        let (phi, theta) = ((uv[0] - 0.5) * TAU, uv[1] * PI);
        let (sin, cos) = theta.sin_cos();
        let d = Vec3::new(sin * phi.sin(), cos, -sin * phi.cos());
        let pdf = density / (TAU * PI * sin);
        if !(pdf > 0.0 && pdf.is_finite()) {
            return None;
        }
        // Transposed rows turn the map's frame back into the world's.
        let world = d.x * self.rows[0] + d.y * self.rows[1] + d.z * self.rows[2];
        Some((world, self.look_up(map, uv.into()), pdf))
    }

    fn look_up(&self, map: &Map, uv: Vec2) -> Vec3 {
        self.radiance * lookup(&map.image, uv, [Wrap::Repeat, Wrap::Clamp], ImageFilter::Bilinear).truncate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_scene::Pixels;

    /// A dim map with one bright texel.
    fn environment(rows: &[[f32; 3]; 3]) -> Environment {
        let (w, h) = (16, 8);
        let mut texels = vec![[0.1, 0.2, 0.3, 1.0]; w * h];
        texels[2 * w + 5] = [50.0, 40.0, 30.0, 1.0];
        let image = Image { name: String::new(), width: 16, height: 8, pixels: Pixels::Float(texels) };
        Environment::new(Some(&image), Vec3::ONE, rows)
    }

    const TURNED: [[f32; 3]; 3] = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

    #[test]
    fn sampled_directions_evaluate_to_what_was_sampled() {
        let environment = environment(&TURNED);
        for i in 0..500 {
            // Not the pole itself, which has no solid angle: u = 0 gives no sample.
            let u = [(0.5 + i as f32 * 0.754_877_7).fract(), (0.5 + i as f32 * 0.569_840_3).fract()];
            let (d, radiance, pdf) = environment.sample(u).unwrap();
            let (again, pdf_again) = environment.eval(d);
            assert!((radiance - again).length() < 1e-2 * (1.0 + radiance.length()), "{radiance} {again}");
            assert!((pdf - pdf_again).abs() < 2e-2 * pdf, "{pdf} {pdf_again}");
        }
    }

    #[test]
    fn the_estimate_of_total_radiance_is_right_and_has_little_noise() {
        let environment = environment(&TURNED);
        let n = 4096;
        let (mut by_map, mut by_sphere, mut pdfs) = (0.0f64, 0.0f64, 0.0f64);
        for i in 0..n {
            let u = [(i as f32 + 0.5) / n as f32, (0.5 + i as f32 * 0.618_034).fract()];
            let (_, radiance, pdf) = environment.sample(u).unwrap();
            by_map += f64::from(radiance.x / pdf) / f64::from(n);
        }
        let steps = 1_000_000;
        for i in 0..steps {
            let u = [(i as f32 + 0.5) / steps as f32, (f64::from(i) * 0.618_033_988_749).fract() as f32];
            let (radiance, pdf) = environment.eval(raywarp_sample::warp::uniform_sphere(u).into());
            by_sphere += f64::from(radiance.x) * 4.0 * std::f64::consts::PI / f64::from(steps);
            pdfs += f64::from(pdf) * 4.0 * std::f64::consts::PI / f64::from(steps);
        }
        assert!((pdfs - 1.0).abs() < 0.005, "the density integrates to {pdfs}");
        assert!((by_map / by_sphere - 1.0).abs() < 0.02, "{by_map} for {by_sphere}");
    }

    #[test]
    fn a_black_map_gives_no_light() {
        let pixels = Pixels::Float(vec![[0.0; 4]; 8]);
        let image = Image { name: String::new(), width: 4, height: 2, pixels };
        let environment = Environment::new(Some(&image), Vec3::ONE, &TURNED);
        assert_eq!(environment.eval(Vec3::X).0, Vec3::ZERO);
        assert_eq!(environment.mean(), Vec3::ZERO);
    }
}
