//! Files that are not what their names say: a pointer of Git LFS, a web page, a file of another kind, or nothing at
//! all.
//!
//! Without a look at them first, they would be refused for what they lack, such as the 845,429,046th triangle.

mod kinds;
mod sniff;
#[cfg(test)]
mod tests;

use super::{Format, stl, text};
use crate::{Place, SceneError};
use kinds::{KINDS, Kind, Then};
use sniff::Head;
use std::path::Path;

/// Recognises a placeholder for another file, such as a Git LFS pointer; returns its name, and advice.
pub(super) fn stand_in(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    // All are texts; images and meshes mostly are not.
    if sniff::begins_as_binary(bytes) {
        return None;
    }
    let head = Head::of(bytes);
    KINDS.iter().find_map(|kind| match kind.then {
        Then::Placeholder(advice) if kind.is(&head) => Some((kind.what, advice)),
        _ => None,
    })
}

/// Names the kind of data that was found where an image should be; `None` if unknown.
pub(super) fn named(bytes: &[u8]) -> Option<&'static str> {
    let head = Head::of(bytes);
    let known = KINDS.iter().find(|kind| kind.is(&head)).map(|kind| kind.what);
    known.or(head.is_text().then_some("text"))
}

/// Returns the name of a format and the rule by which its files are recognised, for messages about a file that is none.
fn rule(format: Format) -> (&'static str, &'static str) {
    match format {
        Format::Gltf => ("glTF file", "a glTF file is JSON with an `asset`, and a GLB file begins with `glTF`"),
        Format::Obj => ("OBJ file", "an OBJ file has lines such as `v 0 0 0` and `f 1 2 3`"),
        Format::Ply => ("PLY file", "a PLY file begins with a line `ply`"),
        Format::Pbrt => ("pbrt file", "a pbrt file has directives such as `WorldBegin`"),
        Format::Stl => ("STL file", "an STL file is text that begins with `solid`, or binary with a head of 84 bytes"),
        Format::Off => ("OFF file", "an OFF file begins with the word OFF"),
        Format::ThreeMf => ("3MF file", "a 3MF file is a ZIP archive"),
    }
}

/// Returns `true` if only comments were seen, the first of which is the signature of another kind of file
/// (`#VRML V2.0 utf8`).
fn is_named_by_comment(head: &Head) -> bool {
    head.is_silent() && KINDS.iter().any(|kind| kind.begins_with_comment() && kind.is(head))
}

/// Returns an error if the bytes of a scene file are evidently not of its format.
pub(super) fn check_scene(path: &Path, bytes: &[u8], format: Format) -> Result<(), SceneError> {
    let fail = |place, message: String| SceneError::Malformed { path: path.to_path_buf(), place, message };
    let (name, rule) = rule(format);
    if bytes.is_empty() {
        return Err(fail(Place::File, format!("the file is empty; {rule}")));
    }
    let is_plain = match format {
        // The first 80 bytes of binary STL are free.
        Format::Stl => stl::has_its_size(bytes),
        // A scene may consist of hundreds.
        Format::Ply => bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r"),
        Format::Gltf => bytes.starts_with(b"glTF"),
        _ => false,
    };
    if is_plain {
        return Ok(());
    }
    text::refuse_wide(bytes).map_err(|message| fail(Place::Line(1), message))?;
    if let Some((what, advice)) = stand_in(bytes) {
        return Err(fail(Place::Line(1), format!("this is {what}, not a mesh ({rule}); {advice}")));
    }
    let head = Head::of(bytes);
    if head.may_be(format) && !is_named_by_comment(&head) {
        return Ok(());
    }
    let is_other = |kind: &&Kind| kind.then != Then::Read(format) && kind.is(&head);
    Err(match KINDS.iter().find(is_other) {
        Some(&Kind { what, then: Then::Read(other), .. }) => {
            fail(Place::File, format!("this is {what} ({rule}); `LoadOptions::format` {other} reads it"))
        }
        Some(&Kind { what, then: Then::Hint(hint), .. }) => {
            fail(Place::File, format!("this is {what}, not a scene ({rule}); {hint}"))
        }
        Some(kind) => fail(Place::File, format!("this is {}, which is not read ({rule})", kind.what)),
        None if head.is_text() => fail(Place::Line(1), format!("this is text, but no {name} ({rule})")),
        None if format == Format::Stl => return Ok(()),
        None => fail(Place::File, format!("this is binary data, but no {name} ({rule})")),
    })
}

/// Returns an error if a file included by a pbrt scene is evidently something else.
pub(super) fn check_included(path: &Path, bytes: &[u8]) -> Result<(), SceneError> {
    let head = Head::of(bytes);
    let known = KINDS.iter().find(|kind| kind.then != Then::Read(Format::Pbrt) && kind.is(&head));
    match known.filter(|_| !head.may_be(Format::Pbrt) || is_named_by_comment(&head)) {
        Some(Kind { what, .. }) => Err(SceneError::Malformed {
            path: path.to_path_buf(),
            place: Place::File,
            message: format!("this is {what}, not a part of a pbrt scene"),
        }),
        None => Ok(()),
    }
}

/// Returns an error if a material library is evidently something else; a file without any statement is accepted.
pub(super) fn check_library(path: &Path, bytes: &[u8]) -> Result<(), SceneError> {
    let fail = |place, message: String| Err(SceneError::Malformed { path: path.to_path_buf(), place, message });
    let head = Head::of(bytes);
    if head.may_be_library() && !is_named_by_comment(&head) || text::refuse_wide(bytes).is_err() {
        return Ok(());
    }
    let rule = "an MTL library has lines such as `newmtl wood` and `Kd 1 0 0`";
    match KINDS.iter().find(|kind| kind.is(&head)) {
        Some(kind) => fail(Place::File, format!("this is {}, not a material library ({rule})", kind.what)),
        None if head.is_text() => fail(Place::Line(1), format!("this is text, but no material library ({rule})")),
        None => fail(Place::File, format!("this is binary data, but no material library ({rule})")),
    }
}
