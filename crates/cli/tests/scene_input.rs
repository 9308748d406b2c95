//! Scenes from pipes, and of the kinds that are simple to write.

use crate::common_folder::{Folder, check_fails, document, text};
use crate::common_rays::npy;
use std::process::Output;

/// The number of triangles that `info --json` prints.
#[track_caller]
fn triangles(output: &Output) -> u64 {
    assert!(output.status.success(), "{}", text(&output.stderr));
    let document = document(output);
    document["triangles"].as_u64().unwrap_or_else(|| panic!("{document:#}"))
}

const OBJ: &str = "mtllib a.mtl\nusemtl red\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n";
const OFF: &str = "OFF\n4 2 0\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n3 0 1 2\n3 1 3 2\n";
const STL: &str = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n\
    endsolid a\n";
/// A ray down onto the square, in the order of `trace`.
const RAY: [f32; 8] = [0.25, 0.25, 3.0, 0.0, 0.0, 0.0, -1.0, f32::INFINITY];

#[test]
fn a_scene_comes_from_standard_input_and_finds_its_files_in_the_current_folder() {
    let folder = Folder::new();
    let missing = folder.run_piped("render - --format obj --size 8x8 --spp 1 -o a.png", OBJ);
    check_fails(&missing, 3, &["a.mtl", "--allow-missing"]);
    folder.file("a.mtl", "newmtl red\nKd 1 0 0\n");
    assert_eq!(triangles(&folder.run_piped("info - --format obj --json", OBJ)), 2);
    folder.file("rays.npy", npy(&[RAY]));
    let traced = folder.run_piped("trace - rays.npy -o hits.npy --format .OFF", OFF);
    assert!(text(&traced.stdout).starts_with("wrote hits.npy: 1 "), "{}", text(&traced.stderr));
    let picture = folder.run_piped("render - --format off -o a.png --size 16x16 --spp 1", OFF);
    assert!(picture.status.success() && folder.at("a.png").is_file(), "{}", text(&picture.stderr));
    let broken = folder.run_piped("info - --format ply", b"plywood\n");
    check_fails(&broken, 3, &[" input:1: ", "PLY"]);
}

#[test]
fn packed_bytes_on_standard_input_are_unpacked() {
    let folder = Folder::new();
    // OFF as gzip keeps it without compression: one block, its length, its length again turned over.
    let length = OFF.len() as u16;
    let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    packed.extend([length.to_le_bytes(), (!length).to_le_bytes()].concat());
    packed.extend(OFF.bytes());
    let mut crc = !0u32;
    for byte in OFF.bytes() {
        crc ^= u32::from(byte);
        (0..8).for_each(|_| crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 });
    }
    packed.extend((!crc).to_le_bytes());
    packed.extend(u32::from(length).to_le_bytes());
    assert_eq!(triangles(&folder.run_piped("info - --format off --json", &packed)), 2);
}

#[test]
fn the_kind_must_be_known_and_can_be_named() {
    let folder = Folder::new();
    folder.file("square.off", OFF);
    folder.file("square.txt", OFF);
    folder.file("rays.npy", npy(&[RAY]));
    check_fails(&folder.run_piped("info -", OFF), 2, &["--format ply"]);
    check_fails(&folder.run("info square.txt"), 3, &["square.txt:", ".3mf", "--format"]);
    check_fails(&folder.run("info square.off --format stp"), 2, &["stp", "gltf", "glb", "obj", "ply"]);
    check_fails(&folder.run("info square.off --format obj"), 3, &["square.off"]);
    assert_eq!(triangles(&folder.run("info square.txt --format off --json")), 2);
    let both = folder.run_piped("trace - - --format off -o hits.npy", OFF);
    check_fails(&both, 2, &["SCENE", "RAYS"]);
    let twice = folder.run_piped("bench - - --format off", OFF);
    check_fails(&twice, 2, &["once"]);
}

#[cfg(unix)]
#[test]
fn named_pipes_are_read_with_and_without_an_extension() {
    let folder = Folder::new();
    for (name, options) in [("pipe", "--format off"), ("pipe.off", "")] {
        assert!(std::process::Command::new("mkfifo").arg(folder.at(name)).status().unwrap().success());
        let path = folder.at(name);
        let writer = std::thread::spawn(move || std::fs::write(path, OFF).unwrap());
        // A folder of scenes changes nothing for a name that is there.
        assert_eq!(triangles(&folder.run(&format!("info {name} {options} --json --scenes .."))), 2);
        writer.join().unwrap();
    }
    check_fails(&folder.run("info pipe"), 3, &["pipe:", "--format"]);
}

