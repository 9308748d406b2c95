//! Meaning of MTL entries in the model; the table is in docs/reference/formats.md.

use super::kind::{Kind, constant_coverage, has_roughness, is_as_blender_writes};
use super::mtl::{Entry, Map};
use crate::each::Each;
use crate::import::context::Encoding;
use crate::*;

/// Callback that loads the image of a map; `None` for a missing file (which it notes).
pub(super) type Images<'a> = dyn FnMut(&mut Description, &Map, Encoding) -> Result<Option<ImageId>, ImportError> + 'a;

/// Ratio of Kd to Ks below which Kd counts as black, as programs write it for mirrors.
const MIRROR_DIFFUSE: f32 = 0.1;
/// Exponent Ns from which a mirror is perfectly smooth.
const MIRROR_EXPONENT: f32 = 1000.0;

/// Converter of the entries of one MTL file to materials.
pub(super) struct Mapper<'a> {
    pub scene: &'a mut Description,
    pub images: &'a mut Images<'a>,
    /// Texture of vertex colours, if the mesh has any.
    pub colors: Option<TextureId>,
    /// Line number and kind of each warning.
    pub warnings: Vec<(u64, ObjWarning)>,
}

impl Mapper<'_> {
    /// Converts an MTL entry to a material; `uv_size` is the length in scene units that one unit of texture coordinates
    /// spans.
    pub fn material(&mut self, entry: &Entry, uv_size: f32) -> Result<Material, ImportError> {
        let diffuse = match (entry.diffuse, &entry.diffuse_map) {
            (Some([0.0, 0.0, 0.0]), Some(_)) => self.white_under_map(entry, "Kd"),
            (Some(diffuse), _) => diffuse,
            (None, Some(_)) => [1.0; 3],
            (None, None) => [0.7; 3],
        };
        let diffuse_image = self.image(entry.diffuse_map.as_ref(), Encoding::Srgb)?;
        let surface = match Kind::of(entry) {
            Kind::Glass { thin } => self.glass(entry, thin),
            Kind::Principled => {
                let base_color = self.tinted(diffuse.map(|c| c.min(1.0)), diffuse_image);
                Surface::Principled(Box::new(self.principled(entry, base_color)?))
            }
            Kind::Classic { model } => self.classic(entry, model, (diffuse, diffuse_image))?,
        };
        self.say_unused(entry, Kind::of(entry));
        let mut material = Material::new(entry.name.clone(), surface);
        let emission = match (entry.emission, &entry.emission_map) {
            (Some([0.0, 0.0, 0.0]), Some(_)) => None,
            (emission, _) => emission,
        };
        if entry.emission_map.is_some() && emission.is_none() && entry.emission.is_some() {
            self.white_under_map(entry, "Ke");
        }
        let radiance = self.color(emission, entry.emission_map.as_ref())?;
        if radiance.factor != [0.0; 3] {
            material.emission = Some(Emission { radiance, two_sided: false });
        }
        if !matches!(material.surface, Surface::Dielectric { .. }) {
            material.alpha = self.alpha(entry, diffuse_image)?;
        }
        material.normal = self.normal(entry, uv_size)?;
        Ok(material)
    }

    /// Returns white in place of a black factor that has a map, and warns. Many programs write black there and mean the
    /// map as it is.
    fn white_under_map(&mut self, entry: &Entry, factor: &'static str) -> [f32; 3] {
        self.warn(entry, MtlFinding::BlackUnderMap { factor });
        [1.0; 3]
    }

    /// Warns about statements of the entry that have no effect for its kind of surface.
    fn say_unused(&mut self, entry: &Entry, kind: Kind) {
        if entry.ambient_map.is_some() && entry.diffuse_map.is_none() {
            self.warn(entry, MtlFinding::AmbientMap);
        }
        // Tf 0 0 0 lets nothing through, as what is opaque does.
        let is_tinted = entry.filter.is_some_and(|filter| filter != [1.0; 3] && filter != [0.0; 3]);
        let transmits = match kind {
            Kind::Glass { .. } => true,
            Kind::Principled => is_as_blender_writes(entry) && has_roughness(entry),
            Kind::Classic { .. } => false,
        };
        if is_tinted && !transmits {
            self.warn(entry, MtlFinding::Filter);
        }
        if kind == Kind::Principled {
            let maps = [(&entry.specular_map, "map_Ks"), (&entry.exponent_map, "map_Ns")];
            for (_, map) in maps.into_iter().filter(|(map, _)| map.is_some() && !is_as_blender_writes(entry)) {
                self.warn(entry, MtlFinding::ClassicMap { map });
            }
        } else if entry.clearcoat.is_some_and(|coat| coat > 0.0) || entry.clearcoat_map.is_some() {
            self.warn(entry, MtlFinding::Coat);
        }
    }

    fn warn(&mut self, entry: &Entry, finding: MtlFinding) {
        self.warnings.push((entry.line, ObjWarning::Material { name: entry.name.clone(), finding }));
    }

    /// Converts an entry of an original illumination model to a diffuse surface, one with highlights, or a mirror.
    fn classic(
        &mut self,
        entry: &Entry,
        model: u32,
        (mut diffuse, diffuse_image): ([f32; 3], Option<TextureId>),
    ) -> Result<Surface, ImportError> {
        let max = |c: [f32; 3]| c.into_iter().fold(0.0, f32::max);
        let mut specular = ColorInput::constant([0.0; 3]);
        if model >= 2 && entry.specular != Some([0.0; 3]) {
            specular = self.color(entry.specular, entry.specular_map.as_ref())?;
        } else if model >= 2 && entry.specular_map.is_some() {
            self.warn(entry, MtlFinding::BlackSpecular);
        }
        let largest = (0..3).map(|i| diffuse[i] + specular.factor[i]).fold(0.0, f32::max);
        if largest > 1.0 {
            self.warn(entry, MtlFinding::MakesLight { sum: largest });
            diffuse = diffuse.map(|c| c / largest);
            specular.factor = specular.factor.map(|c| c / largest);
        }
        let diffuse_color = self.tinted(diffuse, diffuse_image);
        if max(specular.factor) == 0.0 {
            return Ok(Surface::Diffuse { reflectance: diffuse_color });
        }
        let exponent = entry.exponent.map(|n| n.min(1e6));
        let exponent = self.under_map(entry, "Ns", exponent, entry.exponent_map.as_ref())?;
        let black = entry.diffuse_map.is_none() && max(diffuse) <= MIRROR_DIFFUSE * max(specular.factor);
        if matches!(model, 3 | 5 | 8) && black && exponent.texture.is_none() {
            if exponent.factor >= MIRROR_EXPONENT || entry.exponent.is_none() {
                return Ok(Surface::Mirror { reflectance: specular });
            }
            // A metal of that reflectance, its lobe as wide as Blinn's of that exponent.
            let alpha = ScalarInput::constant((2.0 / (exponent.factor + 2.0)).sqrt());
            return Ok(Surface::Principled(Box::new(Principled {
                base_color: specular,
                roughness: Roughness { x: alpha, y: alpha, remap: RoughnessRemap::None },
                ..Principled::default()
            })));
        }
        Ok(Surface::Blinn { diffuse: diffuse_color, specular, exponent })
    }

    /// Converts an entry to the metallic-roughness model, from `Pr` and `Pm` or from older statements as Blender means
    /// them.
    fn principled(&mut self, entry: &Entry, base_color: ColorInput) -> Result<Principled, ImportError> {
        let unit = |factor: Option<f32>| factor.map(|x| x.min(1.0));
        let mut surface = Principled {
            base_color,
            ior: entry.ior.filter(|&ior| ior > 1.0).unwrap_or(1.5),
            clearcoat: self.under_map(entry, "Pc", unit(entry.clearcoat), entry.clearcoat_map.as_ref())?,
            clearcoat_roughness: {
                let map = entry.clearcoat_roughness_map.as_ref();
                self.under_map(entry, "Pcr", unit(entry.clearcoat_roughness), map)?
            },
            ..Principled::default()
        };
        let has_own = has_roughness(entry);
        let rough = if has_own {
            let mut rough = self.under_map(entry, "Pr", entry.roughness, entry.roughness_map.as_ref())?;
            if entry.roughness.is_none() && rough.texture.is_none() {
                rough.factor = 1.0;
            }
            surface.metallic = self.under_map(entry, "Pm", unit(entry.metallic), entry.metallic_map.as_ref())?;
            rough
        } else {
            // Blender writes Ns as 1000 (1 - roughness)^2, the roughness map as map_Ns, metal as Ka and its map as
            // map_refl.
            let exponent = (entry.exponent.unwrap_or(250.0) / 1000.0).clamp(0.0, 1.0);
            let is_metal = matches!(entry.model, Some(3 | 6));
            let metallic = if is_metal { entry.ambient.map_or(1.0, |[r, ..]| r.min(1.0)) } else { 0.0 };
            surface.metallic = ScalarInput::constant(metallic);
            if let Some(map) = &entry.reflection_map {
                let mapped = self.scalar(None, Some(map))?;
                surface.metallic = if mapped.texture.is_some() { mapped } else { surface.metallic };
            }
            let mapped = self.scalar(None, entry.exponent_map.as_ref())?;
            if mapped.texture.is_some() { mapped } else { ScalarInput::constant(1.0 - exponent.sqrt()) }
        };
        surface.roughness = Roughness { x: rough, y: rough, remap: RoughnessRemap::Square };
        if is_as_blender_writes(entry) {
            // Its specular level is 0.5 where the index alone decides, and Tf is its transmission, written where it has
            // any.
            if entry.specular_map.is_some() {
                self.warn(entry, MtlFinding::SpecularLevelMap);
            } else {
                surface.specular.factor = entry.specular.map_or(1.0, |[r, g, b]| ((r + g + b) / 1.5).min(1.0));
            }
            if let (true, Some(filter)) = (has_own, entry.filter) {
                surface.transmission.factor = filter[0].min(1.0);
                surface.thin = false;
            }
        }
        Ok(surface)
    }

    fn glass(&mut self, entry: &Entry, thin: bool) -> Surface {
        let mut filter = entry.filter.unwrap_or([1.0; 3]).map(|c| c.min(1.0));
        if filter == [0.0; 3] {
            self.warn(entry, MtlFinding::OpaqueGlass);
            filter = [1.0; 3];
        }
        Surface::Dielectric {
            ior: entry.ior.filter(|&ior| ior > 0.0).unwrap_or(1.5),
            roughness: Roughness::SMOOTH,
            reflectance: ColorInput::constant([1.0; 3]),
            // Tf is what comes through the whole body, whose surface light crosses twice.
            transmittance: ColorInput::constant(if thin { filter } else { filter.map(f32::sqrt) }),
            thin,
            absorption: None,
        }
    }

    fn alpha(&mut self, entry: &Entry, diffuse_image: Option<TextureId>) -> Result<Alpha, ImportError> {
        let factor = constant_coverage(entry);
        if entry.dissolve.is_none() && entry.transparency.is_some_and(|tr| tr >= 1.0) {
            self.warn(entry, MtlFinding::Transparency);
        }
        if factor == 0.0 {
            self.warn(entry, MtlFinding::Dissolved);
        }
        let mut found = None;
        if let Some(map) = &entry.dissolve_map {
            if let Some(texture) = self.image(Some(map), Encoding::Linear)? {
                let alpha = self.coverage(texture, Channel::A);
                let mean = if alpha == Coverage::Full { Channel::Mean } else { Channel::A };
                let channel = channel(map).unwrap_or(mean);
                found = Some((texture, channel, self.coverage(texture, channel)));
            }
        } else if let Some(texture) = diffuse_image {
            found = Some((texture, Channel::A, self.coverage(texture, Channel::A)));
        }
        if factor > 0.0 && matches!(found, Some((_, _, Coverage::Empty))) {
            let map = if entry.dissolve_map.is_some() { "map_d" } else { "the alpha channel of map_Kd" };
            self.warn(entry, MtlFinding::DissolvedByMap { map });
        }
        Ok(match found {
            Some((texture, channel, Coverage::Binary | Coverage::Empty)) if factor == 1.0 => {
                Alpha::Mask { alpha: ScalarInput { factor, texture: Some((texture, channel)) }, cutoff: 0.5 }
            }
            Some((texture, channel, Coverage::Binary | Coverage::Empty | Coverage::Partial)) => {
                Alpha::Blend { alpha: ScalarInput { factor, texture: Some((texture, channel)) } }
            }
            _ if factor < 1.0 => Alpha::Blend { alpha: ScalarInput::constant(factor) },
            _ => Alpha::Opaque,
        })
    }

    fn normal(&mut self, entry: &Entry, uv_size: f32) -> Result<Option<NormalInput>, ImportError> {
        if let Some(map) = &entry.normal_map {
            let texture = self.image(Some(map), Encoding::Linear)?;
            return Ok(texture.map(|texture| NormalInput::Map { texture, scale: map.bump }));
        }
        let Some(map) = &entry.bump_map else { return Ok(None) };
        let Some(texture) = self.image(Some(map), Encoding::Linear)? else { return Ok(None) };
        let Some(image) = self.image_of(texture) else { return Ok(None) };
        if looks_like_normals(image) {
            self.warn(entry, MtlFinding::BumpIsNormalMap);
            return Ok(Some(NormalInput::Map { texture, scale: map.bump }));
        }
        // The format does not say how high white is. Here it is one texel, times -bm, so that a slope
        // depends neither on the scene's unit nor on the resolution.
        let texels = (image.width as f32 * image.height as f32).sqrt();
        let repeats = (map.scale[0] * map.scale[1]).abs().sqrt();
        let height = map.bump * uv_size / (texels * if repeats > 0.0 { repeats } else { 1.0 });
        let channel = channel(map).unwrap_or(Channel::Mean);
        let height = ScalarInput { factor: height, texture: Some((texture, channel)) };
        Ok((height.factor != 0.0 && height.factor.is_finite()).then_some(NormalInput::Bump { height }))
    }

    /// Makes the colour input of factor times map; a missing factor counts as 1 with a map, and 0 without.
    fn color(&mut self, factor: Option<[f32; 3]>, map: Option<&Map>) -> Result<ColorInput, ImportError> {
        let texture = self.image(map, Encoding::Srgb)?;
        let silent = if texture.is_some() { [1.0; 3] } else { [0.0; 3] };
        Ok(ColorInput { factor: factor.unwrap_or(silent), texture })
    }

    /// Makes the scalar input of factor times map; a missing factor counts as 1 with a map, and 0 without.
    fn scalar(&mut self, factor: Option<f32>, map: Option<&Map>) -> Result<ScalarInput, ImportError> {
        let texture = self.image(map, Encoding::Linear)?;
        let channel = map.and_then(channel).unwrap_or(Channel::Mean);
        let silent = if texture.is_some() { 1.0 } else { 0.0 };
        Ok(ScalarInput { factor: factor.unwrap_or(silent), texture: texture.map(|texture| (texture, channel)) })
    }

    /// Makes the scalar input of factor times map, reading a factor of 0 with a map as 1. This is what
    /// [`Self::white_under_map`] does for colours.
    fn under_map(
        &mut self,
        entry: &Entry,
        name: &'static str,
        factor: Option<f32>,
        map: Option<&Map>,
    ) -> Result<ScalarInput, ImportError> {
        let mut found = self.scalar(factor, map)?;
        if found.factor == 0.0 && found.texture.is_some() {
            self.warn(entry, MtlFinding::ZeroUnderMap { factor: name });
            found.factor = 1.0;
        }
        Ok(found)
    }

    /// Makes the colour input of factor times image and vertex colours, where there are any.
    fn tinted(&mut self, factor: [f32; 3], image: Option<TextureId>) -> ColorInput {
        let texture = match (image, self.colors) {
            (Some(a), Some(b)) => Some(self.scene.add_texture(Texture::Scale { a, b })),
            (image, colors) => image.or(colors),
        };
        ColorInput { factor, texture }
    }

    /// Makes the texture of a map with its options, which refer to coordinates whose v grows upwards.
    fn image(&mut self, map: Option<&Map>, encoding: Encoding) -> Result<Option<TextureId>, ImportError> {
        let Some(map) = map else { return Ok(None) };
        let Some(image) = (self.images)(self.scene, map, encoding)? else { return Ok(None) };
        let ([su, sv], [ou, ov]) = (map.scale, map.offset);
        let mapping = UvMapping { set: 0, rows: [[su, 0.0, ou], [0.0, sv, 1.0 - sv - ov]] };
        let wrap = [if map.clamp { Wrap::Clamp } else { Wrap::Repeat }; 2];
        Ok(Some(self.scene.add_texture(Texture::Image { image, mapping, wrap, filter: ImageFilter::Bilinear })))
    }

    fn image_of(&self, texture: TextureId) -> Option<&Image> {
        match &self.scene.textures[texture.index()] {
            Texture::Image { image, .. } => Some(&self.scene.images[image.index()]),
            _ => None,
        }
    }

    /// Returns how a channel of an image acts as opacity: full, empty, binary or graded.
    fn coverage(&self, texture: TextureId, channel: Channel) -> Coverage {
        let Some(image) = self.image_of(texture) else { return Coverage::Full };
        let mut found = Coverage::Full;
        let mut is_empty = true;
        let mut take = |value: f32| {
            is_empty &= value <= 0.0;
            found = match value {
                v if v >= 1.0 => found,
                v if v <= 0.0 && found != Coverage::Partial => Coverage::Binary,
                _ => Coverage::Partial,
            };
        };
        let place = match channel {
            Channel::R => Some(0),
            Channel::G => Some(1),
            Channel::B => Some(2),
            Channel::A => Some(3),
            Channel::Mean => None,
        };
        let mean = |[r, g, b]: [f32; 3]| (r + g + b) / 3.0;
        let unit = |c: u8| f32::from(c) / 255.0;
        match (&*image.pixels, place) {
            // Zero and one are zero and one in either encoding.
            (Pixels::Srgb8(texels) | Pixels::Linear8(texels), Some(i)) => texels.iter().for_each(|t| take(unit(t[i]))),
            (Pixels::Srgb8(texels) | Pixels::Linear8(texels), None) => {
                texels.iter().for_each(|t| take(mean([unit(t[0]), unit(t[1]), unit(t[2])])));
            }
            (Pixels::Float(texels), Some(i)) => texels.iter().for_each(|t| take(t[i])),
            (Pixels::Float(texels), None) => texels.iter().for_each(|t| take(mean([t[0], t[1], t[2]]))),
        }
        if is_empty { Coverage::Empty } else { found }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coverage {
    /// The channel is 1 in every texel.
    Full,
    /// The channel is 0 in every texel.
    Empty,
    /// The channel is 0 or 1 in every texel.
    Binary,
    /// The channel has values between 0 and 1.
    Partial,
}

/// Returns the channel that a map's option `-imfchan` names; m is the matte, l and z stand for brightness.
fn channel(map: &Map) -> Option<Channel> {
    Some(match map.channel? {
        'r' => Channel::R,
        'g' => Channel::G,
        'b' => Channel::B,
        'm' => Channel::A,
        _ => Channel::Mean,
    })
}

/// Returns `true` if an image looks like a normal map: blue on the whole, as height maps are not.
fn looks_like_normals(image: &Image) -> bool {
    // Some 4,096 texels tell.
    let step = (image.len() / 4096).max(1);
    let (mut sum, mut count) = ([0.0f64; 3], 0.0);
    for i in (0..image.len()).step_by(step) {
        let texel = match &*image.pixels {
            Pixels::Srgb8(t) | Pixels::Linear8(t) => t[i].each(|c| f32::from(c) / 255.0),
            Pixels::Float(t) => t[i],
        };
        for (sum, c) in sum.iter_mut().zip(texel) {
            *sum += f64::from(c);
        }
        count += 1.0;
    }
    let [r, g, b] = sum.map(|s| s / count);
    (r - 0.5).abs() < 0.15 && (g - 0.5).abs() < 0.15 && b > 0.75
}
