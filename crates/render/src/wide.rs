//! Waves that belong to a device: the rays of many tiles in one launch.
//!
//! A GPU is filled by hundreds of thousands of rays, a worker's cache by some thousands of paths. So the paths of a
//! wave lie in parts, each as large as a worker likes it, and the pool's threads generate, shade and finalize part by
//! part; where the wave traces, the rays of all parts go to the device as one batch. While one wave waits for the
//! device, others are shaded: [`IN_FLIGHT`] threads outside of the pool take a wave each from its start to its end.
//!
//! Tiles belong to one wave at a time and parts to one tile, so that sums are those of any other order of work.

use crate::film::{MAX_TILE, Tile};
use crate::job::Job;
use crate::joined::Joined;
use crate::path::Wave;
use raywarp_geom::{TraceError, Tracer};
use raywarp_system::memory;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of large waves in work at once.
const IN_FLIGHT: usize = 3;
/// Largest number of paths in a wave, if its tracer prefers batches of that size; three such waves take some 700 MB.
const MOST_PATHS: usize = 1 << 19;
/// Number of paths in a part of a wave, as many as a worker's cache holds.
const PART_PATHS: usize = (MAX_TILE * MAX_TILE) as usize;
/// Bytes of memory per path: its state, its rays and hits, and their copies in batches.
const PATH_BYTES: usize = 472;

/// Returns the number of paths per wave for a tracer that prefers batches larger than a part; `None` for others. At
/// most an eighth of the free memory is taken.
pub(crate) fn paths(tracer: &dyn Tracer) -> Option<usize> {
    let preferred = tracer.preferred_batch().min(MOST_PATHS);
    let room = memory::available().map_or(usize::MAX, |bytes| bytes as usize / 8 / IN_FLIGHT / PATH_BYTES);
    (preferred > PART_PATHS).then(|| preferred.min(room).max(PART_PATHS))
}

/// Renders `samples` of all pixels, in waves of about `paths` paths.
pub(crate) fn pass(job: &Job<'_>, tiles: &mut [Tile], samples: Range<u32>, paths: usize) -> Result<(), TraceError> {
    let total: usize = tiles.iter().map(|tile| tile.pixels().len() * samples.len()).sum();
    // As many for each in flight, so that they end together.
    let count = total.div_ceil(paths).next_multiple_of(IN_FLIGHT);
    let waves = Mutex::new(split(tiles, total.div_ceil(count), samples.len()).into_iter());
    let failed = AtomicBool::new(false);
    let drive = || -> Result<(), TraceError> {
        let (mut parts, mut joined) = (Vec::new(), Joined::on(job.pool));
        while !failed.load(Ordering::Relaxed) && job.goes_on(&samples) {
            let Some(tiles) = waves.lock().ok().and_then(|mut waves| waves.next()) else { break };
            let result = wave(job, tiles, &samples, &mut parts, &mut joined);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            result?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let drivers: Vec<_> = (0..IN_FLIGHT).map(|_| scope.spawn(drive)).collect();
        let ends =
            drivers.into_iter().map(|driver| driver.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        // All of them have ended before an error is told.
        ends.collect::<Vec<_>>().into_iter().collect()
    })
}

/// Splits tiles into runs of about `paths` paths each, with at least one tile.
fn split(tiles: &mut [Tile], paths: usize, samples: usize) -> Vec<&mut [Tile]> {
    let (mut runs, mut rest) = (Vec::new(), tiles);
    while !rest.is_empty() {
        let (mut taken, mut count) = (0, 0);
        while count < rest.len() && taken < paths {
            taken += rest[count].pixels().len() * samples;
            count += 1;
        }
        let (run, behind) = rest.split_at_mut(count);
        runs.push(run);
        rest = behind;
    }
    runs
}

/// Renders samples of the pixels of `tiles` as one wave, and adds them to the tiles unless the wave is given up.
fn wave(
    job: &Job<'_>,
    tiles: &mut [Tile],
    samples: &Range<u32>,
    waves: &mut Vec<Wave>,
    joined: &mut Joined,
) -> Result<(), TraceError> {
    let pixels = (PART_PATHS / samples.len().max(1)).max(1);
    let parts_of = |tile: &Tile| tile.pixels().len().div_ceil(pixels);
    let places: Vec<(usize, usize)> =
        (0..tiles.len()).flat_map(|tile| (0..parts_of(&tiles[tile])).map(move |part| (tile, part))).collect();
    if waves.len() < places.len() {
        waves.resize_with(places.len(), Wave::default);
    }
    let waves = &mut waves[..places.len()];
    let mut begun: Vec<_> = waves.iter_mut().zip(places).collect();
    joined.each(&mut begun, |(wave, (tile, part))| {
        job.generate(tiles[*tile].pixels().skip(*part * pixels).take(pixels), samples.clone(), wave);
    });
    if !job.trace(waves, joined)? {
        return Ok(());
    }
    let mut rest = &*waves;
    let mut done = Vec::with_capacity(tiles.len());
    for tile in tiles {
        let (own, behind) = rest.split_at(parts_of(tile));
        done.push((tile, own));
        rest = behind;
    }
    joined.each(&mut done, |(tile, waves)| waves.iter().for_each(|wave| job.finalize(wave, tile)));
    job.report(waves);
    Ok(())
}
