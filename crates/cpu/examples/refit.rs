//! Trees fitted to triangles that move: how many triangles a second, and how good trees are after many frames.
//!
//! `cargo run --release -p raywarp-cpu --example refit -- [SIDE] [FRAMES] [DECAY]`, on one thread.

use rayon::ThreadPoolBuilder;
use raywarp_bvh::{BuildOptions, build};
use raywarp_cpu::CpuTracer;
use raywarp_geom::FlatTriangles;
use raywarp_layout::IndexedCorners;
use std::sync::Arc;
use std::time::Instant;

/// A tube of cells of two triangles, twisted and bent: `twist` in turns from end to end.
struct Tube {
    side: usize,
    indices: Vec<[u32; 3]>,
}

impl Tube {
    fn new(side: usize) -> Self {
        let cell = |i: usize| {
            let [row, column] = [i / side, i % side];
            let at = |row: usize, column: usize| (row * side + column % side) as u32;
            let [a, b, c, d] = [at(row, column), at(row, column + 1), at(row + 1, column), at(row + 1, column + 1)];
            [[a, b, c], [b, d, c]]
        };
        let cells = 4 * side * side;
        Self { side, indices: (0..cells).flat_map(cell).collect() }
    }

    /// Four times as long as around, not quite round, with ripples.
    fn positions(&self, twist: f32) -> Vec<[f32; 3]> {
        let side = self.side;
        let at = |i: usize| {
            let [along, around] = [(i / side) as f32 / (4 * side) as f32, (i % side) as f32 / side as f32];
            let angle = std::f32::consts::TAU * around;
            let radius = 1.0 + 0.2 * (3.0 * angle).cos() + 0.05 * (40.0 * along).sin();
            let [x, y] = [1.6 * radius * angle.cos(), 0.4 * radius * angle.sin()];
            let (s, c) = (std::f32::consts::TAU * twist * along).sin_cos();
            let bend = 0.5 * twist * along;
            let [x, y, z] = [c * x - s * y, s * x + c * y, 8.0 * along];
            [x + bend.sin() * z, y, bend.cos() * z]
        };
        (0..side * (4 * side + 1)).map(at).collect()
    }

    fn triangles(&self, positions: &[[f32; 3]]) -> FlatTriangles {
        let corners = |indices: &[u32; 3]| indices.map(|index| positions[index as usize]);
        FlatTriangles::from_vertices(self.indices.iter().map(corners).collect())
    }

    fn tree(&self, positions: &[[f32; 3]]) -> CpuTracer {
        let triangles = self.triangles(positions);
        CpuTracer::new(&build(&triangles, &BuildOptions::default()).expect("finite"), &triangles).expect("few enough")
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = |or: f64| arguments.next().and_then(|text| text.parse().ok()).unwrap_or(or);
    let (side, frames, decay) = (number(350.0) as usize, number(1000.0) as usize, number(1.2));
    let one = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    one.install(|| {
        speed(&Tube::new(side));
        twist(&Tube::new(60), frames, decay);
    });
}

fn speed(tube: &Tube) {
    let [before, after] = [0.0, 0.1].map(|twist| tube.positions(twist));
    let (mut tree, indices) = (Arc::new(tube.tree(&before)), &tube.indices);
    let corners = |positions| IndexedCorners { positions, indices };
    let mut times = [const { Vec::new() }; 4];
    // What others hold while the next is fitted.
    let mut held = tree.refitted(&corners(&before)).0;
    for round in 0..15 {
        let positions = if round % 2 == 0 { &after } else { &before };
        let start = Instant::now();
        Arc::get_mut(&mut tree).expect("nobody else's").refit(&corners(positions));
        times[0].push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        held = held.refitted(&corners(positions)).0;
        times[1].push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        let copy = tree.refitted(&corners(positions)).0;
        times[2].push(start.elapsed().as_secs_f64());
        drop(copy);
    }
    let start = Instant::now();
    drop(tube.tree(&after));
    times[3].push(start.elapsed().as_secs_f64());
    let count = indices.len() as f64;
    println!("{count} triangles, {:.1} bytes each", tree.bytes() as f64 / count);
    for (what, times) in ["in place", "to a copy, in turns", "to a copy", "built"].iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        let rate = |time: f64| count / time / 1e6;
        let (middle, best) = (times[times.len() / 2], times[0]);
        println!("{what:20} {:6.1} million triangles a second, at best {:6.1}", rate(middle), rate(best));
    }
}

/// Twists a tube to two turns and back, with the rule that builds it again, and compares it with a tree built anew.
fn twist(tube: &Tube, frames: usize, decay: f64) {
    let mut tree = tube.tree(&tube.positions(0.0));
    let (mut built, mut builds, mut ratios) = (tree.sah(), 0, Vec::new());
    for frame in 1..=frames {
        let phase = frame as f32 / frames as f32;
        let positions = tube.positions(2.0 * (std::f32::consts::PI * phase).sin());
        let mut cost = tree.refit(&IndexedCorners { positions: &positions, indices: &tube.indices });
        if cost.decay(&built) > decay {
            tree = tube.tree(&positions);
            cost = tree.sah();
            (built, builds) = (cost, builds + 1);
        }
        ratios.push(cost.tree / tube.tree(&positions).sah().tree);
    }
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    let most = ratios.iter().fold(0.0, |most: f64, &ratio| most.max(ratio));
    println!(
        "{frames} frames, built again at a decay of {decay}: {builds} times; cost over that of a tree built anew:"
    );
    println!("  mean {mean:.3}, at most {most:.3}");
}
