//! Files made by hand, and a table of broken ones.

use super::*;
use crate::import::context::told;
use crate::import::fuzz;
use crate::{FaultKind, LoadOptions, Warning, WarningKind};

fn read(text: &str) -> Result<(Description, Vec<Warning>), ImportError> {
    let path = Path::new("part.off");
    let mut context = Context::new(path, &LoadOptions::default());
    let scene = import_bytes(path, text.as_bytes(), &mut context)?;
    assert_eq!(crate::validate(&scene), Ok(()));
    Ok((scene, context.finish()?))
}

/// Loads an OFF file and checks its triangles and warnings.
#[track_caller]
fn check(text: &str, indices: &[[u32; 3]], warns: &[WarningKind]) -> Description {
    let (scene, warnings) = read(text).unwrap();
    assert_eq!((scene.meshes.len(), scene.instances.len(), scene.meshes[0].name.as_str()), (1, 1, "part"));
    assert_eq!(scene.meshes[0].triangles.indices, indices, "{text}");
    assert!(warnings.iter().all(|warning| warning.place == Place::File), "{warnings:?}");
    assert_eq!(warnings.into_iter().map(|warning| warning.kind).collect::<Vec<_>>(), warns);
    scene
}

/// Returns the reflectance of a triangle's material; `None` if it is that of the vertex colours.
fn reflectance(scene: &Description, triangle: usize) -> Option<[f32; 3]> {
    let Surface::Diffuse { reflectance } = &scene.materials[scene.material_of(0, triangle).index()].surface else {
        panic!("not diffuse");
    };
    reflectance.texture.is_none().then_some(reflectance.factor)
}

const SQUARE: &str = "OFF # a square\n\n4 2 0\n0 0 1\n1 0 1 # behind a vertex\n\n0 1 1\n1 1 1\n3 0 1 2\n3 1 3 2\n";
const BOTH: [[u32; 3]; 2] = [[0, 1, 2], [1, 3, 2]];

#[test]
fn vertices_and_faces_are_read_in_every_usual_form() {
    let scene = check(SQUARE, &BOTH, &[]);
    assert_eq!(scene.meshes[0].triangles.positions[3], [1.0, 1.0, 1.0]);
    assert_eq!(reflectance(&scene, 0), Some([0.7; 3]));
    check(&SQUARE.replace('\n', "\r\n"), &BOTH, &[]);
    check(&SQUARE.replace('\n', "\r"), &BOTH, &[]);
    check(&SQUARE.replace("OFF", "off"), &BOTH, &[]);
    // As ModelNet40 has it.
    check(&SQUARE.replace("OFF # a square\n\n4 2 0", "OFF4 2 0"), &BOTH, &[]);
    check(&SQUARE.replace("OFF # a square\n\n4 2 0", "OFF 4 2 0"), &BOTH, &[]);
    check(&SQUARE.replace("OFF # a square\n\n4 2 0", "\u{feff}4 2"), &BOTH, &[]);
    check(&SQUARE.replace("0 1 1\n", "0\n1 1\n").replace("3 0 1 2", "3 0\n1 2"), &BOTH, &[]);
    // Convex, not convex, and too small.
    check(
        &SQUARE.replace("3 0 1 2\n3 1 3 2", "4 0 1 3 2\n2 0 1"),
        &[[0, 1, 3], [0, 3, 2]],
        &[OffWarning::SmallFaces { count: 1 }.into()],
    );
    check(
        &SQUARE.replace("4 2 0", "5 2 0").replace("1 1 1\n", "1 1 1\nnan 0 1e39\n"),
        &BOTH,
        &[WarningKind::StrayVertices { count: 1 }],
    );
    let arrow = "OFF\n4 1 4\n2 1 0\n0 2 0\n1 1 0\n0 0 0\n4 0 1 2 3\n";
    check(arrow, &[[0, 1, 2], [0, 2, 3]], &[]);
    check(&arrow.replace("4 0 1 2 3", "4 1 2 3 0"), &[[0, 1, 2], [2, 3, 0]], &[]);
}

