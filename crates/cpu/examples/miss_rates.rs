//! Counts the rays that slip through the edges of closed meshes, for each way to test triangles and boxes.
//!
//! `cargo run --release -p raywarp-cpu --example miss_rates -- [RAYS [NAME]]`: RAYS (1e6 unless given) through the
//! default tracer, and as many in bundles that it walks as packets, a tenth of that through each of the others; only
//! through those whose name holds NAME, if given. Half of the rays start inside; sizes are 1e-6 to 1e6 by decades,
//! offsets 0 to 1e4 sizes, and besides 1e5 and 1e6. Prints the tables of docs/reference/robustness.md, and fails if the
//! default tracer misses anything up to an offset of 1e4.

#[path = "../tests/closed/mod.rs"]
mod closed;

use closed::aim::{Tally, Target};
use closed::meshes::{self, ClosedMesh};
use rayon::prelude::*;
use raywarp_cpu::{CpuBoxTest, CpuOptions, CpuTree, CpuTriangleTest};

const OFFSETS: [f32; 6] = [0.0, 1.0, 1e2, 1e4, 1e5, 1e6];
/// The offsets that a promise is made for.
const PROMISED: usize = 4;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rays: f64 = std::env::args().nth(1).map_or(Ok(1e6), |text| text.parse())?;
    let meshes = meshes::all();
    let papers = |test, boxes| CpuOptions { engine: CpuTree::Bvh2(test), boxes, ..CpuOptions::default() };
    let ways = [
        ("watertight, padded boxes (default)", CpuOptions::default(), rays),
        ("watertight, padded boxes (default), in bundles", CpuOptions::default(), rays),
        ("watertight, plain boxes", papers(CpuTriangleTest::Watertight, CpuBoxTest::Plain), 0.1 * rays),
        ("Woop, padded boxes", papers(CpuTriangleTest::Woop, CpuBoxTest::Padded), 0.1 * rays),
        ("Woop, plain boxes (AL09)", papers(CpuTriangleTest::Woop, CpuBoxTest::Plain), 0.1 * rays),
        ("Moeller-Trumbore, padded boxes", papers(CpuTriangleTest::MoellerTrumbore, CpuBoxTest::Padded), 0.1 * rays),
    ];
    let mut sound = true;
    let wanted = std::env::args().nth(2).unwrap_or_default();
    for (name, options, rays) in ways.into_iter().filter(|way| way.0.contains(&wanted)) {
        let start = std::time::Instant::now();
        let tallies = measure(&meshes, &options, rays as u64, name.contains("bundles"));
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
        sound &= promised.missed == 0 || !name.contains("default");
    }
    if sound { Ok(()) } else { Err("the default tracer missed rays".into()) }
}

fn rate(tally: &Tally) -> String {
    match tally.missed {
        0 => "0".to_string(),
        n => format!("{n} ({:.1e})", n as f64 / tally.rays as f64),
    }
}

/// Returns the tallies of the rays at each offset, from inside and from outside. `rays` are spread evenly over the
/// promised offsets; the others get as many each. `bundles`: [`Target::tally_bundles`].
fn measure(meshes: &[ClosedMesh], options: &CpuOptions, rays: u64, bundles: bool) -> Vec<[Tally; 2]> {
    let sizes: Vec<f32> = (-6..=6).map(|e| format!("1e{e}").parse().expect("a number")).collect();
    let each = (rays as usize).div_ceil(PROMISED * 2 * sizes.len() * meshes.len());
    let mut tallies = vec![[Tally::default(); 2]; OFFSETS.len()];
    for mesh in meshes {
        for (s, &size) in sizes.iter().enumerate() {
            for (o, &offset) in OFFSETS.iter().enumerate() {
                let target = Target::new(mesh, size, offset);
                if !target.holds_its_middle() {
                    assert!(o >= PROMISED, "{} is folded at offset {offset:e}", mesh.name);
                    continue;
                }
                let tracer = target.tracer(options);
                for (side, tally) in tallies[o].iter_mut().enumerate() {
                    let parts: Vec<usize> = (0..each).step_by(8192).collect();
                    let found: Vec<Tally> = parts
                        .par_iter()
                        .map(|&first| {
                            let seed = (first as u64 + ((s as u64) << 32) + ((o as u64) << 40)) ^ (side as u64) << 50;
                            let count = (each - first).min(8192);
                            if bundles {
                                target.tally_bundles(&tracer, side == 0, count, seed)
                            } else {
                                target.tally(&tracer, side == 0, count, seed)
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
