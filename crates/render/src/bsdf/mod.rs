//! Models of light scattering at a surface point whose textures have been looked up.
//!
//! A [`Bsdf`] is plain `Copy` data, and its methods are matches over it: no boxes, no dynamic dispatch,
//! so that the same text can become a GPU kernel. Directions are in the local frame with z along the
//! shading normal; `wo` and `wi` are unit and away from the surface. Opaque models are two-sided: seen
//! from below they scatter as from above. Only [`Dielectric`] and [`Glazed`] have an inside, below.
//!
//! Facets that send light to each other: with [`Scattering::Multiple`] GGX models keep nearly all light that they do
//! not absorb (docs/reference/materials.md has the numbers and the limits); Blinn's is as its author has it.
//!
//! [`MaterialKind`] lists the models. Microfacet terms: GGX with Smith's separable
//! masking-shadowing `G1(wo) G1(wi)`, as in Mitsuba and in the glTF specification (pbrt's is
//! height-correlated and a little brighter at grazing angles).

#[allow(clippy::approx_constant, reason = "a table's numbers may come near to any constant")]
mod albedo_data;
pub(crate) mod albedo_table;
mod anisotropic_glass;
#[allow(clippy::approx_constant, reason = "a table's numbers may come near to any constant")]
mod anisotropic_glass_data;
mod blinn;
mod car_paint;
pub(crate) mod coat;
mod coat_table;
mod conductor;
mod dielectric;
mod diffuse;
pub(crate) mod facets;
pub mod fresnel;
pub(crate) mod ggx;
mod glazed;
pub(crate) mod horizon;
#[allow(clippy::approx_constant, reason = "a table's numbers may come near to any constant")]
mod loss_data;
pub(crate) mod loss_table;
pub(crate) mod principled;
mod tables;
#[cfg(any(test, feature = "tables"))]
pub(crate) mod tabulate;
#[cfg(test)]
mod tests;

pub use blinn::Blinn;
pub use car_paint::CarPaintBsdf;
pub use conductor::Conductor;
pub use dielectric::Dielectric;
pub use fresnel::f0_of_ior;
pub use glazed::Glazed;
pub use principled::PrincipledBsdf;
pub use tables::BsdfTables;

use crate::flat::tag;
use crate::texture::Inputs;
use glam::{Vec2, Vec3};

tag! {
    /// Kind of a material: its scattering model, which decides what inputs it has.
    MaterialKind {
        /// Lambert reflection. Inputs: reflectance.
        Diffuse,
        /// Lambert reflection and transmission. Inputs: reflectance, transmittance.
        DiffuseTransmission,
        /// Lambert base under a Blinn microfacet lobe. Inputs: diffuse, specular, exponent.
        Blinn,
        /// Ideal mirror. Inputs: reflectance.
        Mirror,
        /// Metal with a complex refractive index. Inputs: eta, k, roughness along the tangent and the bitangent.
        Conductor,
        /// Glass, solid or thin. Inputs: reflectance, transmittance, two of roughness; number: index of refraction.
        Dielectric,
        /// Diffuse base under a rough dielectric coat. Inputs: diffuse, specular, two of roughness.
        Coated,
        /// Principled model of glTF. Inputs: base colour, metallic, two of roughness, specular, specular colour,
        /// transmission, clear coat, its roughness; number: index of refraction.
        Principled,
        /// Car paint: base and flakes under a clear coat. Inputs: base, flake colour; numbers: amount, size and alpha
        /// of the flakes; index and alpha of the coat.
        CarPaint,
        /// Mixture of two earlier materials. Inputs: amount of the second.
        Mix,
        /// Invisible surface, which only bounds media. No inputs.
        Invisible,
        /// Surface that shows a colour and scatters nothing. Inputs: colour.
        Unlit,
    }
}

impl MaterialKind {
    /// Index of the input of [`MaterialKind::Principled`] that is the fraction of transmission (glass).
    pub(crate) const TRANSMISSION: u32 = 6;

