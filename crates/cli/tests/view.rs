//! Cameras, lights, names and exposure as a user meets them.

use crate::common_folder::{Folder, TRIANGLE, text};
use crate::common_rays::npy;
use serde_json::Value;

const SMALL: &str = "render --size 32x24 --spp 4 -o a.png";

/// Renders small and gives back what is said on standard error.
#[track_caller]
fn render(folder: &Folder, line: &str) -> String {
    folder.says(&format!("{SMALL} {line}"))
}

/// The document of a small render.
#[track_caller]
fn json(folder: &Folder, line: &str) -> Value {
    folder.json(&format!("{SMALL} {line}"))
}

/// A triangle seen by three cameras, one without a name, and a lamp; the names would move a terminal's cursor.
const CAMERAS: &str = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,1,2,3,4]}],
"extensionsUsed":["KHR_lights_punctual"],"extensions":{"KHR_lights_punctual":{"lights":[
{"name":"key","type":"point","intensity":900}]}},
"nodes":[{"mesh":0},{"camera":0,"translation":[0.3,0.3,3]},{"camera":1,"translation":[0.3,0.3,9]},
{"camera":2,"translation":[0.3,0.3,5]},
{"translation":[2,2,5],"extensions":{"KHR_lights_punctual":{"light":0}}}],
"cameras":[{"name":"Main","type":"perspective","perspective":{"yfov":0.8,"znear":0.1}},
{"name":"Wide\u001b[31m","type":"perspective","perspective":{"yfov":1.2,"znear":0.1}},
{"type":"orthographic","orthographic":{"xmag":1,"ymag":1,"znear":0.1,"zfar":9}}],
"materials":[{"name":"paint"}],
"meshes":[{"name":"sail","primitives":[{"attributes":{"POSITION":0},"material":0}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],
"bufferViews":[{"buffer":0,"byteLength":36}],
"buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}"#;

fn eye_z(document: &Value) -> f64 {
    document["camera"]["eye"][2].as_f64().unwrap()
}

#[test]
fn cameras_are_chosen_by_name_or_number() {
    let folder = Folder::new();
    folder.file("a.gltf", CAMERAS);
    assert!(render(&folder, "a.gltf").contains(" Main; --camera NAME"));
    for (camera, z) in [("Main", 3.0), ("1", 3.0), ("2", 9.0), ("3", 5.0)] {
        assert_eq!(eye_z(&json(&folder, &format!("a.gltf --camera {camera}"))), z, "{camera}");
    }
    folder.refuses("render a.gltf --camera Mian", 2, &[" Mian: ", "Main, Wide\\u{1b}[31m, ", "Main?"]);
    folder.refuses("render a.gltf --camera 4", 2, &[" 4: ", " 3: "]);
    folder.refuses("render a.gltf --camera 1 --eye 0,0,0", 2, &["--eye"]);
    folder.file("b.obj", TRIANGLE);
    folder.refuses("render b.obj --camera 1", 2, &[" 1: "]);
}

#[test]
fn info_lists_what_is_in_a_scene_by_name() {
    let folder = Folder::new();
    folder.file("a.gltf", CAMERAS);
    let text = folder.prints("info a.gltf");
    for line in [
        "\ncameras\n   1  Main            at 0.3 0.3 3, 45.8 degrees\n   2  Wide\\u{1b}[31m  at",
        "   3  camera 3        at 0.3 0.3 5, parallel, 2 high\n",
        "\nlights\n   1  key  point at 2 2 5, intensity 900 900 900\n",
        "\nmaterials\n   1  paint  principled\n",
        "\nmeshes\n   1  sail  1 triangles\n",
    ] {
        assert!(text.contains(line), "{line}\nis not in\n{text}");
    }
    let document = folder.json("info a.gltf");
    assert_eq!(document["names"]["cameras"][0]["name"], "Main");
    let many: String = (0..30).map(|i| format!("newmtl m{i}\nKd 0.5 0.5 0.5\n")).collect();
    folder.file("many.mtl", &many);
    let uses: String = (0..30).map(|i| format!("usemtl m{i}\nf 1 2 3\n")).collect();
    folder.file("many.obj", format!("mtllib many.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\n{uses}"));
    let text = folder.prints("info many.obj");
    assert!(text.contains(" 10 more; --json "), "{text}");
    let document = folder.json("info many.obj");
    assert_eq!(document["names"]["materials"].as_array().unwrap().len(), 30);
}

#[test]
fn parts_of_a_camera_are_enough() {
    let folder = Folder::new();
    folder.file("a.obj", TRIANGLE);
    let up = json(&folder, "a.obj --up 0,0,1");
    assert!(up["camera"]["forward"][2].as_f64().unwrap() < -0.3, "{up}");
    assert_eq!(json(&folder, "a.obj --eye 0,5,0 --target 0,0,0")["camera"]["up"][2], -1.0);
    assert!(render(&folder, "a.obj --eye 0,0,5 --target 0,0,0 --up 0,0,1").contains(" --up: "));
    assert_eq!(json(&folder, "a.obj --eye 0.5,0.5,7")["camera"]["forward"][2], -1.0);
    render(&folder, "a.obj --target 0,1,0");
    folder.refuses("render a.obj --eye 1,1,1 --target 1,1,1", 2, &["--eye", "--target", "--up"]);
    folder.refuses("render a.obj --eye 1,1,1 --up 0,0,0", 2, &["--up"]);
    folder.refuses("render a.obj --eye 1,1", 2, &["--eye 1,1"]);
}

#[test]
fn lights_are_added_by_name_or_file() {
    let folder = Folder::new();
    folder.file("a.obj", TRIANGLE);
    assert!(render(&folder, "a.obj").contains("; --light sky, "));
    let mean = |line: &str| json(&folder, line)["mean_luminance"].as_f64().unwrap();
    let dark = mean("a.obj --light none");
    assert_eq!(dark, 0.0);
    assert!(mean("a.obj --light white") > 0.8);
    let studio = mean("a.obj --light studio");
    assert!((0.03..0.4).contains(&studio) && (mean("a.obj") - studio).abs() < 1e-9);
    assert!((mean("a.obj --light studio --light-strength 2") / studio - 2.0).abs() < 1e-4);
    assert!(mean("a.obj --light sky --light-rotate 180") < 0.98 * mean("a.obj --light sky"));
    folder.refuses("render a.obj --light stduio", 2, &["white", "sky", "none", "studio?"]);
    folder.refuses("render a.obj --light ./studio", 3, &["./studio"]);
    folder.refuses("render a.obj --light none.hdr", 3, &["none.hdr"]);
    folder.refuses("render a.obj --light studio --light-strength -1", 2, &["from 0"]);
    folder.refuses("render a.obj --light studio --light-rotate far", 2, &["degrees"]);
}

#[test]
fn known_viewpoints_serve_files_without_a_camera() {
    let folder = Folder::new();
    let view = |x: u32| format!("[[room]]\neye = [{x}, 0.5, 5]\ntarget = [0, 0, 0]\nup = [0, 1, 0]\nvfov = 60\n");
    folder.file("scenes/views.toml", &(view(1) + &view(2)));
    folder.file("scenes/room/room.obj", TRIANGLE);
    folder.file("scenes/room/scene.gltf", CAMERAS);
    folder.file("room.obj", TRIANGLE);
    let says = render(&folder, "scenes/room/room.obj");
    assert!(says.contains(" 1 of 2; --view ") && says.contains("views.toml:room:1"), "{says}");
    assert_eq!(eye_z(&json(&folder, "scenes/room/room.obj")), 5.0);
    // The file's own camera comes first; and a file elsewhere is not the scene of that name.
    assert_eq!(eye_z(&json(&folder, "scenes/room/scene.gltf")), 3.0);
    assert!(!render(&folder, "room.obj --scenes scenes").contains("--view"));
    assert!(!render(&folder, "scenes/room/room.obj --eye 0,0,9").contains("--view"));
    folder.file("scenes/views.toml", "[[room]]\neye = 3\n");
    folder.refuses("render scenes/room/room.obj -o b.png", 3, &["views.toml: line 2"]);
}

#[test]
fn what_the_writer_of_a_file_calls_up_is_recommended_where_nobody_says_it() {
    let folder = Folder::new();
    let head = "ply\nformat ascii 1.0\ncomment Created in Blender version 4.1.0\nelement vertex 3\nproperty float x\n\
        property float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
    let ply = format!("{head}0 0 0\n2 0 0\n0 2 0\n3 0 1 2\n");
    folder.file("a.ply", &ply);
    folder.file("b.ply", ply.replace("Blender", "a program"));
    let line = "--up 0,0,1 ";
    assert!(render(&folder, "a.ply").contains(line));
    for quiet in ["b.ply", "a.ply --up 0,0,1", "a.ply --up 0,1,0", "a.ply --eye 0,0,9"] {
        assert!(!render(&folder, quiet).contains(line), "{quiet}");
    }
}

#[test]
fn names_lead_to_the_file_with_materials_and_a_wrong_one_to_the_nearest() {
    let folder = Folder::new();
    folder.file("scenes/room/room.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n2 0 0\n0 2 0\n3 0 1 2\n");
    folder.file("scenes/room/scene.gltf", CAMERAS);
    folder.file("scenes/models/sail.obj", TRIANGLE);
    let scene = |line: &str| json(&folder, line)["scene"].as_str().unwrap().replace('\\', "/");
    assert_eq!(scene("room --scenes scenes"), "scenes/room/scene.gltf");
    assert_eq!(scene("scenes/room"), "scenes/room/scene.gltf");
    assert_eq!(scene("sail --scenes scenes"), "scenes/models/sail.obj");
    // Rays are of the bare geometry.
    let table = folder.prints("bench room --scenes scenes --runs 1 --size 8x8 --variant direct/while-while/bvh2");
    assert!(!table.contains("gltf"), "{table}");
    folder.refuses("info rom --scenes scenes", 3, &[" rom, ", "scenes; ", " room?"]);
    folder.refuses("info sailboat", 3, &[" sailboat; ", "--scenes DIR"]);
    folder.refuses("info scenes/room/rooom.ply", 3, &[" scenes/room/room.ply?"]);
    // An empty variable is an unset one.
    let output = folder.command("info scenes/models/sail.obj").env("RAYWARP_SCENES", "").output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = folder.command("info sial").env("RAYWARP_SCENES", "").output().unwrap();
    assert!(text(&output.stderr).contains("RAYWARP_SCENES"));
}

/// A triangle under a point light of `intensity`.
fn lamp(intensity: &str) -> String {
    format!(
        "Film \"image\" \"integer xresolution\" 32 \"integer yresolution\" 24\nLookAt 0.4 0.4 3  0.4 0.4 0  0 1 0\n\
         Camera \"perspective\" \"float fov\" 20\nWorldBegin\nLightSource \"point\" \"point from\" [0.4 0.4 3] \"rgb I\" [{intensity} {intensity} {intensity}]\n\
         Shape \"trianglemesh\" \"integer indices\" [0 1 2] \"point P\" [-9 -9 0 19 -9 0 -9 19 0]\n"
    )
}

#[test]
fn black_and_blown_out_pictures_get_a_line_and_auto_exposure_mends_both() {
    let folder = Folder::new();
    folder.file("bright.pbrt", lamp("9000"));
    folder.file("dim.pbrt", lamp("0.3"));
    folder.file("weak.pbrt", lamp("1e-6"));
    // The flags that mend it; which note it is, is tested by value.
    let says = render(&folder, "bright.pbrt");
    assert!(says.contains(" --exposure auto (here -9.") && says.contains("--tone agx"), "{says}");
    assert!(!render(&folder, "dim.pbrt").contains("%"));
    assert!(render(&folder, "weak.pbrt").contains("; --light sky, "));
    assert!(render(&folder, "weak.pbrt --light none").contains(" --exposure auto (here +2"));
    for scene in ["bright.pbrt", "weak.pbrt"] {
        let says = render(&folder, &format!("{scene} --exposure auto"));
        assert!(says.contains("--exposure auto: ") && says.contains(" stops") && !says.contains('%'), "{says}");
        let document = json(&folder, &format!("{scene} --exposure auto"));
        assert_eq!((document["exposure_auto"].as_bool(), document["black_share"].as_f64()), (Some(true), Some(0.0)));
        // What it found can be typed, and gives the same picture.
        let auto = folder.read("a.png");
        let stops = document["exposure_stops"].as_f64().unwrap();
        render(&folder, &format!("{scene} --light none --exposure {stops:.1} -o b.png"));
        let pixels = |bytes: &[u8]| {
            let at = bytes.windows(4).position(|w| w == b"IDAT").unwrap();
            bytes[at..].to_vec()
        };
        assert!(pixels(&auto) == pixels(&folder.read("b.png")), "{scene}");
    }
    folder.refuses("render dim.pbrt --exposure automatic", 2, &["1.5", "x3", "auto"]);
}

/// A wide floor seen from above, with `rest` of the scene; the camera is at (0, 0, 4).
fn floor(rest: &str) -> String {
    format!(
        "LookAt 0 0 4  0 0 0  0 1 0\nCamera \"perspective\" \"float fov\" 40\nWorldBegin\n{rest}\n\
         AttributeBegin\nMaterial \"matte\"\nShape \"trianglemesh\" \"integer indices\" [0 1 2] \"point P\" [-90 -90 0 190 -90 0 -90 190 0]\n\
         AttributeEnd\n"
    )
}

#[test]
fn stand_ins_are_counted_behind_the_warnings() {
    let folder = Folder::new();
    folder.file("a.pbrt", floor("Material \"hair\"\nShape \"disk\"\nShape \"curve\"\n"));
    for command in ["render -o a.png --size 8x8 --spp 1", "info"] {
        let message = folder.says(&format!("{command} a.pbrt"));
        let lines: Vec<&str> = message.lines().collect();
        let last_warning = lines.iter().rposition(|line| line.contains("warning: ")).unwrap();
        let last = lines[last_warning + 1];
        assert!(last.starts_with("raywarp: a.pbrt: 1 material ") && last.contains("; 1 shape "), "{message}");
    }
    folder.file("b.pbrt", floor(""));
    assert!(!render(&folder, "b.pbrt").contains("stand"));
}

#[test]
fn an_environment_alone_is_a_picture_and_nothing_else_without_triangles_is() {
    let folder = Folder::new();
    let camera = "LookAt 0 0 4  0 0 0  0 1 0\nCamera \"perspective\" \"float fov\" 40\nWorldBegin\n";
    let map = "LightSource \"infinite\" \"rgb L\" [0.5 0.5 0.5]\n";
    let bulb = "LightSource \"point\" \"rgb I\" [30 30 30] \"point from\" [0 0 1.5]\n";
    for (scene, options) in [(map, ""), ("", "--light sky"), (bulb, "--light white")] {
        folder.file("b.pbrt", format!("{camera}{scene}"));
        let document = json(&folder, &format!("b.pbrt {options}"));
        assert!(document["mean_luminance"].as_f64().unwrap() > 0.1, "{scene}{options}: {document}");
    }
    folder.file("empty.gltf", r#"{"asset": {"version": "2.0"}}"#);
    render(&folder, "empty.gltf --light sky");
    // Without light from around there is nothing to see, and in no case anything to hit.
    folder.file("rays.npy", npy(&[[0.0; 8]]));
    folder.file("b.pbrt", format!("{camera}{map}"));
    assert_eq!(folder.run("info b.pbrt").status.code(), Some(0));
    for (line, scene) in [
        ("render b.pbrt -o b.png", ""),
        ("render b.pbrt -o b.png --light none", bulb),
        ("info b.pbrt", bulb),
        ("trace b.pbrt rays.npy -o hits.npy", map),
    ] {
        folder.file("b.pbrt", format!("{camera}{scene}"));
        folder.refuses(line, 3, &["b.pbrt: "]);
    }
}

#[test]
fn a_scene_without_a_triangle_is_an_error_in_every_format() {
    let folder = Folder::new();
    folder.file("a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nelement face 0\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n");
    folder.file("a.obj", "v 0 0 0\nv 1 0 0\np 1 2\n");
    folder.file("a.gltf", "{\"asset\":{\"version\":\"2.0\"}}");
    folder.file("a.pbrt", "WorldBegin\nLightSource \"point\"\n");
    folder.file("objects.pbrt", "WorldBegin\nObjectBegin \"o\"\nShape \"sphere\"\nObjectEnd\n");
    for name in ["a.ply", "a.obj", "a.gltf", "a.pbrt", "objects.pbrt"] {
        for command in ["render -o x.png", "info", "bench -q", "simulate --efficiency"] {
            folder.refuses(&format!("{command} {name}"), 3, &[name, "no "]);
        }
    }
    folder.file("sphere.pbrt", "WorldBegin\nShape \"sphere\"\n");
    assert!(folder.run("info sphere.pbrt").status.success());
}
