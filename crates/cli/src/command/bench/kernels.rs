//! `raywarp bench SCENE...`: kernels on scenes, one scene after the other.

use crate::command::bench::args::BenchArgs;
use crate::command::bench::place::{Place, failure, name_scenes};
use crate::command::bench::{outputs, rays, simulated};
use crate::common::{Common, command_line};
use crate::exit::{CliError, Status};
use crate::flags;
use crate::interrupt;
use crate::interrupted_table;
use crate::options::views::name_inputs;
use crate::progress::{Steps, duration};
use crate::replace;
use raywarp::cuda::auto::{BatchKind, Promise};
use raywarp::device::{Plan, PlanReason};
use raywarp::trace::npy::{RayFile, write_rays_of_scene};
use raywarp::{Ray, Variant, system};
use raywarp_lab::bench::{BenchRequest, BenchWatch, LEGEND, MachineFacts, RaySet, RaySource, SceneReport, Target};
use raywarp_lab::bench::{bench_scene, csv, document, record};
use raywarp_lab::report::Document;
use raywarp_lab::sim::machine::Machine;
use raywarp_lab::study::measured::MeasuredReport;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Seconds of emulation from which on they are said before it begins.
const LEAST_SECONDS: f64 = 60.0;
/// Seconds of emulation above which a paper's suite is refused.
const MOST_SECONDS: f64 = 3600.0;

/// Runs the command `bench` on kernels.
pub fn run(args: &BenchArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let scenes = name_scenes(args, common)?;
    name_inputs(common, args.view.as_deref())?;
    rays::check(args, common)?;
    outputs::check(args, common)?;
    let (sets, rays): (Vec<RaySet>, Vec<RayFile>) = rays::read_all(args, common)?.into_iter().unzip();
    let target = target(common)?;
    if args.has_bounds() && !target.is_gpu() {
        return Err(CliError::machine("--block-threads and --max-registers are for kernels on a GPU"));
    }
    let simulated = simulated::machine(args, &target, common)?;
    let mut session = Session::new(args, common, target, &sets)?;
    session.measure_all(&scenes, rays, out)?;
    session.summarize(out)?;
    // After all that is measured: this CPU is busy then.
    if let Some(machine) = &simulated {
        session.simulate(machine, out);
    }
    session.print_json(out)?;
    session.status()
}

/// Returns the processor to measure: the CPU or a GPU. Says so where it is the CPU because no GPU can be opened.
fn target(common: &Common) -> Result<Target, CliError> {
    let failed = |error| CliError::machine(format!("--device {}: {error}", common.device));
    let plan = Plan::for_measuring(&common.device).map_err(failed)?;
    if let PlanReason::NoneUsable(gpus) = &plan.reason {
        gpus.iter().for_each(|gpu| common.note(format!("{}; going on with the CPU", gpu.cause)));
    }
    Ok(plan.gpus().first().map_or(Target::Cpu, |device| Target::Cuda(device.clone())))
}

/// Returns the kernels that `--variant auto` stands for, if it is given.
fn auto_kernels(args: &BenchArgs, common: &Common, target: &Target) -> Result<Vec<Variant>, CliError> {
    match target {
        Target::Cuda(device) if args.has_auto() => {
            let choice = common.choose(device, Promise::Bits)?;
            Ok(BatchKind::ALL.map(|kind| choice.of(kind).variant).to_vec())
        }
        Target::Cpu if args.has_auto() => Err(crate::options::variant::auto_needs_gpu()),
        _ => Ok(Vec::new()),
    }
}

/// Measurement of kernels on scenes, with the results so far.
struct Session<'a> {
    args: &'a BenchArgs,
    common: &'a Common,
    target: Target,
    machine: MachineFacts,
    request: BenchRequest,
    /// Scenes measured so far, with a report for each.
    scenes: Vec<PathBuf>,
    reports: Vec<SceneReport>,
    /// Error because of which the measurement ended at a scene.
    outcome: Result<(), CliError>,
    simulated: Vec<MeasuredReport>,
    /// Error because of which the simulation ended.
    simulation: Result<(), CliError>,
}

