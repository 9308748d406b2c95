//! `trace` with the ray files that people have, and the hit files that they ask for.

use crate::common_folder::Folder;
use crate::common_rays::{npy, npy_f64};

/// A square in z = 1: two triangles.
const SQUARE: &str = "v 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\nf 1 2 3\nf 2 4 3\n";
const INF: f32 = f32::INFINITY;
/// Onto both triangles, past them, and one that is none.
const RAYS: [[f32; 8]; 4] = [
    [0.25, 0.5, 3.0, 0.0, 0.0, 0.0, -1.0, INF],
    [0.75, 0.75, 0.0, 0.0, 0.0, 0.0, 0.5, INF],
    [2.0, 0.0, 3.0, 0.0, 0.0, 0.0, -1.0, INF],
    [0.25, 0.25, 3.0, 0.0, 0.0, 0.0, f32::NAN, INF],
];

/// A folder with the square.
fn folder() -> Folder {
    Folder::with_files([("a.obj", SQUARE)])
}

/// The rays as float64 of six columns, without the ends.
fn six_columns() -> Vec<u8> {
    npy_f64(&RAYS.map(|ray| [0, 1, 2, 4, 5, 6].map(|column| f64::from(ray[column]))))
}

#[test]
fn float64_rays_of_six_columns_find_the_same_and_a_line_says_what_was_taken() {
    let folder = folder();
    folder.file("eight.npy", npy(&RAYS));
    folder.file("six.npy", six_columns());
    assert_eq!(folder.says("trace a.obj eight.npy -o eight-hits.npy"), "");
    let said = folder.says("trace a.obj six.npy -o six-hits.npy");
    assert!(said.starts_with("raywarp: six.npy: float64 (4, 6): ") && said.lines().count() == 1, "{said}");
    assert_eq!(folder.read("six-hits.npy"), folder.read("eight-hits.npy"));
    assert_eq!(folder.says("trace a.obj six.npy -o six-hits.npy -q"), "");
}

#[test]
fn hits_are_text_by_the_files_name_with_what_was_asked_for() {
    let folder = folder();
    folder.file("rays.npy", six_columns());
    folder.says("trace a.obj rays.npy -o hits.csv");
    let text = "t,u,v,primitive,instance\n2.0,0.25,0.5,0,0\n2.0,0.5,0.25,1,0\ninf,0.0,0.0,-1,-1\ninf,0.0,0.0,-1,-1\n";
    assert_eq!(folder.text("hits.csv"), text);
    folder.says("trace a.obj rays.npy -o HITS.CSV --with normal,position");
    let text = folder.text("HITS.CSV");
    let lines: Vec<&str> = text.lines().collect();
    let names = ",normal_x,normal_y,normal_z,position_x,position_y,position_z";
    assert_eq!(lines[0], format!("t,u,v,primitive,instance{names}"));
    assert_eq!(lines[1], "2.0,0.25,0.5,0,0,0.0,0.0,1.0,0.25,0.5,1.0");
    assert_eq!(lines[4], "inf,0.0,0.0,-1,-1,NaN,NaN,NaN,NaN,NaN,NaN");
    folder.says("trace a.obj rays.npy -o any.csv --any");
    assert_eq!(folder.read("any.csv"), b"blocked\n1\n1\n0\n0\n");
}

#[test]
fn fields_become_columns_of_the_array() {
    let folder = folder();
    folder.file("rays.npy", npy(&RAYS));
    folder.says("trace a.obj rays.npy -o hits.npy --with position --with normal");
    let file = folder.read("hits.npy");
    let header = String::from_utf8_lossy(&file[10..256]).into_owned();
    let names = "('instance', '<u4'), ('position', '<f4', (3,)), ('normal', '<f4', (3,))]";
    assert!(header.contains(names) && header.contains("'shape': (4,)"), "{header}");
    let records = &file[file.len() - 4 * 44..];
    let floats = |record: usize| -> Vec<f32> {
        records[record * 44 + 20..][..24].as_chunks().0.iter().map(|word| f32::from_le_bytes(*word)).collect()
    };
    assert_eq!(floats(1), [0.75, 0.75, 1.0, 0.0, 0.0, 1.0]);
    assert!(floats(2).iter().all(|value| value.is_nan()));
}

#[test]
fn fields_that_are_not_known_or_not_there_are_refused() {
    let folder = folder();
    folder.file("rays.npy", npy(&RAYS));
    folder.refuses("trace a.obj rays.npy -o hits.npy --with colour", 2, &["colour", "position", "normal"]);
    folder.refuses("trace a.obj rays.npy -o hits.npy --with normal --any", 2, &["--with", "--any"]);
}
