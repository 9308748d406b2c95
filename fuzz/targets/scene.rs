//! Saved scenes: whatever the bytes are, loading ends in an error or in a scene that can be asked, edited and saved
//! again as the same bytes. Checksums are not compared, so that what is behind them is reached.
#![no_main]

use raywarp::cpu::RayExtra;
use raywarp::{
    Aabb, Affine64, Control, Culling, Filter, Geometry, GeometryHit, Indices, Ray, Ray64, Scene, SceneRay, SurfaceHit,
};
use std::ops::ControlFlow;
use std::sync::Arc;

const CORNERS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// The square from 0 to 1 at z = 0.5.
struct Square;

impl Geometry for Square {
    fn len(&self) -> usize {
        1
    }

    fn bounds(&self, _: u32) -> Aabb {
        Aabb { min: [0.0, 0.0, 0.5], max: [1.0, 1.0, 0.5] }
    }

    fn intersect(&self, _: u32, ray: &Ray) -> Option<GeometryHit> {
        let t = (0.5 - ray.origin[2]) / ray.direction[2];
        let [u, v, _] = ray.at(t);
        let is_in = (0.0..=1.0).contains(&u) && (0.0..=1.0).contains(&v) && ray.t_min <= t && t <= ray.t_max;
        is_in.then_some(GeometryHit { t, u, v, is_front: ray.direction[2] < 0.0 })
    }

    fn nearest(&self, _: u32, _: [f64; 3], to_world: &Affine64) -> Option<[f64; 3]> {
        Some(to_world.point([0.5; 3]))
    }
}

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
    let square = edit.custom(Arc::new(Square));
    edit.moving(square, [Affine64::IDENTITY, moves[1]], 2, 2);
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
    for (from, direction) in [(bounds.min, [1.0, 0.9, 1.1]), (middle, [0.0, 0.0, 1.0]), ([9.0; 3], [-1.0, -1.1, -0.9])]
    {
        let ray = Ray::new(from, direction);
        ask_ray(scene, &ray);
        ask_ray(scene, &Ray64::new(from.map(f64::from), direction.map(f64::from)));
        let _ = (scene.nearest(from, f32::INFINITY), scene.contains(from), scene.signed_distance(from));
        let _ = scene.signed_distance_by_winding(from);
        let around = Aabb::of_points(&[from, middle]);
        let _ = scene.overlaps(&around, |_| ControlFlow::Continue(()));
        let then = scene.with(Filter::new().time(0.4));
        let _ = (then.closest(&ray), then.crossings(&ray), then.nearest(from, f32::INFINITY));
        let accept = |hit: &SurfaceHit| hit.u <= 0.5;
        let filter = Filter::new().mask(2).culling(Culling::Backs).skip(0, 0).time(0.6);
        let some = scene.with(filter.accept(&accept));
        let _ = (some.closest(&ray), some.any(&ray), some.crossings(&ray), some.nearest(from, 9.0));
        let _ = some.overlaps(&around, |_| ControlFlow::Continue(()));
    }
    let rays = [Ray::new(middle, [1.0, 0.0, 0.0]); 40];
    let _ = scene.any_batch(&rays, &mut [false; 40], &Control::default());
    let extras = std::array::from_fn::<_, 40, _>(|i| RayExtra { mask: 3, time: i as f32 / 39.0 });
    let _ = scene.with(Filter::new()).closest_batch(&rays, &extras, &mut [None; 40], &Control::default());
}

fn ask_ray<R: SceneRay>(scene: &Scene, ray: &R) {
    let _ = (scene.closest(ray), scene.any(ray), scene.all(ray).count(), scene.crossings(ray));
}
