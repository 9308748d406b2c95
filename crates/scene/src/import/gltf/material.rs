//! Materials: metallic-roughness with its extensions, specular-glossiness, unlit.

use super::json::{Int, MaterialJson, Num, SpecularGlossiness, TextureInfo, plain};
use super::{Builder, Encoding};
use crate::{
    Absorption, Alpha, Channel, ColorInput, Emission, GltfWarning, ImportError, Material, MaterialId, NormalInput,
    Pixels, Principled, Roughness, RoughnessRemap, ScalarInput, Surface, Texture, TextureId,
};

/// Returns `true` if the base's normal map is also applied to the clear coat, which has none of its own.
fn bends_its_coat(json: &MaterialJson, material: &Material) -> bool {
    let Surface::Principled(surface) = &material.surface else { return false };
    let coat = &json.extensions.clearcoat;
    let is_bare = coat.as_ref().is_some_and(|coat| coat.clearcoat_normal_texture.is_none());
    let bends = |normal: &NormalInput| !matches!(normal, NormalInput::Map { scale: 0.0, .. });
    is_bare && surface.clearcoat.factor > 0.0 && material.normal.as_ref().is_some_and(bends)
}

/// Base colour and alpha, which glTF keeps together in one factor and one texture.
struct Base {
    color: ColorInput,
    alpha: ScalarInput,
}

impl Builder<'_, '_> {
    /// Returns the scene's material for the document's material `index` (`None`: the default one) on a primitive with
    /// or without vertex colours.
    pub fn material(&mut self, index: Option<Int>, vertex_colors: bool, item: &str) -> Result<MaterialId, ImportError> {
        let default = MaterialJson::default();
        let json = match index {
            Some(index) => {
                let found = self.data.entry(&self.data.document.materials, "materials", index, item);
                self.context.forgive(found)?.unwrap_or(&default)
            }
            None => &default,
        };
        let key = (index, vertex_colors);
        if let Some(&known) = self.materials.get(&key) {
            return Ok(known);
        }
        let place = index.map_or("the default material".to_string(), |i| format!("materials[{}]", i.0));
        self.context.stand_ins.begin();
        let material = self.build_material(json, vertex_colors, &place)?;
        // Its variant with vertex colours is the same one.
        if bends_its_coat(json, &material) && !self.bent_coats.contains(&index) {
            self.bent_coats.push(index);
        }
        let id = self.scene.add_material(material);
        let mark = self.context.stand_ins.close();
        self.context.stand_ins.keep(id, mark);
        self.materials.insert(key, id);
        Ok(id)
    }

    fn build_material(&mut self, json: &MaterialJson, colored: bool, item: &str) -> Result<Material, ImportError> {
        self.say_clamped(json, item);
        let extensions = &json.extensions;
        let (surface, base) = match &extensions.specular_glossiness {
            Some(old) if extensions.unlit.is_none() => self.specular_glossiness(old, colored, item)?,
            _ => {
                let pbr = &json.pbr_metallic_roughness;
                let place = format!("{item}.pbrMetallicRoughness.baseColorTexture");
                let base = self.base(pbr.base_color_factor, pbr.base_color_texture.as_ref(), colored, &place)?;
                if extensions.unlit.is_some() {
                    (Surface::Unlit { color: base.color }, base)
                } else {
                    (Surface::Principled(Box::new(self.principled(json, &base, item)?)), base)
                }
            }
        };
        self.warn_of_lost_extensions(json, item);
        let cutoff = json.alpha_cutoff.map_or(0.5, |c| c.0);
        let alpha = match json.alpha_mode.as_deref() {
            None | Some("OPAQUE") => Alpha::Opaque,
            // Constant coverage is decided here; queries are faster where they need not ask.
            Some("MASK") if base.alpha.texture.is_none() && base.alpha.factor >= cutoff => Alpha::Opaque,
            Some("MASK") => Alpha::Mask { alpha: base.alpha, cutoff },
            Some("BLEND") if base.alpha == ScalarInput::constant(1.0) => Alpha::Opaque,
            Some("BLEND") => Alpha::Blend { alpha: base.alpha },
            Some(other) => {
                self.warn(item, GltfWarning::AlphaMode { mode: other.into() });
                Alpha::Opaque
            }
        };
        if self.vanishes(&alpha) {
            self.warn(item, GltfWarning::Invisible);
        }
        let normal = match &json.normal_texture {
            Some(info) if extensions.unlit.is_none() => self
                .texture(info, Encoding::Linear, &format!("{item}.normalTexture"))?
                .map(|texture| NormalInput::Map { texture, scale: info.scale.map_or(1.0, |s| s.0) }),
            _ => None,
        };
        let emission = if extensions.unlit.is_some() { None } else { self.emission(json, item)? };
        Ok(Material { name: json.name.clone(), surface, emission, normal, alpha, media: None })
    }

