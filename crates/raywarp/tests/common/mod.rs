//! Finding shared scenes and rendering them.
#![allow(dead_code)]

use raywarp::picture::{Picture, PictureRequest};
use raywarp::render::{Rendered, Watch};
use raywarp::{PrepareOptions, Prepared};
use std::path::PathBuf;

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
    let picture = Picture::settle(prepared, request);
    prepared.render(&picture.camera, &picture.options, &Watch::default()).unwrap()
}
