//! Device `auto` of a render: GPUs where they can render what is asked for and it is worth their start, else the CPU.

use crate::prepared::{Prepared, check_memory_for_paths};
use raywarp_cuda::{CudaError, Device};
use raywarp_render::film::Window;
use raywarp_render::{Integrator, RenderOptions, engine_can};
use raywarp_render_cuda::{CudaRenderer, CudaRenderers, EngineOptions, RenderCudaError};
use raywarp_scene::Scene;

/// Samples that a thread of a CPU takes before a GPU has started. Starting one takes about half a second; sixteen cores
/// took 2.6 to 3.2 million samples a second in conference (docs/internals/path-tracer.md, "Waves that belong to a device"), a core some
/// 180,000.
pub const SAMPLES_A_THREAD: u64 = 100_000;
/// Samples that a GPU takes in the time in which another one would start, twice: what a second GPU saves of this many
/// is as much as its start costs. An H200 takes 161 to 779 million a second, by scene (docs/reference/performance.md, "Rendering").
pub const SAMPLES_A_GPU: u64 = 100_000_000;

/// How many samples take a core as long as one of a path: 12 of ambient occlusion and 24 of normals or distances in
/// conference, on one thread. A GPU is taken to be quicker with them by as much.
pub fn samples_a_path(integrator: Integrator) -> u64 {
    match integrator {
        Integrator::Path => 1,
        Integrator::AmbientOcclusion { .. } => 12,
        Integrator::Normal | Integrator::Depth | Integrator::Cost => 24,
    }
}

/// What renders, and why.
#[derive(Debug)]
pub struct AutoDevice {
    /// The GPUs; none where the CPU renders.
    pub engine: Option<CudaRenderers>,
    /// For people to read, without a full stop.
    pub reason: String,
    /// There is a GPU, and it would have been worth its start, but it cannot be used.
    pub is_loss: bool,
}

impl AutoDevice {
    fn cpu(reason: impl std::fmt::Display, is_loss: bool) -> Self {
        Self { engine: None, reason: format!("the CPU renders: {reason}"), is_loss }
    }
}

/// How many GPUs are worth their start for so many samples of paths in all, `threads` being those of the CPU: none below
/// [`SAMPLES_A_THREAD`] for each thread, else one for each [`SAMPLES_A_GPU`] begun.
pub fn gpus_for(samples: u64, threads: usize) -> usize {
    let least = SAMPLES_A_THREAD.saturating_mul(threads as u64);
    if samples < least { 0 } else { samples.div_ceil(SAMPLES_A_GPU).max(1) as usize }
}

/// GPUs that are worth being tried for a picture, before its scene is prepared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AutoPlan {
    samples: u64,
    pixels: usize,
    wanted: usize,
    count: usize,
}

impl AutoPlan {
    /// Decides whether a picture is one for GPUs. `engine` is how GPUs take paths; none where they would only trace.
    /// Samples are counted as if no stopping rule ended them before; of other integrators than path tracing as
    /// [`samples_a_path`] says.
    ///
    /// # Errors
    /// The CPU, with the reason.
    pub fn new(options: &RenderOptions, engine: Option<&EngineOptions>) -> Result<Self, AutoDevice> {
        engine_can(options).map_err(|error| AutoDevice::cpu(error, false))?;
        if engine.is_none() {
            return Err(AutoDevice::cpu("a GPU would only trace its rays, which is no faster", false));
        }
        let window = Window::new(options.size, options.crop).map_err(|error| AutoDevice::cpu(error, false))?;
        let pixels = window.pixel_count();
        let samples = (pixels as u64).saturating_mul(options.samples.len() as u64);
        let (threads, weight) = (rayon::current_num_threads(), samples_a_path(options.integrator));
        let wanted = gpus_for(samples / weight, threads);
        if wanted == 0 {
            let least = SAMPLES_A_THREAD.saturating_mul(threads as u64).saturating_mul(weight);
            let reason = format!("{samples} samples in all; a GPU is worth its start from {least} on");
            return Err(AutoDevice::cpu(reason, false));
        }
        match Device::count() {
            Ok(0) => Err(AutoDevice::cpu("there is no NVIDIA GPU", false)),
            Ok(count) => Ok(Self { samples, pixels, wanted, count }),
            Err(error) => Err(AutoDevice::cpu(&error, error != CudaError::NoDriver)),
        }
    }

    /// The same plan where this machine's memory has room for what GPUs need of `scene` beside what the CPU does; the CPU
    /// otherwise.
    ///
    /// # Errors
    /// Why the CPU renders.
    pub fn with_room_for(self, scene: &Scene) -> Result<Self, AutoDevice> {
        check_memory_for_paths(scene.triangle_count()).map_err(|error| AutoDevice::cpu(error, true))?;
        Ok(self)
    }

    /// How many GPUs are tried at first.
    pub fn gpus(&self) -> usize {
        self.wanted.min(self.count)
    }

