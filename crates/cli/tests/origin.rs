//! Scenes far from zero: what is given and what is reported is in the coordinates of their files.

use crate::common_folder::{Folder, document, text};
use crate::common_rays::{array, npy_f64};

/// A square of 8 x 8 cells, 0.1 wide, at (512345, 5412345, 100).
fn survey() -> String {
    let mut text = String::new();
    for i in 0..81 {
        text +=
            &format!("v {:.4} {:.4} 100\n", 512_345.0 + f64::from(i % 9) * 0.1, 5_412_345.0 + f64::from(i / 9) * 0.1);
    }
    for y in 0..8 {
        for x in 0..8 {
            let a = 9 * y + x + 1;
            text += &format!("f {} {} {}\nf {} {} {}\n", a, a + 1, a + 9, a + 1, a + 10, a + 9);
        }
    }
    text
}

/// Rays straight down, as float64.
fn rays(places: &[[f64; 2]]) -> Vec<u8> {
    npy_f64(&down(places))
}

fn down(places: &[[f64; 2]]) -> Vec<[f64; 6]> {
    places.iter().map(|&[x, y]| [x, y, 200.0, 0.0, 0.0, -1.0]).collect()
}

/// The same as float32.
fn coarse_rays(places: &[[f64; 2]]) -> Vec<u8> {
    let values = down(places).into_iter().flatten().flat_map(|value| (value as f32).to_le_bytes());
    array("<f4", [places.len(), 6], values)
}

#[test]
fn rays_and_hits_are_in_the_coordinates_of_the_file() {
    let folder = Folder::new();
    folder.file("survey.obj", survey());
    // Into both triangles of some cells.
    let cells = [(0, 0), (7, 7), (3, 5), (6, 1)];
    let at = |(x, y): (i32, i32), d: f64| [512_345.0 + f64::from(x) * 0.1 + d, 5_412_345.0 + f64::from(y) * 0.1 + d];
    let places: Vec<[f64; 2]> = cells.iter().flat_map(|&cell| [at(cell, 0.03), at(cell, 0.07)]).collect();
    folder.file("rays.npy", rays(&places));
    let output = folder.run("trace survey.obj rays.npy -o hits.csv --with position --json");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let document = document(&output);
    assert_eq!(document["origin"], serde_json::json!([512_345.0, 5_412_346.0, 100.0]), "{document:#}");
    assert_eq!(document["warnings"], serde_json::json!([]));
    let table = text(&folder.read("hits.csv"));
    for ((line, place), i) in table.lines().skip(1).zip(&places).zip(0..) {
        let numbers: Vec<f64> = line.split(',').map(|word| word.parse().unwrap()).collect();
        let (x, y) = cells[i / 2];
        assert_eq!(numbers[3], f64::from(2 * (8 * y + x)) + (i % 2) as f64, "{line}");
        assert!((numbers[5] - place[0]).abs() < 1e-5 && (numbers[6] - place[1]).abs() < 1e-5, "{line}");
    }
    let info = text(&folder.run("info survey.obj").stdout);
    assert!(info.contains("origin              512345 5412346 100"), "{info}");
    assert!(info.contains("bounds              512345 5412345 100 .. 512345.8"), "{info}");
}

