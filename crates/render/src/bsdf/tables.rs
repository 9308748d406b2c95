//! The tables of all models in two flat arrays, for devices that do not share our constants.

use super::albedo_data::{BLINN, GGX};
use super::anisotropic_glass_data::{ANISOTROPIC_GLASS, ANISOTROPIC_GLASS_MEANS};
use super::loss_data::{ANISOTROPIC, ANISOTROPIC_MEANS, COAT, COAT_MEANS, GLASS, GLASS_MEANS, WHITE, WHITE_MEANS};

/// Tables of albedos and losses of rough surfaces and coats for other devices and for vectors: all tables one after
/// another, as floats or 16-bit fractions.
#[derive(Debug, Clone)]
pub struct BsdfTables {
    /// Albedos of GGX and Blinn facets (scale and bias by alpha, then their means over the hemisphere), then mean
    /// losses of white facets and of glass.
    pub numbers: Vec<f32>,
    /// Losses of white facets, glass and coats, the coats' means, then the extra losses and their means of anisotropic
    /// white facets and of anisotropic glass.
    pub fractions: Vec<u16>,
}

impl BsdfTables {
    /// Copies the tables of all models into the two arrays.
    pub fn new() -> Self {
        let albedos = [&GGX, &BLINN]
            .into_iter()
            .flat_map(|table| table.nodes.iter().chain([&table.means]).flatten().flatten().copied());
        let fractions: [&[u16]; 8] = [
            &WHITE,
            &GLASS,
            &COAT,
            &COAT_MEANS,
            &ANISOTROPIC,
            &ANISOTROPIC_MEANS,
            &ANISOTROPIC_GLASS,
            &ANISOTROPIC_GLASS_MEANS,
        ];
        Self { numbers: albedos.chain(WHITE_MEANS).chain(GLASS_MEANS).collect(), fractions: fractions.concat() }
    }
}

impl Default for BsdfTables {
    fn default() -> Self {
        Self::new()
    }
}
