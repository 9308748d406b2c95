//! Directives that name files.

use super::*;
use crate::{Channel, ColorInput, Light, Loaded, Pixels, Surface, Texture, Wrap, load};
use raywarp_testing::Folder;

/// Makes a temporary folder with some files, each with its name and contents.
pub(super) fn folder_of(files: &[(&str, &[u8])]) -> Folder {
    Folder::with_files(files.iter().copied())
}

/// Loads the scene `name` of a folder.
pub(super) fn load_in(folder: &Folder, name: &str) -> Result<Loaded, crate::LoadError> {
    load(&folder.at(name), &LoadOptions::default())
}

/// Returns a PNG file of 2 x 2 texels: red and green above blue and white.
pub(super) fn png() -> Vec<u8> {
    let pixels = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255];
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::write_buffer_with_format(&mut bytes, &pixels, 2, 2, image::ExtendedColorType::Rgb8, image::ImageFormat::Png)
        .unwrap();
    bytes.into_inner()
}

pub(super) const PLY: &[u8] =
    b"ply\nformat ascii 1.0\ncomment material 0 red\ncomment material 1 gone\nelement vertex 3\nproperty float x\n\
    property float y\nproperty float z\nelement face 2\nproperty list uchar int vertex_indices\nproperty int material\n\
    end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 0\n3 0 2 1 1\n";

#[test]
fn includes_are_found_beside_the_main_file_or_their_own() {
    let gz = {
        use std::io::Write;
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(format!("Translate 1 0 0\n{TRIANGLE}").as_bytes()).unwrap();
        gz.finish().unwrap()
    };
    let folder = folder_of(&[
        ("main.pbrt", b"WorldBegin Include \"sub/a.pbrt\" Include \"sub\\\\a.pbrt\""),
        ("sub/a.pbrt", b"Include \"b.pbrt.gz\" Include \"sub/b.pbrt.gz\""),
        ("sub/b.pbrt.gz", &gz),
    ]);
    let scene = load_in(&folder, "main.pbrt").unwrap().scene;
    let found: Vec<_> = (0..scene.instances.len()).map(|i| corners(&scene, i, 0)[0].x).collect();
    assert_eq!(found, [1.0, 2.0, 3.0, 4.0], "an include leaves its state behind");
}

#[test]
fn the_version_is_told_by_included_files_too() {
    let spot = |main: &str, included: &str| {
        let folder = folder_of(&[("main.pbrt", main.as_bytes()), ("sub/a.pbrt", included.as_bytes())]);
        let loaded = load_in(&folder, "main.pbrt").unwrap();
        assert_eq!(loaded.warnings, []);
        let Light::Spot { falloff, .. } = loaded.scene.lights[0] else { panic!("{:?}", loaded.scene.lights) };
        falloff
    };
    let main = format!("WorldBegin LightSource \"spot\" {TRIANGLE} Include \"sub/a.pbrt\"");
    assert_eq!(spot(&main, "Material \"matte\""), crate::SpotFalloff::Pbrt3);
    assert_eq!(spot(&format!("{main} WorldEnd"), "Material \"diffuse\""), crate::SpotFalloff::Pbrt4);
}

#[test]
fn the_power_of_a_ply_light_is_that_of_its_triangles() {
    let ply = b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n2 0 0\n0 2 0\n3 0 1 2\n";
    let scene = b"WorldBegin AreaLightSource \"diffuse\" \"float power\" 4 Scale 2 2 2 Shape \"plymesh\" \"string filename\" \"a.ply\"";
    let folder = folder_of(&[("main.pbrt", scene), ("a.ply", ply)]);
    let loaded = load_in(&folder, "main.pbrt").unwrap();
    assert_eq!(loaded.warnings, []);
    let radiance = material(&loaded.scene).emission.unwrap().radiance.factor[0];
    assert!((radiance * 8.0 * std::f32::consts::PI / 4.0 - 1.0).abs() < 1e-5, "{radiance}");
}

