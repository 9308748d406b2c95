//! Counts the rays that slip through the edges of closed meshes, for each way to test triangles and boxes and to ask.
//!
//! `cargo run --release -p raywarp-cpu --example miss_rates -- [RAYS [NAME]]`: RAYS (1e6 unless given) through the
//! default tracer, as many in bundles that it walks as packets, and as many one ray a call; as many through scenes of
//! two levels, where a transform turns, scales and perhaps mirrors the mesh, and where the mesh is cut into parts of
//! one to eight triangles that transforms of their own take to seams with the same bits, and where the mesh moves from
//! one transform to another, asked at a time between; a tenth of that through each of the others. Only through those
//! whose name holds NAME, if given. Half of the rays start inside; sizes are 1e-6 to 1e6 by decades, offsets 0 to 1e4
//! sizes, and besides 1e5 and 1e6. Prints the tables of docs/reference/robustness.md, and fails if anything but the
//! others misses a ray up to an offset of 1e4.

#[path = "../tests/closed/mod.rs"]
mod closed;

use closed::aim::{Tally, Target};
use closed::meshes::{self, ClosedMesh};
use rayon::prelude::*;
use raywarp_cpu::{CpuBoxTest, CpuOptions, CpuTracer, CpuTree, CpuTriangleTest};
use raywarp_geom::{BatchStats, Candidate, Control, Hit, HitKey, Ray, RayCost, TraceError, Tracer};

const OFFSETS: [f32; 6] = [0.0, 1.0, 1e2, 1e4, 1e5, 1e6];
/// The offsets that a promise is made for.
const PROMISED: usize = 4;

/// What rays are traced through, and how.
#[derive(Clone, Copy)]
enum Way {
    /// Batches of rays that share nothing.
    Flat(CpuOptions),
    /// Bundles that are walked as packets.
    Bundles,
    /// One ray a call.
    Single,
    /// Two levels, the mesh placed by a transform.
    Turned,
    /// Two levels, each part of the mesh placed by a transform of its own.
    Cut,
    /// Two levels, the mesh on its way between two transforms.
    Moving,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rays: f64 = std::env::args().nth(1).map_or(Ok(1e6), |text| text.parse())?;
    let meshes = meshes::all();
    let papers = |test, boxes| Way::Flat(CpuOptions { engine: CpuTree::Bvh2(test), boxes, ..CpuOptions::default() });
    // With whether no ray may be missed.
    let ways = [
        ("watertight, padded boxes (default)", Way::Flat(CpuOptions::default()), true),
        ("watertight, padded boxes (default), in bundles", Way::Bundles, true),
        ("watertight, padded boxes (default), one ray a call", Way::Single, true),
        ("two levels, turned", Way::Turned, true),
        ("two levels, seams", Way::Cut, true),
        ("two levels, moving", Way::Moving, true),
        ("watertight, plain boxes", papers(CpuTriangleTest::Watertight, CpuBoxTest::Plain), false),
        ("Woop, padded boxes", papers(CpuTriangleTest::Woop, CpuBoxTest::Padded), false),
        ("Woop, plain boxes (AL09)", papers(CpuTriangleTest::Woop, CpuBoxTest::Plain), false),
        ("Moeller-Trumbore, padded boxes", papers(CpuTriangleTest::MoellerTrumbore, CpuBoxTest::Padded), false),
    ];
    let mut sound = true;
    let wanted = std::env::args().nth(2).unwrap_or_default();
    for (name, way, is_promised) in ways.into_iter().filter(|way| way.0.contains(&wanted)) {
        let start = std::time::Instant::now();
        let tallies = measure(&meshes, way, (if is_promised { rays } else { 0.1 * rays }) as u64);
        println!(
            "\n## {name}\n\n| offset | from inside: rays | missed | from outside: rays | missed | either answer is right |"
        );
        println!("|---:|---:|---:|---:|---:|---:|");
        for (i, [inside, outside]) in tallies.iter().enumerate() {
            let (n, m) = (inside.rays, outside.rays);
            println!("| {:e} | {n} | {} | {m} | {} | {} |", OFFSETS[i], rate(inside), rate(outside), outside.grazed);
        }
        let mut promised = Tally::default();
        tallies[..PROMISED].iter().flatten().for_each(|tally| promised.add(tally));
        println!(
            "\n{} rays up to 1e4: {} missed ({:.0} s)",
            promised.rays,
            promised.missed,
            start.elapsed().as_secs_f64()
        );
        if let Some(ray) = promised.example {
            println!("for example {ray:?}");
        }
        sound &= promised.missed == 0 || !is_promised;
    }
    if sound { Ok(()) } else { Err("rays were missed that must not be".into()) }
}

