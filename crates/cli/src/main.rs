//! The `raywarp` command. A file a sub-command; each parses its arguments, calls the library once and
//! prints what it gives.
#![forbid(unsafe_code)]

mod command;
mod common;
mod exit;
mod heading;
mod interrupt;
mod progress;

use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand};
use common::{Common, Taken, Talk, Threads};
use exit::CliError;
use std::sync::Mutex;

/// Raywarp renders pictures of scene files and traces rays through them, on a CPU or an NVIDIA GPU.
///
/// Raywarp is a path tracer and a ray-tracing library. It makes a correct picture of a scene file (render), answers rays
/// from NumPy arrays (trace), and says of each kernel of the papers how fast it is here (bench) and how fast it could be
/// (simulate).
#[derive(Debug, Parser)]
#[command(name = "raywarp", version, about, max_term_width = 100, after_help = exit::HELP)]
#[command(disable_help_flag = true, disable_version_flag = true, disable_help_subcommand = true)]
struct Cli {
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    talk: Talk,
    /// Print the version; --version also commit, CPU features and GPU.
    #[arg(short = 'V', long, action = ArgAction::Version, help_heading = heading::GENERAL)]
    version: Option<bool>,
    #[command(subcommand)]
    command: Command,
}

/// In the order in which people meet them.
#[derive(Debug, Subcommand)]
enum Command {
    // Boxed: it has many more options than the others.
    Render(Box<command::RenderArgs>),
    Info(command::info::InfoArgs),
    Trace(Box<command::trace::TraceArgs>),
    Merge(command::merge::MergeArgs),
    Convert(command::convert::ConvertArgs),
    Diff(command::diff::DiffArgs),
    Bench(Box<command::bench::BenchArgs>),
    Simulate(Box<command::simulate::SimulateArgs>),
    Variants(command::variants::VariantsArgs),
    Selftest(command::selftest::SelftestArgs),
}

impl Command {
    /// The shared flags that it takes.
    fn taken(&self) -> Taken<'_> {
        match self {
            Self::Render(a) => Taken { threads: Some(&a.threads), device: Some(a.device), scenes: Some(&a.scenes) },
            Self::Info(a) => Taken { threads: Some(&a.threads), scenes: Some(&a.scenes), ..Taken::default() },
            Self::Trace(a) => Taken { threads: Some(&a.threads), device: Some(a.device), scenes: Some(&a.scenes) },
            Self::Merge(_) | Self::Convert(_) | Self::Diff(_) => Taken::default(),
            Self::Bench(a) => Taken { threads: Some(&a.threads), device: Some(a.device), scenes: Some(&a.scenes) },
            Self::Simulate(a) => Taken { threads: Some(&a.threads), scenes: Some(&a.scenes), ..Taken::default() },
            Self::Variants(a) => Taken { device: Some(a.device), ..Taken::default() },
            Self::Selftest(a) => Taken { threads: Some(&a.threads), device: Some(a.device), ..Taken::default() },
        }
    }
}

/// What the last panic said and where, for [`main`] to print.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Keeps what a panic says from the terminal: image decoders may panic on broken files, which the importers turn into
/// an error of the input. Whoever sets RUST_BACKTRACE wants to see all.
fn quiet_panics() {
    if std::env::var_os("RUST_BACKTRACE").is_none() {
        std::panic::set_hook(Box::new(|info| {
            if let Ok(mut last) = PANIC.lock() {
                *last = info.to_string().replace('\n', " ");
            }
        }));
    }
}

fn main() -> std::process::ExitCode {
    quiet_panics();
    std::panic::catch_unwind(run).unwrap_or_else(|_| {
        let what = PANIC.lock().map(|last| last.clone()).unwrap_or_default();
        common::say(format!("a bug of this program: {what}; please report it with the command and its input"));
        exit::Status::Bug.into()
    })
}

fn run() -> std::process::ExitCode {
    let matches = Cli::command().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let mut out = std::io::stdout().lock();
    let common = Common::new(&cli.talk, cli.threads, &cli.command.taken());
    let result = common.start().and_then(|()| match &cli.command {
        Command::Render(args) => command::render::run(args, &common, &mut out),
        Command::Info(args) => command::info::run(args, &common, &mut out),
        Command::Trace(args) => command::trace::run(args, &common, &mut out),
        Command::Merge(args) => command::merge::run(args, &common, &mut out),
        Command::Convert(args) => command::convert::run(args, &common, &mut out),
        Command::Diff(args) => command::diff::run(args, &common, &mut out),
        Command::Bench(args) => command::bench::run(args, &common, &mut out),
        Command::Simulate(args) => command::simulate::run(args, &common, &mut out),
        Command::Variants(args) => command::variants::run(args, &common, &mut out),
        Command::Selftest(args) => command::selftest::run(args, &common, &mut out),
    });
    match result {
        Ok(status) => status.into(),
        Err(CliError::ClosedPipe) => exit::Status::Done.into(),
        Err(error) => {
            common::say(&error);
            error.status().into()
        }
    }
}
