//! Meaning of a picture's numbers, which its file carries.

use super::Exposure;
use crate::options::Integrator;

/// Quantity that the colours of a picture's pixels are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shows {
    /// Linear light: exposed and toned to be looked at.
    #[default]
    Radiance,
    /// Normals as `(n + 1) / 2`.
    Normal,
    /// Distances, [`super::MISS_DEPTH`] where there is nothing.
    Depth,
    /// Work of camera rays.
    Cost,
    /// Reflectance, 0 to 1.
    Albedo,
    /// Variance of the luminance of a pixel's mean.
    Variance,
    /// Samples a pixel.
    Samples,
}

impl Shows {
    const ALL: [Self; 7] =
        [Self::Radiance, Self::Normal, Self::Depth, Self::Cost, Self::Albedo, Self::Variance, Self::Samples];

    /// Returns what an integrator's pictures show.
    pub fn of(integrator: Integrator) -> Self {
        match integrator {
            Integrator::Path | Integrator::AmbientOcclusion { .. } => Self::Radiance,
            Integrator::Normal => Self::Normal,
            Integrator::Depth => Self::Depth,
            Integrator::Cost => Self::Cost,
        }
    }

    /// Returns the word in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Radiance => "radiance",
            Self::Normal => "normal",
            Self::Depth => "depth",
            Self::Cost => "cost",
            Self::Albedo => "albedo",
            Self::Variance => "variance",
            Self::Samples => "samples",
        }
    }

    /// Parses a word of a file; a newer program's word counts as radiance.
    pub(super) fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|shows| shows.name() == name).unwrap_or_default()
    }
}

/// Facts about a picture beside its numbers. EXR files and shares carry them, so that they can be converted later as
/// the render itself would have been written.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Content {
    /// Quantity that pixels show.
    pub shows: Shows,
    /// `true` if the background was left out, so that the picture has an alpha.
    pub transparent: bool,
    /// Factor on radiance that the scene's film asks for, before a user's own.
    pub film_exposure: Exposure,
}
