//! The `raywarp` command. A file a sub-command; each parses its arguments, calls the library once and
//! prints what it gives.
#![forbid(unsafe_code)]

mod command;
mod common;
mod exit;
mod interrupt;
mod progress;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use common::Common;
use exit::CliError;
use std::sync::Mutex;

/// Traces rays: pictures from scene files, and what is in them.
#[derive(Debug, Parser)]
#[command(name = "raywarp", version, about, max_term_width = 100, after_help = exit::HELP)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Bench(Box<command::bench::BenchArgs>),
    // Boxed: it has many more options than the others.
    Render(Box<command::RenderArgs>),
    Merge(command::merge::MergeArgs),
    Info(command::info::InfoArgs),
    Selftest(command::selftest::SelftestArgs),
    Simulate(Box<command::simulate::SimulateArgs>),
    Trace(Box<command::trace::TraceArgs>),
    Variants(command::variants::VariantsArgs),
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
    let takes_gpu = matches!(
        cli.command,
        Command::Bench(_) | Command::Render(_) | Command::Selftest(_) | Command::Trace(_) | Command::Variants(_)
    );
    let result = cli.common.start(takes_gpu).and_then(|()| match &cli.command {
        Command::Bench(args) => command::bench::run(args, &cli.common, &mut out),
        Command::Render(args) => command::render::run(args, &cli.common, &mut out),
        Command::Merge(args) => command::merge::run(args, &cli.common, &mut out),
        Command::Info(args) => command::info::run(args, &cli.common, &mut out),
        Command::Selftest(args) => command::selftest::run(args, &cli.common, &mut out),
        Command::Simulate(args) => command::simulate::run(args, &cli.common, &mut out),
        Command::Trace(args) => command::trace::run(args, &cli.common, &mut out),
        Command::Variants(args) => command::variants::run(args, &cli.common, &mut out),
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
