//! Materials of surfaces. Each [`Surface`] says which model it is and where it comes from.

use super::{Absorption, ColorInput, MaterialId, MediumInterface, Roughness, RoughnessRemap, ScalarInput, TextureId};

/// Model by which a surface scatters light, with its parameters.
#[derive(Debug, Clone, PartialEq)]
pub enum Surface {
    /// Diffuse (Lambert) reflection on both sides: pbrt's `matte` and `diffuse`, OBJ's `illum` 0 and 1.
    Diffuse {
        /// Albedo in linear RGB, 0 to 1.
        reflectance: ColorInput,
    },
    /// Diffuse reflection and diffuse transmission: pbrt's `translucent` and `diffusetransmission`.
    DiffuseTransmission {
        /// Fraction of light that is reflected diffusely on the lit side, in linear RGB.
        reflectance: ColorInput,
        /// Fraction of light that is transmitted diffusely to the other side, in linear RGB.
        transmittance: ColorInput,
    },
    /// Diffuse reflection plus a Blinn microfacet lobe (`D = (n + 2) / 2pi cos^n`, Torrance-Sparrow shadowing): W11's
    /// `Blinn`. OBJ `illum` 2; pbrt extension `blinn`.
    Blinn {
        /// Albedo of the diffuse lobe.
        diffuse: ColorInput,
        /// Reflectance at normal incidence of the Blinn lobe.
        specular: ColorInput,
        /// Exponent n of the Blinn lobe, 0 to 1e6.
        exponent: ScalarInput,
    },
    /// Ideal mirror without Fresnel term: pbrt's `mirror`.
    Mirror {
        /// Fraction of light that the mirror reflects, in linear RGB.
        reflectance: ColorInput,
    },
    /// Metal with GGX roughness and the conductor's Fresnel term: pbrt's `conductor` and `metal`. An alpha of 0 is a
    /// perfect reflection (W11's `chrome`).
    Conductor {
        /// Real part of the metal's index of refraction, in RGB.
        eta: ColorInput,
        /// Imaginary part of the metal's index of refraction, in RGB.
        k: ColorInput,
        /// Roughness of the metal's GGX distribution.
        roughness: Roughness,
    },
    /// Glass with reflection and transmission by GGX: pbrt's `glass` and `dielectric`. An alpha of 0 is perfectly
    /// smooth.
    Dielectric {
        /// Index of refraction inside divided by that outside.
        ior: f32,
        /// Roughness of the glass's GGX distribution.
        roughness: Roughness,
        /// Factor on reflected light in linear RGB, usually 1.
        reflectance: ColorInput,
        /// Factor on transmitted light in linear RGB, usually 1.
        transmittance: ColorInput,
        /// `true` if the surface is a thin sheet, which does not bend transmitted light.
        thin: bool,
        /// Absorption inside the glass, which nests in the medium around it; ignored when thin. Without one, light that
        /// goes in stays in the medium that it comes from.
        absorption: Option<Absorption>,
    },
    /// Diffuse base under a rough dielectric coat, which takes energy from the base: pbrt's `plastic`, `coateddiffuse`
    /// and `substrate`.
    Coated {
        /// Albedo of the diffuse base.
        diffuse: ColorInput,
        /// Reflectance of the coat at normal incidence (0.04 for an index of 1.5), rising to 1 by Schlick's formula.
        specular: ColorInput,
        /// Roughness of the coat's GGX distribution.
        roughness: Roughness,
    },
    /// Metallic-roughness model of glTF with its extensions.
    Principled(Box<Principled>),
    /// Car paint of a base, flakes and a clear coat (W11): the extension `carpaint` of pbrt.
    CarPaint(Box<CarPaint>),
    /// Mixture of two other materials' surfaces.
    Mix {
        /// Material where `amount` is 0. Must be an earlier one.
        first: MaterialId,
        /// Material where `amount` is 1. Must be an earlier one.
        second: MaterialId,
        /// Fraction of the second material, 0 to 1.
        amount: ScalarInput,
    },
    /// No surface at all: light passes straight through (pbrt's `interface` and `""`). With media on its sides, light
    /// changes its medium here.
    Invisible,
    /// Surface that shows a colour to the camera, and neither scatters nor lights anything (KHR_materials_unlit).
    Unlit {
        /// Radiance towards the camera in linear RGB.
        color: ColorInput,
    },
}

