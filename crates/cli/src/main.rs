//! The `raywarp` command. A file a sub-command; each parses its arguments, calls the library once and
//! prints what it gives.
#![forbid(unsafe_code)]

mod command;
mod command_line;
mod common;
mod device;
mod escape;
mod examples;
mod exit;
mod files;
mod flags;
mod heading;
mod interrupt;
mod interrupted_table;
mod mistake;
mod named_values;
mod note_words;
mod options;
mod plan_words;
mod progress;
mod replace;
mod screen;
mod typed_options;
mod usage;
mod version;
mod whole_number;

use clap::error::ErrorKind;
use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand};
use common::{Common, Taken, Talk, Threads};
use exit::{CliError, Status};
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Mutex;
use typed_options::TypedOptions;

/// Raywarp is a path tracer and a ray-tracing library, for CPUs and NVIDIA GPUs.
///
/// It makes correct pictures of scene files (glTF, pbrt, OBJ, PLY, STL, OFF, 3MF), and answers rays that come in a
/// file. Of each traversal kernel of the papers it says how fast it is on this machine, and how fast it could be.
#[derive(Debug, Parser)]
#[command(name = "raywarp", version, max_term_width = 100, after_help = exit::HELP)]
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
    Render(Box<command::render::RenderArgs>),
    Info(command::info::InfoArgs),
    Trace(Box<command::trace::TraceArgs>),
    Merge(command::merge::MergeArgs),
    Convert(command::convert::ConvertArgs),
    Diff(command::diff::DiffArgs),
    Bench(Box<command::bench::BenchArgs>),
    Simulate(Box<command::simulate::SimulateArgs>),
    Explain(Box<command::explain::ExplainArgs>),
    Paper(Box<command::paper::PaperArgs>),
    Variants(command::variants::VariantsArgs),
    Selftest(command::selftest::SelftestArgs),
    Completions(command::completions::CompletionsArgs),
    Man(command::man::ManArgs),
}

impl Command {
    /// Returns `true` if the command's standard output is bytes: hits of rays, or a file for a program.
    fn writes_bytes(&self) -> bool {
        match self {
            Self::Trace(args) => args.is_piped(),
            Self::Completions(_) | Self::Man(_) => true,
            _ => false,
        }
    }

    /// Returns the words that tell what an interrupted command leaves if it has no results yet, such as "nothing was
    /// written".
    fn lost(&self) -> &'static str {
        match self {
            Self::Render(_) | Self::Merge(_) | Self::Trace(_) => "nothing was written",
            // Several pictures, one after the other.
            Self::Convert(_) => "what was not finished was not written",
            Self::Bench(_) => "nothing was measured",
            Self::Selftest(_) => "there is no verdict",
            _ => "nothing was printed",
        }
    }

    /// Returns the shared flags that the command takes.
    fn taken(&self) -> Taken<'_> {
        match self {
            Self::Render(a) => Taken {
                threads: Some(&a.threads),
                device: Some(a.device()),
                scenes: Some(&a.scenes),
                replacing: Some(a.replacing),
                ..Taken::default()
            },
            Self::Info(a) => Taken { threads: Some(&a.threads), scenes: Some(&a.scenes), ..Taken::default() },
            Self::Trace(a) => Taken {
                threads: Some(&a.threads),
                device: Some(&a.device),
                scenes: Some(&a.scenes),
                replacing: Some(a.replacing),
                ..Taken::default()
            },
            Self::Merge(a) => Taken { replacing: Some(a.replacing), ..Taken::default() },
            Self::Convert(a) => Taken { replacing: Some(a.replacing), ..Taken::default() },
            Self::Diff(a) => Taken { replacing: Some(a.replacing), ..Taken::default() },
            Self::Man(a) => Taken { replacing: Some(a.replacing), ..Taken::default() },
            Self::Completions(_) => Taken::default(),
            Self::Bench(a) => Taken {
                threads: Some(&a.threads),
                device: Some(&a.device),
                scenes: Some(&a.scenes),
                replacing: Some(a.replacing),
                tables: Some(a.tables),
            },
            Self::Simulate(a) => Taken {
                tables: Some(a.tables),
                threads: Some(&a.threads),
                scenes: Some(&a.scenes),
                replacing: Some(a.replacing),
                ..Taken::default()
            },
            Self::Explain(a) => Taken {
                tables: Some(a.tables),
                threads: Some(&a.threads),
                scenes: Some(&a.scenes),
                replacing: Some(a.replacing),
                ..Taken::default()
            },
            Self::Paper(a) => Taken {
                threads: Some(&a.threads),
                device: Some(&a.device),
                scenes: Some(&a.scenes),
                replacing: Some(a.replacing),
                tables: Some(a.tables),
            },
            Self::Variants(a) => Taken { device: Some(&a.device), tables: Some(a.tables), ..Taken::default() },
            Self::Selftest(a) => {
                Taken { threads: Some(&a.threads), device: Some(&a.device), tables: Some(a.tables), ..Taken::default() }
            }
        }
    }
}

