//! Saved scenes: whatever the bytes are, loading ends in an error or in a scene that can be asked, edited and saved
//! again as the same bytes. Checksums are not compared, so that what is behind them is reached.
#![no_main]

use raywarp::{Aabb, Affine64, Control, Filter, Indices, Ray, Ray64, Scene};
use std::ops::ControlFlow;

const CORNERS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(scene) = Scene::load_from(&mut &bytes[..]) else { return };
    ask(&scene);
    let mut edit = scene.edit();
    let moves = [Affine64::scale([1.0, 1.0, 1e-16]), Affine64::translation([0.0, 0.0, 1.0])];
    for (id, map) in (0..2).filter_map(|number| scene.instance_id(number)).zip(moves) {
        edit.set_transform(id, map);
    }
    if let Some(id) = scene.instance_id(2) {
        edit.set_motion(id, moves);
    }
    if let Some(mesh) = scene.path(0).last() {
        edit.set_mesh(mesh.geometry, &CORNERS, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]);
    }
    let mesh = edit.mesh(&CORNERS, Indices::IN_ORDER);
    edit.instance(mesh, Affine64::IDENTITY, 1, 1);
    if let Ok(edited) = edit.commit(&Control::default()) {
        ask(&edited);
    }
    let saved = |scene: &Scene| {
        let mut bytes = Vec::new();
        scene.save_to(&mut bytes).expect("memory takes all that is written");
        bytes
    };
    let again = saved(&scene);
    let loaded = Scene::load_from(&mut &again[..]).expect("what was saved is a scene");
    assert!(saved(&loaded) == again);
});

fn ask(scene: &Scene) {
    let bounds = scene.bounds();
    let middle: [f32; 3] = std::array::from_fn(|i| 0.5 * bounds.min[i] + 0.5 * bounds.max[i]);
    for (from, direction) in [(bounds.min, [1.0, 0.9, 1.1]), (middle, [0.0, 0.0, 1.0]), ([9.0; 3], [-1.0, -1.1, -0.9])] {
        let ray = Ray::new(from, direction);
        let _ = (scene.closest(&ray), scene.any(&ray), scene.all(&ray).count(), scene.crossings(&ray));
        let _ = scene.closest(&Ray64::new(from.map(f64::from), direction.map(f64::from)));
        let _ = (scene.nearest(from, f32::INFINITY), scene.contains(from));
        let then = scene.with(Filter::new().time(0.4));
        let _ = (then.closest(&ray), then.crossings(&ray), then.nearest(from, f32::INFINITY));
        let _ = scene.overlaps(&Aabb::of_points(&[from, middle]), |_| ControlFlow::Continue(()));
    }
    let _ = scene.any_batch(&[Ray::new(middle, [1.0, 0.0, 0.0]); 40], &mut [false; 40], &Control::default());
}
