//! `raywarp variants`: the traversal family.

use crate::common::Common;
use crate::exit::{CliError, Status};
use clap::Args;
use raywarp::variants::Variants;
use std::io::Write;

/// Lists the papers' kernels: name, variant, where it is from, tree, stack and needs.
#[derive(Debug, Args)]
pub struct VariantsArgs {
    /// List what else can be combined, one option changed at a time, and how many variants there are in all.
    #[arg(long)]
    legal: bool,
}

/// Runs the command.
pub fn run(args: &VariantsArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let variants = if args.legal { Variants::legal() } else { Variants::papers() };
    if common.json {
        writeln!(out, "{:#}", variants.json())?;
    } else {
        write!(out, "{}", variants.text())?;
    }
    Ok(Status::Done)
}
