//! Choice of what renders a picture: the CPU, GPUs that take whole paths, or a GPU that traces rays for the CPU.

use crate::command::render::args::RenderArgs;
use crate::common::Common;
use crate::device::DeviceChoice;
use crate::exit::CliError;
use crate::plan_words;
use raywarp::cuda::Device;
use raywarp::cuda::auto::{BatchKind, Promise};
use raywarp::device::{Plan, PlanReason, PlannedKernels, RayKernels};
use raywarp::render::gpu::{CudaRenderers, TextureFilter};
use raywarp::render::{JobError, RenderJob, SettledJob};

/// Refuses `--texture-filter hardware` unless a GPU that traces whole paths is named, so that an automatic choice never
/// changes the picture.
fn check_texture_units(job: &RenderJob, device: &DeviceChoice) -> Result<(), CliError> {
    if matches!(device, DeviceChoice::Cpu | DeviceChoice::Auto) {
        return Err(CliError::usage(format!(
            "--texture-filter hardware with --device {device}: it is for GPUs that are named, such as --device cuda"
        )));
    }
    if job.whole_paths().is_none() {
        return Err(CliError::usage(
            "--texture-filter hardware: it is for GPUs that take whole paths; leave it out with --organisation rays, \
             --export-rays, --integrator cost, and for layers beside normals and distances",
        ));
    }
    Ok(())
}

/// Returns the fastest ray-tracing kernels of a GPU with the CPU's bits, so that pictures are the same. Most rays of a
/// picture are scattered ones.
fn ray_kernels(common: &Common, device: &Device) -> Result<RayKernels, CliError> {
    Ok(RayKernels::chosen(&common.choose(device, Promise::Bits)?, BatchKind::Incoherent))
}

/// Opens the GPUs that `--device` names.
pub fn open(job: &mut RenderJob, args: &RenderArgs, common: &Common) -> Result<(), CliError> {
    let device = &common.device;
    if args.texture_filter() == TextureFilter::Hardware {
        check_texture_units(job, device)?;
    }
    let alone = args.organisation_alone();
    if args.shows_cost() && !matches!(device, DeviceChoice::Cpu | DeviceChoice::Auto) {
        let (named, instead) = match alone {
            Some(organisation) => (organisation, "leave it out"),
            None => (format!("--device {device}"), "--device cpu renders it"),
        };
        return Err(CliError::usage(format!(
            "{named}: --integrator cost counts what the CPU's own tracer does; {instead}"
        )));
    }
    job.open_with(|device| Ok(ray_kernels(common, device)?)).map_err(|error| match (error, alone) {
        (JobError::Device { error, .. }, Some(organisation)) => CliError::machine(format!(
            "{organisation} needs a GPU: {error}; leave it out, and the CPU renders the same picture"
        )),
        (error, _) => CliError::job(error),
    })
}

/// Puts the scene on GPUs if they are to trace whole paths of the picture, and prints what renders.
pub fn place(settled: &mut SettledJob, common: &Common) -> Result<(), CliError> {
    settled.place_with(|device| Ok(ray_kernels(common, device)?)).map_err(CliError::job)?;
    say_plan(&settled.prepared.plan(), common);
    let Some(engine) = settled.engine() else { return Ok(()) };
    say_engine(engine, settled, common);
    let own = settled.prepared.late_tracer_time().map_or_else(String::new, |time| {
        format!("; the CPU's tree, for a small picture before, took {:.2} s", time.as_secs_f64())
    });
    common.detail(format!("encoded and uploaded in {:.2} s{own}", settled.times.place.as_secs_f64()));
    Ok(())
}

/// Prints which device renders and why, where that is not what was asked for.
fn say_plan(plan: &Plan, common: &Common) {
    let device = &common.device;
    let instead = plan_words::instead(plan);
    match (&plan.reason, &instead) {
        (PlanReason::NoWholePaths(why), _) => common.note(format!(
            "--device {device}: {why}; so GPUs trace its rays, and the CPU shades: the same picture, slower"
        )),
        (PlanReason::NoPathsNorRays { paths, .. }, Some(instead)) => {
            common.note(format!("--device {device}: {paths}; {instead}"));
            return;
        }
        (PlanReason::NoTriangles, _) => {}
        (reason, _) if *device == DeviceChoice::Auto => {
            let line = format!("--device auto: {}", plan_words::of_render(plan));
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
}

/// Prints the GPU memory that the scene takes, and the predicted rendering time. Asks the driver, and so only for those
/// who want to know.
fn say_engine(engine: &CudaRenderers, settled: &SettledJob, common: &Common) {
    let options = &settled.picture.options;
    for renderer in engine.renderers().iter().filter(|_| common.verbose) {
        common.detail(renderer.memory(options));
        let foretold = renderer.roofline(options).and_then(|roofline| roofline.vertex_line());
        if let Some(line) = foretold {
            common.detail(format!("cuda:{}: {line}", renderer.device().ordinal()));
        }
    }
}

/// Returns the identifiers of the devices that render, for JSON output.
pub fn device_names(plan: &Plan) -> Vec<String> {
    let gpus = plan.gpus().iter().map(|device| format!("cuda:{}", device.ordinal()));
    match &plan.kernels {
        PlannedKernels::Paths(_) => gpus.collect(),
        PlannedKernels::Rays(_) => gpus.chain(["cpu".into()]).collect(),
        _ => vec!["cpu".into()],
    }
}
