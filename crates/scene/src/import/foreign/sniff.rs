//! Beginning of a file, and the tests that tell its kind by it.

use crate::import::{Format, stl, text};
use std::borrow::Cow;

/// Number of bytes at a file's beginning that are examined. Comments of some programs are long, and the statements that
/// tell a format stand behind them.
const PROBE: usize = 1 << 16;

/// File to be recognised, with its beginning as text.
pub(super) struct Head<'a> {
    pub bytes: &'a [u8],
    /// Text of the first [`PROBE`] bytes, with invalid UTF-8 replaced.
    text: Cow<'a, str>,
    is_text: bool,
}

/// Returns `true` for control characters that do not occur in text files. Old systems end one with byte 26.
fn is_odd(&byte: &u8) -> bool {
    byte.is_ascii_control() && !byte.is_ascii_whitespace() && !matches!(byte, 11 | 26 | 27)
}

/// Returns `true` if the first bytes contain control characters, so that the file is binary.
pub(super) fn begins_as_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(256).any(is_odd)
}

impl<'a> Head<'a> {
    pub fn of(bytes: &'a [u8]) -> Self {
        let start = text::without_mark(&bytes[..bytes.len().min(PROBE)]);
        // UTF-8, where the end may be cut, or some old encoding of mostly ASCII.
        let is_whole = std::str::from_utf8(start).map_or_else(|error| error.error_len().is_none(), |_| true);
        let is_encoded = || is_whole || 8 * start.iter().filter(|byte| !byte.is_ascii()).count() <= start.len();
        let is_text = !start.is_empty() && !start.iter().any(is_odd) && is_encoded();
        Self { bytes, text: String::from_utf8_lossy(start), is_text }
    }

    /// Returns `true` if the beginning looks like text: no stray control characters, and mostly UTF-8 or ASCII.
    pub fn is_text(&self) -> bool {
        self.is_text
    }

    /// Returns `true` if the bytes `word` are at offset `at`.
    pub fn has(&self, at: usize, word: &[u8]) -> bool {
        self.bytes.get(at..at + word.len()) == Some(word)
    }

    pub fn mentions(&self, word: &str) -> bool {
        self.text.contains(word)
    }

    /// Iterates over the lines that are no comments and not blank, split into keyword and rest. `#` begins a comment in
    /// all formats that are told by lines.
    fn statements(&self) -> impl Iterator<Item = (&str, &str)> {
        let lines =
            text::Lines::new(&self.text).map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.map(|line| line.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((line, "")))
    }

    fn any(&self, is: impl Fn(&str, &str) -> bool) -> bool {
        self.statements().any(|(keyword, rest)| is(keyword, rest.trim_start()))
    }

    fn first(&self) -> (&str, &str) {
        self.statements().next().unwrap_or_default()
    }

    /// Returns `true` if the beginning holds nothing but comments.
    pub fn is_silent(&self) -> bool {
        self.is_text && self.statements().next().is_none()
    }

    /// Returns `true` if nothing contradicts this format, so that its importer may report what is wrong.
    pub fn may_be(&self, format: Format) -> bool {
        match format {
            // Whatever is JSON, unless all of it was seen and no glTF document is in it.
            Format::Gltf => {
                let has_document = || self.bytes.len() > PROBE || self.mentions("\"asset\"");
                self.bytes.starts_with(b"glTF") || self.text.trim_start().starts_with('{') && has_document()
            }
            Format::Obj => self.is_silent() || is_obj(self),
            Format::Ply => is_ply(self),
            Format::Pbrt => self.is_silent() || self.any(is_directive),
            Format::Stl => stl::begins_as_text(self.bytes),
            Format::Off => {
                let (word, _) = self.first();
                // The word may be left out, and others than are read are for the importer to name.
                word.ends_with("OFF") || is_off_word(word) || word.parse::<u32>().is_ok()
            }
            Format::ThreeMf => self.bytes.starts_with(b"PK"),
        }
    }

    /// Returns `true` if nothing contradicts that the file is an MTL library.
    pub fn may_be_library(&self) -> bool {
        self.bytes.is_empty() || self.is_silent() || self.any(is_of_mtl)
    }
}

/// Returns `true` if the file is text that begins with a tag, as XML does.
pub(super) fn is_xml(head: &Head) -> bool {
    let mut start = head.text.trim_start().chars();
    let is_tag = |c: char| c.is_ascii_alphabetic() || "?!".contains(c);
    head.is_text && start.next() == Some('<') && start.next().is_some_and(is_tag)
}

pub(super) fn is_lfs_pointer(head: &Head) -> bool {
    begins(head.text.trim_start(), "version https://git-lfs.github.com/spec/")
}

/// Returns `true` if the file is an HTML page, maybe after comments and an XML declaration.
pub(super) fn is_web_page(head: &Head) -> bool {
    let mut text = head.text.trim_start();
    loop {
        let end = match text {
            _ if text.starts_with("<!--") => "-->",
            _ if text.starts_with("<?xml") => "?>",
            _ => break,
        };
        let Some((_, rest)) = text.split_once(end) else { return false };
        text = rest.trim_start();
    }
    ["<!doctype html", "<html", "<head>", "<body", "<title>", "<script"].iter().any(|tag| begins(text, tag))
}