fn rate(tally: &Tally) -> String {
    match tally.missed {
        0 => "0".to_string(),
        n => format!("{n} ({:.1e})", n as f64 / tally.rays as f64),
    }
}

/// Returns the tallies of the rays at each offset, from inside and from outside. `rays` are spread evenly over the
/// promised offsets; the others get as many each.
fn measure(meshes: &[ClosedMesh], way: Way, rays: u64) -> Vec<[Tally; 2]> {
    let sizes: Vec<f32> = (-6..=6).map(|e| format!("1e{e}").parse().expect("a number")).collect();
    let each = (rays as usize).div_ceil(PROMISED * 2 * sizes.len() * meshes.len());
    let mut tallies = vec![[Tally::default(); 2]; OFFSETS.len()];
    for (m, mesh) in meshes.iter().enumerate() {
        for (s, &size) in sizes.iter().enumerate() {
            for (o, &offset) in OFFSETS.iter().enumerate() {
                let (target, tracer) = target(mesh, (size, offset), way, (m * 1000 + s * 10 + o) as u64);
                if !target.holds_its_middle() {
                    assert!(o >= PROMISED, "{} is folded at offset {offset:e}", mesh.name);
                    continue;
                }
                for (side, tally) in tallies[o].iter_mut().enumerate() {
                    let parts: Vec<usize> = (0..each).step_by(8192).collect();
                    let found: Vec<Tally> = parts
                        .par_iter()
                        .map(|&first| {
                            let seed = (first as u64 + ((s as u64) << 32) + ((o as u64) << 40)) ^ (side as u64) << 50;
                            let count = (each - first).min(8192);
                            match way {
                                Way::Bundles => target.tally_bundles(&*tracer, side == 0, count, seed),
                                _ => target.tally(&*tracer, side == 0, count, seed),
                            }
                        })
                        .collect();
                    found.iter().for_each(|part| tally.add(part));
                }
            }
        }
    }
    tallies
}

/// Returns a mesh at its place and the tracer through it.
fn target(mesh: &ClosedMesh, (size, offset): (f32, f32), way: Way, seed: u64) -> (Target<'_>, Box<dyn Tracer>) {
    let flat = |options| {
        let target = Target::new(mesh, size, offset);
        let tracer = target.tracer(options);
        (target, tracer)
    };
    match way {
        Way::Flat(options) => {
            let (target, tracer) = flat(&options);
            (target, Box::new(tracer))
        }
        Way::Bundles => {
            let (target, tracer) = flat(&CpuOptions::default());
            (target, Box::new(tracer))
        }
        Way::Single => {
            let (target, tracer) = flat(&CpuOptions::default());
            (target, Box::new(OneByOne(tracer)))
        }
        // Their batches ask ray after ray, as calls of one do.
        Way::Turned => {
            let (target, tracer) = Target::turned(mesh, size, offset, seed);
            (target, Box::new(tracer))
        }
        Way::Cut => {
            let (target, tracer) = Target::cut(mesh, size, offset, seed);
            (target, Box::new(tracer))
        }
        Way::Moving => {
            let (target, tracer) = Target::moving(mesh, size, offset, seed);
            (target, Box::new(tracer))
        }
    }
}

/// Tracer whose batches are calls of one ray.
struct OneByOne(CpuTracer);

impl Tracer for OneByOne {
    fn closest(
        &self,
        rays: &[Ray],
        _: &[HitKey],
        hits: &mut [Hit],
        _: &mut [u32],
        _: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        for (ray, hit) in rays.iter().zip(hits) {
            *hit = self.0.closest_one(ray, HitKey::START).map_or(Hit::miss(ray.t_max), |found| found.0);
        }
        Ok(BatchStats::default())
    }

    fn any(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        blocked: &mut [u32],
        undecided: &mut Vec<Candidate>,
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        self.0.any(rays, after, blocked, undecided, control)
    }

    fn cost(&self, rays: &[Ray], costs: &mut [RayCost], control: &Control<'_>) -> Result<BatchStats, TraceError> {
        self.0.cost(rays, costs, control)
    }

    fn preferred_batch(&self) -> usize {
        self.0.preferred_batch()
    }
}