/// Parameter of a surface model, for code that visits every parameter of every model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SurfacePart<'s> {
    /// Colour input, not negative.
    Color(&'s ColorInput),
    /// Scalar input, which may vary over the surface.
    Number(&'s ScalarInput),
    /// Constant number, not negative.
    Amount(f32),
    /// Constant number, above 0.
    Positive(f32),
    /// Constant factor from 0 to a largest value: the factor, then that value.
    UpTo(f32, f32),
    /// Absorption coefficient for each channel, not negative.
    Absorption([f32; 3]),
    /// Id of another material, which comes before this one in the scene.
    Earlier(MaterialId),
}

impl Surface {
    /// Returns the name of the model in a few words, such as for `raywarp info`.
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

    /// Returns `true` if the surface transmits light in a single direction, bent or not; `false` for a mixture, whose
    /// materials tell.
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

    /// Returns `true` if the surface scatters light evenly, so that no lamp is mirrored in it; `true` for a mixture,
    /// whose materials tell.
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

    /// Returns all parameters of the surface, each with its name.
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

/// Parameters of glTF's metallic-roughness model with transmission, volume, ior, specular and clearcoat.
#[derive(Debug, Clone, PartialEq)]
pub struct Principled {
    /// Base colour: albedo of the dielectric and reflectance of the metal, in linear RGB.
    pub base_color: ColorInput,
    /// Metalness: 0 for a dielectric, 1 for a metal.
    pub metallic: ScalarInput,
    /// Roughness of the base, usually with [`RoughnessRemap::Square`].
    pub roughness: Roughness,
    /// Index of refraction of the dielectric part.
    pub ior: f32,
    /// Strength of the dielectric's specular reflection, 0 to 1.
    pub specular: ScalarInput,
    /// Factor on the dielectric's reflectance at normal incidence, in linear RGB.
    pub specular_color: ColorInput,
    /// Fraction of the dielectric's base that transmits light instead of being diffuse.
    pub transmission: ScalarInput,
    /// `true` if the surface is a thin sheet, so that transmitted light is not bent.
    pub thin: bool,
    /// Absorption inside the surface, which nests in the medium around it; ignored when thin. Without one, light that
    /// goes in stays in the medium that it comes from.
    pub absorption: Option<Absorption>,
    /// Strength of the clear coat, 0 to 1.
    pub clearcoat: ScalarInput,
    /// Roughness of the clear coat, whose square is alpha.
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

/// Parameters of car paint: a diffuse base, metallic flakes and a clear coat on top.
#[derive(Debug, Clone, PartialEq)]
pub struct CarPaint {
    /// Albedo of the diffuse base.
    pub base: ColorInput,
    /// Reflectance of the flakes at normal incidence, in linear RGB.
    pub flake_color: ColorInput,
    /// Fraction of the area under the coat that flakes cover, 0 to 1.
    pub flake_amount: f32,
    /// Size of a flake in units of texture coordinates; 0 for flakes too small to see.
    pub flake_size: f32,
    /// GGX parameter alpha of the flakes, which tells how much their normals spread.
    pub flake_alpha: f32,
    /// Index of refraction of the clear coat.
    pub coat_ior: f32,
    /// GGX parameter alpha of the clear coat.
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

/// Emission of light by a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Emission {
    /// Emitted radiance in linear RGB.
    pub radiance: ColorInput,
    /// `true` if both sides emit; otherwise only the front (counter-clockwise) side does.
    pub two_sided: bool,
}

/// Normal map or bump map that perturbs the shading normal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NormalInput {
    /// Normal map in tangent space: the normal is `2 rgb - 1` with x and y times `scale`.
    Map {
        /// Texture of the normal map, with linear values.
        texture: TextureId,
        /// Factor on the x and y of the map's normals.
        scale: f32,
    },
    /// Bump map: heights in scene units.
    Bump {
        /// Height above the surface in scene units.
        height: ScalarInput,
    },
}

/// Opacity of a surface: everywhere, by a threshold, or by chance.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Alpha {
    /// Opaque at every point.
    #[default]
    Opaque,
    /// Opaque where `alpha >= cutoff`, and absent elsewhere.
    Mask {
        /// Alpha at a surface point, compared with `cutoff`.
        alpha: ScalarInput,
        /// Least alpha at which the surface is opaque.
        cutoff: f32,
    },
    /// Opaque with probability alpha at each point.
    Blend {
        /// Alpha at a surface point, 0 to 1.
        alpha: ScalarInput,
    },
}

/// Material of a surface: scattering model, emission, normal map, opacity and media.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Name of the material in the file; may be empty.
    pub name: String,
    /// Model by which the surface scatters light.
    pub surface: Surface,
    /// Emission of the surface, if it is a light.
    pub emission: Option<Emission>,
    /// Normal map or bump map, if there is one.
    pub normal: Option<NormalInput>,
    /// Opacity of the surface.
    pub alpha: Alpha,
    /// Media on the two sides of the surface, where the file states both; they replace the surface's own absorption.
    pub media: Option<MediumInterface>,
}

impl Material {
    /// Makes an opaque material of this surface model, without emission or normal map.
    pub fn new(name: impl Into<String>, surface: Surface) -> Self {
        Self { name: name.into(), surface, emission: None, normal: None, alpha: Alpha::Opaque, media: None }
    }

    /// Returns `true` if the material has no effect: it is neither a surface nor a boundary between media.
    pub fn is_nothing(&self) -> bool {
        self.surface == Surface::Invisible && self.media.is_none()
    }

    /// Makes a two-sided diffuse material of constant albedo `reflectance`.
    pub fn diffuse(name: impl Into<String>, reflectance: [f32; 3]) -> Self {
        Self::new(name, Surface::Diffuse { reflectance: ColorInput::constant(reflectance) })
    }
}
