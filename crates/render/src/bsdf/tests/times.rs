//! Times of the models, for those who tune them.

use super::*;
use std::hint::black_box;
use std::time::Instant;

/// Nanoseconds a call: median of 9 runs over 2^16 calls.
fn time(mut f: impl FnMut(u32) -> f32) -> f64 {
    let n = 1 << 16;
    let mut runs: Vec<f64> = (0..9)
        .map(|_| {
            let start = Instant::now();
            black_box((0..n).map(&mut f).sum::<f32>());
            start.elapsed().as_secs_f64() * 1e9 / f64::from(n)
        })
        .collect();
    runs.sort_by(f64::total_cmp);
    runs[4]
}

#[test]
#[ignore = "prints times: cargo test --release -p raywarp-render bsdf::tests::times -- --ignored --nocapture"]
fn print_times() {
    let draws: Vec<_> = (0..4096).map(numbers).collect();
    let directions: Vec<Vec3> = draws.iter().map(|d| raywarp_sample::warp::cosine_hemisphere(d.1).into()).collect();
    for Case { name, bsdf } in rough_cases() {
        let bsdf = black_box(bsdf);
        let at = |i: u32| i as usize & 4095;
        let sample = time(|i| {
            let (u_lobe, u) = draws[at(i)];
            bsdf.sample(directions[at(i * 7)], u_lobe, u).map_or(0.0, |s| s.pdf + s.weight.x)
        });
        let eval = time(|i| {
            let (value, pdf) = bsdf.eval(directions[at(i)], directions[at(i * 7)]);
            value.x + pdf
        });
        println!("{name:24} sample {sample:6.1} ns, eval {eval:6.1} ns");
    }
}
