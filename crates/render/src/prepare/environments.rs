//! Tables by which directions to environment maps are drawn.

use super::lights::luminance;
use crate::flat::{EnvironmentRecord, NONE, ShadingScene, TextureImage};
use crate::texture::texel;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use raywarp_sample::warp::{Distribution2d, sin_cos_turn};

/// Adds an environment light, and returns its mean radiance over the sphere.
pub(super) fn add(flat: &mut ShadingScene, map: Option<u32>, radiance: [f32; 3], rows: [[f32; 3]; 3]) -> Vec3 {
    let mut record = EnvironmentRecord { radiance, rows, image: NONE, ..bytemuck::Zeroable::zeroed() };
    let Some(index) = map else {
        flat.environments.push(record);
        return radiance.into();
    };
    let image = &flat.images[index as usize];
    let (weights, mean) = weights(image, radiance.into());
    match Distribution2d::new(&weights, image.size[0] as usize, image.size[1] as usize) {
        Some(distribution) => {
            (record.image, record.size, record.table) = (index, image.size, flat.tables.len() as u32);
            flat.tables.extend_from_slice(distribution.tables().words);
        }
        // An all-black map has no distribution, and is no light.
        None => record.radiance = [0.0; 3],
    }
    flat.environments.push(record);
    mean
}

/// Returns the sampling weight of each texel of an environment map (luminance times solid angle), and the mean
/// radiance.
fn weights(image: &TextureImage, radiance: Vec3) -> (Vec<f32>, Vec3) {
    let [w, h] = image.size;
    // The look-up is bilinear: a cell's weight takes its neighbours in, or directions beside a bright texel would have
    // radiance but almost no density.
    let at = |x: i64, y: i64| {
        let (x, y) = (x.rem_euclid(i64::from(w)) as u32, y.clamp(0, i64::from(h) - 1) as u32);
        texel(image, x, y).truncate().max(Vec3::ZERO)
    };
    let row = |y: u32| {
        let (sin, _) = sin_cos_turn(0.5 * (y as f32 + 0.5) / h as f32);
        let mut sum = DVec3::ZERO;
        let weights: Vec<f32> = (0..w)
            .map(|x| {
                let (x, y) = (i64::from(x), i64::from(y));
                sum += (at(x, y) * sin).as_dvec3();
                let mut smooth = Vec3::ZERO;
                for (dy, wy) in [(-1, 0.125), (0, 0.75), (1, 0.125)] {
                    for (dx, wx) in [(-1, 0.125), (0, 0.75), (1, 0.125)] {
                        smooth += wx * wy * at(x + dx, y + dy);
                    }
                }
                luminance(smooth * radiance) * sin
            })
            .collect();
        (weights, sum, f64::from(sin) * f64::from(w))
    };
    let rows: Vec<(Vec<f32>, DVec3, f64)> = (0..h).into_par_iter().map(row).collect();
    let (sum, solid_angle) = rows.iter().fold((DVec3::ZERO, 0.0), |(s, a), row| (s + row.1, a + row.2));
    (rows.into_iter().flat_map(|row| row.0).collect(), (sum / solid_angle).as_vec3() * radiance)
}
