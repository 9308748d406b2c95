//! A clear dielectric coat over any base.

use super::Scattering;
use super::albedo_table::{AlbedoTable, albedo};
use super::facets::{Facets, Returned};
use super::fresnel::schlick;
use super::ggx::Ggx;
use super::loss_table::{COAT_F0, coat_loss};
use glam::{Vec2, Vec3};

/// Least alpha of a lobe in a layered model, which has no delta lobes: a spike of 1e-3 looks like a
/// mirror, and its density has room in f32.
pub(super) const MIN_LAYER_ALPHA: f32 = 1e-3;

/// A coat as seen from `wo`: GGX reflection over `strength` of the area.
///
/// What is under it is scaled by `1 - strength max(E(wo), E(wi))`, E the coat's albedo. Unlike
/// `(1 - E(wo)) (1 - E(wi)) / (1 - mean)`, which suits a Lambert base only, this bounds any base: it is
/// reciprocal and never makes energy, though it loses a little. With further bounces the loss is known
/// ([`Coat::left`]), and a lobe of the base's returns it.
pub(super) struct Coat {
    strength: f32,
    f0: Vec3,
    alpha: f32,
    ggx: Ggx,
    facets: Facets,
    e_wo: f32,
    e_mean: f32,
}

/// Cosines and weights of Gauss's rule with four points for means over the hemisphere, `2 f cos dcos`.
const MEAN: [(f32, f32); 4] = [
    (0.139_759_86, 0.062_361_942),
    (0.416_409_57, 0.259_695_1),
    (0.723_157, 0.406_929_14),
    (0.942_895_8, 0.271_013_83),
];

/// What a base beneath a coat has left for lobes that scatter all around: of a dielectric what its facets let
/// in, of a white metal what its facets lose.
#[derive(Clone, Copy)]
pub(super) struct Left {
    pub dielectric: Vec3,
    pub metal: f32,
}

impl Coat {
    /// `None` for a strength of 0.
    #[inline]
    pub fn new(strength: f32, f0: f32, alpha: f32, scattering: Scattering, wo: Vec3) -> Option<Self> {
        (strength > 0.0).then(|| {
            let alpha = alpha.clamp(MIN_LAYER_ALPHA, 1.0);
            let facets = Facets::new(AlbedoTable::ggx().row(alpha), Vec2::splat(alpha), scattering);
            let f0 = Vec3::splat(f0);
            Self {
                strength: strength.min(1.0),
                f0,
                alpha,
                ggx: Ggx::new(Vec2::splat(alpha)),
                facets,
                e_wo: albedo(f0, 1.0, facets.at(wo).scale_bias).x,
                e_mean: albedo(f0, 1.0, facets.mean().scale_bias).x,
            }
        })
    }

    /// Share of the light from `wo` that the coat reflects.
    #[inline]
    pub fn albedo(&self) -> f32 {
        self.strength * self.e_wo
    }

    /// Share of the base's scattering from `wi` to `wo` that is left.
    #[inline]
    pub fn transmitted(&self, wi: Vec3) -> f32 {
        1.0 - self.strength * self.e_wo.max(self.e(wi))
    }

    #[inline]
    fn e(&self, w: Vec3) -> f32 {
        albedo(self.f0, 1.0, self.facets.at(w).scale_bias).x
    }

    /// Share of the light from `w` that passes the coat.
    #[inline]
    pub fn let_in(&self, w: Vec3) -> f32 {
        1.0 - self.strength * self.e(w)
    }

    /// Its mean over the hemisphere.
    #[inline]
    pub fn let_in_mean(&self) -> f32 {
        1.0 - self.strength * self.e_mean
    }

    /// Share of the light from `w` that [`Coat::transmitted`] takes too much of, where the base consists of
    /// white facets of `base_alpha`.
    #[inline]
    pub fn too_much(&self, w: Vec3, base_alpha: f32) -> f32 {
        self.strength * (1.0 - self.f0.x) / (1.0 - COAT_F0) * coat_loss(w.z, base_alpha, self.alpha)
    }

    /// What a base of `facets` has left of the light from `w`, by their albedo `e` as a dielectric's.
    #[inline]
    pub fn left(&self, w: Vec3, facets: Returned, e: Vec3, base_alpha: f32) -> Left {
        let let_in = self.let_in(w);
        let too_much = self.too_much(w, base_alpha);
        // The dielectric's facets reflect less than white ones, and lose less.
        let share = (e / (1.0 - facets.lost).max(1e-6)).min(Vec3::ONE);
        Left { dielectric: (1.0 - e) * let_in + share * too_much, metal: facets.lost * let_in + too_much }
    }

    /// The means of [`Coat::left`] over the hemisphere.
    #[inline]
    pub fn left_mean(&self, facets: &Facets, f0: Vec3, f90: f32, base_alpha: f32) -> Left {
        let mut dielectric = Vec3::ZERO;
        let (mut lost, mut lost_let_in, mut too_much) = (0.0, 0.0, 0.0);
        for (cos, weight) in MEAN {
            let w = Vec3::new((0.5 * (1.0 - cos * cos)).sqrt(), (0.5 * (1.0 - cos * cos)).sqrt(), cos);
            let at = facets.at(w);
            let left = self.left(w, at, albedo(f0, f90, at.scale_bias), base_alpha);
            let beyond = self.too_much(w, base_alpha);
            dielectric += weight * left.dielectric;
            too_much += weight * beyond;
            lost += weight * at.lost;
            lost_let_in += weight * (left.metal - beyond);
        }
        // Almost smooth facets lose light at the horizon only, which four points do not see: but the mean
        // is known without the coat.
        let let_in = if lost > 0.0 { lost_let_in / lost } else { 1.0 };
        Left { dielectric, metal: facets.mean().lost * let_in + too_much }
    }

    /// `f cos` of the coat's reflection and its density, `h` the half vector.
    #[inline]
    pub fn eval(&self, wo: Vec3, wi: Vec3, h: Vec3) -> (f32, f32) {
        let pdf = self.ggx.reflection_pdf(wo, h);
        (self.strength * schlick(self.f0, 1.0, wo.dot(h)).x * self.ggx.g1(wi) * pdf, pdf)
    }

    /// A facet that `wo` sees.
    #[inline]
    pub fn sample_normal(&self, wo: Vec3, u: [f32; 2]) -> Vec3 {
        self.ggx.sample_visible(wo, u)
    }
}
