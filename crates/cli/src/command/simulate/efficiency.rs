//! `raywarp simulate SCENE --efficiency`: how full warps are under kernels.

use crate::command::simulate::asked::{Asked, Setup};
use crate::command::simulate::{SimulateArgs, operations, progress};
use crate::common::Common;
use crate::exit::{CliError, Status};
use crate::heading;
use clap::Args;
use raywarp_lab::study::simulate::efficiency;
use std::io::Write;
use std::path::Path;

/// The mode's option.
#[derive(Debug, Args)]
pub struct EfficiencyArgs {
    /// Count the busy lanes of warps.
    ///
    /// SIMD efficiency of traversal and intersection, as in Table 1 of Aila and Laine 2009.
    #[arg(long, help_heading = heading::MODE)]
    pub efficiency: bool,
}

/// Runs the mode that simulates SIMD efficiencies.
pub(super) fn run(args: &SimulateArgs, name: &Path, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let setup: Setup = Asked::check(args)?.load(name, args, common)?;
    operations::export(&setup)?;
    let request = setup.request();
    let (_kept, report) =
        progress::steps(common, setup.kernel_steps(&request), |control| efficiency(setup.scene(), &request, control));
    let report = report.map_err(|error| setup.refusal(error))?;
    setup.print(&report.document(), report.interrupted, out)
}
