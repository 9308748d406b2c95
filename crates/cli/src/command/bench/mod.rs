//! `raywarp bench SCENE...`: how fast kernels are here, and whether their hits are right.

mod args;
mod kernels;
mod outputs;
mod paths;
mod peers;
mod place;
mod rays;
mod simulated;

pub use crate::command::bench::args::BenchArgs;
use crate::common::Common;
use crate::exit::{CliError, Status};
use std::io::Write;

/// Runs the command `bench`.
pub fn run(args: &BenchArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    if let Some(suite) = args.path_suite() {
        return paths::run(suite, args, common, out);
    }
    if args.paths.are_named() {
        return Err(CliError::usage(
            "light, materials, lens, last connections, roulette and --tables are for --suite w11 and l9; leave them out",
        ));
    }
    if args.peers.are_named() {
        return peers::run(args, common, out);
    }
    kernels::run(args, common, out)
}
