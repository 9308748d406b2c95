//! Materials of surfaces. Each [`Surface`] says which model it is and where it comes from.

use super::{Absorption, Channel, MaterialId, MediumInterface, TextureId};

/// A colour that may vary: `factor * texture`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColorInput {
    /// Colour, or factor on the texture, in linear RGB.
    pub factor: [f32; 3],
    /// Texture that multiplies the factor, if there is one.
    pub texture: Option<TextureId>,
}

impl ColorInput {
    /// Makes an input of the same colour everywhere.
    pub const fn constant(factor: [f32; 3]) -> Self {
        Self { factor, texture: None }
    }

    /// Makes an input of a texture as it is.
    pub const fn texture(texture: TextureId) -> Self {
        Self { factor: [1.0; 3], texture: Some(texture) }
    }
}

/// A number that may vary: `factor * channel of texture`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScalarInput {
    /// Value, or factor on the texture.
    pub factor: f32,
    /// Texture and the channel of it that is read.
    pub texture: Option<(TextureId, Channel)>,
}

impl ScalarInput {
    /// Makes an input of the same number everywhere.
    pub const fn constant(factor: f32) -> Self {
        Self { factor, texture: None }
    }
}

/// Mapping of a file's roughness to the GGX `alpha`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RoughnessRemap {
    /// The value is alpha.
    #[default]
    None,
    /// `alpha = r^2` (glTF).
    Square,
    /// `alpha = sqrt(r)` (pbrt version 4, `remaproughness`).
    Sqrt,
    /// pbrt version 3's polynomial in `ln r` (`TrowbridgeReitzDistribution::RoughnessToAlpha`).
    Pbrt3,
}

/// Roughness along the tangent (`x`) and the bitangent (`y`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Roughness {
    /// Roughness along the tangent.
    pub x: ScalarInput,
    /// Roughness along the bitangent.
    pub y: ScalarInput,
    /// Mapping of the file's value to alpha.
    pub remap: RoughnessRemap,
}

impl Roughness {
    /// Roughness of a perfectly smooth surface.
    pub const SMOOTH: Self = Self::isotropic(0.0);

    /// Makes a roughness of the same `alpha` in both directions.
    pub const fn isotropic(alpha: f32) -> Self {
        let value = ScalarInput::constant(alpha);
        Self { x: value, y: value, remap: RoughnessRemap::None }
    }
}

/// The light-scattering model of a surface.
#[derive(Debug, Clone, PartialEq)]
pub enum Surface {
    /// Lambert, on both sides. pbrt `matte`, `diffuse`; OBJ `illum` 0 and 1.
    Diffuse {
        /// Albedo, 0 to 1.
        reflectance: ColorInput,
    },
    /// Lambert reflection and Lambert transmission. pbrt `translucent`, `diffusetransmission`.
    DiffuseTransmission {
        /// Albedo of the lit side.
        reflectance: ColorInput,
        /// Share that leaves on the other side.
        transmittance: ColorInput,
    },
    /// Lambert plus a Blinn microfacet lobe (`D = (n + 2) / 2pi cos^n`, Torrance-Sparrow shadowing),
    /// W11's `Blinn`. OBJ `illum` 2; pbrt extension `blinn`.
    Blinn {
        /// Albedo of the Lambert lobe.
        diffuse: ColorInput,
        /// Reflectance at normal incidence of the Blinn lobe.
        specular: ColorInput,
        /// Exponent n, 0 to 1e6.
        exponent: ScalarInput,
    },
    /// An ideal mirror without Fresnel. pbrt `mirror`.
    Mirror {
        /// Share that is reflected.
        reflectance: ColorInput,
    },
    /// Metal: GGX with the conductor's Fresnel term; alpha 0 is a perfect reflection (W11's
    /// `chrome`). pbrt `conductor`, `metal`.
    Conductor {
        /// Real part of the index of refraction.
        eta: ColorInput,
        /// Imaginary part of the index of refraction.
        k: ColorInput,
        /// Roughness of the GGX distribution.
        roughness: Roughness,
    },
    /// Glass: GGX reflection and transmission; alpha 0 is perfectly smooth. pbrt `glass`, `dielectric`.
    Dielectric {
        /// Index of refraction inside over outside.
        ior: f32,
        /// Roughness of the GGX distribution.
        roughness: Roughness,
        /// Tint of reflections, usually 1.
        reflectance: ColorInput,
        /// Tint of transmission, usually 1.
        transmittance: ColorInput,
        /// `true` if it is a thin sheet, through which light does not bend.
        thin: bool,
        /// Medium inside the surface, within the medium around it; ignored when thin. Without one, light that goes in
        /// stays in the medium that it comes from.
        absorption: Option<Absorption>,
    },
    /// A diffuse base under a dielectric coat with GGX roughness; the coat takes energy from the
    /// base. pbrt `plastic`, `coateddiffuse`, `substrate`.
    Coated {
        /// Albedo of the base.
        diffuse: ColorInput,
        /// Reflectance of the coat at normal incidence (0.04 for an index of 1.5), Schlick to 1.
        specular: ColorInput,
        /// GGX alpha of the coat.
        roughness: Roughness,
    },
    /// glTF's metallic-roughness model with its extensions.
    Principled(Box<Principled>),
    /// Car paint: base, flakes, clear coat (W11). pbrt extension `carpaint`.
    CarPaint(Box<CarPaint>),
    /// Two materials side by side, `amount` of the second; each only for its surface.
    Mix {
        /// Material where `amount` is 0. Must be an earlier one.
        first: MaterialId,
        /// Material where `amount` is 1. Must be an earlier one.
        second: MaterialId,
        /// Share of the second, 0 to 1.
        amount: ScalarInput,
    },
    /// No surface at all: light passes (pbrt `interface`, `""`). With media on its sides, light changes its medium
    /// here.
    Invisible,
    /// Shows `color` and scatters nothing (KHR_materials_unlit); it lights nothing either.
    Unlit {
        /// Radiance towards the camera.
        color: ColorInput,
    },
}

