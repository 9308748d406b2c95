//! Scenes of the scene library pass what shading relies on.

use raywarp_geom::Aabb;
use raywarp_render::ShadingScene;
use raywarp_scene::LoadOptions;

/// Every format, every kind of light, and media.
const SCENES: [&str; 8] = [
    "cornell_box/CornellBox-Water.obj",
    "coffee/scene.pbrt",
    "killeroo/killeroo-simple.pbrt",
    "loader_tests/pbrt/v3_features.pbrt",
    "loader_tests/pbrt/v4_features.pbrt",
    "loader_tests/gltf/feature_grid.glb",
    "gltf/AttenuationTest.glb",
    "gltf/Lights.glb",
];

#[test]
fn scenes_of_the_library_are_valid_for_shading() {
    let Some(folder) = raywarp_testing::scenes() else { return };
    for name in SCENES {
        let scene = raywarp_scene::load(&folder.join(name), &LoadOptions::default()).unwrap().scene;
        let bounds = Aabb { min: [-10.0; 3], max: [10.0; 3] };
        let flat = ShadingScene::new(&scene, &bounds).unwrap();
        assert_eq!(flat.validate(), Ok(()), "{name}");
    }
}
