//! MTL files as they are written; `material.rs` says what they mean.

use super::fault::Fault;
use super::lines::{Line, Lines, finite};
use crate::import::text;
use crate::{ObjFault, ObjWarning};

/// Material entry of an MTL library. `None` where the file is silent.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Entry {
    pub name: String,
    /// Line number of the entry's `newmtl`.
    pub line: u64,
    /// `true` if Blender wrote the entry, as it gives some statements its own meaning.
    pub from_blender: bool,
    /// Ambient colour Ka, which in Blender's files tells how metallic the surface is and is ignored in others.
    pub ambient: Option<[f32; 3]>,
    /// Diffuse colour Kd.
    pub diffuse: Option<[f32; 3]>,
    /// Specular colour Ks.
    pub specular: Option<[f32; 3]>,
    /// Emitted colour Ke.
    pub emission: Option<[f32; 3]>,
    /// Transmission colour filter Tf.
    pub filter: Option<[f32; 3]>,
    /// Specular exponent Ns.
    pub exponent: Option<f32>,
    /// Index of refraction Ni.
    pub ior: Option<f32>,
    /// Opacity d, 1 for opaque.
    pub dissolve: Option<f32>,
    /// Transparency Tr, 0 for opaque.
    pub transparency: Option<f32>,
    /// Number of the illumination model, illum.
    pub model: Option<u32>,
    /// Roughness of the surface, Pr, 0 to 1.
    pub roughness: Option<f32>,
    /// Metalness of the surface, Pm, 0 to 1.
    pub metallic: Option<f32>,
    /// Strength of the clear coat, Pc, 0 to 1.
    pub clearcoat: Option<f32>,
    /// Roughness of the clear coat, Pcr.
    pub clearcoat_roughness: Option<f32>,
    pub ambient_map: Option<Map>,
    pub diffuse_map: Option<Map>,
    pub specular_map: Option<Map>,
    pub emission_map: Option<Map>,
    pub dissolve_map: Option<Map>,
    pub roughness_map: Option<Map>,
    pub metallic_map: Option<Map>,
    pub exponent_map: Option<Map>,
    /// Map of reflections, map_refl, which only Blender's files use.
    pub reflection_map: Option<Map>,
    pub clearcoat_map: Option<Map>,
    pub clearcoat_roughness_map: Option<Map>,
    pub bump_map: Option<Map>,
    pub normal_map: Option<Map>,
}

/// Texture map of an MTL entry with its options.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Map {
    /// Path of the image file, with `/` between folders.
    pub file: String,
    pub line: u64,
    /// Scale of texture coordinates along u and v, option -s.
    pub scale: [f32; 2],
    /// Offset of texture coordinates along u and v, option -o.
    pub offset: [f32; 2],
    /// `true` if coordinates are clamped, option -clamp on.
    pub clamp: bool,
    /// Factor of bump heights, option -bm.
    pub bump: f32,
    /// Letter of the image channel, option -imfchan.
    pub channel: Option<char>,
}

/// Warnings with their line numbers.
type Warnings = Vec<(u64, ObjWarning)>;

pub(super) fn parse(bytes: &[u8]) -> Result<(Vec<Entry>, Warnings), Fault> {
    let text = text::decode(bytes).map_err(|kind| Fault::new(1, kind))?;
    let mut entries: Vec<Entry> = Vec::new();
    let mut warnings = Vec::new();
    let from_blender = is_from_blender(&text);
    let mut negative: Option<(u64, usize)> = None;
    for line in Lines::new(&text) {
        let keyword = line.keyword().to_ascii_lowercase();
        if keyword == "newmtl" {
            let name = line.rest().to_string();
            entries.push(Entry { name, line: line.number, from_blender, ..Entry::default() });
            continue;
        }
        match entries.last_mut() {
            Some(entry) => {
                statement(entry, &keyword, &line, &mut warnings)?;
                if is_positive(&keyword) && line.words().take(3).filter_map(finite).any(|x| x < 0.0) {
                    negative.get_or_insert((line.number, 0)).1 += 1;
                }
            }
            None => {
                let keyword = text::start(&keyword, 40);
                warnings.push((line.number, ObjWarning::BeforeMaterials { keyword }));
            }
        }
    }
    if let Some((line, statements)) = negative {
        warnings.push((line, ObjWarning::NegativeNumbers { statements }));
    }
    Ok((entries, warnings))
}

