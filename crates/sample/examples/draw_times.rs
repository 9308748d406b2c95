//! Time of one draw of each sampler and of the common warps; `cargo run --release -p raywarp-sample
//! --example draw_times`.

use raywarp_sample::{Sampler, warp};
use std::hint::black_box;
use std::time::Instant;

/// Median over repetitions, nanoseconds a call.
fn time(name: &str, mut f: impl FnMut(u32) -> f32) {
    let n = 1_000_000;
    let mut runs: Vec<f64> = (0..11)
        .map(|_| {
            let start = Instant::now();
            let mut sum = 0.0;
            for i in 0..n {
                sum += f(i);
            }
            black_box(sum);
            start.elapsed().as_secs_f64() * 1e9 / f64::from(n)
        })
        .collect();
    runs.sort_by(f64::total_cmp);
    println!("{name:24} {:6.2} ns (fastest {:.2}, slowest {:.2})", runs[5], runs[0], runs[10]);
}

fn main() {
    let samplers = [
        ("sobol", Sampler::Sobol { seed: 1 }),
        ("padded-halton", Sampler::PaddedHalton { seed: 1 }),
        ("xor32", Sampler::Xor32 { seed: 1 }),
    ];
    for (name, sampler) in samplers {
        let sampler = black_box(sampler);
        // Four draws a resumed stream, as at a vertex.
        time(&format!("{name} 2d"), |i| {
            let mut stream = sampler.resume(i >> 8, i & 255, i & 7, i | 1);
            (0..4).map(|_| stream.next_2d()).map(|[x, y]| x + y).sum::<f32>() / 4.0
        });
        time(&format!("{name} 1d"), |i| {
            let mut stream = sampler.resume(i >> 8, i & 255, i & 7, i | 1);
            (0..4).map(|_| stream.next_1d()).sum::<f32>() / 4.0
        });
    }
    println!("(draws: a time is of four)");
    let u = |i: u32| [(i & 1023) as f32 / 1024.0, (i >> 10) as f32 / 1024.0];
    time("cosine hemisphere", |i| warp::cosine_hemisphere(u(i)).iter().sum());
    time("uniform sphere", |i| warp::uniform_sphere(u(i)).iter().sum());
    let weights: Vec<f32> = (0..1 << 18).map(|i| (i % 37) as f32).collect();
    let table = warp::Distribution2d::new(&weights, 512, 512).expect("weights are positive");
    time("table 512 x 512", |i| table.sample(u(i)).1);
    let alias = warp::AliasTable::new(&weights).expect("weights are positive");
    time("alias table 2^18", |i| alias.sample(u(i)[0]).1);
}
