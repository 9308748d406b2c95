//! `raywarp bench SCENE...`: how fast kernels are here, and whether their hits are right.

mod args;
mod outputs;
mod paths;
mod peers;
mod place;
mod rays;
mod simulated;

pub use crate::command::bench::args::BenchArgs;
use crate::command::bench::place::{Place, failure, name_scenes};
use crate::common::{Common, command_line};
use crate::exit::{CliError, Status};
use crate::interrupt;
use crate::interrupted_table;
use crate::options::views::name_inputs;
use crate::progress::Steps;
use crate::replace;
use raywarp::cuda::auto::{BatchKind, Promise};
use raywarp::device::{Plan, Reason};
use raywarp::trace::npy::{RayFile, write_rays_of_scene};
use raywarp::{Ray, system};
use raywarp_lab::bench::{BenchRequest, LEGEND, MachineFacts, RaySet, RaySource, SceneReport, Target, Watch};
use raywarp_lab::bench::{bench_scene, csv, json, record, summary, text};
use raywarp_lab::study::measured::MeasuredReport;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Runs the command.
pub fn run(args: &BenchArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    if let Some(suite) = args.path_suite() {
        return paths::run(suite, args, common, out);
    }
    if args.paths.are_named() {
        return Err(CliError::usage(
            "light, materials, lens, last connections, roulette and --tables are for --suite w11 and l9; leave them out",
        ));
    }
    if args.peers.are_named() {
        return peers::run(args, common, out);
    }
    let scenes = name_scenes(args, common)?;
    name_inputs(common, args.view.as_deref())?;
    rays::check(args, common)?;
    outputs::check(args, common)?;
    let (sets, rays): (Vec<RaySet>, Vec<RayFile>) = rays::read_all(args, common)?.into_iter().unzip();
    let target = target(common)?;
    if args.has_bounds() && !target.is_gpu() {
        return Err(CliError::machine("--block-threads and --max-registers are for kernels on a GPU"));
    }
    let simulated_machine = simulated::machine(args, &target, common)?;
    let machine = MachineFacts::read(&target);
    common.note(machine.line());
    let auto = match &target {
        Target::Cuda(device) if args.has_auto() => {
            let choice = common.choose(device, Promise::Bits)?;
            BatchKind::ALL.map(|kind| choice.of(kind).variant).to_vec()
        }
        Target::Cpu if args.has_auto() => return Err(crate::options::variant::auto_needs_gpu()),
        _ => Vec::new(),
    };
    let request = args.request(&target, &auto, &sets);
    let mut rays = Some(rays).filter(|rays| !rays.is_empty());
    let mut reports: Vec<SceneReport> = Vec::new();
    let mut measured_scenes: Vec<PathBuf> = Vec::new();
    let mut outcome = Ok(());
    for scene in &scenes {
        let mut report = None;
        outcome = measure(args, common, scene, rays.take(), (&target, &request), &mut report);
        if let Some(report) = report.filter(|report| !report.rows.is_empty() || !report.skipped.is_empty()) {
            if !common.json && args.top.is_none() {
                if reports.is_empty() {
                    writeln!(out, "{LEGEND}")?;
                }
                writeln!(out, "{}", text(&report, common.room()))?;
                out.flush()?;
            }
            reports.push(report);
            measured_scenes.push(scene.clone());
            // After each scene, so that a run that is cut short leaves what it has.
            save(args, &reports, &machine)?;
            leave(args, common, &reports, &machine);
        }
        if outcome.is_err() || interrupt::is_interrupted() {
            break;
        }
    }
    let measured = reports.iter().any(|report| !report.rows.is_empty());
    if measured && interrupt::is_interrupted() && !common.json {
        writeln!(out, "{}", interrupted_table::MARK)?;
    }
    if measured && !common.json {
        write!(out, "{}", summary(&reports, args.top.map(|top| top as usize), common.room()))?;
    }
    // After all that is measured: this CPU is busy then.
    let mut simulated = Vec::new();
    let mut simulation = Ok(());
    if let Some(of) = simulated_machine.as_ref().filter(|_| outcome.is_ok() && !interrupt::is_interrupted()) {
        if !common.json {
            interrupt::leave(String::new(), "what was measured was printed");
        }
        let what = (args, &request, of);
        simulation = simulated::run(what, &measured_scenes, &reports, &mut simulated, common, out);
    }
    if measured && common.json {
        let mut document = json(&reports, &machine, &command_line());
        document["interrupted"] = interrupt::is_interrupted().into();
        common.describe_scenes(&mut document);
        if args.simulate {
            document["simulated"] = simulated.iter().map(|one| one.document().json()).collect();
        }
        writeln!(out, "{document:#}")?;
    }
    outcome?;
    simulation?;
    if interrupt::is_interrupted() {
        return Ok(Status::Interrupted);
    }
    if !measured {
        return Err(CliError::machine("nothing was measured: this machine runs none of these kernels"));
    }
    let passes = reports.iter().all(SceneReport::passes) && simulated.iter().all(MeasuredReport::passes);
    Ok(if passes { Status::Done } else { Status::Failed })
}

