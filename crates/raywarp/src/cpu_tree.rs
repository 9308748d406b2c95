//! Which tree is built for a picture that the CPU renders: a better one where it traces long enough.

use crate::PathWork;
use crate::gpu_tree::REINSERTION;
use raywarp_bvh::{BuildOptions, presets};

/// Rays of paths that a thread traces and shades in a second: 2 to 4 million (docs/notebook/2026-11-25-cpu-rays.md).
const RAYS_A_SECOND: f64 = 3e6;
/// Share of a render that reinsertion saves: 0 to 15 % in six scenes, 6 % on average (the same page).
const GAIN: f64 = 0.06;

/// Options of the tree for `work` through so many triangles, which `threads` threads build and trace.
///
/// Spatial splits are no choice: renders were no faster with them than with reinsertion alone.
pub(crate) fn cpu_tree(work: &PathWork, triangles: usize, threads: usize) -> BuildOptions {
    let seconds = work.seconds_at(RAYS_A_SECOND * threads.max(1) as f64);
    if seconds * GAIN > REINSERTION.of(triangles, threads) { presets::GOOD } else { presets::BALANCED }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_render::RenderOptions;

    #[test]
    fn long_renders_get_the_better_tree_and_large_scenes_later() {
        let tree = |samples: u32, triangles: usize, threads: usize| {
            let options = RenderOptions { size: [640, 480], samples: 0..samples, ..RenderOptions::default() };
            cpu_tree(&PathWork::new(&options, 1), triangles, threads)
        };
        assert_eq!(tree(0, 10, 2), presets::BALANCED);
        // A glance at a large scene, and a picture of it.
        assert_eq!([tree(1, 1_400_000, 2), tree(64, 1_400_000, 2)], [presets::BALANCED, presets::GOOD]);
        assert_eq!([tree(1, 10_000, 2), tree(1, 10_000, 0)], [presets::GOOD; 2]);
    }
}
