//! Colours of vertices and faces of PLY files.

use super::header::{Element, Property, Scalar};
use crate::import::full_channel::full_channel;
use crate::import::ply::header::Kind;
use crate::model::linear_from_srgb;
use crate::{Place, PlyWarning, WarningKind};

/// Names of the properties for red, green, blue and alpha, each with its alternatives.
pub(super) const NAMES: [&[&str]; 4] = [
    &["red", "r", "diffuse_red"],
    &["green", "g", "diffuse_green"],
    &["blue", "b", "diffuse_blue"],
    &["alpha", "a", "diffuse_alpha"],
];

/// Names of properties that hold a whole colour in one value, which are not supported.
const WHOLE: [&str; 9] = ["color", "colour", "colors", "colours", "rgb", "rgba", "bgra", "argb", "abgr"];

/// Number types of a colour's channels in a PLY file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Channels {
    kinds: [Option<Scalar>; 4],
}

impl Channels {
    /// Makes the channels from their types; `None` where red, green or blue is missing.
    pub fn of(kinds: [Option<Scalar>; 4]) -> Option<Self> {
        (!kinds[..3].contains(&None)).then_some(Self { kinds })
    }

    /// Returns the index and type of the colour channel that a property is, if it is one.
    pub fn channel(property: &Property) -> Option<(usize, Scalar)> {
        let Kind::Scalar(kind) = property.kind else { return None };
        NAMES.iter().position(|names| names.contains(&property.name.as_str())).map(|channel| (channel, kind))
    }

    /// Reads a colour from an element's values; the second is `false` if a channel was not finite and counts as 0.
    /// Channels of bytes are linear with alpha already unless they are below 0, others are what they are in the file
    /// until [`Channels::finish`].
    #[inline]
    pub fn read(&self, values: &[f64]) -> ([f32; 4], bool) {
        let mut is_finite = true;
        let mut color = [1.0; 4];
        for (i, (channel, kind)) in color.iter_mut().zip(self.kinds).enumerate() {
            let Some(kind) = kind else { continue };
            *channel = match largest(kind) {
                // Counted in the end.
                Some(_) if kind.size() == 1 && values[i] < 0.0 => -1.0,
                Some(largest) if kind.size() == 1 => level(values[i] / largest, i),
                _ if (values[i] as f32).is_finite() => values[i] as f32,
                _ => {
                    is_finite = false;
                    0.0
                }
            };
        }
        (color, is_finite)
    }

    /// Converts float colours of an element to linear values, once all are read, and returns warnings. What a full
    /// channel is, its type does not say. Returns the warnings about that, for colours of `of`.
    ///
    /// Programs write 0 to 255 into any type, as trimesh reads it, too: integers of which none is above 255 are that,
    /// else of the range of 16 bits or of their type. Floats are linear, unless one is above 2, which no surface
    /// returns.
    pub fn finish(&self, of: &'static str, colors: &mut [[f32; 4]]) -> Vec<PlyWarning> {
        let wide =
            |i: usize, integers: bool| self.kinds[i].filter(|kind| kind.size() > 1 && kind.is_integer() == integers);
        let mut said = Vec::new();
        let is_signed = |kind: &Scalar| kind.size() > 1 || *kind == Scalar::I8;
        let mut negative = vec![false; if self.kinds.iter().flatten().any(is_signed) { colors.len() } else { 0 }];
        for i in (0..4).filter(|&i| self.kinds[i] == Some(Scalar::I8)) {
            for (color, negative) in colors.iter_mut().zip(&mut negative) {
                *negative |= color[i] < 0.0;
                color[i] = color[i].max(0.0);
            }
        }
        for (channels, integers) in [(0..3, true), (0..3, false), (3..4, true), (3..4, false)] {
            let channels: Vec<usize> = channels.filter(|&i| wide(i, integers).is_some()).collect();
            let Some(kind) = channels.first().and_then(|&i| wide(i, integers)) else { continue };
            let values = colors.iter().flat_map(|color| channels.iter().map(|&i| color[i]));
            let most = values.fold(0.0, f32::max);
            let white = match largest(kind) {
                Some(_) if most <= 255.0 => 255.0,
                Some(largest) if most <= 65_535.0 => largest.min(65_535.0),
                Some(largest) => largest,
                None if most <= 255.0 => full_channel(most).into(),
                None => 1.0,
            };
            let is_plain = !integers && white == 1.0;
            let is_beyond = is_plain && most > 255.0;
            if is_beyond && channels[0] < 3 {
                said.push(PlyWarning::BrightColors { of, kind: kind.name(), most });
            }
            if most > 0.0 && white != largest(kind).unwrap_or(1.0) && channels[0] < 3 {
                said.push(PlyWarning::ColorRange { of, kind: kind.name(), most, white });
            }
            for (color, negative) in colors.iter_mut().zip(&mut negative) {
                for &i in &channels {
                    *negative |= color[i] < 0.0;
                    color[i] = match is_plain {
                        true => color[i].clamp(0.0, if is_beyond { 1.0 } else { most }),
                        false => level(f64::from(color[i]) / white, i),
                    };
                }
            }
        }
        let negative = negative.into_iter().filter(|&negative| negative).count();
        if negative > 0 {
            said.push(PlyWarning::NegativeColors { of, count: negative });
        }
        said
    }
}