    /// Warns once about all materials whose base normal map bends the clear coat, which it should not.
    pub fn say_bent_coats(&mut self) {
        let Some(&first) = self.bent_coats.first() else { return };
        let more = self.bent_coats.len() - 1;
        let index = first.unwrap_or_default();
        let name = self.data.document.materials[index.index()].name.clone();
        self.warn(&format!("materials[{}]", index.0), GltfWarning::BentCoats { name, more });
    }

    /// Returns `true` if alpha makes a surface invisible everywhere: by a factor of 0, or by an image with alpha 0 in
    /// every texel.
    fn vanishes(&self, alpha: &Alpha) -> bool {
        let (alpha, least) = match alpha {
            Alpha::Opaque => return false,
            Alpha::Mask { alpha, cutoff } => (alpha, *cutoff),
            Alpha::Blend { alpha } => (alpha, f32::MIN_POSITIVE),
        };
        least > 0.0 && (alpha.factor < least || alpha.texture.is_some_and(|(texture, _)| self.is_clear(texture)))
    }

    /// Returns `true` if a texture's image has alpha 0 in every texel.
    fn is_clear(&self, texture: TextureId) -> bool {
        match &self.scene.textures[texture.index()] {
            Texture::Image { image, .. } => match &*self.scene.images[image.index()].pixels {
                Pixels::Srgb8(texels) | Pixels::Linear8(texels) => texels.iter().all(|texel| texel[3] == 0),
                Pixels::Float(texels) => texels.iter().all(|texel| texel[3] <= 0.0),
            },
            Texture::Scale { a, b } => self.is_clear(*a) || self.is_clear(*b),
            _ => false,
        }
    }

    /// Warns if a mesh of `material` is invisible because of the alpha of its vertex colours.
    pub fn say_clear_colors(&mut self, material: MaterialId, colors: &[[f32; 4]], item: &str) {
        let alpha = &self.scene.materials[material.index()].alpha;
        let (input, least, below_cutoff) = match alpha {
            Alpha::Opaque => return,
            Alpha::Mask { alpha, cutoff } => (alpha, *cutoff, true),
            Alpha::Blend { alpha } => (alpha, f32::MIN_POSITIVE, false),
        };
        let counts = input.texture.is_some_and(|(texture, _)| self.has_vertex_colors(texture));
        let most = || colors.iter().map(|color| color[3]).fold(0.0, f32::max);
        if counts && least > 0.0 && input.factor * most() < least && !self.vanishes(alpha) {
            self.warn(item, GltfWarning::InvisibleColors { below_cutoff });
        }
    }

    fn has_vertex_colors(&self, texture: TextureId) -> bool {
        match self.scene.textures[texture.index()] {
            Texture::VertexColor => true,
            Texture::Scale { a, b } => self.has_vertex_colors(a) || self.has_vertex_colors(b),
            _ => false,
        }
    }

