//! Arguments of `raywarp bench`, and the measurements that they ask for.

use crate::command::bench::paths::PathBenchArgs;
use crate::command::bench::peers::PeerArgs;
use crate::common::{Replacing, Scenes, Tables, Threads};
use crate::device::{self, DeviceChoice};
use crate::exit::CliError;
use crate::heading;
use crate::named_values::named_values;
use crate::options::named_rays::parse_query;
use crate::options::tree::TreeArgs;
use crate::options::values;
use crate::whole_number::{whole, whole_from};
use clap::builder::TypedValueParser;
use clap::{Args, ValueHint};
use raywarp::BuildOptions;
use raywarp::bvh::presets;
use raywarp::device::HOLDS_MORE;
use raywarp_lab::bench::suite::{self, Suite};
use raywarp_lab::bench::{BenchRequest, CheckSize, LaunchBounds, RayColumn, RayOrder, RaySet, Subject, Target};
use raywarp_lab::family::Variant;
use raywarp_lab::path_bench::PathSuite;
use raywarp_lab::traverse::Query;
use raywarp_lab::workload::rays::{RESOLUTION, RayKind, Workload};
use std::path::PathBuf;

/// Returns the lines of `bench --help` that describe the suites.
fn suites_help() -> String {
    let rays = suite::ALL.iter().map(|suite| (suite.name, suite.about));
    let paths = PathSuite::ALL.map(|suite| (suite.name(), suite.about()));
    let lines = rays.chain(paths).map(|(name, about)| format!("  {name:10} {about}"));
    format!(
        "Suites (their settings give way to options that are named):\n{}\n\n\
         Times are the kernel's own on a GPU (events around the launch) and wall time on a CPU. Every kernel's hits are \
         compared with those of one lane on the CPU over the same tree and triangle test; a row that fails is marked WRONG, \
         and the exit status is 1. Kernels that this machine cannot run are left out with the reason.",
        lines.collect::<Vec<_>>().join("\n")
    )
}