impl Cli {
    /// Refuses `--threads` given before a command that does not take it.
    fn check_threads(&self, taken: &Taken<'_>) -> Result<(), CliError> {
        if self.threads.is_given() && taken.threads.is_none() {
            return Err(CliError::usage("--threads: this command has nothing to share out; leave it out"));
        }
        Ok(())
    }
}

/// Message and place in the source of the last panic, for [`main`] to print.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Keeps panic messages off the terminal, since image decoders may panic on broken files, which importers turn into
/// errors. Whoever sets RUST_BACKTRACE wants to see all.
fn quiet_panics() {
    let all = std::env::var_os("RUST_BACKTRACE").map(|_| std::panic::take_hook());
    std::panic::set_hook(Box::new(move |info| {
        if let Ok(mut last) = PANIC.lock() {
            *last = info.to_string().replace('\n', " ");
        }
        if let Some(all) = &all {
            all(info);
        }
    }));
}

fn main() -> ExitCode {
    quiet_panics();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if usage::wants_json(&arguments) {
        screen::use_json();
    }
    std::panic::catch_unwind(|| run(&arguments)).unwrap_or_else(|_| {
        let what = PANIC.lock().map(|last| last.clone()).unwrap_or_default();
        let message = format!("a bug of this program: {what}; please report it with the command and its input");
        screen::fail(message, Status::Bug);
        Status::Bug.into()
    })
}

/// Returns the definition of the whole command line, with examples under each command's help.
fn definition() -> clap::Command {
    let with_examples = |command: clap::Command| {
        let examples = examples::section(command.get_name());
        let notes = command.get_after_long_help().or_else(|| command.get_after_help()).map(ToString::to_string);
        let long = [Some(examples.clone()), notes].into_iter().flatten().filter(|text| !text.is_empty());
        let long = long.collect::<Vec<_>>().join("\n\n");
        if long.is_empty() { command } else { command.after_help(examples).after_long_help(long) }
    };
    let definition = with_examples(Cli::command()).mut_subcommands(with_examples);
    usage::take_negative_numbers(definition)
}

fn run(arguments: &[OsString]) -> ExitCode {
    let mut built = definition();
    let parsed = built.try_get_matches_from_mut(arguments).and_then(|matches| {
        let cli = Cli::from_arg_matches(&matches)?;
        Ok((cli, TypedOptions::of(&matches, &built)))
    });
    let (cli, typed) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return answer(&error, arguments),
    };
    let taken = cli.command.taken();
    let common = Common::new(&cli.talk, cli.threads, &taken, typed);
    let mut text = screen::Results::text();
    let mut bytes = screen::Results::bytes();
    let out: &mut dyn Write = if cli.command.writes_bytes() { &mut bytes } else { &mut text };
    let result =
        cli.check_threads(&taken).and_then(|()| common.start(cli.command.lost())).and_then(|()| match &cli.command {
            Command::Render(args) => command::render::run(args, &common, out),
            Command::Info(args) => command::info::run(args, &common, out),
            Command::Trace(args) => command::trace::run(args, &common, out),
            Command::Merge(args) => command::merge::run(args, &common, out),
            Command::Convert(args) => command::convert::run(args, &common, out),
            Command::Diff(args) => command::diff::run(args, &common, out),
            Command::Bench(args) => command::bench::run(args, &common, out),
            Command::Simulate(args) => command::simulate::run(args, &common, out),
            Command::Explain(args) => command::explain::run(args, &common, out),
            Command::Paper(args) => command::paper::run(args, &common, out),
            Command::Variants(args) => command::variants::run(args, &common, out),
            Command::Selftest(args) => command::selftest::run(args, &common, out),
            Command::Completions(args) => command::completions::run(args, definition(), &common, out),
            Command::Man(args) => command::man::run(args, definition(), &common, out),
        });
    match result {
        Ok(status) => status.into(),
        Err(CliError::ClosedPipe) => CliError::ClosedPipe.status().into(),
        Err(error) => {
            screen::fail(&error, error.status());
            error.status().into()
        }
    }
}

/// Answers a command line that names no work: prints help, the version, or what is wrong, and returns the exit code.
fn answer(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp => {
            // Whoever reads it may stop reading.
            let _ = error.print();
            Status::Done.into()
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            Status::Usage.into()
        }
        ErrorKind::DisplayVersion => {
            let long = arguments.iter().any(|argument| argument == "--version");
            let text = match (usage::wants_json(arguments), long) {
                (true, _) => format!("{:#}\n", version::json()),
                (false, true) => version::text(),
                (false, false) => format!("{}\n", version::SHORT),
            };
            let _ = write!(screen::Results::text(), "{text}");
            Status::Done.into()
        }
        _ => {
            screen::fail(usage::explain(error, definition(), arguments), Status::Usage);
            Status::Usage.into()
        }
    }
}

#[cfg(test)]
mod help_tests;

#[cfg(test)]
mod usage_tests;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_contradicts_itself_nowhere() {
        definition().debug_assert();
    }
}