/// Returns `true` if the numbers of the statement `keyword` cannot be negative.
fn is_positive(keyword: &str) -> bool {
    matches!(keyword, "kd" | "ks" | "ke" | "tf" | "ns" | "ni" | "d" | "tr" | "pr" | "pm" | "pc" | "pcr")
}

/// Returns `true` if an MTL file begins with the comment of one of Blender's exporters
/// (`# Blender 4.2.0 MTL File: 'None'`).
fn is_from_blender(text: &str) -> bool {
    let first = text::Lines::new(text).find(|line| !line.trim().is_empty());
    first.is_some_and(|line| line.trim_start().strip_prefix('#').is_some_and(|rest| rest.contains("Blender")))
}

fn statement(entry: &mut Entry, keyword: &str, line: &Line, warnings: &mut Warnings) -> Result<(), Fault> {
    match keyword {
        "kd" => entry.diffuse = color(line, warnings)?,
        "ks" => entry.specular = color(line, warnings)?,
        "ke" => entry.emission = color(line, warnings)?,
        "tf" => entry.filter = color(line, warnings)?,
        "ns" => entry.exponent = Some(number(line)?),
        "ni" => entry.ior = Some(number(line)?),
        "d" => {
            if line.words().any(|word| word == "-halo") {
                warnings.push((line.number, ObjWarning::Halo));
            }
            entry.dissolve = Some(number(line)?);
        }
        "tr" => entry.transparency = Some(number(line)?),
        "pr" => entry.roughness = Some(number(line)?),
        "pm" => entry.metallic = Some(number(line)?),
        "pc" => entry.clearcoat = Some(number(line)?),
        "pcr" => entry.clearcoat_roughness = Some(number(line)?),
        "illum" => {
            let value = number(line)?;
            if value.fract() != 0.0 || !(0.0..=10.0).contains(&value) {
                warnings.push((line.number, ObjWarning::UnknownModel { value }));
            } else {
                if value == 10.0 {
                    warnings.push((line.number, ObjWarning::InvisibleShadows));
                }
                entry.model = Some(value as u32);
            }
        }
        "map_kd" => entry.diffuse_map = map(line, warnings),
        "map_ks" => entry.specular_map = map(line, warnings),
        "map_ke" => entry.emission_map = map(line, warnings),
        "map_d" => entry.dissolve_map = map(line, warnings),
        "map_pr" => entry.roughness_map = map(line, warnings),
        "map_pm" => entry.metallic_map = map(line, warnings),
        "map_ns" => entry.exponent_map = map(line, warnings),
        "map_pc" => entry.clearcoat_map = map(line, warnings),
        "map_pcr" => entry.clearcoat_roughness_map = map(line, warnings),
        "map_bump" | "bump" => entry.bump_map = map(line, warnings),
        "norm" | "map_kn" => entry.normal_map = map(line, warnings),
        // Ambient light has no meaning where light is followed.
        "ka" => entry.ambient = color(line, &mut Vec::new()).unwrap_or_default(),
        "refl" | "map_refl" if entry.from_blender => entry.reflection_map = map(line, warnings),
        "map_ka" => entry.ambient_map = map(line, &mut Vec::new()),
        // Of a map of reflections, which is warned about.
        "sharpness" => {}
        // Angles of what is warned about.
        "anisor" => {}
        other => match not_rendered(other) {
            // Programs that write these write 0 where there is none of it.
            Some(_) if line.words().next().and_then(finite) == Some(0.0) => {}
            Some(what) => {
                warnings.push((line.number, ObjWarning::NotRendered { statement: keyword.into(), what }));
            }
            None => {
                warnings.push((line.number, ObjWarning::UnknownStatement { statement: text::start(other, 40) }));
            }
        },
    }
    Ok(())
}

