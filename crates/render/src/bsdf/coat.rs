//! A clear dielectric coat over any base.

use super::albedo_table::{AlbedoRow, AlbedoTable, albedo};
pub(super) use super::coat_table::COAT_F0;
use super::coat_table::{CoatLoss, CoatMeans};
use super::facets::Returned;
use super::fresnel::schlick;
use super::ggx::Ggx;
use glam::{Vec2, Vec3};

/// Smallest alpha of lobes in layered models, which have no delta lobes: a lobe of 1e-3 looks like a mirror, and f32
/// can hold its density.
pub(crate) const MIN_LAYER_ALPHA: f32 = 1e-3;

/// Clear dielectric coat as seen from `wo`: GGX reflection over the fraction `strength` of the area.
///
/// What is under it is scaled by `1 - strength max(E(wo), E(wi))`, E the coat's albedo. Unlike
/// `(1 - E(wo)) (1 - E(wi)) / (1 - mean)`, which suits a Lambert base only, this bounds any base: it is
/// reciprocal and never makes energy, though it loses a little. With further bounces the loss is known
/// ([`Beneath`]), and a lobe of the base's returns it.
#[derive(Debug, Clone, Copy)]
pub struct Coat {
    strength: f32,
    f0: Vec3,
    alpha: f32,
    ggx: Ggx,
    row: AlbedoRow<'static>,
    e_wo: f32,
}

/// Fraction of light left to a base under a coat for diffuse lobes: what a dielectric's facets let in, or what a white
/// metal's facets lose.
#[derive(Debug, Clone, Copy)]
pub struct Left {
    /// Fraction of the light that is left to a dielectric base.
    pub dielectric: Vec3,
    /// Fraction of the light that is left to a metal base.
    pub metal: f32,
}

/// Loss of a coat over white facets of one roughness, which a lobe of the base returns.
#[derive(Debug, Clone, Copy)]
pub struct Beneath {
    table: CoatLoss,
    /// Factor on the losses from the table, for the coat's strength and reflectance.
    scale: f32,
}

impl Coat {
    /// Makes a coat as seen from `wo`; `None` if its strength is 0.
    #[inline]
    pub fn new(strength: f32, f0: f32, alpha: f32, wo: Vec3) -> Option<Self> {
        (strength > 0.0).then(|| {
            let alpha = alpha.clamp(MIN_LAYER_ALPHA, 1.0);
            let row = AlbedoTable::ggx().row(alpha);
            let f0 = Vec3::splat(f0);
            Self {
                strength: strength.min(1.0),
                f0,
                alpha,
                ggx: Ggx::new(Vec2::splat(alpha)),
                row,
                e_wo: albedo(f0, 1.0, row.at(wo.z)).x,
            }
        })
    }

    /// Returns the fraction of the light from `wo` that the coat reflects.
    #[inline]
    pub fn albedo(&self) -> f32 {
        self.strength * self.e_wo
    }

    /// Returns the fraction of the light from `w` that a coat of full strength reflects.
    #[inline]
    pub fn e(&self, w: Vec3) -> f32 {
        albedo(self.f0, 1.0, self.row.at(w.z)).x
    }

    /// Returns the fraction of the base's scattering towards `wo` that the coat leaves; `e` is the coat's albedo in the
    /// incident direction.
    #[inline]
    pub fn transmitted(&self, e: f32) -> f32 {
        1.0 - self.strength * self.e_wo.max(e)
    }

    /// Returns the fraction of light that passes the coat, from a direction in which its albedo is `e`.
    #[inline]
    pub fn let_in(&self, e: f32) -> f32 {
        1.0 - self.strength * e
    }

    /// Returns the fraction of the light from `wo` that passes the coat ([`Coat::let_in`]).
    #[inline]
    pub fn let_in_wo(&self) -> f32 {
        self.let_in(self.e_wo)
    }

    /// Returns the fraction of light that passes the coat ([`Coat::let_in`]), averaged over the hemisphere.
    #[inline]
    pub fn let_in_mean(&self) -> f32 {
        self.let_in(albedo(self.f0, 1.0, self.row.mean()).x)
    }

    /// Returns the losses of this coat over white facets with alpha `base_alpha`.
    #[inline]
    pub fn beneath(&self, base_alpha: f32) -> Beneath {
        let scale = self.strength * (1.0 - self.f0.x) / (1.0 - COAT_F0);
        Beneath { table: CoatLoss::new(base_alpha, self.alpha), scale }
    }

    /// Returns [`Beneath::left`] averaged over the hemisphere, from the mean of what the base's facets return
    /// (`facets`) and their mean albedo `e` as a dielectric's with `f0` and `f90`.
    #[inline]
    pub fn left_mean(&self, beneath: &Beneath, facets: Returned, f0: Vec3, f90: f32, e: Vec3) -> Left {
        let means = beneath.table.means();
        let metal = self.metal_mean(beneath, &means, facets.lost);
        let covered = f0 * means.covered.x + f90 * means.covered.y;
        let dielectric = (1.0 - e) - (1.0 - self.let_in_mean()) + self.strength * covered;
        // What facets lose is left in any case; a mean of almost nothing must not divide.
        Left { dielectric: dielectric.max(Vec3::splat(metal)), metal }
    }

    /// Returns [`Beneath::left_metal`] averaged over the hemisphere, where white facets lose the fraction `lost` on
    /// average.
    #[inline]
    pub fn left_mean_metal(&self, beneath: &Beneath, lost: f32) -> f32 {
        self.metal_mean(beneath, &beneath.table.means(), lost)
    }

    #[inline]
    fn metal_mean(&self, beneath: &Beneath, means: &CoatMeans, lost: f32) -> f32 {
        let e = albedo(self.f0, 1.0, means.lost).x;
        lost * self.let_in(e) + beneath.scale * means.loss
    }

    /// Returns the coat's reflection `f cos` and its density, for the half vector `h`.
    #[inline]
    pub fn eval(&self, wo: Vec3, wi: Vec3, h: Vec3) -> (f32, f32) {
        let pdf = self.ggx.reflection_pdf(wo, h);
        (self.strength * schlick(self.f0, 1.0, wo.dot(h)).x * self.ggx.g1(wi) * pdf, pdf)
    }

    /// Samples a microfacet normal of the coat that is visible from `wo`.
    #[inline]
    pub fn sample_normal(&self, wo: Vec3, u: [f32; 2]) -> Vec3 {
        self.ggx.sample_visible(wo, u)
    }
}

impl Beneath {
    /// Returns the fraction of light from a direction that is left to a white metal base, whose facets lose `lost`,
    /// under a coat that lets in `let_in`.
    #[inline]
    pub fn left_metal(&self, cos: f32, lost: f32, let_in: f32) -> f32 {
        lost * let_in + self.scale * self.table.at(cos)
    }

    /// Returns the fractions of light from a direction left to a base of any kind; `e` is its albedo as a dielectric,
    /// which reflects and loses less than white facets.
    #[inline]
    pub fn left(&self, cos: f32, facets: Returned, e: Vec3, let_in: f32) -> Left {
        let too_much = self.scale * self.table.at(cos);
        let share = (e * (1.0 / (1.0 - facets.lost).max(1e-6))).min(Vec3::ONE);
        Left { dielectric: (1.0 - e) * let_in + share * too_much, metal: facets.lost * let_in + too_much }
    }
}
