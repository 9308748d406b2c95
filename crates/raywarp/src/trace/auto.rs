//! A scene that answers rays on a GPU where that is worth it, else on this CPU.

use super::{Engine, TraceOptions, TraceScene, TraceSceneError};
use crate::auto_rays::{device_name, gpus_for_rays};
use crate::gpu::Gpu;
use crate::prepared::PrepareError;
use raywarp_bvh::{BuildOptions, presets};
use raywarp_cuda::Device;
use raywarp_scene::Scene;

/// What was chosen, and why.
pub struct AutoTrace {
    /// The scene.
    pub scene: TraceScene,
    /// For people to read, without a full stop.
    pub reason: String,
    /// There is a GPU, and it would have been worth its start, but it cannot be used.
    pub is_loss: bool,
}

impl AutoTrace {
    /// Puts `scene` on the first GPU, in the driver's order, that can be used, if it is worth its start for so many `rays`
    /// ([`crate::rays_worth_a_gpu`]), and else on this CPU. `build` is the tree where one is asked for; otherwise a GPU walks
    /// [`presets::GPU`]. `kernels` chooses those of a GPU; why it cannot is said as of one that fails.
    ///
    /// # Errors
    /// [`TraceSceneError`] for what is no GPU's fault.
    /// # Panics
    /// If the scene does not pass [`raywarp_scene::validate`].
    pub fn new(
        scene: &Scene,
        rays: u64,
        build: Option<BuildOptions>,
        mut kernels: impl FnMut(Device) -> Result<Gpu, String>,
    ) -> Result<Self, TraceSceneError> {
        let cpu = |reason: String, is_loss| {
            let options = TraceOptions { build: build.unwrap_or_default(), ..TraceOptions::default() };
            let reason = format!("the CPU traces: {reason}");
            Ok(Self { scene: TraceScene::new(scene, &options)?, reason, is_loss })
        };
        let count = match gpus_for_rays(rays, scene.triangle_count(), rayon::current_num_threads()) {
            Ok(count) => count,
            Err((reason, is_loss)) => return cpu(reason, is_loss),
        };
        let mut left_out = Vec::new();
        for ordinal in 0..count {
            let gpu = Device::open(ordinal).map_err(|error| error.to_string()).and_then(&mut kernels);
            let gpu = match gpu {
                Ok(gpu) => gpu,
                Err(error) => {
                    left_out.push(format!("cuda:{ordinal}: {error}"));
                    continue;
                }
            };
            let name = device_name(&gpu.device);
            let build = build.unwrap_or(presets::GPU);
            match TraceScene::new(scene, &TraceOptions { build, engine: Engine::Gpu, gpu: Some(gpu) }) {
                // It would be so on every other.
                Ok(scene) if scene.devices().is_empty() => {
                    let reason = "the CPU traces: no kernel of a GPU holds the scene".into();
                    return Ok(Self { scene, reason, is_loss: false });
                }
                Ok(scene) => {
                    let left_out = left_out.iter().map(|why| format!("; not {why}")).collect::<String>();
                    let reason = format!("{rays} rays are traced by {name}{left_out}");
                    return Ok(Self { scene, reason, is_loss: false });
                }
                Err(TraceSceneError::Prepare(PrepareError::Cuda(error))) => {
                    left_out.push(format!("cuda:{ordinal}: {error}"));
                }
                Err(error) => return Err(error),
            }
        }
        cpu(left_out.join("; "), true)
    }
}
