//! Colours of vertices and faces.

use super::header::{Property, Scalar};
use crate::import::ply::header::Kind;
use crate::model::linear_from_srgb;

/// Names of the channels, each by any of them.
pub(super) const NAMES: [&[&str]; 4] = [
    &["red", "r", "diffuse_red"],
    &["green", "g", "diffuse_green"],
    &["blue", "b", "diffuse_blue"],
    &["alpha", "a", "diffuse_alpha"],
];

/// How the channels of a colour are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Channels {
    kinds: [Option<Scalar>; 4],
}

impl Channels {
    /// `None` where red, green or blue is not there.
    pub fn of(kinds: [Option<Scalar>; 4]) -> Option<Self> {
        (!kinds[..3].contains(&None)).then_some(Self { kinds })
    }

    /// The channel that a property is, of elements that have colours.
    pub fn channel(property: &Property) -> Option<(usize, Scalar)> {
        let Kind::Scalar(kind) = property.kind else { return None };
        NAMES.iter().position(|names| names.contains(&property.name.as_str())).map(|channel| (channel, kind))
    }

    /// The colour, linear with alpha, and whether all of it was finite; what is not counts as 0.
    #[inline]
    pub fn linear(&self, values: &[f64]) -> ([f32; 4], bool) {
        let mut is_finite = true;
        let mut color = [1.0; 4];
        for (i, (channel, kind)) in color.iter_mut().zip(self.kinds).enumerate() {
            let Some(kind) = kind else { continue };
            *channel = match largest(kind) {
                // Integers are what painting and scanning programs write: sRGB, alpha linear.
                Some(largest) if i < 3 => linear_from_srgb((values[i] / largest).clamp(0.0, 1.0) as f32),
                Some(largest) => (values[i] / largest).clamp(0.0, 1.0) as f32,
                None if (values[i] as f32).is_finite() => (values[i] as f32).max(0.0),
                None => {
                    is_finite = false;
                    0.0
                }
            };
        }
        (color, is_finite)
    }
}

/// The largest value of an integer type, which is a full channel.
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
