//! A scene with a material, a texture, a light and a medium of each kind. It is around the origin: from anywhere in a
//! cube of 6 there are surfaces in most directions, and some directions lead out.

mod bodies;
mod images;
mod lights;
mod materials;
mod meshes;
mod textures;

use glam::Vec3;
use raywarp_geom::{Aabb, Affine};
use raywarp_render::flat::ShadingScene;
use raywarp_sample::hash::{combine, to_unit};
use raywarp_scene::{Description, Instance, LoadOptions, MaterialId, MeshId, WithoutTriangles, load_from};
use std::path::Path;

/// Returns the scene of all test cases, with its shading tables.
///
/// # Panics
/// Never: the scene is valid.
pub fn everything() -> ShadingScene {
    flat(&scene_of_everything())
}

/// Returns the scene description of all test cases.
///
/// # Panics
/// Never: the scene is valid.
pub fn scene_of_everything() -> Description {
    // Balls and disks as pbrt has them are lights of their own kinds.
    let mut scene = of_pbrt(include_bytes!("scene.pbrt"));
    images::add(&mut scene);
    let textures = textures::add(&mut scene);
    let materials = materials::add(&mut scene, &textures);
    let meshes = meshes::add(&mut scene);
    scatter(&mut scene, &materials, &meshes);
    bodies::add(&mut scene);
    lights::add(&mut scene);
    raywarp_scene::validate(&scene).expect("the scene is valid");
    scene
}

/// Returns the scene that a pbrt file says, with or without triangles.
///
/// # Panics
/// If it does not load.
pub fn of_pbrt(text: &[u8]) -> Description {
    let options = LoadOptions { without_triangles: WithoutTriangles::Taken, ..LoadOptions::default() };
    load_from(text, Path::new("scene.pbrt"), &options).expect("the text is a scene").scene
}

/// Returns a scene with its shading tables, as the renderer reads it.
///
/// # Panics
/// If it is not valid.
pub fn flat(scene: &Description) -> ShadingScene {
    let corners = scene.instances.iter().flat_map(|instance| {
        let mesh = &scene.meshes[instance.mesh.index()].triangles;
        mesh.positions.iter().map(|&p| instance.transform.point(p)).collect::<Vec<_>>()
    });
    let bounds = Aabb::of_points(&corners.collect::<Vec<_>>());
    let flat = ShadingScene::new(scene, &bounds).expect("the scene can be flattened");
    assert_eq!(flat.validate(), Ok(()));
    flat
}

/// Puts each material on three meshes scattered about the scene.
fn scatter(scene: &mut Description, materials: &[MaterialId], meshes: &[MeshId]) {
    for n in 0..3 * materials.len() as u32 {
        let number = |i: u32| to_unit(combine(n, i));
        let between = |i: u32, low: f32, high: f32| low + (high - low) * number(i);
        let axis = Vec3::from([3, 4, 5].map(|i| between(i, -1.0, 1.0))).normalize_or(Vec3::X);
        let size = between(7, 0.2, 0.7);
        // Some are mirrored, and some stretched.
        let scale = [if n % 5 == 0 { -size } else { size }, size * between(8, 0.7, 1.3), size];
        let turned = Affine::rotation(between(6, 0.0, 360.0), axis.into()).after(&Affine::scale(scale));
        let transform = Affine::translation([0, 1, 2].map(|i| between(i, -3.2, 3.2))).after(&turned);
        let mesh = meshes[(n as usize + n as usize / materials.len()) % meshes.len()];
        scene.instances.push(Instance { mesh, transform, material: Some(materials[n as usize % materials.len()]) });
    }
}

#[cfg(test)]
mod tests;
