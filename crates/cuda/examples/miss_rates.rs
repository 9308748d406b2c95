//! Counts the rays that slip through the edges of closed meshes on a GPU; the CPU makes the rays. `raywarp selftest
//! --aimed` has the GPU make them, which is faster.
//!
//! `cargo run --release -p raywarp-cuda --example miss_rates -- [RAYS [VARIANT]]`: RAYS (1e6 unless given) through
//! VARIANT (`raywarp-h8` unless given), aimed at vertices, edges and faces of the meshes of raywarp-cpu's example of
//! this name, from inside, where any miss is a failure, and from outside, up to 30 sizes away; sizes are 1e-6 to 1e6 by
//! decades, offsets 0 to 1e4 sizes. A sample of them is held against the CPU's tracer, bit for bit. Prints a line an
//! offset, with how many the fallback kernel traced ([`raywarp_geom::BatchStats::by_fallback`]), and fails if a ray was
//! missed or has other bits.

#[path = "../../cpu/tests/closed/mod.rs"]
mod closed;

use closed::aim::{SplitMix64, Tally, Target};
use closed::meshes;
use rayon::prelude::*;
use raywarp_bvh::{build, presets};
use raywarp_cpu::CpuOptions;
use raywarp_cuda::{CudaTracer, Device};
use raywarp_family::Variant;
use raywarp_geom::{BatchStats, Control, FlatTriangles, Hit, Ray, TraceError, Tracer};

const OFFSETS: [f32; 4] = [0.0, 1.0, 1e2, 1e4];
/// Rays of a batch.
const BATCH: usize = 1 << 22;
/// Rays whose bits are looked at, of each mesh, size and offset.
const COMPARED: usize = 20_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let rays: f64 = args.next().map_or(Ok(1e6), |text| text.parse())?;
    let name = args.next().unwrap_or_else(|| "raywarp-h8".into());
    let row = raywarp_family::papers().iter().find(|row| row.name == name).map(|row| row.variant);
    let variant: Variant = row.map_or_else(|| name.parse(), Ok)?;
    let device = Device::open(0)?;
    let sizes: Vec<f32> = (-6..=6).map(|e| format!("1e{e}").parse().expect("a number")).collect();
    let meshes = meshes::all();
    let each = (rays / (meshes.len() * sizes.len() * OFFSETS.len()) as f64).ceil() as usize;
    println!("{variant} on {}", device.name());
    let (mut missed, mut unlike) = (0, 0);
    for (o, &offset) in OFFSETS.iter().enumerate() {
        let (mut tally, mut by_fallback, mut compared) = (Tally::default(), 0, 0);
        for (m, mesh) in meshes.iter().enumerate() {
            for (s, &size) in sizes.iter().enumerate() {
                let target = Target::new(mesh, size, offset);
                let triangles = FlatTriangles::from_vertices(target.triangles.clone());
                let bvh = build(&triangles, &presets::SINGLE)?;
                let gpu = CudaTracer::new(&device, &variant, &bvh, &triangles)?;
                let cpu = target.tracer(&CpuOptions::default());
                for first in (0..each).step_by(BATCH) {
                    let seed = (m + (s << 8) + (o << 16)) as u64 + ((first as u64) << 24);
                    let batch = aimed(&target, (each - first).min(BATCH), seed);
                    let (hits, stats) = trace(&gpu, &batch)?;
                    by_fallback += stats.by_fallback;
                    for ((inside, ray), hit) in batch.iter().zip(&hits) {
                        tally.rays += 1;
                        if !hit.is_hit() && (*inside || target.must_hit(ray) == Some(true)) {
                            tally.missed += 1;
                            tally.example = tally.example.or(Some(*ray));
                        }
                    }
                    if first == 0 {
                        let some = &batch[..batch.len().min(COMPARED)];
                        let [found, wanted] = [trace(&gpu, some)?.0, trace(&cpu, some)?.0];
                        compared += some.len();
                        unlike += found.iter().zip(&wanted).filter(|(a, b)| bits(a) != bits(b)).count();
                    }
                }
            }
        }
        println!(
            "offset {offset:e}: {} rays, {} missed, {by_fallback} by the fallback; {compared} held against the CPU's, {unlike} unlike so far",
            tally.rays, tally.missed
        );
        if let Some(ray) = tally.example {
            println!("for example {ray:?}");
        }
        missed += tally.missed;
    }
    if missed == 0 && unlike == 0 { Ok(()) } else { Err(format!("{missed} rays missed, {unlike} unlike").into()) }
}

/// Rays, and whether each starts inside: half of them do.
fn aimed(target: &Target, count: usize, seed: u64) -> Vec<(bool, Ray)> {
    const PART: usize = 8192;
    let parts: Vec<usize> = (0..count).step_by(PART).collect();
    let part = |&first: &usize| {
        let mut random = SplitMix64(seed ^ (first as u64) << 1);
        let ray = |i: usize| match i % 2 {
            0 => (true, target.inner_ray(&mut random)),
            _ => (false, target.outer_ray(&mut random)),
        };
        (0..(count - first).min(PART)).map(ray).collect::<Vec<_>>()
    };
    parts.par_iter().flat_map_iter(part).collect()
}

fn trace(tracer: &dyn Tracer, rays: &[(bool, Ray)]) -> Result<(Vec<Hit>, BatchStats), TraceError> {
    let rays: Vec<Ray> = rays.iter().map(|(_, ray)| *ray).collect();
    let mut hits = vec![Hit::default(); rays.len()];
    let stats = tracer.closest(&rays, &[], &mut hits, &mut [], &Control::default())?;
    Ok((hits, stats))
}

fn bits(hit: &Hit) -> [u32; 4] {
    [hit.t.to_bits(), hit.u.to_bits(), hit.v.to_bits(), hit.primitive]
}
