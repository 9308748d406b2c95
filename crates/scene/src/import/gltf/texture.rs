//! Textures: images, samplers and texture transforms.
//!
//! glTF's `v` grows downwards from the image's first row, as the scene model's does.

use super::data::{External, file_of, read_external};
use super::fault::{Read, optional};
use super::json::{Int, SamplerJson, TextureInfo, plain};
use super::uri::{UriTarget, resolve};
use super::{Builder, Encoding};
use crate::{
    GltfFault, GltfWarning, ImageFilter, ImageId, ImportError, Pixels, Place, Texture, TextureId, UvMapping, Wrap,
};

/// Key of the texture cache: texture index, encoding, coordinate set and transform of the coordinates.
pub type TextureKey = (u64, Encoding, u8, [[u32; 3]; 2]);

impl Builder<'_, '_> {
    /// Returns the scene's texture for `info`, or `None` when its image is missing or unsupported (with a warning).
    pub fn texture(
        &mut self,
        info: &TextureInfo,
        encoding: Encoding,
        item: &str,
    ) -> Result<Option<TextureId>, ImportError> {
        let found = self.find_texture(info, encoding, item);
        let found = self.context.forgive(found)?.flatten();
        if let (None, Some(index)) = (found, info.index) {
            self.context.stand_ins.texture(index.0);
        }
        Ok(found)
    }

    fn find_texture(
        &mut self,
        info: &TextureInfo,
        encoding: Encoding,
        item: &str,
    ) -> Result<Option<TextureId>, ImportError> {
        let document = self.data.document;
        let index = info.index.ok_or_else(|| self.data.malformed(item, GltfFault::NamesNo { what: "texture" }))?;
        let texture = self.data.entry(&document.textures, "textures", index, item)?;
        let Some(mapping) = self.mapping(info, item) else { return Ok(None) };
        let key = (index.0, encoding, mapping.set, mapping.rows.map(|row| row.map(f32::to_bits)));
        if let Some(&known) = self.textures.get(&key) {
            return Ok(known);
        }
        let place = format!("textures[{}]", index.0);
        let extensions = &texture.extensions;
        let better = [&extensions.basisu, &extensions.webp].into_iter().flatten().find_map(|other| other.source);
        let image = match (better, texture.source) {
            (Some(first), Some(fallback)) if first != fallback => {
                self.image_or_fallback([first, fallback], encoding, &place)?
            }
            (Some(source), _) | (None, Some(source)) => self.image(source, encoding, &place)?,
            (None, None) => {
                self.warn(&place, GltfWarning::NoImage);
                None
            }
        };
        let sampler = match texture.sampler {
            Some(sampler) => self.data.entry(&document.samplers, "samplers", sampler, &place)?.clone(),
            None => SamplerJson::default(),
        };
        let wrap = [self.wrap(sampler.wrap_s, &place), self.wrap(sampler.wrap_t, &place)];
        let filter = if sampler.mag_filter == Some(Int(9728)) { ImageFilter::Nearest } else { ImageFilter::Bilinear };
        let id = image.map(|image| self.scene.add_texture(Texture::Image { image, mapping, wrap, filter }));
        self.textures.insert(key, id);
        Ok(id)
    }

    /// Returns the texture that multiplies `base` by the vertex colours.
    pub fn times_vertex_color(&mut self, base: Option<TextureId>) -> TextureId {
        let colors = match self.vertex_color {
            Some(id) => id,
            None => *self.vertex_color.insert(self.scene.add_texture(Texture::VertexColor)),
        };
        let Some(base) = base else { return colors };
        if let Some(&known) = self.colored.get(&base) {
            return known;
        }
        let id = self.scene.add_texture(Texture::Scale { a: base, b: colors });
        self.colored.insert(base, id);
        id
    }

    /// Returns `true` if `texture` is an image without transparent texels. Many writers mark everything BLEND,
    /// and queries are faster where they need not ask.
    pub fn is_opaque(&mut self, texture: TextureId) -> bool {
        let Texture::Image { image, .. } = self.scene.textures[texture.index()] else { return false };
        let pixels = &*self.scene.images[image.index()].pixels;
        *self.opaque.entry(image).or_insert_with(|| match pixels {
            Pixels::Srgb8(p) | Pixels::Linear8(p) => p.iter().all(|c| c[3] == 255),
            Pixels::Float(p) => p.iter().all(|c| c[3] >= 1.0),
        })
    }

