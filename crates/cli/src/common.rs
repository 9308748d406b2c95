//! What all sub-commands share: flags, messages, finding and loading scenes.

use crate::exit::CliError;
use crate::interrupt;
use clap::Args;
use raywarp::cuda::Device;
use raywarp::cuda::auto::{Choice, Promise, cache_file, choose};
use raywarp::scene::{LoadOptions, Loaded};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Flags of every sub-command.
#[derive(Debug, Args)]
pub struct Common {
    /// Print one JSON document on standard output.
    #[arg(long, global = true)]
    pub json: bool,
    /// Print errors only.
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Print timings of each step too.
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// Worker threads; 0 takes one for each processor. The result does not depend on it.
    #[arg(long, global = true, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// What traces the rays: cpu, cuda, cuda:N, or auto for the best there is. Only render, trace, selftest, bench and variants take a GPU, and only bench by auto.
    #[arg(long, global = true, value_name = "DEVICE", default_value = "auto")]
    pub device: String,
    /// Folder in which bare scene names are looked up.
    #[arg(long, global = true, value_name = "DIR", env = "RAYWARP_SCENES")]
    pub scenes: Option<PathBuf>,
}

/// `--device`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceChoice {
    /// This CPU.
    Cpu,
    /// A GPU, counted from 0.
    Cuda(usize),
    /// The first GPU where there is one, else the CPU.
    Auto,
}

/// Most worker threads that can be asked for. Idle ones look for work at each other, and so the time to start and stop
/// grows with their square: on two processors 1024 take seconds, 4096 minutes.
const MAX_THREADS: usize = 1024;

/// A line on standard error. Nobody may be listening (a closed pipe, a full disk), which is no reason to stop.
pub fn say(message: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "raywarp: {message}");
}

/// The command line, for the metadata of pictures; what is not UTF-8 becomes replacement characters.
pub fn command_line() -> String {
    std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

impl Common {
    /// What `--device` says.
    pub fn device(&self) -> Result<DeviceChoice, CliError> {
        match self.device.as_str() {
            "cpu" => Ok(DeviceChoice::Cpu),
            "auto" => Ok(DeviceChoice::Auto),
            "cuda" => Ok(DeviceChoice::Cuda(0)),
            other => match other.strip_prefix("cuda:").and_then(|n| n.parse::<u32>().ok()) {
                Some(number) => Ok(DeviceChoice::Cuda(number as usize)),
                None => Err(CliError::usage(format!("--device {other}: known are cpu, cuda, cuda:N and auto"))),
            },
        }
    }

    /// Applies the flags to the process. `takes_gpu` says whether the command can trace on one.
    pub fn start(&self, takes_gpu: bool) -> Result<(), CliError> {
        if self.threads > MAX_THREADS {
            return Err(CliError::usage(format!("--threads {} is more than {MAX_THREADS}", self.threads)));
        }
        if let (DeviceChoice::Cuda(_), false) = (self.device()?, takes_gpu) {
            return Err(CliError::machine(
                "--device cuda: this command traces on the CPU only; use --device cpu or auto",
            ));
        }
        raywarp::set_threads(self.threads).map_err(CliError::machine)?;
        interrupt::listen()
    }

    /// The GPU that was asked for. `auto` is none here: a GPU that only traces is no faster than the CPU that shades.
    pub fn gpu(&self) -> Result<Option<Device>, CliError> {
        let DeviceChoice::Cuda(number) = self.device()? else { return Ok(None) };
        let failed = |error| CliError::machine(format!("--device {}: {error}; --device cpu does without", self.device));
        Device::open(number).map(Some).map_err(failed)
    }

    /// The fastest kernels of a GPU that keep `promise`, timed where no earlier run has; says which.
    pub fn choose(&self, device: &Device, promise: Promise) -> Result<Choice, CliError> {
        let chosen = choose(device, promise, cache_file().as_deref())
            .map_err(|error| CliError::machine(format!("--device {}: {error}", self.device)))?;
        for warning in &chosen.warnings {
            self.note(format!("warning: {warning}"));
        }
        self.note(format!("cuda: {chosen}"));
        Ok(chosen.choice)
    }

    /// A message for people, on standard error.
    pub fn note(&self, message: impl std::fmt::Display) {
        if !self.quiet {
            say(message);
        }
    }

    /// A message for those who want to know more.
    pub fn detail(&self, message: impl std::fmt::Display) {
        if self.verbose && !self.quiet {
            say(message);
        }
    }

    /// Loads the scene that the user named and prints its warnings.
    pub fn load(&self, name: &Path, allow_missing: bool) -> Result<(Loaded, PathBuf, Duration), CliError> {
        let start = Instant::now();
        let lookup = raywarp::SceneLookup { folder: self.scenes.clone() };
        let path = raywarp::find_scene(name, &lookup);
        let loaded = raywarp::scene::load(&path, &LoadOptions { allow_missing }).map_err(CliError::scene)?;
        interrupt::check("loading")?;
        for warning in &loaded.warnings {
            self.note(format!("warning: {warning}"));
        }
        Ok((loaded, path, start.elapsed()))
    }
}

/// The text of a table that the user named, of at most `most` bytes.
pub fn read_table(path: &Path, most: u64) -> Result<String, CliError> {
    raywarp::sim::machine::read_text(path, most)
        .map_err(|error| CliError::input(format!("{}: {error}", path.display())))
}