    /// Returns the number of inputs that materials of this kind have.
    pub const fn input_count(self) -> u32 {
        match self {
            Self::Invisible => 0,
            Self::Diffuse | Self::Mirror | Self::Mix | Self::Unlit => 1,
            Self::DiffuseTransmission => 2,
            Self::Blinn => 3,
            Self::Conductor | Self::Coated | Self::CarPaint => 4,
            Self::Dielectric => 5,
            Self::Principled => 10,
        }
    }

    /// Returns `true` if the model reflects strongly about the mirror direction, which a bent normal must then not send
    /// below the surface.
    #[inline]
    pub(crate) const fn mirrors(self) -> bool {
        match self {
            Self::Mirror | Self::Conductor | Self::Dielectric | Self::Coated | Self::Principled | Self::CarPaint => {
                true
            }
            Self::Diffuse | Self::DiffuseTransmission | Self::Blinn | Self::Mix | Self::Invisible | Self::Unlit => {
                false
            }
        }
    }
}

/// Light bounces that count between the facets of a rough surface, and between layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scattering {
    /// Only the first bounce, as in pbrt and Mitsuba: rough surfaces lose light, two thirds of it at alpha 1.
    Single,
    /// All bounces (Kulla and Conty 2017).
    #[default]
    Multiple,
}

/// Direction sampled from a BSDF, with its weight and density.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BsdfSample {
    /// Sampled unit direction from which light comes, pointing away from the surface.
    pub wi: Vec3,
    /// Factor on the path's throughput, `f |cos wi| / pdf`. Finite, not negative.
    pub weight: Vec3,
    /// Solid-angle density of `wi` over all lobes; 0 if specular.
    pub pdf: f32,
    /// `true` if the sample is of a delta lobe, for which [`Bsdf::eval_prepared`] returns zero.
    pub specular: bool,
    /// `true` if `wi` lies on the other side of the surface than `wo`.
    pub transmitted: bool,
}

impl BsdfSample {
    /// Makes a sample of a delta lobe; `None` if its weight is zero.
    fn delta(wo: Vec3, wi: Vec3, weight: Vec3) -> Option<Self> {
        Self { wi, weight, pdf: 0.0, specular: true, transmitted: wo.z * wi.z < 0.0 }.checked()
    }

    /// Makes a sample of a lobe with a density; `None` if value or density vanish or overflow.
    fn smooth(wo: Vec3, wi: Vec3, weight: Vec3, pdf: f32) -> Option<Self> {
        Self { wi, weight, pdf, specular: false, transmitted: wo.z * wi.z < 0.0 }
            .checked()
            .filter(|s| s.pdf > 0.0 && s.pdf.is_finite())
    }

    fn checked(self) -> Option<Self> {
        (self.weight.is_finite() && self.weight.max_element() > 0.0 && self.wi.is_finite()).then_some(self)
    }
}

/// A scattering model with its parameters at one point. Reflectances are linear RGB, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bsdf {
    /// Black surface, which scatters nothing.
    Black,
    /// Lambert reflection on the lit side.
    Diffuse {
        /// Albedo of the surface.
        reflectance: Vec3,
    },
    /// Lambert reflection on the lit side and transmission to the other.
    DiffuseTransmission {
        /// Fraction of the light reflected on the lit side.
        reflectance: Vec3,
        /// Fraction of the light transmitted to the other side; with `reflectance` at most 1.
        transmittance: Vec3,
    },
    /// Ideal mirror without a Fresnel term.
    Mirror {
        /// Fraction of the light that is reflected.
        reflectance: Vec3,
    },
    /// Lambert base under a Blinn microfacet lobe.
    Blinn(Blinn),
    /// Metal with a complex refractive index, smooth or rough.
    Conductor(Conductor),
    /// Glass, smooth or rough, solid or thin.
    Dielectric(Dielectric),
    /// Glass with a changed reflectance or a clear coat.
    Glazed(Glazed),
    /// Metal or coloured dielectric (or between), with an optional clear coat.
    Principled(PrincipledBsdf),
    /// Car paint: base and flakes under a clear coat.
    CarPaint(CarPaintBsdf),
}

