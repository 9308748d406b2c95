//! A clear dielectric coat over any base.

use super::albedo_table::{AlbedoTable, Row, albedo};
pub(super) use super::coat_table::COAT_F0;
use super::coat_table::{CoatLoss, CoatMeans};
use super::facets::Returned;
use super::fresnel::schlick;
use super::ggx::Ggx;
use glam::{Vec2, Vec3};

/// Least alpha of a lobe in a layered model, which has no delta lobes: a spike of 1e-3 looks like a
/// mirror, and its density has room in f32.
pub(crate) const MIN_LAYER_ALPHA: f32 = 1e-3;

/// A coat as seen from `wo`: GGX reflection over `strength` of the area.
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
    row: Row<'static>,
    e_wo: f32,
}

/// Light that a base beneath a coat has left for lobes that scatter all around: for a dielectric the light that its
/// facets let in, for a white metal the light that its facets lose.
#[derive(Debug, Clone, Copy)]
pub struct Left {
    /// Share of the light that is left to a dielectric base.
    pub dielectric: Vec3,
    /// Share of the light that is left to a base of metal.
    pub metal: f32,
}

/// White facets of one alpha beneath a coat.
#[derive(Debug, Clone, Copy)]
pub struct Beneath {
    table: CoatLoss,
    /// Factor on the table's losses.
    scale: f32,
}

impl Coat {
    /// Makes the coat as `wo` sees it; `None` for a strength of 0.
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

    /// Returns the share of the light from `wo` that the coat reflects.
    #[inline]
    pub fn albedo(&self) -> f32 {
        self.strength * self.e_wo
    }

    /// Returns the share of the light from `w` that the coat reflects, without `strength`.
    #[inline]
    pub fn e(&self, w: Vec3) -> f32 {
        albedo(self.f0, 1.0, self.row.at(w.z)).x
    }

    /// Returns the share of the base's scattering to `wo` that is left, `e` the albedo from where it came.
    #[inline]
    pub fn transmitted(&self, e: f32) -> f32 {
        1.0 - self.strength * self.e_wo.max(e)
    }

    /// Returns the share of the light that passes the coat, from where its albedo is `e`.
    #[inline]
    pub fn let_in(&self, e: f32) -> f32 {
        1.0 - self.strength * e
    }

    /// Returns [`Coat::let_in`] for the light from `wo`.
    #[inline]
    pub fn let_in_wo(&self) -> f32 {
        self.let_in(self.e_wo)
    }

    /// Returns the mean of [`Coat::let_in`] over the hemisphere.
    #[inline]
    pub fn let_in_mean(&self) -> f32 {
        self.let_in(albedo(self.f0, 1.0, self.row.mean()).x)
    }

    /// Returns the white facets of `base_alpha` under this coat.
    #[inline]
    pub fn beneath(&self, base_alpha: f32) -> Beneath {
        let scale = self.strength * (1.0 - self.f0.x) / (1.0 - COAT_F0);
        Beneath { table: CoatLoss::new(base_alpha, self.alpha), scale }
    }

    /// Returns the means of [`Beneath::left`] over the hemisphere, `facets` the mean of what the base returns and `e`
    /// of its albedo as a dielectric's of `f0` and `f90`.
    #[inline]
    pub fn left_mean(&self, beneath: &Beneath, facets: Returned, f0: Vec3, f90: f32, e: Vec3) -> Left {
        let means = beneath.table.means();
        let metal = self.metal_mean(beneath, &means, facets.lost);
        let covered = f0 * means.covered.x + f90 * means.covered.y;
        let dielectric = (1.0 - e) - (1.0 - self.let_in_mean()) + self.strength * covered;
        // What facets lose is left in any case; a mean of almost nothing must not divide.
        Left { dielectric: dielectric.max(Vec3::splat(metal)), metal }
    }

    /// Returns the mean of [`Beneath::left_metal`], `lost` the mean of what white facets lose.
    #[inline]
    pub fn left_mean_metal(&self, beneath: &Beneath, lost: f32) -> f32 {
        self.metal_mean(beneath, &beneath.table.means(), lost)
    }

    #[inline]
    fn metal_mean(&self, beneath: &Beneath, means: &CoatMeans, lost: f32) -> f32 {
        let e = albedo(self.f0, 1.0, means.lost).x;
        lost * self.let_in(e) + beneath.scale * means.loss
    }

    /// Returns `f cos` of the coat's reflection and its density, `h` the half vector.
    #[inline]
    pub fn eval(&self, wo: Vec3, wi: Vec3, h: Vec3) -> (f32, f32) {
        let pdf = self.ggx.reflection_pdf(wo, h);
        (self.strength * schlick(self.f0, 1.0, wo.dot(h)).x * self.ggx.g1(wi) * pdf, pdf)
    }

    /// Samples a facet that `wo` sees.
    #[inline]
    pub fn sample_normal(&self, wo: Vec3, u: [f32; 2]) -> Vec3 {
        self.ggx.sample_visible(wo, u)
    }
}

impl Beneath {
    /// Returns the share of the light from a direction that is left for a white metal that loses `lost`, under a coat
    /// that lets in `let_in`.
    #[inline]
    pub fn left_metal(&self, cos: f32, lost: f32, let_in: f32) -> f32 {
        lost * let_in + self.scale * self.table.at(cos)
    }

    /// Returns the shares left for facets of any kind, `e` their albedo as a dielectric's: it reflects less than white
    /// ones, and loses less.
    #[inline]
    pub fn left(&self, cos: f32, facets: Returned, e: Vec3, let_in: f32) -> Left {
        let too_much = self.scale * self.table.at(cos);
        let share = (e * (1.0 / (1.0 - facets.lost).max(1e-6))).min(Vec3::ONE);
        Left { dielectric: (1.0 - e) * let_in + share * too_much, metal: facets.lost * let_in + too_much }
    }
}
