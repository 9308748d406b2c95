//! The amount of tracing that a picture takes, as far as its options tell.

#[cfg(feature = "render")]
use super::cost_model::cpu_path_seconds;
#[cfg(all(feature = "cuda", feature = "render"))]
use super::cost_model::gpu_path_seconds;
#[cfg(feature = "render")]
use raywarp_render::{Integrator, RenderOptions, film::Window};

/// Rays expected of a path without a limit on its length: from 4 in scenes under the sky to 16 in rooms.
#[cfg(feature = "render")]
const RAYS_PER_PATH: f64 = 12.0;
/// Samples per pixel expected where only a noise limit ends a render.
#[cfg(feature = "render")]
const SAMPLES_OF_NOISE: u32 = 1024;

/// Estimated amount of tracing for a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathWork {
    rays: f64,
    /// Time limit of the picture, in seconds.
    limit: f64,
    /// Number of GPUs that share the picture, at least 1.
    gpus: usize,
}

impl PathWork {
    /// Estimates the work of a picture shared by `gpus` GPUs, or done by the CPU if that is 0. Samples are counted as
    /// if no noise limit ended them before, and up to 1,024 of a pixel where nothing else does.
    #[cfg(feature = "render")]
    pub fn new(options: &RenderOptions, gpus: usize) -> Self {
        let pixels = Window::new(options.size, options.crop).map_or(0, |window| window.pixel_count());
        let most = if options.noise_limit.is_some() { SAMPLES_OF_NOISE } else { u32::MAX };
        let samples = (options.samples.len() as u64).min(u64::from(most));
        let rays = pixels as f64 * samples as f64 * rays_per_sample(options);
        let limit = options.time_limit.map_or(f64::INFINITY, |limit| limit.as_secs_f64());
        Self { rays, limit, gpus: gpus.max(1) }
    }

    /// Estimates the seconds of tracing on the GPUs, at most the time limit.
    #[cfg(all(feature = "cuda", feature = "render"))]
    pub(crate) fn seconds(&self) -> f64 {
        gpu_path_seconds(self.rays, self.gpus).min(self.limit)
    }

    /// Estimates the seconds of tracing on `threads` CPU threads, at most the time limit.
    #[cfg(feature = "render")]
    pub(crate) fn cpu_seconds(&self, threads: usize) -> f64 {
        cpu_path_seconds(self.rays, threads).min(self.limit)
    }
}

/// Returns the number of an integrator's samples that take a CPU core as long as one path-traced sample: 12 for ambient
/// occlusion, 24 for normals or distances (in conference). A GPU is taken to be quicker with them by as much.
#[cfg(all(feature = "cuda", feature = "render"))]
pub(crate) fn samples_per_path(integrator: Integrator) -> u64 {
    match integrator {
        Integrator::Path => 1,
        Integrator::AmbientOcclusion { .. } => 12,
        Integrator::Normal | Integrator::Depth | Integrator::Cost => 24,
    }
}

/// Estimates the number of rays per sample.
#[cfg(feature = "render")]
fn rays_per_sample(options: &RenderOptions) -> f64 {
    match options.integrator {
        // An extension and a connection each, but for the last vertex, which connects only if it is asked to.
        Integrator::Path => {
            let last = if options.connect_last { 2.0 } else { 1.0 };
            RAYS_PER_PATH.min(2.0 * f64::from(options.max_depth) + last)
        }
        Integrator::AmbientOcclusion { .. } => 2.0,
        Integrator::Normal | Integrator::Depth | Integrator::Cost => 1.0,
    }
}

#[cfg(all(test, feature = "cuda", feature = "render"))]
mod tests {
    use super::*;
    use crate::device::cost_model::cpu_tree;
    use raywarp_bvh::presets;
    use raywarp_render::film::Crop;
    use std::time::Duration;

    #[test]
    fn work_is_rays_over_gpus_up_to_the_time_limit() {
        let options = RenderOptions { size: [1000, 500], samples: 0..500, max_depth: 8, ..RenderOptions::default() };
        let seconds = |options: &RenderOptions, gpus| PathWork::new(options, gpus).seconds();
        assert_eq!(seconds(&options, 1), 1.0);
        assert_eq!([2, 4, 0].map(|gpus| seconds(&options, gpus)), [0.5, 0.25, 1.0]);
        let short = RenderOptions { max_depth: 1, ..options.clone() };
        assert_eq!(seconds(&short, 1), 0.25);
        let longer = RenderOptions { connect_last: true, ..short.clone() };
        assert_eq!(12.0 * seconds(&longer, 1), 4.0);
        assert_eq!(seconds(&RenderOptions { connect_last: true, ..options.clone() }, 1), 1.0);
        let normals = RenderOptions { integrator: Integrator::Normal, ..options.clone() };
        let occlusion = Integrator::AmbientOcclusion { distance: 1.0 };
        let occlusion = RenderOptions { integrator: occlusion, ..options.clone() };
        assert_eq!([&normals, &occlusion].map(|options| 12.0 * seconds(options, 1)), [1.0, 2.0]);
        let crop = RenderOptions { crop: Some(Crop { origin: [0, 0], size: [500, 500] }), ..options.clone() };
        assert_eq!(seconds(&crop, 1), 0.5);
        let endless = RenderOptions { samples: 0..u32::MAX, ..options.clone() };
        assert!(seconds(&endless, 1) > 1e6);
        let timed = RenderOptions { time_limit: Some(Duration::from_secs(7)), ..endless.clone() };
        assert_eq!(seconds(&timed, 1), 7.0);
        let noise = RenderOptions { noise_limit: Some(0.1), ..endless };
        assert_eq!(seconds(&noise, 1), 2.048);
        let resumed = RenderOptions { samples: 400..500, ..options };
        assert_eq!(seconds(&resumed, 1), 0.2);
    }

    #[test]
    fn long_renders_get_the_better_tree_and_large_scenes_later() {
        let tree = |samples: u32, triangles: usize, threads: usize| {
            let options = RenderOptions { size: [640, 480], samples: 0..samples, ..RenderOptions::default() };
            cpu_tree(PathWork::new(&options, 1).cpu_seconds(threads), triangles, threads)
        };
        assert_eq!(tree(0, 10, 2), presets::BALANCED);
        // A glance at a large scene, and a picture of it.
        assert_eq!([tree(1, 1_400_000, 2), tree(64, 1_400_000, 2)], [presets::BALANCED, presets::GOOD]);
        assert_eq!([tree(1, 10_000, 2), tree(1, 10_000, 0)], [presets::GOOD; 2]);
    }
}