/// Names the effect of a known statement that is not rendered, for a warning.
fn not_rendered(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "ps" | "map_ps" => "sheen",
        "aniso" | "map_aniso" => "the direction of roughness",
        "refl" | "map_refl" => "a map of reflections",
        "disp" | "map_disp" => "displacement",
        "decal" => "a decal",
        "map_tr" => "a map of transparency other than map_d",
        "map_tf" => "a map of the transmission filter",
        "map_ni" => "a map of indices of refraction",
        "map_opacity" => "a map of opacity other than map_d",
        "map_ao" | "map_occlusion" => "baked occlusion",
        _ => return None,
    })
}

/// Parses a colour: `r g b`, or one number for all three channels.
fn color(line: &Line, warnings: &mut Warnings) -> Result<Option<[f32; 3]>, Fault> {
    let words: Vec<&str> = line.words().collect();
    if let ["spectral" | "xyz", ..] = words.as_slice() {
        let (statement, kind) = (line.keyword().into(), words[0].into());
        warnings.push((line.number, ObjWarning::SpectralColor { statement, kind }));
        return Ok(None);
    }
    let value = |word: &&str| finite(word).map(|x| x.max(0.0));
    let color = match words.as_slice() {
        [grey] => value(grey).map(|grey| [grey; 3]),
        [r, g, b, ..] => (|| Some([value(r)?, value(g)?, value(b)?]))(),
        _ => None,
    };
    let fault = || Fault::new(line.number, ObjFault::Color { text: text::start(line.rest(), 60) });
    color.map(Some).ok_or_else(fault)
}

/// Parses one number that is not negative; `-halo` before it is skipped.
fn number(line: &Line) -> Result<f32, Fault> {
    let word = line.words().find(|&word| word != "-halo").unwrap_or_default();
    let fault = || Fault::new(line.number, ObjFault::Number { word: text::start(word, 40) });
    finite(word).map(|x| x.max(0.0)).ok_or_else(fault)
}

/// Parses a map: options, then a file name that may contain spaces. Only a missing name is an error, and it stops no
/// scene.
fn map(line: &Line, warnings: &mut Warnings) -> Option<Map> {
    let mut map = Map {
        file: String::new(),
        line: line.number,
        scale: [1.0; 2],
        offset: [0.0; 2],
        clamp: false,
        bump: 1.0,
        channel: None,
    };
    let mut rest = line.rest();
    while rest.starts_with('-') {
        let (option, behind) = word(rest);
        let used;
        (rest, used) = match option {
            "-s" => (numbers(behind, &mut map.scale), true),
            "-o" => (numbers(behind, &mut map.offset), true),
            "-bm" => (numbers(behind, std::slice::from_mut(&mut map.bump)), true),
            "-t" => (numbers(behind, &mut [0.0; 3]), false),
            "-mm" => (word(word(behind).1).1, false),
            "-clamp" => {
                let (value, behind) = word(behind);
                map.clamp = value == "on";
                (behind, true)
            }
            "-imfchan" => {
                let (value, behind) = word(behind);
                map.channel = value.chars().next();
                (behind, true)
            }
            "-blendu" | "-blendv" => (word(behind).1, true), // of filters, which are ours to choose
            "-cc" | "-boost" | "-texres" | "-type" => (word(behind).1, false),
            _ => break, // a file whose name begins so
        };
        if !used {
            let (option, statement) = (option.into(), line.keyword().into());
            warnings.push((line.number, ObjWarning::Option { option, statement }));
        }
    }
    map.file = rest.trim_matches('"').replace('\\', "/");
    if map.file.is_empty() {
        warnings.push((line.number, ObjWarning::WithoutFile { statement: line.keyword().into() }));
        return None;
    }
    Some(map)
}

/// Splits a text into its first word and what follows.
fn word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((text, ""));
    (word, rest.trim_start())
}

