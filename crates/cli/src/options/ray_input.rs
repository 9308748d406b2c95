//! Files of rays that a command reads.

use crate::common::{STANDARD_INPUT, is_standard_stream};
use crate::exit::CliError;
use raywarp::trace::RayStream;
use raywarp::trace::npy::{NpyError, RayFile, read_rays};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Stream of rays from a file or standard input.
pub type Rays<'a> = RayStream<'a, Box<dyn Read>>;

/// Returns the name of a ray file or standard input for messages.
pub fn input_name(path: &Path) -> String {
    if is_standard_stream(path) { STANDARD_INPUT.to_string() } else { path.display().to_string() }
}

/// Opens a ray file or standard input, called `name` in messages, and reads the first portion of its rays.
pub fn open<'a>(path: &Path, name: &'a str) -> Result<Rays<'a>, CliError> {
    let portion = Rays::PORTION;
    let (input, bytes) = input(path, name)?;
    // What is wrong with the length of a file shows before anything is done with its rays.
    let rays = match bytes {
        Some(bytes) => Rays::with_length(name, input, bytes, portion),
        None => Rays::new(name, input, portion),
    };
    rays.map_err(failure)
}

/// Reads all rays of a file or standard input.
pub fn read(path: &Path) -> Result<RayFile, CliError> {
    let name = input_name(path);
    read_rays(&name, input(path, &name)?.0).map_err(failure)
}

/// Opens a file or standard input, and returns it with its size in bytes if it is a regular file.
fn input(path: &Path, name: &str) -> Result<(Box<dyn Read>, Option<u64>), CliError> {
    if is_standard_stream(path) {
        return Ok((Box::new(std::io::stdin().lock()), None));
    }
    let file = File::open(path)
        .map_err(|error| CliError::input(format!("{name}: cannot be opened ({error}); name an .npy file of rays")))?;
    let bytes = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|facts| facts.len());
    Ok((Box::new(file), bytes))
}

/// Returns the error, with its exit status, for rays that cannot be read.
pub fn failure(error: NpyError) -> CliError {
    match error {
        NpyError::Memory { .. } => CliError::machine(error),
        other => CliError::input(other),
    }
}
