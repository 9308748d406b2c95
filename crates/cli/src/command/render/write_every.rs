//! `render --write-every SECONDS`: the picture as it stands, written while the workers go on.

use crate::common::Common;
use crate::exit::CliError;
use raywarp::render::Between;
use raywarp::render::film::Film;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

/// Runs `render`, and writes the film that it shows at intervals to the outputs, on a thread of its own, so that
/// workers only wait for a copy.
pub fn while_rendering<T>(
    every: Option<f64>,
    outputs: &[PathBuf],
    write: &(dyn Fn(&Path, &Film) -> Result<(), CliError> + Sync),
    common: &Common,
    render: impl FnOnce(Option<Between>) -> T,
) -> T {
    let Some(every) = every else { return render(None) };
    // Whoever reads a pipe or a device would get one picture behind the other.
    let is_file = |path: &&PathBuf| path.metadata().map_or(true, |there| there.is_file());
    let files: Vec<&PathBuf> = outputs.iter().filter(is_file).collect();
    let failed = AtomicBool::new(false);
    let said = |result: Result<(), String>| {
        if let Err(message) = result
            && !failed.swap(true, Ordering::Relaxed)
        {
            common.note(format!("--write-every: {message}; the render goes on"));
        }
    };
    let (films, to_write) = channel::<Film>();
    let busy = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for film in to_write {
                for path in &files {
                    said(write(path, &film).map_err(|error| error.to_string()));
                }
                busy.store(false, Ordering::Relaxed);
            }
        });
        let see = |film: &Film| {
            // A disk that does not keep up gets fewer pictures.
            if !busy.swap(true, Ordering::Relaxed) {
                match film.try_clone() {
                    Ok(copy) => drop(films.send(copy)),
                    Err(error) => said(Err(error.to_string())),
                }
            }
        };
        let every = Duration::from_secs_f64(every.min(1e9));
        let result = render(Some(Between { every, see: &see }));
        // The thread ends after the picture that it has begun, and so before the final one is written.
        drop(films);
        result
    })
}
