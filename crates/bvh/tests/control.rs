//! A caller watches builds and cancels them.

use crate::common::scenes;
use raywarp_bvh::{BuildError, BuildOptions, Builder, build, build_controlled, presets};
use raywarp_geom::{Control, FlatTriangles};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Builds and cancels in report number `end`; returns what was reported.
fn reports(
    triangles: &FlatTriangles,
    options: &BuildOptions,
    end: usize,
) -> (Vec<usize>, Result<raywarp_bvh::Bvh2, BuildError>) {
    let (cancel, told) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    let progress = |more: usize| {
        let mut told = told.lock().unwrap();
        told.push(more);
        cancel.fetch_or(told.len() == end, Ordering::Relaxed);
    };
    let control = Control { cancel: Some(&cancel), progress: Some(&progress) };
    let built = build_controlled(triangles, options, &control);
    (told.into_inner().unwrap(), built)
}

#[test]
fn reports_add_up_to_all_triangles_and_end_with_the_one_that_cancels() {
    let ploc = BuildOptions { builder: Builder::Ploc, ..BuildOptions::default() };
    let variants = presets::ALL.into_iter().chain([("single", presets::SINGLE), ("gpu", presets::GPU), ("ploc", ploc)]);
    for (name, options) in variants {
        let triangles = FlatTriangles::from_vertices(scenes::soup(30_000, 1.0));
        let (told, built) = reports(&triangles, &options, 0);
        assert_eq!(built.unwrap(), build(&triangles, &options).unwrap(), "{name}: a watched build is the same");
        assert_eq!(told.iter().sum::<usize>(), triangles.len(), "{name}: {told:?}");
        assert!(told.len() > 5 && told.iter().all(|&more| 0 < more && more < triangles.len() / 2), "{name}: {told:?}");
        for end in [1, 2, 4, told.len() / 2, told.len() - 1] {
            let (told, built) = reports(&triangles, &options, end);
            // With several threads there may be fewer, larger reports; what is told last cancels nothing.
            let is_whole = told.len() <= end && built.is_ok();
            assert!(is_whole || built == Err(BuildError::Cancelled), "{name}, report {end}");
            assert!(is_whole || told.len() == end, "{name}, report {end}: {told:?}");
        }
    }
}

#[test]
fn builds_that_are_cancelled_before_they_begin_report_nothing() {
    let cancel = AtomicBool::new(true);
    let progress = |_| panic!("nothing is done");
    let control = Control { cancel: Some(&cancel), progress: Some(&progress) };
    for count in [0, 1, 1000] {
        let triangles = FlatTriangles::from_vertices(scenes::soup(count, 1.0));
        for (name, options) in presets::ALL {
            let built = build_controlled(&triangles, &options, &control);
            assert_eq!(built, Err(BuildError::Cancelled), "{name}, {count}");
        }
    }
}
