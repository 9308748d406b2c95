//! What renders a picture: the CPU, GPUs that take whole paths, or a GPU that traces rays for the CPU.

use super::render_args::RenderArgs;
use crate::common::Common;
use crate::device::{DeviceChoice, open};
use crate::exit::CliError;
use raywarp::AutoDevice;
use raywarp::AutoPlan;
use raywarp::CudaRenderers;
use raywarp::EngineOptions;
use raywarp::Gpu;
use raywarp::PathWork;
use raywarp::PrepareError;
use raywarp::Prepared;
use raywarp::TextureFilter;
use raywarp::cuda::Device;
use raywarp::cuda::auto::{Promise, RayKind};
use raywarp::render::{LensRecord, RenderOptions};
use raywarp::scene::{Camera, Scene};

/// Refuses texture units where no GPU is named that takes whole paths: nobody is to get another picture than the CPU's
/// because of a choice that was left to the program.
fn check_texture_units(args: &RenderArgs, common: &Common) -> Result<(), CliError> {
    let device = &common.device;
    if matches!(device, DeviceChoice::Cpu | DeviceChoice::Auto) {
        return Err(CliError::usage(format!(
            "--texture-filter hardware with --device {device}: it is for GPUs that are named, such as --device cuda"
        )));
    }
    if args.engine().is_none() {
        return Err(CliError::usage(
            "--texture-filter hardware: it is for GPUs that take whole paths; leave it out with --organisation rays, \
             --export-rays, --integrator cost, and for layers beside normals and distances",
        ));
    }
    Ok(())
}

/// The GPUs that were asked for.
pub enum Gpus {
    /// They take paths from the camera to the film; none of them where the CPU renders.
    Paths(Vec<Device>),
    /// It traces rays.
    Rays(Box<Gpu>),
    /// GPUs are asked for once it is known what there is to render: what is to be tried, or why the CPU renders.
    Auto(Option<Result<AutoPlan, AutoDevice>>),
}

/// GPUs that trace the rays of a scene that they do not take whole paths of, for `why`.
fn trace_instead(
    devices: Vec<Device>,
    common: &Common,
    prepared: &mut Prepared,
    name: &str,
    why: &PrepareError,
) -> Result<Gpu, CliError> {
    let device = &common.device;
    let mut devices = devices.into_iter();
    let Some(first) = devices.next() else { return Err(CliError::machine(why)) };
    let choice = common.choose(&first, Promise::Bits)?;
    let gpu = Gpu::chosen(first, &choice, RayKind::Incoherent).with_others(devices.collect());
    prepared.trace_on(&gpu).map_err(|error| CliError::prepare(name, error))?;
    common.note(match prepared.instead().filter(|_| prepared.is_left_to_cpu()) {
        Some(instead) => format!("--device {device}: {why}; {instead}"),
        None => {
            format!("--device {device}: {why}; so GPUs trace its rays, and the CPU shades: the same picture, slower")
        }
    });
    Ok(gpu)
}

impl Gpus {
    /// Opens what `--device` names.
    pub fn open(args: &RenderArgs, common: &Common) -> Result<Self, CliError> {
        if args.texture_filter() == TextureFilter::Hardware {
            check_texture_units(args, common)?;
        }
        if common.device == DeviceChoice::Auto {
            return Ok(Self::Auto(None));
        }
        if args.shows_cost() && common.device != DeviceChoice::Cpu {
            let device = &common.device;
            return Err(CliError::usage(format!(
                "--device {device}: --integrator cost counts what the CPU's own tracer does; --device cpu renders it"
            )));
        }
        let mut devices = open(&common.device)?;
        if args.engine().is_some() {
            return Ok(Self::Paths(devices));
        }
        if devices.len() > 1 {
            let device = &common.device;
            return Err(CliError::usage(format!(
                "--device {device}: several GPUs only take whole paths; with --organisation rays or --export-rays, \
                 and for layers beside normals and distances, name one"
            )));
        }
        let Some(device) = devices.pop() else { return Ok(Self::Paths(devices)) };
        // Kernels whose hits have the bits of the CPU's, so that pictures are the same. Most rays are scattered ones.
        let choice = common.choose(&device, Promise::Bits)?;
        Ok(Self::Rays(Box::new(Gpu::chosen(device, &choice, RayKind::Incoherent))))
    }

