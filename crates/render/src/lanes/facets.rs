//! Albedos of GGX facets of one alpha, and the losses of single scattering at them: `crate::bsdf::facets`, a surface a
//! lane.

use super::albedos::Row;
use super::losses::Losses;
use super::tables::Tables;
use crate::bsdf::Scattering;
use raywarp_lanes::{Vector, Words};

/// Facets of one roughness.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facets<'t, V, W> {
    scattering: Scattering,
    row: Row<'t, V, W>,
    losses: Losses<'t, V, W>,
}

/// Share of light that facets return to one direction, or to all, in the terms of Schlick's albedo.
#[derive(Debug, Clone, Copy)]
pub(super) struct Returned<V> {
    /// Factors on f0 and f90 in the albedo.
    pub scale_bias: [V; 2],
    /// Share of the light that white facets lose.
    pub lost: V,
}

impl<V: Copy> Returned<V> {
    /// Returns what single scattering returns, from the table's scale and bias.
    #[inline(always)]
    fn single<const N: usize>(scale_bias: [V; 2]) -> Self
    where
        V: Vector<N>,
    {
        let [scale, bias] = scale_bias;
        let one = V::splat(scale.set(), 1.0);
        Self { scale_bias, lost: one - (scale + bias).min(one) }
    }

    /// Returns a scale and a bias with the same ratio, and such that white facets lose `lost`.
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
    /// Makes facets of `alpha`, 1e-3 to 1, whose albedos are those at `mean_alpha`.
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
    /// Returns what the facets return to a direction above, by its cosine.
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

    /// Returns the mean over the hemisphere, weighted by the cosine.
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
