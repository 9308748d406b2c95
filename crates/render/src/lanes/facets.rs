//! Albedos of GGX facets of one alpha, and the losses of single scattering at them: `crate::bsdf::facets`, a surface a
//! lane.

use super::albedos::Row;
use super::losses::Losses;
use super::tables::Tables;
use crate::bsdf::Scattering;
use raywarp_lanes::{Vector, Words};

/// Energy that microfacets of one alpha per lane return and lose.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facets<'t, V, W> {
    scattering: Scattering,
    row: Row<'t, V, W>,
    losses: Losses<'t, V, W>,
}

/// Fraction of light that facets return in one direction, or on average, in terms of Schlick's albedo.
#[derive(Debug, Clone, Copy)]
pub(super) struct Returned<V> {
    /// Factors on f0 and f90 in the albedo of the facets.
    pub scale_bias: [V; 2],
    /// Fraction of the light that white facets lose.
    pub lost: V,
}

impl<V: Copy> Returned<V> {
    /// Makes the fractions for single scattering, from the albedo table's scale and bias.
    #[inline(always)]
    fn single<const N: usize>(scale_bias: [V; 2]) -> Self
    where
        V: Vector<N>,
    {
        let [scale, bias] = scale_bias;
        let one = V::splat(scale.set(), 1.0);
        Self { scale_bias, lost: one - (scale + bias).min(one) }
    }

    /// Scales a scale and bias by a common factor, so that white facets lose the fraction `lost`.
    #[inline(always)]
    fn corrected<const N: usize>([scale, bias]: [V; 2], lost: V) -> Self
    where
        V: Vector<N>,
    {
        let by = (V::splat(lost.set(), 1.0) - lost) / (scale + bias);
        Self { scale_bias: [scale * by, bias * by], lost }
    }
}

impl<'t, V> Facets<'t, V, ()> {
    /// Makes facets of `alpha`, 1e-3 to 1, whose albedos are looked up at `mean_alpha`.
    #[inline(always)]
    pub fn new<const N: usize>(
        tables: &'t Tables,
        alpha: V,
        mean_alpha: V,
        scattering: Scattering,
    ) -> Facets<'t, V, V::Words>
    where
        V: Vector<N>,
    {
        Facets { scattering, row: Row::new(&tables.ggx, mean_alpha), losses: Losses::new(tables, alpha) }
    }
}

impl<V, W> Facets<'_, V, W> {
    /// Returns the energy that the facets return in directions with these cosines.
    #[inline(always)]
    pub fn at<const N: usize>(&self, cos: V) -> Returned<V>
    where
        V: Vector<N, Words = W>,
        W: Words<N, Set = V::Set, Mask = V::Mask>,
    {
        let at = self.row.at(cos);
        match self.scattering {
            Scattering::Single => Returned::single(at),
            Scattering::Multiple => Returned::corrected(at, self.losses.at(cos)),
        }
    }

    /// Returns the energy that the facets return, averaged over the hemisphere with the cosine as weight.
    #[inline(always)]
    pub fn mean<const N: usize>(&self) -> Returned<V>
    where
        V: Vector<N, Words = W>,
    {
        match self.scattering {
            Scattering::Single => Returned::single(self.row.mean),
            Scattering::Multiple => Returned::corrected(self.row.mean, self.losses.mean),
        }
    }
}
