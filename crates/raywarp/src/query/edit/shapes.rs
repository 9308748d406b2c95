//! Meshes that take another shape: trees fitted or built again, against scenes that are built anew.

use super::tests::{Mesh, rays, same, two};
use crate::query::scene::Rays;
use crate::query::*;
use raywarp_bvh::{BuildOptions, presets};
use raywarp_geom::{Affine64, Control, Ray};
use raywarp_testing::{Random, cases};

/// Grid of cells of two triangles, three vertices of its own for each triangle, that is torn along a line of cells by
/// `gap` and waves by `wave`. At first the halves meet: vertices at one place belong to either.
fn cloth(side: usize, gap: f32, wave: f32) -> Mesh {
    let at = |row: usize, column: usize, is_right: bool| {
        let [x, y] = [column as f32 / side as f32, row as f32 / side as f32];
        let z = wave * ((9.0 * x).sin() + (7.0 * y + wave).cos());
        [x + if is_right { gap * y } else { 0.0 }, y, z]
    };
    let cell = |i: usize| {
        let [row, column] = [i / side, i % side];
        let is_right = 2 * column >= side;
        let corner = |down: usize, right: usize| at(row + down, column + right, is_right);
        [corner(0, 0), corner(0, 1), corner(1, 0), corner(0, 1), corner(1, 1), corner(1, 0)]
    };
    let positions: Vec<[f32; 3]> = (0..side * side).flat_map(cell).collect();
    let indices = (0..2 * (side * side) as u32).map(|triangle| [0, 1, 2].map(|corner| 3 * triangle + corner));
    (positions, indices.collect())
}

fn scene_of(mesh: &Mesh, quality: Option<BuildOptions>, levels: Levels) -> (Scene, GeometryId) {
    let mut builder = Scene::builder();
    let id = builder.mesh(&mesh.0, &mesh.1);
    builder.instance(id, Affine64::IDENTITY, u32::MAX, 1);
    let turned = Affine64::translation([0.3, 0.2, 0.1]).after(&Affine64::rotation(30.0, [1.0, 1.0, 0.5]));
    builder.instance(id, turned, u32::MAX, 2);
    let options = SceneOptions { quality, levels, ..SceneOptions::default() };
    (builder.build(&options, &Control::default()).unwrap(), id)
}

fn reshaped(scene: &Scene, id: GeometryId, mesh: &Mesh, how: Reshape) -> Scene {
    let mut edit = scene.edit();
    edit.reshape(id, &mesh.0, &mesh.1, how);
    edit.commit(&Control::default()).unwrap()
}

/// Rays through the cloth, at vertices and edges among them.
fn at_cloth(count: usize) -> Vec<Ray> {
    let mut random = Random::new(count as u64);
    let mut aim = || [0, 1].map(|_| random.below(161) as f32 / 160.0);
    (0..count).map(|_| (aim(), aim())).map(|([a, b], [x, y])| Ray::new([a, b, 2.0], [x - a, y - b, -2.0])).collect()
}

fn is_fitted(scene: &Scene) -> bool {
    scene.0.kept.mesh(0).unwrap().built.is_some()
}

#[test]
fn a_cloth_torn_at_coincident_vertices_is_hit_as_if_built_torn() {
    let (start, rays) = (cloth(80, 0.0, 0.01), at_cloth(400));
    for levels in [Levels::Two, Levels::One] {
        for how in [Reshape::ByCost, Reshape::Refit, Reshape::Rebuild] {
            let (mut scene, id) = scene_of(&start, None, levels);
            let first = scene.clone();
            for frame in 1..=cases(5) as u32 {
                let now = cloth(80, 0.02 * frame as f32, 0.01 * frame as f32);
                scene = reshaped(&scene, id, &now, how);
                assert!(same(&scene, &scene_of(&now, None, Levels::One).0, &rays) > 200);
                // By its cost it may be either.
                assert!(is_fitted(&scene) == (how == Reshape::Refit) || how == Reshape::ByCost, "{how:?} {frame}");
            }
            same(&first, &scene_of(&start, None, Levels::One).0, &rays);
        }
    }
}

#[test]
fn a_tree_with_cut_triangles_is_built_again_before_it_is_fitted() {
    // Long triangles, which spatial splits cut.
    let bent = |by: f32| -> Mesh {
        let at =
            |i: u32| [i % 3, i / 3 % 7, i % 11].map(|k| k as f32 * if i.is_multiple_of(2) { 1.0 + by } else { -1.0 });
        ((0..600).map(at).collect(), (0..200).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect())
    };
    let best = Some(presets::BEST);
    let (scene, id) = scene_of(&bent(0.0), best, Levels::Two);
    let rays = rays(&mut Random::new(1), 300);
    let once = reshaped(&scene, id, &bent(0.1), Reshape::Refit);
    assert!(!is_fitted(&once));
    assert!(same(&once, &scene_of(&bent(0.1), best, Levels::One).0, &rays) > 300);
    let twice = reshaped(&once, id, &bent(0.2), Reshape::Refit);
    assert!(is_fitted(&twice));
    same(&twice, &scene_of(&bent(0.2), best, Levels::One).0, &rays);
    same(&scene, &scene_of(&bent(0.0), best, Levels::One).0, &rays);
}