/// Returns the processor that is measured. Says so where it is the CPU because no GPU can be opened.
fn target(common: &Common) -> Result<Target, CliError> {
    let failed = |error| CliError::machine(format!("--device {}: {error}", common.device));
    let plan = Plan::for_measuring(&common.device).map_err(failed)?;
    if let Reason::NoneUsable(gpus) = &plan.reason {
        gpus.iter().for_each(|gpu| common.note(format!("{}; going on with the CPU", gpu.cause)));
    }
    Ok(plan.gpus().first().map_or(Target::Cpu, |device| Target::Cuda(device.clone())))
}

fn measure(
    args: &BenchArgs,
    common: &Common,
    scene: &Path,
    rays: Option<Vec<RayFile>>,
    (target, request): (&Target, &BenchRequest),
    report: &mut Option<SceneReport>,
) -> Result<(), CliError> {
    let Place { loaded, path, name, views } = Place::find(args, common, scene)?;
    let (numbers, views): (Vec<_>, Vec<_>) = views.into_iter().unzip();
    let (numbers, source) = match rays {
        Some(files) => (Vec::new(), RaySource::Lists(rays::relative_to(files, loaded.scene.origin))),
        None => (numbers, RaySource::Views(&views)),
    };
    let report = report.insert(SceneReport::new(&name, target, numbers, request));
    let say = |line: String| common.note(line);
    let origin = loaded.scene.origin;
    let export = |file: &str, rays: &[Ray]| -> Result<(), String> {
        let Some(folder) = &args.export_rays else { return Ok(()) };
        let path = folder.join(format!("{file}.npy"));
        common.files.writes(&path).map_err(|error| error.to_string())?;
        replace::can_write(&path, &replace::NPY).map_err(|error| error.to_string())?;
        system::write_atomic(&path, &write_rays_of_scene(rays, origin)).map_err(|error| error.to_string())
    };
    let doing = format!("measuring {name}");
    let _doing = interrupt::doing(&doing);
    let steps = Steps::new(common.quiet, doing, "kernels", 0);
    let keep = interrupt::Keep::later("what was measured will be printed");
    let progress = |done: usize, all: usize| {
        keep.begin();
        steps.set(done as u64, all as u64);
    };
    let watch = Watch {
        cancel: Some(interrupt::flag()),
        say: Some(&say),
        progress: Some(&progress),
        export: args.export_rays.is_some().then_some(&export as _),
    };
    match bench_scene(target, loaded.scene, source, request, &watch, report) {
        // What is in the report is printed.
        Err(error) if error.is_cancelled() => Ok(()),
        other => other.map_err(|error| failure(error, &path)),
    }
}

/// Leaves what was measured of the scenes so far to whoever interrupts before the next has anything.
fn leave(args: &BenchArgs, common: &Common, reports: &[SceneReport], machine: &MachineFacts) {
    let text = summary(reports, args.top.map(|top| top as usize), common.room());
    interrupted_table::leave((text, json(reports, machine, &command_line())), common);
}

/// Writes the files that were asked for.
fn save(args: &BenchArgs, reports: &[SceneReport], machine: &MachineFacts) -> Result<(), CliError> {
    let write = |path: &Path, text: &str| system::write_atomic(path, text.as_bytes()).map_err(CliError::output);
    if let Some(file) = &args.csv {
        write(file, &csv(reports))?;
    }
    if let Some(folder) = &args.record {
        for (name, text) in record::files(reports, machine, &command_line()) {
            write(&folder.join(name), &text)?;
        }
    }
    Ok(())
}