#[test]
fn imports_leave_no_state_behind() {
    let folder = folder_of(&[
        ("main.pbrt", format!("WorldBegin Import \"a.pbrt\" {TRIANGLE} NamedMaterial \"m\"").as_bytes()),
        ("a.pbrt", b"Translate 1 0 0 MakeNamedMaterial \"m\" \"string type\" \"mirror\""),
    ]);
    let loaded = load_in(&folder, "main.pbrt").unwrap();
    assert_eq!(loaded.warnings, []);
    near(corners(&loaded.scene, 0, 0)[0], [0.0; 3]);
}

#[test]
fn cycles_of_includes_and_blocks_across_files_are_errors() {
    let folder = folder_of(&[
        ("main.pbrt", b"WorldBegin\nInclude \"a.pbrt\""),
        ("a.pbrt", b"\n\nInclude \"./main.pbrt\""),
        ("open.pbrt", b"WorldBegin Include \"begin.pbrt\""),
        ("begin.pbrt", b"\nAttributeBegin"),
        ("close.pbrt", b"WorldBegin AttributeBegin Include \"end.pbrt\" AttributeEnd"),
        ("end.pbrt", b"\nAttributeEnd"),
    ]);
    let found = |name: &str| {
        let (path, place, kind) = told(load_in(&folder, name).unwrap_err().error).unwrap();
        (path.file_name().unwrap().to_str().unwrap().to_string(), place, kind)
    };
    let (file, place, kind) = found("main.pbrt");
    assert_eq!((file.as_str(), place), ("a.pbrt", Place::Line(3)));
    assert!(matches!(kind, FaultKind::Pbrt(PbrtFault::IncludesItself { path }) if path.ends_with("main.pbrt")));
    let open = PbrtFault::NeverClosed { begin: "AttributeBegin" };
    assert_eq!(found("open.pbrt"), ("begin.pbrt".into(), Place::Line(2), open.into()));
    let (end, begin) = ("AttributeEnd".into(), "AttributeBegin".into());
    let other = PbrtFault::ClosesOtherFile { end, begin, line: 1 };
    assert_eq!(found("close.pbrt"), ("end.pbrt".into(), Place::Line(2), other.into()));
}

#[test]
fn deep_includes_are_an_error() {
    let names: Vec<String> = (0..70).map(|i| format!("{i}.pbrt")).collect();
    let texts: Vec<String> = (0..70).map(|i| format!("Include \"{}.pbrt\"", i + 1)).collect();
    let files: Vec<_> = names.iter().zip(&texts).map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    let (path, place, kind) = told(load_in(&folder_of(&files), "0.pbrt").unwrap_err().error).unwrap();
    assert!(path.ends_with("63.pbrt"), "{}", path.display());
    assert_eq!((place, kind), (Place::Line(1), PbrtFault::IncludeDepth.into()));
}

#[test]
fn all_missing_files_are_named_at_once() {
    let text = format!(
        "WorldBegin Include \"a.pbrt\" Shape \"plymesh\" \"string filename\" \"b.ply\"\n\
         Texture \"t\" \"spectrum\" \"imagemap\" \"string filename\" \"c.png\"\n\
         Material \"metal\" \"spectrum eta\" \"d.spd\" LightSource \"infinite\" \"string mapname\" \"e.exr\" {TRIANGLE}"
    );
    let folder = folder_of(&[("main.pbrt", text.as_bytes())]);
    let error = load_in(&folder, "main.pbrt").unwrap_err().error;
    let ImportError::Missing { files, .. } = &error else { panic!("{error}") };
    assert_eq!(files.len(), 5, "{error}");
    for name in ["a.pbrt", "b.ply", "c.png", "d.spd", "e.exr"] {
        assert!(files.iter().any(|file| file.ends_with(name)), "{name} in {error}");
    }
    let loaded = load(&folder.at("main.pbrt"), &LoadOptions { allow_missing: true, ..LoadOptions::default() }).unwrap();
    assert_eq!((loaded.warnings.len(), loaded.scene.instances.len()), (5, 1));
}