    fn principled(&mut self, json: &MaterialJson, base: &Base, item: &str) -> Result<Principled, ImportError> {
        let pbr = &json.pbr_metallic_roughness;
        let extensions = &json.extensions;
        let linear = Encoding::Linear;
        let info = pbr.metallic_roughness_texture.as_ref();
        let place = format!("{item}.pbrMetallicRoughness.metallicRoughnessTexture");
        let both = self.optional_texture(info, linear, &place)?;
        let unit = |value: Option<Num>, default: f32| value.map_or(default, |v| v.0).clamp(0.0, 1.0);
        let roughness = scalar(unit(pbr.roughness_factor, 1.0), both, Channel::G);
        let mut surface = Principled {
            base_color: base.color,
            metallic: scalar(unit(pbr.metallic_factor, 1.0), both, Channel::B),
            roughness: Roughness { x: roughness, y: roughness, remap: RoughnessRemap::Square },
            ..Principled::default()
        };
        let extension = |name: &str| format!("{item}.extensions.{name}");
        if let Some(ior) = &extensions.ior {
            surface.ior = self.ior(ior.ior.map_or(1.5, |n| n.0), &extension("KHR_materials_ior"));
        }
        if let Some(specular) = &extensions.specular {
            let place = extension("KHR_materials_specular.specularTexture");
            let texture = self.optional_texture(specular.specular_texture.as_ref(), linear, &place)?;
            surface.specular = scalar(unit(specular.specular_factor, 1.0), texture, Channel::A);
            let place = extension("KHR_materials_specular.specularColorTexture");
            let texture = self.optional_texture(specular.specular_color_texture.as_ref(), Encoding::Srgb, &place)?;
            let factor = specular.specular_color_factor.map_or([1.0; 3], plain).map(|c| c.max(0.0));
            surface.specular_color = ColorInput { factor, texture };
        }
        if let Some(transmission) = &extensions.transmission {
            let place = extension("KHR_materials_transmission.transmissionTexture");
            let texture = self.optional_texture(transmission.transmission_texture.as_ref(), linear, &place)?;
            surface.transmission = scalar(unit(Some(transmission.transmission_factor), 0.0), texture, Channel::R);
        }
        if let Some(volume) = &extensions.volume
            && volume.thickness_factor.0 > 0.0
        {
            // The thickness itself is for renderers that do not trace the way through the solid.
            surface.thin = false;
            let distance = volume.attenuation_distance.map_or(f32::INFINITY, |d| d.0);
            let color = volume.attenuation_color.map_or([1.0; 3], plain);
            // A clear solid is a medium, too: what lies around it ends at its surface.
            surface.absorption = Absorption::from_attenuation(color, distance).or(Some(Absorption::NONE));
        }
        if let Some(coat) = &extensions.clearcoat {
            let place = extension("KHR_materials_clearcoat.clearcoatTexture");
            let texture = self.optional_texture(coat.clearcoat_texture.as_ref(), linear, &place)?;
            surface.clearcoat = scalar(unit(Some(coat.clearcoat_factor), 0.0), texture, Channel::R);
            let place = extension("KHR_materials_clearcoat.clearcoatRoughnessTexture");
            let texture = self.optional_texture(coat.clearcoat_roughness_texture.as_ref(), linear, &place)?;
            surface.clearcoat_roughness = scalar(unit(Some(coat.clearcoat_roughness_factor), 0.0), texture, Channel::G);
            if coat.clearcoat_normal_texture.is_some() && coat.clearcoat_factor.0 > 0.0 {
                self.warn(item, GltfWarning::CoatNormals);
            }
        }
        Ok(surface)
    }

    /// Warns about the extensions of a material that are not rendered. One that is unlit is meant to show none.
    fn warn_of_lost_extensions(&mut self, json: &MaterialJson, item: &str) {
        let extensions = &json.extensions;
        if extensions.unlit.is_some() {
            return;
        }
        for (present, name) in [
            (extensions.sheen.is_some(), "KHR_materials_sheen"),
            (extensions.anisotropy.is_some(), "KHR_materials_anisotropy"),
            (extensions.iridescence.is_some(), "KHR_materials_iridescence"),
            (extensions.dispersion.is_some(), "KHR_materials_dispersion"),
            (extensions.diffuse_transmission.is_some(), "KHR_materials_diffuse_transmission"),
        ] {
            if present {
                self.warn(item, GltfWarning::MaterialExtension { name });
            }
        }
        let layers = [
            (extensions.transmission.is_some(), "KHR_materials_transmission"),
            (extensions.volume.is_some(), "KHR_materials_volume"),
            (extensions.ior.is_some(), "KHR_materials_ior"),
            (extensions.specular.is_some(), "KHR_materials_specular"),
            (extensions.clearcoat.is_some(), "KHR_materials_clearcoat"),
        ];
        if extensions.specular_glossiness.is_some() {
            for (_, name) in layers.into_iter().filter(|&(present, _)| present) {
                self.warn(item, GltfWarning::BesideSpecularGlossiness { name });
            }
        } else if extensions.volume.is_some() {
            match &extensions.transmission {
                None => self.warn(item, GltfWarning::VolumeWithoutTransmission),
                Some(transmission) if transmission.transmission_factor.0 <= 0.0 => {
                    self.warn(item, GltfWarning::VolumeOfOpaque);
                }
                Some(_) => {}
            }
        }
    }

