//! `raywarp bench --suite w11` and `l9`: organisations of the GPU path tracer, frame by frame.

use crate::command::bench::args::BenchArgs;
use crate::common::{Common, command_line, is_standard_stream};
use crate::device::DeviceChoice;
use crate::exit::{CliError, Status};
use crate::flags;
use crate::heading;
use crate::interrupt;
use crate::note_words;
use crate::options::camera::CameraArgs;
use crate::options::light::LightArgs;
use crate::options::made_of::{MadeOfArg, made_of};
use crate::options::values;
use clap::Args;
use raywarp::bvh::presets;
use raywarp::cuda::Device;
use raywarp::device::Plan;
use raywarp::render::{Picture, PictureRequest, Prepared};
use raywarp::scene::MadeOf;
use raywarp::system;
use raywarp_lab::bench::{MachineFacts, Target};
use raywarp_lab::path_bench::{Bench, BenchPathsError, PathSuite, Setup, Table, TableName, path_bench_report};
use raywarp_lab::report::{About, Document, Room};
use std::io::Write;
use std::path::Path;

/// Default picture size in a suite of path tracing: W11's.
const SIZE: [u32; 2] = [1280, 768];
const CLAY: f32 = 0.7;
const RUNS: u32 = 5;
/// Default number of frames per run.
const FRAMES: u32 = 16;
/// Default radius of the lens as a fraction of the scene's diagonal, which visibly blurs what is out of focus.
const LENS: f32 = 0.002;

/// Options of suites of paths.
#[derive(Debug, Args)]
pub struct PathBenchArgs {
    #[command(flatten)]
    light: LightArgs,
    /// Reflectance of all surfaces, 0 to 1, of w11 and l9 [default: 0.7].
    #[arg(long, value_name = "R", value_parser = values::share, conflicts_with = "own_materials", help_heading = heading::LIGHT)]
    clay: Option<f32>,
    /// Make all surfaces of mirror, glass, speckles or holes, of w11 and l9.
    ///
    /// As `raywarp render --made-of` does: W11 4.2.7, what surfaces do to compaction.
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with_all = ["clay", "own_materials"], hide_possible_values = true, help_heading = heading::LIGHT)]
    made_of: Option<MadeOfArg>,
    /// Keep the scene's materials, of w11 and l9.
    #[arg(long, help_heading = heading::LIGHT)]
    own_materials: bool,
    /// Radius of the lens in scene units, of w11 and l9 [default: 1/500 of the diagonal].
    #[arg(long, value_name = "RADIUS", value_parser = values::not_negative, help_heading = heading::CAMERA)]
    lens_radius: Option<f32>,
    /// Connect the last vertex of a path to a light, too, of w11 and l9.
    ///
    /// W11 does so (A.2): nine shadow rays of eight bounces.
    #[arg(long, help_heading = heading::RAYS)]
    connect_last: bool,
    /// Throughput below which Russian roulette begins, 0 to 1, of w11 and l9 [default: 0.05].
    ///
    /// The throughput below which it may end a path.
    #[arg(long, value_name = "SHARE", value_parser = values::share, help_heading = heading::RAYS)]
    roulette_below: Option<f32>,
    /// Tables of w11 and l9 to make, comma-separated [default: all but blocks].
    #[arg(long, value_name = "LIST", value_delimiter = ',', long_help = tables_help(), help_heading = heading::KERNELS)]
    tables: Vec<String>,
}

/// Returns the lines of `bench --help` that list the tables of a suite of path tracing; `-h` leaves them out.
fn tables_help() -> String {
    let suites = PathSuite::ALL.map(|suite| {
        let names: Vec<&str> = suite.tables().map(TableName::text).collect();
        format!("{}: {}", suite.name(), names.join(", "))
    });
    format!(
        "Tables of w11 and l9 to make, comma-separated [default: all but blocks, for which the driver compiles for minutes]; {}",
        suites.join("; ")
    )
}