#[test]
fn colours_of_faces_become_materials() {
    let linear = |c: f32| linear_from_srgb(c);
    let faces = |first: &str, second: &str| SQUARE.replace("3 0 1 2", first).replace("3 1 3 2", second);
    let clear = OffWarning::ClearColors { count: 1 }.into();
    let scene = check(&faces("3 0 1 2 255 0 51", "3 1 3 2 0 0 0 128"), &BOTH, &[clear]);
    assert_eq!((reflectance(&scene, 0), reflectance(&scene, 1)), (Some([1.0, 0.0, linear(0.2)]), Some([0.0; 3])));
    let scene = check(&faces("3 0 1 2 1.0 0.5 0", "3 1 3 2"), &BOTH, &[]);
    assert_eq!((reflectance(&scene, 0), reflectance(&scene, 1)), (Some([1.0, linear(0.5), 0.0]), Some([0.7; 3])));
    // A little more than 1 makes nothing a byte.
    let bright = OffWarning::BrightColors { count: 1 }.into();
    let scene = check(&faces("3 0 1 2 1.01 0.5 0", "3 1 3 2"), &BOTH, &[bright]);
    assert_eq!(reflectance(&scene, 0), Some([1.0, linear(0.5), 0.0]));
    let warning = OffWarning::IndexedFaces { count: 2 }.into();
    let scene = check(&faces("3 0 1 2 7", "3 1 3 2 1"), &BOTH, &[warning]);
    assert_eq!(scene.materials.len(), 1);
}

#[test]
fn colours_normals_and_texture_coordinates_of_vertices_are_read() {
    let vertices = |word: &str, more: &str| {
        let text = format!("{word}\n4 2 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n3 0 1 2\n3 1 3 2\n");
        text.replace("0 1\n", &format!("0 1 {more}\n")).replace("1 1\n", &format!("1 1 {more}\n"))
    };
    let mesh = |text: &str| check(text, &BOTH, &[]).meshes.remove(0).triangles;
    for (more, alpha) in [("255 0 51", 1.0), ("255 0 51 127.5", 0.5), ("1 0 0.2", 1.0), ("1.0 0 0.2 0.5", 0.5)] {
        let warnings = [OffWarning::ClearColors { count: 4 }.into()];
        let text = vertices("COFF", more);
        let scene = check(&text, &BOTH, &warnings[..usize::from(alpha < 1.0)]);
        let [r, g, b, a] = scene.meshes[0].triangles.colors[3];
        assert!(r == 1.0 && g == 0.0 && (b - linear_from_srgb(0.2)).abs() < 1e-6 && (a - alpha).abs() < 1e-6, "{more}");
    }
    assert_eq!(mesh(&vertices("NOFF", "0 0 2")).normals, [[0.0, 0.0, 2.0]; 4]);
    let all = mesh(&vertices("STCNOFF", "0 0 2 0 1 0 1 0.25 0.75"));
    assert_eq!((all.normals[2], all.colors[1], all.uvs[0]), ([0.0, 0.0, 2.0], [0.0, 1.0, 0.0, 1.0], [0.25, 0.25]));
    let all = mesh(&vertices("STCOFF", "0 1 0 0.25 0.75"));
    assert_eq!((all.colors[1], all.uvs[0]), ([0.0, 1.0, 0.0, 1.0], [0.25, 0.25]));
    // A face's own colour comes before those of its corners.
    let scene = check(&vertices("COFF", "0 1 0").replace("3 1 3 2", "3 1 3 2 255 255 255"), &BOTH, &[]);
    assert_eq!((reflectance(&scene, 0), reflectance(&scene, 1)), (None, Some([1.0; 3])));
    check(&vertices("OFF", "0 0 2"), &BOTH, &[OffWarning::SurplusNumbers { vertices: 4 }.into()]);
}