/// A part of a surface, for those who look at every part of every model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SurfacePart<'s> {
    /// A colour, not negative.
    Color(&'s ColorInput),
    /// A number that may vary.
    Number(&'s ScalarInput),
    /// A number that never varies, not negative.
    Amount(f32),
    /// A number that never varies, above 0.
    Positive(f32),
    /// A factor from 0 to a largest one.
    UpTo(f32, f32),
    /// A coefficient a channel, not negative.
    Absorption([f32; 3]),
    /// Another material, which comes before.
    Earlier(MaterialId),
}

impl Surface {
    /// Returns the name of the model in a few words.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Diffuse { .. } => "diffuse",
            Self::DiffuseTransmission { .. } => "diffuse, lets light through",
            Self::Mirror { .. } => "mirror",
            Self::Blinn { .. } => "blinn",
            Self::Conductor { .. } => "metal",
            Self::Dielectric { thin: true, .. } => "thin glass",
            Self::Dielectric { .. } => "glass",
            Self::Coated { .. } => "coated",
            Self::Principled(_) => "principled",
            Self::CarPaint(_) => "car paint",
            Self::Mix { .. } => "mix",
            Self::Invisible => "invisible",
            Self::Unlit { .. } => "unlit",
        }
    }

    /// Returns `true` if light goes through it, bent or not, in one direction; of a mixture its parts say so.
    pub fn is_glass(&self) -> bool {
        match self {
            Self::Dielectric { .. } => true,
            Self::Principled(principled) => principled.transmission.factor > 0.0,
            Self::Diffuse { .. }
            | Self::DiffuseTransmission { .. }
            | Self::Blinn { .. }
            | Self::Mirror { .. }
            | Self::Conductor { .. }
            | Self::Coated { .. }
            | Self::CarPaint(_)
            | Self::Mix { .. }
            | Self::Invisible
            | Self::Unlit { .. } => false,
        }
    }

    /// Returns `true` if it scatters light evenly, so that it shows no lamp; of a mixture its parts say so.
    pub fn is_matte(&self) -> bool {
        match self {
            Self::Diffuse { .. }
            | Self::DiffuseTransmission { .. }
            | Self::Mix { .. }
            | Self::Invisible
            | Self::Unlit { .. } => true,
            Self::Blinn { .. }
            | Self::Mirror { .. }
            | Self::Conductor { .. }
            | Self::Dielectric { .. }
            | Self::Coated { .. }
            | Self::Principled(_)
            | Self::CarPaint(_) => false,
        }
    }

    /// Lists all that the surface is made of, by name.
    pub fn parts(&self) -> Vec<(&'static str, SurfacePart<'_>)> {
        use SurfacePart::{Absorption, Amount, Color, Earlier, Number, Positive, UpTo};
        match self {
            Self::Diffuse { reflectance } | Self::Mirror { reflectance } => vec![("reflectance", Color(reflectance))],
            Self::DiffuseTransmission { reflectance, transmittance } => {
                vec![("reflectance", Color(reflectance)), ("transmittance", Color(transmittance))]
            }
            Self::Blinn { diffuse, specular, exponent } => vec![
                ("diffuse", Color(diffuse)),
                ("specular", Color(specular)),
                ("exponent", Number(exponent)),
                ("exponent", UpTo(exponent.factor, 1e6)),
            ],
            Self::Conductor { eta, k, roughness } => vec![
                ("eta", Color(eta)),
                ("k", Color(k)),
                ("roughness", Number(&roughness.x)),
                ("roughness", Number(&roughness.y)),
            ],
            Self::Dielectric { ior, roughness, reflectance, transmittance, absorption, thin: _ } => {
                let mut parts = vec![
                    ("the index of refraction", Positive(*ior)),
                    ("roughness", Number(&roughness.x)),
                    ("roughness", Number(&roughness.y)),
                    ("reflectance", Color(reflectance)),
                    ("transmittance", Color(transmittance)),
                ];
                parts.extend(absorption.map(|a| ("absorption", Absorption(a.sigma))));
                parts
            }
            Self::Coated { diffuse, specular, roughness } => vec![
                ("diffuse", Color(diffuse)),
                ("specular", Color(specular)),
                ("roughness", Number(&roughness.x)),
                ("roughness", Number(&roughness.y)),
            ],
            Self::Principled(p) => p.parts(),
            Self::CarPaint(p) => vec![
                ("base", Color(&p.base)),
                ("flake colour", Color(&p.flake_color)),
                ("the share of flakes", Amount(p.flake_amount)),
                ("the size of flakes", Amount(p.flake_size)),
                ("the alpha of flakes", Amount(p.flake_alpha)),
                ("the alpha of the coat", Amount(p.coat_alpha)),
                ("the index of refraction of the coat", Positive(p.coat_ior)),
            ],
            Self::Mix { first, second, amount } => {
                vec![("first", Earlier(*first)), ("second", Earlier(*second)), ("amount", Number(amount))]
            }
            Self::Invisible => vec![],
            Self::Unlit { color } => vec![("colour", Color(color))],
        }
    }
}

