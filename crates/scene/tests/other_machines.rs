//! Files that a scene names by whole paths of the machine that wrote it: taken from beside the scene, in every format, with a
//! line that says so.

use raywarp_scene::{ImportError, LoadOptions, Loaded, Place, Warning, WarningKind, load};
use raywarp_testing::Folder;

const PNG: &[u8] = include_bytes!("../src/import/sealed.png");
const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nproperty float u\n\
    property float v\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0 0 0\n1 0 0 1 0\n0 1 0 0 1\n\
    3 0 1 2\n";

/// Loads the file `name` of `text`, in which `ROOT` is a folder of another machine, and checks what is taken for what.
#[track_caller]
fn check(name: &str, text: &str, images: usize, taken: &[(&str, &str)]) -> Loaded {
    let mut last = None;
    for root in ["C:/work/", "D:\\\\work\\\\", "/home/nobody/", "\\\\\\\\server\\\\share\\\\"] {
        // In JSON a `\` is written twice, elsewhere once.
        let root = if name.ends_with(".gltf") { root.to_string() } else { root.replace("\\\\", "\\") };
        let folder = Folder::new();
        folder.file("wood.png", PNG);
        folder.file("maps/Oak.png", PNG);
        folder.file("a.mtl", format!("newmtl a\nmap_Kd {root}wood.png\n"));
        folder.file("part.ply", PLY);
        folder.file(
            "a.bin",
            [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
                .as_flattened()
                .iter()
                .flat_map(|x| x.to_le_bytes())
                .collect::<Vec<u8>>(),
        );
        folder.file("more.pbrt", "Shape \"sphere\"\n");
        folder.file(name, text.replace("ROOT/", &root));
        let loaded = load(&folder.at(name), &LoadOptions::default()).unwrap_or_else(|error| panic!("{root}: {error}"));
        assert_eq!(loaded.scene.images.len(), images, "{root}");
        assert_eq!(loaded.warnings.len(), taken.len(), "{root}: {:?}", loaded.warnings);
        for (warning, (lost, taken)) in loaded.warnings.iter().zip(taken) {
            let WarningKind::OnOtherMachine { name, found } = &warning.kind else { panic!("{warning}") };
            assert!(name.ends_with(lost) && *found == folder.at(taken), "{warning}");
        }
        last = Some(loaded);
    }
    last.unwrap()
}

#[test]
fn obj_finds_libraries_and_their_images() {
    let text = "mtllib ROOT/a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl a\nf 1/1 2/1 3/1\n";
    check("a.obj", text, 1, &[("a.mtl", "a.mtl"), ("wood.png", "wood.png")]);
    // A name with blanks, and one that is lost.
    check(
        "a.obj",
        &text.replace("ROOT/a.mtl", "ROOT/my files/a.mtl"),
        1,
        &[("a.mtl", "a.mtl"), ("wood.png", "wood.png")],
    );
    let folder = Folder::new();
    folder.file("a.obj", text.replace("ROOT/a.mtl", "C:\\lost.mtl"));
    let error = load(&folder.at("a.obj"), &LoadOptions::default()).unwrap_err();
    let ImportError::Missing { files, .. } = &error.error else { panic!("{error}") };
    assert!(files.len() == 1 && files[0].ends_with("C:/lost.mtl"), "{error}");
}

#[test]
fn ply_finds_its_textures() {
    check(
        "a.ply",
        &PLY.replace("element vertex", "comment TextureFile ROOT/maps/oak.png\nelement vertex"),
        1,
        &[("oak.png", "maps/Oak.png")],
    );
}

#[test]
fn gltf_finds_buffers_and_images() {
    let text = r#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "textures": [{"source": 0}], "images": [{"uri": "ROOT/maps/oak.png"}],
        "buffers": [{"uri": "ROOT/a.bin", "byteLength": 36}], "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC2"}]}"#;
    check("a.gltf", text, 1, &[("a.bin", "a.bin"), ("oak.png", "maps/Oak.png")]);
    let folder = Folder::new();
    folder.file("a.bin", [0; 36]);
    folder.file("wood.png", PNG);
    folder.file("a.gltf", text.replace("ROOT/maps/oak.png", "file:///C:/x/wood.png").replace("ROOT/", ""));
    // All of its corners are at one place.
    let error = load(&folder.at("a.gltf"), &LoadOptions::default()).unwrap_err();
    let Warning { place, kind, .. } = &error.warnings[0];
    assert_eq!(*place, Place::Item("images[0].uri".into()));
    let lost =
        |kind: &WarningKind| matches!(kind, WarningKind::OnOtherMachine { name, .. } if name == "/C:/x/wood.png");
    assert!(lost(kind), "{kind}");
}

#[test]
fn pbrt_finds_images_meshes_and_further_files() {
    let text = "WorldBegin\nTexture \"a\" \"spectrum\" \"imagemap\" \"string filename\" \"ROOT/wood.png\"\n\
        Material \"diffuse\" \"texture reflectance\" \"a\"\nShape \"plymesh\" \"string filename\" \"ROOT/part.ply\"\n\
        Include \"ROOT/more.pbrt\"\nLightSource \"infinite\" \"string filename\" \"ROOT/maps/oak.png\"\n";
    let taken =
        [("wood.png", "wood.png"), ("part.ply", "part.ply"), ("more.pbrt", "more.pbrt"), ("oak.png", "maps/Oak.png")];
    let loaded = check("a.pbrt", text, 3, &taken);
    assert_eq!(loaded.scene.meshes.len(), 2);
}
