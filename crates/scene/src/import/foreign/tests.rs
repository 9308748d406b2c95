//! Each format with what people have under its names.

use super::*;
use crate::LoadOptions;

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

/// Returns the message about bytes in a file called `name`, and the number of warnings.
fn said(bytes: &[u8], name: &str) -> (String, usize) {
    let error = crate::load_from(bytes, Path::new(name), &LoadOptions::default()).unwrap_err();
    (error.error.to_string(), error.warnings.len())
}

/// Returns `text` padded to more than the head of a binary STL file, as real files are.
fn long(text: &str) -> Vec<u8> {
    format!("{text}{}", "\n".repeat(200)).into_bytes()
}

#[test]
fn what_is_no_scene_is_called_by_its_name_under_every_format() {
    for (extension, format) in Format::EXTENSIONS {
        let path = format!("a.{extension}");
        let (name, rule) = rule(format);
        let check = |bytes: &[u8], want: &str| {
            let (error, warnings) = said(bytes, &path);
            assert!(error.starts_with(&format!("{path}{want}")), "{error}, not {want}");
            assert!(error.contains(rule), "{error}");
            assert_eq!(warnings, 0, "{path}: {error}");
        };
        check(b"", ": the file is empty; ");
        check(POINTER, ":1: this is a Git LFS pointer, not a mesh (");
        check(&[b"\xef\xbb\xbf", POINTER].concat(), ":1: this is a Git LFS pointer, not a mesh (");
        for page in [
            "\u{feff}\n<!DOCTYPE HTML>\n<html>",
            "<html lang=\"en\">",
            "<!-- saved -->\n<!-- twice -->\n<!doctype html>",
            "<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC \"\">\n<html>",
            "<HEAD>\n<title>Sign in</title>",
        ] {
            check(&long(page), ":1: this is a web page, not a mesh (");
        }
        check(b"\x89PNG\r\n\x1a\n and so on", ": this is a PNG image, which is not read (");
        check(&long(TEXT), &format!(":1: this is text, but no {name} ("));
        check(&long(XML), ": this is an XML file, which is not read (");
        check(&long("<COLLADA xmlns=\"\">"), ": this is a COLLADA file, not a scene (");
        for (head, what) in [
            ("#VRML V2.0 utf8", "a VRML file, not a scene"),
            ("#usda 1.0\n", "a USD file, not a scene"),
            ("\u{feff}#usda 1.0\n# and no more\n", "a USD file, not a scene"),
            ("#X3D V3.0 utf8\n", "an X3D file, which is not read"),
            ("<X3D profile='Immersive'>", "an X3D file, not a scene"),
            ("<?xml version=\"1.0\"?><COLLADA>", "a COLLADA file, not a scene"),
            ("#?RADIANCE\n", "a Radiance image, which is not read"),
        ] {
            check(head.as_bytes(), &format!(": this is {what} ("));
        }
        check(PROGRAM, ": this is a program, which is not read (");
        check(&long(MTL), ": this is an MTL library, not a scene (");
        if format != Format::Gltf {
            check(&long(JSON), ": this is a JSON file, which is not read (");
        }
        for (other, what, text) in [
            (Format::Obj, "an OBJ file", OBJ),
            (Format::Pbrt, "a pbrt file", PBRT),
            (Format::Gltf, "a glTF file", GLTF),
            (Format::Gltf, "a GLB file", "glTF\u{2}\0\0\0"),
            (Format::Stl, "an STL file", STL),
            (Format::Ply, "a PLY file", PLY),
            (Format::Off, "an OFF file", OFF),
            (Format::ThreeMf, "a 3MF file or another ZIP archive", "PK\u{3}\u{4}\u{14}\0"),
        ] {
            if other != format {
                check(&long(text), &format!(": this is {what} ("));
                assert!(
                    said(&long(text), &path).0.ends_with(&format!("; `LoadOptions::format` {other} reads it")),
                    "{path}"
                );
            }
        }
        if format != Format::Stl {
            check(&long(FACETS), ": this is a text of STL facets without its first line `solid`, not a scene (");
            assert!(said(&long(FACETS), &path).0.ends_with("; with one it is an STL file"), "{path}");
        } else {
            let (error, _) = said(&long(FACETS), &path);
            assert!(error.contains("without its first line `solid`"), "{error}");
        }
        let units: Vec<u8> = "{\n \"asset\": 1}".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let wide: Vec<u8> = "\u{feff}{\n \"asset\": 1}".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
        for (bytes, name) in [([b"\xff\xfe", &units[..]].concat(), "16"), (units, "16"), (wide, "32")] {
            let (error, _) = said(&bytes, &path);
            assert!(error.starts_with(&format!("{path}:1: the text is UTF-{name} (little endian)")), "{error}");
        }
        // Any bytes may be binary STL that is cut off.
        if format != Format::Stl {
            check(&[1, 0, 7, 0, 0, 0, 9].repeat(40), &format!(": this is binary data, but no {name} ("));
        }
    }
    let (error, _) = said(&long(JSON), "a.gltf");
    assert!(
        error.starts_with("a.gltf: this is a JSON file, which is not read (a glTF file is JSON with an `asset`"),
        "{error}"
    );
}

