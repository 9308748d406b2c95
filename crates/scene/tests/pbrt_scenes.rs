//! Whole pbrt scenes: the two small ones of the repository always, the large ones where they are.

use raywarp_scene::{
    FaceMaterials, FilterKind, Light, LoadOptions, Loaded, Projection, SamplerKind, Surface, load, validate,
};
use raywarp_testing::scenes;
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pbrt").join(name)
}

#[track_caller]
fn loaded(path: &Path) -> Loaded {
    match load(path, &LoadOptions::default()) {
        Ok(loaded) => {
            assert_eq!(validate(&loaded.scene), Ok(()));
            loaded
        }
        Err(error) => panic!("{error}"),
    }
}

/// Triangles of meshes that are not tessellated spheres.
fn plain_triangles(loaded: &Loaded) -> usize {
    let scene = &loaded.scene;
    let mesh = |i: &raywarp_scene::Instance| &scene.meshes[i.mesh.index()];
    scene.instances.iter().map(mesh).filter(|m| !m.name.starts_with("sphere")).map(|m| m.triangles.indices.len()).sum()
}

#[test]
fn the_version_3_features_load() {
    let loaded = loaded(&data("v3_features.pbrt"));
    let scene = &loaded.scene;
    assert_eq!(loaded.warnings, []);
    assert_eq!(plain_triangles(&loaded), 29);
    // Ground, two cubes, two spheres, the included triangle.
    assert_eq!(scene.instances.len(), 6);
    let cubes = scene.instances.iter().filter(|i| scene.meshes[i.mesh.index()].triangles.indices.len() == 13);
    let cubes: Vec<_> = cubes.map(|i| i.mesh).collect();
    assert!(cubes.len() == 2 && cubes[0] == cubes[1], "the object is one mesh");
    assert_eq!(scene.settings.size, Some([256, 192]));
    assert_eq!(scene.settings.spp, Some(16));
    assert_eq!(scene.settings.max_depth, Some(5));
    assert_eq!(scene.settings.sampler, Some(SamplerKind::PaddedHalton));
    assert_eq!(scene.settings.filter, None);
    assert_eq!(scene.lights.len(), 2);
    assert!(matches!(scene.cameras[0].projection, Projection::Perspective { fov: 40.0, .. }));
    assert_eq!(scene.cameras[0].eye.map(|x| (x * 1e4).round() / 1e4), [4.0, 3.0, 6.0]);
    // The light sphere has its front, which emits, inside: ReverseOrientation.
    let light =
        (0..scene.instances.len()).find(|&i| scene.materials[scene.material_of(i, 0).index()].emission.is_some());
    let instance = &scene.instances[light.expect("an area light")];
    let [a, b, c] = scene.meshes[instance.mesh.index()]
        .triangles
        .corners(500)
        .map(|p| glam::Vec3::from(instance.transform.point(p)));
    assert!((b - a).cross(c - a).dot(a - glam::Vec3::new(0.0, 4.0, 0.0)) < 0.0);
}

#[test]
fn the_version_4_features_load() {
    let loaded = loaded(&data("v4_features.pbrt"));
    let scene = &loaded.scene;
    assert_eq!(loaded.warnings, []);
    assert_eq!(plain_triangles(&loaded), 28 + 2, "the bilinear patch is flat: two triangles");
    assert_eq!(scene.instances.len(), 5);
    let surfaces: Vec<_> = scene.materials.iter().map(|m| &m.surface).collect();
    assert!(surfaces.iter().any(|s| matches!(s, Surface::Conductor { eta, .. } if eta.factor[2] == 1.4424)));
    assert!(
        surfaces
            .iter()
            .any(|s| matches!(s, Surface::Coated { specular, .. } if (specular.factor[0] - 0.04).abs() < 1e-6))
    );
    assert!(surfaces.iter().any(|s| matches!(s, Surface::Dielectric { ior: 1.5, thin: false, .. })));
    let Light::Directional { irradiance: [r, g, b], .. } = scene.lights[1] else { panic!("{:?}", scene.lights[1]) };
    assert!((0.2126 * r + 0.7152 * g + 0.0722 * b - 1.5).abs() < 1e-2, "a black body has luminance 1 times the scale");
}

/// Loads a scene and prints a row of what is in it.
#[track_caller]
fn row(folder: &Path, name: &str) -> Loaded {
    let start = std::time::Instant::now();
    let loaded = loaded(&folder.join(name));
    let scene = &loaded.scene;
    println!(
        "| {name} | {} | {} | {} | {} | {} | {} | {} | {:.2} |",
        scene.triangle_count(),
        scene.meshes.len(),
        scene.instances.len(),
        scene.materials.len(),
        scene.textures.len(),
        scene.lights.len(),
        loaded.warnings.len(),
        start.elapsed().as_secs_f64()
    );
    for warning in &loaded.warnings {
        println!("    {warning}");
    }
    loaded
}

#[test]
fn scenes_have_their_known_triangle_counts() {
    let Some(folder) = scenes() else { return };
    for (name, triangles) in
        [("checks/sibenik-diffuse.pbrt", 75_286), ("coffee/scene.pbrt", 235_271), ("bmw_m6/bmw-m6.pbrt", 792_746)]
    {
        assert_eq!(row(&folder, name).scene.triangle_count(), triangles, "{name}");
    }
    let killeroo = row(&folder, "killeroo/killeroo-simple.pbrt");
    // Two killeroos of 8,316 control triangles, refined once, and four triangles of floor and wall.
    assert_eq!(plain_triangles(&killeroo), 2 * 8_316 * 4 + 4);
}

#[test]
fn san_miguel_has_all_placements_and_the_materials_of_its_faces() {
    let Some(folder) = scenes() else { return };
    let loaded = row(&folder, "san_miguel/san_miguel.pbrt");
    let scene = &loaded.scene;
    assert_eq!(scene.triangle_count(), 9_388_830);
    assert_eq!(scene.instances.len(), 6_866 + 1);
    assert_eq!(scene.materials.len(), 291);
    // The static part has faces of many materials, every object of one.
    let several: Vec<_> = scene
        .meshes
        .iter()
        .filter_map(|m| match &m.materials {
            FaceMaterials::PerTriangle(ids) => Some(ids.iter().collect::<std::collections::HashSet<_>>().len()),
            FaceMaterials::Uniform(_) => None,
        })
        .collect();
    assert!(several.len() == 1 && several[0] > 100, "{several:?}");
    assert!(matches!(scene.settings.filter, None | Some(FilterKind::Box { .. })));
    let camera = &scene.cameras[0];
    let (r, u, f) = (camera.right, camera.up, camera.forward);
    let handedness = glam::Vec3::from(f).cross(glam::Vec3::from(u)).dot(glam::Vec3::from(r));
    assert!(handedness > 0.99, "Scale -1 1 1 makes pbrt's left-handed camera right-handed: {handedness}");
}
