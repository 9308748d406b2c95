//! `Material`, `MakeNamedMaterial`, `NamedMaterial`: from pbrt's materials to [`Surface`]s.
//!
//! `docs/reference/formats-pbrt.md` has the table of what becomes what.

mod glass;
mod layered;
mod metal;

use super::params::{Params, Values};
use super::state::{Importer, Version};
use super::texture::mean;
use super::version;
use crate::import::context::Encoding;
use crate::{
    CarPaint, ColorInput, ImportError, Material, MaterialId, NormalInput, PbrtFault, PbrtWarning, Roughness,
    RoughnessRemap, ScalarInput, Surface, Texture, UvMapping,
};

/// Returns the Fresnel reflectance at normal incidence between air and a dielectric of index `eta`.
fn normal_reflectance(eta: f32) -> f32 {
    let r = (eta - 1.0) / (eta + 1.0);
    r * r
}

impl Importer<'_> {
    pub fn material_directive(&mut self, kind: &str, params: Params) -> Result<(), ImportError> {
        let material = self.material("", kind, params)?;
        self.graphics.material = Some(material);
        Ok(())
    }

    pub fn make_named_material(&mut self, name: &str, params: Params) -> Result<(), ImportError> {
        let Some(kind) = params.text("type")?.map(str::to_string) else {
            return Err(params.error(PbrtFault::MaterialType { name: name.into() }));
        };
        let material = self.material(name, &kind, params)?;
        self.named_materials.insert(name.to_string(), material);
        self.material_order.push(material);
        Ok(())
    }

    pub fn named_material(&mut self, name: &str, params: &Params) {
        match self.named_materials.get(name) {
            Some(&material) => self.graphics.material = Some(material),
            None => {
                self.warn(params, PbrtWarning::NoMaterial { name: name.into() });
                self.graphics.material = Some(self.undefined_material(name));
            }
        }
    }

    fn material(&mut self, name: &str, kind: &str, params: Params) -> Result<MaterialId, ImportError> {
        self.context.stand_ins.begin();
        let material = self.read_material(name, kind, params)?;
        let mark = self.context.stand_ins.close();
        self.context.stand_ins.keep(material, mark);
        Ok(material)
    }

    fn read_material(&mut self, name: &str, kind: &str, params: Params) -> Result<MaterialId, ImportError> {
        let params = params.with_defaults(&self.graphics.defaults.material.clone());
        let shown = if name.is_empty() { kind } else { name };
        if let Some(version) = version::material(kind) {
            self.belongs_to(version, &params, "material", kind);
        }
        let mut material = Material::new(shown, Surface::Invisible);
        material.surface = match kind {
            "matte" => {
                if self.scalar_input(&params, "sigma")?.is_some_and(|s| s.factor != 0.0) {
                    self.warn(&params, PbrtWarning::Sigma);
                }
                Surface::Diffuse { reflectance: self.color_or(&params, "Kd", 0.5)? }
            }
            "diffuse" => Surface::Diffuse { reflectance: self.color_or(&params, "reflectance", 0.5)? },
            "translucent" => self.translucent(&params)?,
            "diffusetransmission" => {
                let scale = ColorInput::constant([params.float_or("scale", 1.0)?; 3]);
                let reflectance = self.color_or(&params, "reflectance", 0.25)?;
                let transmittance = self.color_or(&params, "transmittance", 0.25)?;
                Surface::DiffuseTransmission {
                    reflectance: self.product(reflectance, scale),
                    transmittance: self.product(transmittance, scale),
                }
            }
            "mirror" => Surface::Mirror { reflectance: self.color_or(&params, "Kr", 0.9)? },
            "metal" | "conductor" => self.conductor(&params, kind)?,
            "chrome" => self.chrome(),
            "coatedconductor" => self.coated_conductor(&params)?,
            "glass" | "dielectric" | "thindielectric" => self.dielectric(&params, kind)?,
            "plastic" => self.plastic(&params)?,
            "coateddiffuse" => self.coated_diffuse(&params)?,
            "substrate" => self.substrate(&params)?,
            "uber" => return self.uber(shown, &params),
            "disney" => self.disney(&params)?,
            "mix" => return self.mix(shown, &params),
            "blinn" => Surface::Blinn {
                diffuse: self.color_or(&params, "Kd", 0.5)?,
                specular: self.color_or(&params, "Ks", 0.04)?,
                exponent: self.scalar_or(&params, "exponent", 100.0)?,
            },
            "carpaint" => self.car_paint(&params)?,
            "subsurface" | "kdsubsurface" => {
                self.warn(&params, PbrtWarning::Subsurface { name: shown.into(), kind: kind.into() });
                let diffuse = match self.color_input(&params, "reflectance")? {
                    Some(color) => color,
                    None => self.color_or(&params, "Kd", 0.5)?,
                };
                let eta = params.float_or("eta", 1.33)?;
                let roughness = self.roughness(&params, 0.0)?;
                return self.stand_in(material, &params, diffuse, normal_reflectance(eta), roughness);
            }
            "hair" => {
                self.warn(&params, PbrtWarning::Hair { name: shown.into() });
                self.note_stand_in(&params);
                let reflectance = self.color_or(&params, "reflectance", 0.3)?;
                let reflectance = self.color_input(&params, "color")?.unwrap_or(reflectance);
                material.surface = Surface::Diffuse { reflectance };
                return Ok(self.scene.add_material(material));
            }
            "" | "none" | "interface" => {
                self.warn_unused(&params, &format!("material {shown:?}"));
                return Ok(self.scene.add_material(material));
            }
            _ => {
                self.warn(&params, PbrtWarning::Material { name: shown.into(), kind: kind.into() });
                let diffuse = ColorInput::constant([0.5; 3]);
                return self.stand_in(material, &params, diffuse, 0.04, Roughness::isotropic(0.3));
            }
        };
        self.finish_material(material, &params)
    }

    /// Makes a coated surface as approximation of an unsupported material, whose parameters are ignored.
    fn stand_in(
        &mut self,
        mut material: Material,
        params: &Params,
        diffuse: ColorInput,
        specular: f32,
        roughness: Roughness,
    ) -> Result<MaterialId, ImportError> {
        self.note_stand_in(params);
        material.surface = Surface::Coated { diffuse, specular: ColorInput::constant([specular; 3]), roughness };
        material.normal = self.normal_input(params)?;
        Ok(self.scene.add_material(material))
    }

    /// Notes that the material or texture of this directive is replaced by an approximation.
    pub(super) fn note_stand_in(&mut self, params: &Params) {
        self.context.stand_ins.material(format_args!("{}:{}", params.path.display(), params.line));
    }

    /// Completes a material with bump and normal maps, warns about unused parameters, and adds it to the scene.
    fn finish_material(&mut self, mut material: Material, params: &Params) -> Result<MaterialId, ImportError> {
        material.normal = self.normal_input(params)?;
        let what = format!("material {:?}", material.name);
        self.warn_unused(params, &what);
        Ok(self.scene.add_material(material))
    }

    /// Reads a bump or normal map: `bumpmap` (version 3), `displacement` or `normalmap` (version 4).
    fn normal_input(&mut self, params: &Params) -> Result<Option<NormalInput>, ImportError> {
        let mut normal = None;
        for name in ["bumpmap", "displacement"] {
            if let Some(height) = self.scalar_input(params, name)? {
                // The same height everywhere bends nothing.
                normal = height.texture.is_some().then_some(NormalInput::Bump { height });
            }
        }
        if let Some(file) = params.text("normalmap")? {
            let path = self.resolve(file, params.line);
            if let Some(image) = self.image(&path, Encoding::Linear)? {
                let texture = self.scene.add_texture(Texture::Image {
                    image,
                    mapping: UvMapping::default(),
                    wrap: Default::default(),
                    filter: Default::default(),
                });
                normal = Some(NormalInput::Map { texture, scale: 1.0 });
            }
        }
        Ok(normal)
    }

    /// Reads a colour or texture of a reflectance or transmittance; a constant outside of 0 to 1 is clamped.
    fn color_or(&mut self, params: &Params, name: &str, default: f32) -> Result<ColorInput, ImportError> {
        let mut color = self.color_input(params, name)?.unwrap_or(ColorInput::constant([default; 3]));
        if color.texture.is_none() && color.factor.iter().any(|c| !(0.0..=1.0).contains(c)) {
            self.warn(params, PbrtWarning::ClampedColor { name: name.into(), value: color.factor });
            color.factor = color.factor.map(|c| c.clamp(0.0, 1.0));
        }
        Ok(color)
    }

    fn scalar_or(&mut self, params: &Params, name: &str, default: f32) -> Result<ScalarInput, ImportError> {
        Ok(self.scalar_input(params, name)?.unwrap_or(ScalarInput::constant(default)))
    }

    /// Reads a surface's roughness from `roughness`, `uroughness`, `vroughness` and `remaproughness`.
    ///
    /// Remapping is on unless the file turns it off; versions 3 and 4 remap differently. What is 0
    /// in both directions is perfectly smooth in either.
    fn roughness(&mut self, params: &Params, default: f32) -> Result<Roughness, ImportError> {
        self.roughness_named(params, "", default)
    }

    /// Reads a roughness from parameters whose names start with `prefix`, such as `interface.roughness`.
    fn roughness_named(&mut self, params: &Params, prefix: &str, default: f32) -> Result<Roughness, ImportError> {
        let both = self.scalar_or(params, &format!("{prefix}roughness"), default)?;
        let x = self.scalar_input(params, &format!("{prefix}uroughness"))?.unwrap_or(both);
        let y = self.scalar_input(params, &format!("{prefix}vroughness"))?.unwrap_or(both);
        let remap = match (params.bool("remaproughness")?, self.version) {
            (Some(false), _) => RoughnessRemap::None,
            (_, Some(Version::V4)) => RoughnessRemap::Sqrt,
            _ => RoughnessRemap::Pbrt3,
        };
        let zero = ScalarInput::constant(0.0);
        let negative = [x, y].iter().any(|input| input.factor < 0.0);
        if negative {
            return Err(params.error(PbrtFault::NegativeRoughness));
        }
        if x == zero && y == zero { Ok(Roughness::SMOOTH) } else { Ok(Roughness { x, y, remap }) }
    }

    fn translucent(&mut self, params: &Params) -> Result<Surface, ImportError> {
        let base = self.color_or(params, "Kd", 0.25)?;
        if self.color_or(params, "Ks", 0.25)?.factor != [0.0; 3] {
            self.warn(params, PbrtWarning::TranslucentGloss);
        }
        params.ignore_known("Material translucent");
        let reflect = self.color_or(params, "reflect", 0.5)?;
        let transmit = self.color_or(params, "transmit", 0.5)?;
        Ok(Surface::DiffuseTransmission {
            reflectance: self.product(base, reflect),
            transmittance: self.product(base, transmit),
        })
    }

    /// Reads the material `mix`: a mixture of two named materials. Version 3's `amount` is the share of
    /// `namedmaterial1`, version 4's that of the second of `materials`.
    fn mix(&mut self, name: &str, params: &Params) -> Result<MaterialId, ImportError> {
        let amount = match params.texture("amount")? {
            Some(_) => mean(self.color_or(params, "amount", 0.5)?),
            None => self.scalar_or(params, "amount", 0.5)?,
        };
        let names = match params.find("materials").map(|p| &p.values) {
            Some(Values::Texts(names)) if names.len() == 2 => [names[0].clone(), names[1].clone()],
            Some(_) => return Err(params.error(PbrtFault::MixNames)),
            None => {
                let second = params.text("namedmaterial1")?.unwrap_or_default().to_string();
                [params.text("namedmaterial2")?.unwrap_or_default().to_string(), second]
            }
        };
        let [first, second] = names.map(|part| match self.named_materials.get(&part) {
            Some(&material) => {
                let log = &mut self.context.stand_ins;
                log.add(log.mark_of(material));
                material
            }
            None => {
                self.warn(params, PbrtWarning::UndefinedMix { name: name.into(), part: part.clone() });
                self.context.stand_ins.material(format_args!("{part:?}"));
                self.default_material()
            }
        });
        self.finish_material(Material::new(name, Surface::Mix { first, second, amount }), params)
    }

    /// Reads the material `carpaint`, an extension by Raywarp for W11.
    fn car_paint(&mut self, params: &Params) -> Result<Surface, ImportError> {
        let default = CarPaint::default();
        let share = |name: &'static str, default: f32, range: std::ops::RangeInclusive<f32>| {
            let value = params.float_or(name, default)?;
            if range.contains(&value) {
                return Ok(value);
            }
            let (least, most) = range.into_inner();
            Err(params.error(PbrtFault::CarPaint { name, value, least, most }))
        };
        let paint = CarPaint {
            flake_amount: share("flakeamount", default.flake_amount, 0.0..=1.0)?,
            flake_size: share("flakesize", default.flake_size, 0.0..=1.0)?,
            flake_alpha: share("flakealpha", default.flake_alpha, 0.0..=1.0)?,
            coat_ior: share("coatior", default.coat_ior, 1.0..=10.0)?,
            coat_alpha: share("coatalpha", default.coat_alpha, 0.0..=1.0)?,
            base: self.color_input(params, "base")?.unwrap_or(default.base),
            flake_color: self.color_input(params, "flakecolor")?.unwrap_or(default.flake_color),
        };
        Ok(Surface::CarPaint(Box::new(paint)))
    }
}
