//! The kinds of scene files.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// Format of a scene file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// glTF 2.0, as JSON text or binary GLB, which the first bytes tell apart.
    Gltf,
    /// Wavefront OBJ, with MTL libraries.
    Obj,
    /// PLY, text or binary.
    Ply,
    /// pbrt, version 3 or 4.
    Pbrt,
    /// STL, text or binary.
    Stl,
    /// OFF, as text.
    Off,
    /// 3MF, a ZIP archive of XML.
    ThreeMf,
}

impl Format {
    /// All file extensions with their formats, in lower case.
    pub const EXTENSIONS: [(&'static str, Self); 8] = [
        ("gltf", Self::Gltf),
        ("glb", Self::Gltf),
        ("obj", Self::Obj),
        ("ply", Self::Ply),
        ("pbrt", Self::Pbrt),
        ("stl", Self::Stl),
        ("off", Self::Off),
        ("3mf", Self::ThreeMf),
    ];

    /// Returns the format for the file's extension, in any case and before `.gz` or `.zst` if there is one.
    pub fn of(path: &Path) -> Option<Self> {
        extension(path).parse().ok()
    }

    /// Returns `true` if files of this format may hold lights, so that they can be a picture without triangles.
    pub(crate) fn holds_lights(self) -> bool {
        matches!(self, Self::Gltf | Self::Pbrt)
    }

    /// Returns a list of all extensions with dots, separated by spaces, for messages.
    pub fn list() -> String {
        Self::EXTENSIONS.map(|(extension, _)| format!(".{extension}")).join(" ")
    }
}

/// Returns a file's extension in lower case, without `.gz` or `.zst` behind it.
pub(super) fn extension(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    name.rsplit_once('.').map(|(_, extension)| extension.to_string()).unwrap_or_default()
}

/// Parses a format from a file extension, with or without its dot, in any case.
impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let name = text.strip_prefix('.').unwrap_or(text);
        let found = Self::EXTENSIONS.iter().find(|(extension, _)| name.eq_ignore_ascii_case(extension));
        let known = || Self::EXTENSIONS.map(|(extension, _)| extension).join(", ");
        found.map(|&(_, format)| format).ok_or_else(|| format!("known are {}", known()))
    }
}

/// Writes the format's first extension.
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = Self::EXTENSIONS.iter().find(|(_, format)| format == self);
        f.write_str(found.map_or("", |(extension, _)| extension))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_known_by_extension_and_name() {
        for (name, want) in [
            ("a/b.PLY.GZ", Some(Format::Ply)),
            ("b.glb", Some(Format::Gltf)),
            ("b.3MF", Some(Format::ThreeMf)),
            ("b.stl.zst", Some(Format::Stl)),
            ("ply", None),
            ("x.gz", None),
            ("x.txt", None),
        ] {
            assert_eq!(Format::of(Path::new(name)), want, "{name}");
        }
        assert_eq!((".OFF".parse(), "off".parse()), (Ok(Format::Off), Ok(Format::Off)));
        let error = "stp".parse::<Format>().unwrap_err();
        for (extension, format) in Format::EXTENSIONS {
            assert!(error.contains(extension), "{error}");
            assert_eq!(format.to_string().parse(), Ok(format), "{extension}");
        }
    }

    #[test]
    fn the_kind_of_a_file_is_its_inner_extension() {
        for (name, want) in [("a/b.PLY.GZ", "ply"), ("b.gltf", "gltf"), ("b.obj.zst", "obj"), ("b", ""), ("x.gz", "")] {
            assert_eq!(extension(Path::new(name)), want, "{name}");
        }
    }
}