/// glTF's metallic-roughness model with transmission, volume, ior, specular and clearcoat.
#[derive(Debug, Clone, PartialEq)]
pub struct Principled {
    /// Albedo of the dielectric, reflectance of the metal.
    pub base_color: ColorInput,
    /// Share of metal: 0 for a dielectric, 1 for a metal.
    pub metallic: ScalarInput,
    /// Roughness, usually with [`RoughnessRemap::Square`].
    pub roughness: Roughness,
    /// Index of refraction of the dielectric.
    pub ior: f32,
    /// Strength of the dielectric's specular reflection.
    pub specular: ScalarInput,
    /// Tint of the dielectric's reflectance at normal incidence.
    pub specular_color: ColorInput,
    /// Share of the dielectric's base that is glass instead of diffuse.
    pub transmission: ScalarInput,
    /// `true` if it has no volume: transmission does not bend.
    pub thin: bool,
    /// Medium inside the surface, within the medium around it; ignored when thin. Without one, light that goes in stays
    /// in the medium that it comes from.
    pub absorption: Option<Absorption>,
    /// Share covered by the clear coat.
    pub clearcoat: ScalarInput,
    /// Roughness of the clear coat (alpha = its square).
    pub clearcoat_roughness: ScalarInput,
}

impl Principled {
    fn parts(&self) -> Vec<(&'static str, SurfacePart<'_>)> {
        use SurfacePart::{Absorption, Color, Number, Positive};
        let mut parts = vec![
            ("base colour", Color(&self.base_color)),
            ("specular colour", Color(&self.specular_color)),
            ("roughness", Number(&self.roughness.x)),
            ("roughness", Number(&self.roughness.y)),
            ("the index of refraction", Positive(self.ior)),
            ("metallic", Number(&self.metallic)),
            ("specular", Number(&self.specular)),
            ("transmission", Number(&self.transmission)),
            ("clear coat", Number(&self.clearcoat)),
            ("roughness of the clear coat", Number(&self.clearcoat_roughness)),
        ];
        parts.extend(self.absorption.map(|a| ("absorption", Absorption(a.sigma))));
        parts
    }
}

