//! Device `auto` of rays: a GPU where there is one and it is worth its start, else this CPU.
//!
//! The rule is about seconds: a GPU saves what it traces faster than the CPU, and costs its start and a better tree than the
//! CPU walks. docs/internals/choices.md ("Whether rays take a GPU") has the measurements.

use crate::gpu_tree::{REINSERTION, SPLITS};
use raywarp_cuda::{CudaError, Device};

/// Rays that a thread of a CPU traces in a second, where there are few of them.
const CPU_RAYS_A_SECOND: f64 = 8e6;
/// Rays of the host that go through a GPU in a second, and come back as hits.
const GPU_RAYS_A_SECOND: f64 = 4e8;
/// Seconds that a GPU takes to start, and whatever else makes a command on it slower.
const GPU_START: f64 = 2.0;

/// From how many rays on a GPU is worth its start, in a scene of so many triangles beside a CPU of so many threads; none
/// where the CPU is as fast, from 50 threads on.
///
/// Its tree takes 0.3 us a triangle longer to build than the CPU's, and 1.3 us divided by the number of threads.
pub fn rays_worth_a_gpu(triangles: u64, threads: usize) -> Option<u64> {
    let better_tree = REINSERTION.of(triangles as usize, threads) + SPLITS.of(triangles as usize, threads);
    let seconds = GPU_START + better_tree;
    let saved = 1.0 / (CPU_RAYS_A_SECOND * threads.max(1) as f64) - 1.0 / GPU_RAYS_A_SECOND;
    (saved > 0.0).then(|| (seconds / saved) as u64)
}

/// From how many rays on, where a test asks for fewer than the rule does.
fn pretended_least() -> Option<u64> {
    std::env::var("RAYWARP_PRETEND_RAYS_WORTH_A_GPU").ok()?.parse().ok()
}

/// Why so many rays are the CPU's, if they are.
pub(crate) fn too_few(rays: u64, triangles: u64, threads: usize) -> Option<String> {
    match pretended_least().or_else(|| rays_worth_a_gpu(triangles, threads)) {
        Some(least) if rays >= least => None,
        Some(least) => Some(format!("{rays} rays; a GPU is worth its start from {least} on")),
        None => Some(format!("{rays} rays; no GPU is worth its start beside {threads} threads")),
    }
}

/// How many GPUs there are to try for so many rays: at least one.
///
/// # Errors
/// Why the CPU traces, and whether that is a loss: a GPU would have been worth its start, but it or its driver cannot be used.
pub(crate) fn gpus_for_rays(rays: u64, triangles: u64, threads: usize) -> Result<usize, (String, bool)> {
    if let Some(why) = too_few(rays, triangles, threads) {
        return Err((why, false));
    }
    match Device::count() {
        Ok(0) => Err(("there is no NVIDIA GPU".into(), false)),
        Ok(count) => Ok(count),
        Err(error) => Err((error.to_string(), error != CudaError::NoDriver)),
    }
}

/// A device as messages name it.
pub(crate) fn device_name(device: &Device) -> String {
    format!("cuda:{} ({})", device.ordinal(), device.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_is_worth_its_start_for_more_rays_beside_more_threads_and_in_larger_scenes() {
        let millions = |triangles, threads| rays_worth_a_gpu(triangles, threads).map(|rays| rays / 1_000_000);
        assert_eq!([0, 1, 3, 4, 16].map(|threads| millions(0, threads)), [16, 16, 51, 69, 376].map(Some));
        // A million triangles take 1.6 s more on one thread, 0.38 s on 16.
        assert_eq!([1, 16].map(|threads| millions(1_000_000, threads)), [29, 448].map(Some));
        // Beside many threads there is nothing to gain.
        assert!(millions(u64::from(u32::MAX), 49).is_some());
        assert_eq!([50, 1024].map(|threads| millions(0, threads)), [None; 2]);
    }

    #[test]
    fn few_rays_need_no_driver_to_be_the_cpus() {
        let (why, is_loss) = gpus_for_rays(16_000_000, 0, 1).unwrap_err();
        assert_eq!(why, "16000000 rays; a GPU is worth its start from 16326530 on");
        assert!(!is_loss);
        let (why, is_loss) = gpus_for_rays(u64::MAX, 0, 64).unwrap_err();
        assert_eq!(why, format!("{} rays; no GPU is worth its start beside 64 threads", u64::MAX));
        assert!(!is_loss);
    }
}
