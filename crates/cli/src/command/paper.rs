//! `raywarp paper [KEY [NAME]]`: the papers' tables, figures and statements, ours beside theirs.

mod effect;
mod only;

use self::effect::Answer;
use self::only::OnlyScenes;
use crate::command::simulate::{ReportArgs, refusal};
use crate::common::{Common, Replacing, Scenes, Tables, Threads};
use crate::device::{self, DeviceChoice};
use crate::exit::{CliError, Status};
use crate::flags;
use crate::heading;
use crate::interrupt;
use crate::options::levels;
use crate::options::views::views;
use crate::progress::{Steps, duration};
use crate::replace;
use clap::Args;
use raywarp::Control;
use raywarp::device::Plan;
use raywarp::scene::{Loaded, Prefer, View};
use raywarp::system;
use raywarp_lab::bench::{BenchWatch, Target};
use raywarp_lab::paper::{
    Exhibit, ExhibitScene, Paper, Record, SceneSize, add_intervals, exhibit_document, find, find_drawn,
    finding_document, is_measured, is_simulated, judge, list_document, make, measure, measuring_seconds, merged,
    paper_document, seconds, statements, statements_markdown, stored, widen_intervals,
};
use raywarp_lab::report::Document;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Makes a paper's tables and figures, ours beside theirs.
///
/// Without a name the papers are listed, with KEY alone what can be made of a paper and what came of its statements.
/// Of a table or figure our numbers are simulated on the scenes that are there, and measured where there is a GPU;
/// others stand as they were recorded. Always recorded are those of w11 and l9, and of alk12's table2 and figure3,
/// which `bench --suite` makes anew on a GPU.
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
    #[arg(long, help_heading = heading::RAYS)]
    recorded: bool,
    /// Rays of each kind and view that are traced, about [default: the table's own].
    #[arg(long, value_name = "COUNT", requires = "name", value_parser = clap::value_parser!(u32).range(1..), help_heading = heading::RAYS)]
    sample: Option<u32>,
    /// Find the intervals of simulated numbers anew, by five more samples.
    ///
    /// It takes two to five times as long.
    #[arg(long, requires = "name", help_heading = heading::RAYS)]
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
    let Some(key) = &args.key else {
        Answer::List.check(common)?;
        return args.write(&list_document(), common, out);
    };
    let paper = Paper::parse(&key.to_lowercase()).ok_or_else(|| {
        let known = Paper::ALL.map(Paper::key).join(", ");
        CliError::usage(format!("{key} is no paper; known are {known}"))
    })?;
    if let Some(name) = &args.name {
        return named(paper, name, args, common, out);
    }
    Answer::List.check(common)?;
    // As docs/papers has them, with the targets of links.
    if common.markdown {
        write!(out, "{}", statements_markdown(paper))?;
        return Ok(Status::Done);
    }
    args.write(&paper_document(paper), common, out)
}

