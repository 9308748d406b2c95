//! Sentences about files that are not what their names say.

use crate::Format;

/// Rule by which material libraries are recognised.
const LIBRARY_RULE: &str = "an MTL library has lines such as `newmtl wood` and `Kd 1 0 0`";

/// Kind of data that stands where a file of another kind is wanted; `what` names it with its article.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum WrongFile {
    #[error("the file is empty; {}", rule(*wanted).1)]
    Empty { wanted: Format },
    #[error("this is {what}, not a mesh ({}); {advice}", rule(*wanted).1)]
    PlaceholderOfScene { what: &'static str, wanted: Format, advice: &'static str },
    #[error("this is {what}, not the file; {advice}{}",
        if *is_allowed { "" } else { ", and `LoadOptions::allow_missing` renders without it" })]
    Placeholder { what: &'static str, advice: &'static str, is_allowed: bool },
    #[error("this is {what}, not an image; {advice}")]
    PlaceholderOfImage { what: &'static str, advice: &'static str },
    #[error("this is {what} ({}); `LoadOptions::format` {found} reads it", rule(*wanted).1)]
    OtherFormat { what: &'static str, wanted: Format, found: Format },
    #[error("this is {what}, not a scene ({}); {hint}", rule(*wanted).1)]
    NoScene { what: &'static str, wanted: Format, hint: &'static str },
    #[error("this is {what}, which is not read ({})", rule(*wanted).1)]
    NotRead { what: &'static str, wanted: Format },
    #[error("this is text, but no {} ({})", rule(*wanted).0, rule(*wanted).1)]
    Text { wanted: Format },
    #[error("this is binary data, but no {} ({})", rule(*wanted).0, rule(*wanted).1)]
    Binary { wanted: Format },
    #[error("this is {what}, not a part of a pbrt scene")]
    NoPartOfPbrt { what: &'static str },
    #[error("this is {what}, not a material library ({LIBRARY_RULE})")]
    NoLibrary { what: &'static str },
    #[error("this is text, but no material library ({LIBRARY_RULE})")]
    TextNoLibrary,
    #[error("this is binary data, but no material library ({LIBRARY_RULE})")]
    BinaryNoLibrary,
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
