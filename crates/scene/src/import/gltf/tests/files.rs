//! Whole files: the committed one, and those of the scene library where it is at hand.

use crate::import::{LoadOptions, Loaded, load};
use crate::{Alpha, Description, GltfWarning, Light, Projection, Surface, Texture, WarningKind};
use raywarp_testing::{Folder, scenes};
use std::io::Write;
use std::path::Path;

fn load_file(path: &Path) -> Loaded {
    load(path, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// Returns the world-space corners of every triangle, in order.
fn corners(scene: &Description) -> Vec<[[f32; 3]; 3]> {
    let of = |i: &crate::Instance| {
        let mesh = &scene.meshes[i.mesh.index()].triangles;
        (0..mesh.indices.len()).map(|t| mesh.corners(t).map(|p| i.transform.point(p))).collect::<Vec<_>>()
    };
    scene.instances.iter().flat_map(of).collect()
}

fn check_feature_grid(loaded: &Loaded) {
    let scene = &loaded.scene;
    assert_eq!(scene.triangle_count(), 8452);
    assert_eq!((scene.meshes.len(), scene.instances.len(), scene.materials.len()), (17, 18, 17));
    let material = |name: &str| scene.materials.iter().find(|m| m.name == name).unwrap_or_else(|| panic!("no {name}"));
    let principled = |name: &str| match &material(name).surface {
        Surface::Principled(p) => p,
        other => panic!("{name}: {other:?}"),
    };
    assert!(matches!(material("unlit").surface, Surface::Unlit { .. }));
    assert!(matches!(material("alpha_mask").alpha, Alpha::Mask { cutoff: 0.5, .. }));
    assert!(matches!(material("alpha_blend").alpha, Alpha::Blend { .. }));
    assert_eq!(material("emissive_strength").emission.unwrap().radiance.factor, [8.0, 4.8, 1.6]);
    assert!(material("normal_map").normal.is_some());
    assert_eq!((principled("transmission_ior").ior, principled("transmission_ior").thin), (1.7, true));
    assert!(!principled("volume").thin && principled("volume").absorption.is_some());
    assert_eq!((principled("clearcoat").clearcoat.factor, principled("specular").specular.factor), (1.0, 0.6));
    let tiled = principled("floor").base_color.texture.unwrap();
    assert!(matches!(&scene.textures[tiled.index()], Texture::Image { mapping, .. } if mapping.rows[0][0] == 8.0));
    assert_eq!(scene.instances.iter().filter(|i| i.transform.determinant() < 0.0).count(), 1);
    assert!(matches!(scene.cameras[0].projection, Projection::Perspective { .. }));
    assert_eq!(scene.cameras[1].projection, Projection::Orthographic { half_height: 3.0 });
    assert!(matches!(scene.lights[..], [Light::Directional { .. }, Light::Point { .. }, Light::Spot { .. }]));
    let said: Vec<&WarningKind> = loaded.warnings.iter().map(|warning| &warning.kind).collect();
    let names = ["KHR_materials_sheen", "KHR_materials_anisotropy", "KHR_materials_iridescence"];
    let extensions = names.map(|name| GltfWarning::MaterialExtension { name });
    for want in extensions.into_iter().chain([GltfWarning::LightRange]).map(WarningKind::from) {
        assert_eq!(said.iter().filter(|kind| **kind == &want).count(), 1, "{want}: {said:?}");
    }
    assert_eq!(said.len(), 4);
}

#[test]
fn the_feature_grid_has_every_feature_in_its_place() {
    check_feature_grid(&load_file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/feature_grid.glb")));
}

#[test]
fn compressed_files_load_like_plain_ones() {
    let glb = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/feature_grid.glb");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&std::fs::read(glb).unwrap()).unwrap();
    let folder = Folder::new();
    let path = folder.at("test.GLB.gz");
    std::fs::write(&path, gzip.finish().unwrap()).unwrap();
    check_feature_grid(&load_file(&path));
}

#[test]
fn separate_files_give_the_same_scene_as_one() {
    let Some(folder) = scenes() else { return };
    let grid = folder.join("loader_tests/gltf");
    let [text, binary] = ["feature_grid.gltf", "feature_grid.glb"].map(|name| load_file(&grid.join(name)));
    check_feature_grid(&text);
    assert_eq!(corners(&text.scene), corners(&binary.scene));
}

#[test]
fn compressed_geometry_equals_its_uncompressed_twin() {
    let Some(folder) = scenes() else { return };
    let small = folder.join("gltf/small");
    let of = |name: &str| corners(&load_file(&small.join(name)).scene);
    let compressed = of("meshopt-no-fallback/meshopt-no-fallback.gltf");
    assert_eq!(compressed, of("meshopt-fallback/meshopt-fallback.gltf"));

    // The fallback buffer itself, by taking the compression out of the document.
    let document = std::fs::read_to_string(small.join("meshopt-fallback/meshopt-fallback.gltf")).unwrap();
    let mut document: serde_json::Value = serde_json::from_str(&document).unwrap();
    for part in ["bufferViews", "buffers"] {
        for entry in document[part].as_array_mut().unwrap() {
            entry.as_object_mut().unwrap().remove("extensions");
        }
    }
    let path = small.join("meshopt-fallback/plain.gltf");
    let mut context = crate::import::Context::new(&path, &LoadOptions::default());
    let plain =
        super::import_bytes(&path, document.to_string().as_bytes(), super::External::Read, &mut context).unwrap();
    // The triangle codec may store a triangle from another of its corners on.
    let turned = |mut triangles: Vec<[[f32; 3]; 3]>| {
        for t in &mut triangles {
            let first = (0..3).min_by(|&a, &b| t[a].partial_cmp(&t[b]).unwrap()).unwrap();
            t.rotate_left(first);
        }
        triangles
    };
    assert_eq!(turned(compressed), turned(corners(&plain)));
    // The writer left the fallback's normals as the filter takes them, so they are no twin.
    let filtered = load_file(&small.join("meshopt-fallback/meshopt-fallback.gltf")).scene;
    for n in filtered.meshes.iter().flat_map(|m| &m.triangles.normals) {
        let length = n.iter().map(|x| x * x).sum::<f32>().sqrt();
        assert!((length - 1.0).abs() < 0.01, "{n:?}");
    }

    // Quantised to 16 bits, in another order: the same box of 12 triangles.
    let sorted = |name: &str| {
        let mut points: Vec<[i64; 3]> =
            of(name).iter().flatten().map(|p| p.map(|x| (f64::from(x) * 1e4).round() as i64)).collect();
        points.sort_unstable();
        points.dedup();
        points
    };
    assert_eq!(of("BoxMeshopt.glb").len(), 12);
    assert_eq!(sorted("BoxMeshopt.glb"), sorted("Box_glTF-Binary/Box.glb"));
    assert_eq!(sorted("BoxMeshopt.gltf"), sorted("Box_glTF-Embedded/Box.gltf"));
}

#[test]
fn every_file_of_the_library_loads() {
    let Some(folder) = scenes() else { return };
    let mut todo = vec![folder.join("gltf"), folder.join("loader_tests/gltf")];
    let mut files = Vec::new();
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|e| e == "gltf" || e == "glb") {
            files.push(path);
        }
    }
    files.sort();
    assert!(files.len() > 20, "{files:?}");
    for path in files {
        let Loaded { scene, warnings, .. } = load_file(&path);
        assert!(scene.triangle_count() > 0, "{}", path.display());
        println!(
            "{}: {} triangles, {} meshes, {} instances, {} materials, {} textures, {} images, {} lights, {} cameras",
            path.strip_prefix(&folder).unwrap().display(),
            scene.triangle_count(),
            scene.meshes.len(),
            scene.instances.len(),
            scene.materials.len(),
            scene.textures.len(),
            scene.images.len(),
            scene.lights.len(),
            scene.cameras.len()
        );
        for warning in &warnings {
            println!("    {}: {}", warning.place, warning.kind);
        }
    }
}