#[test]
fn inverted_images_are_1_minus_scale_times_the_texel() {
    let load = |parameters: &str| {
        let text = format!(
            "WorldBegin Texture \"t\" \"spectrum\" \"imagemap\" \"string filename\" \"a.png\" {parameters} \
             Material \"diffuse\" \"texture reflectance\" \"t\" {TRIANGLE}"
        );
        let folder = folder_of(&[("main.pbrt", text.as_bytes()), ("a.png", &png())]);
        let scene = load_in(&folder, "main.pbrt").unwrap().scene;
        let Surface::Diffuse { reflectance } = material(&scene).surface.clone() else { panic!("not diffuse") };
        (scene, reflectance)
    };
    let (scene, input) = load("\"bool invert\" true \"float scale\" .5");
    // 1 - 0.5 t: a mix of 1 and 0 by the scaled image.
    assert_eq!(input.factor, [1.0; 3]);
    let Texture::Mix { a, b, amount } = scene.textures[input.texture.unwrap().index()] else { panic!("no mix") };
    let constant = |id: crate::TextureId| match scene.textures[id.index()] {
        Texture::Constant([r, ..]) => r,
        ref other => panic!("{other:?}"),
    };
    assert_eq!((constant(a), constant(b)), (1.0, 0.0));
    let Texture::Scale { b, .. } = scene.textures[amount.index()] else { panic!("not scaled") };
    assert_eq!(constant(b), 0.5);
    let (scene, input) = load("\"float scale\" .5");
    assert_eq!(input.factor, [0.5; 3]);
    assert!(matches!(scene.textures[input.texture.unwrap().index()], Texture::Image { .. }));
}

#[test]
fn encodings_of_version_4_are_srgb_linear_and_any_gamma() {
    let red = |encoding: &str| {
        let text = format!(
            "WorldBegin Texture \"t\" \"float\" \"imagemap\" \"string filename\" \"a.png\" \"string encoding\" {encoding:?} \
             Texture \"u\" \"spectrum\" \"imagemap\" \"string filename\" \"a.png\" \"string encoding\" {encoding:?} {TRIANGLE}"
        );
        let mut bytes = std::io::Cursor::new(Vec::new());
        let (kind, format) = (image::ExtendedColorType::Rgb8, image::ImageFormat::Png);
        image::write_buffer_with_format(&mut bytes, &[128, 0, 255], 1, 1, kind, format).unwrap();
        let folder = folder_of(&[("main.pbrt", text.as_bytes()), ("a.png", &bytes.into_inner())]);
        let loaded = load_in(&folder, "main.pbrt").unwrap();
        assert_eq!((loaded.warnings, loaded.scene.images.len()), (vec![], 1), "{encoding}");
        let [r, g, b, a] = loaded.scene.images[0].texel(0, 0);
        assert_eq!([g, b, a], [0.0, 1.0, 1.0], "{encoding}");
        r
    };
    let stored = 128.0 / 255.0f32;
    for (encoding, want) in [
        ("linear", stored),
        ("sRGB", 0.215_86),
        ("gamma 1.0", stored),
        ("gamma 2", stored * stored),
        ("gamma 0.5", stored.sqrt()),
    ] {
        assert!((red(encoding) - want).abs() < 1e-5, "{encoding}: {}", red(encoding));
    }
    let text =
        "WorldBegin Texture \"t\" \"float\" \"imagemap\" \"string filename\" \"a.png\" \"string encoding\" \"gamma 0\"";
    let gamma = PbrtFault::Gamma { text: "gamma 0".into() };
    assert_eq!(fault(import(text).unwrap_err()), (Place::Line(1), gamma.into()));
}

