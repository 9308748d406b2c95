//! Code that all sub-commands share: messages, finding and loading scenes, what the shared flags say.

mod arguments;

pub use crate::command_line::command_line;
use crate::device::{DeviceChoice, open};
use crate::exit::CliError;
use crate::files::Files;
use crate::progress::{ProgressView, Ticker, si};
pub use crate::screen::say;
use crate::typed_options::TypedOptions;
use crate::usage::list;
use crate::{flags, interrupt};
pub use arguments::{Replacing, Scenes, Tables, Taken, Talk, Threads};
use raywarp::cpu::Isa;
use raywarp::cuda::auto::{Choice, Promise, cache_file, choose};
use raywarp::cuda::{CudaError, Device};
use raywarp::render::output::ExposureChoice;
use raywarp::render::{JobError, LoadedJob, RenderJob};
use raywarp::scene::{
    Description, Format, GltfOptions, LightUnits, LoadError, LoadOptions, Loaded, Prefer, SceneLookup, Warning,
    WithoutTriangles,
};
use raywarp_lab::report::{Document, Room};
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Values of the flags that commands share, and facts about the run.
#[derive(Debug)]
pub struct Common {
    pub json: bool,
    pub quiet: bool,
    pub verbose: bool,
    /// Number of worker threads; 0 means one per logical processor.
    pub threads: usize,
    /// Device that traces the rays.
    pub device: DeviceChoice,
    /// Folder in which bare scene names are looked up.
    pub scenes: Option<PathBuf>,
    /// Format of the scene file, if given in place of its name's extension.
    pub format: Option<Format>,
    /// Unit in which the scene file gives the light of lamps.
    pub light_units: LightUnits,
    /// Options that choose the scene, animation time and material variant of a glTF file.
    pub gltf: GltfOptions,
    /// `true` if existing files must not be replaced.
    pub no_clobber: bool,
    /// `true` if tables are printed with all their columns.
    pub wide: bool,
    /// `true` if tables are printed as Markdown.
    pub markdown: bool,
    /// Options that the user typed.
    typed: TypedOptions,
    /// Files that this run reads and writes.
    pub files: Files,
    /// Scenes loaded so far, for JSON documents.
    loaded: Mutex<Vec<LoadedFacts>>,
    /// Time at which the command began.
    pub start: Instant,
}

/// Largest number of worker threads that can be asked for. Idle ones look for work at each other, and so the time to
/// start and stop grows with their square: on two processors 1024 take seconds, 4096 minutes.
const MAX_THREADS: usize = 1024;

/// Name for the input `-` in messages.
pub const STANDARD_INPUT: &str = "standard input";

/// Returns `true` if `path` is `-`, standard input or output.
pub fn is_standard_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Facts about a loaded scene for JSON documents.
#[derive(Debug)]
struct LoadedFacts {
    path: PathBuf,
    origin: [f64; 3],
    warnings: Vec<String>,
}

/// Progress display for work of unknown length, shown until dropped. An interrupt ends the process meanwhile.
pub struct Activity {
    _ticker: Ticker,
    _doing: interrupt::Doing,
}

impl Common {
    /// Combines the flags before and after the name of the command.
    pub fn new(talk: &Talk, before: Threads, taken: &Taken<'_>, typed: TypedOptions) -> Self {
        Self {
            json: talk.json,
            quiet: talk.quiet,
            verbose: talk.verbose,
            threads: taken.threads.and_then(|flag| flag.threads).or(before.threads).unwrap_or(0),
            device: taken.device.cloned().unwrap_or(DeviceChoice::Auto),
            scenes: taken.scenes.and_then(|flag| flag.scenes.clone()),
            format: taken.scenes.and_then(|flag| flag.format),
            light_units: taken.scenes.map_or(LightUnits::Auto, |flag| flag.light_units.units()),
            gltf: taken.scenes.map(Scenes::gltf).unwrap_or_default(),
            no_clobber: taken.replacing.is_some_and(|flag| flag.no_clobber),
            wide: taken.tables.is_some_and(|flag| flag.wide),
            markdown: taken.tables.is_some_and(|flag| flag.markdown),
            typed,
            files: Files::default(),
            loaded: Mutex::default(),
            start: Instant::now(),
        }
    }

