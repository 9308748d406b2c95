//! Files that are not what their names say: a pointer of Git LFS, a web page, a file of another kind, or nothing at all.
//!
//! Without a look at them first, they would be refused for what they lack, such as the 845,429,046th triangle.

use super::{Format, stl, text};
use crate::{Place, SceneError};
use std::path::Path;

/// What stands in place of a file of any kind, and what to do.
pub(super) fn stand_in(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    let start = text::without_mark(&bytes[..bytes.len().min(1024)]).trim_ascii_start();
    let begins = |word: &str| start.get(..word.len()).is_some_and(|s| s.eq_ignore_ascii_case(word.as_bytes()));
    if begins("version https://git-lfs.github.com/spec/") {
        return Some(("a Git LFS pointer", "`git lfs pull` fetches the file"));
    }
    if begins("<!doctype html") || begins("<html") {
        return Some(("a web page", "download the file itself"));
    }
    None
}

/// Kinds of files by their first bytes, and those that are read as scenes.
const KINDS: [(&[u8], &str, Option<Format>); 20] = [
    (b"glTF", "a GLB file", Some(Format::Gltf)),
    (b"ply\n", "a PLY file", Some(Format::Ply)),
    (b"ply\r", "a PLY file", Some(Format::Ply)),
    (b"OFF\n", "an OFF file", Some(Format::Off)),
    (b"OFF\r", "an OFF file", Some(Format::Off)),
    (b"solid ", "an STL file", Some(Format::Stl)),
    (b"PK\x03\x04", "a ZIP archive", Some(Format::ThreeMf)),
    (b"\x89PNG", "a PNG image", None),
    (b"\xff\xd8\xff", "a JPEG image", None),
    (b"%PDF-", "a PDF document", None),
    (b"BLENDER", "a Blender file", None),
    (b"Kaydara FBX", "an FBX file", None),
    (b"; FBX", "an FBX file", None),
    (b"#usda", "a USD file", None),
    (b"PXR-USDC", "a USD file", None),
    (b"#VRML", "a VRML file", None),
    (b"ISO-10303-21", "a STEP file", None),
    (b"<?xml", "an XML file", None),
    (b"7z\xbc\xaf", "a 7z archive", None),
    (b"Rar!", "a RAR archive", None),
];

/// How a file of a format is known, for who sees one that is none.
fn rule(format: Format) -> &'static str {
    match format {
        Format::Gltf => "a glTF file is JSON, and a GLB file begins with `glTF`",
        Format::Obj => "an OBJ file has lines such as `v 0 0 0` and `f 1 2 3`",
        Format::Ply => "a PLY file begins with a line `ply`",
        Format::Pbrt => "a pbrt file has directives such as `WorldBegin`",
        Format::Stl => "an STL file begins with `solid`, or has a head of 84 bytes",
        Format::Off => "an OFF file begins with the word OFF",
        Format::ThreeMf => "a 3MF file is a ZIP archive",
    }
}

/// Refuses the bytes of a scene file that is none of its format.
pub(super) fn check_scene(path: &Path, bytes: &[u8], format: Format) -> Result<(), SceneError> {
    let fail = |place, message: String| SceneError::Malformed { path: path.to_path_buf(), place, message };
    let rule = rule(format);
    if bytes.is_empty() {
        return Err(fail(Place::File, format!("the file is empty; {rule}")));
    }
    // The first 80 bytes of binary STL are free.
    if format == Format::Stl && stl::has_its_size(bytes) {
        return Ok(());
    }
    if let Some((what, advice)) = stand_in(bytes) {
        return Err(fail(Place::Line(1), format!("this is {what}, not a mesh ({rule}); {advice}")));
    }
    let known = KINDS.iter().find(|(start, ..)| bytes.starts_with(start));
    match known {
        Some((_, what, Some(other))) if *other != format => {
            Err(fail(Place::File, format!("this is {what} ({rule}); --format {other} reads it")))
        }
        Some((_, what, None)) => Err(fail(Place::File, format!("this is {what}, which is not read ({rule})"))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1234567\n";

    #[test]
    fn what_is_no_scene_is_called_by_its_name_under_every_format() {
        for (_, format) in Format::EXTENSIONS {
            let path = format!("a.{format}");
            let check = |bytes: &[u8], want: &str| {
                let error = crate::load_from(bytes, Path::new(&path), &Default::default()).unwrap_err().to_string();
                assert!(error.starts_with(&format!("{path}{want}")), "{error}");
                assert!(error.contains(rule(format)), "{error}");
            };
            check(b"", ": the file is empty; ");
            check(POINTER, ":1: this is a Git LFS pointer, not a mesh (");
            check(b"\xef\xbb\xbf\n<!DOCTYPE HTML>\n<html>", ":1: this is a web page, not a mesh (");
            check(b"<html lang=\"en\">", ":1: this is a web page, not a mesh (");
            check(b"\x89PNG\r\n\x1a\n and so on", ": this is a PNG image, which is not read (");
            if format != Format::Ply {
                check(b"ply\nformat ascii 1.0\n", ": this is a PLY file (");
            }
        }
    }

    #[test]
    fn binary_stl_may_begin_as_it_likes() {
        let mut bytes = b"BLENDER".to_vec();
        bytes.resize(80, b' ');
        bytes.extend(1u32.to_le_bytes());
        bytes.extend([0; 50]);
        assert!(check_scene(Path::new("a.stl"), &bytes, Format::Stl).is_ok());
        bytes.pop();
        assert!(check_scene(Path::new("a.stl"), &bytes, Format::Stl).is_err());
    }
}