/// Measures how fast kernels are on the papers' rays, hits checked.
#[derive(Debug, Args)]
#[command(after_long_help = suites_help())]
pub struct BenchArgs {
    /// Scene files, names in --scenes, or - for standard input.
    #[arg(value_name = "SCENE")]
    positional: Vec<PathBuf>,
    /// The same as SCENE; may be repeated.
    #[arg(long = "scene", value_name = "SCENE", help_heading = heading::SCENE)]
    named: Vec<PathBuf>,
    /// A table or side experiment of the papers; --help lists them.
    #[arg(long, value_name = "NAME", value_parser = named_values(suite_names(), parse_suite), hide_possible_values = true, help_heading = heading::KERNELS)]
    suite: Option<SuiteChoice>,
    #[command(flatten)]
    pub paths: PathBenchArgs,
    /// Kernels, comma-separated [default: papers on a GPU, else cpu].
    ///
    /// Variants, names of rows (see `raywarp variants`), rows with options such as alk12-kepler?planes=plain, papers,
    /// compiled (all that this machine has), auto (those that a GPU is fastest with, by kind of ray), or cpu (the
    /// tracer of this CPU).
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = choices(), hide_possible_values = true, help_heading = heading::KERNELS)]
    variant: Vec<Choice>,
    #[command(flatten)]
    pub peers: PeerArgs,
    /// Files of rays (.npy) to time, comma-separated [default: the workload's rays].
    ///
    /// As render --export-rays, bench --export-rays (its ao rays: --query any) and NumPy write them. Names that begin
    /// with shadow are asked for any hit, all others for the closest, unless --query says which. Each file is a launch
    /// and a column of the tables, in its own order, and several together get their rate: all rays over all times.
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_hint = ValueHint::FilePath, conflicts_with_all = ["suite", "workload", "kind", "views", "view", "one_launch", "rays_per_pixel", "size", "simulate", "export_rays"], help_heading = heading::RAYS)]
    pub rays: Vec<PathBuf>,
    /// Query of all rays of --rays: the closest hit or any [default: by the names].
    #[arg(long, value_name = "QUERY", value_parser = named_values(["closest", "any"], parse_query), hide_possible_values = true, requires = "rays", help_heading = heading::RAYS)]
    pub query: Option<Query>,
    /// Set of rays: raywarp, al09, g14 or alk12 [default: raywarp].
    #[arg(long, value_name = "NAME", value_parser = values::workload(), hide_possible_values = true, help_heading = heading::RAYS)]
    workload: Option<Workload>,
    /// Kinds of rays, comma-separated [default: primary,ao,diffuse].
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = values::kind(), hide_possible_values = true, help_heading = heading::RAYS)]
    kind: Vec<RayKind>,
    /// Numbers of viewpoints in views.toml of --scenes [default: all].
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = whole::<u16>(1..=65_535), conflicts_with = "view", help_heading = heading::CAMERA)]
    views: Vec<u16>,
    /// A viewpoint of a TOML file, counted from 1.
    #[arg(long, value_name = "FILE:SCENE:INDEX", help_heading = heading::CAMERA)]
    pub view: Option<String>,
    /// Trace the rays of all viewpoints in one launch.
    #[arg(long, help_heading = heading::RAYS)]
    one_launch: bool,
    /// Shuffle the rays (Aila and Laine 2009, section 6).
    #[arg(long, conflicts_with = "sort", help_heading = heading::RAYS)]
    shuffle: bool,
    /// Sort batches of 2^20 rays; the sort's own time is printed.
    #[arg(long, value_name = "ORDER", value_parser = ["morton"], help_heading = heading::RAYS)]
    sort: Option<String>,
    /// Rays of each kind from a primary hit [default: the workload's].
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=4096), help_heading = heading::RAYS)]
    rays_per_pixel: Option<u32>,
    /// Columns and rows of each view [default: 1024x768].
    #[arg(long, value_name = "WxH", value_parser = values::size, help_heading = heading::CAMERA)]
    size: Option<[u32; 2]>,
    /// Timed runs [default: 20 on a GPU, 10 on a CPU, 5 with --peers].
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=10_000), help_heading = heading::TIMING)]
    runs: Option<u32>,
    /// Runs before them [default: 3 on a GPU, 1 on a CPU].
    #[arg(long, value_name = "N", value_parser = whole::<u32>(0..=1000), help_heading = heading::TIMING)]
    warmup: Option<u32>,
    /// Rays of each kind and view to compare with the reference's, or all.
    #[arg(long, value_name = "RAYS", default_value = "65536", value_parser = named_values(["all"], parse_check), hide_possible_values = true, help_heading = heading::TIMING)]
    check: CheckSize,
    /// Lanes of a warp where a CPU runs a kernel, 1 to 64.
    #[arg(long, value_name = "LANES", default_value_t = 32, value_parser = whole::<u32>(1..=64), help_heading = heading::KERNELS)]
    width: u32,
    /// Most triangles of a leaf, comma-separated: a tree each [default: --max-leaf].
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = whole::<u32>(1..=255), help_heading = heading::TREE)]
    leaf_size: Vec<u32>,
    /// Threads of a block, comma-separated: multiples of 32 to 1024 [default: 128].
    ///
    /// GPUs only. Each kernel runs with each, compiled anew from its PTX; compare with 128 of the same run.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_block, help_heading = heading::KERNELS)]
    block_threads: Vec<u32>,
    /// Registers of a thread, comma-separated: 16 to 255 [default: the kernel's].
    ///
    /// GPUs only. Each kernel is compiled anew from its PTX with each limit.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = whole::<u32>(16..=255), help_heading = heading::KERNELS)]
    max_registers: Vec<u32>,
    /// Print only the fastest kernels of each kind, and what is wrong.
    ///
    /// Over all scenes; files hold all.
    #[arg(long, value_name = "N", value_parser = whole_from::<u32>(1), help_heading = heading::OUTPUT)]
    pub top: Option<u32>,
    /// Presets, comma-separated: a tree each [default: --preset].
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = named_values(presets::ALL.map(|(name, _)| name), parse_preset), hide_possible_values = true, help_heading = heading::TREE)]
    trees: Vec<BuildOptions>,
    /// Write a line for each kernel, tree, kind of rays and view to a CSV file.
    #[arg(long, value_name = "FILE", help_heading = heading::OUTPUT)]
    pub csv: Option<PathBuf>,
    /// Keep the run in a folder.
    ///
    /// It gets bench.csv, bench.json, README.md with command, machine and date, and run.toml with hashes of the
    /// kernels' machine code.
    #[arg(long, value_name = "DIR", help_heading = heading::OUTPUT)]
    pub record: Option<PathBuf>,
    /// Put what a GPU did beside what it could do.
    ///
    /// That is the lowest bound of each kernel on the same rays, and where the time went. Each launch is timed in
    /// halves too, which tells its start and tail. Exit status 1 if a run passed a strict bound.
    #[arg(long, help_heading = heading::TIMING)]
    pub simulate: bool,
    /// The GPU that --simulate is about, such as h200 [default: by its name].
    ///
    /// A name, or a file (docs/reference/machines.md).
    #[arg(long, value_name = "NAME", requires = "simulate", value_parser = values::machine(), hide_possible_values = true, value_hint = ValueHint::AnyPath, help_heading = heading::TIMING)]
    pub machine: Option<String>,
    /// About how many rays of each kind and view to simulate [default: 16384].
    ///
    /// Only if all are, bounds are strict.
    #[arg(long, value_name = "RAYS", requires = "simulate", value_parser = whole_from::<u32>(1), help_heading = heading::TIMING)]
    pub simulate_sample: Option<u32>,
    /// Write the rays of each scene, view and kind to an .npy file in a folder.
    #[arg(long, value_name = "DIR", help_heading = heading::OUTPUT)]
    pub export_rays: Option<PathBuf>,
    /// Go on without files that the scene names and that are missing.
    #[arg(long, help_heading = heading::SCENE)]
    pub allow_missing: bool,
    /// The tree; by default that of preset good. Compressed trees get the largest leaves that they can hold.
    #[command(flatten)]
    tree: TreeArgs,
    #[command(flatten)]
    pub scenes: Scenes,
    /// Device that is measured: cpu, cuda (the first GPU), cuda:N, auto.
    ///
    /// Here auto takes the first GPU, and the CPU where there is none.
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = device::parser(), hide_possible_values = true, help_heading = heading::MACHINE)]
    pub device: DeviceChoice,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub replacing: Replacing,
    #[command(flatten)]
    pub tables: Tables,
}

