//! A loaded scene says which files it was read from.

use raywarp_scene::{LoadOptions, load};
use raywarp_testing::Folder;

/// Loads `name` and compares the files that were read, as names in this folder.
#[track_caller]
fn check(folder: &Folder, name: &str, want: &[&str]) {
    let loaded = load(&folder.at(name), &LoadOptions { allow_missing: true, ..LoadOptions::default() }).unwrap();
    let mut files: Vec<_> = loaded.files.iter().map(|file| file.strip_prefix(folder).unwrap()).collect();
    assert_eq!(files.first(), Some(&name.as_ref()), "the scene comes first");
    files.sort();
    let mut want: Vec<_> = want.iter().map(std::path::Path::new).collect();
    want.sort();
    assert_eq!(files, want, "{name}");
}

const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
    element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

#[test]
fn every_format_names_every_file_once_and_no_missing_one() {
    let folder = Folder::new();
    image::RgbImage::new(2, 2).save(folder.at("wood.png")).unwrap();
    folder.file("a.ply", PLY);
    check(&folder, "a.ply", &["a.ply"]);

    folder.file("lib.mtl", "newmtl m\nmap_Kd wood.png\nmap_d lost.png\nnewmtl n\nmap_Kd wood.png\n");
    folder.file(
        "a.obj",
        "mtllib lib.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl m\nf 1/1 2/1 3/1\nusemtl n\nf 1/1 2/1 3/1\n",
    );
    check(&folder, "a.obj", &["a.obj", "lib.mtl", "wood.png"]);

    folder.file("metal.spd", "400 1\n700 1\n");
    folder.file(
        "main.pbrt",
        "WorldBegin Include \"sub/more.pbrt\" LightSource \"infinite\" \"string filename\" \"wood.png\"\n\
         Material \"metal\" \"spectrum eta\" \"metal.spd\" Shape \"plymesh\" \"string filename\" \"a.ply\"",
    );
    folder.file(
        "sub/more.pbrt",
        "Texture \"t\" \"spectrum\" \"imagemap\" \"string filename\" \"wood.png\"\n\
         Shape \"plymesh\" \"string filename\" \"lost.ply\"",
    );
    check(&folder, "main.pbrt", &["main.pbrt", "sub/more.pbrt", "wood.png", "metal.spd", "a.ply"]);

    let floats = [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    folder.file("a.bin", floats.map(f32::to_le_bytes).concat());
    folder.file(
        "a.gltf",
        "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0, \"scenes\": [{\"nodes\": [0]}], \"nodes\": [{\"mesh\": 0}],
        \"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}, \"material\": 0}]}],
        \"materials\": [{\"pbrMetallicRoughness\": {\"baseColorTexture\": {\"index\": 0}}}],
        \"textures\": [{\"source\": 0}], \"images\": [{\"uri\": \"wood.png\"}],
        \"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\",
        \"min\": [0, 0, 0], \"max\": [1, 1, 0]}],
        \"bufferViews\": [{\"buffer\": 0, \"byteLength\": 36}], \"buffers\": [{\"uri\": \"a.bin\", \"byteLength\": 36}]}",
    );
    check(&folder, "a.gltf", &["a.gltf", "a.bin", "wood.png"]);
}