#[test]
fn broken_files_are_refused_with_their_line() {
    let kind = |what: &str| OffFault::Kind { what: what.into() };
    let count = |word: &str, of| OffFault::Count { word: word.into(), of };
    let not_finite = |word: &str| OffFault::NotFinite { word: word.into() };
    let vertex = |word: &str| OffFault::Vertex { word: word.into(), vertices: 4 };
    for (from, to, line, want) in [
        (SQUARE, "", 1, OffFault::FirstWord),
        ("OFF", "ply", 1, OffFault::FirstWord),
        ("OFF", "4OFF", 1, kind("4OFF")),
        ("OFF", "OFFx4", 1, OffFault::FirstWord),
        ("OFF", "nOFF", 1, kind("nOFF")),
        ("OFF", "OFF BINARY", 1, kind("the binary form")),
        ("4 2 0", "-4 2 0", 3, count("-4", "vertices")),
        ("4 2 0", "4 two 0", 3, count("two", "faces")),
        ("4 2 0", "4294967295 2 0", 3, count("4294967295", "vertices")),
        ("4 2 0", "4000000000 2 0", 3, OffFault::CannotHold { count: 4_000_000_000, of: "vertices", left: 59 }),
        ("4 2 0", "4 4000000000 0", 3, OffFault::CannotHold { count: 4_000_000_000, of: "faces", left: 59 }),
        ("4 2 0", "5 2 0", 10, OffFault::CutData),
        ("4 2 0", "4 3 0", 10, OffFault::CutData),
        ("0 1 1\n", "0 nan 1\n", 7, not_finite("nan")),
        ("0 1 1\n", "0 1e39 1\n", 7, not_finite("1e39")),
        ("0 1 1\n", "0 one 1\n", 7, OffFault::Number { word: "one".into() }),
        ("3 1 3 2", "3 1 4 2", 10, vertex("4")),
        ("3 1 3 2", "3 1 -1 2", 10, vertex("-1")),
        ("3 1 3 2", "3 1 1.5 2", 10, vertex("1.5")),
        ("3 1 3 2", "3 1 3", 10, OffFault::CutFace),
        ("3 1 3 2", "-3 1 3 2", 10, OffFault::CornerCount { word: "-3".into() }),
        ("3 1 3 2", "99999999999 1 3 2", 10, OffFault::LongFace { corners: 99_999_999_999 }),
        ("3 1 3 2", "3 1 3 2 1 1", 10, OffFault::Color),
        ("3 1 3 2", "3 1 3 2 1 1 inf", 10, not_finite("inf")),
    ] {
        assert!(SQUARE.contains(from), "{from}");
        let (place, found) = fault(&SQUARE.replacen(from, to, 1));
        assert_eq!((place, found), (Place::Line(line), want.into()), "{from} -> {to}");
    }
    let wide = FaultKind::WideText { bits: 16, is_big: false };
    assert_eq!(fault("O\0F\0F\0"), (Place::Line(1), wide));
    assert_eq!(fault(&SQUARE.replacen("4 2 0", "4 0 0", 1)), (Place::File, OffFault::NoFaces.into()));
}

/// Returns the fault that ends the reading of a file, and its position.
#[track_caller]
fn fault(text: &str) -> (Place, FaultKind) {
    let (_, place, kind) = told(read(text).unwrap_err()).unwrap();
    (place, kind)
}

#[test]
fn a_file_cut_off_or_with_any_byte_changed_is_read_or_refused() {
    let colored = "STCNOFF\n4 2 0\n".to_string()
        + &(0..4).map(|i| format!("{i} {} 1 0 0 1 255 0 {i} 9 0.5 0.25\n", i * i)).collect::<String>()
        + "3 0 1 2 255 0 0\n4 0 1 3 2 9\n";
    for good in [SQUARE, &colored] {
        fuzz::off(good.as_bytes());
        (0..good.len()).for_each(|length| fuzz::off(&good.as_bytes()[..length]));
        for at in 0..good.len() {
            for flip in [0xff, 0x80, 0x10, 0x08, 0x01] {
                let mut broken = good.as_bytes().to_vec();
                broken[at] ^= flip;
                fuzz::off(&broken);
            }
        }
    }
}

#[test]
fn lines_behind_the_last_face_are_said() {
    let warning = OffWarning::LinesBehind { count: 2 }.into();
    check(&format!("{SQUARE}\n3 0 1 2 # no third face is announced\n# none\nmore\n"), &BOTH, &[warning]);
}