// What shading moves about, which model it is included.
const _: () = assert!(size_of::<Bsdf>() == 56);

/// Data that sampling and evaluating a BSDF share for one `wo`, computed once per vertex: further bounces of metal and
/// glass, lobes of layered models.
#[derive(Debug, Clone, Copy)]
pub enum PreparedBsdf {
    /// No shared data.
    Nothing,
    /// Lobe of further bounces of [`Bsdf::Conductor`].
    Conductor(conductor::MetalBounces),
    /// Lobe of further bounces of [`Bsdf::Dielectric`] or [`Bsdf::Glazed`].
    Dielectric(dielectric::GlassBounces),
    /// Lobes of [`Bsdf::Principled`].
    Principled(principled::PrincipledLobes),
    /// Lobes of [`Bsdf::CarPaint`].
    CarPaint(car_paint::CarPaintLobes),
}

// What a vertex keeps beside its model, which kind it is included.
const _: () = assert!(size_of::<PreparedBsdf>() <= 240);

impl PreparedBsdf {
    #[inline]
    fn conductor(&self) -> Option<&conductor::MetalBounces> {
        if let Self::Conductor(bounces) = self { Some(bounces) } else { None }
    }

    #[inline]
    fn dielectric(&self) -> Option<&dielectric::GlassBounces> {
        if let Self::Dielectric(bounces) = self { Some(bounces) } else { None }
    }

    #[inline]
    fn principled(&self) -> Option<&principled::PrincipledLobes> {
        if let Self::Principled(lobes) = self { Some(lobes) } else { None }
    }

    #[inline]
    fn car_paint(&self) -> Option<&car_paint::CarPaintLobes> {
        if let Self::CarPaint(lobes) = self { Some(lobes) } else { None }
    }
}

/// Smallest cosine to the normal: smaller ones cannot be told from 0 after a direction was rotated into a frame and
/// back.
const MIN_COS: f32 = 1e-6;

/// Returns `v` mirrored to the upper side and moved off the horizon, as opaque models take `wo`.
#[inline]
fn above(v: Vec3) -> Vec3 {
    v.with_z(v.z.abs().max(MIN_COS))
}

/// Returns `wi` mirrored about the surface if `wo` is below it, as `wo` is when it is moved above.
#[inline]
fn turned_as(wo: Vec3, wi: Vec3) -> Vec3 {
    if wo.z < 0.0 { wi.with_z(-wi.z) } else { wi }
}

/// Samples an opaque model with `wo` above the surface, and puts the result on the side of the given `wo`.
#[inline]
fn two_sided(wo: Vec3, sample: impl FnOnce(Vec3) -> Option<BsdfSample>) -> Option<BsdfSample> {
    let mut s = sample(above(wo))?;
    s.wi.z = s.wi.z.copysign(wo.z);
    Some(s)
}

/// Evaluates an opaque model with both directions above the surface; zero if they are on different sides.
#[inline]
fn one_side(wo: Vec3, wi: Vec3, eval: impl FnOnce(Vec3, Vec3) -> (Vec3, f32)) -> (Vec3, f32) {
    if wo.z * wi.z > 0.0 { eval(above(wo), wi.with_z(wi.z.abs())) } else { (Vec3::ZERO, 0.0) }
}

#[inline]
fn mirrored(w: Vec3) -> Vec3 {
    Vec3::new(-w.x, -w.y, w.z)
}

impl Bsdf {
    /// BSDF that lets light pass straight on, unbent and untinted.
    pub(crate) const NOTHING: Self = Self::Dielectric(Dielectric {
        ior: 1.0,
        alpha: Vec2::ZERO,
        reflectance: Vec3::ONE,
        transmittance: Vec3::ONE,
        thin: true,
        scattering: Scattering::Single,
    });

