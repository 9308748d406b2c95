//! Every hit of one ray: through layers of triangles one behind the other, and through many at one place.
//!
//! `cargo run --release -p raywarp-cpu --example layers`, on one thread; the least of some runs counts.

use raywarp_bvh::{build, presets};
use raywarp_cpu::CpuTracer;
use raywarp_geom::{FlatTriangles, Ray};
use std::ops::ControlFlow;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (count, apart, runs) in [(100, 1.0, 200), (10_000, 0.0, 200), (1_000_000, 0.0, 3), (1_000_000, 1.0, 3)] {
        let layer = |i: u32| [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]].map(|[x, y]| [x, y, i as f32 * apart]);
        let triangles = FlatTriangles::from_vertices((0..count).map(layer).collect());
        let tracer = CpuTracer::new(&build(&triangles, &presets::BLOCKS)?, &triangles)?;
        let ray = Ray::new([0.25, 0.125, -1.0], [0.0, 0.0, 1.0]);
        let (mut hits, mut least) = (Vec::new(), f64::INFINITY);
        for _ in 0..runs {
            hits.clear();
            let start = Instant::now();
            let _ = tracer.visit_one(&ray, |hit, instance| {
                hits.push((hit.t, instance, hit.primitive));
                ControlFlow::Continue(())
            });
            hits.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2)));
            least = least.min(start.elapsed().as_secs_f64());
        }
        assert_eq!(hits.len(), count as usize);
        let place = if apart > 0.0 { "layers" } else { "triangles at one place" };
        println!("{count} {place}: {:.1} us", least * 1e6);
    }
    Ok(())
}
