//! Times of the models, for those who tune them.

use super::*;
use std::hint::black_box;
use std::time::Instant;

/// Returns the nanoseconds per call of `f`: the median of 161 runs of 2^11 calls, short enough that most finish
/// undisturbed on a busy machine.
fn time(mut f: impl FnMut(u32) -> f32) -> f64 {
    let n = 1 << 11;
    let mut runs: Vec<f64> = (0..161)
        .map(|run| {
            let start = Instant::now();
            black_box((run * n..(run + 1) * n).map(&mut f).sum::<f32>());
            start.elapsed().as_secs_f64() * 1e9 / f64::from(n)
        })
        .collect();
    runs.sort_by(f64::total_cmp);
    runs[80]
}

/// Returns the median nanoseconds of sampling, of evaluating, and of both at one vertex.
fn medians(bsdf: Bsdf) -> [f64; 3] {
    let draws: Vec<_> = (0..4096).map(numbers).collect();
    let directions: Vec<Vec3> = draws.iter().map(|d| raywarp_sample::warp::cosine_hemisphere(d.1).into()).collect();
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
    let vertex = time(|i| {
        let ((u_lobe, u), wo) = (draws[at(i)], directions[at(i * 7)]);
        let prepared = bsdf.prepare(wo);
        let (value, pdf) = bsdf.eval_prepared(&prepared, wo, directions[at(i)]);
        let sample = bsdf.sample_prepared(&prepared, wo, u_lobe, u);
        sample.map_or(0.0, |s| s.pdf + s.weight.x) + value.x + pdf
    });
    [sample, eval, vertex]
}

#[test]
#[ignore = "prints times: cargo test --release -p raywarp-render bsdf::tests::times -- --ignored --nocapture"]
fn print_times() {
    println!(
        "nanoseconds of a sample, an evaluation, both at a vertex; the same of the first bounce; vertex over vertex"
    );
    let text = |times: [f64; 3]| times.map(|t| format!("{t:6.1}")).join(" ");
    for Case { name, bsdf, .. } in rough_cases().into_iter().filter(|case| !case.is_first_bounce) {
        let mut multiple = medians(bsdf);
        let Some(first) = first_bounce(&bsdf) else {
            println!("{name:22} {}", text(multiple));
            continue;
        };
        let mut single = medians(first);
        for _ in 0..2 {
            // A busy machine changes its speed: the least of three medians is nearer to the truth.
            let again = [medians(bsdf), medians(first)];
            for i in 0..3 {
                multiple[i] = multiple[i].min(again[0][i]);
                single[i] = single[i].min(again[1][i]);
            }
        }
        println!("{name:22} {}  {}  {:.2}", text(multiple), text(single), multiple[2] / single[2]);
    }
}
