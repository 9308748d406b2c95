//! Rates of a GPU's kernels with batches of 1e4 to 1e8 rays that lie in its memory: docs/reference/performance.md,
//! "Small batches".
//!
//! ```text
//! cargo run --release -p raywarp-lab --example batch_rates -- SCENE RAYS.npy [--any] [--most N] [--preset P] [--streams N] [--block-threads N]
//!     [--variant V]...
//! ```
//!
//! A batch is a stretch of the file's rays, or all of them again and again. For each size and variant it prints Mrays/s
//! of kernel time by the device's events, the median of launches over stretches from evenly spread places, as
//! comma-separated values. With several streams as many batches are in flight, each behind the one before on its
//! stream, and what counts is the time from the first one's start to the last one's end; also with one, where batches
//! then follow each other. With a size of blocks the driver compiles kernels for it: another compiler, whose 128 are
//! the base line.

use raywarp::bvh::{build, presets};
use raywarp::cuda::{CudaError, CudaTracer, Device, DeviceBuffer, DeviceHits, DeviceScene, LaunchBounds, Stream};
use raywarp::scene::{LoadOptions, flatten, load};
use raywarp::trace::npy::read_rays;
use raywarp::{BuildOptions, Query, Ray};
use raywarp_lab::family::Variant;
use std::error::Error;
use std::fs::File;
use std::sync::Arc;

/// Launches of each size.
const LAUNCHES: usize = 9;
/// Rays of one run of batches in flight, about.
const MOST_IN_FLIGHT: usize = 100_000_000;
/// Sizes of batches, each about a third of a decade above the one before.
const SIZES: [usize; 13] = [
    10_000,
    20_000,
    50_000,
    100_000,
    200_000,
    500_000,
    1_000_000,
    2_000_000,
    5_000_000,
    10_000_000,
    20_000_000,
    50_000_000,
    100_000_000,
];

fn main() -> Result<(), Box<dyn Error>> {
    let usage = "usage: batch_rates SCENE RAYS.npy [--any] [--most N] [--preset P] [--streams N] [--block-threads N] [--variant V]...";
    let (mut files, mut variants, mut query, mut most) = (Vec::new(), Vec::<Variant>::new(), Query::Closest, 1e8);
    let (mut preset, mut streams, mut bounds) = (presets::GPU, None::<usize>, LaunchBounds::default());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--any" => query = Query::Any,
            "--most" => most = words.next().ok_or(usage)?.parse::<f64>()?,
            "--preset" => preset = words.next().as_deref().and_then(presets::named).ok_or(usage)?,
            "--streams" => streams = Some(words.next().ok_or(usage)?.parse::<usize>()?.max(1)),
            "--block-threads" => bounds.block_threads = Some(words.next().ok_or(usage)?.parse()?),
            "--variant" => variants.push(words.next().ok_or(usage)?.parse()?),
            _ => files.push(word),
        }
    }
    let [scene, rays] = &files[..] else { return Err(usage.into()) };
    if variants.is_empty() {
        variants = ["raywarp-h8", "raywarp-h8-direct"].map(str::parse).into_iter().collect::<Result<_, _>>()?;
    }
    let device = match Device::open(0) {
        Ok(device) => device,
        Err(error) => {
            println!("nothing was measured: {error}");
            return Ok(());
        }
    };
    let triangles = flatten(&load(scene.as_ref(), &LoadOptions::default())?.scene)?;
    let rays = read_rays(rays, File::open(rays)?)?.rays;
    if rays.is_empty() {
        return Err("there are no rays".into());
    }
    println!("size,{}", variants.iter().map(ToString::to_string).collect::<Vec<_>>().join(","));
    let tracers = variants.iter().map(|variant| -> Result<CudaTracer, Box<dyn Error>> {
        let max_leaf = presets::SINGLE.max_leaf.max(variant.tree().max_leaf().min(8));
        let bvh = build(&triangles, &BuildOptions { max_leaf, ..preset })?;
        let scene = DeviceScene::new(&device, &device.stream()?, variant, &bvh, &triangles)?;
        Ok(CudaTracer::over(&device, variant, &bounds, Arc::new(scene))?)
    });
    let tracers = tracers.collect::<Result<Vec<_>, _>>()?;
    let stream = device.stream()?;
    for size in SIZES.into_iter().filter(|&size| size as f64 <= most) {
        let stretches = if size < rays.len() { LAUNCHES } else { 1 };
        let buffers = (0..stretches).map(|i| {
            let first = i * (rays.len() - size.min(rays.len())) / LAUNCHES;
            let batch: Vec<Ray> = rays.iter().copied().cycle().skip(first).take(size).collect();
            stream.upload(&batch)
        });
        let buffers = buffers.collect::<Result<Vec<_>, _>>()?;
        let mut row = size.to_string();
        for tracer in &tracers {
            let rate = match streams {
                None => alone(tracer, &stream, query, &buffers, size)?,
                Some(count) => in_flight(tracer, &device, query, &buffers, size, count)?,
            };
            row += &format!(",{:.0}", rate / 1e6);
        }
        println!("{row}");
    }
    Ok(())
}

/// Rays a second of single batches, of which each begins when the one before is over.
fn alone(
    tracer: &CudaTracer,
    stream: &Stream,
    query: Query,
    buffers: &[DeviceBuffer<Ray>],
    size: usize,
) -> Result<f64, CudaError> {
    let mut out = DeviceHits::new(stream, size, false)?;
    let mut times = Vec::new();
    for launch in 0..LAUNCHES + 3 {
        let seconds = tracer.time(stream, query, &buffers[launch % buffers.len()], size, &mut out)?;
        if launch >= 3 {
            times.push(seconds);
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(size as f64 / times[LAUNCHES / 2])
}

/// Rays a second where `count` streams have batches in flight, each the rays and hits of its own: the median of several
/// runs.
fn in_flight(
    tracer: &CudaTracer,
    device: &Device,
    query: Query,
    buffers: &[DeviceBuffer<Ray>],
    size: usize,
    count: usize,
) -> Result<f64, CudaError> {
    let mut streams = (0..count)
        .map(|_| {
            let stream = device.stream()?;
            let out = DeviceHits::new(&stream, size, false)?;
            Ok((stream, out))
        })
        .collect::<Result<Vec<_>, CudaError>>()?;
    let first = streams[0].0.clone();
    let rounds = (MOST_IN_FLIGHT / (size * count)).clamp(2, 2 * LAUNCHES);
    let mut times = Vec::new();
    for run in 0..LAUNCHES {
        let start = first.mark()?;
        let started = first.event()?;
        for (stream, _) in &streams[1..] {
            stream.wait_for(&started)?;
        }
        for round in 0..rounds {
            for (i, (stream, out)) in streams.iter_mut().enumerate() {
                tracer.launch(stream, query, &buffers[(round * count + i) % buffers.len()], size, None, out)?;
            }
        }
        for (stream, _) in &streams[1..] {
            first.wait_for(&stream.event()?)?;
        }
        let end = first.mark()?;
        first.synchronize()?;
        if run >= 2 {
            times.push(start.seconds_until(&end)?);
        }
    }
    times.sort_by(f64::total_cmp);
    Ok((size * count * rounds) as f64 / times[times.len() / 2])
}