#[test]
fn a_mesh_that_twists_is_built_again_when_its_tree_has_decayed() {
    let twisted = |turns: f32| -> Mesh {
        let (positions, indices) = cloth(40, 0.0, 0.3);
        let turn = |[x, y, z]: [f32; 3]| {
            let (s, c) = (turns * x * std::f32::consts::TAU).sin_cos();
            let (y, z) = (y - 0.5, z - 0.5);
            [x, c * y - s * z, s * y + c * z]
        };
        (positions.into_iter().map(turn).collect(), indices)
    };
    let rays = rays(&mut Random::new(2), 200).into_iter().map(|ray| Ray { origin: ray.origin.map(|x| x / 8.0), ..ray });
    let (rays, mut builds) = (rays.collect::<Vec<_>>(), 0);
    let (mut scene, id) = scene_of(&twisted(0.0), None, Levels::Two);
    for frame in 1..=60u32 {
        let now = twisted(0.05 * frame.min(60 - frame) as f32);
        let mut edit = scene.into_edit();
        edit.set_mesh(id, &now.0, &now.1);
        scene = edit.commit(&Control::default()).unwrap();
        builds += usize::from(!is_fitted(&scene));
        let cost = |scene: &Scene| {
            let Rays::Two(levels, _) = &scene.0.rays else { unreachable!("two levels") };
            levels.trees()[0].sah().tree
        };
        let anew = scene_of(&now, None, Levels::Two).0;
        assert!(cost(&scene) <= 1.3 * cost(&anew), "{frame}: {} {}", cost(&scene), cost(&anew));
        if frame % 10 == 0 {
            same(&scene, &anew, &rays);
        }
    }
    assert!((2..30).contains(&builds), "{builds}");
}

#[test]
fn threads_keep_the_shape_that_they_trace() {
    let (scene, id) = scene_of(&cloth(20, 0.0, 0.0), None, Levels::Two);
    let mut now = scene;
    std::thread::scope(|scope| {
        for frame in 1..20u32 {
            let (mesh, before) = (cloth(20, 0.0, 0.0), now.clone());
            let height = frame as f32 / 8.0;
            let lifted: Mesh = (mesh.0.iter().map(|[x, y, _]| [*x, *y, height]).collect(), mesh.1);
            now = reshaped(&now, id, &lifted, Reshape::Refit);
            scope.spawn(move || {
                for i in 0..200 {
                    let x = (i % 20) as f32 / 20.0 + 0.01;
                    let ray = Ray::new([x, 0.3, 9.0], [0.0, 0.0, -1.0]).with_interval(0.0, 20.0);
                    let hits: Vec<_> = before.all(&ray).filter(|hit| hit.user == 1).collect();
                    assert!(!hits.is_empty() && hits.iter().all(|hit| hit.t == 9.0 - (height - 0.125)));
                }
            });
        }
    });
}

#[test]
fn more_or_fewer_triangles_are_built_anew() {
    let (scene, id) = scene_of(&cloth(8, 0.0, 0.1), None, Levels::Two);
    let rays = at_cloth(100);
    for side in [9, 7, 1] {
        let now = cloth(side, 0.0, 0.1);
        let next = reshaped(&scene, id, &now, Reshape::Refit);
        assert!(!is_fitted(&next));
        same(&next, &scene_of(&now, None, Levels::One).0, &rays);
    }
    let options = SceneOptions { levels: Levels::Two, ..two() };
    let far: Vec<[f64; 3]> = cloth(8, 0.0, 0.1).0.iter().map(|p| p.map(f64::from)).collect();
    let mut builder = Scene::builder();
    let id = builder.mesh(&far, Indices::IN_ORDER);
    builder.instance(id, Affine64::IDENTITY, 1, 1);
    let double = builder.build(&options, &Control::default()).unwrap();
    // In f64, and three vertices a triangle without names.
    let mut edit = double.edit();
    let moved: Vec<[f64; 3]> = far.iter().map(|[x, y, z]| [*x, *y, z + 0.25]).collect();
    edit.reshape(id, &moved, Indices::IN_ORDER, Reshape::Refit);
    let moved = edit.commit(&Control::default()).unwrap();
    assert!(is_fitted(&moved));
    for ray in &rays {
        let up = Ray { origin: [ray.origin[0], ray.origin[1], ray.origin[2] + 0.25], ..*ray };
        assert_eq!(double.any(ray), moved.any(&up));
    }
}