impl PathBenchArgs {
    /// Returns a suite's tables that the user asked for, in the suite's order.
    fn tables(&self, suite: PathSuite) -> Result<Vec<TableName>, CliError> {
        let known: Vec<&str> = suite.tables().map(TableName::text).collect();
        if let Some(name) = self.tables.iter().find(|name| !known.contains(&name.as_str())) {
            return Err(CliError::usage(format!(
                "--tables {name}: --suite {} has no such table; known are {}",
                suite.name(),
                known.join(", ")
            )));
        }
        let is_asked = |table: &TableName| self.tables.iter().any(|asked| asked == table.text());
        Ok(match self.tables.is_empty() {
            true => suite.usual_tables().collect(),
            false => suite.tables().filter(is_asked).collect(),
        })
    }

    /// Returns `true` if any option for suites of path tracing is given.
    pub fn are_named(&self) -> bool {
        self.clay.is_some()
            || self.made_of.is_some()
            || self.own_materials
            || self.lens_radius.is_some()
            || self.connect_last
            || self.roulette_below.is_some()
            || !self.tables.is_empty()
            || self.light.is_named()
    }
}

/// Runs a suite of path tracing on the scenes, one after the other.
pub fn run(suite: PathSuite, args: &BenchArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    if let Some(option) = args.of_rays() {
        return Err(CliError::usage(format!(
            "{option} is for kernels that trace rays; leave it out with --suite {}",
            suite.name()
        )));
    }
    let tables = args.paths.tables(suite)?;
    if let Some(folder) = &args.record {
        std::fs::create_dir_all(folder)
            .map_err(|error| CliError::output(format!("{}: cannot be made ({error})", folder.display())))?;
    }
    let device = device(common)?;
    let machine = MachineFacts::read(&Target::Cuda(device.clone()));
    common.note(machine.line());
    let mut found: Vec<(String, Vec<Table>)> = Vec::new();
    for scene in args.scenes()? {
        if is_standard_stream(&scene) {
            return Err(CliError::usage("suites of paths read files, not standard input"));
        }
        let path = common.find(&scene, raywarp::scene::Prefer::Materials)?;
        let name = name_of(&path);
        if !common.json {
            writeln!(out, "{name}")?;
        }
        found.push((name, Vec::new()));
        let outcome = measure((suite, &tables), args, common, (&path, &device), &mut |table| {
            if !common.json {
                // What cannot be printed is still kept.
                let _ = writeln!(out, "\n{}", common.written(&flags::in_report(&table.document())).trim_end())
                    .and_then(|()| out.flush());
            }
            found.last_mut().expect("a scene is measured").1.push(table);
        });
        save(args, suite, &machine, &found)?;
        match outcome {
            Err(BenchFailure::Bench(BenchPathsError::Interrupted)) => break,
            Err(failure) => return Err(failure.of(&path)),
            Ok(()) if interrupt::is_interrupted() => break,
            Ok(()) => {}
        }
    }
    if common.json {
        writeln!(out, "{:#}", document(suite, &machine, &found).json())?;
    }
    let passes = found.iter().all(|(_, tables)| tables.iter().all(|table| table.passes));
    Ok(match (interrupt::is_interrupted(), passes) {
        (true, _) => Status::Interrupted,
        (false, true) => Status::Done,
        (false, false) => Status::Failed,
    })
}

/// Returns a scene's file name with its folder's name, but no path, so that records are the same wherever scenes lie.
fn name_of(path: &Path) -> String {
    let parts: Vec<_> = path.iter().rev().take(2).map(|part| part.to_string_lossy()).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("/")
}

/// Opens the GPU that `--device` names.
fn device(common: &Common) -> Result<Device, CliError> {
    let ordinal = match &common.device {
        DeviceChoice::Cpu => {
            return Err(CliError::usage("--device cpu: these are organisations of paths on GPUs; leave it out"));
        }
        gpu => gpu.first_ordinal(),
    };
    Device::open(ordinal).map_err(|error| CliError::machine(format!("--suite is for GPUs: {error}")))
}

enum BenchFailure {
    Cli(CliError),
    Bench(BenchPathsError),
}

