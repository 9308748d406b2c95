//! Device `auto` of rays: a GPU where there is one and it is worth its start, else this CPU.
//!
//! The rule is about seconds. A GPU is worth its start where the CPU would trace the rays for longer than the GPU takes to
//! begin: to start, and to get a better tree than the CPU walks. What it takes to trace them then is little beside that: host
//! rays pass through an H200 at 1,000 million a second and more (docs/gpu.md, "Rays and hits of the host").

use crate::gpu_tree::SPLITS;
use raywarp_cuda::{CudaError, Device};

/// Rays that a thread of a CPU traces in a second. From 5 to 11 million are one thread's in sibenik with AVX-512
/// (docs/performance.md, "Ray queries on the CPU"); with many threads, or in larger scenes, it is 2 to 4 million.
pub(crate) const RAYS_A_SECOND: f64 = 3e6;
/// Seconds that a GPU takes to start: about half a second of a process on an H200's machine (docs/gpu.md, "What `auto` takes").
const GPU_START: f64 = 0.5;

/// From how many rays on a GPU is worth its start, in a scene of so many triangles beside a CPU of so many threads.
///
/// It starts in the time in which a thread traces 1.5 million rays. Its tree takes 0.25 us a triangle longer to build
/// than the CPU's, and 1 us divided by the number of threads.
pub fn rays_worth_a_gpu(triangles: u64, threads: usize) -> u64 {
    let seconds = GPU_START + SPLITS.of(triangles as usize, threads);
    (seconds * RAYS_A_SECOND * threads.max(1) as f64) as u64
}

/// How many GPUs there are to try for so many rays: at least one.
///
/// # Errors
/// Why the CPU traces, and whether that is a loss: a GPU would have been worth its start, but it or its driver cannot be used.
pub(crate) fn gpus_for_rays(rays: u64, triangles: u64, threads: usize) -> Result<usize, (String, bool)> {
    let least = rays_worth_a_gpu(triangles, threads);
    if rays < least {
        return Err((format!("{rays} rays; a GPU is worth its start from {least} on"), false));
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
        assert_eq!(
            [0, 1, 2, 16].map(|threads| rays_worth_a_gpu(0, threads)),
            [1_500_000, 1_500_000, 3_000_000, 24_000_000]
        );
        // A million triangles take 1.25 s more on one thread, 0.3125 s on 16.
        assert_eq!(rays_worth_a_gpu(1_000_000, 1), 5_250_000);
        assert_eq!(rays_worth_a_gpu(1_000_000, 16), 39_000_000);
        assert!(rays_worth_a_gpu(u64::from(u32::MAX), 1024) < u64::MAX / 2);
    }

    #[test]
    fn few_rays_need_no_driver_to_be_the_cpus() {
        let (why, is_loss) = gpus_for_rays(1_499_999, 0, 1).unwrap_err();
        assert_eq!(why, "1499999 rays; a GPU is worth its start from 1500000 on");
        assert!(!is_loss);
    }
}
