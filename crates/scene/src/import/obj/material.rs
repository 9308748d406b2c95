//! What an MTL entry means in the model; the table is in docs/formats.md.

use super::mtl::{Entry, Map};
use crate::import::context::Encoding;
use crate::*;

/// A source of decoded images; `None` for a file that is missing (which it notes).
pub(super) type Images<'a> = dyn FnMut(&mut Scene, &Map, Encoding) -> Result<Option<ImageId>, SceneError> + 'a;

/// Below this share of Ks, Kd is taken for the black that programs write under a mirror.
const MIRROR_DIFFUSE: f32 = 0.1;
/// From this Ns on a mirror is a perfect one.
const MIRROR_EXPONENT: f32 = 1000.0;

/// Turns the entries of one file into materials.
pub(super) struct Mapper<'a> {
    pub scene: &'a mut Scene,
    pub images: &'a mut Images<'a>,
    /// The texture of vertex colours, if the mesh has any.
    pub colors: Option<TextureId>,
    /// Line and message.
    pub warnings: Vec<(u64, String)>,
}

impl Mapper<'_> {
    /// `uv_size` is the length in scene units that one unit of texture coordinates spans.
    pub fn material(&mut self, entry: &Entry, uv_size: f32) -> Result<Material, SceneError> {
        let mut diffuse = entry.diffuse.unwrap_or(if entry.diffuse_map.is_some() { [1.0; 3] } else { [0.7; 3] });
        if diffuse == [0.0; 3] && entry.diffuse_map.is_some() {
            // Many programs write so and mean the texture as it is.
            diffuse = [1.0; 3];
            self.warn(entry, "Kd is black under map_Kd; read as white");
        }
        let mut specular = entry.specular.unwrap_or_default();
        let model = entry.model.unwrap_or(2);
        if model < 2 {
            specular = [0.0; 3];
        }
        let largest = (0..3).map(|i| diffuse[i] + specular[i]).fold(0.0, f32::max);
        if largest > 1.0 && !matches!(model, 4 | 6 | 7 | 9) {
            self.warn(entry, format!("Kd + Ks reach {largest}; both divided by that, so that no light is made"));
            diffuse = diffuse.map(|c| c / largest);
            specular = specular.map(|c| c / largest);
        }
        let diffuse_image = self.image(entry.diffuse_map.as_ref(), Encoding::Srgb)?;
        let surface = self.surface(entry, model, (diffuse, diffuse_image), specular)?;
        let mut material = Material::new(entry.name.clone(), surface);
        if let Some(radiance) = entry.emission.filter(|&e| e != [0.0; 3]) {
            let radiance = self.color(radiance, entry.emission_map.as_ref(), Encoding::Srgb)?;
            material.emission = Some(Emission { radiance, two_sided: false });
        }
        if !matches!(material.surface, Surface::Dielectric { .. }) {
            material.alpha = self.alpha(entry, diffuse_image)?;
        }
        material.normal = self.normal(entry, uv_size)?;
        Ok(material)
    }

    fn warn(&mut self, entry: &Entry, message: impl Into<String>) {
        self.warnings.push((entry.line, format!("material {}: {}", entry.name, message.into())));
    }

    fn surface(
        &mut self,
        entry: &Entry,
        model: u32,
        (diffuse, diffuse_image): ([f32; 3], Option<TextureId>),
        specular: [f32; 3],
    ) -> Result<Surface, SceneError> {
        let max = |c: [f32; 3]| c.into_iter().fold(0.0, f32::max);
        if matches!(model, 4 | 6 | 7 | 9) {
            return Ok(self.glass(entry, model));
        }
        let diffuse_color = self.tinted(diffuse, diffuse_image);
        if entry.roughness.is_some() || entry.roughness_map.is_some() || entry.metallic.is_some() {
            let rough = self.scalar(entry.roughness.unwrap_or(1.0), entry.roughness_map.as_ref())?;
            let metallic = self.scalar(entry.metallic.unwrap_or(0.0).min(1.0), entry.metallic_map.as_ref())?;
            return Ok(Surface::Principled(Box::new(Principled {
                base_color: diffuse_color,
                metallic,
                roughness: Roughness { x: rough, y: rough, remap: RoughnessRemap::Square },
                ior: entry.ior.filter(|&ior| ior > 1.0).unwrap_or(1.5),
                clearcoat: ScalarInput::constant(entry.clearcoat.unwrap_or(0.0).min(1.0)),
                clearcoat_roughness: ScalarInput::constant(entry.clearcoat_roughness.unwrap_or(0.0).min(1.0)),
                ..Principled::default()
            })));
        }
        if max(specular) == 0.0 {
            return Ok(Surface::Diffuse { reflectance: diffuse_color });
        }
        let exponent = entry.exponent.unwrap_or(0.0).min(1e6);
        let specular_color = self.color(specular, entry.specular_map.as_ref(), Encoding::Srgb)?;
        let black = entry.diffuse_map.is_none() && max(diffuse) <= MIRROR_DIFFUSE * max(specular);
        if matches!(model, 3 | 5 | 8) && black {
            if exponent >= MIRROR_EXPONENT || entry.exponent.is_none() {
                return Ok(Surface::Mirror { reflectance: specular_color });
            }
            // A metal of that reflectance, its lobe as wide as Blinn's of that exponent.
            let alpha = ScalarInput::constant((2.0 / (exponent + 2.0)).sqrt());
            return Ok(Surface::Principled(Box::new(Principled {
                base_color: specular_color,
                roughness: Roughness { x: alpha, y: alpha, remap: RoughnessRemap::None },
                ..Principled::default()
            })));
        }
        Ok(Surface::Blinn {
            diffuse: diffuse_color,
            specular: specular_color,
            exponent: ScalarInput::constant(exponent),
        })
    }

    fn glass(&mut self, entry: &Entry, model: u32) -> Surface {
        let thin = matches!(model, 4 | 9);
        let mut filter = entry.filter.unwrap_or([1.0; 3]).map(|c| c.min(1.0));
        if filter == [0.0; 3] {
            self.warn(entry, "glass with Tf 0 lets nothing through; read as clear");
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

    fn alpha(&mut self, entry: &Entry, diffuse_image: Option<TextureId>) -> Result<Alpha, SceneError> {
        let factor = match (entry.dissolve, entry.transparency) {
            (Some(d), _) => d.min(1.0),
            (None, Some(tr)) if tr < 1.0 => 1.0 - tr,
            (None, Some(_)) => {
                self.warn(entry, "Tr 1 without d would leave nothing to see; read as opaque");
                1.0
            }
            (None, None) => 1.0,
        };
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
        Ok(match found {
            Some((texture, channel, Coverage::Binary)) if factor == 1.0 => {
                Alpha::Mask { alpha: ScalarInput { factor, texture: Some((texture, channel)) }, cutoff: 0.5 }
            }
            Some((texture, channel, Coverage::Binary | Coverage::Partial)) => {
                Alpha::Blend { alpha: ScalarInput { factor, texture: Some((texture, channel)) } }
            }
            _ if factor < 1.0 => Alpha::Blend { alpha: ScalarInput::constant(factor) },
            _ => Alpha::Opaque,
        })
    }

    fn normal(&mut self, entry: &Entry, uv_size: f32) -> Result<Option<NormalInput>, SceneError> {
        if let Some(map) = &entry.normal_map {
            let texture = self.image(Some(map), Encoding::Linear)?;
            return Ok(texture.map(|texture| NormalInput::Map { texture, scale: map.bump }));
        }
        let Some(map) = &entry.bump_map else { return Ok(None) };
        let Some(texture) = self.image(Some(map), Encoding::Linear)? else { return Ok(None) };
        let Some(image) = self.image_of(texture) else { return Ok(None) };
        if looks_like_normals(image) {
            self.warn(entry, "map_Bump holds a normal map; read as one");
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

    /// A colour times a map.
    fn color(&mut self, factor: [f32; 3], map: Option<&Map>, encoding: Encoding) -> Result<ColorInput, SceneError> {
        Ok(ColorInput { factor, texture: self.image(map, encoding)? })
    }

    fn scalar(&mut self, factor: f32, map: Option<&Map>) -> Result<ScalarInput, SceneError> {
        let texture = self.image(map, Encoding::Linear)?;
        let channel = map.and_then(channel).unwrap_or(Channel::Mean);
        Ok(ScalarInput { factor, texture: texture.map(|texture| (texture, channel)) })
    }

    /// A colour times an image and the vertex colours, where there are any.
    fn tinted(&mut self, factor: [f32; 3], image: Option<TextureId>) -> ColorInput {
        let texture = match (image, self.colors) {
            (Some(a), Some(b)) => Some(self.scene.add_texture(Texture::Scale { a, b })),
            (image, colors) => image.or(colors),
        };
        ColorInput { factor, texture }
    }

    /// The texture of a map; the options of maps are in the file's coordinates, where v grows upwards.
    fn image(&mut self, map: Option<&Map>, encoding: Encoding) -> Result<Option<TextureId>, SceneError> {
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

    /// How a channel of an image covers a surface.
    fn coverage(&self, texture: TextureId, channel: Channel) -> Coverage {
        let Some(image) = self.image_of(texture) else { return Coverage::Full };
        let value = |texel: [f32; 4]| match channel {
            Channel::R => texel[0],
            Channel::G => texel[1],
            Channel::B => texel[2],
            Channel::A => texel[3],
            Channel::Mean => (texel[0] + texel[1] + texel[2]) / 3.0,
        };
        let mut found = Coverage::Full;
        let mut take = |value: f32| {
            found = match value {
                v if v >= 1.0 => found,
                v if v <= 0.0 && found != Coverage::Partial => Coverage::Binary,
                _ => Coverage::Partial,
            };
        };
        match &*image.pixels {
            // Zero and one are zero and one in either encoding.
            Pixels::Srgb8(texels) | Pixels::Linear8(texels) => {
                texels.iter().for_each(|t| take(value(t.map(|c| f32::from(c) / 255.0))));
            }
            Pixels::Float(texels) => texels.iter().for_each(|&t| take(value(t))),
        }
        found
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coverage {
    /// 1 everywhere.
    Full,
    /// 0 or 1.
    Binary,
    /// Something between somewhere.
    Partial,
}

/// The channel that `-imfchan` names; m is the matte, l and z stand for brightness.
fn channel(map: &Map) -> Option<Channel> {
    Some(match map.channel? {
        'r' => Channel::R,
        'g' => Channel::G,
        'b' => Channel::B,
        'm' => Channel::A,
        _ => Channel::Mean,
    })
}

/// Whether an image is blue as tangent-space normals are and height fields are not.
fn looks_like_normals(image: &Image) -> bool {
    // Some 4,096 texels tell.
    let step = (image.len() / 4096).max(1);
    let (mut sum, mut count) = ([0.0f64; 3], 0.0);
    for i in (0..image.len()).step_by(step) {
        let texel = match &*image.pixels {
            Pixels::Srgb8(t) | Pixels::Linear8(t) => t[i].map(|c| f32::from(c) / 255.0),
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
