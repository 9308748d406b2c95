//! `raywarp paper [KEY [NAME]]`: the papers' tables, figures and statements, ours beside theirs.

use crate::command::simulate::{ReportArgs, refusal};
use crate::common::{Common, Replacing, Scenes, Tables, Threads};
use crate::device::{self, DeviceChoice};
use crate::exit::{CliError, Status};
use crate::flags;
use crate::heading;
use crate::interrupt;
use crate::options::views::views;
use crate::progress::{Steps, duration};
use crate::replace;
use clap::Args;
use raywarp::Control;
use raywarp::device::Plan;
use raywarp::scene::View;
use raywarp::system;
use raywarp_lab::bench::{BenchWatch, Target};
use raywarp_lab::paper::{
    Exhibit, ExhibitScene, Paper, Record, add_intervals, exhibit_document, find, finding_document, is_measured,
    is_simulated, judge, list_document, make, measure, measuring_seconds, merged, paper_document, seconds, statements,
    statements_markdown, stored, widen_intervals,
};
use raywarp_lab::report::Document;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Makes a paper's tables and figures, ours beside theirs.
///
/// Without a name the papers are listed, with KEY alone what can be made of a paper and what came of its statements.
/// Of a table or figure our numbers are simulated on the scenes that are there, and measured where there is a GPU;
/// others stand as they were recorded.
#[derive(Debug, Args)]
#[command(override_usage = "raywarp paper [KEY [NAME]] [OPTIONS]")]
pub struct PaperArgs {
    /// A paper: al09, alk12, g14, w11 or l9.
    #[arg(value_name = "KEY")]
    key: Option<String>,
    /// A table, figure or statement of it, such as table1.
    #[arg(value_name = "NAME", requires = "key")]
    name: Option<String>,
    /// Print the recorded numbers alone, at once.
    #[arg(long, conflicts_with_all = ["sample", "device"], help_heading = heading::RAYS)]
    recorded: bool,
    /// Rays of each kind and view that are traced, about [default: the table's own].
    #[arg(long, value_name = "COUNT", requires = "name", value_parser = clap::value_parser!(u32).range(1..), help_heading = heading::RAYS)]
    sample: Option<u32>,
    /// Find the intervals of simulated numbers anew, by five more samples.
    ///
    /// It takes two to five times as long.
    #[arg(long, conflicts_with = "recorded", requires = "name", help_heading = heading::RAYS)]
    intervals: bool,
    /// Scenes of the table to make, comma-separated [default: all].
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "name", help_heading = heading::SCENE)]
    only: Vec<String>,
    /// Write the numbers as comma-separated values as well.
    #[arg(long, value_name = "FILE.csv", requires = "key", help_heading = heading::OUTPUT)]
    csv: Option<PathBuf>,
    /// What measures: auto (a GPU if there is one), cpu (nothing), cuda or cuda:N.
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = device::parser(), hide_possible_values = true, help_heading = heading::MACHINE)]
    pub device: DeviceChoice,
    #[command(flatten)]
    report: ReportArgs,
    #[command(flatten)]
    pub scenes: Scenes,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub replacing: Replacing,
    #[command(flatten)]
    pub tables: Tables,
}

/// Runs the command `paper`.
pub fn run(args: &PaperArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    args.report.check(common)?;
    if let Some(file) = &args.csv {
        common.files.writes(file)?;
        replace::can_write(file, &replace::PAPER_CSV)?;
    }
    let Some(key) = &args.key else { return args.write(&list_document(), common, out) };
    let paper = Paper::parse(&key.to_lowercase()).ok_or_else(|| {
        let known = Paper::ALL.map(Paper::key).join(", ");
        CliError::usage(format!("{key} is no paper; known are {known}"))
    })?;
    match &args.name {
        // As docs/papers has them, with the targets of links.
        None if common.markdown => {
            write!(out, "{}", statements_markdown(paper))?;
            Ok(Status::Done)
        }
        None => args.write(&paper_document(paper), common, out),
        Some(name) => named(paper, name, args, common, out),
    }
}

/// Prints a table, a figure or a statement.
fn named(paper: Paper, name: &str, args: &PaperArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    if let Some(exhibit) = find(paper, name) {
        if !is_simulated(exhibit) && (args.sample.is_some() || args.intervals) {
            return Err(CliError::usage(format!(
                "{name} has recorded numbers alone; leave out --sample and --intervals"
            )));
        }
        let (records, missing) = Session { args, common, exhibit }.records()?;
        return args.write(&exhibit_document(exhibit, &records, &missing), common, out);
    }
    match statements(paper).iter().find(|finding| finding.name == name) {
        Some(_) if args.makes() => Err(CliError::usage(format!(
            "{name} is a statement, which is judged by what is stored; leave out --sample, --intervals and --only"
        ))),
        Some(finding) => {
            let judged = judge(paper, finding, None);
            if args.csv.is_some() && judged.cells.is_empty() {
                return Err(CliError::usage(format!("{name} has no numbers to write; leave out --csv")));
            }
            args.write(&finding_document(&judged), common, out)
        }
        None => Err(CliError::usage(format!(
            "{} has nothing called {name}; `raywarp paper {}` lists what it has",
            paper.key(),
            paper.key()
        ))),
    }
}

impl PaperArgs {
    /// Returns `true` if an option says how something is made.
    fn makes(&self) -> bool {
        self.sample.is_some() || self.intervals || !self.only.is_empty()
    }