    /// Puts the scene on GPUs, in the driver's order, as many as [`gpus_for`] says and there are; one that has no room
    /// for the scene and the picture, or fails, is left out. The CPU where all are: `prepared` serves that as well.
    pub fn open(self, prepared: &Prepared, options: &RenderOptions, engine: EngineOptions) -> AutoDevice {
        let Self { samples, pixels, wanted, count } = self;
        let (renderers, left_out) = match usable(prepared, options, engine, (wanted, count), pixels) {
            Ok(usable) => usable,
            Err(reason) => return AutoDevice::cpu(reason, true),
        };
        let left_out = left_out.join("; ");
        if renderers.is_empty() {
            return AutoDevice::cpu(left_out, true);
        }
        let names = renderers.iter().map(|renderer| {
            let device = renderer.device();
            format!("cuda:{} ({})", device.ordinal(), device.name())
        });
        let names = names.collect::<Vec<_>>().join(", ");
        let left_out = if left_out.is_empty() { left_out } else { format!("; not {left_out}") };
        let reason = format!("up to {samples} samples are rendered by {names}{left_out}");
        AutoDevice { engine: Some(CudaRenderers::new(renderers)), reason, is_loss: false }
    }
}

/// Renderers on the first `wanted` of `count` GPUs that can be used, and of each one that cannot the reason.
fn usable(
    prepared: &Prepared,
    options: &RenderOptions,
    engine: EngineOptions,
    (wanted, count): (usize, usize),
    pixels: usize,
) -> Result<(Vec<CudaRenderer>, Vec<String>), String> {
    let (mut renderers, mut left_out) = (Vec::<CudaRenderer>::new(), Vec::new());
    let mut next = 0;
    while renderers.len() < wanted && next < count {
        let ordinals = next..count.min(next + wanted - renderers.len());
        next = ordinals.end;
        let mut devices = Vec::new();
        for (ordinal, device) in ordinals.clone().zip(raywarp_cuda::side_by_side(ordinals, Device::open)) {
            match device {
                Ok(device) => devices.push(device),
                Err(error) => left_out.push(format!("cuda:{ordinal}: {error}")),
            }
        }
        if devices.is_empty() {
            continue;
        }
        let made =
            prepared.renderers_on(&devices, renderers.len(), engine, options).map_err(|error| error.to_string())?;
        for (device, renderer) in devices.iter().zip(made) {
            match renderer {
                Ok(renderer) => renderers.push(renderer),
                Err(error) => left_out.push(format!("cuda:{}: {error}", device.ordinal())),
            }
        }
        // The fewer there are the more each has to hold; so whoever is left out changes it for all others.
        while let Some((i, error)) = first_too_small(&renderers, options, pixels) {
            left_out.push(format!("cuda:{}: {error}", renderers.remove(i).device().ordinal()));
        }
    }
    Ok((renderers, left_out))
}

fn first_too_small(
    renderers: &[CudaRenderer],
    options: &RenderOptions,
    pixels: usize,
) -> Option<(usize, RenderCudaError)> {
    let share = pixels.div_ceil(renderers.len().max(1));
    let error = |renderer: &CudaRenderer| renderer.check_picture(options, share).err();
    renderers.iter().enumerate().find_map(|(i, renderer)| Some((i, error(renderer)?.into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_is_taken_where_the_cpu_would_not_be_done_before_its_start() {
        assert_eq!([0, 1, 1_599_999].map(|samples| gpus_for(samples, 16)), [0, 0, 0]);
        assert_eq!([1_600_000, 50_331_648, 100_000_000].map(|samples| gpus_for(samples, 16)), [1, 1, 1]);
        assert_eq!([100_000_001, 805_306_368].map(|samples| gpus_for(samples, 16)), [2, 9]);
        // Without an end in sight: all there are.
        assert!(gpus_for(u64::MAX, 16) > 1 << 30);
        // As many threads as samples of a second GPU.
        assert_eq!(gpus_for(200_000_000, 2_000), 2);
        assert_eq!(gpus_for(0, 0), 1);
    }

    #[test]
    fn what_a_gpu_cannot_render_or_is_too_small_for_it_goes_to_the_cpu_with_the_reason() {
        let endless = RenderOptions { samples: 0..u32::MAX, ..RenderOptions::default() };
        let small = RenderOptions { size: [32, 24], samples: 0..4, ..RenderOptions::default() };
        let costs = RenderOptions { integrator: Integrator::Cost, ..endless.clone() };
        let layers = RenderOptions { integrator: Integrator::Depth, features: true, ..endless.clone() };
        let threads = rayon::current_num_threads() as u32;
        let [occlusion, normal] = [Integrator::AmbientOcclusion { distance: 1.0 }, Integrator::Normal]
            .map(|integrator| RenderOptions { integrator, size: [1000, 100], samples: 0..threads, ..small.clone() });
        let [from_occlusion, from_normal] = [1_200_000, 2_400_000]
            .map(|least| format!("a GPU is worth its start from {} on", least * u64::from(threads)));
        let engine = Some(EngineOptions::default());
        for (options, engine, why) in [
            (&small, engine, "3072 samples in all; a GPU is worth its start from"),
            (&occlusion, engine, &*from_occlusion),
            (&normal, engine, &*from_normal),
            (&layers, engine, "layers beside normals and distances are shaded by the CPU"),
            (&costs, engine, "the cost integrator counts what the CPU's own tracer does"),
            (&endless, None, "would only trace its rays"),
        ] {
            let auto = AutoPlan::new(options, engine.as_ref()).unwrap_err();
            assert!(auto.engine.is_none() && !auto.is_loss, "{auto:?}");
            assert!(auto.reason.starts_with("the CPU renders: ") && auto.reason.contains(why), "{}", auto.reason);
        }
    }
}