    /// Applies the shared flags to this process. `lost` says what becomes of
    /// the command if it is interrupted before it has anything.
    pub fn start(&self, lost: &'static str) -> Result<(), CliError> {
        // First of all, so that a signal is never met by the system's rule.
        interrupt::listen(lost)?;
        if self.threads > MAX_THREADS {
            return Err(CliError::usage(format!("--threads {} is more than {MAX_THREADS}", self.threads)));
        }
        if self.no_clobber {
            raywarp::system::keep_existing_files();
        }
        Isa::from_environment().map_err(CliError::isa)?;
        raywarp::device::set_threads(self.threads).map_err(CliError::machine)
    }

    /// Refuses those of `options`, each as `--threads`, that the user typed where they have no effect: `why` says the
    /// reason. A value of the environment is no request.
    pub fn refuse(&self, options: &[&str], why: &str) -> Result<(), CliError> {
        match &self.typed.among(options)[..] {
            [] => Ok(()),
            given => Err(CliError::usage(format!("{why}; leave out {}", list(given, "and")))),
        }
    }

    /// Returns the number of worker threads: what was asked for, or one per logical processor.
    pub fn worker_threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            threads => threads,
        }
    }

    /// Shows what is being done, until the result is dropped.
    pub fn activity(&self, doing: impl Into<String>) -> Activity {
        let doing = doing.into();
        let _doing = interrupt::doing(&doing);
        let view = move || ProgressView { doing: doing.clone(), share: None, more: String::new() };
        Activity { _ticker: Ticker::start(self.quiet, view), _doing }
    }

    /// Shows that the tree of a scene is being built.
    pub fn building(&self, scene: &Description) -> Activity {
        let triangles = si(scene.triangle_count() as f64);
        self.activity(format!("building the tree of {triangles} triangles"))
    }

    /// Opens the GPU that the user asked for, in commands that use at most one. `auto` is none here.
    pub fn gpu(&self) -> Result<Option<Device>, CliError> {
        Ok(open(&self.device)?.pop())
    }

    /// Returns the fastest kernels of a GPU that keep `promise`, timed now unless an earlier run did; prints which.
    pub fn choose(&self, device: &Device, promise: Promise) -> Result<Choice, CliError> {
        self.can_choose()?;
        let failed = |error| CliError::machine(format!("--device {}: {error}", self.device));
        self.try_choose(device, promise).map_err(failed)
    }

    /// Refuses output files that are the file of earlier kernel choices.
    pub fn can_choose(&self) -> Result<(), CliError> {
        cache_file().iter().try_for_each(|file| self.files.reads(file))?;
        Ok(())
    }

    /// Chooses kernels as [`Common::choose`] does, but returns the GPU's own error; call [`Common::can_choose`] first.
    pub fn try_choose(&self, device: &Device, promise: Promise) -> Result<Choice, CudaError> {
        let _activity = self.activity("timing the kernels of the GPU");
        let chosen = choose(device, promise, cache_file().as_deref())?;
        for warning in &chosen.warnings {
            self.note(format!("warning: {warning}"));
        }
        self.note(format!("cuda: {chosen}"));
        Ok(chosen.choice)
    }

    /// Returns a report for people to read: as Markdown if that was asked for, else as text.
    pub fn written(&self, document: &Document) -> String {
        match (self.markdown, self.wide) {
            (true, _) => document.markdown(),
            (false, true) => document.text(Room::Any),
            (false, false) => document.text(Room::Terminal { all_columns: "--wide" }),
        }
    }

    /// Prints a report as text, or as JSON if that was asked for.
    pub fn print(&self, document: &Document, out: &mut dyn Write) -> Result<(), CliError> {
        let document = flags::in_report(document);
        match self.json {
            true => writeln!(out, "{:#}", document.json())?,
            false => write!(out, "{}", self.written(&document))?,
        }
        Ok(())
    }

    /// Prints a message for people on standard error.
    pub fn note(&self, message: impl Display) {
        if !self.quiet {
            say(message);
        }
    }

    /// Prints the exposure that `--exposure auto` has chosen, if the user gave that.
    pub fn say_exposure(&self, choice: ExposureChoice, stops: f32) {
        if choice == ExposureChoice::Auto {
            self.note(format!("--exposure auto: {stops:+.1} stops"));
        }
    }

    /// Prints a message on standard error, if `--verbose` is given.
    pub fn detail(&self, message: impl Display) {
        if self.verbose && !self.quiet {
            say(message);
        }
    }

    /// Returns where bare scene names are looked up.
    pub fn lookup(&self) -> SceneLookup {
        SceneLookup { folder: self.scenes.clone().filter(|folder| !folder.as_os_str().is_empty()) }
    }

    /// Returns the scene file that the user named (`-` is standard input); `prefer` decides in folders with several.
    pub fn find(&self, name: &Path, prefer: Prefer) -> Result<PathBuf, CliError> {
        raywarp::scene::find_scene(name, &self.lookup(), prefer).map_err(CliError::find)
    }

    /// Finds and loads the scene to trace rays through, and prints its warnings. Refused if an output is a file of the
    /// scene. Only its triangles are needed: what is missing or broken of its materials is a warning.
    pub fn load(&self, name: &Path, allow_missing: bool) -> Result<(Loaded, PathBuf, Duration), CliError> {
        self.load_with(self.find(name, Prefer::Geometry)?, allow_missing, true, WithoutTriangles::Refused)
    }

    /// Loads the scene at `path` (`-` is standard input), and prints its warnings. Refused if an output is a file of
    /// the scene.
    pub fn load_file(&self, path: PathBuf, allow_missing: bool) -> Result<(Loaded, PathBuf, Duration), CliError> {
        self.load_with(path, allow_missing, false, WithoutTriangles::Refused)
    }

    /// Loads a scene as [`Common::load_file`] does, for its triangles alone: missing or broken materials are only
    /// warnings.
    pub fn load_triangles(&self, path: PathBuf, allow_missing: bool) -> Result<(Loaded, PathBuf, Duration), CliError> {
        self.load_with(path, allow_missing, true, WithoutTriangles::TakenWithEnvironment)
    }

    /// Loads the scene of a render from the file `path` (`-` is standard input) or from memory, and prints its
    /// warnings. Refused if an output is a file of the scene.
    pub fn load_job(&self, job: RenderJob, path: Option<PathBuf>) -> Result<LoadedJob, CliError> {
        let Some(path) = path else { return job.load().map_err(CliError::job) };
        let (path, loading) = self.begin_loading(path)?;
        let loaded = job.load();
        drop(loading);
        let loaded = loaded.map_err(|error| match error {
            JobError::Load { error } => self.load_failed(error),
            other => CliError::job(other),
        })?;
        self.say_loaded(&path, &loaded.loaded)?;
        Ok(loaded)
    }

    /// Returns the options for loading a scene to render.
    pub fn load_options(&self, allow_missing: bool, without_triangles: WithoutTriangles) -> LoadOptions {
        LoadOptions {
            allow_missing,
            format: self.format,
            geometry_only: false,
            light_units: self.light_units,
            without_triangles,
            gltf: self.gltf.clone(),
        }
    }

    fn load_with(
        &self,
        path: PathBuf,
        allow_missing: bool,
        geometry_only: bool,
        without_triangles: WithoutTriangles,
    ) -> Result<(Loaded, PathBuf, Duration), CliError> {
        let start = Instant::now();
        let options = LoadOptions { geometry_only, ..self.load_options(allow_missing, without_triangles) };
        let is_input = is_standard_stream(&path);
        let (path, loading) = self.begin_loading(path)?;
        let loaded = match is_input {
            true => raywarp::scene::load_from(std::io::stdin().lock(), &path, &options),
            false => raywarp::scene::load(&path, &options),
        };
        drop(loading);
        let loaded = loaded.map_err(|error| self.load_failed(error))?;
        self.say_loaded(&path, &loaded)?;
        Ok((loaded, path, start.elapsed()))
    }

    /// Checks that a scene file may be read, shows that it is being read, and returns its path for messages.
    fn begin_loading(&self, path: PathBuf) -> Result<(PathBuf, Activity), CliError> {
        let is_input = is_standard_stream(&path);
        if is_input && self.format.is_none() {
            return Err(CliError::usage("a scene on standard input needs --format, such as --format ply"));
        }
        self.files.reads(&path)?;
        if is_input {
            return Ok((STANDARD_INPUT.into(), self.activity("loading a scene from standard input")));
        }
        let loading = self.activity(format!("loading {}", path.display()));
        Ok((path, loading))
    }

    /// Prints the warnings of a scene that cannot be loaded. They come first: what was left out may be why nothing is
    /// left.
    fn load_failed(&self, failed: LoadError) -> CliError {
        self.warn_all(&failed.warnings);
        CliError::scene(failed.error)
    }

    /// Prints the warnings of a loaded scene, and records its facts for JSON documents. Refused if an output is a file
    /// of the scene.
    fn say_loaded(&self, path: &Path, loaded: &Loaded) -> Result<(), CliError> {
        loaded.files.iter().try_for_each(|file| self.files.reads(file))?;
        self.warn_all(&loaded.warnings);
        if let Some(stand_ins) = loaded.stand_ins {
            self.note(format!("{}: {stand_ins}", path.display()));
        }
        if let Some(units) = &loaded.lamp_units {
            self.note(format!("{}: {units}", path.display()));
        }
        self.remember(loaded, path);
        Ok(())
    }

    fn warn_all(&self, warnings: &[Warning]) {
        for warning in warnings {
            self.note(format!("warning: {warning}"));
            crate::screen::keep_warning(&warning.to_string());
        }
    }

    /// Records the facts about a loaded scene for JSON documents.
    fn remember(&self, loaded: &Loaded, path: &Path) {
        let facts = LoadedFacts {
            path: path.to_path_buf(),
            origin: loaded.scene.origin,
            warnings: loaded.warnings.iter().map(|warning| flags::named(&warning.to_string())).collect(),
        };
        if facts.origin != [0.0; 3] {
            let [x, y, z] = facts.origin;
            self.detail(format!("{}: computed relative to the origin {x},{y},{z}", path.display()));
        }
        let mut all = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|known| known.path != facts.path);
        all.push(facts);
    }

    /// Adds the warnings and origins of the loaded scenes to a JSON document, by path if there are several.
    pub fn describe_scenes(&self, document: &mut serde_json::Value) {
        let all = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        document["warnings"] = all.iter().flat_map(|facts| facts.warnings.clone()).collect();
        if let [one] = &all[..] {
            document["origin"] = one.origin.to_vec().into();
        } else {
            let origin = |facts: &LoadedFacts| (facts.path.display().to_string(), facts.origin.to_vec().into());
            document["origins"] = serde_json::Value::Object(all.iter().map(origin).collect());
        }
    }
}

/// Reads a table file that the user named, of at most `most` bytes.
pub fn read_table(path: &Path, most: u64) -> Result<String, CliError> {
    if is_standard_stream(path) {
        return Err(CliError::usage(
            "-: this is read from a file, not from standard input; ./- is a file of that name",
        ));
    }
    raywarp_lab::sim::machine::read_text(path, most)
        .map_err(|error| CliError::input(format!("{}: {error}", path.display())))
}