    /// Returns the BSDF of a material that is not a mixture, at a surface point; `u` chooses where a model has parts.
    #[inline]
    pub fn look_up(m: &Inputs, u: f32) -> Self {
        match m.material.kind() {
            MaterialKind::Diffuse => Self::Diffuse { reflectance: m.share(0) },
            MaterialKind::DiffuseTransmission => {
                let (reflectance, transmittance) = (m.share(0), m.share(1));
                let scale = (reflectance + transmittance).max(Vec3::ONE).recip();
                Self::DiffuseTransmission { reflectance: reflectance * scale, transmittance: transmittance * scale }
            }
            MaterialKind::Mirror => Self::Mirror { reflectance: m.share(0) },
            MaterialKind::Blinn => Self::Blinn(Blinn::look_up(m)),
            MaterialKind::Conductor => Self::Conductor(Conductor::look_up(m)),
            MaterialKind::Dielectric => Self::Dielectric(Dielectric::look_up(m)),
            MaterialKind::Coated => Self::Principled(PrincipledBsdf::look_up_coated(m)),
            MaterialKind::Principled => PrincipledBsdf::look_up(m, u),
            MaterialKind::CarPaint => Self::CarPaint(CarPaintBsdf::look_up(m)),
            // Inside a mixture.
            MaterialKind::Invisible => Self::NOTHING,
            MaterialKind::Mix | MaterialKind::Unlit => Self::Black,
        }
    }

    /// Computes the data for `wo` that [`Bsdf::sample_prepared`] and [`Bsdf::eval_prepared`] both need.
    #[inline]
    pub fn prepare(&self, wo: Vec3) -> PreparedBsdf {
        match self {
            Self::Conductor(c) => c.bounces(above(wo)).map_or(PreparedBsdf::Nothing, PreparedBsdf::Conductor),
            Self::Dielectric(d) => d.bounces(wo).map_or(PreparedBsdf::Nothing, PreparedBsdf::Dielectric),
            Self::Glazed(g) => g.glass().bounces(wo).map_or(PreparedBsdf::Nothing, PreparedBsdf::Dielectric),
            Self::Principled(p) => p.lobes(above(wo)).map_or(PreparedBsdf::Nothing, PreparedBsdf::Principled),
            Self::CarPaint(p) => p.lobes(above(wo)).map_or(PreparedBsdf::Nothing, PreparedBsdf::CarPaint),
            Self::Black
            | Self::Diffuse { .. }
            | Self::DiffuseTransmission { .. }
            | Self::Mirror { .. }
            | Self::Blinn(_) => PreparedBsdf::Nothing,
        }
    }

    /// Samples a direction `wi` in proportion to (about) `f |cos wi|`; `u_lobe` chooses the lobe, `u` the direction,
    /// all in `0 .. 1`. `None`: the path ends.
    #[cfg(test)]
    pub fn sample(&self, wo: Vec3, u_lobe: f32, u: [f32; 2]) -> Option<BsdfSample> {
        self.sample_prepared(&self.prepare(wo), wo, u_lobe, u)
    }

    /// Returns `f |cos wi|` and the solid-angle density with which [`Bsdf::sample_prepared`] finds `wi`. Delta lobes
    /// count for nothing.
    #[cfg(test)]
    pub fn eval(&self, wo: Vec3, wi: Vec3) -> (Vec3, f32) {
        self.eval_prepared(&self.prepare(wo), wo, wi)
    }