impl Default for Principled {
    fn default() -> Self {
        let one = ScalarInput::constant(1.0);
        let zero = ScalarInput::constant(0.0);
        Self {
            base_color: ColorInput::constant([1.0; 3]),
            metallic: one,
            roughness: Roughness { x: one, y: one, remap: RoughnessRemap::Square },
            ior: 1.5,
            specular: one,
            specular_color: ColorInput::constant([1.0; 3]),
            transmission: zero,
            thin: true,
            absorption: None,
            clearcoat: zero,
            clearcoat_roughness: zero,
        }
    }
}

/// Car paint: a Lambert base, metallic flakes and a clear coat on top.
#[derive(Debug, Clone, PartialEq)]
pub struct CarPaint {
    /// Albedo of the base.
    pub base: ColorInput,
    /// Reflectance of the flakes at normal incidence.
    pub flake_color: ColorInput,
    /// Share of the area under the coat that is flakes, 0 to 1.
    pub flake_amount: f32,
    /// Size of a flake in texture-coordinate units; 0 for flakes too small to see.
    pub flake_size: f32,
    /// GGX alpha of the flakes: how much their normals spread.
    pub flake_alpha: f32,
    /// Index of refraction of the coat.
    pub coat_ior: f32,
    /// GGX alpha of the coat.
    pub coat_alpha: f32,
}

impl Default for CarPaint {
    fn default() -> Self {
        Self {
            base: ColorInput::constant([0.4, 0.02, 0.02]),
            flake_color: ColorInput::constant([0.6, 0.1, 0.05]),
            flake_amount: 0.4,
            flake_size: 0.0,
            flake_alpha: 0.3,
            coat_ior: 1.5,
            coat_alpha: 0.001,
        }
    }
}

/// Light that a surface sends out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Emission {
    /// Radiance that is sent out.
    pub radiance: ColorInput,
    /// `true` if both sides emit; otherwise only the front (counter-clockwise) side does.
    pub two_sided: bool,
}

/// Texture that bends the shading normal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NormalInput {
    /// A tangent-space normal map, `2 rgb - 1` with x and y times `scale`.
    Map {
        /// The map, linear.
        texture: TextureId,
        /// Factor on the map's x and y.
        scale: f32,
    },
    /// A height field in scene units.
    Bump {
        /// Height above the surface.
        height: ScalarInput,
    },
}

/// Coverage: the places where a surface is there.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Alpha {
    /// The surface is there everywhere.
    #[default]
    Opaque,
    /// The surface is there if `alpha >= cutoff`.
    Mask {
        /// Coverage at a point.
        alpha: ScalarInput,
        /// Least coverage at which the surface is there.
        cutoff: f32,
    },
    /// The surface is there with probability alpha.
    Blend {
        /// Coverage, 0 to 1.
        alpha: ScalarInput,
    },
}

/// Material of a surface: model, emission, normals, coverage and media.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Name in the file; may be empty.
    pub name: String,
    /// Model by which it scatters light.
    pub surface: Surface,
    /// Light that it sends out, if any.
    pub emission: Option<Emission>,
    /// Normal map or bump map.
    pub normal: Option<NormalInput>,
    /// Coverage of the surface.
    pub alpha: Alpha,
    /// The media on its sides, where the file states both; replaces what the surface says of its inside.
    pub media: Option<MediumInterface>,
}

impl Material {
    /// Makes an opaque material that only scatters.
    pub fn new(name: impl Into<String>, surface: Surface) -> Self {
        Self { name: name.into(), surface, emission: None, normal: None, alpha: Alpha::Opaque, media: None }
    }

    /// Returns `true` if nothing is there: neither a surface nor a boundary between media.
    pub fn is_nothing(&self) -> bool {
        self.surface == Surface::Invisible && self.media.is_none()
    }

    /// Makes a two-sided diffuse material of constant `reflectance`.
    pub fn diffuse(name: impl Into<String>, reflectance: [f32; 3]) -> Self {
        Self::new(name, Surface::Diffuse { reflectance: ColorInput::constant(reflectance) })
    }
}
