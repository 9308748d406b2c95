//! Gains that a change of the machine was foretold to bring, beside what it brought: the same code with fewer resident warps, on an
//! H100 (bench/runs/2026-11-25-h100).

use raywarp::Control;
use raywarp::bvh::presets;
use raywarp::scene::{Description, View};
use raywarp_lab::sim::machine::Machine;
use raywarp_lab::study::bounds::{BoundsRequest, bound_rates};
use raywarp_lab::study::launch::GainSpread;
use raywarp_lab::study::simulate::EfficiencyRequest;
use raywarp_lab::workload::rays::{Order, RESOLUTION, RayKind, Workload};
use std::collections::BTreeMap;

/// Kernels, and warps a multiprocessor: as many as fit, and fewer.
const RUNS: [(&str, [u32; 4]); 5] = [
    ("al09-persistent-spec-while-while", [40, 32, 20, 12]),
    ("alk12-kepler", [40, 32, 20, 12]),
    ("g14", [32, 24, 16, 8]),
    ("ykl17", [36, 24, 16, 12]),
    ("raywarp-h8", [36, 24, 16, 12]),
];

type Rates = BTreeMap<(&'static str, u32, &'static str), f64>;

/// Mean rates of sibenik by kernel, warps and kind of rays, Mrays/s.
fn measured() -> Rates {
    let table = crate::common::recorded("2026-11-25-h100/resident.csv");
    let mut lines = table.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = |name: &str| head.iter().position(|column| *column == name).unwrap();
    let [warps, scene, view, kind, name, rate] =
        ["resident_warps", "scene", "view", "kind", "name", "mrays_median"].map(at);
    let mut sums: BTreeMap<_, Vec<f64>> = BTreeMap::new();
    for fields in lines.map(|line| line.split(',').collect::<Vec<_>>()) {
        if fields[scene] == "sibenik" && fields[view] == "1" {
            let (kernel, _) = RUNS.into_iter().find(|(known, _)| *known == fields[name]).unwrap();
            let kind = RayKind::ALL.into_iter().find(|known| known.name() == fields[kind]).unwrap();
            let key = (kernel, fields[warps].parse().unwrap(), kind.name());
            sums.entry(key).or_default().push(fields[rate].parse().unwrap());
        }
    }
    sums.into_iter().map(|(key, rates)| (key, rates.iter().sum::<f64>() / rates.len() as f64)).collect()
}

/// Expected rates and lowest bounds of a kernel by kind of rays.
fn foretold(scene: &Description, view: &View, kernel: &str, warps: u32) -> Vec<(RayKind, f64, f64)> {
    let mut machine = Machine::find("h100").unwrap();
    machine.set("resident.warps", &warps.to_string()).unwrap();
    let rays = EfficiencyRequest {
        workload: Workload::Raywarp,
        kinds: RayKind::ALL.to_vec(),
        own: Vec::new(),
        views: vec![view.clone()],
        size: RESOLUTION,
        sample: 1 << 14,
        order: Order::Workload,
        rays_per_pixel: None,
        variants: vec![kernel.parse().unwrap()],
        widths: vec![32],
        draw: 0,
        leaf_sizes: vec![8],
        build: presets::GOOD,
        scene: "sibenik".into(),
    };
    let request = BoundsRequest { rays, machines: vec![machine], changes: vec![], costs: None, what_if: false };
    let rows = bound_rates(scene, &request, &Control::default()).unwrap().rows;
    rows.iter().map(|row| (row.kind.kind().unwrap(), row.expected.unwrap(), row.lowest().unwrap().rays_per_s)).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().map(|value| value.abs()).sum::<f64>() / values.len() as f64
}

#[test]
fn fewer_resident_warps_cost_what_is_foretold_rather_than_nothing_or_what_a_bound_says() {
    let Some((scene, view)) = crate::common::sibenik() else { return };
    let (measured, h200) = (measured(), Machine::find("h200").unwrap());
    // Logarithms of foretold over measured ratio, by kind: model, nothing changes, lowest bound.
    let mut errors: BTreeMap<&str, [Vec<f64>; 3]> = BTreeMap::new();
    let (mut inside, mut cells) = (0, 0);
    for (kernel, warps) in RUNS {
        let full = foretold(&scene, &view, kernel, warps[0]);
        for fewer in &warps[1..] {
            for (before, after) in full.iter().zip(foretold(&scene, &view, kernel, *fewer)) {
                let kind = before.0;
                let rate = |warps: u32| measured[&(kernel, warps, kind.name())];
                let [was, expected, bound] =
                    [rate(*fewer) / rate(warps[0]), after.1 / before.1, after.2 / before.2].map(f64::ln);
                let percent = |log: f64| 100.0 * log.exp_m1();
                println!(
                    "{kernel}, {}, {fewer} of {} warps: {:+.0} %, expected {:+.0} %, lowest bound {:+.0} %",
                    kind.name(),
                    warps[0],
                    percent(was),
                    percent(expected),
                    percent(bound)
                );
                let all = errors.entry(kind.name()).or_default();
                all.iter_mut().zip([expected, 0.0, bound]).for_each(|(all, log)| all.push(log - was));
                if kind != RayKind::Primary {
                    let [low, high] = GainSpread::of(&h200, kind).unwrap().gain(1.0, expected.exp()).interval();
                    cells += 1;
                    inside += i32::from((low..=high).contains(&was.exp_m1()));
                }
            }
        }
    }
    for (kind, all) in &errors {
        let [model, nothing, bound] = [0, 1, 2].map(|way| 100.0 * mean(&all[way]));
        println!(
            "{kind}: mean error, logarithms in %: model {model:.1}, nothing changes {nothing:.1}, lowest bound {bound:.1}"
        );
    }
    let page = include_str!("../../../docs/internals/simulator.md");
    for (row, way) in [("expected rate", 0), ("lowest bound", 2), ("baseline: nothing changes", 1)] {
        let [ao, diffuse, primary] = ["ao", "diffuse", "primary"].map(|kind| 100.0 * mean(&errors[kind][way]));
        let row = format!("| {row} | {ao:.1} | {diffuse:.1} | {primary:.1} |");
        assert!(page.contains(&row), "docs/internals/simulator.md lacks: {row}");
    }
    let share = f64::from(inside) / f64::from(cells);
    println!("AO and diffuse: {:.0} % of {cells} in the intervals", 100.0 * share);
    for kind in ["ao", "diffuse"] {
        let [model, nothing, bound] = [0, 1, 2].map(|way| mean(&errors[kind][way]));
        assert!(model < 0.08 && 3.0 * model < nothing && 3.0 * model < bound, "{kind}: {model} {nothing} {bound}");
    }
    assert!(share >= 0.85, "{share}");
    // Launches of 0.2 ms: what they wait for is not in the model.
    let [model, nothing, _] = [0, 1, 2].map(|way| mean(&errors["primary"][way]));
    assert!(
        nothing < 1.1 * model,
        "primary: {model} {nothing}; docs/internals/simulator.md says that the model is no better"
    );
}