impl<'a> Session<'a> {
    fn new(args: &'a BenchArgs, common: &'a Common, target: Target, sets: &[RaySet]) -> Result<Self, CliError> {
        let commit = crate::version::COMMIT.map(str::to_string);
        let machine = MachineFacts { commit, ..MachineFacts::read(&target) };
        common.note(machine.line());
        let auto = auto_kernels(args, common, &target)?;
        let request = args.request(&target, &auto, sets);
        let (scenes, reports, simulated) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self {
            args,
            common,
            target,
            machine,
            request,
            scenes,
            reports,
            outcome: Ok(()),
            simulated,
            simulation: Ok(()),
        })
    }

    /// Measures scene after scene, and prints and saves each result at once; rays from files are for the first scene.
    fn measure_all(&mut self, scenes: &[PathBuf], rays: Vec<RayFile>, out: &mut dyn Write) -> Result<(), CliError> {
        let mut rays = Some(rays).filter(|rays| !rays.is_empty());
        for scene in scenes {
            let mut report = None;
            self.outcome = self.measure(scene, rays.take(), &mut report);
            if let Some(report) = report.filter(|report| !report.rows.is_empty() || !report.skipped.is_empty()) {
                self.print(&report, out)?;
                self.reports.push(report);
                self.scenes.push(scene.clone());
                // After each scene, so that a run that is cut short leaves what it has.
                self.save()?;
                interrupted_table::leave(&self.document(), self.common);
            }
            if self.outcome.is_err() || interrupt::is_interrupted() {
                break;
            }
        }
        Ok(())
    }

    fn measure(
        &self,
        scene: &Path,
        rays: Option<Vec<RayFile>>,
        report: &mut Option<SceneReport>,
    ) -> Result<(), CliError> {
        let common = self.common;
        let Place { loaded, path, name, views } = Place::find(self.args, common, scene)?;
        self.say_time(&name, views.len())?;
        let (numbers, views): (Vec<_>, Vec<_>) = views.into_iter().unzip();
        let (numbers, source) = match rays {
            Some(files) => (Vec::new(), RaySource::Lists(rays::relative_to(files, loaded.scene.origin))),
            None => (numbers, RaySource::Views(&views)),
        };
        let report = report.insert(SceneReport::new(&name, &self.target, numbers, &self.request));
        report.commit = self.machine.commit.clone();
        let say = |line: String| common.note(line);
        let origin = loaded.scene.origin;
        let export = |file: &str, rays: &[Ray]| self.export(file, rays, origin);
        let doing = format!("measuring {name}");
        let _doing = interrupt::doing(&doing);
        let steps = Steps::new(common.quiet, doing, "kernels", 0);
        let keep = interrupt::Keep::later("what was measured will be printed");
        let progress = |done: usize, all: usize| {
            keep.begin();
            steps.set(done as u64, all as u64);
        };
        let watch = BenchWatch {
            cancel: Some(interrupt::flag()),
            say: Some(&say),
            progress: Some(&progress),
            export: self.args.export_rays.is_some().then_some(&export as _),
        };
        match bench_scene(&self.target, loaded.scene, source, &self.request, &watch, report) {
            // What is in the report is printed.
            Err(error) if error.is_cancelled() => Ok(()),
            other => other.map_err(|error| failure(error, &path)),
        }
    }

    /// Says how long a CPU will take to emulate kernels on a scene, and refuses a paper's suite that takes hours.
    fn say_time(&self, scene: &str, views: usize) -> Result<(), CliError> {
        if self.target.is_gpu() {
            return Ok(());
        }
        let seconds = self.request.emulation_seconds(views, self.common.worker_threads());
        let length = format!("about {}", duration(seconds));
        match self.args.paper_suite() {
            Some(suite) if seconds > MOST_SECONDS => Err(CliError::usage(format!(
                "{scene}: --suite {suite} takes {length} on this CPU, which emulates its kernels; `raywarp paper` has its \
                 numbers, or make it smaller, such as --views 1 --rays-per-pixel 1 --runs 1 --size 320x240"
            ))),
            _ => {
                if seconds > LEAST_SECONDS {
                    self.common.note(format!("{scene}: {length} on this CPU, which emulates kernels"));
                }
                Ok(())
            }
        }
    }

    /// Writes a batch of rays in the coordinates of the scene's file, whose origin is `origin`.
    fn export(&self, file: &str, rays: &[Ray], origin: [f64; 3]) -> Result<(), String> {
        let Some(folder) = &self.args.export_rays else { return Ok(()) };
        let path = folder.join(format!("{file}.npy"));
        self.common.files.writes(&path).map_err(|error| error.to_string())?;
        replace::can_write(&path, &replace::NPY).map_err(|error| error.to_string())?;
        system::write_atomic(&path, &write_rays_of_scene(rays, origin))
            .map_err(|error| CliError::from(error).to_string())
    }

    /// Prints the table of a scene, with the legend before the first.
    fn print(&self, report: &SceneReport, out: &mut dyn Write) -> Result<(), CliError> {
        if self.common.json || self.args.top.is_some() {
            return Ok(());
        }
        if self.reports.is_empty() {
            writeln!(out, "{LEGEND}")?;
        }
        writeln!(out, "{}", self.common.written(&report.document()))?;
        Ok(out.flush()?)
    }

    /// Writes the output files that the user asked for.
    fn save(&self) -> Result<(), CliError> {
        let write = |path: &Path, text: &str| system::write_atomic(path, text.as_bytes()).map_err(CliError::from);
        if let Some(file) = &self.args.csv {
            write(file, &csv(&self.reports))?;
        }
        if let Some(folder) = &self.args.record {
            for (name, text) in record::files(&self.reports, &self.machine, &command_line()) {
                write(&folder.join(name), &text)?;
            }
        }
        Ok(())
    }

    /// Returns `true` if any kernel was measured.
    fn has_rows(&self) -> bool {
        self.reports.iter().any(|report| !report.rows.is_empty())
    }

    fn document(&self) -> Document {
        let top = self.args.top.map(|top| top as usize);
        document(&self.reports, &self.machine, &command_line(), top)
    }

    /// Prints the summary of all scenes.
    fn summarize(&self, out: &mut dyn Write) -> Result<(), CliError> {
        if !self.has_rows() || self.common.json {
            return Ok(());
        }
        if interrupt::is_interrupted() {
            writeln!(out, "{}", interrupted_table::MARK)?;
        }
        Ok(write!(out, "{}", self.common.written(&self.document()))?)
    }

    /// Simulates what was measured if no scene failed, and prints the tables one by one.
    fn simulate(&mut self, machine: &Machine, out: &mut dyn Write) {
        if self.outcome.is_err() || interrupt::is_interrupted() {
            return;
        }
        if !self.common.json {
            interrupt::leave(String::new(), "what was measured was printed");
        }
        let what = (self.args, &self.request, machine);
        self.simulation = simulated::run(what, &self.scenes, &self.reports, &mut self.simulated, self.common, out);
    }

    /// Prints the JSON document of the measurement, if `--json` is given.
    fn print_json(&self, out: &mut dyn Write) -> Result<(), CliError> {
        if !self.has_rows() || !self.common.json {
            return Ok(());
        }
        let mut document = self.document().json();
        document["interrupted"] = interrupt::is_interrupted().into();
        self.common.describe_scenes(&mut document);
        if self.args.simulate {
            document["simulated"] = self.simulated.iter().map(|one| flags::in_report(&one.document()).json()).collect();
        }
        Ok(writeln!(out, "{document:#}")?)
    }

    /// Returns the exit status of the command.
    fn status(self) -> Result<Status, CliError> {
        let has_rows = self.has_rows();
        self.outcome?;
        self.simulation?;
        if interrupt::is_interrupted() {
            return Ok(Status::Interrupted);
        }
        if !has_rows {
            return Err(CliError::machine("nothing was measured: this machine runs none of these kernels"));
        }
        let passes = self.reports.iter().all(SceneReport::passes) && self.simulated.iter().all(MeasuredReport::passes);
        Ok(if passes { Status::Done } else { Status::Failed })
    }
}
