//! Each format with what people have under its names.

use super::*;
use crate::import::context::told;
use crate::{LoadOptions, StlFault};

const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1234567\n";
const TEXT: &str = "This file has been removed by its owner. Shape of it: none.\nPlease ask the site to have it put back.\n\
    v\nf\nusem\n";
const OBJ: &str = "# Blender 4.1\nmtllib a.mtl\no Cube\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3\n";
const MTL: &str = "# Blender\n\nnewmtl wood\nKd 1 0 0\n";
const PBRT: &str = "# a scene\nLookAt 0 0 5  0 0 0  0 1 0\nCamera \"perspective\"\nWorldBegin\nShape \"sphere\"\n";
const GLTF: &str = "{\n  \"asset\": {\"version\": \"2.0\"},\n  \"meshes\": []\n}\n";
const JSON: &str = "{\"message\": \"Not Found\", \"documentation_url\": \"https://docs.github.com/rest\"}";
const STL: &str = "solid a\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1 0\n  endloop\n \
    endfacet\nendsolid a\n";
const FACETS: &str = "facet normal 0 0 1\n  outer loop\n";
const PLY: &str = "ply\nformat ascii 1.0\n";
const OFF: &str = "# OFF\nCOFF 3 1 0\n0 0 0\n";
const XML: &str = "<?xml version=\"1.0\"?>\n<Error><Code>NoSuchKey</Code></Error>";
const PROGRAM: &[u8] = b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0";

/// Returns the fault of bytes in a file called `name`, with its position, and the number of warnings.
fn said(bytes: &[u8], name: &str) -> ((Place, FaultKind), usize) {
    let error = crate::load_from(bytes, Path::new(name), &LoadOptions::default()).unwrap_err();
    (fault(error.error), error.warnings.len())
}

/// Returns the fault that an error is, and its position.
fn fault(error: ImportError) -> (Place, FaultKind) {
    let (_, place, kind) = told(error).unwrap();
    (place, kind)
}

/// Returns the advice about a kind of file that is read nowhere.
fn advice(then: Then) -> &'static str {
    match then {
        Then::Placeholder(advice) | Then::Hint(advice) => advice,
        Then::Read(_) | Then::Nothing => panic!("{then:?} advises nothing"),
    }
}

/// Returns `text` padded to more than the head of a binary STL file, as real files are.
fn long(text: &str) -> Vec<u8> {
    format!("{text}{}", "\n".repeat(200)).into_bytes()
}