#[test]
fn images_keep_place_wrap_and_encoding() {
    let text = format!(
        "WorldBegin Texture \"c\" \"spectrum\" \"imagemap\" \"string filename\" \"a.png\" \"float vscale\" 2 \"float vdelta\" .5 \"string wrap\" \"clamp\" \"float scale\" .5\n\
         Texture \"l\" \"spectrum\" \"imagemap\" \"string filename\" \"a.png\" \"bool gamma\" false\n\
         Texture \"i\" \"float\" \"imagemap\" \"string filename\" \"a.png\" \"bool invert\" true \"string encoding\" \"linear\"\n\
         Material \"matte\" \"texture Kd\" \"c\" {TRIANGLE} Material \"matte\" \"texture Kd\" \"l\" {TRIANGLE}\n\
         Material \"disney\" \"texture roughness\" \"i\" {TRIANGLE}"
    );
    let folder = folder_of(&[("main.pbrt", text.as_bytes()), ("a.png", &png())]);
    let Loaded { scene, warnings, .. } = load_in(&folder, "main.pbrt").unwrap();
    assert_eq!(warnings.len(), 1, "disney only: {warnings:?}");
    let surface = |i: usize| &scene.materials[scene.material_of(i, 0).index()].surface;
    let Surface::Diffuse { reflectance: ColorInput { factor: [0.5, 0.5, 0.5], texture: Some(texture) } } = surface(0)
    else {
        panic!("{:?}", surface(0))
    };
    let Texture::Image { image, mapping, wrap, .. } = scene.textures[texture.index()] else { panic!("no image") };
    assert_eq!(wrap, [Wrap::Clamp; 2]);
    assert!(matches!(*scene.images[image.index()].pixels, Pixels::Srgb8(_)));
    assert_eq!(scene.images[image.index()].texel(0, 0), [1.0, 0.0, 0.0, 1.0]);
    // pbrt's t = 2 v + 0.5 counts from the lowest row; ours from the highest.
    for v in [0.0f32, 0.25, 1.0] {
        let row = mapping.rows[1];
        let found = row[1] * (1.0 - v) + row[2];
        assert!((found - (1.0 - (2.0 * v + 0.5))).abs() < 1e-6);
    }
    let Surface::Diffuse { reflectance } = surface(1) else { panic!("no matte") };
    let Texture::Image { image, .. } = scene.textures[reflectance.texture.unwrap().index()] else { panic!("no image") };
    assert!(matches!(*scene.images[image.index()].pixels, Pixels::Linear8(_)));
    let Surface::Principled(disney) = surface(2) else { panic!("no disney") };
    let (inverted, channel) = disney.roughness.x.texture.unwrap();
    assert_eq!(channel, Channel::Mean);
    assert!(matches!(scene.textures[inverted.index()], Texture::Mix { .. }));
}

#[test]
fn environment_maps_of_both_versions_load() {
    let folder = folder_of(&[
        (
            "v3.pbrt",
            b"WorldBegin LightSource \"infinite\" \"string mapname\" \"a.png\" \"rgb L\" [2 2 2]\nShape \"sphere\"",
        ),
        ("v4.pbrt", b"WorldBegin LightSource \"infinite\" \"string filename\" \"a.png\"\nShape \"sphere\""),
        ("a.png", &png()),
    ]);
    for (name, size, want) in [("v3.pbrt", (2, 2), [2.0; 3]), ("v4.pbrt", (4, 2), [1.0; 3])] {
        let scene = load_in(&folder, name).unwrap().scene;
        let Light::Environment { map: Some(map), radiance, .. } = scene.lights[0] else { panic!("no map") };
        let image = &scene.images[map.index()];
        assert_eq!(((image.width, image.height), radiance), (size, want), "{name}");
    }
}

#[test]
fn spd_files_are_integrated() {
    let folder = folder_of(&[
        ("main.pbrt", format!("WorldBegin Material \"metal\" \"spectrum eta\" \"eta.spd\" {TRIANGLE}").as_bytes()),
        ("eta.spd", b"# constant\n400 1.25\n700 1.25\n"),
        ("broken.pbrt", b"WorldBegin Material \"metal\" \"spectrum eta\" \"broken.spd\""),
        ("broken.spd", b"400 1\n500 x\n"),
    ]);
    let scene = load_in(&folder, "main.pbrt").unwrap().scene;
    let Surface::Conductor { eta, .. } = material(&scene).surface else { panic!("no metal") };
    near(eta.factor, [1.25; 3]);
    // Lines end as in any text.
    for text in ["\u{feff}400 1.25\n700 1.25", "400 1.25\r700 1.25\r", "400 1.25\r\n700 1.25\r\n"] {
        folder.file("eta.spd", text.as_bytes());
        let scene = load_in(&folder, "main.pbrt").unwrap().scene;
        let Surface::Conductor { eta, .. } = material(&scene).surface else { panic!("no metal") };
        near(eta.factor, [1.25; 3]);
    }
    let (path, place, kind) = told(load_in(&folder, "broken.pbrt").unwrap_err().error).unwrap();
    assert!(path.ends_with("broken.spd"), "{}", path.display());
    assert_eq!((place, kind), (Place::Line(2), PbrtFault::SpectrumWord { word: "x".into() }.into()));
}

