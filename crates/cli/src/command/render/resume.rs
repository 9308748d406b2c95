//! `render --resume FILE`: what an earlier render took, and whether it belongs to this one.

use crate::common::Common;
use crate::exit::CliError;
use raywarp::render::film::Film;
use raywarp::render::output::{Share, ShareError, differences, read_share};
use raywarp::render::{Picture, Prepared, fingerprint};
use std::path::Path;

/// Reads the picture to go on with.
pub fn read(path: &Path, common: &Common) -> Result<Share, CliError> {
    let _reading = common.activity(format!("reading {}", path.display()));
    let share = read_share(path).map_err(|error| match error {
        ShareError::NotAShare { path, reason } => CliError::input(format!(
            "{}: holds no sums to go on with ({reason}); render it with --layers sums, or as --samples 0..N",
            path.display()
        )),
        other => CliError::share(other),
    })?;
    let [fewest, most] = share.film.sample_range();
    let samples = &share.info.samples;
    if samples.start != 0 || fewest != samples.end || most != samples.end {
        return Err(CliError::input(format!(
            "{}: holds samples {}..{} of each pixel; --resume goes on with those from 0, raywarp merge adds others",
            path.display(),
            samples.start,
            samples.end
        )));
    }
    Ok(share)
}

/// Returns the film to go on with, if it is of this picture; the picture's samples are then those that are missing.
pub fn take(share: Share, prepared: &Prepared, picture: &mut Picture, common: &Common) -> Result<Film, CliError> {
    let Share { path, info, film } = share;
    let own = fingerprint(prepared.scene(), picture);
    if info.fingerprint != own {
        let found = differences(&info.fingerprint, &own).join(", ");
        let path = path.display();
        return Err(CliError::input(format!(
            "{path}: is of another picture ({found}); give it the same scene and options"
        )));
    }
    let (has, wanted) = (info.samples.end, picture.options.samples.end);
    if has >= wanted {
        common.note(format!(
            "{} has {has} samples of each pixel already, of {wanted} wanted: nothing is rendered, only written",
            path.display()
        ));
    }
    picture.options.samples = has..wanted.max(has);
    Ok(film)
}
