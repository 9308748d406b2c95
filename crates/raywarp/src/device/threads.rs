//! The pool that loading, building and large batches run on.

/// Sets the number of threads of rayon's global pool; 0 means one per logical processor. Call once, before any other
/// work.
///
/// # Errors
/// A plain line when the pool exists already or threads cannot be started.
pub fn set_threads(threads: usize) -> Result<(), String> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()
        .map_err(|error| format!("cannot start worker threads: {error}"))
}