/// Prints a table, a figure or a statement.
fn named(paper: Paper, name: &str, args: &PaperArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    if let Some(exhibit) = find(paper, name) {
        Answer::Exhibit { exhibit, recorded: args.recorded }.check(common)?;
        let (records, missing) = Session { args, common, exhibit }.records()?;
        return args.write(&exhibit_document(exhibit, &records, &missing), common, out);
    }
    if let Some(shows) = find_drawn(paper, name) {
        return Err(CliError::usage(format!("{} {name} is not made: {shows}", paper.key())));
    }
    match statements(paper).iter().find(|finding| finding.name == name) {
        Some(finding) => {
            Answer::Statement(name).check(common)?;
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

/// Returns that an exhibit's numbers are recorded ones whatever is there, and what makes them anew.
fn always_recorded(exhibit: &Exhibit) -> String {
    let suite = exhibit.suite.unwrap_or_default();
    let simulated = match exhibit.name {
        "table2" | "table3" if exhibit.paper == Paper::W11 => {
            "; `raywarp simulate SCENE --experiment compaction` simulates those that are not measured"
        }
        _ => "",
    };
    format!(
        "nothing was made in this run: numbers of {} are always recorded ones; `raywarp bench SCENE --device cuda \
         --suite {suite}` measures anew{simulated}",
        exhibit.name
    )
}

/// A scene of a table or figure, with its viewpoints.
struct LoadedScene {
    name: &'static str,
    loaded: Loaded,
    path: PathBuf,
    views: Vec<View>,
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
        let only = OnlyScenes::of(self.exhibit, &self.args.only)?;
        records.retain(|record| only.has(record));
        if self.args.recorded {
            return Ok((records, missing));
        }
        let target = self.target()?;
        let has_gpu = target.is_some();
        if is_measured(self.exhibit) && !has_gpu {
            missing.push("no GPU measured in this run: measured rates of ours are recorded ones".to_string());
        }
        match (is_simulated(self.exhibit), is_measured(self.exhibit), self.exhibit.suite) {
            (false, false, _) => missing.push(always_recorded(self.exhibit)),
            (true, false, Some(suite)) => missing.push(format!(
                "what a GPU measured is always recorded; `raywarp bench SCENE --device cuda --suite {suite}` measures \
                 anew"
            )),
            _ => {}
        }
        if !(is_simulated(self.exhibit) || has_gpu && is_measured(self.exhibit)) {
            return Ok((records, missing));
        }
        let (there, absent): (Vec<&'static str>, Vec<&str>) =
            only.scenes.into_iter().partition(|name| self.common.find(Path::new(name), Prefer::Geometry).is_ok());
        if !absent.is_empty() {
            missing.push(format!(
                "not found as scenes (--scenes): {}; of these ours is what was recorded, if anything",
                absent.join(", ")
            ));
        }
        if there.is_empty() {
            return Ok((records, missing));
        }
        // All of them first: how long it takes depends on their sizes, and what is wrong with the last is said early.
        let scenes = there.into_iter().map(|name| self.load(name)).collect::<Result<Vec<_>, _>>()?;
        self.say_time(&scenes, target.as_ref());
        for LoadedScene { name, loaded, path, views } in &scenes {
            let place = ExhibitScene { name, scene: &loaded.scene, views };
            let made = self.simulate(&place, path)?;
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

    /// Loads a scene and finds its viewpoints.
    fn load(&self, name: &'static str) -> Result<LoadedScene, CliError> {
        let (loaded, path, _) = self.common.load(Path::new(name), false)?;
        levels::say_flattened(&loaded.scene, self.common);
        let views = views(self.common, &loaded.scene, name, None)?.into_iter().map(|(_, view)| view).collect();
        Ok(LoadedScene { name, loaded, path, views })
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
    fn say_time(&self, scenes: &[LoadedScene], target: Option<&Target>) {
        let threads = self.common.worker_threads();
        let sample = self.args.sample.map(|sample| sample as usize);
        let size = |scene: &LoadedScene| SceneSize {
            triangles: scene.loaded.scene.triangle_count(),
            views: scene.views.len(),
        };
        let sizes: Vec<SceneSize> = scenes.iter().map(size).collect();
        let length = duration(seconds(self.exhibit, &sizes, sample, threads, self.args.intervals));
        let names = scenes.iter().map(|scene| scene.name).collect::<Vec<_>>().join(", ");
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

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_lab::paper::all;

    #[test]
    fn the_help_and_the_answer_say_what_is_always_recorded() {
        let help = include_str!("../../tests/help/paper.txt");
        let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
        let (_, always) = words.split_once("Always recorded are those of").unwrap();
        let (always, _) = always.split_once('.').unwrap();
        let mut seen = 0;
        for exhibit in all() {
            let key = exhibit.paper.key();
            let is_whole = matches!(exhibit.paper, Paper::W11 | Paper::L9);
            let is_said = always.contains(key) && (is_whole || always.contains(exhibit.name));
            let is_so = !is_simulated(exhibit) && !is_measured(exhibit);
            // Two papers have a table2: that of g14 is measured.
            assert_eq!(is_said && (key, exhibit.name) != ("g14", "table2"), is_so, "{key} {}", exhibit.name);
            if is_so {
                let said = always_recorded(exhibit);
                assert!(said.contains(&format!("--suite {}", exhibit.suite.unwrap())), "{said}");
                seen += 1;
            }
        }
        assert_eq!(seen, 7);
    }
}
