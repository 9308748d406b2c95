//! `--levels`: pictures and hits are the same, what needs one level says so, and huge scenes take two by themselves.

use crate::common_folder::Folder;
use crate::common_rays::npy;

/// A lattice of 27 balls in a box, one of them mirrored.
fn balls() -> String {
    let mut text = String::from(
        "LookAt 3 -9 5  3 3 2  0 0 1 Camera \"perspective\" \"float fov\" [50]\nWorldBegin\n\
        LightSource \"infinite\" \"rgb L\" [0.5 0.6 0.7]\n\
        ObjectBegin \"ball\" Material \"matte\" \"rgb Kd\" [0.6 0.3 0.2] Shape \"sphere\" \"float radius\" 0.7 ObjectEnd\n",
    );
    for place in 0..27 {
        let [x, y, z] = [place % 3, place / 3 % 3, place / 9].map(|at| 2 * at);
        let side = if place == 13 { -1.0 } else { 1.0 + 0.02 * f64::from(place) };
        text +=
            &format!("AttributeBegin Translate {x} {y} {z} Scale {side} 1 1.1 ObjectInstance \"ball\" AttributeEnd\n");
    }
    text + "WorldEnd\n"
}

/// Meshes of 1 and 18 triangles: the second is placed, the first, and the second again.
fn fans() -> String {
    let fan = |name: &str, count: usize| {
        let points: String = (0..count + 2).map(|i| format!("{i} {} 0 ", i * i)).collect();
        let indices: String = (0..count).map(|i| format!("0 {} {} ", i + 1, i + 2)).collect();
        format!(
            "ObjectBegin \"{name}\" Shape \"trianglemesh\" \"point P\" [{points}] \"integer indices\" [{indices}] \
             ObjectEnd\n"
        )
    };
    let place =
        |name: &str, x: usize| format!("AttributeBegin Translate {x} 0 {x} ObjectInstance \"{name}\" AttributeEnd\n");
    let placed = [place("large", 0), place("small", 1), place("large", 2)].concat();
    let objects = [fan("small", 1), fan("large", 18)].concat();
    format!("LookAt 3 3 -9 3 3 0 0 1 0 Camera \"perspective\"\nWorldBegin\n{objects}{placed}WorldEnd\n")
}

#[test]
fn levels_show_in_no_picture_and_in_no_hit() {
    let folder = Folder::new();
    folder.file("balls.pbrt", balls());
    let ray = |i: u16| {
        let [x, y] = [i % 40, i / 40].map(|at| 0.15 * f32::from(at));
        [x, -9.0, y, 0.0, 0.1 * (x - 3.0), 1.0, 0.02, f32::INFINITY]
    };
    folder.file("rays.npy", npy(&(0..1600).map(ray).collect::<Vec<_>>()));
    for levels in ["one", "two"] {
        let options = format!("--device cpu --levels {levels}");
        folder.succeeds(&format!("render balls.pbrt --size 48x32 --spp 4 --layers all -o {levels}.exr {options}"));
        folder.succeeds(&format!("trace balls.pbrt rays.npy --with position,normal -o {levels}.npy {options}"));
        folder.succeeds(&format!("trace balls.pbrt rays.npy --any -o {levels}-any.npy {options}"));
        let info = folder.json(&format!("info balls.pbrt --levels {levels}"));
        assert_eq!(info["levels"], if levels == "one" { 1 } else { 2 });
        assert_eq!(info["two_levels"]["placements"].as_u64(), (levels == "two").then_some(27));
        assert_eq!(info["sah_cost"].is_number(), levels == "one");
        let [meshes, all] = ["mesh_triangles", "triangles"].map(|name| info[name].as_u64().unwrap());
        assert_eq!(27 * meshes, all);
        let text = folder.prints(&format!("info balls.pbrt --levels {levels}"));
        let tree = if levels == "one" { all } else { meshes };
        assert!(text.contains(&format!("{all} ({meshes} in meshes, ")), "{text}");
        let trees = text.contains(&format!("two levels: 1 trees of {tree} triangles, 27 placements"));
        assert_eq!(trees, levels == "two", "{text}");
        let json = folder.json(&format!("trace balls.pbrt rays.npy -o again.npy {options}"));
        assert_eq!(json["levels"], info["levels"]);
    }
    assert!(folder.prints("diff one.exr two.exr").contains("every pixel is the same"));
    assert!(folder.read("one.npy") == folder.read("two.npy"));
    assert!(folder.read("one-any.npy") == folder.read("two-any.npy"));
}

#[test]
fn two_levels_on_what_has_one_are_refused() {
    let folder = Folder::new();
    folder.file("balls.pbrt", balls());
    folder.file("rays.npy", npy(&[[0.0; 8]]));
    let named = ["--levels two", "leave one of them out"];
    folder.refuses("render balls.pbrt -o a.png --levels two --device cuda", 2, &named);
    folder.refuses("trace balls.pbrt rays.npy -o a.npy --levels two --device cuda:0", 2, &named);
    let line = "trace balls.pbrt rays.npy -o a.npy --levels two --device cpu --variant al09-while-while";
    folder.refuses(line, 2, &named);
    folder.refuses("info balls.pbrt --levels three", 2, &["--levels", "three"]);
}

#[test]
fn a_scene_that_no_memory_holds_flattened_has_two_levels() {
    let folder = Folder::new();
    // 1.1 thousand million triangles.
    let many = "Translate 3 0 0 Shape \"sphere\"\n".repeat(70_000);
    folder.file("many.pbrt", format!("Camera \"perspective\" LookAt 0 0 9 0 0 0 0 1 0 WorldBegin\n{many}"));
    let info = folder.json("info many.pbrt");
    assert_eq!((info["levels"].as_u64(), info["two_levels"]["trees"].as_u64()), (Some(2), Some(1)));
    assert!(info["triangles"].as_u64() > Some(1_000_000_000));
    let picture = folder.json("render many.pbrt --size 16x8 --spp 1 --device cpu -o many.png");
    assert_eq!(picture["levels"], 2);
    folder.refuses("render many.pbrt --size 16x8 --spp 1 --levels one --device cpu -o b.png", 3, &["triangles"]);
}

#[test]
fn what_walks_one_level_says_that_it_flattens_what_is_placed_many_times() {
    let folder = Folder::new();
    folder.file("balls.pbrt", balls());
    folder.file("one.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.file("two.pbrt", fans());
    let triangles = folder.json("info balls.pbrt")["triangles"].as_u64().unwrap();
    let options = "--variant al09-while-while --size 16x16";
    let lines = [
        ("simulate", format!("--efficiency --sample 200 {options}")),
        ("simulate", format!("--machine h200 --sample 200 {options}")),
        ("bench", format!("--device cpu --runs 1 --warmup 0 --rays-per-pixel 1 {options}")),
    ];
    for (command, options) in lines {
        let said = folder.says(&format!("{command} balls.pbrt {options}"));
        assert!(said.contains("27 placements of 1 mesh are flattened to"), "{command} {options}: {said}");
        assert!(said.contains("the papers' kernels walk one level of trees"), "{command} {options}: {said}");
        assert!(said.contains(&format!("flattened to {triangles} triangles")), "{command} {options}: {said}");
        if command == "simulate" {
            let said = folder.says(&format!("{command} two.pbrt {options}"));
            assert!(said.contains("3 placements of 2 meshes are flattened to 37 triangles"), "{options}: {said}");
        }
        let said = folder.says(&format!("{command} one.obj {options}"));
        assert!(!said.contains("flattened"), "{command} {options}: {said}");
    }
}
