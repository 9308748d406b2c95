//! `raywarp completions SHELL`: what a shell needs to complete our options.

use crate::common::Common;
use crate::exit::{CliError, Status};
use clap::Args;
use clap_complete::Shell;
use std::io::Write;

/// Prints completions for a shell.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

/// Runs the command; `definition` is the whole program's.
pub fn run(
    args: &CompletionsArgs,
    mut definition: clap::Command,
    common: &Common,
    out: &mut dyn Write,
) -> Result<Status, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut definition, "raywarp", &mut script);
    if common.json {
        let script = String::from_utf8_lossy(&script);
        writeln!(out, "{:#}", serde_json::json!({ "shell": args.shell.to_string(), "script": script }))?;
    } else {
        out.write_all(&script)?;
    }
    Ok(Status::Done)
}
