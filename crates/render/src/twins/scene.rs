//! A scene with a material, a texture, a light and a medium of each kind.

use crate::flat::ShadingScene;
use raywarp_geom::Aabb;

/// The scene of all cases.
///
/// # Panics
/// Never: the text is a scene.
pub fn everything() -> ShadingScene {
    let scene = raywarp_scene::import::fuzz_pbrt_scene(include_bytes!("scene.pbrt")).expect("the text is a scene");
    let corners = scene.meshes.iter().flat_map(|mesh| &mesh.triangles.positions);
    let bounds = Aabb::of_points(corners);
    let flat = ShadingScene::new(&scene, &bounds).expect("the scene can be flattened");
    assert_eq!(flat.validate(), Ok(()));
    flat
}
