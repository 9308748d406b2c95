//! Meaning of a picture's numbers, which its file carries.

use super::Exposure;
use crate::options::Integrator;

/// Quantity that the colours of a picture stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shows {
    /// Linear radiance, which is exposed and tone-mapped for display.
    #[default]
    Radiance,
    /// Shading normals as `(n + 1) / 2`.
    Normal,
    /// Distances of first hits, [`super::MISS_DEPTH`] where nothing was hit.
    Depth,
    /// Work of tracing camera rays.
    Cost,
    /// Albedo at first hits, 0 to 1.
    Albedo,
    /// Variance of the luminance of each pixel's mean.
    Variance,
    /// Number of samples of each pixel.
    Samples,
}

impl Shows {
    const ALL: [Self; 7] =
        [Self::Radiance, Self::Normal, Self::Depth, Self::Cost, Self::Albedo, Self::Variance, Self::Samples];

    /// Returns the quantity that pictures of an integrator show.
    pub fn of(integrator: Integrator) -> Self {
        match integrator {
            Integrator::Path | Integrator::AmbientOcclusion { .. } => Self::Radiance,
            Integrator::Normal => Self::Normal,
            Integrator::Depth => Self::Depth,
            Integrator::Cost => Self::Cost,
        }
    }

    /// Returns the word for this quantity in picture files.
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

    /// Parses the word in a picture file; an unknown one (of a newer program) counts as radiance.
    pub(super) fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|shows| shows.name() == name).unwrap_or_default()
    }
}

/// Meaning of a picture's numbers: the quantity they show, alpha, and the film's exposure. EXR files and shares carry
/// them, so that they can be converted later as the render itself would have been written.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Content {
    /// Quantity that the colours stand for.
    pub shows: Shows,
    /// `true` if the background was left out, so that the picture has an alpha channel.
    pub transparent: bool,
    /// Factor on radiance that the scene's film asks for, besides the user's exposure.
    pub film_exposure: Exposure,
}