    /// Returns the coordinate set and transform (KHR_texture_transform) of a texture; `None` if unsupported.
    fn mapping(&mut self, info: &TextureInfo, item: &str) -> Option<UvMapping> {
        let transform = info.extensions.transform.clone().unwrap_or_default();
        let set = transform.tex_coord.unwrap_or(info.tex_coord).0;
        if set > 1 {
            self.warn(item, GltfWarning::CoordinateSet { set });
            return None;
        }
        let [ox, oy] = transform.offset.map_or([0.0; 2], plain);
        let [sx, sy] = transform.scale.map_or([1.0; 2], plain);
        let (sin, cos) = transform.rotation.unwrap_or_default().0.sin_cos();
        // Scale, then rotate counter-clockwise as seen with v downwards, then shift. Early texts of the
        // extension print the rotation the other way round than their own example has it.
        let rows = [[cos * sx, sin * sy, ox], [-sin * sx, cos * sy, oy]];
        if !rows.iter().flatten().all(|x| x.is_finite()) {
            self.warn(item, GltfWarning::TextureTransform);
            return Some(UvMapping { set: set as u8, ..UvMapping::default() });
        }
        Some(UvMapping { set: set as u8, rows })
    }

    fn wrap(&mut self, mode: Option<Int>, item: &str) -> Wrap {
        match mode.map_or(10497, |m| m.0) {
            10497 => Wrap::Repeat,
            33071 => Wrap::Clamp,
            33648 => Wrap::Mirror,
            other => {
                self.warn(item, GltfWarning::WrapMode { mode: other });
                Wrap::Repeat
            }
        }
    }

    /// Returns the image that an extension names, or the fallback image that the file has for readers without it.
    fn image_or_fallback(
        &mut self,
        [first, fallback]: [Int; 2],
        encoding: Encoding,
        item: &str,
    ) -> Result<Option<ImageId>, ImportError> {
        let missing = self.context.missing_count();
        let allow_missing = self.context.allow_missing(false);
        let read = self.image(first, encoding, item);
        self.context.allow_missing(allow_missing);
        let error = match read {
            Ok(Some(found)) => return Ok(Some(found)),
            Ok(None) => None,
            Err(error) => Some(error.to_string()),
        };
        self.context.forget_missing_after(missing);
        let found = self.image(fallback, encoding, item)?;
        if found.is_some() {
            self.warn(item, GltfWarning::FallbackImage { image: first.0, fallback: fallback.0, error });
        }
        Ok(found)
    }

    /// Returns image `index` of the document, decoded once for each encoding.
    fn image(&mut self, index: Int, encoding: Encoding, item: &str) -> Result<Option<ImageId>, ImportError> {
        let document = self.data.document;
        self.data.entry(&document.images, "images", index, item)?;
        if let Some(&known) = self.images.get(&(index.0, encoding)) {
            return Ok(known);
        }
        let id = optional(self.load_image(index, encoding))?.flatten();
        self.images.insert((index.0, encoding), id);
        Ok(id)
    }

    fn load_image(&mut self, index: Int, encoding: Encoding) -> Read<Option<ImageId>> {
        let image = &self.data.document.images[index.index()];
        let item = format!("images[{}]", index.0);
        let data = self.data;
        let embedded = match (&image.uri, image.buffer_view) {
            (Some(uri), _) => match resolve(uri).map_err(|fault| data.malformed(format!("{item}.uri"), fault))? {
                UriTarget::Bytes(bytes) => std::borrow::Cow::Owned(bytes),
                UriTarget::File(name) => {
                    let file = file_of(data.path, format!("{item}.uri"), &name, data.external, self.context);
                    if data.external == External::Read || self.context.is_sealed() {
                        return Ok(self.context.image(&mut self.scene, &file, encoding)?);
                    }
                    read_external(&file, data.external, self.context)?;
                    return Ok(None);
                }
            },
            (None, Some(view)) => std::borrow::Cow::Borrowed(data.view(view, &item)?.1),
            (None, None) => return Err(data.malformed(item, GltfFault::NoImageBytes).into()),
        };
        let decoded = self.context.decode_image(data.path, Place::Item(item.clone()), &embedded, encoding);
        let Some(mut decoded) = self.context.forgive_image(decoded)? else { return Ok(None) };
        decoded.name = if image.name.is_empty() { item } else { image.name.clone() };
        Ok(Some(self.scene.add_image(decoded)))
    }
}
