//! Files that are not what their names say: a pointer of Git LFS, a web page, a file of another kind, or nothing at
//! all.
//!
//! Without a look at them first, they would be refused for what they lack, such as the 845,429,046th triangle.

mod kinds;
mod sniff;
#[cfg(test)]
mod tests;

use super::{Format, stl, text};
use crate::{FaultKind, ImportError, Place, WrongFile};
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

/// Returns `true` if only comments were seen, the first of which is the signature of another kind of file
/// (`#VRML V2.0 utf8`).
fn is_named_by_comment(head: &Head) -> bool {
    head.is_silent() && KINDS.iter().any(|kind| kind.begins_with_comment() && kind.is(head))
}

/// Returns an error if the bytes of a scene file are evidently not of its format.
pub(super) fn check_scene(path: &Path, bytes: &[u8], format: Format) -> Result<(), ImportError> {
    let wanted = format;
    let fail = |place, kind: FaultKind| ImportError::Malformed { path: path.to_path_buf(), place, kind };
    let in_file = |fault: WrongFile| fail(Place::File, fault.into());
    let in_line = |fault: WrongFile| fail(Place::Line(1), fault.into());
    if bytes.is_empty() {
        return Err(in_file(WrongFile::Empty { wanted }));
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
    text::refuse_wide(bytes).map_err(|fault| fail(Place::Line(1), fault))?;
    if let Some((what, advice)) = stand_in(bytes) {
        return Err(in_line(WrongFile::PlaceholderOfScene { what, wanted, advice }));
    }
    let head = Head::of(bytes);
    if head.may_be(format) && !is_named_by_comment(&head) {
        return Ok(());
    }
    let is_other = |kind: &&Kind| kind.then != Then::Read(format) && kind.is(&head);
    Err(match KINDS.iter().find(is_other) {
        Some(&Kind { what, then: Then::Read(found), .. }) => in_file(WrongFile::OtherFormat { what, wanted, found }),
        Some(&Kind { what, then: Then::Hint(hint), .. }) => in_file(WrongFile::NoScene { what, wanted, hint }),
        Some(&Kind { what, .. }) => in_file(WrongFile::NotRead { what, wanted }),
        None if head.is_text() => in_line(WrongFile::Text { wanted }),
        None if format == Format::Stl => return Ok(()),
        None => in_file(WrongFile::Binary { wanted }),
    })
}

/// Returns an error if a file included by a pbrt scene is evidently something else.
pub(super) fn check_included(path: &Path, bytes: &[u8]) -> Result<(), ImportError> {
    let head = Head::of(bytes);
    let known = KINDS.iter().find(|kind| kind.then != Then::Read(Format::Pbrt) && kind.is(&head));
    match known.filter(|_| !head.may_be(Format::Pbrt) || is_named_by_comment(&head)) {
        Some(&Kind { what, .. }) => Err(ImportError::Malformed {
            path: path.to_path_buf(),
            place: Place::File,
            kind: WrongFile::NoPartOfPbrt { what }.into(),
        }),
        None => Ok(()),
    }
}

/// Returns an error if a material library is evidently something else; a file without any statement is accepted.
pub(super) fn check_library(path: &Path, bytes: &[u8]) -> Result<(), ImportError> {
    let fail =
        |place, fault: WrongFile| Err(ImportError::Malformed { path: path.to_path_buf(), place, kind: fault.into() });
    let head = Head::of(bytes);
    if head.may_be_library() && !is_named_by_comment(&head) || text::refuse_wide(bytes).is_err() {
        return Ok(());
    }
    match KINDS.iter().find(|kind| kind.is(&head)) {
        Some(kind) => fail(Place::File, WrongFile::NoLibrary { what: kind.what }),
        None if head.is_text() => fail(Place::Line(1), WrongFile::TextNoLibrary),
        None => fail(Place::File, WrongFile::BinaryNoLibrary),
    }
}
