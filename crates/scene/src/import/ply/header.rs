//! Header of a PLY file: the elements that follow, and their form.

use super::fault::Fault;
use crate::findings::ply::MAX_MATERIALS;
use crate::import::text;
use crate::{Place, PlyFault};

/// Number type in a PLY file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    /// Parses a type's name, from either family of names that files use (`uchar` or `uint8`).
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    /// Returns the type's older name, such as `uchar`.
    pub fn name(self) -> &'static str {
        match self {
            Self::I8 => "char",
            Self::U8 => "uchar",
            Self::I16 => "short",
            Self::U16 => "ushort",
            Self::I32 => "int",
            Self::U32 => "uint",
            Self::F32 => "float",
            Self::F64 => "double",
        }
    }

    /// Returns the size in bytes in a binary file.
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    pub fn is_integer(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }

    /// Decodes a number from the first [`Scalar::size`] bytes; `f64` holds each of the types exactly.
    #[inline]
    pub fn read(self, bytes: &[u8], big_endian: bool) -> f64 {
        macro_rules! read {
            ($type:ty, $n:literal) => {{
                let mut own = [0; $n];
                own.copy_from_slice(&bytes[..$n]);
                f64::from(if big_endian { <$type>::from_be_bytes(own) } else { <$type>::from_le_bytes(own) })
            }};
        }
        match self {
            Self::I8 => read!(i8, 1),
            Self::U8 => read!(u8, 1),
            Self::I16 => read!(i16, 2),
            Self::U16 => read!(u16, 2),
            Self::I32 => read!(i32, 4),
            Self::U32 => read!(u32, 4),
            Self::F32 => read!(f32, 4),
            Self::F64 => read!(f64, 8),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Scalar(Scalar),
    List { count: Scalar, item: Scalar },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Property {
    pub name: String,
    pub kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Element {
    pub name: String,
    pub count: u64,
    pub properties: Vec<Property>,
    /// Line number of the header that declares the element.
    pub line: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Ascii,
    Little,
    Big,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub format: Format,
    pub elements: Vec<Element>,
    /// Names of materials by index, from comments `comment material INDEX NAME`; empty where an index has none.
    pub material_names: Vec<String>,
    /// File names of textures in order, from comments `comment TextureFile NAME`.
    pub textures: Vec<String>,
    /// `true` if a comment says that Blender wrote the file.
    pub is_from_blender: bool,
    /// Byte offset at which the body begins.
    pub body: usize,
    /// Line number at which the body begins, counted from 1.
    pub body_line: u64,
}

/// Iterator over the header's lines, which all end in the same way as the first: LF, CR LF or CR. Binary data follow,
/// whose first byte may look like the second of a line end.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    number: u64,
    end: u8,
}

impl Lines<'_> {
    fn next(&mut self) -> Option<String> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let length = rest.iter().position(|&b| b == self.end)?;
        self.at += length + 1;
        self.number += 1;
        Some(String::from_utf8_lossy(&rest[..length]).trim().to_string())
    }
}

pub(super) fn parse(bytes: &[u8]) -> Result<Header, Fault> {
    text::refuse_wide(bytes).map_err(|fault| Fault::malformed(Place::Line(1), fault))?;
    let start = bytes.len() - text::without_mark(bytes).len();
    let (line, _) = text::line_end(bytes, start);
    if bytes[start..line].trim_ascii_end() != b"ply" {
        return Err(Fault::malformed(Place::Line(1), PlyFault::FirstLine));
    }
    let end = if bytes.get(line) == Some(&b'\r') && bytes.get(line + 1) != Some(&b'\n') { b'\r' } else { b'\n' };
    let mut lines = Lines { bytes, at: start, number: 0, end };
    lines.next();
    let mut format = None;
    let mut header = Header {
        format: Format::Ascii,
        elements: vec![],
        material_names: vec![],
        textures: vec![],
        is_from_blender: false,
        body: 0,
        body_line: 0,
    };
    loop {
        let Some(line) = lines.next() else {
            return Err(Fault::malformed(Place::Line(lines.number + 1), PlyFault::CutHeader));
        };
        let at = Place::Line(lines.number);
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words.as_slice() {
            [] | ["obj_info", ..] => {}
            ["comment", "material", index, ..] => material(&mut header, &line, index, at)?,
            // As MeshLab writes it; a name may hold blanks, and stand in quotes.
            ["comment", word, _, ..] if word.eq_ignore_ascii_case("TextureFile") => {
                let name = line.split_once(word).map_or("", |(_, name)| name.trim());
                let quoted = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
                header.textures.push(quoted.unwrap_or(name).to_string());
            }
            ["comment", "Created", "in" | "by", "Blender", ..] => header.is_from_blender = true,
            ["comment", ..] => {}
            ["format", name, "1.0"] => {
                format = Some(match *name {
                    "ascii" => Format::Ascii,
                    "binary_little_endian" => Format::Little,
                    "binary_big_endian" => Format::Big,
                    other => return Err(Fault::malformed(at, PlyFault::Format { name: other.into() })),
                });
            }
            ["element", name, count] => {
                let Ok(count) = count.parse() else {
                    return Err(Fault::malformed(at, PlyFault::ElementCount { word: (*count).into() }));
                };
                header.elements.push(Element { name: (*name).into(), count, properties: vec![], line: lines.number });
            }
            ["property", rest @ ..] => {
                let property = property(rest, &at)?;
                let Some(element) = header.elements.last_mut() else {
                    return Err(Fault::malformed(at, PlyFault::PropertyBeforeElements));
                };
                element.properties.push(property);
            }
            ["end_header"] => break,
            _ => return Err(Fault::malformed(at, PlyFault::HeaderLine { line: text::start(&line, 60) })),
        }
    }
    let place = Place::Line(lines.number);
    header.format = format.ok_or_else(|| Fault::malformed(place, PlyFault::NoFormat))?;
    (header.body, header.body_line) = (lines.at, lines.number + 1);
    Ok(header)
}

/// Parses a comment `comment material INDEX NAME`; a comment that only begins so is ignored.
fn material(header: &mut Header, line: &str, index: &str, at: Place) -> Result<(), Fault> {
    let Ok(number) = index.parse::<usize>() else { return Ok(()) };
    if number >= MAX_MATERIALS {
        return Err(Fault::malformed(at, PlyFault::MaterialIndex { index: number }));
    }
    let name = line.split_once(index).map_or("", |(_, name)| name.trim());
    if header.material_names.len() <= number {
        header.material_names.resize(number + 1, String::new());
    }
    header.material_names[number] = name.into();
    Ok(())
}

fn property(words: &[&str], at: &Place) -> Result<Property, Fault> {
    let scalar = |name: &str| {
        Scalar::parse(name).ok_or_else(|| Fault::malformed(at.clone(), PlyFault::PropertyType { name: name.into() }))
    };
    match words {
        ["list", count, item, name] => {
            let (count, item) = (scalar(count)?, scalar(item)?);
            if !count.is_integer() {
                return Err(Fault::malformed(at.clone(), PlyFault::ListLengthType));
            }
            Ok(Property { name: (*name).into(), kind: Kind::List { count, item } })
        }
        [kind, name] => Ok(Property { name: (*name).into(), kind: Kind::Scalar(scalar(kind)?) }),
        _ => Err(Fault::malformed(at.clone(), PlyFault::Property)),
    }
}