#[test]
fn bare_names_find_the_new_kinds() {
    let folder = Folder::new();
    folder.file("part.stl", STL);
    assert_eq!(triangles(&folder.run("info part --scenes . --json")), 1);
    folder.file("square.OFF", OFF);
    folder.file("square.off.gz", OFF);
    assert_eq!(triangles(&folder.run("info square --scenes . --json")), 2);
    // Of two files of a name the one that can hold more is taken.
    folder.file("part.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3 4\n");
    assert_eq!(triangles(&folder.run("info part --scenes . --json")), 2);
}

#[test]
fn what_was_left_out_is_said_before_the_error_that_it_explains() {
    let folder = Folder::new();
    folder.file("rays.npy", npy(&[RAY]));
    folder.file("points.obj", "v 0 0 0\nv 1 0 0\np 1\nl 1 2\n");
    for line in
        ["info points.obj", "trace points.obj rays.npy -o hits.npy", "render points.obj -o a.png", "bench points.obj"]
    {
        let output = folder.run(line);
        assert_eq!(output.status.code(), Some(3), "{line}");
        // First the place of what was left out, last the file.
        let message = text(&output.stderr);
        let lines: Vec<&str> = message.lines().collect();
        let (error, warnings) = lines.split_last().unwrap();
        assert!(error.starts_with("raywarp: points.obj: "), "{line}: {message}");
        let is_warning = |line: &&str| line.starts_with("raywarp: warning: points.obj:3: ");
        assert_eq!(warnings.iter().filter(|line| is_warning(line)).count(), 1, "{line}: {message}");
    }
    for options in ["--json", "--json -q"] {
        let failed = folder.run(&format!("info points.obj {options}"));
        let document = document(&failed);
        let warnings = document["warnings"].as_array().unwrap();
        assert!(!warnings.is_empty() && document["error"]["status"] == 3, "{document}");
        for warning in warnings {
            let line = format!("raywarp: warning: {}\n", warning.as_str().unwrap());
            assert_eq!(text(&failed.stderr).contains(&line), options == "--json", "{line}");
        }
    }
    let quiet = folder.run("info points.obj -q");
    assert_eq!(text(&quiet.stderr).lines().count(), 1, "{}", text(&quiet.stderr));
}

#[test]
fn a_cloud_of_points_is_no_picture_whatever_light_is_added() {
    let folder = Folder::new();
    let head = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n";
    let faces = "element face 0\nproperty list uchar int vertex_indices\n";
    folder.file("a.ply", format!("{head}{faces}end_header\n0 0 0\n"));
    folder.file("b.ply", format!("{head}end_header\n0 0 0\n"));
    for light in ["", "--light white", "--light sky", "--light none"] {
        for name in ["a.ply", "b.ply"] {
            let output = folder.run(&format!("render {name} -o a.png {light}"));
            check_fails(&output, 3, &[name]);
            assert_eq!(text(&output.stderr).lines().count(), 1, "{}", text(&output.stderr));
        }
    }
}

#[test]
fn what_is_no_mesh_is_called_by_its_name() {
    let folder = Folder::new();
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1234567\n";
    for name in ["a.stl", "a.obj", "a.off", "a.ply", "a.glb", "a.3mf", "a.pbrt"] {
        folder.file(name, pointer);
        let output = folder.run(&format!("info {name}"));
        check_fails(&output, 3, &[&format!("{name}:1:"), "lfs pull`"]);
    }
    // One line, not one of each line of the text.
    folder.file("b.obj", "{\n \"asset\": {\"version\": \"2.0\"},\n \"nodes\": []\n}\n");
    let output = folder.run("info b.obj");
    check_fails(&output, 3, &["b.obj:", "--format gltf"]);
    assert_eq!(text(&output.stderr).lines().count(), 1);
    folder.file("a.obj", OBJ);
    folder.file("a.mtl", "{\"message\": \"Not Found\"}\n");
    check_fails(&folder.run("render a.obj -o a.png"), 3, &["a.mtl:", "JSON"]);
    let info = folder.run("info a.obj");
    assert!(info.status.success() && text(&info.stderr).contains("warning: a.mtl:"), "{}", text(&info.stderr));
    folder.file("a.mtl", pointer);
    check_fails(&folder.run("render a.obj -o a.png"), 3, &["a.mtl:1:"]);
    // Where only triangles are asked for, that is a warning.
    assert!(text(&folder.run("info a.obj").stderr).contains("warning: a.mtl:1:"));
    folder.file("rays.npy", npy(&[RAY]));
    let rendered = folder.run("render a.obj --allow-missing --size 8x8 --spp 1 -o a.png");
    assert!(rendered.status.success(), "{}", text(&rendered.stderr));
    assert!(text(&rendered.stderr).contains("warning: a.mtl:1:"));
}