    /// What renders a scene without a triangle: the CPU, since there is nothing to trace.
    pub fn without_triangles(self, common: &Common) -> Self {
        if !matches!(common.device, DeviceChoice::Cpu | DeviceChoice::Auto) {
            common.note(format!("--device {}: the scene has no triangles to trace, so the CPU renders", common.device));
        }
        Self::Paths(Vec::new())
    }

    /// The one that traces rays for the CPU, if one does.
    pub fn tracer(&self) -> Option<Gpu> {
        match self {
            Self::Rays(gpu) => Some((**gpu).clone()),
            Self::Paths(_) | Self::Auto(_) => None,
        }
    }

    /// What GPUs that take paths as a whole have to do for a picture of `scene` with `options`, if such are meant.
    pub fn work(&mut self, args: &RenderArgs, scene: &Scene, options: &RenderOptions) -> Option<PathWork> {
        let gpus = match self {
            Self::Paths(devices) => devices.len(),
            Self::Rays(_) => 0,
            Self::Auto(plan) => {
                let plan = plan
                    .insert(AutoPlan::new(options, args.engine().as_ref()).and_then(|plan| plan.with_room_for(scene)));
                plan.as_ref().map_or(0, AutoPlan::gpus)
            }
        };
        (gpus > 0).then(|| PathWork::new(options, gpus))
    }

    /// What takes paths as a whole, if GPUs do: the scene `name` is put there. Says what renders.
    pub fn engine(
        &mut self,
        args: &RenderArgs,
        common: &Common,
        prepared: &mut Prepared,
        name: &str,
        camera: &Camera,
        options: &RenderOptions,
    ) -> Result<Option<CudaRenderers>, CliError> {
        let farthest_origin = LensRecord::new(camera, options.size).farthest_origin();
        let engine = args.engine().map(|engine| EngineOptions { farthest_origin, ..engine });
        let engine = match (&mut *self, engine) {
            (Self::Paths(devices), Some(engine)) if !devices.is_empty() => {
                match prepared.paths_on(devices, engine, options) {
                    Ok(engine) => Some(engine),
                    // Texture units would make another picture than the CPU, which shades then.
                    Err(error) if error.is_limit() && args.texture_filter() != TextureFilter::Hardware => {
                        let devices = std::mem::take(devices);
                        let gpu = trace_instead(devices, common, prepared, name, &error)?;
                        // Said already where the CPU traces.
                        match prepared.is_left_to_cpu() {
                            true => return Ok(None),
                            false => *self = Self::Rays(Box::new(gpu)),
                        }
                        None
                    }
                    Err(error) => return Err(CliError::prepare(name, error)),
                }
            }
            (Self::Auto(plan), engine) => {
                let plan = plan.take().unwrap_or_else(|| AutoPlan::new(options, engine.as_ref()));
                let auto = plan.map_or_else(|cpu| cpu, |plan| plan.open(prepared, options, engine.unwrap_or_default()));
                let line = format!("--device auto: {}", auto.reason);
                if auto.is_loss {
                    common.note(line);
                } else {
                    common.detail(line);
                }
                auto.engine
            }
            _ => None,
        };
        if let Some(instead) = prepared.instead() {
            common.note(instead);
        }
        if prepared.is_left_to_cpu() {
            *self = Self::Paths(Vec::new());
        }
        // Asks the driver, and so only for those who want to know.
        for renderer in engine.iter().filter(|_| common.verbose).flat_map(CudaRenderers::renderers) {
            common.detail(renderer.memory(options));
            let foretold = renderer.roofline(options).and_then(|roofline| roofline.vertex_line());
            if let Some(line) = foretold {
                common.detail(format!("cuda:{}: {line}", renderer.device().ordinal()));
            }
        }
        Ok(engine)
    }

    /// What renders, for programs to read.
    pub fn names(&self, engine: Option<&CudaRenderers>) -> Vec<String> {
        let name = |device: &Device| format!("cuda:{}", device.ordinal());
        match (self, engine) {
            (_, Some(engine)) => engine.renderers().iter().map(|renderer| name(renderer.device())).collect(),
            (Self::Rays(gpu), None) => gpu.devices().map(name).chain(["cpu".into()]).collect(),
            (_, None) => vec!["cpu".into()],
        }
    }
}
