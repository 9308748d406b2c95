//! Version of pbrt that a scene was written for, and how it is told.
//!
//! The file does not say so, but much of it belongs to one version: films, materials, samplers, some
//! directives, the closing `WorldEnd`. It is told before anything is read, by the whole scene with the
//! files that it includes, since lights and roughness mean different things in the two versions wherever
//! they stand. Reading stops at the first thing that only one version has, which in most files is the
//! `Film` at their start; lists of numbers are passed by.

use super::files::Files;
use super::lexer::{Lexer, Token};
use super::params::Params;
use super::state::Importer;
use crate::PbrtWarning;
use crate::import::source;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Major version of pbrt for which a scene is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    V3,
    V4,
}

/// Largest number of files that are examined to find the version.
const MAX_FILES: usize = 10_000;

/// Evidence found in a scene for the version of pbrt that it is written for.
#[derive(Debug, Default)]
struct Evidence {
    /// Version implied by something that only this version has.
    sure: Option<Version>,
    /// Version suggested by something that is usual in it.
    likely: Option<Version>,
    world: bool,
}

impl Evidence {
    fn verdict(&self) -> Option<Version> {
        // Version 3 renders at `WorldEnd`, so a world without one is of version 4.
        self.sure.or(self.likely).or(self.world.then_some(Version::V4))
    }

    fn directive(&mut self, word: &str) {
        match word {
            "Attribute" | "ColorSpace" | "Option" => self.sure = Some(Version::V4),
            "Import" => self.likely = self.likely.or(Some(Version::V4)),
            "WorldEnd" | "SurfaceIntegrator" | "VolumeIntegrator" | "Renderer" | "Volume" => {
                self.sure = Some(Version::V3);
            }
            "WorldBegin" => self.world = true,
            _ => {}
        }
    }

    /// Takes evidence from a directive's argument: `text` is the argument number `index` of `directive`.
    fn argument(&mut self, directive: &str, index: usize, text: &str) {
        let found = match (directive, index) {
            ("Film", 0) => film(text),
            ("Sampler", 0) => sampler(text),
            ("Integrator", 0) => integrator(text),
            ("Camera", 0) => either(text, &["environment"], &["spherical"]),
            ("Material", 0) => material(text),
            ("Shape", 0) => {
                either(text, &["cone", "paraboloid", "hyperboloid", "heightfield", "nurbs"], &["bilinearmesh"])
            }
            ("AreaLightSource", 0) => either(text, &["area"], &[]),
            ("Texture", 2) => either(text, &["uv"], &["directionmix"]),
            _ => None,
        };
        self.sure = self.sure.or(found);
    }

    /// Takes evidence from the value of a parameter `"string type"` of `directive`.
    fn type_value(&mut self, directive: &str, text: &str) {
        let found = match directive {
            "MakeNamedMaterial" => material(text),
            "MakeNamedMedium" => either(text, &["heterogeneous"], &["uniformgrid", "rgbgrid", "cloud", "nanovdb"]),
            _ => None,
        };
        self.sure = self.sure.or(found);
    }

    /// Takes evidence from the type and name of a directive's parameter.
    fn declaration(&mut self, directive: &str, kind: &str, name: &str) {
        let found = match (directive, kind, name) {
            (_, "color" | "xyz" | "point" | "vector", _) => Some(Version::V3),
            ("LightSource" | "AreaLightSource", _, "power" | "illuminance") => Some(Version::V4),
            ("LightSource" | "AreaLightSource", "rgb" | "spectrum", "scale") => Some(Version::V3),
            ("LightSource" | "AreaLightSource", _, "samples" | "nsamples" | "mapname") => Some(Version::V3),
            ("PixelFilter", _, "xradius" | "yradius" | "sigma") => Some(Version::V4),
            ("PixelFilter", _, "xwidth" | "ywidth" | "alpha") => Some(Version::V3),
            ("Texture", _, "encoding") => Some(Version::V4),
            ("Texture", _, "gamma" | "trilinear") => Some(Version::V3),
            _ => None,
        };
        self.likely = self.likely.or(found);
    }
}

fn either(text: &str, v3: &[&str], v4: &[&str]) -> Option<Version> {
    let v4 = v4.contains(&text).then_some(Version::V4);
    v4.or(v3.contains(&text).then_some(Version::V3))
}

/// Returns the pbrt version that alone has a film of type `kind`; `None` if both or neither have it.
pub(super) fn film(kind: &str) -> Option<Version> {
    either(kind, &["image"], &["rgb", "gbuffer", "spectral"])
}

fn sampler(kind: &str) -> Option<Version> {
    let v3 = ["random", "02sequence", "lowdiscrepancy", "maxmindist"];
    either(kind, &v3, &["independent", "paddedsobol", "zsobol", "pmj02bn"])
}

fn integrator(kind: &str) -> Option<Version> {
    let v4 = ["function", "lightpath", "randomwalk", "simplepath", "simplevolpath"];
    either(kind, &["directlighting", "whitted"], &v4)
}

/// Returns the pbrt version that alone has a material of type `kind`; `None` if both or neither have it.
pub(super) fn material(kind: &str) -> Option<Version> {
    let v3 = [
        "matte",
        "plastic",
        "metal",
        "glass",
        "uber",
        "substrate",
        "translucent",
        "mirror",
        "fourier",
        "disney",
        "kdsubsurface",
    ];
    let v4 = [
        "diffuse",
        "coateddiffuse",
        "conductor",
        "coatedconductor",
        "dielectric",
        "thindielectric",
        "diffusetransmission",
        "measured",
        "interface",
    ];
    either(kind, &v3, &v4)
}