#[test]
fn quads_of_a_ply_file_without_coordinates_have_those_of_patches_in_version_4_and_two_triangles_in_version_3() {
    // A quad, a triangle, a concave quad and a quad.
    let ply = b"ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n\
        element face 4\nproperty list uchar int vertex_indices\nend_header\n\
        0 0 0\n1 0 0\n1 1 0\n0 1 0\n.8 .1 0\n4 0 1 2 3\n3 2 1 0\n4 0 1 2 4\n4 1 2 3 0\n";
    let shape = "Shape \"plymesh\" \"string filename\" \"a.ply\"";
    let text = |material: &str| {
        let check = "Texture \"c\" \"spectrum\" \"checkerboard\"";
        format!("WorldBegin {check} Material \"{material}\" {shape}")
    };
    let folder = folder_of(&[
        ("a.ply", ply),
        ("3.pbrt", text("matte\" \"texture Kd\" \"c").as_bytes()),
        ("4.pbrt", text("diffuse\" \"texture reflectance\" \"c").as_bytes()),
    ]);
    let (first, own) = ([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]], [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]);
    let second = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    // Version 3 has the corners 3, 0 and 2 of a quad as its second triangle, here 0, 2 and 3.
    let turned = [[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]];
    for (name, want) in [
        ("3.pbrt", [first, turned, own, own, own, first, turned]),
        ("4.pbrt", [first, second, own, own, own, first, second]),
    ] {
        let scene = load_in(&folder, name).unwrap().scene;
        let mesh = &scene.meshes[0].triangles;
        let uvs = |triangle: &[u32; 3]| triangle.map(|i| [mesh.uvs[i as usize][0], 1.0 - mesh.uvs[i as usize][1]]);
        assert_eq!(mesh.indices.iter().map(uvs).collect::<Vec<_>>(), want, "{name}");
    }
}

#[test]
fn faces_of_a_ply_file_name_materials_of_the_scene() {
    let shape = "Shape \"plymesh\" \"string filename\" \"a.ply\"";
    let red = "MakeNamedMaterial \"red\" \"string type\" \"matte\" \"rgb Kd\" [1 0 0]";
    let folder = folder_of(&[
        ("main.pbrt", format!("WorldBegin {red} Material \"mirror\" {shape}").as_bytes()),
        ("plain.pbrt", format!("WorldBegin Material \"mirror\" {shape}").as_bytes()),
        ("twice.pbrt", format!("WorldBegin {shape} Scale -1 1 1 {shape} Translate 1 0 0 {shape}").as_bytes()),
        ("a.ply", PLY),
        ("broken.pbrt", b"WorldBegin Shape \"plymesh\" \"string filename\" \"broken.ply\""),
        ("broken.ply", b"ply\nformat ascii 1.0\nelement vertex many\n"),
    ]);
    let Loaded { scene, warnings, .. } = load_in(&folder, "main.pbrt").unwrap();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].path.ends_with("main.pbrt") && warnings[0].place == Place::Line(1));
    let PbrtWarning::FaceMaterials { path } = pbrt(&warnings[0].kind) else { panic!("{warnings:?}") };
    assert!(path.ends_with("a.ply"));
    let name = |i: usize| scene.materials[scene.material_of(0, i).index()].name.as_str();
    assert_eq!([name(0), name(1)], ["red", "mirror"]);
    // A scene that knows none of the names means nothing by them.
    let Loaded { scene, warnings, .. } = load_in(&folder, "plain.pbrt").unwrap();
    assert_eq!(warnings, []);
    assert!((0..2).all(|i| scene.materials[scene.material_of(0, i).index()].name == "mirror"));
    // One mesh, whether a placement mirrors it or not.
    let scene = load_in(&folder, "twice.pbrt").unwrap().scene;
    assert_eq!((scene.meshes.len(), scene.instances.len()), (1, 3));
    let (path, place, _) = told(load_in(&folder, "broken.pbrt").unwrap_err().error).unwrap();
    assert!(path.ends_with("broken.ply") && place == Place::Line(3), "{}", path.display());
}
