//! What glTF files leave to their user: scenes, variants of materials, times of animations, the shape of a picture.

use crate::common_folder::{Folder, text};

/// Two scenes, of a triangle and of one that stands two further along x and is animated; their camera is twice as wide as
/// high.
const FILE: &str = r#"{"asset": {"version": "2.0"}, "scene": 0,
"scenes": [{"name": "near", "nodes": [0, 2]}, {"nodes": [1, 2]}],
"nodes": [{"mesh": 0}, {"mesh": 0, "translation": [2, 0, 0]}, {"camera": 0, "translation": [0, 0, 5]}],
"cameras": [{"type": "orthographic", "orthographic": {"xmag": 4, "ymag": 2, "znear": 0, "zfar": 9}}],
"meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
"animations": [{"name": "slide", "channels": [{"sampler": 0, "target": {"node": 1, "path": "translation"}}],
  "samplers": [{"input": 1, "output": 2}]}],
"extensions": {"KHR_materials_variants": {"variants": [{"name": "night"}]}},
"accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
  {"bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR"},
  {"componentType": 5126, "count": 2, "type": "VEC3"}],
"bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 8, "byteLength": 8}],
"buffers": [{"byteLength": 36, "uri": "data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}"#;

#[test]
fn info_lists_what_there_is_to_choose_from() {
    let folder = Folder::with_files([("a.gltf", FILE)]);
    let shown = text(&folder.run("info a.gltf").stdout);
    for line in
        ["1  near  --gltf-scene 0, shown", "2  1     --gltf-scene 1", "slide  --animation 0", "night  --material-"]
    {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let document = folder.json("info a.gltf --gltf-scene 1");
    assert_eq!(document["names"]["scenes"][1]["what"], "--gltf-scene 1, shown");
    assert_eq!(document["bounds"][0][0], 2.0);
}

#[test]
fn scenes_and_times_are_chosen_and_what_there_is_not_is_an_error() {
    let folder = Folder::with_files([("a.gltf", FILE)]);
    let at = |options: &str| {
        let document = folder.json(&format!("info a.gltf {options}"));
        document["bounds"][0][0].as_f64().unwrap()
    };
    assert_eq!([at(""), at("--gltf-scene 1"), at("--gltf-scene near")], [0.0, 2.0, 0.0]);
    assert_eq!([at("--gltf-scene 1 --at 0.5"), at("--gltf-scene 1 --animation slide")], [0.0, 0.0]);
    for (options, names) in [
        ("--gltf-scene far", ["\"far\"", "near (0)"]),
        ("--animation walk", ["\"walk\"", "slide (0)"]),
        ("--material-variant day", ["\"day\"", "night (0)"]),
    ] {
        folder.refuses(&format!("info a.gltf {options}"), 3, &names);
    }
    assert_eq!(folder.run("info a.gltf --at soon").status.code(), Some(2));
}

#[test]
fn the_camera_shapes_the_picture() {
    let folder = Folder::with_files([("a.gltf", FILE)]);
    let output = folder.run("render a.gltf --spp 1 --integrator normal -o a.png");
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(said.contains("1024x512 (file)"), "{said}");
}