/// Parses up to three numbers but leaves at least one word for the file name; returns the rest.
fn numbers<'a>(mut text: &'a str, values: &mut [f32]) -> &'a str {
    // Of -s and -o the third, along w, is of no use to flat images.
    let most = if values.len() == 2 { 3 } else { values.len() };
    for i in 0..most {
        let (first, rest) = word(text);
        let Some(value) = finite(first).filter(|_| !rest.is_empty()) else { break };
        if let Some(slot) = values.get_mut(i) {
            *slot = value;
        }
        text = rest;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn one(text: &str) -> (Entry, Warnings) {
        let (mut entries, warnings) = parse(format!("newmtl a b\n{text}").as_bytes()).unwrap();
        assert_eq!((entries.len(), entries[0].name.as_str()), (1, "a b"));
        (entries.remove(0), warnings)
    }

    #[test]
    fn statements_are_read_in_any_case() {
        let (entry, warnings) =
            one("\tKd 0.1 0.2 0.3\nks 0.5\nNS 10 \nNi 1.5\nd -halo 0.25\nTr 0.75\nillum 2\nKa 1 1 1\n\
            Tf 1 1 1\nKe 17 12 4\nPr 0.5\nPm 1\nmap_kd x.png\n");
        assert_eq!(entry.diffuse, Some([0.1, 0.2, 0.3]));
        assert_eq!(entry.specular, Some([0.5; 3]));
        assert_eq!((entry.exponent, entry.ior, entry.dissolve), (Some(10.0), Some(1.5), Some(0.25)));
        assert_eq!((entry.transparency, entry.model), (Some(0.75), Some(2)));
        assert_eq!((entry.filter, entry.emission), (Some([1.0; 3]), Some([17.0, 12.0, 4.0])));
        assert_eq!((entry.roughness, entry.metallic), (Some(0.5), Some(1.0)));
        assert_eq!(entry.diffuse_map.map(|m| m.file), Some("x.png".into()));
        assert_eq!(warnings, [(6, ObjWarning::Halo)]);
    }

    #[test]
    fn map_options_are_told_from_names_with_blanks() {
        let map = |text: &str| one(&format!("map_Bump {text}")).0.bump_map.unwrap();
        assert_eq!(map("tex dir\\my file.png").file, "tex dir/my file.png");
        let all = map("-s 2 3 1 -o 0.5 -bm 0.2 -clamp on -imfchan g -blendu off \"a b.png\"");
        assert_eq!((all.scale, all.offset, all.bump), ([2.0, 3.0], [0.5, 0.0], 0.2));
        assert_eq!((all.clamp, all.channel, all.file.as_str()), (true, Some('g'), "a b.png"));
        assert_eq!(map("-s 2 7").file, "7");
        assert_eq!(map("-odd name.png").file, "-odd name.png");
        let (entry, warnings) = one("map_Kd -mm 0 1 x.png\nmap_d\nmap_Ks -s 1 1");
        assert_eq!(entry.diffuse_map.unwrap().file, "x.png");
        assert_eq!((entry.dissolve_map, entry.specular_map.unwrap().file.as_str()), (None, "1"));
        let option = ObjWarning::Option { option: "-mm".into(), statement: "map_Kd".into() };
        assert_eq!(warnings[0], (2, option));
        assert_eq!(warnings[1], (3, ObjWarning::WithoutFile { statement: "map_d".into() }));
    }

    #[test]
    fn what_is_wrong_names_its_line() {
        let fails = |text: &str| parse(text.as_bytes()).unwrap_err();
        let color = |text: &str| ObjFault::Color { text: text.into() };
        let number = |word: &str| ObjFault::Number { word: word.into() };
        assert_eq!(fails("newmtl a\n\nKd 1 red 1"), Fault::new(3, color("1 red 1")));
        assert_eq!(fails("newmtl a\nKd 1 1"), Fault::new(2, color("1 1")));
        assert_eq!(fails("newmtl a\nNs inf"), Fault::new(2, number("inf")));
        assert_eq!(fails("newmtl a\nd"), Fault::new(2, number("")));
        let (_, warnings) = one("Kd spectral x.rfl\nillum 77\nfrob 1");
        assert_eq!(warnings.iter().map(|w| w.0).collect::<Vec<_>>(), [2, 3, 4]);
        assert_eq!(parse(b"Kd 1 1 1").unwrap().1.len(), 1);
        let (entry, warnings) = one("Kd -1 -1 -1\nKs 0 -0.5 1\nNs -3\nKa -1 0 0\nd -halo -1");
        assert_eq!((entry.diffuse, entry.specular), (Some([0.0; 3]), Some([0.0, 0.0, 1.0])));
        let warning = (2, ObjWarning::NegativeNumbers { statements: 4 });
        assert!(warnings.contains(&warning), "{warnings:?}");
    }
}
