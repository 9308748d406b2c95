//! Ctrl-C: the first asks the work to end and save, the second ends it at once.

use crate::exit::{CliError, Status};
use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Starts to listen; to be called once.
pub fn listen() -> Result<(), CliError> {
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            // Held until the end, so that no picture is begun meanwhile.
            let _none = raywarp::render::output::remove_temporaries();
            std::process::exit(Status::Interrupted as i32);
        }
    })
    .map_err(|error| CliError::machine(format!("cannot listen for Ctrl-C: {error}")))
}

/// The flag that becomes true at the first Ctrl-C.
pub fn flag() -> &'static AtomicBool {
    &INTERRUPTED
}

/// Ends a command that has nothing to save yet.
pub fn check(doing: &str) -> Result<(), CliError> {
    if INTERRUPTED.load(Ordering::Relaxed) {
        return Err(CliError::Stop(Status::Interrupted, format!("interrupted while {doing}; nothing was written")));
    }
    Ok(())
}
