//! Environment maps, sampled by luminance times solid angle.

use super::LightSample;
use crate::flat::{EnvironmentRecord, ImageLookup, NONE, ShadingScene, Wrapping};
use crate::texture::look_up;
use glam::{Vec2, Vec3};
use raywarp_sample::elementary::{acos, atan2};
use raywarp_sample::warp::{DensityTables, sin_cos_turn, uniform_sphere, uniform_sphere_pdf};
use std::f32::consts::{FRAC_1_PI, PI, TAU};

/// Environment light: radiance from infinitely far away on all sides.
#[derive(Clone, Copy)]
pub struct Environment<'s> {
    /// Record of the environment light.
    pub record: &'s EnvironmentRecord,
    scene: &'s ShadingScene,
}

impl<'s> Environment<'s> {
    /// Returns the environment light `index` of a scene.
    #[inline]
    pub fn of(scene: &'s ShadingScene, index: u32) -> Self {
        Self { record: &scene.environments[index as usize], scene }
    }

    /// Returns the radiance from the unit world `direction`, and the solid-angle density with which [`Self::sample`]
    /// finds it.
    #[inline]
    pub fn eval(&self, direction: Vec3) -> (Vec3, f32) {
        if self.record.image == NONE {
            return (self.record.radiance.into(), uniform_sphere_pdf());
        }
        let rows = self.record.rows.map(Vec3::from);
        let d = Vec3::new(rows[0].dot(direction), rows[1].dot(direction), rows[2].dot(direction));
        let cos = d.y.clamp(-1.0, 1.0);
        let uv = Vec2::new((0.5 + atan2(d.x, -d.z) * (1.0 / TAU)).clamp(0.0, 1.0), acos(cos) * FRAC_1_PI);
        let sin = (1.0 - cos * cos).sqrt();
        let pdf = if sin > 0.0 { self.tables().pdf(uv.into()) / (TAU * PI * sin) } else { 0.0 };
        (self.look_up(uv), pdf)
    }

    /// Samples a unit world direction; returns it with its radiance and its solid-angle density.
    #[inline]
    pub fn sample(&self, u: [f32; 2]) -> Option<(Vec3, Vec3, f32)> {
        if self.record.image == NONE {
            return Some((uniform_sphere(u).into(), self.record.radiance.into(), uniform_sphere_pdf()));
        }
        let (uv, density) = self.tables().sample(u);
        let (sin, cos) = sin_cos_turn(0.5 * uv[1]);
        // The azimuth is 0 in the middle of the map: half a turn from its edge, which negates both.
        let (s, c) = sin_cos_turn(uv[0]);
        let d = Vec3::new(-sin * s, cos, sin * c);
        let pdf = density / (TAU * PI * sin);
        if !(pdf > 0.0 && pdf.is_finite()) {
            return None;
        }
        // Transposed rows turn the map's frame back into the world's.
        let rows = self.record.rows.map(Vec3::from);
        Some((d.x * rows[0] + d.y * rows[1] + d.z * rows[2], self.look_up(uv.into()), pdf))
    }

    /// Samples a connection to the environment, which was chosen with `probability`.
    #[inline]
    pub fn connect(&self, u: [f32; 2], probability: f32) -> Option<LightSample> {
        let (wi, radiance, pdf) = self.sample(u)?;
        let pdf = pdf * probability;
        Some(LightSample { wi, target: None, weight: radiance * (1.0 / pdf), pdf })
    }

    #[inline]
    fn tables(&self) -> DensityTables<'s> {
        tables(self.scene, self.record)
    }

    #[inline]
    fn look_up(&self, uv: Vec2) -> Vec3 {
        let image = &self.scene.images[self.record.image as usize];
        let texel = look_up(image, uv, [Wrapping::Repeat, Wrapping::Clamp], ImageLookup::Bilinear);
        // A filter that rings leaves texels below 0, which are no light.
        Vec3::from(self.record.radiance) * texel.truncate().max(Vec3::ZERO)
    }
}

impl ShadingScene {
    /// Returns the summed radiance of all environments from a unit world `direction`; zeros if there are none.
    pub fn environment_radiance(&self, direction: [f32; 3]) -> [f32; 3] {
        let of = |index| Environment::of(self, index).eval(direction.into()).0;
        (0..self.environments.len() as u32).map(of).sum::<Vec3>().into()
    }
}

/// Returns the tables by which directions to an environment map are sampled.
#[inline]
pub fn tables<'s>(scene: &'s ShadingScene, record: &EnvironmentRecord) -> DensityTables<'s> {
    let [width, height] = record.size.map(|n| n as usize);
    let words = 2 * (height + 1 + height * (width + 1));
    DensityTables { words: &scene.tables[record.table as usize..][..words], width, height }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_geom::Aabb;
    use raywarp_scene::{Description, Image, ImageId, Light, Pixels};

    /// Returns a scene lit by an environment map alone.
    fn lit_by(image: Image, world_to_map: [[f32; 3]; 3]) -> ShadingScene {
        let mut scene = Description::default();
        scene.add_image(image);
        let light = Light::Environment { map: Some(ImageId(0)), radiance: [1.0; 3], world_to_map };
        scene.lights.push(light);
        ShadingScene::new(&scene, &Aabb { min: [-1.0; 3], max: [1.0; 3] }).unwrap()
    }

    /// Returns a scene lit by a dim environment map with one bright texel.
    fn environment(rows: [[f32; 3]; 3]) -> ShadingScene {
        let (w, h) = (16, 8);
        let mut texels = vec![[0.1, 0.2, 0.3, 1.0]; w * h];
        texels[2 * w + 5] = [50.0, 40.0, 30.0, 1.0];
        let pixels = Pixels::Float(texels).into();
        lit_by(Image { name: String::new(), width: 16, height: 8, pixels }, rows)
    }

    const TURNED: [[f32; 3]; 3] = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

    #[test]
    fn sampled_directions_evaluate_to_what_was_sampled() {
        let scene = environment(TURNED);
        let environment = Environment::of(&scene, 0);
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
        let scene = environment(TURNED);
        let environment = Environment::of(&scene, 0);
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
        let pixels = Pixels::Float(vec![[0.0; 4]; 8]).into();
        let scene = lit_by(Image { name: String::new(), width: 4, height: 2, pixels }, TURNED);
        assert_eq!(Environment::of(&scene, 0).eval(Vec3::X).0, Vec3::ZERO);
        assert!(scene.light_choice.is_empty());
    }
}
