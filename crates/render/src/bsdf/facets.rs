//! Directional albedo of GGX facets with Schlick's Fresnel term, and what single scattering loses at them.

use super::Scattering;
use super::albedo_table::AlbedoRow;
use super::loss_table::WhiteLosses;
use glam::{Vec2, Vec3};

/// Energy that microfacets of one roughness return and lose.
#[derive(Debug, Clone, Copy)]
pub struct Facets {
    row: AlbedoRow<'static>,
    /// More exact losses, at the horizon and for anisotropic facets; `None` for single scattering.
    losses: Option<WhiteLosses>,
}

/// Fraction of light that facets return in one direction, or on average, in terms of Schlick's albedo.
#[derive(Debug, Clone, Copy)]
pub struct Returned {
    /// Factors on f0 and f90 in the albedo of the facets.
    pub scale_bias: Vec2,
    /// Fraction of the light that white facets lose.
    pub lost: f32,
}

impl Facets {
    /// Makes facets of roughness `alpha`; `row` is the albedo table's row of an isotropic alpha near it.
    #[inline]
    pub fn new(row: AlbedoRow<'static>, alpha: Vec2, scattering: Scattering) -> Self {
        let losses = match scattering {
            Scattering::Single => None,
            Scattering::Multiple => Some(WhiteLosses::new(alpha)),
        };
        Self { row, losses }
    }

    /// Returns the energy that the facets return in the direction `w`.
    #[inline]
    pub fn at(&self, w: Vec3) -> Returned {
        let at = self.row.at(w.z);
        match &self.losses {
            None => Returned { scale_bias: at, lost: 1.0 - (at.x + at.y).min(1.0) },
            Some(losses) => corrected(at, losses.at(w)),
        }
    }

    /// Returns the energy that the facets return, averaged over the hemisphere with the cosine as weight.
    #[inline]
    pub fn mean(&self) -> Returned {
        let mean = self.row.mean();
        match &self.losses {
            None => Returned { scale_bias: mean, lost: 1.0 - (mean.x + mean.y).min(1.0) },
            Some(losses) => corrected(mean, losses.mean()),
        }
    }
}

/// Scales a scale and bias by a common factor, so that white facets lose the fraction `lost`.
#[inline]
fn corrected(scale_bias: Vec2, lost: f32) -> Returned {
    Returned { scale_bias: scale_bias * ((1.0 - lost) / (scale_bias.x + scale_bias.y)), lost }
}
