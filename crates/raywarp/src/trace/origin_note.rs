//! Notes on rays of a scene that lies far from its coordinates' zero.

use std::fmt;

/// Error of rounding a coordinate to float32.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayRounding {
    /// Largest coordinate of the rays.
    pub at: f32,
    /// Largest error of rounding at that coordinate, to two digits.
    pub error: f64,
}

impl RayRounding {
    /// Returns the error of rounding near the coordinate `at`.
    pub(super) fn of(at: f32) -> Self {
        let error = (f64::from(at.next_up()) - f64::from(at)) / 2.0;
        Self { at, error: format!("{error:.1e}").parse().unwrap_or_default() }
    }
}

/// Note on rays of a scene with an origin: what is subtracted, or that the rays are less exact than the scene.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum OriginNote {
    /// The origin is subtracted in float64 before the rays are rounded.
    Subtracted {
        /// Origin of the scene.
        origin: [f64; 3],
        /// RayRounding of the rays that begin farthest from the origin, if the scene's details do not bear it.
        coarse: Option<RayRounding>,
    },
    /// The rays were float32 already, less exact than the scene's details bear.
    TooCoarse {
        /// Origin of the scene.
        origin: [f64; 3],
        /// RayRounding of the rays that begin farthest from zero.
        rounding: RayRounding,
    },
}

impl fmt::Display for OriginNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Subtracted { origin: [x, y, z], coarse } => {
                write!(f, "the scene's origin, {x} {y} {z}, is subtracted in float64 before they are rounded")?;
                let Some(RayRounding { at, error }) = coarse else { return Ok(()) };
                write!(f, "; those that begin {at} from it may be {error} off then: begin nearer")
            }
            Self::TooCoarse { origin: [x, y, z], rounding: RayRounding { at, error } } => write!(
                f,
                "float32 at {at} may be {error} off, more than the scene's details bear (its origin is {x} {y} {z}): \
                 give float64"
            ),
        }
    }
}
