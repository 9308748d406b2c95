//! Trials of the candidates: how often each is timed, and the choice of the fastest.

use super::{BatchKind, Choice, Pick};
use crate::{CudaError, Encoding};
use raywarp_family::Variant;

/// Stopwatch that times kernels: a GPU, or made-up figures in tests.
pub(crate) trait Stopwatch {
    /// Returns the seconds of kernel time of one launch with rays of `kind`; `None` if the kernel cannot run on this
    /// device. Candidates that walk the same bytes come one after the other.
    fn time(&mut self, variant: &Variant, kind: BatchKind) -> Result<Option<f64>, CudaError>;

    /// Returns the number of rays of a launch with rays of `kind`.
    fn ray_count(&self, kind: BatchKind) -> usize;
}

/// Number of launches that are timed of a candidate that may be the fastest.
const RUNS: usize = 5;
/// Multiple of the best time above which a candidate is given up after its first launch: launches of one kernel differ
/// by less than a tenth.
const HOPELESS: f64 = 1.25;

/// Times the kernels `candidates` and returns the fastest for each kind of rays, the first one of equals.
///
/// A candidate gets a launch that does not count, one that does, and, if that was not hopeless, four more; what counts
/// is the median.
///
/// # Errors
/// [`CudaError::NoCandidate`] if none can be run; as the stopwatch.
pub(crate) fn tune(candidates: &[Variant], stopwatch: &mut dyn Stopwatch) -> Result<Choice, CudaError> {
    let mut best: [Option<(f64, Variant)>; 3] = [None; 3];
    for variant in by_encoding(candidates) {
        for kind in BatchKind::ALL {
            let best = &mut best[kind as usize];
            if let Some(seconds) = seconds(&variant, kind, best.map(|(seconds, _)| seconds), stopwatch)?
                && best.is_none_or(|(fastest, _)| seconds < fastest)
            {
                *best = Some((seconds, variant));
            }
        }
    }
    let pick = |kind: BatchKind| -> Result<Pick, CudaError> {
        let (seconds, variant) = best[kind as usize].ok_or(CudaError::NoCandidate)?;
        Ok(Pick { variant, mega_rays: stopwatch.ray_count(kind) as f64 / seconds / 1e6 })
    };
    Ok(Choice { picks: [pick(BatchKind::Coherent)?, pick(BatchKind::Incoherent)?, pick(BatchKind::Any)?] })
}

/// Returns the median seconds of a candidate; `None` if it cannot run or cannot be the fastest.
fn seconds(
    variant: &Variant,
    kind: BatchKind,
    best: Option<f64>,
    stopwatch: &mut dyn Stopwatch,
) -> Result<Option<f64>, CudaError> {
    if stopwatch.time(variant, kind)?.is_none() {
        return Ok(None);
    }
    let mut times = Vec::with_capacity(RUNS);
    while times.len() < RUNS {
        // A clock that says zero or nothing at all says nothing of a kernel.
        match stopwatch.time(variant, kind)? {
            Some(seconds) if seconds > 0.0 && seconds.is_finite() => times.push(seconds),
            _ => return Ok(None),
        }
        if best.is_some_and(|best| times[0] > HOPELESS * best) {
            return Ok(None);
        }
    }
    times.sort_unstable_by(f64::total_cmp);
    Ok(Some(times[RUNS / 2]))
}

/// Returns the candidates sorted so that those of one tree encoding come together, in their order otherwise.
fn by_encoding(candidates: &[Variant]) -> Vec<Variant> {
    let mut groups: Vec<(Encoding, Vec<Variant>)> = Vec::new();
    for variant in candidates {
        let encoding = Encoding::of(variant);
        match groups.iter_mut().find(|(known, _)| *known == encoding) {
            Some((_, variants)) => variants.push(*variant),
            None => groups.push((encoding, vec![*variant])),
        }
    }
    groups.into_iter().flat_map(|(_, variants)| variants).collect()
}