    /// Prints a report, and writes it as a page, pictures and comma-separated values where those are asked for.
    fn write(&self, document: &Document, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
        if !self.report.write(Path::new(""), document)? {
            common.note("there are no pictures of this, so --svg wrote none");
        }
        if let Some(file) = &self.csv {
            let document = flags::in_report(document);
            let text = document.csv_head() + &document.csv();
            system::write_atomic(file, text.as_bytes())?;
        }
        common.print(document, out)?;
        Ok(Status::Done)
    }
}

/// The making of a table or figure.
struct Session<'a> {
    args: &'a PaperArgs,
    common: &'a Common,
    exhibit: &'static Exhibit,
}

impl Session<'_> {
    /// Returns the numbers, and what could not be made with its reason.
    fn records(&self) -> Result<(Vec<Record>, Vec<String>), CliError> {
        let mut records = stored(self.exhibit);
        let mut missing = Vec::new();
        let wanted: Vec<&str> = self.scenes()?;
        if !self.args.only.is_empty() {
            records.retain(|record| wanted.iter().any(|name| record.is_of_scene(name)));
        }
        if self.args.recorded {
            return Ok((records, missing));
        }
        let target = self.target()?;
        let has_gpu = target.is_some();
        if is_measured(self.exhibit) && !has_gpu {
            missing.push("no GPU measured in this run: measured rates of ours are recorded ones".to_string());
        }
        if !(is_simulated(self.exhibit) || has_gpu && is_measured(self.exhibit)) {
            return Ok((records, missing));
        }
        let (there, absent): (Vec<&str>, Vec<&str>) = wanted
            .into_iter()
            .partition(|name| self.common.find(Path::new(name), raywarp::scene::Prefer::Geometry).is_ok());
        if !absent.is_empty() {
            missing.push(format!(
                "not found as scenes (--scenes): {}; of these ours is what was recorded, if anything",
                absent.join(", ")
            ));
        }
        if there.is_empty() {
            return Ok((records, missing));
        }
        self.say_time(&there, target.as_ref());
        for name in there {
            let (loaded, path, _) = self.common.load(Path::new(name), false)?;
            let views: Vec<View> =
                views(self.common, &loaded.scene, name, None)?.into_iter().map(|(_, view)| view).collect();
            let place = ExhibitScene { name, scene: &loaded.scene, views: &views };
            let made = self.simulate(&place, &path)?;
            records = merged(records, made);
            if let (Some(sample), false) = (self.args.sample, self.args.intervals) {
                widen_intervals(&mut records, self.exhibit, name, sample as usize);
            }
            if let Some(target) = &target {
                records = merged(records, self.measure(&place, target)?);
            }
        }
        Ok((records, missing))
    }

    /// Returns the scenes to make, refusing names that the exhibit does not have.
    fn scenes(&self) -> Result<Vec<&str>, CliError> {
        let known = self.exhibit.scenes;
        if let Some(other) = self.args.only.iter().find(|name| !known.contains(&name.as_str())) {
            let name = self.exhibit.name;
            return Err(CliError::usage(format!("--only: \"{other}\" is not in {name}; it has {}", known.join(", "))));
        }
        let only = &self.args.only;
        Ok(known.iter().copied().filter(|name| only.is_empty() || only.iter().any(|own| own == name)).collect())
    }

    /// Returns the GPU that measures, if there is one.
    fn target(&self) -> Result<Option<Target>, CliError> {
        if !is_measured(self.exhibit) || self.common.device == DeviceChoice::Cpu {
            return Ok(None);
        }
        let failed = |error| CliError::machine(format!("--device {}: {error}", self.common.device));
        let plan = Plan::for_measuring(&self.common.device).map_err(failed)?;
        Ok(plan.gpus().first().map(|device| Target::Cuda(device.clone())))
    }

    /// Says how long it will take.
    fn say_time(&self, scenes: &[&str], target: Option<&Target>) {
        let threads = self.common.worker_threads();
        let sample = self.args.sample.map(|sample| sample as usize);
        let seconds = seconds(self.exhibit, scenes.len(), sample, threads, self.args.intervals);
        let (names, length) = (scenes.join(", "), duration(seconds));
        let measured = target.map_or_else(String::new, |target| {
            let length = duration(measuring_seconds(self.exhibit, scenes.len(), threads));
            format!("; measuring on {}: about {length}", target.name())
        });
        self.common.note(format!("simulating {names}: about {length} on {threads} threads{measured}"));
    }

    fn simulate(&self, place: &ExhibitScene<'_>, path: &Path) -> Result<Vec<Record>, CliError> {
        let doing = format!("simulating {}", place.name);
        let _doing = interrupt::doing(&doing);
        interrupt::leave(String::new(), "a table has no partial results, so nothing was printed");
        let bar = Steps::new(self.common.quiet, doing.clone(), "steps", 0);
        let progress = |steps: usize| bar.advance(steps as u64);
        let control = Control { cancel: None, progress: Some(&progress) };
        let sample = self.args.sample.map(|sample| sample as usize);
        let refused = |error| refusal(error, path);
        let mut records = make(self.exhibit, place, sample, &control).map_err(refused)?;
        if self.args.intervals {
            add_intervals(&mut records, self.exhibit, place, sample, &control).map_err(refused)?;
        }
        Ok(records)
    }

    fn measure(&self, place: &ExhibitScene<'_>, target: &Target) -> Result<Vec<Record>, CliError> {
        let doing = format!("measuring {}", place.name);
        let _doing = interrupt::doing(&doing);
        let steps = Steps::new(self.common.quiet, doing.clone(), "kernels", 0);
        let progress = |done: usize, all: usize| steps.set(done as u64, all as u64);
        let watch = BenchWatch { cancel: None, say: None, progress: Some(&progress), export: None };
        measure(self.exhibit, place, target, crate::version::COMMIT, &watch).map_err(CliError::machine)
    }
}
