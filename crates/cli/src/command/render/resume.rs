//! `render --resume FILE`: what an earlier render took, and what is left to do.

use crate::common::Common;
use crate::exit::CliError;
use raywarp::render::SettledJob;
use raywarp::render::output::{Share, ShareError, read_share};
use std::path::Path;

/// Reads the picture to resume.
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

/// Takes over the earlier film if it is of this picture, and reduces the picture's samples to the missing ones.
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
