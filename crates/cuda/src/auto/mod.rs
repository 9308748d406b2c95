//! Variant `auto`: the fastest kernels of a GPU by kind of ray, found by timing them once.
//!
//! ```text
//! tune.rs    trials of the candidates, and the choice of the fastest
//! scene.rs   the scene that they trace: a made-up hall, the same for everyone
//! trial.rs   the timing itself, on a GPU
//! cache.rs   choices of earlier runs, in a file
//! ```
//!
//! Candidates are timed on a made-up scene and not on the user's: the choice is kept for all scenes that come, and must
//! not depend on which was the first (a cube, say). Kernels rank in it as they do in rooms: on an H200 their rates
//! there and in two of the papers' scenes correlate by 0.93 to 0.97 (logarithms, each kind of ray). Where the best
//! differs from scene to scene, no choice is the best in all.

mod cache;
mod scene;
#[cfg(test)]
mod tests;
mod trial;
mod tune;

pub use cache::{CacheFault, CacheWarning, cache_file};

use crate::{CudaError, Device, FAMILY, compiled};
use raywarp_family::{BoxPlanes, Variant, papers};
use std::path::Path;
use std::time::{Duration, Instant};

/// Kind of rays for which a kernel is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BatchKind {
    /// Closest-hit rays that lie side by side, as from a camera.
    Coherent,
    /// Closest-hit rays in all directions, as scattered ones are.
    Incoherent,
    /// Any-hit rays in all directions.
    Any,
}

impl BatchKind {
    /// All kinds of rays for which kernels are chosen.
    pub const ALL: [Self; 3] = [Self::Coherent, Self::Incoherent, Self::Any];

    /// Returns the name of the kind of rays in the cache file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Coherent => "coherent",
            Self::Incoherent => "incoherent",
            Self::Any => "any",
        }
    }
}

/// Promise of exactness that kernels must keep to be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Promise {
    /// Hits have the same bits as those of the CPU's tracer: kernels have a watertight triangle test, and boxes padded
    /// for it. Callers who name no kernel get this.
    Bits,
    /// No BVH node is lost to rounding, but a triangle test may lose a ray at an edge. Rays begin at `t_min >= 0`.
    Fast,
}

impl Promise {
    /// Returns the name of the promise in the cache file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bits => "bits",
            Self::Fast => "fast",
        }
    }

    /// Returns the kernels to choose from: compiled variants that keep the promise and trace one ray a lane.
    pub fn candidates(self) -> Vec<Variant> {
        let keeps = |variant: &Variant| {
            let exact = variant.triangle().is_watertight();
            variant.box_planes() == BoxPlanes::Padded
                && variant.lanes_per_ray() == 1
                && (self == Self::Fast || (exact && !variant.needs().t_min_not_negative))
        };
        compiled().into_iter().filter(keeps).collect()
    }
}

/// The kernel that was chosen for a kind of rays, and its speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pick {
    /// Variant of the chosen kernel.
    pub variant: Variant,
    /// Millions of rays a second in the kernel's own time, on the generated test scene.
    pub mega_rays: f64,
}

/// The fastest kernels of a GPU, one for each kind of rays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// Chosen kernels in the order of [`BatchKind::ALL`].
    picks: [Pick; 3],
}

impl Choice {
    /// Returns the kernel chosen for rays of `kind`.
    pub fn of(&self, kind: BatchKind) -> &Pick {
        &self.picks[kind as usize]
    }
}

/// The choice of kernels, with how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// Kernel that was chosen for each kind of rays.
    pub choice: Choice,
    /// Time that timing the kernels took; `None` if the choice was read from the cache.
    pub tuned: Option<Duration>,
    /// Warnings about the cache file, one line each.
    pub warnings: Vec<CacheWarning>,
}

impl std::fmt::Display for Chosen {
    /// Writes one line: the kernels, their rates, and when they were timed.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let part = |kind| {
            let Pick { variant, mega_rays } = self.choice.of(kind);
            format!("{}, {mega_rays:.0} Mrays/s", short_name(variant))
        };
        let [coherent, incoherent, any] = BatchKind::ALL.map(part);
        write!(f, "closest hits by {incoherent}; of coherent rays by {coherent}; any by {any}; ")?;
        match self.tuned {
            Some(time) => write!(f, "tuned in {:.1} s", time.as_secs_f64()),
            None => f.write_str("tuned earlier"),
        }
    }
}

/// Returns the name of the papers' row that a kernel is, or is the form without votes of; else its variant's text.
fn short_name(variant: &Variant) -> String {
    let voted = variant.voted();
    let form = if *variant == voted { "" } else { "?sync=implicit" };
    match papers().iter().find(|row| row.variant == voted) {
        Some(row) => format!("{}{form}", row.name),
        None => variant.to_string(),
    }
}

/// Chooses the fastest kernels of `device` that keep `promise`: read from the cache file `cache`, or timed now and
/// stored there.
///
/// Timing takes some tenths of a second of kernel time, and about two seconds in all the first time. A choice
/// is kept for the device's name, compute capability and driver, and as long as the kernels are the same. A cache
/// that cannot be read or written costs time, and a line in [`Chosen::warnings`].
///
/// # Errors
/// [`CudaError`]: the device fails, or no candidate runs on it.
pub fn choose(device: &Device, promise: Promise, cache: Option<&Path>) -> Result<Chosen, CudaError> {
    let key = cache::Key {
        device: device.name().to_string(),
        capability: device.capability(),
        driver: device.driver_version()?,
        kernels: FAMILY.hash(device)?,
        promise,
    };
    choose_with(&key, cache, || {
        let candidates = promise.candidates();
        let mut trial = trial::Trial::new(device)?;
        tune::tune(&candidates, &mut trial)
    })
}

fn choose_with(
    key: &cache::Key,
    cache: Option<&Path>,
    tune: impl FnOnce() -> Result<Choice, CudaError>,
) -> Result<Chosen, CudaError> {
    let mut warnings = Vec::new();
    let mut known = Vec::new();
    if let Some(file) = cache {
        match cache::read(file) {
            Ok(entries) => known = entries,
            Err(fault) => warnings.push(CacheWarning::Ignored { file: file.into(), fault }),
        }
    }
    let candidates = key.promise.candidates();
    let is_candidate = |choice: &Choice| choice.picks.iter().all(|pick| candidates.contains(&pick.variant));
    if let Some((_, choice)) = known.iter().find(|(of, choice)| of == key && is_candidate(choice)) {
        return Ok(Chosen { choice: *choice, tuned: None, warnings });
    }
    let start = Instant::now();
    let choice = tune()?;
    let tuned = Some(start.elapsed());
    if let Some(file) = cache {
        // What was found with another driver or other kernels is of no use any more.
        known.retain(|(of, _)| of.device != key.device || of.promise != key.promise);
        known.push((key.clone(), choice));
        if let Err(error) = cache::write(file, &known) {
            warnings.push(CacheWarning::NotWritten { file: file.into(), error: error.to_string() });
        }
    }
    Ok(Chosen { choice, tuned, warnings })
}