    /// Samples a direction `wi` about in proportion to `f |cos wi|`, given [`Bsdf::prepare`] for `wo`; `u_lobe` chooses
    /// the lobe, `u` the direction, all in `0 .. 1`. `None`: the path ends.
    #[inline]
    pub fn sample_prepared(&self, prepared: &PreparedBsdf, wo: Vec3, u_lobe: f32, u: [f32; 2]) -> Option<BsdfSample> {
        match self {
            Self::Black => None,
            Self::Diffuse { reflectance } => two_sided(wo, |wo| diffuse::sample(*reflectance, wo, u)),
            Self::DiffuseTransmission { reflectance, transmittance } => {
                diffuse::sample_both(*reflectance, *transmittance, wo, u_lobe, u)
            }
            Self::Mirror { reflectance } => BsdfSample::delta(wo, mirrored(wo), *reflectance),
            Self::Blinn(b) => two_sided(wo, |wo| b.sample(wo, u_lobe, u)),
            Self::Conductor(c) => two_sided(wo, |wo| c.sample(prepared.conductor(), wo, u_lobe, u)),
            Self::Dielectric(d) => d.sample(prepared.dielectric(), wo, u_lobe, u),
            Self::Glazed(g) => g.sample(prepared.dielectric(), wo, u_lobe, u),
            Self::Principled(p) => two_sided(wo, |wo| p.sample(prepared.principled(), wo, u_lobe, u)),
            Self::CarPaint(p) => two_sided(wo, |wo| p.sample(prepared.car_paint(), wo, u_lobe, u)),
        }
    }

    /// Returns `f |cos wi|` and the solid-angle density of `wi`, given [`Bsdf::prepare`] for `wo`.
    #[inline]
    pub fn eval_prepared(&self, prepared: &PreparedBsdf, wo: Vec3, wi: Vec3) -> (Vec3, f32) {
        match self {
            Self::Black | Self::Mirror { .. } => (Vec3::ZERO, 0.0),
            Self::Diffuse { reflectance } => one_side(wo, wi, |_, wi| diffuse::eval(*reflectance, wi)),
            Self::DiffuseTransmission { reflectance, transmittance } => {
                diffuse::eval_both(*reflectance, *transmittance, wo, wi)
            }
            Self::Blinn(b) => one_side(wo, wi, |wo, wi| b.eval(wo, wi)),
            Self::Conductor(c) => one_side(wo, wi, |wo, wi| c.eval(prepared.conductor(), wo, wi)),
            Self::Dielectric(d) => d.eval(prepared.dielectric(), wo, wi),
            Self::Glazed(g) => g.eval(prepared.dielectric(), wo, wi),
            Self::Principled(p) => one_side(wo, wi, |wo, wi| p.eval(prepared.principled(), wo, wi)),
            Self::CarPaint(p) => one_side(wo, wi, |wo, wi| p.eval(prepared.car_paint(), wo, wi)),
        }
    }

    /// Returns `true` if the BSDF has only delta lobes or none, so that connections to lights are in vain.
    #[inline]
    pub fn is_specular(&self) -> bool {
        match self {
            Self::Black | Self::Mirror { .. } => true,
            Self::Conductor(c) => c.is_smooth(),
            Self::Dielectric(d) => d.is_smooth(),
            Self::Glazed(g) => g.is_smooth(),
            Self::Diffuse { .. }
            | Self::DiffuseTransmission { .. }
            | Self::Blinn(_)
            | Self::Principled(_)
            | Self::CarPaint(_) => false,
        }
    }

    /// Returns the approximate albedo for light leaving along `wo`, for a denoiser's albedo layer: 1 for clear glass.
    pub fn albedo(&self, wo: Vec3) -> Vec3 {
        let wo = above(wo);
        match self {
            Self::Black => Vec3::ZERO,
            Self::Diffuse { reflectance } | Self::Mirror { reflectance } => *reflectance,
            Self::DiffuseTransmission { reflectance, transmittance } => *reflectance + *transmittance,
            Self::Blinn(b) => b.albedo(wo),
            Self::Conductor(c) => c.albedo(wo),
            Self::Dielectric(d) => d.albedo(wo),
            Self::Glazed(g) => g.albedo(wo),
            Self::Principled(p) => p.albedo(wo),
            Self::CarPaint(p) => p.albedo(wo),
        }
    }
}