/// Returns the number of text arguments of a directive, before its parameters.
fn arguments_of(directive: &str) -> usize {
    match directive {
        "Texture" => 3,
        "MediumInterface" => 2,
        _ => 1,
    }
}

/// Reads tokens until the version is sure, until the end, or until an included file, whose name is returned. A broken
/// file is left where it breaks; what is wrong is said when it is read.
fn look(lexer: &mut Lexer, evidence: &mut Evidence) -> Option<String> {
    let (mut directive, mut arguments) = (String::new(), 0);
    let (mut is_value, mut is_type) = (false, false);
    while evidence.sure.is_none() {
        match lexer.next() {
            Ok(Some((Token::Word(word), _))) if word == "true" || word == "false" => is_value = false,
            Ok(Some((Token::Word(word), _))) => {
                evidence.directive(&word);
                (directive, arguments, is_value) = (word, 0, false);
            }
            Ok(Some((Token::Text(text), _))) if arguments < arguments_of(&directive) => {
                if matches!(&*directive, "Include" | "Import") {
                    return Some(text);
                }
                evidence.argument(&directive, arguments, &text);
                arguments += 1;
            }
            Ok(Some((Token::Text(text), _))) if is_value => {
                if is_type {
                    evidence.type_value(&directive, &text);
                }
                is_value = false;
            }
            Ok(Some((Token::Text(text), _))) => {
                if let Some((kind, name)) = text.trim().split_once(|c: char| c.is_ascii_whitespace()) {
                    let name = name.trim();
                    evidence.declaration(&directive, kind, name);
                    (is_value, is_type) = (true, name == "type");
                }
            }
            Ok(Some((Token::Number(_), _))) => is_value = false,
            // Types may be in brackets, too.
            Ok(Some((Token::Open, _))) if is_value && is_type => {}
            Ok(Some((Token::Open, _))) => {
                lexer.skip_list();
                is_value = false;
            }
            Ok(Some((Token::Close, _))) => {}
            Ok(None) | Err(_) => return None,
        }
    }
    None
}

/// Finds the pbrt version of a scene whose main file is `main`; `None` where nothing tells.
pub(super) fn of_scene(path: &Path, main: &mut Lexer, files: &Files) -> Option<Version> {
    let mut evidence = Evidence::default();
    let mut seen: HashSet<PathBuf> = HashSet::new();
    let mut open: Vec<(PathBuf, Lexer)> = Vec::new();
    loop {
        let (current, lexer) = match open.last_mut() {
            Some((path, lexer)) => (&**path, lexer),
            None => (path, &mut *main),
        };
        let included = look(lexer, &mut evidence);
        if evidence.sure.is_some() {
            break;
        }
        match included {
            Some(name) if files.disk && seen.len() < MAX_FILES => {
                let (path, _) = files.resolve(&name, Some(current));
                if seen.insert(path.clone())
                    && let Ok(bytes) = source::read(&path)
                {
                    open.push((path, Lexer::new(bytes)));
                }
            }
            Some(_) => {}
            None if open.pop().is_none() => break,
            None => {}
        }
    }
    main.rewind();
    evidence.verdict()
}

impl Importer<'_> {
    /// Warns once if something of `version` is in a scene of the other version.
    pub fn belongs_to(&mut self, version: Version, params: &Params, what: &'static str, kind: &str) {
        let number = |version| if version == Version::V3 { 3 } else { 4 };
        if let Some(own) = self.version.filter(|&own| own != version)
            && !std::mem::replace(&mut self.mixes_versions, true)
        {
            let (version, read_as) = (number(version), number(own));
            self.warn(params, PbrtWarning::OtherVersion { what, kind: kind.into(), version, read_as });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: Option<Version>) {
        let mut lexer = Lexer::new(text.as_bytes().to_vec());
        let files = Files::new(Path::new("a.pbrt"), false);
        assert_eq!(of_scene(Path::new("a.pbrt"), &mut lexer, &files), want, "{text}");
        assert_eq!(
            lexer.next().ok().flatten().map(|(_, line)| line),
            (!text.is_empty()).then_some(1),
            "{text}: rewound"
        );
    }

    #[test]
    fn the_whole_file_tells() {
        use Version::{V3, V4};
        check("", None);
        check("Translate 1 0 0 Shape \"sphere\" \"float radius\" [2]", None);
        check("WorldBegin LightSource \"infinite\" \"spectrum L\" \"light.spd\"", Some(V4));
        check("WorldBegin LightSource \"infinite\" \"spectrum L\" [300 1 800 2] WorldEnd", Some(V3));
        check("WorldBegin Shape \"trianglemesh\" \"point3 P\" [0 # ] ]\n 0 \"]\" 1] Material \"diffuse\"", Some(V4));
        check("WorldBegin LightSource \"point\" Material \"matte\"", Some(V3));
        check("LightSource \"point\" MakeNamedMaterial \"matte\" \"string type\" [ \"dielectric\" ]", Some(V4));
        check("LightSource \"point\" MakeNamedMaterial \"diffuse\" \"string type\" \"mirror\"", Some(V3));
        check("Film \"image\" \"string filename\" \"rgb\" Material \"diffuse\"", Some(V3));
        check("WorldBegin LightSource \"point\" \"rgb scale\" [2 2 2]", Some(V3));
        check("WorldBegin LightSource \"point\" \"color I\" [2 2 2] ColorSpace \"srgb\"", Some(V4));
        check("WorldBegin Shape \"sphere\" \"float radius\" { Material \"matte\"", Some(V4));
        check("Texture \"image\" \"spectrum\" \"uv\"", Some(V3));
        check("Sampler \"halton\" Sampler \"random\"", Some(V3));
    }
}