pub(super) fn is_ply(head: &Head) -> bool {
    head.text.split(['\n', '\r']).next().is_some_and(|line| line.trim_ascii_end() == "ply")
}

pub(super) fn is_stl(head: &Head) -> bool {
    let is_binary = head.bytes.len() > 84 && stl::has_its_size(head.bytes);
    is_binary
        || stl::begins_as_text(head.bytes) && (!head.is_text || head.mentions("facet") || head.mentions("endsolid"))
}

pub(super) fn is_off(head: &Head) -> bool {
    let (word, rest) = head.first();
    is_off_word(word) && head.is_text && rest.split_ascii_whitespace().all(|word| word.parse::<f64>().is_ok())
}

/// Returns `true` for the first word of an OFF file: `OFF` with any of its prefixes, `off`, or `OFF` with digits behind
/// it.
fn is_off_word(word: &str) -> bool {
    let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
    name == "off" || name.strip_suffix("OFF").is_some_and(|rest| rest.chars().all(|c| "STCN4n".contains(c)))
}

/// Returns `true` if the file is JSON that mentions members which only glTF has.
pub(super) fn is_gltf(head: &Head) -> bool {
    let words = ["\"asset\"", "\"bufferViews\"", "\"accessors\"", "\"meshes\""];
    head.is_text && head.text.trim_start().starts_with('{') && words.iter().any(|word| head.mentions(word))
}

pub(super) fn is_json(head: &Head) -> bool {
    let mut start = head.text.trim_start().chars();
    let bracket = start.next();
    let next = start.find(|c| !c.is_whitespace());
    head.is_text
        && match bracket {
            Some('{') => matches!(next, Some('"' | '}')),
            Some('[') => matches!(next, Some('"' | '{' | '[' | ']' | '-' | '0'..='9')),
            _ => false,
        }
}

/// Returns `true` if the file has a statement that only OBJ files have.
pub(super) fn is_obj(head: &Head) -> bool {
    let is_number = |rest: &str| rest.split_ascii_whitespace().next().is_some_and(|word| word.parse::<f64>().is_ok());
    let is_index = |rest: &str| rest.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    head.any(|keyword, rest| match keyword {
        "v" | "vt" | "vn" | "vp" => is_number(rest) || rest.starts_with(|c: char| "-+nN.".contains(c)),
        "f" | "fo" | "l" | "p" => is_index(rest),
        "usemtl" | "mtllib" => true,
        _ => false,
    })
}

pub(super) fn is_mtl(head: &Head) -> bool {
    head.is_text && head.any(|keyword, rest| keyword.eq_ignore_ascii_case("newmtl") && !rest.is_empty())
}

/// Returns `true` if a line is a statement of an MTL library, such as `newmtl` or `Kd`.
fn is_of_mtl(keyword: &str, rest: &str) -> bool {
    let keyword = keyword.to_ascii_lowercase();
    let takes_number = matches!(&*keyword, "kd" | "ka" | "ks" | "ke" | "tf" | "ns" | "ni" | "d" | "tr" | "illum");
    keyword == "newmtl" || keyword.starts_with("map_") || takes_number && rest.starts_with(|c: char| c.is_ascii_digit())
}

pub(super) fn is_pbrt(head: &Head) -> bool {
    head.is_text && head.any(is_directive)
}

/// Returns `true` if a line begins with a directive of pbrt, followed by what may follow one.
fn is_directive(keyword: &str, rest: &str) -> bool {
    let (keyword, rest) = match keyword.find(['"', '[']) {
        Some(at) => keyword.split_at(at),
        None => (keyword, rest),
    };
    let follows = |c: char| "\"[-+.#".contains(c) || c.is_ascii_digit();
    let next = rest.split(|c: char| c.is_ascii_whitespace() || "\"[".contains(c)).next().unwrap_or_default();
    DIRECTIVES.contains(&keyword) && (rest.is_empty() || rest.starts_with(follows) || DIRECTIVES.contains(&next))
}

/// Names of the directives of pbrt, versions 2 to 4.
pub(super) const DIRECTIVES: [&str; 45] = [
    "Accelerator",
    "ActiveTransform",
    "AreaLightSource",
    "Attribute",
    "AttributeBegin",
    "AttributeEnd",
    "Camera",
    "ColorSpace",
    "ConcatTransform",
    "CoordSysTransform",
    "CoordinateSystem",
    "Film",
    "Identity",
    "Import",
    "Include",
    "Integrator",
    "LightSource",
    "LookAt",
    "MakeNamedMaterial",
    "MakeNamedMedium",
    "Material",
    "MediumInterface",
    "NamedMaterial",
    "ObjectBegin",
    "ObjectEnd",
    "ObjectInstance",
    "Option",
    "PixelFilter",
    "Renderer",
    "ReverseOrientation",
    "Rotate",
    "Sampler",
    "Scale",
    "Shape",
    "SurfaceIntegrator",
    "Texture",
    "Transform",
    "TransformBegin",
    "TransformEnd",
    "TransformTimes",
    "Translate",
    "Volume",
    "VolumeIntegrator",
    "WorldBegin",
    "WorldEnd",
];

pub(super) fn is_3ds(head: &Head) -> bool {
    let length = head.bytes.get(2..6).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
    head.bytes.starts_with(b"MM") && length == Some(head.bytes.len())
}

/// Returns `true` if `text` begins with `word`, ignoring case.
fn begins(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}
