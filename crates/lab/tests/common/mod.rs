//! Shared scenes, and what was recorded of them.

use raywarp::BuildOptions;
use raywarp::scene::{Description, View, load_views};
use raywarp_lab::sim::machine::Machine;
use raywarp_lab::study::counters::{Counted, CountersRequest};
use raywarp_lab::study::measured::{MeasuredRate, MeasuredRequest, set_clock};
use raywarp_lab::study::simulate::EfficiencyRequest;
use raywarp_lab::workload::rays::{Order, RESOLUTION, RayKind, Workload};
use raywarp_testing::{Reason, scenes, skip};
use std::path::Path;

/// Sibenik and its first viewpoint. Without it the test is noted as skipped.
#[track_caller]
pub fn sibenik() -> Option<(Description, View)> {
    let scenes = scenes()?;
    let lookup = raywarp::scene::SceneLookup { folder: Some(scenes.clone()) };
    let path =
        raywarp::scene::find_scene(Path::new("sibenik"), &lookup, raywarp::scene::Prefer::Geometry).unwrap_or_default();
    let Ok(loaded) = raywarp::scene::load(&path, &Default::default()) else {
        skip(Reason::Scenes, &format!("{} cannot be read", path.display()));
        return None;
    };
    Some((loaded.scene, load_views(&scenes.join("views.toml"), "sibenik").unwrap().remove(0)))
}

/// A table of a recorded run, by its path in `bench/runs`.
pub fn recorded(table: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/runs").join(table);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Rates of an H200 on [`sibenik`], to be put beside its bounds at the clock that it had.
pub fn on_sibenik(view: &View, rates: Vec<MeasuredRate>, sample: usize) -> MeasuredRequest {
    let mut machine = Machine::find("h200").unwrap();
    let clock = set_clock(&mut machine, rates[0].clocks).to_string();
    MeasuredRequest {
        scene: "sibenik".into(),
        views: vec![(1, view.clone())],
        size: RESOLUTION,
        rays_per_pixel: None,
        sample,
        machine,
        clock,
        rates,
    }
}

/// What was counted of launches on an H200, one ray of each kind a pixel, to be put beside what is foretold of `sample` of them.
pub fn counters_request(name: &str, view: View, size: [u32; 2], sample: usize, rows: Vec<Counted>) -> CountersRequest {
    let kinds = RayKind::ALL.into_iter().filter(|kind| rows.iter().any(|row| row.kind == *kind)).collect();
    let rays = EfficiencyRequest {
        workload: Workload::Raywarp,
        kinds,
        own: vec![],
        views: vec![view],
        size,
        sample,
        order: Order::Workload,
        rays_per_pixel: Some(1),
        variants: vec![],
        widths: vec![32],
        draw: 0,
        leaf_sizes: vec![8],
        build: BuildOptions::default(),
        scene: name.to_string(),
    };
    CountersRequest { rays, machine: Machine::find("h200").unwrap(), rows, changes: vec![] }
}
