//! Files made by hand, as text and binary, and a table of broken ones.

use super::*;

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

fn read(bytes: &[u8]) -> Result<(Description, Vec<String>), String> {
    let path = Path::new("part.stl");
    let mut context = Context::new(path, &LoadOptions::default());
    let scene = import_bytes(path, bytes, &mut context).map_err(|error| error.to_string())?;
    assert_eq!(crate::validate(&scene), Ok(()));
    let warnings = context.finish().unwrap().iter().map(ToString::to_string).collect();
    Ok((scene, warnings))
}

#[track_caller]
fn check(bytes: &[u8], names: &[&str], warns: &[&str]) {
    let (scene, warnings) = read(bytes).unwrap();
    assert_eq!(scene.meshes.iter().map(|mesh| mesh.name.as_str()).collect::<Vec<_>>(), names);
    assert_eq!(scene.instances.len(), names.len());
    for mesh in &scene.meshes {
        let corners: Vec<_> = (0..2).map(|i| mesh.triangles.corners(i)).collect();
        assert_eq!((corners.as_slice(), mesh.triangles.positions.len()), (&SQUARE[..], 4));
    }
    assert_eq!(warnings, warns);
}

#[test]
fn text_and_binary_give_the_same_triangles_and_shared_vertices() {
    check(text("a name with blanks", &SQUARE).as_bytes(), &["a name with blanks"], &[]);
    check(text("", &SQUARE).as_bytes(), &["part"], &[]);
    check(&binary("made by a program", &SQUARE), &["part"], &[]);
    // Binary files that begin as text does, of the right size and with more behind.
    check(&binary("solid made by a program", &SQUARE), &["part"], &[]);
    let longer = [&binary("solid made by a program", &SQUARE)[..], b"more"].concat();
    check(&longer, &["part"], &["part.stl: byte 184: 4 bytes behind the 2 triangles are not read"]);
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
    let warning = "part.stl: 2 lines between the facets are not known; left out";
    check(two.replace("endsolid o", "color 1 0 0\ncolor 1\nendsolid o").as_bytes(), &["one", "two"], &[warning]);
    check(format!("# a comment\n{}", text("one", &SQUARE)).as_bytes(), &["one"], &[]);
    let open = text("one", &SQUARE).replace("endsolid one\n", "");
    check(open.as_bytes(), &["one"], &["part.stl:15: the file ends before `endsolid`: it may be cut off"]);
}

#[test]
fn broken_texts_are_refused_with_their_line() {
    let good = text("a", &SQUARE);
    for (from, to, want) in [
        ("vertex 0e0 0 1", "vertex 0e0 0", ":4: a vertex needs three numbers"),
        ("vertex 0e0 0 1", "vertex 0e0 0 1 1", ":4: a vertex has three numbers, not more"),
        ("vertex 0e0 0 1", "vertex zero 0 1", ":4: `zero` is no number"),
        ("vertex 0e0 0 1", "vertex nan 0 1", ":8: a vertex is not finite: [NaN, 0.0, 1.0]"),
        ("vertex 0e0 0 1", "vertex 1e39 0 1", ":8: a vertex is not finite: [inf, 0.0, 1.0]"),
        ("      vertex 0e0 0 1\n", "", ":7: a facet of 2 vertices"),
        ("endloop", "vertex 1 1 1", ":7: a facet of more than three vertices"),
        ("facet normal", "surface normal", ":2: `surface` begins no line of an STL file"),
        ("  facet normal nan -1.#IND 0\n    outer loop\n", "", ":2: a vertex outside of a facet"),
        ("    outer loop", "    facet normal 0 0 1", ":3: `facet` has no place here"),
        ("solid a\n", "solid a\nsolid b\n", ":2: `solid` has no place here"),
        ("  endfacet\n", "", ":8: `facet` has no place here"),
        ("  endfacet\nendsolid a\n", "", ":14: the file ends within a facet: it is cut off"),
    ] {
        assert!(good.contains(from), "{from}");
        let broken = good.replacen(from, to, 1);
        assert_eq!(read(broken.as_bytes()).map(|_| ()), Err(format!("part.stl{want}")), "{from} -> {to}");
    }
    for empty in ["solid\nendsolid\n", "solid"] {
        assert_eq!(read(empty.as_bytes()).map(|_| ()), Err("part.stl: it has no triangles".into()));
    }
}

#[test]
fn broken_binary_files_are_refused_with_their_byte() {
    let good = binary("solid", &SQUARE);
    let with = |at: usize, value: u32| [&good[..at], &value.to_le_bytes(), &good[at + 4..]].concat();
    for (bytes, want) in [
        (vec![], ": 0 bytes are no STL file"),
        (b"<!DOCTYPE html>".to_vec(), ": 15 bytes are no STL file"),
        (good[..183].to_vec(), ": byte 183: the file ends within triangle 1 of 2: it is cut off"),
        (with(80, 3), ": byte 184: the file ends within triangle 2 of 3"),
        (with(80, u32::MAX), ": byte 184: the file ends within triangle 2 of 4294967295"),
        (with(80, 0), ": byte 80: the count of triangles is 0, but 100 bytes follow, which hold 2; the program"),
        (binary("solid", &[]), ": it has no triangles"),
        (
            b"facet normal 0 0 1\nouter loop\n".repeat(9),
            ":1: a text of facets without its first line `solid`; with one",
        ),
        (b"s\0o\0l\0i\0d\0\n\0".to_vec(), ":1: the text is UTF-16 (little endian)"),
        (with(84 + 50 + 12, f32::NAN.to_bits()), ": byte 134: a vertex is not finite: [NaN, -0.0, 1.0]"),
    ] {
        let error = read(&bytes).map(|_| ()).unwrap_err();
        assert!(error.starts_with(&format!("part.stl{want}")), "{error}");
    }
}

#[test]
fn a_file_cut_off_or_with_any_byte_changed_is_read_or_refused() {
    for good in [binary("solid x", &SQUARE), text("x", &SQUARE).into_bytes()] {
        (0..good.len()).for_each(|length| fuzz_stl(&good[..length]));
        for at in 0..good.len() {
            for flip in [0xff, 0x80, 0x20, 0x01] {
                let mut broken = good.clone();
                broken[at] ^= flip;
                fuzz_stl(&broken);
            }
        }
    }
}

#[test]
fn attributes_of_triangles_are_said_for_some_programs_mean_colours() {
    let mut bytes = binary("COLOR=", &SQUARE);
    let last = bytes.len() - 2;
    bytes[last..].copy_from_slice(&[0xff, 0x7f]);
    let warning = "part.stl: 1 triangle has attributes, in some programs colours, which are not read";
    check(&bytes, &["part"], &[warning]);
}

#[test]
fn blender_is_known_by_the_head_and_by_the_name_of_the_solid() {
    let up = |bytes: &[u8]| read(bytes).unwrap().0.settings.likely_up;
    let name = "Exported from Blender-2.82 (sub 7)";
    assert_eq!(up(&binary(name, &SQUARE)), Some([0.0, 0.0, 1.0]));
    assert_eq!(up(text(name, &SQUARE).as_bytes()), Some([0.0, 0.0, 1.0]));
    assert_eq!(up(&binary("", &SQUARE)), None);
}
