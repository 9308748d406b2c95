//! The one table of what a file may be in place of what its name says.

use super::sniff::{self, Head};
use crate::import::{Format, stl, text};

/// Kind of file that may be found in place of a scene, with the test that recognises it.
pub(super) struct Kind {
    /// Name of the kind with its article, such as `a web page`.
    pub what: &'static str,
    pub then: Then,
    test: Test,
}

/// Consequence of finding this kind of file where another is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// The file is a placeholder for another, such as a Git LFS pointer; holds the advice how to get that.
    Placeholder(&'static str),
    /// The file is a scene of this other format.
    Read(Format),
    /// The file is no scene; holds the advice how to get one from it.
    Hint(&'static str),
    /// The file is of a kind that is not read, without advice.
    Nothing,
}

enum Test {
    /// Test that the file begins with these bytes.
    Starts(&'static [u8]),
    /// Test by a function of the file's beginning.
    Holds(fn(&Head) -> bool),
}

impl Kind {
    pub fn is(&self, head: &Head) -> bool {
        match self.test {
            Test::Starts(start) => text::without_mark(head.bytes).starts_with(start),
            Test::Holds(test) => test(head),
        }
    }

    /// Returns `true` if files of this kind begin with what is a comment in line-based formats.
    pub fn begins_with_comment(&self) -> bool {
        matches!(self.test, Test::Starts([b'#', ..]))
    }
}

const fn starts(what: &'static str, then: Then, start: &'static [u8]) -> Kind {
    Kind { what, then, test: Test::Starts(start) }
}

const fn holds(what: &'static str, then: Then, test: fn(&Head) -> bool) -> Kind {
    Kind { what, then, test: Test::Holds(test) }
}

/// All known kinds of files; the first whose test succeeds counts.
pub(super) const KINDS: [Kind; 52] = [
    holds("a Git LFS pointer", LFS, sniff::is_lfs_pointer),
    holds("a web page", WEB_PAGE, sniff::is_web_page),
    starts("a GLB file", Then::Read(Format::Gltf), b"glTF"),
    holds("a PLY file", Then::Read(Format::Ply), sniff::is_ply),
    holds("a text of STL facets without its first line `solid`", FACETS, |head| stl::lacks_solid(head.bytes)),
    holds("an STL file", Then::Read(Format::Stl), sniff::is_stl),
    starts("a 3MF file or another ZIP archive", Then::Read(Format::ThreeMf), b"PK\x03\x04"),
    holds("an OFF file", Then::Read(Format::Off), sniff::is_off),
    starts("a PNG image", Then::Nothing, b"\x89PNG"),
    starts("a JPEG image", Then::Nothing, b"\xff\xd8\xff"),
    starts("a GIF image", Then::Nothing, b"GIF8"),
    starts("a TIFF image", Then::Nothing, b"II*\0"),
    starts("a TIFF image", Then::Nothing, b"MM\0*"),
    starts("a DDS image", Then::Nothing, b"DDS "),
    starts("a Photoshop image", Then::Nothing, b"8BPS"),
    starts("a KTX image", Then::Nothing, b"\xabKTX "),
    starts("an OpenEXR image", Then::Nothing, b"\x76\x2f\x31\x01"),
    starts("a Radiance image", Then::Nothing, b"#?RADIANCE"),
    holds("a WebP image", Then::Nothing, |head| head.bytes.starts_with(b"RIFF") && head.has(8, b"WEBP")),
    holds("a film", Then::Nothing, |head| head.has(4, b"ftyp")),
    starts("a PDF document", Then::Nothing, b"%PDF-"),
    starts("a Blender file", BLENDER_OWN, b"BLENDER"),
    starts("an FBX file", BLENDER, b"Kaydara FBX"),
    starts("an FBX file", BLENDER, b"; FBX"),
    starts("a USD file", BLENDER, b"#usda"),
    starts("a USD file", BLENDER, b"PXR-USDC"),
    starts("a VRML file", EXTENSION, b"#VRML"),
    starts("an X3D file", Then::Nothing, b"#X3D"),
    starts("an Alembic file", BLENDER, b"Ogawa"),
    holds("a 3DS file", EXTENSION, sniff::is_3ds),
    holds("a COLLADA file", COLLADA, |head| sniff::is_xml(head) && head.mentions("<COLLADA")),
    holds("an X3D file", EXTENSION, |head| sniff::is_xml(head) && head.mentions("<X3D")),
    starts("a STEP file", Then::Nothing, b"ISO-10303-21"),
    holds("an SVG drawing", Then::Nothing, |head| sniff::is_xml(head) && head.mentions("<svg")),
    holds("an XML file", Then::Nothing, sniff::is_xml),
    holds("a glTF file", Then::Read(Format::Gltf), sniff::is_gltf),
    holds("a JSON file", Then::Nothing, sniff::is_json),
    holds("an MTL library", Then::Hint("the OBJ file that names it is the scene"), sniff::is_mtl),
    holds("an OBJ file", Then::Read(Format::Obj), |head| head.is_text() && sniff::is_obj(head)),
    holds("a pbrt file", Then::Read(Format::Pbrt), sniff::is_pbrt),
    starts("a 7z archive", UNPACK, b"7z\xbc\xaf"),
    starts("a RAR archive", UNPACK, b"Rar!"),
    starts("a bzip2 archive", UNPACK, b"BZh"),
    starts("an xz archive", UNPACK, b"\xfd7zXZ"),
    holds("a tar archive", UNPACK, |head| head.has(257, b"ustar")),
    starts("a program", Then::Nothing, b"\x7fELF"),
    starts("a program", Then::Nothing, b"MZ"),
    starts("an array of NumPy", Then::Nothing, b"\x93NUMPY"),
    starts("an HDF5 file", Then::Nothing, b"\x89HDF"),
    starts("a database of SQLite", Then::Nothing, b"SQLite format 3"),
    starts("data of Draco alone", Then::Hint("a glTF file may hold such"), b"DRACO"),
    holds("an OpenVDB file", Then::Nothing, |head| head.bytes.starts_with(b" BDV")),
];

pub(super) const LFS: Then = Then::Placeholder("`git lfs pull` fetches the file");
pub(super) const WEB_PAGE: Then = Then::Placeholder("download the file itself");
pub(super) const FACETS: Then = Then::Hint("with one it is an STL file");
const BLENDER_OWN: Then = Then::Hint("in Blender, File > Export > glTF 2.0 (.glb) writes one");
const BLENDER: Then = Then::Hint("Blender imports it, and its File > Export > glTF 2.0 (.glb) writes one");
pub(super) const COLLADA: Then =
    Then::Hint("Blender 4.5 and older import it, and their File > Export > glTF 2.0 (.glb) writes one");
pub(super) const EXTENSION: Then = Then::Hint(
    "Blender imports it with an extension, or without before 4.2, and its File > Export > glTF 2.0 (.glb) writes one",
);
const UNPACK: Then = Then::Hint("unpack it");
