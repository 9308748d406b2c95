//! Times of the models, for those who tune them.

use super::*;
use std::hint::black_box;
use std::time::Instant;

/// Nanoseconds a call: fastest and median of 41 runs over 2^13 calls. On a busy machine the median tells
/// of the others' work.
fn time(mut f: impl FnMut(u32) -> f32) -> [f64; 2] {
    let n = 1 << 13;
    let mut runs: Vec<f64> = (0..41)
        .map(|_| {
            let start = Instant::now();
            black_box((0..n).map(&mut f).sum::<f32>());
            start.elapsed().as_secs_f64() * 1e9 / f64::from(n)
        })
        .collect();
    runs.sort_by(f64::total_cmp);
    [runs[0], runs[20]]
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
        let text = |[fastest, median]: [f64; 2]| format!("{fastest:5.1} ns (median {median:5.1})");
        println!("{name:22} sample {}, eval {}", text(sample), text(eval));
    }
}