#[test]
fn rays_are_said_to_be_moved_or_to_be_too_coarse() {
    let folder = Folder::new();
    folder.file("survey.obj", survey());
    folder.file("near.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let said = |scene: &str, place, kind| {
        folder.file("rays.npy", if kind == "<f8" { rays(&[place]) } else { coarse_rays(&[place]) });
        let output = folder.run(&format!("trace {scene} rays.npy -o hits.npy"));
        assert!(output.status.success());
        text(&output.stderr)
    };
    let survey = [512_345.03, 5_412_345.03];
    // Three numbers of the origin, and the coordinate that is rounded: `OriginNote` has them by value.
    let origin = " 512345 5412346 100";
    let is_note = |line: &str, numbers: &[&str]| {
        line.contains("rays.npy: ") && line.contains(origin) && numbers.iter().all(|number| line.contains(number))
    };
    let lines = said("survey.obj", survey, "<f8");
    assert!(lines.lines().any(|line| is_note(line, &[]) && !line.contains(" 0.25 ")), "{lines}");
    let lines = said("survey.obj", survey, "<f4");
    assert!(lines.lines().any(|line| is_note(line, &[" 5412345 ", " 0.25 "])), "{lines}");
    let json = folder.run("trace survey.obj rays.npy -o hits.npy --json");
    let document = document(&json);
    let notes = document["notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| is_note(note.as_str().unwrap(), &[" 5412345 ", " 0.25 "])), "{document}");
    // From zero into the survey: what is left of a ray's origin is as large as what was subtracted.
    let lines = said("survey.obj", [0.2, 0.2], "<f8");
    assert!(lines.lines().any(|line| is_note(line, &[" 5412346 ", " 0.25 "])), "{lines}");
    for (place, kind) in [(survey, "<f8"), (survey, "<f4"), ([0.2, 0.2], "<f4"), ([0.2, 0.2], "<f8")] {
        let lines = said("near.obj", place, kind);
        assert!(!lines.lines().any(|line| line.contains(origin)) && !lines.contains(" 0.25 "), "{lines}");
    }
}

#[test]
fn a_file_of_float32_that_lost_its_triangles_says_so() {
    let folder = Folder::new();
    // Cells of 1 cm; float32 has steps of 0.03 and 0.5.
    let mut file = b"ply\nformat binary_little_endian 1.0\nelement vertex 81\nproperty float x\nproperty float y\n\
        property float z\nelement face 128\nproperty list uchar int vertex_indices\nend_header\n"
        .to_vec();
    for i in 0..81 {
        let [x, y] = [i % 9, i / 9].map(|step| f64::from(step) * 0.01);
        [512_345.0 + x, 5_412_345.23 + y, 100.0].iter().for_each(|v| file.extend((*v as f32).to_le_bytes()));
    }
    for a in (0..8).flat_map(|y| (0..8).map(move |x| 9 * y + x)) {
        for corners in [[a, a + 1, a + 9], [a + 1, a + 10, a + 9]] {
            file.push(3);
            corners.iter().for_each(|i: &i32| file.extend(i.to_le_bytes()));
        }
    }
    folder.file("lost.ply", file);
    let output = folder.run("info lost.ply");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stderr);
    assert!(said.contains(" of 128 ") && said.contains(" 0.5 "), "{said}");
}

#[test]
fn materials_are_not_needed_where_only_triangles_are_asked_for() {
    let folder = Folder::new();
    folder.file("a.obj", "mtllib a.mtl\nmtllib none.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n");
    folder.file("a.mtl", "newmtl m\nmap_Kd broken.png\n");
    folder.file("broken.png", "no picture");
    folder.file("rays.npy", rays(&[[0.25, 0.25]]));
    for line in ["info a.obj", "trace a.obj rays.npy -o hits.npy"] {
        let output = folder.run(line);
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        let said = text(&output.stderr);
        assert!(said.contains("warning: ") && said.contains("none.mtl"), "{line}: {said}");
        assert!(said.contains("broken.png"), "{line}: {said}");
    }
    assert_eq!(folder.run("render a.obj --size 8x8 --spp 1 -o a.png").status.code(), Some(3));
}

#[test]
fn triangles_of_which_none_has_an_area_are_an_error() {
    let folder = Folder::new();
    folder.file("a.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
    folder.file("rays.npy", rays(&[[0.25, 0.25]]));
    for line in ["info a.obj", "trace a.obj rays.npy -o hits.npy", "render a.obj -o a.png"] {
        let output = folder.run(line);
        assert_eq!(output.status.code(), Some(3), "{line}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains("raywarp: a.obj: "), "{}", text(&output.stderr));
    }
}

#[test]
fn an_instance_of_an_obj_file_is_a_material_however_many_objects_it_has() {
    let folder = Folder::new();
    folder.file("rays.npy", rays(&[[0.25, 0.25], [10.25, 0.25], [390.25, 0.25], [0.25, 5.25]]));
    for objects in [40, 4200] {
        let mut text = String::new();
        for i in 0..objects {
            let x = 10 * i;
            text += &format!("o object{i}\nv {x} 0 0\nv {} 0 0\nv {x} 1 0\nf -3 -2 -1\n", x + 1);
        }
        text += "usemtl second\nv 0 5 0\nv 1 5 0\nv 0 6 0\nf -3 -2 -1\n";
        folder.file("a.obj", text);
        assert!(folder.run("trace a.obj rays.npy -o hits.csv").status.success());
        let table = self::text(&folder.read("hits.csv"));
        let ids: Vec<&str> = table.lines().skip(1).map(|line| line.splitn(4, ',').nth(3).unwrap()).collect();
        assert_eq!(ids, ["0,0", "1,0", "39,0", "0,1"], "{objects}");
    }
}
