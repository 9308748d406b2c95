//! Embree's answers beside known ones, where Embree is.

use raywarp_embree::{DeviceOptions, EmbreeDevice, EmbreeOptions, EmbreeScene, Library, Quality, Queries, RayWidth};
use raywarp_geom::Ray;
use raywarp_testing::{Reason, skip};
use std::path::PathBuf;

/// The variable that names the library.
const VARIABLE: &str = "RAYWARP_EMBREE";

/// A device with some instruction set. Without Embree the test is noted as skipped.
fn device(options: &DeviceOptions<'_>) -> Option<EmbreeDevice> {
    let place = std::env::var_os(VARIABLE).map(PathBuf::from);
    match Library::load(place.as_deref()) {
        Ok(library) => Some(EmbreeDevice::new(library, options).expect("what loads is Embree 4")),
        Err(error) => {
            skip(Reason::Embree, &format!("{error}; set {VARIABLE}"));
            None
        }
    }
}

#[test]
fn every_mode_finds_the_nearer_of_two_walls_and_says_what_is_blocked() {
    let Some(device) = device(&DeviceOptions::default()) else { return };
    assert!(device.version().starts_with("4."));
    let wall = |z: f32| [[-9.0, -9.0, z], [9.0, -9.0, z], [0.0, 9.0, z]];
    let rays: Vec<Ray> = (0..1003)
        .map(|i| {
            let ray = Ray::new([0.0, 0.0, if i % 2 == 0 { 5.0 } else { 0.5 }], [0.0, 0.0, -2.0]);
            // Every fifth ends before it meets anything.
            if i % 5 == 0 { ray.with_interval(0.0, 0.125) } else { ray }
        })
        .collect();
    let want = |i: usize| match i {
        i if i % 5 == 0 => f32::INFINITY,
        i if i % 2 == 0 => 2.0,
        _ => 0.75,
    };
    for quality in Quality::ALL {
        for robust in [true, false] {
            let scene = EmbreeScene::new(&device, &[wall(-1.0), wall(1.0)], EmbreeOptions { robust, quality }).unwrap();
            for (width, coherent) in RayWidth::ALL.into_iter().flat_map(|width| [(width, false), (width, true)]) {
                let mut queries = Queries::new(&rays, width, false);
                scene.trace(&mut queries, coherent).unwrap();
                let answers = queries.answers();
                let is_right = |i: usize| answers[i] == want(i) || (answers[i] - want(i)).abs() < 1e-5;
                assert!((0..1003).all(is_right), "{width:?} {coherent} {robust}");
                let mut queries = Queries::new(&rays, width, true);
                scene.trace(&mut queries, coherent).unwrap();
                let blocked = queries.answers();
                assert!((0..1003).all(|i| blocked[i].is_finite() == (i % 5 != 0)), "{width:?} {coherent} {robust}");
            }
        }
    }
}

#[test]
fn an_empty_scene_is_hit_by_nothing() {
    let Some(device) = device(&DeviceOptions { isa: None, threads: Some(1) }) else { return };
    let scene = EmbreeScene::new(&device, &[], EmbreeOptions { robust: true, quality: Quality::Medium }).unwrap();
    let mut queries = Queries::new(&[Ray::new([0.0; 3], [1.0, 0.0, 0.0])], RayWidth::Eight, false);
    scene.trace(&mut queries, false).unwrap();
    assert_eq!(queries.answers(), [f32::INFINITY]);
}
