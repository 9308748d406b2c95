//! The numbers of [`instructions`] beside the records that they come from: bench/runs.

use super::tests::{SLOW, counts, layout, roofline};
use super::*;
use crate::sources::Organisation;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

fn record(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/runs").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the rows of a CSV table, each as values by column name.
fn rows(table: &str) -> impl Iterator<Item = HashMap<&str, &str>> {
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines.map(move |line| std::iter::zip(names.iter().copied(), line.split(',')).collect())
}

fn stage_of(kernel: &str) -> Stage {
    match kernel.split("__").next().unwrap() {
        "render_begin_round" => Stage::BEGIN_ROUND,
        "refill" => Stage::REFILL,
        "render_extend" => Stage::EXTEND,
        "sort" => Stage::SORT,
        "sort_waiting" => Stage::SORT_WAITING,
        "shade" => Stage::SHADE,
        "render_connect" => Stage::CONNECT,
        "arrive_light" => Stage::ARRIVE_LIGHT,
        "decide_light" => Stage::DECIDE_LIGHT,
        "render_finalize_film" => Stage::FINALIZE,
        other => panic!("{other}"),
    }
}

/// Profile of a whole render, with counted instructions.
struct Counted {
    name: &'static str,
    layout: Layout,
    counts: PathCounts,
    /// Warp instructions of each kernel.
    recorded: BTreeMap<Stage, f64>,
}

/// Reads the profiled renders of the run 2026-11-23-h200-2, whose rays per path are those of the same scenes with more
/// samples.
fn whole_renders() -> Vec<Counted> {
    let (kernels, renders) = (record("2026-11-23-h200-2/kernels.csv"), record("2026-11-23-h200/renders.txt"));
    let scenes = [
        ("bmw_m6", "s/bmw_m6/bmw-m6.pbrt", 1400 * 1000 * 64, false),
        ("coffee", "coffee/scene.pbrt", 800 * 1000 * 64, false),
        ("kitchen", "kitchen", 1280 * 720 * 16, true),
    ];
    let counted = scenes.map(|(name, section, paths, holes)| {
        let (_, text) = renders.split_once(&format!("\n== {section}\n")).unwrap();
        let line = text.lines().find(|line| line.contains(" launches; ")).unwrap();
        let number = |what: &str| -> f64 {
            let part = line.split([';', ',']).find_map(|part| part.strip_suffix(what)).unwrap();
            part.trim().parse().unwrap()
        };
        let times = paths as f64 / number(" paths");
        let [rays, connections] =
            ["rays extend paths", "go to lights"].map(|what| (times * number(&format!(" {what}"))) as u64);
        let layout = layout(Organisation::WavefrontSorted, FeatureSet::Surfaces, holes);
        let mut recorded = BTreeMap::new();
        for row in rows(&kernels).filter(|row| row["scene"] == name) {
            *recorded.entry(stage_of(row["kernel"])).or_default() += row["warp_instructions"].parse::<f64>().unwrap();
        }
        let counts = counts(Organisation::WavefrontSorted, &layout, [paths, rays, connections]);
        Counted { name, layout, counts, recorded }
    });
    counted.into()
}

/// Returns the warp instructions of each kernel in sibenik per path, ray or connection, without refill, which was not
/// among the profiled launches.
fn in_sibenik() -> BTreeMap<Stage, f64> {
    let (counters, rays) = (record("2026-11-23-h200/counters.csv"), record("2026-11-23-h200/rays-sibenik.csv"));
    // Files of rays are of 8 samples, launches of 10.
    let paths = |name: &str| {
        let row = rows(&rays).find(|row| row["kind"] == name).unwrap();
        row["rays"].parse::<f64>().unwrap() * 10.0 / 8.0
    };
    let bounces: Vec<f64> = (0..9).map(|n| paths(&format!("bounce-{n:02}"))).collect();
    let shadows: f64 = (5..8).map(|n| paths(&format!("shadow-{n:02}"))).sum();
    // By launch: rounds 5 to 8 of 0 to 8, of which the last one connects nothing.
    let mut launches: BTreeMap<Stage, Vec<f64>> = BTreeMap::new();
    let executed = |row: &HashMap<&str, &str>| {
        row["scene"] == "sibenik-diffuse" && row["metric"] == "smsp__inst_executed.sum" && row["launch"] != "0"
    };
    for row in rows(&counters).filter(executed) {
        launches.entry(stage_of(row["kernel"])).or_default().push(row["value"].parse().unwrap());
    }
    let sum = |stage: Stage, rounds: usize| launches[&stage][..rounds].iter().sum::<f64>();
    let (last, later) = (bounces[8], bounces[5..8].iter().sum::<f64>());
    let shade = sum(Stage::SHADE, 3) / later * bounces[..8].iter().sum::<f64>() + launches[&Stage::SHADE][3];
    BTreeMap::from([
        (Stage::EXTEND, sum(Stage::EXTEND, 4) / (later + last)),
        (Stage::SHADE, shade / bounces.iter().sum::<f64>()),
        (Stage::CONNECT, sum(Stage::CONNECT, 3) / shadows),
        (Stage::ARRIVE_LIGHT, sum(Stage::ARRIVE_LIGHT, 3) / shadows),
        (Stage::FINALIZE, sum(Stage::FINALIZE, 1) / bounces[0]),
    ])
}

#[test]
fn instructions_are_those_that_were_recorded() {
    let renders = whole_renders();
    let plain = layout(Organisation::WavefrontSorted, FeatureSet::Plain, false);
    let sibenik = in_sibenik();
    for stage in Stage::OF_WAVEFRONT {
        let of_render = |render: &Counted| {
            let (each, _) = instructions(stage, &render.layout).unwrap();
            Some(render.recorded.get(&stage).copied().unwrap_or(0.0) / each.count(&render.counts) as f64)
                .filter(|n| *n > 0.1)
        };
        let surfaces: Vec<f64> = renders.iter().filter_map(of_render).collect();
        let of_sibenik: Vec<f64> = sibenik.get(&stage).copied().into_iter().collect();
        // Shading depends on the materials, nothing else does.
        let groups = match stage {
            Stage::SHADE => vec![(&renders[0].layout, surfaces), (&plain, of_sibenik)],
            _ => vec![(&renders[2].layout, [surfaces, of_sibenik].concat())],
        };
        for (layout, all) in groups.into_iter().filter(|(_, all)| !all.is_empty()) {
            let (_, estimate) = instructions(stage, layout).unwrap();
            let least = all.iter().copied().fold(f64::INFINITY, f64::min);
            let most = all.iter().copied().fold(0.0, f64::max);
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            let is = |got: f64, want: f64| (got / want - 1.0).abs() < 0.006;
            let CountedRange { mean: m, least: l, most: h } = estimate;
            assert!(is(m, mean) && is(l, least) && is(h, most), "{stage:?}: {estimate:?}, {all:?}");
            assert!(l <= least && h >= most, "{stage:?}: {estimate:?}, {all:?}");
        }
    }
}

#[test]
fn whole_renders_took_what_their_counts_foretell_within_the_spread() {
    for render in whole_renders() {
        let estimate = roofline(SLOW, Organisation::WavefrontSorted, render.layout).estimate(&render.counts);
        let (foretold, recorded) = (estimate.instructions.unwrap(), render.recorded.values().sum::<f64>());
        let name = render.name;
        assert!((foretold.least..=foretold.most).contains(&recorded), "{name}: {recorded}, {foretold:?}");
        assert!((foretold.mean / recorded - 1.0).abs() < 0.18, "{name}: {recorded}, {foretold:?}");
    }
}