#[test]
fn binary_stl_may_begin_as_it_likes_and_is_known_by_its_length() {
    let mut bytes = b"BLENDER".to_vec();
    bytes.resize(80, b' ');
    bytes.extend(1u32.to_le_bytes());
    bytes.extend([0; 50]);
    assert!(check_scene(Path::new("a.stl"), &bytes, Format::Stl).is_ok());
    let error = check_scene(Path::new("a.obj"), &bytes, Format::Obj).unwrap_err().to_string();
    assert!(error.starts_with("a.obj: this is an STL file ("), "{error}");
    bytes.pop();
    assert!(check_scene(Path::new("a.stl"), &bytes, Format::Stl).is_err());
    // What is refused elsewhere is not announced here.
    let error = check_scene(Path::new("a.stl"), b"", Format::Stl).unwrap_err().to_string();
    let rule = "an STL file is text that begins with `solid`, or binary with a head of 84 bytes";
    assert_eq!(error, format!("a.stl: the file is empty; {rule}"));
    // Cut off, with a head that says nothing.
    bytes[..7].fill(b'x');
    let (error, _) = said(&bytes, "a.stl");
    assert!(error.contains("the file ends within triangle 0 of 1: it is cut off"), "{error}");
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
    let check = |bytes: &[u8], want: &str| {
        let error = check_library(Path::new("a.mtl"), bytes).unwrap_err().to_string();
        assert!(error.starts_with(&format!("a.mtl{want}")), "{error}");
    };
    check(TEXT.as_bytes(), ":1: this is text, but no material library (");
    check(JSON.as_bytes(), ": this is a JSON file, not a material library (");
    check(OBJ.as_bytes(), ": this is an OBJ file, not a material library (");
    check(PLY.as_bytes(), ": this is a PLY file, not a material library (");
    check(b"\x89PNG\r\n\x1a\n", ": this is a PNG image, not a material library (");
    check(&[0, 1, 2], ": this is binary data, but no material library (");
    for sound in ["", "# none\n\n", MTL, "Kd 1 0 0\n", "NEWMTL a", "map_Kd a.png\n"] {
        assert!(check_library(Path::new("a.mtl"), sound.as_bytes()).is_ok(), "{sound}");
    }
}

#[test]
fn what_a_pbrt_scene_includes_may_be_any_part_of_one_but_no_other_file() {
    let check = |text: &str| check_included(Path::new("a"), text.as_bytes()).map_err(|error| error.to_string());
    for (text, what) in [(JSON, "a JSON file"), (PLY, "a PLY file"), (OBJ, "an OBJ file"), (XML, "an XML file")] {
        assert_eq!(check(text), Err(format!("a: this is {what}, not a part of a pbrt scene")));
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
    let advice = |head: &str| said(head.as_bytes(), "a.ply").0;
    let collada = advice("<?xml version=\"1.0\"?><COLLADA>");
    assert!(collada.contains("Blender 4.5 and older import it"), "{collada}");
    let vrml = advice("#VRML V2.0 utf8");
    assert!(vrml.contains("with an extension, or without before 4.2"), "{vrml}");
}