#[test]
fn what_is_no_scene_is_called_by_its_name_under_every_format() {
    for (extension, format) in Format::EXTENSIONS {
        let path = format!("a.{extension}");
        let wanted = format;
        let check = |bytes: &[u8], place: Place, want: WrongFile| {
            assert_eq!(said(bytes, &path), ((place, want.into()), 0), "{path}");
        };
        let placeholder = |what, advice| WrongFile::PlaceholderOfScene { what, wanted, advice };
        let not_read = |what| WrongFile::NotRead { what, wanted };
        let in_file = |bytes: &[u8], want| check(bytes, Place::File, want);
        let in_line = |bytes: &[u8], want| check(bytes, Place::Line(1), want);
        // What is no scene, with whatever advice.
        let no_scene = |bytes: &[u8], name: &str| match said(bytes, &path) {
            ((Place::File, FaultKind::WrongFile(WrongFile::NoScene { what, wanted, hint })), 0) => {
                assert_eq!((what, wanted), (name, format), "{path}");
                hint
            }
            other => panic!("{path}: {other:?}, not {name}"),
        };
        in_file(b"", WrongFile::Empty { wanted });
        let lfs = placeholder("a Git LFS pointer", advice(kinds::LFS));
        in_line(POINTER, lfs.clone());
        in_line(&[b"\xef\xbb\xbf", POINTER].concat(), lfs);
        for page in [
            "\u{feff}\n<!DOCTYPE HTML>\n<html>",
            "<html lang=\"en\">",
            "<!-- saved -->\n<!-- twice -->\n<!doctype html>",
            "<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC \"\">\n<html>",
            "<HEAD>\n<title>Sign in</title>",
        ] {
            in_line(&long(page), placeholder("a web page", advice(kinds::WEB_PAGE)));
        }
        in_file(b"\x89PNG\r\n\x1a\n and so on", not_read("a PNG image"));
        in_line(&long(TEXT), WrongFile::Text { wanted });
        in_file(&long(XML), not_read("an XML file"));
        no_scene(&long("<COLLADA xmlns=\"\">"), "a COLLADA file");
        for (head, what) in [
            ("#VRML V2.0 utf8", "a VRML file"),
            ("#usda 1.0\n", "a USD file"),
            ("\u{feff}#usda 1.0\n# and no more\n", "a USD file"),
            ("<X3D profile='Immersive'>", "an X3D file"),
            ("<?xml version=\"1.0\"?><COLLADA>", "a COLLADA file"),
        ] {
            no_scene(head.as_bytes(), what);
        }
        in_file(b"#X3D V3.0 utf8\n", not_read("an X3D file"));
        in_file(b"#?RADIANCE\n", not_read("a Radiance image"));
        in_file(PROGRAM, not_read("a program"));
        no_scene(&long(MTL), "an MTL library");
        if format != Format::Gltf {
            in_file(&long(JSON), not_read("a JSON file"));
        }
        for (found, what, text) in [
            (Format::Obj, "an OBJ file", OBJ),
            (Format::Pbrt, "a pbrt file", PBRT),
            (Format::Gltf, "a glTF file", GLTF),
            (Format::Gltf, "a GLB file", "glTF\u{2}\0\0\0"),
            (Format::Stl, "an STL file", STL),
            (Format::Ply, "a PLY file", PLY),
            (Format::Off, "an OFF file", OFF),
            (Format::ThreeMf, "a 3MF file or another ZIP archive", "PK\u{3}\u{4}\u{14}\0"),
        ] {
            if found != format {
                in_file(&long(text), WrongFile::OtherFormat { what, wanted, found });
            }
        }
        if format != Format::Stl {
            let hint = no_scene(&long(FACETS), "a text of STL facets without its first line `solid`");
            assert_eq!(hint, advice(kinds::FACETS), "{path}");
        } else {
            assert_eq!(said(&long(FACETS), &path).0.1, StlFault::NoSolid.into());
        }
        let units: Vec<u8> = "{\n \"asset\": 1}".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let wide: Vec<u8> = "\u{feff}{\n \"asset\": 1}".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
        for (bytes, bits) in [([b"\xff\xfe", &units[..]].concat(), 16), (units, 16), (wide, 32)] {
            assert_eq!(said(&bytes, &path).0, (Place::Line(1), FaultKind::WideText { bits, is_big: false }), "{path}");
        }
        // Any bytes may be binary STL that is cut off.
        if format != Format::Stl {
            in_file(&[1, 0, 7, 0, 0, 0, 9].repeat(40), WrongFile::Binary { wanted });
        }
    }
    let json = WrongFile::NotRead { what: "a JSON file", wanted: Format::Gltf };
    assert_eq!(said(&long(JSON), "a.gltf").0, (Place::File, json.into()));
}

#[test]
fn binary_stl_may_begin_as_it_likes_and_is_known_by_its_length() {
    let mut bytes = b"BLENDER".to_vec();
    bytes.resize(80, b' ');
    bytes.extend(1u32.to_le_bytes());
    bytes.extend([0; 50]);
    assert!(check_scene(Path::new("a.stl"), &bytes, Format::Stl).is_ok());
    let stl = WrongFile::OtherFormat { what: "an STL file", wanted: Format::Obj, found: Format::Stl };
    let error = check_scene(Path::new("a.obj"), &bytes, Format::Obj).unwrap_err();
    assert_eq!(fault(error), (Place::File, stl.into()));
    bytes.pop();
    assert!(check_scene(Path::new("a.stl"), &bytes, Format::Stl).is_err());
    // What is refused elsewhere is not announced here.
    let error = check_scene(Path::new("a.stl"), b"", Format::Stl).unwrap_err();
    assert_eq!(fault(error), (Place::File, WrongFile::Empty { wanted: Format::Stl }.into()));
    // Cut off, with a head that says nothing.
    bytes[..7].fill(b'x');
    assert_eq!(said(&bytes, "a.stl").0.1, StlFault::CutTriangle { triangle: 0, count: 1 }.into());
}

