//! Sentences about files that are not what their names say.

use super::rule;
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
