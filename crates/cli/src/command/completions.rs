//! `raywarp completions SHELL`: what a shell needs to complete our options.

use crate::common::Common;
use crate::exit::{CliError, Status};
use clap::{Args, ValueHint};
use clap_complete::Shell;
use std::io::Write;

/// Prints completions for a shell.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Shell to print completions for.
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

/// Runs the command `completions`; `definition` is the whole program's command line.
pub fn run(
    args: &CompletionsArgs,
    mut definition: clap::Command,
    common: &Common,
    out: &mut dyn Write,
) -> Result<Status, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut definition, "raywarp", &mut script);
    if args.shell == Shell::Bash {
        script = with_files(String::from_utf8_lossy(&script).into_owned(), &definition).into_bytes();
    }
    if common.json {
        let script = String::from_utf8_lossy(&script);
        writeln!(out, "{:#}", serde_json::json!({ "shell": args.shell.to_string(), "script": script }))?;
    } else {
        out.write_all(&script)?;
    }
    Ok(Status::Done)
}

/// Makes the bash script offer files besides the names for options that take either, since clap offers the names alone.
fn with_files(mut script: String, definition: &clap::Command) -> String {
    let takes_files = |arg: &&clap::Arg| arg.get_value_hint() == ValueHint::AnyPath;
    for arg in definition.get_subcommands().flat_map(|command| command.get_arguments().filter(takes_files)) {
        let names: Vec<String> = arg.get_possible_values().iter().map(|value| value.get_name().to_string()).collect();
        let only_names = format!("compgen -W \"{}\" --", names.join(" "));
        script = script.replace(&only_names, &only_names.replace("-W", "-f -W"));
    }
    script
}
