//! Finding shared scenes and rendering them.
#![allow(dead_code)]

use raywarp::measured::{MeasuredRate, MeasuredRequest, set_clock};
use raywarp::picture::{Picture, PictureRequest};
use raywarp::render::{Rendered, Watch};
use raywarp::scene::Scene;
use raywarp::sim::machine::Machine;
use raywarp::workload::rays::RESOLUTION;
use raywarp::workload::views::{View, load_views};
use raywarp::{PrepareOptions, Prepared};
use std::path::{Path, PathBuf};

/// The scene folder, or `None` with a printed reason: skipped is not passed.
pub fn scenes(test: &str) -> Option<PathBuf> {
    let beside = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/scenes"));
    let folder = std::env::var_os("RAYWARP_SCENES").map_or(beside, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: {test} needs the scene folder; set RAYWARP_SCENES");
    None
}

/// Sibenik and its first viewpoint, or `None` with a printed reason.
pub fn sibenik(test: &str) -> Option<(Scene, View)> {
    let scenes = scenes(test)?;
    let lookup = raywarp::SceneLookup { folder: Some(scenes.clone()) };
    let path = raywarp::find_scene(Path::new("sibenik"), &lookup, raywarp::Prefer::Geometry).unwrap_or_default();
    let Ok(loaded) = raywarp::scene::load(&path, &Default::default()) else {
        println!("skipped: {test} needs {}, which cannot be read", path.display());
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

/// Loads a scene, clay if asked, and prepares it.
pub fn prepare(path: &std::path::Path, clay: Option<f32>) -> Prepared {
    let loaded = raywarp::scene::load(path, &Default::default()).unwrap_or_else(|error| panic!("{error}"));
    let mut scene = loaded.scene;
    if let Some(reflectance) = clay {
        raywarp::make_clay(&mut scene, reflectance);
    }
    Prepared::new(scene, &PrepareOptions::default()).unwrap()
}

pub fn render(prepared: &mut Prepared, request: &PictureRequest) -> Rendered {
    let picture = Picture::settle(prepared, request).unwrap();
    prepared.render(&picture.camera, &picture.options, &Watch::default()).unwrap()
}