    /// Converts KHR_materials_pbrSpecularGlossiness to a surface: a diffuse base under a coat of the given reflectance.
    fn specular_glossiness(
        &mut self,
        old: &SpecularGlossiness,
        colored: bool,
        item: &str,
    ) -> Result<(Surface, Base), ImportError> {
        let place = |name: &str| format!("{item}.extensions.KHR_materials_pbrSpecularGlossiness.{name}");
        let base = self.base(old.diffuse_factor, old.diffuse_texture.as_ref(), colored, &place("diffuseTexture"))?;
        let info = old.specular_glossiness_texture.as_ref();
        let both = self.optional_texture(info, Encoding::Srgb, &place("specularGlossinessTexture"))?;
        let gloss = old.glossiness_factor.map_or(1.0, |g| g.0).clamp(0.0, 1.0);
        let roughness = match both {
            None => ScalarInput::constant(1.0 - gloss),
            // 1 - gloss * a, as a blend from 1 to 1 - gloss by a, in every channel; the alpha counts.
            Some(amount) => {
                let [a, b] = [1.0, 1.0 - gloss].map(|v| self.scene.add_texture(Texture::Constant([v; 4])));
                let mix = self.scene.add_texture(Texture::Mix { a, b, amount });
                scalar(1.0, Some(mix), Channel::A)
            }
        };
        let factor = old.specular_factor.map_or([1.0; 3], plain).map(|c| c.clamp(0.0, 1.0));
        let surface = Surface::Coated {
            diffuse: base.color,
            specular: ColorInput { factor, texture: both },
            roughness: Roughness { x: roughness, y: roughness, remap: RoughnessRemap::Square },
        };
        Ok((surface, base))
    }

    fn base(
        &mut self,
        factor: Option<[Num; 4]>,
        texture: Option<&TextureInfo>,
        colored: bool,
        item: &str,
    ) -> Result<Base, ImportError> {
        let [r, g, b, a] = factor.map_or([1.0; 4], plain).map(|c| c.clamp(0.0, 1.0));
        let mut texture = self.optional_texture(texture, Encoding::Srgb, item)?;
        if colored {
            texture = Some(self.times_vertex_color(texture));
        }
        let coverage = texture.filter(|&t| !self.is_opaque(t));
        Ok(Base { color: ColorInput { factor: [r, g, b], texture }, alpha: scalar(a, coverage, Channel::A) })
    }

    /// Reads the emission of a material, from both sides if it is double-sided.
    fn emission(&mut self, json: &MaterialJson, item: &str) -> Result<Option<Emission>, ImportError> {
        let strength = json.extensions.emissive_strength.as_ref().and_then(|e| e.emissive_strength);
        let strength = strength.map_or(1.0, |s| s.0);
        let factor = json.emissive_factor.map_or([0.0; 3], plain).map(|c| (c * strength).clamp(0.0, f32::MAX));
        if factor == [0.0; 3] {
            return Ok(None);
        }
        let info = json.emissive_texture.as_ref();
        let texture = self.optional_texture(info, Encoding::Srgb, &format!("{item}.emissiveTexture"))?;
        if info.is_some() && texture.is_none() {
            // The texture says which parts glow; without it everything would.
            return Ok(None);
        }
        Ok(Some(Emission { radiance: ColorInput { factor, texture }, two_sided: json.double_sided }))
    }

    fn ior(&mut self, ior: f32, item: &str) -> f32 {
        if ior == 0.0 {
            // The extension's sign for "reflects everything"; a huge index does so.
            return 1e4;
        }
        if ior < 1.0 {
            self.warn(item, GltfWarning::IorBelowOne { ior });
        }
        ior.max(1.0)
    }

    fn optional_texture(
        &mut self,
        info: Option<&TextureInfo>,
        encoding: Encoding,
        item: &str,
    ) -> Result<Option<TextureId>, ImportError> {
        info.map_or(Ok(None), |info| self.texture(info, encoding, item))
    }
}

fn scalar(factor: f32, texture: Option<TextureId>, channel: Channel) -> ScalarInput {
    ScalarInput { factor, texture: texture.map(|t| (t, channel)) }
}
