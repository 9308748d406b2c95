//! Choice of what renders a picture: the CPU, GPUs that take whole paths, or a GPU that traces rays for the CPU.

use crate::command::render::args::RenderArgs;
use crate::common::Common;
use crate::device::{DeviceChoice, open};
use crate::exit::CliError;
use crate::plan_words;
use raywarp::cuda::Device;
use raywarp::cuda::auto::{BatchKind, Promise};
use raywarp::device::{PictureWork, PlaceError, Plan, PlannedKernels, RayKernels, Reason};
use raywarp::render::gpu::{CudaRenderers, TextureFilter};
use raywarp::render::{Picture, Prepared, RenderOptions};
use raywarp::scene::Description;

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

/// The GPUs that were asked for, before there is anything to render.
pub enum Gpus {
    /// GPUs that were named; none where the CPU was. The kernels are those that trace rays for the CPU.
    Named(Vec<Device>, Option<RayKernels>),
    /// GPUs that are worth their start.
    Auto,
}

/// Returns the fastest kernels of a GPU whose hits have the bits of the CPU's, so that pictures are the same. Most rays
/// of a picture are scattered ones.
fn ray_kernels(common: &Common, device: &Device) -> Result<RayKernels, CliError> {
    Ok(RayKernels::chosen(&common.choose(device, Promise::Bits)?, BatchKind::Incoherent))
}

impl Gpus {
    /// Opens what `--device` names.
    pub fn open(args: &RenderArgs, common: &Common) -> Result<Self, CliError> {
        if args.texture_filter() == TextureFilter::Hardware {
            check_texture_units(args, common)?;
        }
        if common.device == DeviceChoice::Auto {
            return Ok(Self::Auto);
        }
        if args.shows_cost() && common.device != DeviceChoice::Cpu {
            let device = &common.device;
            return Err(CliError::usage(format!(
                "--device {device}: --integrator cost counts what the CPU's own tracer does; --device cpu renders it"
            )));
        }
        let devices = open(&common.device)?;
        if args.engine().is_some() {
            return Ok(Self::Named(devices, None));
        }
        if devices.len() > 1 {
            let device = &common.device;
            return Err(CliError::usage(format!(
                "--device {device}: several GPUs only take whole paths; with --organisation rays or --export-rays, \
                 and for layers beside normals and distances, name one"
            )));
        }
        let kernels = devices.first().map(|device| ray_kernels(common, device)).transpose()?;
        Ok(Self::Named(devices, kernels))
    }

    /// Decides what renders a picture of `scene` with `options`. Says so where that is the CPU although GPUs are named.
    pub fn plan(self, args: &RenderArgs, common: &Common, scene: &Description, options: &RenderOptions) -> Plan {
        let engine = args.engine();
        let work = PictureWork { options, engine: engine.as_ref(), triangles: scene.triangle_count() };
        match self {
            Self::Auto => Plan::for_picture(&work),
            Self::Named(devices, kernels) => {
                let plan = Plan::picture_on(devices, kernels, &work);
                if matches!(plan.reason, Reason::NoTriangles) {
                    common.note(format!(
                        "--device {}: {}, so the CPU renders",
                        common.device,
                        plan_words::why(&plan.reason)
                    ));
                }
                plan
            }
        }
    }
}

/// Puts the scene `name` on the GPUs that take whole paths of the picture, if some do, and says who renders.
pub fn place(
    common: &Common,
    prepared: &mut Prepared,
    name: &str,
    picture: &Picture,
) -> Result<Option<CudaRenderers>, CliError> {
    let placed = prepared.place(&picture.options, &picture.camera, |device| ray_kernels(common, device));
    let engine = placed.map_err(|error| match error {
        PlaceError::Prepare(error) => CliError::prepare(name, error),
        PlaceError::Kernels(error) => error,
    })?;
    let (plan, device) = (prepared.plan(), &common.device);
    let instead = plan_words::instead(&plan);
    match (&plan.reason, &instead) {
        (Reason::NoWholePaths(why), _) => common.note(format!(
            "--device {device}: {why}; so GPUs trace its rays, and the CPU shades: the same picture, slower"
        )),
        (Reason::NoPathsNorRays { paths, .. }, Some(instead)) => {
            common.note(format!("--device {device}: {paths}; {instead}"));
            return Ok(None);
        }
        (Reason::NoTriangles, _) => {}
        (reason, _) if *device == DeviceChoice::Auto => {
            let line = format!("--device auto: {}", plan_words::of_render(&plan));
            if reason.is_loss() {
                common.note(line);
            } else {
                common.detail(line);
            }
        }
        _ => {}
    }
    if let Some(instead) = instead {
        common.note(instead);
    }
    // Asks the driver, and so only for those who want to know.
    for renderer in engine.iter().filter(|_| common.verbose).flat_map(CudaRenderers::renderers) {
        common.detail(renderer.memory(&picture.options));
        let foretold = renderer.roofline(&picture.options).and_then(|roofline| roofline.vertex_line());
        if let Some(line) = foretold {
            common.detail(format!("cuda:{}: {line}", renderer.device().ordinal()));
        }
    }
    Ok(engine)
}

/// Returns the names of the devices that render, for programs to read.
pub fn device_names(plan: &Plan) -> Vec<String> {
    let gpus = plan.gpus().iter().map(|device| format!("cuda:{}", device.ordinal()));
    match &plan.kernels {
        PlannedKernels::Paths(_) => gpus.collect(),
        PlannedKernels::Rays(_) => gpus.chain(["cpu".into()]).collect(),
        _ => vec!["cpu".into()],
    }
}
