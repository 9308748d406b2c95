//! Work that makes shading heavier and changes no picture (W11 4.2.5): multiply-adds, and a search in a table.

use crate::PathExperiment;
use crate::launch::BurdenRecord;
use raywarp_cuda::{CudaError, DeviceBuffer, Stream};
use raywarp_render::ShadingScene;
use raywarp_render_cuda::LoadPlace;

/// Largest number of steps of the extra search: its table then has 1 GB.
const MOST_SEARCH_STEPS: u32 = 28;

/// Extra work at each vertex of a light path, which makes shading heavier and changes no result.
#[derive(Debug)]
pub(crate) struct Burden {
    /// Table on the device in which each vertex searches, without using what it finds.
    table: Option<DeviceBuffer<u32>>,
    search_steps: u32,
    multiply_adds: u32,
}

impl Burden {
    /// Uploads what an experiment's extra shading work needs: the table that is searched.
    pub fn upload(experiment: &PathExperiment, place: &LoadPlace<'_>) -> Result<Self, CudaError> {
        let search_steps = experiment.search_steps.min(MOST_SEARCH_STEPS);
        let table = match search_steps {
            0 => None,
            steps => Some(place.stream.upload(&search_table(place.scene, steps))?),
        };
        Ok(Self { table, search_steps, multiply_adds: experiment.longer_shading })
    }

    /// Returns the launch parameters of the extra work, for kernels on `stream`.
    pub fn record(&self, stream: &Stream) -> BurdenRecord {
        BurdenRecord {
            table: self.table.as_ref().map_or(0, |table| table.address(stream)),
            search_steps: self.search_steps,
            multiply_adds: self.multiply_adds,
        }
    }
}

/// Returns the table for the extra search: for each of 2^steps texels of a latitude-longitude map, how many of 2^32
/// random numbers fall to texels before it.
fn search_table(scene: &ShadingScene, steps: u32) -> Vec<u32> {
    let [columns, rows] = [1usize << steps.div_ceil(2), 1usize << (steps / 2)];
    let weight = |texel: usize| {
        let [row, column] = [texel / columns, texel % columns].map(|at| at as f64 + 0.5);
        let (polar, azimuth) =
            (std::f64::consts::PI * row / rows as f64, std::f64::consts::TAU * column / columns as f64);
        let direction = [polar.sin() * azimuth.cos(), polar.cos(), polar.sin() * azimuth.sin()];
        let radiance: f32 = scene.environment_radiance(direction.map(|x| x as f32)).iter().sum();
        // Texels without light are found seldom, but none has no place.
        (f64::from(radiance) + 1e-9) * polar.sin()
    };
    let weights: Vec<f64> = (0..columns * rows).map(weight).collect();
    let all: f64 = weights.iter().sum();
    let mut before = 0.0;
    let step = |weight: &f64| {
        let place = (before / all * 4_294_967_296.0) as u32;
        before += weight;
        place
    };
    weights.iter().map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_rises_from_zero_and_its_texels_have_their_solid_angle() {
        for steps in [1, 6, 9] {
            let table = search_table(&ShadingScene::default(), steps);
            assert_eq!((table.len(), table[0]), (1 << steps, 0), "{steps} steps");
            assert!(table.windows(2).all(|pair| pair[0] <= pair[1]), "{steps} steps");
        }
        // 8 x 8: the first row's share of all.
        let table = search_table(&ShadingScene::default(), 6);
        let rows: Vec<f64> = (0..8).map(|row| (std::f64::consts::PI * (f64::from(row) + 0.5) / 8.0).sin()).collect();
        let share = rows[0] / rows.iter().sum::<f64>();
        assert!((f64::from(table[8]) / 4_294_967_296.0 - share).abs() < 1e-6);
    }
}