/// Returns a warning about colours of `element` that are packed into one number or are in lists, which are not read.
pub(super) fn not_read(element: &Element) -> Option<(Place, WarningKind)> {
    let whole = |property: &&Property| WHOLE.iter().any(|name| property.name.eq_ignore_ascii_case(name));
    let property = element.properties.iter().find(whole).filter(|_| element.count > 0)?;
    let in_lists = matches!(property.kind, Kind::List { .. });
    let of = match &*element.name {
        "face" if in_lists => "corners of faces",
        "face" => "faces",
        _ => "vertices",
    };
    let warning = PlyWarning::PackedColors { of, in_lists, property: property.name.clone() };
    Some((Place::Line(element.line), warning.into()))
}

/// Converts a channel's fraction of its full value: colours from sRGB to linear, as painting and scanning programs
/// write them, alpha unchanged.
fn level(share: f64, channel: usize) -> f32 {
    let share = share.clamp(0.0, 1.0) as f32;
    if channel < 3 { linear_from_srgb(share) } else { share }
}

/// Returns the largest value of an integer type, which stands for a full channel; `None` for floats.
fn largest(kind: Scalar) -> Option<f64> {
    Some(match kind {
        Scalar::I8 => 127.0,
        Scalar::U8 => 255.0,
        Scalar::I16 => 32_767.0,
        Scalar::U16 => 65_535.0,
        Scalar::I32 => 2_147_483_647.0,
        Scalar::U32 => 4_294_967_295.0,
        Scalar::F32 | Scalar::F64 => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: Scalar, levels: [f64; 4], want: [f32; 4], warnings: &[PlyWarning]) {
        let channels = Channels::of([Some(kind); 4]).unwrap();
        // Beside it a colour of zeros.
        let mut colors = [channels.read(&levels).0, channels.read(&[0.0; 4]).0];
        assert_eq!(channels.finish("vertices", &mut colors), warnings);
        let [r, g, b, a] = want;
        let want = [linear_from_srgb(r), linear_from_srgb(g), linear_from_srgb(b), a];
        assert!(
            colors[0].iter().zip(want).all(|(got, want)| (got - want).abs() < 1e-6),
            "{:?}, not {want:?}",
            colors[0]
        );
        assert_eq!(colors[1], [0.0; 4]);
    }

    #[test]
    fn the_range_of_wide_types_is_that_of_their_numbers() {
        let some = [1.0, 0.4, 0.0, 1.0];
        check(Scalar::U8, [255.0, 102.0, 0.0, 255.0], some, &[]);
        let range = |kind, most, white| PlyWarning::ColorRange { of: "vertices", kind, most, white };
        for (kind, name) in [
            (Scalar::I16, "short"),
            (Scalar::U16, "ushort"),
            (Scalar::I32, "int"),
            (Scalar::U32, "uint"),
            (Scalar::F32, "float"),
            (Scalar::F64, "double"),
        ] {
            check(kind, [255.0, 102.0, 0.0, 255.0], some, &[range(name, 255.0, 255.0)]);
        }
        check(Scalar::U16, [65_535.0, 26_214.0, 0.0, 65_535.0], some, &[]);
        check(Scalar::I16, [32_767.0, 13_106.8, 0.0, 32_767.0], some, &[]);
        let channels = Channels::of([Some(Scalar::F32); 4]).unwrap();
        let mut colors = [channels.read(&[256.0, 0.5, 0.0, 1.0]).0];
        let bright = PlyWarning::BrightColors { of: "vertices", kind: "float", most: 256.0 };
        assert_eq!(channels.finish("vertices", &mut colors), [bright]);
        assert_eq!(colors, [[1.0, 0.5, 0.0, 1.0]]);
        check(Scalar::I32, [65_535.0, 26_214.0, 0.0, 65_535.0], some, &[range("int", 65_535.0, 65_535.0)]);
        check(Scalar::U32, [4_294_967_295.0, 1_717_986_918.0, 0.0, 4_294_967_295.0], some, &[]);
        let negative = [PlyWarning::NegativeColors { of: "vertices", count: 1 }];
        check(Scalar::U32, [0.0, 0.0, 0.0, 0.0], [0.0; 4], &[]);
        check(Scalar::F32, [1.0, -1.0, 0.0, 0.5], [1.0, 0.0, 0.0, 0.5], &negative);
        check(Scalar::I16, [-1.0, -1.0, 0.0, 0.0], [0.0; 4], &negative);
        check(Scalar::I8, [127.0, -1.0, 0.0, 127.0], [1.0, 0.0, 0.0, 1.0], &negative);
        check(Scalar::I8, [0.0, 0.0, 0.0, -128.0], [0.0; 4], &negative);
        // Floats are linear, also a little above 1.
        let channels = Channels::of([Some(Scalar::F32), Some(Scalar::F32), Some(Scalar::F32), None]).unwrap();
        let mut colors = [channels.read(&[0.5, 1.5, 0.0]).0];
        assert_eq!((channels.finish("faces", &mut colors), colors), (vec![], [[0.5, 1.5, 0.0, 1.0]]));
    }
}