impl BenchFailure {
    fn of(self, scene: &Path) -> CliError {
        match self {
            Self::Cli(error) => error,
            Self::Bench(BenchPathsError::Prepare(error)) => CliError::prepare(scene.display(), error),
            Self::Bench(error) => CliError::machine(format!("{}: {error}", scene.display())),
        }
    }
}

impl From<CliError> for BenchFailure {
    fn from(error: CliError) -> Self {
        Self::Cli(error)
    }
}

impl From<BenchPathsError> for BenchFailure {
    fn from(error: BenchPathsError) -> Self {
        Self::Bench(error)
    }
}

fn measure(
    (suite, tables): (PathSuite, &[TableName]),
    args: &BenchArgs,
    common: &Common,
    (path, device): (&Path, &Device),
    done: &mut dyn FnMut(Table),
) -> Result<(), BenchFailure> {
    let paths = &args.paths;
    let (loaded, _, _) = common.load_file(path.to_path_buf(), false)?;
    let mut scene = loaded.scene;
    if !paths.own_materials {
        raywarp::scene::make_of(&mut scene, made_of(paths.clay, paths.made_of).unwrap_or(MadeOf::Clay(CLAY)));
    }
    let camera = CameraArgs::of_view(args.view.clone()).request(Some(path), common)?;
    let options = Plan::cpu(args.tree().options_or_preset(presets::GOOD));
    let name = path.display().to_string();
    let building = common.building(&scene);
    let mut prepared = Prepared::new(scene, &options).map_err(|error| CliError::prepare(&name, error))?;
    drop(building);
    let request = PictureRequest {
        size: Some(args.size().unwrap_or(SIZE)),
        samples: Some(0..FRAMES),
        lens_radius: Some(paths.lens_radius.unwrap_or(LENS * prepared.bounds().diagonal())),
        light: paths.light.request()?,
        connect_last: paths.connect_last,
        roulette_below: paths.roulette_below,
        camera,
        ..PictureRequest::default()
    };
    let picture = Picture::settle(&mut prepared, &request).map_err(CliError::settle)?;
    for note in &picture.notes {
        common.note(note_words::of(note));
    }
    let setup = Setup { options: picture.options.clone(), runs: args.runs().unwrap_or(RUNS) };
    let bench = Bench::new(&prepared, picture.camera.clone(), device.clone(), setup, Some(interrupt::flag()))?;
    suite.run(&bench, tables, &|| !interrupt::is_interrupted(), done)?;
    Ok(())
}

fn document(suite: PathSuite, machine: &MachineFacts, found: &[(String, Vec<Table>)]) -> Document {
    let mut document = flags::in_report(&path_bench_report(suite, &machine.line(), found));
    document.data("command", command_line());
    document.data("interrupted", interrupt::is_interrupted());
    document
}

/// Writes the tables of all scenes, and how they were measured, to the folder of `--record`.
fn save(
    args: &BenchArgs,
    suite: PathSuite,
    machine: &MachineFacts,
    found: &[(String, Vec<Table>)],
) -> Result<(), CliError> {
    let Some(folder) = &args.record else { return Ok(()) };
    let write =
        |name: String, text: String| system::write_atomic(&folder.join(name), text.as_bytes()).map_err(CliError::from);
    let document = document(suite, machine, found);
    write(format!("{}.json", suite.name()), format!("{:#}\n", document.json()))?;
    let mut text = format!("# {}\n\n{}\n\n    {}\n", suite.about(), machine.line(), command_line());
    for (scene, tables) in found {
        text += &format!("\n## {scene}\n");
        for table in tables {
            let rows: String = flags::in_report(&table.document())
                .text(Room::Any)
                .lines()
                .map(|line| format!("    {line}\n"))
                .collect();
            text += &format!("\n{rows}");
        }
    }
    write("README.md".into(), text)?;
    // With their names alone, as in the command line: the same run gives the same page everywhere.
    let scene_file = found.iter().map(|(scene, _)| scene.as_str()).collect::<Vec<_>>().join(", ");
    let about = About { command: command_line(), scene_file };
    write(format!("{}.html", suite.name()), document.page(&about).html().to_string())
}