/// Value of `--variant`: kernels to measure.
#[derive(Debug, Clone, PartialEq)]
enum Choice {
    Papers,
    Compiled,
    /// The fastest kernels for each kind of ray.
    Auto,
    One(Subject),
}

fn choices() -> impl TypedValueParser<Value = Choice> {
    named_values(["papers", "compiled", "auto", "cpu"].into_iter().chain(values::rows()), parse_choice)
}

fn parse_choice(text: &str) -> Result<Choice, String> {
    match text {
        "papers" => Ok(Choice::Papers),
        "compiled" => Ok(Choice::Compiled),
        "auto" => Ok(Choice::Auto),
        other => other.parse().map(Choice::One).map_err(|error: raywarp_lab::family::IllegalVariant| error.to_string()),
    }
}

/// Value of `--suite`: a suite of ray-tracing kernels, or of organisations of path tracing.
#[derive(Debug, Clone, Copy)]
enum SuiteChoice {
    Rays(&'static Suite),
    Paths(PathSuite),
}

fn suite_names() -> Vec<&'static str> {
    let rays = suite::ALL.iter().map(|suite| suite.name);
    rays.chain(PathSuite::ALL.map(PathSuite::name)).collect()
}

fn parse_suite(name: &str) -> Result<SuiteChoice, String> {
    let paths = || PathSuite::ALL.into_iter().find(|suite| suite.name() == name).map(SuiteChoice::Paths);
    let found = suite::named(name).map(SuiteChoice::Rays).or_else(paths);
    found.ok_or_else(|| format!("known are {}", suite_names().join(", ")))
}

fn parse_preset(name: &str) -> Result<BuildOptions, String> {
    let names = || presets::ALL.map(|(name, _)| name).join(", ");
    presets::named(name).ok_or_else(|| format!("known are {}", names()))
}

fn parse_block(text: &str) -> Result<u32, String> {
    match text.parse::<u32>() {
        Ok(threads) if (32..=1024).contains(&threads) && threads.is_multiple_of(32) => Ok(threads),
        _ => Err("must be a multiple of 32, at most 1024".to_string()),
    }
}

fn parse_check(text: &str) -> Result<CheckSize, String> {
    match (text, text.parse()) {
        ("all", _) => Ok(CheckSize::All),
        (_, Ok(rays)) if rays > 0 => Ok(CheckSize::Sample(rays)),
        _ => Err("must be a number of rays above 0, or all".to_string()),
    }
}

