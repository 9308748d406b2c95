//! `render --resume FILE`: what an earlier render took, and what is left to do.

use crate::common::Common;
use crate::exit::CliError;
use raywarp::render::SettledJob;
use raywarp::render::output::{Share, ShareError, read_share};
use std::path::Path;

/// Reads the picture to go on with.
pub fn read(path: &Path, common: &Common) -> Result<Share, CliError> {
    let _reading = common.activity(format!("reading {}", path.display()));
    read_share(path).map_err(|error| match error {
        ShareError::NotAShare { path, reason } => CliError::input(format!(
            "{}: holds no sums to go on with ({reason}); render it with --layers sums, or as --samples 0..N",
            path.display()
        )),
        other => CliError::share(other),
    })
}

/// Takes the film to go on with, if it is of this picture; the picture's samples are then those that are missing.
pub fn take(settled: &mut SettledJob, path: &Path, common: &Common) -> Result<(), CliError> {
    let wanted = settled.picture.options.samples.end;
    settled.take_film().map_err(CliError::job)?;
    if let Some(has) = settled.resumed.filter(|has| *has >= wanted) {
        common.note(format!(
            "{} has {has} samples of each pixel already, of {wanted} wanted: nothing is rendered, only written",
            path.display()
        ));
    }
    Ok(())
}
