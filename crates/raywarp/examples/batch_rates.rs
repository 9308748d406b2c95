//! How fast a GPU's kernels are with batches of 1e4 to 1e8 rays that lie in its memory: docs/gpu.md, "Small batches".
//!
//! ```text
//! cargo run --release -p raywarp --example batch_rates -- SCENE RAYS.npy [--any] [--most N] [--variant V]...
//! ```
//!
//! A batch is a stretch of the file's rays, or all of them again and again. For each size and variant it prints Mrays/s of
//! kernel time by the device's events, the median of launches over stretches from evenly spread places, as comma-separated
//! values.

use raywarp::bvh::{build, presets};
use raywarp::cuda::{CudaTracer, Device, DeviceHits, Query};
use raywarp::family::Variant;
use raywarp::npy::read_rays;
use raywarp::scene::{LoadOptions, flatten, load};
use raywarp::{BuildOptions, Ray};
use std::error::Error;
use std::fs::File;

/// Launches of each size.
const LAUNCHES: usize = 9;
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
    let usage = "usage: batch_rates SCENE RAYS.npy [--any] [--most N] [--variant V]...";
    let (mut files, mut variants, mut query, mut most) = (Vec::new(), Vec::<Variant>::new(), Query::Closest, 1e8);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--any" => query = Query::Any,
            "--most" => most = words.next().ok_or(usage)?.parse::<f64>()?,
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
        let bvh = build(&triangles, &BuildOptions { max_leaf, ..presets::GOOD })?;
        Ok(CudaTracer::new(&device, variant, &bvh, &triangles)?)
    });
    let tracers = tracers.collect::<Result<Vec<_>, _>>()?;
    let stream = device.stream()?;
    for size in SIZES.into_iter().filter(|&size| size as f64 <= most) {
        let mut out = DeviceHits::new(&stream, size, false)?;
        let stretches = if size < rays.len() { LAUNCHES } else { 1 };
        let buffers = (0..stretches).map(|i| {
            let first = i * (rays.len() - size.min(rays.len())) / LAUNCHES;
            let batch: Vec<Ray> = rays.iter().copied().cycle().skip(first).take(size).collect();
            stream.upload(&batch)
        });
        let buffers = buffers.collect::<Result<Vec<_>, _>>()?;
        let mut row = size.to_string();
        for tracer in &tracers {
            let mut times = Vec::new();
            for launch in 0..LAUNCHES + 3 {
                let seconds = tracer.time(&stream, query, &buffers[launch % stretches], size, &mut out)?;
                if launch >= 3 {
                    times.push(seconds);
                }
            }
            times.sort_by(f64::total_cmp);
            row += &format!(",{:.0}", size as f64 / times[LAUNCHES / 2] / 1e6);
        }
        println!("{row}");
    }
    Ok(())
}
