//! `Texture`: named textures, floats and colours in separate name spaces as in pbrt.

use super::params::{Kind, Params, Values};
use super::state::Importer;
use crate::import::context::Encoding;
use crate::{
    Channel, ColorInput, ImageFilter, ImageId, ImportError, PbrtFault, PbrtWarning, Pixels, Place, ScalarInput,
    Texture, TextureId, UvMapping, Wrap,
};

impl Importer<'_> {
    pub fn texture_directive(
        &mut self,
        name: &str,
        kind: &str,
        class: &str,
        params: Params,
    ) -> Result<(), ImportError> {
        self.context.stand_ins.begin();
        let params = params.with_defaults(&self.graphics.defaults.texture.clone());
        let color = match kind {
            "spectrum" | "color" => true,
            "float" => false,
            _ => {
                return Err(params.error(PbrtFault::TextureType { name: name.into(), kind: kind.into() }));
            }
        };
        let value = match class {
            "constant" => self.texture_input(&params, "value", color, 1.0)?,
            "imagemap" => self.image_map(&params, color)?,
            "scale" => self.scale_texture(&params, color)?,
            "mix" => {
                let a = self.texture_input(&params, "tex1", color, 0.0)?;
                let b = self.texture_input(&params, "tex2", color, 1.0)?;
                let amount = self.texture_input(&params, "amount", false, 0.5)?;
                self.mixed(a, b, amount)
            }
            "checkerboard" => {
                let even = self.texture_input(&params, "tex1", color, 1.0)?;
                let odd = self.texture_input(&params, "tex2", color, 0.0)?;
                if params.integer("dimension", 2..=3)? == Some(3) {
                    self.warn(&params, PbrtWarning::SolidCheckerboard);
                    self.context.stand_ins.texture(name);
                }
                params.ignore_known("Texture");
                let [[u, _, du], [_, v, dv]] = self.mapping_rows(&params)?;
                // Our v is 1 - pbrt's; squares are counted in pbrt's.
                let mapping = UvMapping { set: 0, rows: [[u, 0.0, du], [0.0, -v, v + dv]] };
                let (even, odd) = (self.texture_of(even), self.texture_of(odd));
                ColorInput::texture(self.scene.add_texture(Texture::Checkerboard { mapping, even, odd }))
            }
            "bilerp" => {
                self.warn(&params, PbrtWarning::Bilerp { name: name.into() });
                self.context.stand_ins.texture(name);
                let mut mean = [0.0; 3];
                for (corner, default) in [("v00", 0.0), ("v01", 1.0), ("v10", 0.0), ("v11", 1.0)] {
                    let value = self.color(&params, corner)?.unwrap_or([default; 3]);
                    mean = std::array::from_fn(|i| mean[i] + value[i] / 4.0);
                }
                self.mapping_rows(&params)?;
                ColorInput::constant(mean)
            }
            _ => {
                self.warn(&params, PbrtWarning::Texture { name: name.into(), class: class.into() });
                self.context.stand_ins.texture(name);
                self.store_texture(name, color, ColorInput::constant([0.5; 3]));
                return Ok(());
            }
        };
        self.warn_unused(&params, &format!("{class} textures"));
        self.store_texture(name, color, value);
        Ok(())
    }

    fn store_texture(&mut self, name: &str, color: bool, value: ColorInput) {
        let space = if color { &mut self.color_textures } else { &mut self.float_textures };
        space.insert(name.to_string(), value);
        let key = (name.to_string(), color);
        match self.context.stand_ins.close() {
            Some(mark) => self.texture_marks.insert(key, mark),
            None => self.texture_marks.remove(&key),
        };
    }

    /// Reads a texture's parameter that is a number, a colour or another texture.
    fn texture_input(
        &mut self,
        params: &Params,
        name: &str,
        color: bool,
        default: f32,
    ) -> Result<ColorInput, ImportError> {
        if color {
            return Ok(self.color_input(params, name)?.unwrap_or(ColorInput::constant([default; 3])));
        }
        if let Some(texture) = params.texture(name)? {
            return Ok(self.named_texture(params, texture, false).unwrap_or(ColorInput::constant([default; 3])));
        }
        match params.find(name).map(|p| p.kind) {
            None => Ok(ColorInput::constant([default; 3])),
            Some(Kind::Float | Kind::Integer) => Ok(ColorInput::constant([params.float_or(name, default)?; 3])),
            // A colour where a number is wanted counts with its mean.
            Some(_) => {
                let [r, g, b] = self.color(params, name)?.unwrap_or([default; 3]);
                Ok(ColorInput::constant([(r + g + b) / 3.0; 3]))
            }
        }
    }

    /// Returns the input for the texture called `name`, or warns when it is not defined. A number's name space is
    /// searched second for colours and the other way round: files mix them up where pbrt would complain.
    pub fn named_texture(&mut self, params: &Params, name: &str, color: bool) -> Option<ColorInput> {
        for color in [color, !color] {
            let space = if color { &self.color_textures } else { &self.float_textures };
            if let Some(&found) = space.get(name) {
                self.context.stand_ins.add(self.texture_marks.get(&(name.to_string(), color)).copied());
                return Some(found);
            }
        }
        self.warn(params, PbrtWarning::NoTexture { name: name.into() });
        self.context.stand_ins.texture(name);
        None
    }

    /// Reads a parameter that is a number or names a texture of numbers.
    pub fn scalar_input(&mut self, params: &Params, name: &str) -> Result<Option<ScalarInput>, ImportError> {
        if let Some(texture) = params.texture(name)? {
            return Ok(self.named_texture(params, texture, false).map(mean));
        }
        match params.find(name).map(|p| p.kind) {
            None => Ok(None),
            Some(Kind::Float | Kind::Integer) => Ok(params.float(name)?.map(ScalarInput::constant)),
            Some(_) => Ok(self.color(params, name)?.map(|[r, g, b]| ScalarInput::constant((r + g + b) / 3.0))),
        }
    }

    /// Returns a texture that equals an input with its factor.
    pub fn texture_of(&mut self, input: ColorInput) -> TextureId {
        let [r, g, b] = input.factor;
        match input.texture {
            Some(texture) if input.factor == [1.0; 3] => texture,
            Some(a) => {
                let b = self.scene.add_texture(Texture::Constant([r, g, b, 1.0]));
                self.scene.add_texture(Texture::Scale { a, b })
            }
            None => self.scene.add_texture(Texture::Constant([r, g, b, 1.0])),
        }
    }

    fn scale_texture(&mut self, params: &Params, color: bool) -> Result<ColorInput, ImportError> {
        // Version 3 multiplies tex1 and tex2, version 4 tex and scale.
        let names = if params.has("tex") || params.has("scale") { ["tex", "scale"] } else { ["tex1", "tex2"] };
        let a = self.texture_input(params, names[0], color, 1.0)?;
        let b = if names[1] == "scale" && !matches!(params.find("scale").map(|p| &p.values), Some(Values::Texts(_))) {
            self.texture_input(params, "scale", false, 1.0)?
        } else {
            self.texture_input(params, names[1], color, 1.0)?
        };
        Ok(self.product(a, b))
    }

    /// Returns the product of two inputs as an input.
    pub fn product(&mut self, a: ColorInput, b: ColorInput) -> ColorInput {
        let factor = std::array::from_fn(|i| (a.factor[i] * b.factor[i]).clamp(f32::MIN, f32::MAX));
        let texture = match (a.texture, b.texture) {
            (Some(a), Some(b)) => Some(self.scene.add_texture(Texture::Scale { a, b })),
            (a, b) => a.or(b),
        };
        ColorInput { factor, texture }
    }

    fn mixed(&mut self, a: ColorInput, b: ColorInput, amount: ColorInput) -> ColorInput {
        if let (None, None, None) = (a.texture, b.texture, amount.texture) {
            let mix = |a: f32, b: f32, t: f32| f64::from(a) * (1.0 - f64::from(t)) + f64::from(b) * f64::from(t);
            let factor = std::array::from_fn(|i| mix(a.factor[i], b.factor[i], amount.factor[i]) as f32);
            return ColorInput::constant(factor.map(|c: f32| c.clamp(f32::MIN, f32::MAX)));
        }
        let (a, b, amount) = (self.texture_of(a), self.texture_of(b), self.texture_of(amount));
        ColorInput::texture(self.scene.add_texture(Texture::Mix { a, b, amount }))
    }

    fn image_map(&mut self, params: &Params, color: bool) -> Result<ColorInput, ImportError> {
        let Some(name) = params.text("filename")? else {
            return Err(params.error(PbrtFault::NoFile { what: "imagemap" }));
        };
        let path = self.resolve(name, params.line);
        let gamma = gamma_of(params)?;
        let encoding = self.encoding(params, name, color)?;
        let [[u, _, du], [_, v, dv]] = self.mapping_rows(params)?;
        // pbrt's t grows upwards from the image's lowest row: 1 - t = v v' + (1 - v - dv), v' = 1 - v.
        let mapping = UvMapping { set: 0, rows: [[u, 0.0, du], [0.0, v, 1.0 - v - dv]] };
        let wrap = match params.text("wrap")?.unwrap_or("repeat") {
            "repeat" => Wrap::Repeat,
            "black" => Wrap::Black,
            "clamp" => Wrap::Clamp,
            "octahedralsphere" => Wrap::Clamp,
            other => return Err(params.error(PbrtFault::Wrap { name: other.into() })),
        };
        let filter = match params.text("filter")? {
            Some("point") => ImageFilter::Nearest,
            _ => ImageFilter::Bilinear,
        };
        params.ignore_known("Texture");
        let scale = params.float_or("scale", 1.0)?;
        let invert = params.bool("invert")?.unwrap_or(false);
        let image = match gamma {
            Some(gamma) => self.image_of_gamma(&path, gamma)?,
            None => self.image(&path, encoding)?,
        };
        let mut input = match image {
            None => ColorInput::constant([0.5; 3]),
            Some(image) => {
                ColorInput::texture(self.scene.add_texture(Texture::Image { image, mapping, wrap: [wrap; 2], filter }))
            }
        };
        input.factor = input.factor.map(|c| c * scale);
        // Of what is scaled: 1 - scale * texel, not below 0.
        if invert {
            input = self.mixed(ColorInput::constant([1.0; 3]), ColorInput::constant([0.0; 3]), input);
            input.factor = input.factor.map(|c| c.max(0.0));
        }
        Ok(input)
    }

    /// Loads the image in `path`, whose stored values are light to the power of 1 / `gamma`, as linear values. It stays
    /// as it is where the file holds floats.
    fn image_of_gamma(&mut self, path: &std::path::Path, gamma: f32) -> Result<Option<ImageId>, ImportError> {
        let key = (path.to_path_buf(), gamma.to_bits());
        if let Some(&known) = self.gamma_images.get(&key) {
            return Ok(Some(known));
        }
        let bytes =
            if self.files.disk || self.context.is_sealed() { self.context.read_look(path)? } else { self.read(path)? };
        let Some(bytes) = bytes else {
            self.context.stand_ins.texture(path.display());
            return Ok(None);
        };
        let decoded = self.context.decode_image(path, Place::File, &bytes, Encoding::Linear);
        let Some(mut image) = self.context.forgive_image(decoded)? else { return Ok(None) };
        let power = |c: f32| f64::from(c).powf(f64::from(gamma)) as f32;
        let is_png = bytes.starts_with(&[0x89, b'P', b'N', b'G']);
        match &*image.pixels {
            Pixels::Linear8(texels) | Pixels::Srgb8(texels) => {
                let table: Vec<f32> = (0..256u16).map(|c| power(f32::from(c) / 255.0)).collect();
                let decoded = |&[r, g, b, a]: &[u8; 4]| {
                    [table[usize::from(r)], table[usize::from(g)], table[usize::from(b)], f32::from(a) / 255.0]
                };
                image.pixels = Pixels::Float(texels.iter().map(decoded).collect()).into();
            }
            // Of sixteen bits.
            Pixels::Float(texels) if is_png => {
                let decoded = |&[r, g, b, a]: &[f32; 4]| [power(r), power(g), power(b), a];
                image.pixels = Pixels::Float(texels.iter().map(decoded).collect()).into();
            }
            Pixels::Float(_) => {}
        }
        let id = self.scene.add_image(image);
        self.gamma_images.insert(key, id);
        Ok(Some(id))
    }

    /// Loads the image in `path`; `None` when it is missing (noted).
    pub fn image(&mut self, path: &std::path::Path, encoding: Encoding) -> Result<Option<crate::ImageId>, ImportError> {
        if !self.files.disk && !self.context.is_sealed() {
            self.context.note_missing(path);
            self.context.stand_ins.texture(path.display());
            return Ok(None);
        }
        let image = self.context.image(&mut self.scene, path, encoding)?;
        if image.is_none() {
            self.context.stand_ins.texture(path.display());
        }
        Ok(image)
    }

    /// Returns the colour encoding of an image file on a texture. pbrt decodes PNG and TGA from sRGB unless told
    /// otherwise, numbers too. JPEG, which version 3 does not read, is taken as sRGB for colours and as linear for
    /// numbers.
    fn encoding(&mut self, params: &Params, file: &str, color: bool) -> Result<Encoding, ImportError> {
        let lower = file.to_lowercase();
        let srgb = match (params.bool("gamma")?, params.text("encoding")?) {
            (Some(gamma), _) => gamma,
            (None, Some("linear")) => false,
            (None, Some("sRGB")) => true,
            (None, Some(other)) => {
                // Gamma is read elsewhere.
                if gamma_of(params)?.is_none() {
                    self.warn(params, PbrtWarning::Encoding { name: other.into() });
                }
                true
            }
            (None, None) => color || lower.ends_with(".png") || lower.ends_with(".tga"),
        };
        Ok(if srgb { Encoding::Srgb } else { Encoding::Linear })
    }

    /// Reads the rows of a texture's `uv` mapping, scale and shift.
    fn mapping_rows(&mut self, params: &Params) -> Result<[[f32; 3]; 2], ImportError> {
        if let Some(mapping) = params.text("mapping")?.filter(|&mapping| mapping != "uv") {
            params.cover(&["v1", "v2"]);
            self.warn(params, PbrtWarning::TextureMapping { name: mapping.into() });
            self.context.stand_ins.texture(format_args!("{}:{}", params.path.display(), params.line));
        }
        let (u, v) = (params.float_or("uscale", 1.0)?, params.float_or("vscale", 1.0)?);
        let (du, dv) = (params.float_or("udelta", 0.0)?, params.float_or("vdelta", 0.0)?);
        Ok([[u, 0.0, du], [0.0, v, dv]])
    }
}

/// Reads the gamma from version 4's parameter `"encoding" "gamma G"`.
fn gamma_of(params: &Params) -> Result<Option<f32>, ImportError> {
    let Some(encoding) = params.text("encoding")? else { return Ok(None) };
    let mut words = encoding.split_ascii_whitespace();
    let (Some("gamma"), Some(number), None) = (words.next(), words.next(), words.next()) else { return Ok(None) };
    match number.parse::<f32>() {
        Ok(gamma) if gamma > 0.0 && gamma.is_finite() => Ok(Some(gamma)),
        _ => Err(params.error(PbrtFault::Gamma { text: encoding.into() })),
    }
}

/// Converts a colour input to a scalar input: the mean of its channels.
pub(super) fn mean(input: ColorInput) -> ScalarInput {
    let factor = input.factor.iter().sum::<f32>() / 3.0;
    ScalarInput { factor, texture: input.texture.map(|texture| (texture, Channel::Mean)) }
}