#[test]
fn what_may_be_of_its_format_is_left_to_its_importer() {
    let long_comment = "# made by a program\n".repeat(5000);
    for (format, text) in [
        (Format::Obj, "# nothing but a comment\n".to_string()),
        (Format::Obj, format!("{long_comment}v 0 0 0\n")),
        (Format::Obj, "\u{feff}g a\r\r\rv -1e3 0 0\rf -1 -2 -3\r".into()),
        (Format::Ply, "\u{feff}ply \t\rformat".into()),
        (Format::Obj, "usemtl a\n".into()),
        (Format::Obj, "v\t nan 0 0".into()),
        (Format::Pbrt, "# nothing\n".into()),
        (Format::Pbrt, format!("Ouch\n{PBRT}")),
        (Format::Pbrt, "Film\"rgb\"".into()),
        (Format::Pbrt, "WorldBegin Shape \"disk\"".into()),
        (Format::Pbrt, "Translate[1 2 3]".into()),
        (Format::Gltf, " \n{\"asset\": {}}".into()),
        (Format::Gltf, format!("{{\"nodes\": [{}]}}", "{}, ".repeat(40_000))),
        (Format::Off, "4OFF\n".into()),
        (Format::Off, "# none\n8 6 0\n".into()),
        (Format::Stl, "; a comment\nSOLID x\n".into()),
        (Format::ThreeMf, "PK\u{5}\u{6}".into()),
    ] {
        let checked = check_scene(Path::new("a"), text.as_bytes(), format);
        assert!(checked.is_ok(), "{format}: {text:.40}: {checked:?}");
    }
}

#[test]
fn a_material_library_that_is_none_is_called_by_its_name() {
    let check = |bytes: &[u8], place: Place, want: WrongFile| {
        assert_eq!(fault(check_library(Path::new("a.mtl"), bytes).unwrap_err()), (place, want.into()));
    };
    let is = |bytes: &[u8], what| check(bytes, Place::File, WrongFile::NoLibrary { what });
    check(TEXT.as_bytes(), Place::Line(1), WrongFile::TextNoLibrary);
    is(JSON.as_bytes(), "a JSON file");
    is(OBJ.as_bytes(), "an OBJ file");
    is(PLY.as_bytes(), "a PLY file");
    is(b"\x89PNG\r\n\x1a\n", "a PNG image");
    check(&[0, 1, 2], Place::File, WrongFile::BinaryNoLibrary);
    for sound in ["", "# none\n\n", MTL, "Kd 1 0 0\n", "NEWMTL a", "map_Kd a.png\n"] {
        assert!(check_library(Path::new("a.mtl"), sound.as_bytes()).is_ok(), "{sound}");
    }
}

#[test]
fn what_a_pbrt_scene_includes_may_be_any_part_of_one_but_no_other_file() {
    let check = |text: &str| check_included(Path::new("a"), text.as_bytes()).map_err(fault);
    for (text, what) in [(JSON, "a JSON file"), (PLY, "a PLY file"), (OBJ, "an OBJ file"), (XML, "an XML file")] {
        assert_eq!(check(text), Err((Place::File, WrongFile::NoPartOfPbrt { what }.into())));
    }
    for text in ["", "# none", PBRT, "\"float radius\" [1]", "1 2 3"] {
        assert_eq!(check(text), Ok(()), "{text}");
    }
}

#[test]
fn every_directive_of_the_importer_is_known() {
    let source = include_str!("../pbrt/directive/parse.rs");
    let from = source.find("fn directive(").unwrap();
    let to = source.find("pub fn argument(").unwrap();
    let words = source[from..to].split('"').skip(1).step_by(2);
    let directives: Vec<&str> =
        words.filter(|word| word.starts_with(char::is_uppercase) && word.chars().all(char::is_alphabetic)).collect();
    assert!(directives.len() > 40, "{directives:?}");
    for directive in directives {
        assert!(sniff::DIRECTIVES.contains(&directive), "{directive}");
    }
}

#[test]
fn advice_on_what_blender_no_longer_imports_names_the_blender_that_does() {
    let said = |head: &str| match said(head.as_bytes(), "a.ply").0.1 {
        FaultKind::WrongFile(WrongFile::NoScene { hint, .. }) => hint,
        other => panic!("{other}"),
    };
    assert_eq!(said("<?xml version=\"1.0\"?><COLLADA>"), advice(kinds::COLLADA));
    assert_eq!(said("#VRML V2.0 utf8"), advice(kinds::EXTENSION));
    assert!(advice(kinds::COLLADA).contains("4.5") && advice(kinds::EXTENSION).contains("4.2"));
}
