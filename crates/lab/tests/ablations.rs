//! Ablations as foretold and as measured on an H200 (bench/runs/2026-11-22-h200-2/ablations.csv).

use raywarp::Control;
use raywarp_lab::bench::Subject;
use raywarp_lab::study::measured::{MeasuredRequest, MeasuredRow, beside_bounds, read_measured};
use raywarp_lab::workload::rays::RayKind;

/// How near a foretold change must come.
const POINTS: f64 = 10.0;

/// Changes of a measured rate, %, whose sign is not asked for: as far apart are halves of a kernel's runs.
const SPREAD: f64 = 1.0;

const UNROLLED: &str = "replace/speculative-while-while/bvh2?batch=exact&box=integer&leaves=nested&unroll=4";

/// What a change brought, and what was expected of it, per cent.
fn change(rows: &[MeasuredRow], kind: RayKind, [before, after]: [&str; 2]) -> [f64; 2] {
    let find = |name: &str| {
        let subject = name.parse::<Subject>().unwrap();
        rows.iter().find(|row| row.rate.kind == kind && row.rate.subject == subject).unwrap()
    };
    let [before, after] = [before, after].map(find);
    let percent = |of: fn(&MeasuredRow) -> f64| 100.0 * (of(after) / of(before) - 1.0);
    [percent(|row| row.rate.rays_per_s), percent(|row| row.expected.unwrap())]
}

#[test]
fn boxes_as_integers_and_triangles_four_at_a_time_change_rates_as_foretold() {
    let Some((scene, view)) = crate::common::sibenik() else { return };
    let pairs = [["alk12-kepler-float", "alk12-kepler"], ["alk12-kepler", UNROLLED]];
    let mut rates = read_measured(&crate::common::recorded("2026-11-22-h200-2/ablations.csv")).unwrap();
    let subjects: Vec<Subject> = pairs.iter().flatten().map(|name| name.parse().unwrap()).collect();
    rates.retain(|rate| rate.scene == "sibenik" && subjects.contains(&rate.subject));
    let request = crate::common::on_sibenik(&view, rates, 1 << 15);
    let request = MeasuredRequest { size: [3072, 2304], rays_per_pixel: Some(1), ..request };
    let rows = beside_bounds(&scene, &request, &Control::default()).unwrap().rows;
    for pair in pairs {
        for kind in RayKind::ALL {
            let [measured, foretold] = change(&rows, kind, pair);
            println!("{} after {}, {}: {measured:+.1} %, foretold {foretold:+.1} %", pair[1], pair[0], kind.name());
            assert!((measured - foretold).abs() <= POINTS, "{pair:?} {}: {measured} {foretold}", kind.name());
            let same_sign = measured * foretold >= 0.0 || measured.abs() < SPREAD;
            assert!(same_sign, "{pair:?} {}: {measured} {foretold}", kind.name());
        }
    }
    // Long launches: start and tail are little.
    for row in &rows {
        let [expected, bound] = [row.expected.unwrap(), row.lowest().unwrap().rays_per_s];
        assert!(expected <= 1.01 * bound, "{:?}: {expected} {bound}", row.rate);
        assert!((0.8..1.0).contains(&(row.rate.rays_per_s / expected)), "{:?}: {expected}", row.rate);
    }
}
