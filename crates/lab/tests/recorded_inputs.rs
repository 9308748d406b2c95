//! Trees and rays are those that the recorded runs are of.

use raywarp::bvh::presets;
use raywarp::scene::{View, load_views};
use raywarp::{BuildOptions, Builder, Control};
use raywarp_lab::bench::corpus::{RecordedInput, RecordedRun, read_inputs};
use raywarp_lab::bench::{
    BenchRequest, BenchWatch, CheckSize, DataHash, LaunchBounds, RayColumn, RayOrder, RaySource, SceneReport, Subject,
    Target, TreeFacts, bench_scene,
};
use raywarp_lab::study::measured::{MeasuredRate, beside_bounds, rates_of, read_measured};
use raywarp_lab::workload::rays::{RayKind, Workload};
use raywarp_testing::scenes;
use std::path::{Path, PathBuf};

/// Sizes of leaves of each kind of tree, in triangles.
const LEAVES: [u32; 3] = [1, 3, 8];

fn runs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/runs")
}

fn inputs() -> Vec<RecordedInput> {
    read_inputs(&std::fs::read_to_string(runs().join("inputs.csv")).unwrap()).unwrap()
}

/// Returns the options of a tree by a word of a `run.toml`, such as `good` or `sweep+0/8`; `None` for another word.
fn options(word: &str, max_leaf: u32) -> Option<BuildOptions> {
    match word.split_once('/') {
        Some(("sweep", leaf)) => {
            Some(BuildOptions { builder: Builder::SweepSah, max_leaf: leaf.parse().ok()?, ..BuildOptions::default() })
        }
        Some((name, leaf)) => TreeFacts::named(name, leaf.parse().ok()?),
        None => TreeFacts::named(word, max_leaf),
    }
}

/// Returns what a run of this CPU on the built-in scene, from the front and from nearer, says of rays and trees.
fn made(workload: Workload, builds: Vec<BuildOptions>) -> Vec<MeasuredRate> {
    let scene = raywarp::scene::default_scene();
    let front = scene.cameras.first().unwrap().clone();
    let framed = raywarp::render::frame_bounds(&raywarp::scene::flatten(&scene).unwrap().bounds());
    let views = [front, framed].map(|camera| View { camera, ao_radius: None });
    let request = BenchRequest {
        workload,
        rays_per_pixel: Some(2),
        columns: RayKind::ALL.map(|kind| RayColumn::of(kind, RayOrder::Workload)).to_vec(),
        size: [48, 32],
        one_launch: false,
        subjects: vec!["cpu".parse::<Subject>().unwrap()],
        instead: None,
        builds,
        bounds: vec![LaunchBounds::default()],
        width: 32,
        warmup: 0,
        runs: 1,
        check: CheckSize::Sample(1),
        halves: false,
    };
    let mut report = SceneReport::new("embedded", &Target::Cpu, vec![1, 2], &request);
    bench_scene(&Target::Cpu, scene, RaySource::Views(&views), &request, &BenchWatch::default(), &mut report).unwrap();
    let mut rates = rates_of(&report);
    rates.retain(|rate| rate.view.is_none());
    rates
}

/// Returns the hash of the trees or rays of the built-in scene that `what` names.
fn today(what: &str) -> Option<DataHash> {
    let hashes: Option<Vec<DataHash>> = match what.split_once(' ')? {
        ("tree", name) => {
            let builds: Vec<BuildOptions> =
                LEAVES.into_iter().map(|leaf| options(name, leaf)).collect::<Option<_>>()?;
            let of_primary = |rate: &MeasuredRate| rate.kind == RayKind::Primary;
            made(Workload::Raywarp, builds).iter().filter(|rate| of_primary(rate)).map(|rate| rate.tree_hash).collect()
        }
        ("rays", name) => {
            let rates = made(Workload::parse(name)?, vec![presets::FASTEST]);
            rates.iter().map(|rate| rate.rays_hash).collect()
        }
        _ => None,
    };
    hashes.filter(|hashes| !hashes.is_empty()).map(|hashes| DataHash::of_all(&hashes))
}

#[test]
fn the_program_makes_the_trees_and_rays_that_pages_take_for_today_s() {
    let inputs = inputs();
    let mut names: Vec<&str> = inputs.iter().map(|input| input.what.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let other = |what: &&str| {
        let last = inputs.iter().rfind(|input| input.what == *what).unwrap();
        let found = today(what).unwrap_or_else(|| panic!("bench/runs/inputs.csv: there is no {what}"));
        (found != last.hash).then(|| format!("{what},{found}"))
    };
    let others: Vec<String> = names.iter().filter_map(other).collect();
    assert!(
        others.is_empty(),
        "the program makes other trees or rays than bench/runs/inputs.csv has; if that is meant, add a line of today for \
         each, and `cargo xtask docs` marks what is of recorded runs before it:\n{}",
        others.join("\n")
    );
}

#[test]
fn every_tree_and_workload_of_a_recorded_run_has_its_hash() {
    let inputs = inputs();
    let has = |what: &str| inputs.iter().any(|input| input.what == what);
    let mut found = 0;
    for name in RecordedRun::names() {
        let run = RecordedRun::parse(&std::fs::read_to_string(runs().join(name).join("run.toml")).unwrap()).unwrap();
        for files in &run.files {
            let words = files.trees.as_deref().unwrap_or_default().split([' ', ',', ';']);
            for word in words.filter(|word| options(word, 8).is_some()) {
                assert!(has(&format!("tree {word}")), "{name}: {word}");
                found += 1;
            }
            let workload = files.rays.as_deref().and_then(|rays| Some(rays.split_once(':')?.0));
            if let Some(workload) = workload.and_then(Workload::parse) {
                assert!(has(&format!("rays {}", workload.name())), "{name}: {}", workload.name());
                found += 1;
            }
        }
    }
    assert!(found > 30 && has("rays raywarp"), "{found}");
}

/// What the built-in scene says of trees and rays holds for one that was measured, run by run since their hashes and
/// sizes are recorded.
#[test]
fn sibenik_s_trees_and_rays_are_those_of_the_recorded_runs() {
    let Some((scene, view)) = crate::common::sibenik() else { return };
    let mut rows = 0;
    for (table, [trees, rays]) in [
        ("2026-11-22-h200-3/bench.csv", ["tree good", "rays raywarp"]),
        ("2026-11-28-h100/bench-tuned.csv", ["tree good", "rays raywarp"]),
        ("2026-11-29-h200/table1.csv", ["tree good", "rays al09"]),
    ] {
        let since = |what: &str| inputs().into_iter().rfind(|input| input.what == what).unwrap().since;
        // What changed since is for a page to say.
        if table[..10] < *since(trees) || table[..10] < *since(rays) {
            continue;
        }
        let mut rates = read_measured(&crate::common::recorded(table)).unwrap();
        rates.retain(|rate| {
            rate.scene == "sibenik" && rate.view.is_none() && rate.kind == RayKind::Primary && rate.tree == "good"
        });
        assert!(!rates.is_empty(), "{table}");
        let mut request = crate::common::on_sibenik(&view, rates, 32);
        if rays == "rays al09" {
            let all = load_views(&scenes().unwrap().join("views.toml"), "sibenik").unwrap();
            request.views = (1..).zip(all).collect();
        }
        let report =
            beside_bounds(&scene, &request, &Control::default()).unwrap_or_else(|error| panic!("{table}: {error}"));
        assert!(report.other_trees.is_empty(), "{table}: {:?}", report.other_trees);
        rows += report.rows.len();
    }
    assert!(rows > 5, "{rows}");
}