impl BenchArgs {
    /// Returns the suite of ray-tracing kernels, if one is named.
    fn suite(&self) -> Option<&'static Suite> {
        match self.suite {
            Some(SuiteChoice::Rays(suite)) => Some(suite),
            Some(SuiteChoice::Paths(_)) | None => None,
        }
    }

    /// Returns the name of the suite if it is the table of a paper.
    pub fn paper_suite(&self) -> Option<&'static str> {
        self.suite().map(|suite| suite.name).filter(|name| matches!(*name, "table1" | "alk12" | "guthe"))
    }

    /// Returns the suite of path-tracing organisations, if one is named.
    pub fn path_suite(&self) -> Option<PathSuite> {
        match self.suite {
            Some(SuiteChoice::Paths(suite)) => Some(suite),
            Some(SuiteChoice::Rays(_)) | None => None,
        }
    }

    /// Returns the first given option that is only for ray-tracing kernels, and so has no meaning in a suite of path
    /// tracing.
    pub fn of_rays(&self) -> Option<&'static str> {
        let asked = [
            (!self.variant.is_empty(), "--variant"),
            (self.peers.are_named(), "--peers"),
            (self.workload.is_some(), "--workload"),
            (!self.kind.is_empty(), "--kind"),
            (!self.views.is_empty(), "--views"),
            (self.one_launch, "--one-launch"),
            (self.shuffle, "--shuffle"),
            (self.sort.is_some(), "--sort"),
            (self.rays_per_pixel.is_some(), "--rays-per-pixel"),
            (self.warmup.is_some(), "--warmup"),
            (!self.leaf_size.is_empty(), "--leaf-size"),
            (!self.trees.is_empty(), "--trees"),
            (!self.block_threads.is_empty(), "--block-threads"),
            (!self.max_registers.is_empty(), "--max-registers"),
            (self.top.is_some(), "--top"),
            (self.csv.is_some(), "--csv"),
            (self.simulate, "--simulate"),
        ];
        asked.into_iter().find(|(is_asked, _)| *is_asked).map(|(_, option)| option)
    }

    /// Returns the first given option that is only for Raywarp's kernels, and so has no meaning in a comparison with
    /// Embree.
    pub fn of_kernels(&self) -> Option<&'static str> {
        let asked = [
            (self.suite.is_some(), "--suite"),
            (!self.variant.is_empty(), "--variant"),
            (self.warmup.is_some(), "--warmup"),
            (!self.leaf_size.is_empty(), "--leaf-size"),
            (!self.trees.is_empty(), "--trees"),
            (self.has_bounds(), "--block-threads or --max-registers"),
            (self.top.is_some(), "--top"),
            (self.csv.is_some(), "--csv"),
            (self.record.is_some(), "--record"),
            (self.simulate, "--simulate"),
            (self.export_rays.is_some(), "--export-rays"),
        ];
        asked.into_iter().find(|(is_asked, _)| *is_asked).map(|(_, option)| option)
    }

    /// Returns the options of the tree.
    pub fn tree(&self) -> &TreeArgs {
        &self.tree
    }

    /// Returns the picture size (columns, rows), if it is given.
    pub fn size(&self) -> Option<[u32; 2]> {
        self.size
    }

    /// Returns the number of runs per measurement, if it is given.
    pub fn runs(&self) -> Option<u32> {
        self.runs
    }

    /// Returns the paths of the scenes: those named, else the suite's.
    pub fn scenes(&self) -> Result<Vec<PathBuf>, CliError> {
        let named: Vec<PathBuf> = self.positional.iter().chain(&self.named).cloned().collect();
        let scenes = match self.suite() {
            Some(suite) if named.is_empty() => suite.scenes.iter().map(PathBuf::from).collect(),
            _ => named,
        };
        if scenes.is_empty() {
            return Err(CliError::usage("no scene is named: raywarp bench SCENE..."));
        }
        Ok(scenes)
    }

    /// Returns the numbers of the viewpoints to measure; empty for all.
    pub fn view_numbers(&self) -> Vec<usize> {
        match self.suite() {
            _ if self.view.is_some() => Vec::new(),
            Some(suite) if self.views.is_empty() => suite.views.to_vec(),
            _ => self.views.iter().map(|&number| usize::from(number)).collect(),
        }
    }

    /// Returns the measurements on `target` that the options and the suite ask for, with rays from `files` if there are
    /// any.
    pub fn request(&self, target: &Target, auto: &[Variant], files: &[RaySet]) -> BenchRequest {
        let gpu = target.is_gpu();
        let kinds: &[RayKind] = match (self.suite(), self.kind.is_empty()) {
            (_, false) => &self.kind,
            (Some(suite), true) => suite.kinds,
            (None, true) => &RayKind::ALL,
        };
        let mut kinds = kinds.to_vec();
        let mut seen = Vec::new();
        kinds.retain(|kind| {
            !seen.contains(kind) && {
                seen.push(*kind);
                true
            }
        });
        let orders: &[RayOrder] = match (self.shuffle, &self.sort, self.suite()) {
            (true, ..) => &[RayOrder::Shuffled],
            (false, Some(_), _) => &[RayOrder::Morton],
            (false, None, Some(suite)) => suite.orders,
            (false, None, None) => &[RayOrder::Workload],
        };
        let columns = match files {
            [] => suite::columns(&kinds, orders),
            files => files.iter().map(|rays| RayColumn { rays: rays.clone(), order: orders[0] }).collect(),
        };
        let automatic = self.has_auto() && self.variant.iter().all(|choice| matches!(choice, Choice::Auto));
        let one = match automatic && self.tree.given().is_none() {
            true => presets::GPU,
            false => self.tree.options_or_preset(presets::GOOD),
        };
        let trees = if self.trees.is_empty() { vec![one] } else { self.trees.clone() };
        let sizes = if self.leaf_size.is_empty() { vec![one.max_leaf] } else { self.leaf_size.clone() };
        let sized = |build| sizes.iter().map(move |&max_leaf| BuildOptions { max_leaf, ..build });
        BenchRequest {
            workload: self.workload.or(self.suite().map(|suite| suite.workload)).unwrap_or_default(),
            rays_per_pixel: self.rays_per_pixel,
            columns,
            size: self.size.unwrap_or(RESOLUTION),
            one_launch: self.one_launch || self.suite().is_some_and(|suite| suite.one_launch),
            subjects: self.subjects(target, auto),
            instead: Some((self.unnamed(auto), Subject::Kernel(HOLDS_MORE))),
            builds: trees.into_iter().flat_map(sized).collect(),
            bounds: self.bounds(),
            width: self.width,
            warmup: self.warmup.unwrap_or(if gpu { 3 } else { 1 }),
            runs: self.runs.unwrap_or(if gpu { 20 } else { 10 }),
            check: self.check,
            halves: self.simulate,
        }
    }

    /// Returns `true` if launch bounds other than the kernels' own are asked for.
    pub fn has_bounds(&self) -> bool {
        !(self.block_threads.is_empty() && self.max_registers.is_empty())
    }

    /// Returns the launch bounds to measure: each block size with each register limit.
    fn bounds(&self) -> Vec<LaunchBounds> {
        let each = |list: &[u32]| -> Vec<Option<u32>> {
            if list.is_empty() { vec![None] } else { list.iter().copied().map(Some).collect() }
        };
        let registers = each(&self.max_registers);
        each(&self.block_threads)
            .into_iter()
            .flat_map(|block_threads| {
                registers.iter().map(move |&max_registers| LaunchBounds { block_threads, max_registers })
            })
            .collect()
    }

    /// Returns `true` if `--variant auto` asks for kernels that the program chooses.
    pub fn has_auto(&self) -> bool {
        self.variant.contains(&Choice::Auto)
    }

    /// Returns those of the automatically chosen kernels that the user did not also name.
    fn unnamed(&self, auto: &[Variant]) -> Vec<Subject> {
        let unnamed = auto.iter().copied().map(Subject::Kernel);
        unnamed.filter(|subject| !self.variant.contains(&Choice::One(*subject))).collect()
    }

    /// Returns the kernels and tracers to measure, without duplicates; `auto` are the automatically chosen ones.
    fn subjects(&self, target: &Target, auto: &[Variant]) -> Vec<Subject> {
        let papers =
            || raywarp_lab::family::papers().iter().map(|row| Subject::Kernel(row.variant)).collect::<Vec<_>>();
        let all = match (&self.variant[..], self.suite()) {
            ([], Some(suite)) => suite.subjects(target),
            ([], None) if target.is_gpu() => papers(),
            ([], None) => vec![Subject::CpuTracer],
            (choices, _) => choices
                .iter()
                .flat_map(|choice| match choice {
                    Choice::Papers => papers(),
                    Choice::Compiled => target.compiled(),
                    Choice::Auto => auto.iter().copied().map(Subject::Kernel).collect(),
                    Choice::One(subject) => vec![*subject],
                })
                .collect(),
        };
        let mut kept: Vec<Subject> = Vec::new();
        for subject in all {
            if !kept.contains(&subject) {
                kept.push(subject);
            }
        }
        kept
    }
}
