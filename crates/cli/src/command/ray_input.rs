//! Files of rays that a command reads.

use crate::common::{STANDARD_INPUT, is_standard_stream};
use crate::exit::CliError;
use raywarp::npy::{NpyError, RayFile, read_rays};
use std::fs::File;
use std::path::Path;

/// What messages call an input.
pub fn input_name(path: &Path) -> String {
    if is_standard_stream(path) { STANDARD_INPUT.to_string() } else { path.display().to_string() }
}

/// Reads the rays of a file or of standard input.
pub fn read(path: &Path) -> Result<RayFile, CliError> {
    let name = input_name(path);
    let rays = if is_standard_stream(path) {
        read_rays(&name, std::io::stdin().lock())
    } else {
        let file = File::open(path).map_err(|error| {
            CliError::input(format!("{name}: cannot be opened ({error}); name an .npy file of rays"))
        })?;
        read_rays(&name, file)
    };
    rays.map_err(|error| match error {
        NpyError::Memory { .. } => CliError::machine(error),
        other => CliError::input(other),
    })
}
