//! Files made by hand, as text and binary, and a table of broken ones.

use super::*;
use crate::import::context::told;
use crate::import::fuzz;
use crate::{FaultKind, LoadOptions, Warning};

/// Two triangles of a square in z = 1 that share an edge, once with -0 for 0.
const SQUARE: [[[f32; 3]; 3]; 2] =
    [[[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]], [[1.0, -0.0, 1.0], [1.0, 1.0, 1.0], [-0.0, 1.0, 1.0]]];

fn binary(head: &str, triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
    let mut bytes = head.as_bytes().to_vec();
    bytes.resize(80, b' ');
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for triangle in triangles {
        bytes.extend([f32::NAN; 3].iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend(triangle.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend([0, 0]);
    }
    bytes
}

fn text(name: &str, triangles: &[[[f32; 3]; 3]]) -> String {
    let mut text = format!("solid {name}\n");
    for triangle in triangles {
        text += "  facet normal nan -1.#IND 0\n    outer loop\n";
        for [x, y, z] in triangle {
            text += &format!("      vertex {x:e} {y} {z}\n");
        }
        text += "    endloop\n  endfacet\n";
    }
    text + &format!("endsolid {name}\n")
}

fn read(bytes: &[u8]) -> Result<(Description, Vec<Warning>), ImportError> {
    let path = Path::new("part.stl");
    let mut context = Context::new(path, &LoadOptions::default());
    let scene = import_bytes(path, bytes, &mut context)?;
    assert_eq!(crate::validate(&scene), Ok(()));
    Ok((scene, context.finish()?))
}

/// Returns the fault that ends the reading of a file, and its position.
#[track_caller]
fn fault(bytes: &[u8]) -> (Place, FaultKind) {
    let (_, place, kind) = told(read(bytes).unwrap_err()).unwrap();
    (place, kind)
}

#[track_caller]
fn check(bytes: &[u8], names: &[&str], warns: &[(Place, StlWarning)]) {
    let (scene, warnings) = read(bytes).unwrap();
    assert_eq!(scene.meshes.iter().map(|mesh| mesh.name.as_str()).collect::<Vec<_>>(), names);
    assert_eq!(scene.instances.len(), names.len());
    for mesh in &scene.meshes {
        let corners: Vec<_> = (0..2).map(|i| mesh.triangles.corners(i)).collect();
        assert_eq!((corners.as_slice(), mesh.triangles.positions.len()), (&SQUARE[..], 4));
    }
    let said = warnings.into_iter().map(|warning| (warning.place, warning.kind));
    let wanted = warns.iter().map(|(place, warning)| (place.clone(), warning.clone().into()));
    assert!(said.eq(wanted), "{warns:?}");
}

#[test]
fn text_and_binary_give_the_same_triangles_and_shared_vertices() {
    check(text("a name with blanks", &SQUARE).as_bytes(), &["a name with blanks"], &[]);
    check(text("", &SQUARE).as_bytes(), &["part"], &[]);
    check(&binary("made by a program", &SQUARE), &["part"], &[]);
    // Binary files that begin as text does, of the right size and with more behind.
    check(&binary("solid made by a program", &SQUARE), &["part"], &[]);
    let longer = [&binary("solid made by a program", &SQUARE)[..], b"more"].concat();
    check(&longer, &["part"], &[(Place::Offset(184), StlWarning::BytesBehind { count: 4, triangles: 2 })]);
}

#[test]
fn the_solids_of_a_text_are_meshes_and_its_form_is_free() {
    let two = text("one", &SQUARE) + &text("none", &[]) + &text("two", &SQUARE);
    check(two.as_bytes(), &["one", "two"], &[]);
    check(two.replace('\n', "\r\n").to_uppercase().as_bytes(), &["ONE", "TWO"], &[]);
    check(two.replace('\n', "\r").as_bytes(), &["one", "two"], &[]);
    check(format!("\u{feff}\n {two}").as_bytes(), &["one", "two"], &[]);
    // One line, words apart, comments first, a name padded with zeros, lines of colours.
    let line =
        two.replace('\n', " ").replace("endsolid one ", "endsolid one\n").replace("endsolid none ", "endsolid\n");
    check(line.as_bytes(), &["one", "two"], &[]);
    let line = text("one", &SQUARE).replace('\n', " ") + &text("two", &SQUARE).replace('\n', " ");
    check(line.as_bytes(), &["one", "two"], &[]);
    check(two.replace("endloop", "end loop").replace("endfacet", "End Facet").as_bytes(), &["one", "two"], &[]);
    check(format!("; made by hand\n# or not\n{two}").as_bytes(), &["one", "two"], &[]);
    check(two.replace("solid one\n", "solid one\0\0\n").as_bytes(), &["one", "two"], &[]);
    check(text("a facet of", &SQUARE).as_bytes(), &["a facet of"], &[]);
    let unknown = (Place::File, StlWarning::UnknownLines { count: 2 });
    check(two.replace("endsolid o", "color 1 0 0\ncolor 1\nendsolid o").as_bytes(), &["one", "two"], &[unknown]);
    check(format!("# a comment\n{}", text("one", &SQUARE)).as_bytes(), &["one"], &[]);
    let open = text("one", &SQUARE).replace("endsolid one\n", "");
    check(open.as_bytes(), &["one"], &[(Place::Line(15), StlWarning::NoEnd)]);
}

#[test]
fn broken_texts_are_refused_with_their_line() {
    let good = text("a", &SQUARE);
    let misplaced = |word: &str| StlFault::Misplaced { word: word.into() };
    let infinite = StlFault::NotFinite { position: [f32::INFINITY, 0.0, 1.0] };
    for (from, to, line, want) in [
        ("vertex 0e0 0 1", "vertex 0e0 0", 4, StlFault::ShortVertex),
        ("vertex 0e0 0 1", "vertex 0e0 0 1 1", 4, StlFault::LongVertex),
        ("vertex 0e0 0 1", "vertex zero 0 1", 4, StlFault::Number { word: "zero".into() }),
        ("vertex 0e0 0 1", "vertex 1e39 0 1", 8, infinite),
        ("      vertex 0e0 0 1\n", "", 7, StlFault::ShortFacet { vertices: 2 }),
        ("endloop", "vertex 1 1 1", 7, StlFault::LongFacet),
        ("facet normal", "surface normal", 2, StlFault::Keyword { word: "surface".into() }),
        ("  facet normal nan -1.#IND 0\n    outer loop\n", "", 2, StlFault::VertexOutside),
        ("    outer loop", "    facet normal 0 0 1", 3, misplaced("facet")),
        ("solid a\n", "solid a\nsolid b\n", 2, misplaced("solid")),
        ("  endfacet\n", "", 8, misplaced("facet")),
        ("  endfacet\nendsolid a\n", "", 14, StlFault::CutFacet),
    ] {
        assert!(good.contains(from), "{from}");
        let broken = good.replacen(from, to, 1);
        assert_eq!(fault(broken.as_bytes()), (Place::Line(line), want.into()), "{from} -> {to}");
    }
    let (place, odd) = fault(good.replacen("vertex 0e0 0 1", "vertex nan 0 1", 1).as_bytes());
    let FaultKind::Stl(StlFault::NotFinite { position: [x, 0.0, 1.0] }) = odd else { panic!("{odd}") };
    assert!(place == Place::Line(8) && x.is_nan());
    for empty in ["solid\nendsolid\n", "solid"] {
        assert_eq!(fault(empty.as_bytes()), (Place::File, StlFault::NoTriangles.into()));
    }
}

#[test]
fn broken_binary_files_are_refused_with_their_byte() {
    let good = binary("solid", &SQUARE);
    let with = |at: usize, value: u32| [&good[..at], &value.to_le_bytes(), &good[at + 4..]].concat();
    let cut = |count| StlFault::CutTriangle { triangle: 2, count };
    for (bytes, place, want) in [
        (vec![], Place::File, StlFault::ShortFile { bytes: 0 }),
        (b"<!DOCTYPE html>".to_vec(), Place::File, StlFault::ShortFile { bytes: 15 }),
        (good[..183].to_vec(), Place::Offset(183), StlFault::CutTriangle { triangle: 1, count: 2 }),
        (with(80, 3), Place::Offset(184), cut(3)),
        (with(80, u32::MAX), Place::Offset(184), cut(u32::MAX)),
        (with(80, 0), Place::Offset(80), StlFault::NoCount { bytes: 100, triangles: 2 }),
        (binary("solid", &[]), Place::File, StlFault::NoTriangles),
        (b"facet normal 0 0 1\nouter loop\n".repeat(9), Place::Line(1), StlFault::NoSolid),
    ] {
        assert_eq!(fault(&bytes), (place, want.into()));
    }
    let wide = FaultKind::WideText { bits: 16, is_big: false };
    assert_eq!(fault(b"s\0o\0l\0i\0d\0\n\0"), (Place::Line(1), wide));
    let (place, odd) = fault(&with(84 + 50 + 12, f32::NAN.to_bits()));
    let FaultKind::Stl(StlFault::NotFinite { position: [x, 0.0, 1.0] }) = odd else { panic!("{odd}") };
    assert!(place == Place::Offset(134) && x.is_nan());
}

#[test]
fn a_file_cut_off_or_with_any_byte_changed_is_read_or_refused() {
    for good in [binary("solid x", &SQUARE), text("x", &SQUARE).into_bytes()] {
        (0..good.len()).for_each(|length| fuzz::stl(&good[..length]));
        for at in 0..good.len() {
            for flip in [0xff, 0x80, 0x20, 0x01] {
                let mut broken = good.clone();
                broken[at] ^= flip;
                fuzz::stl(&broken);
            }
        }
    }
}

#[test]
fn attributes_of_triangles_are_said_for_some_programs_mean_colours() {
    let mut bytes = binary("COLOR=", &SQUARE);
    let last = bytes.len() - 2;
    bytes[last..].copy_from_slice(&[0xff, 0x7f]);
    check(&bytes, &["part"], &[(Place::File, StlWarning::Attributes { triangles: 1 })]);
}

#[test]
fn blender_is_known_by_the_head_and_by_the_name_of_the_solid() {
    let up = |bytes: &[u8]| read(bytes).unwrap().0.settings.likely_up;
    let name = "Exported from Blender-2.82 (sub 7)";
    assert_eq!(up(&binary(name, &SQUARE)), Some([0.0, 0.0, 1.0]));
    assert_eq!(up(text(name, &SQUARE).as_bytes()), Some([0.0, 0.0, 1.0]));
    assert_eq!(up(&binary("", &SQUARE)), None);
}
