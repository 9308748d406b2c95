//! The images that a GPU's texture units look up, and the steps of textures that name them.

use crate::scene::texels;
use raywarp_cuda::{
    CudaError, Device, DeviceBuffer, DeviceTexture, Stream, TexelFormat, TextureAddress, TextureSampler,
};
use raywarp_render::ShadingScene;
use raywarp_render::flat::{ImageLookup, MaterialFlags, NONE, Texels, TextureImage, TextureKind, TextureOp, Wrapping};

/// Unit that looks up and filters the images of textures: kernels or texture units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TextureFilter {
    /// Kernels filter in the way of the CPU, so that pictures have the same bits.
    #[default]
    Exact,
    /// The GPU's texture units filter with 8-bit weights, so that pictures are only about the CPU's. Environments,
    /// bumps and images that are too large for them stay with the kernels.
    Hardware,
}

/// Kind of a texture step that reads an image by a texture object: the last in `TextureKind` of kernels/flat/tags.h,
/// which only scenes on a device have.
const SAMPLED_IMAGE: u32 = TextureKind::ALL.len() as u32;

/// Returns a copy of `op`, an image look-up, that reads the texture object `object` instead.
pub fn sampled(op: &TextureOp, object: u64) -> TextureOp {
    TextureOp { kind: SAMPLED_IMAGE, wrap: [object as u32, (object >> 32) as u32], ..*op }
}

/// Returns the texture sampler (wrap and filter modes) with which a step looks up its image.
pub fn sampler_of(op: &TextureOp) -> TextureSampler {
    let address = op.wrap.map(|wrap| match Wrapping::of(wrap) {
        Wrapping::Repeat => TextureAddress::Repeat,
        Wrapping::Mirror => TextureAddress::Mirror,
        Wrapping::Clamp => TextureAddress::Clamp,
        Wrapping::Black => TextureAddress::Zero,
    });
    TextureSampler { address, linear: ImageLookup::of(op.lookup) == ImageLookup::Bilinear }
}

/// Returns the memory format of an image's texels.
pub fn format_of(image: &TextureImage) -> TexelFormat {
    match &*image.texels {
        Texels::Srgb8(_) => TexelFormat::Srgb8,
        Texels::Linear8(_) => TexelFormat::Linear8,
        Texels::Float(_) => TexelFormat::Float,
    }
}

/// Decision which of a scene's images texture units read, and which the kernels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageUse {
    /// For each texture step `true` if a texture unit looks it up.
    pub sampled_ops: Vec<bool>,
    /// For each image `true` if texture units read it.
    pub by_units: Vec<bool>,
    /// For each image `true` if kernels read it.
    pub by_kernels: Vec<bool>,
}

impl ImageUse {
    /// Decides for each of a scene's images which unit reads it.
    pub fn of(scene: &ShadingScene, filter: TextureFilter) -> Self {
        let images = scene.images.len();
        if filter == TextureFilter::Exact {
            return Self {
                sampled_ops: vec![false; scene.texture_ops.len()],
                by_units: vec![false; images],
                by_kernels: vec![true; images],
            };
        }
        let [width, height] = DeviceTexture::LARGEST;
        let fits = |image: &TextureImage| image.size[0] <= width && image.size[1] <= height;
        let is_look_up = |op: &TextureOp| TextureKind::of(op.kind) == TextureKind::Image;
        let mut sampled_ops: Vec<bool> =
            (scene.texture_ops.iter()).map(|op| is_look_up(op) && fits(&scene.images[op.image as usize])).collect();
        // A slope is a difference over 1/2048 of the image, which may be a small part of a texel: weights of 8 bits
        // would make stairs of it.
        for material in scene.materials.iter().filter(|m| m.has(MaterialFlags::BUMP) && m.normal != NONE) {
            let heights = &scene.inputs[material.normal as usize];
            if heights.is_textured() {
                let steps = &scene.programs[heights.texture() as usize];
                sampled_ops[steps.first as usize..steps.end as usize].fill(false);
            }
        }
        let mut by_kernels = vec![false; images];
        let mut by_units = vec![false; images];
        for (op, sampled) in scene.texture_ops.iter().zip(&sampled_ops).filter(|(op, _)| is_look_up(op)) {
            let by = if *sampled { &mut by_units } else { &mut by_kernels };
            by[op.image as usize] = true;
        }
        for environment in scene.environments.iter().filter(|environment| environment.image != NONE) {
            by_kernels[environment.image as usize] = true;
        }
        Self { sampled_ops, by_units, by_kernels }
    }

    /// Returns the approximate bytes of device memory that the images of `scene` take.
    pub fn bytes(&self, scene: &ShadingScene) -> usize {
        let of = |(image, (units, kernels)): (&TextureImage, (&bool, &bool))| {
            let linear = if *kernels { texels(image).len() } else { 0 };
            let tiled = if *units { DeviceTexture::bytes_of(image.size, format_of(image)) } else { 0 };
            linear + tiled
        };
        scene.images.iter().zip(self.by_units.iter().zip(&self.by_kernels)).map(of).sum()
    }
}

/// Images of a scene in device memory.
#[derive(Debug)]
pub struct DeviceImages {
    /// For each image its texels, row by row, for kernels; `None` if they don't read it.
    pub texels: Vec<Option<DeviceBuffer<u8>>>,
    /// Texture steps of the scene, some of which name texture objects.
    pub ops: Vec<TextureOp>,
    /// Images that texture units read.
    pub textures: Vec<DeviceTexture>,
}

impl DeviceImages {
    /// Uploads the images of a scene.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`], [`CudaError::Driver`].
    pub fn upload(
        device: &Device,
        stream: &Stream,
        scene: &ShadingScene,
        images: &ImageUse,
    ) -> Result<Self, CudaError> {
        let linear =
            |(image, is_read): (&TextureImage, &bool)| is_read.then(|| stream.upload(texels(image))).transpose();
        let linear = scene.images.iter().zip(&images.by_kernels).map(linear).collect::<Result<_, _>>()?;
        let tiled = |(image, is_read): (&TextureImage, &bool)| {
            is_read
                .then(|| DeviceTexture::upload(device, stream, image.size, format_of(image), texels(image)))
                .transpose()
        };
        let mut tiled: Vec<Option<DeviceTexture>> =
            scene.images.iter().zip(&images.by_units).map(tiled).collect::<Result<_, _>>()?;
        let mut ops = scene.texture_ops.clone();
        for (op, _) in ops.iter_mut().zip(&images.sampled_ops).filter(|(_, sampled)| **sampled) {
            if let Some(texture) = &mut tiled[op.image as usize] {
                *op = sampled(op, texture.object(sampler_of(op))?);
            }
        }
        Ok(Self { texels: linear, ops, textures: tiled.into_iter().flatten().collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_render::flat::{EnvironmentRecord, Input, InputChannel, MaterialRecord, ProgramRecord};
    use std::sync::Arc;

    fn image(size: [u32; 2]) -> TextureImage {
        let count = size[0] as usize * size[1] as usize;
        TextureImage { size, texels: Arc::new(Texels::Linear8(vec![[1, 2, 3, 4]; count])) }
    }

    /// Returns a test scene of images with one texture each: the second a bump, the third also the environment's, the
    /// fourth unused, the last one column too wide.
    fn scene() -> ShadingScene {
        let images = vec![image([5, 3]), image([4, 4]), image([16, 9]), image([2, 2]), image([(1 << 17) + 1, 1])];
        let look_up = |image| TextureOp { kind: TextureKind::Image.tag(), image, ..bytemuck::Zeroable::zeroed() };
        let ops = [0, 1, 2, 4].map(look_up).to_vec();
        let programs = (0..4).map(|first| ProgramRecord { first, end: first + 1 }).collect();
        let inputs = (0..4).map(|texture| Input::textured([1.0; 3], texture, InputChannel::Rgb)).collect();
        let zero: MaterialRecord = bytemuck::Zeroable::zeroed();
        let none = MaterialRecord { normal: NONE, ..zero };
        let bump = MaterialRecord { normal: 1, flags: MaterialFlags::BUMP, ..zero };
        // A map of normals is none of heights.
        let map = MaterialRecord { normal: 2, ..zero };
        let sky: EnvironmentRecord = bytemuck::Zeroable::zeroed();
        let environments = vec![EnvironmentRecord { image: NONE, ..sky }, EnvironmentRecord { image: 2, ..sky }];
        ShadingScene {
            images,
            texture_ops: ops,
            programs,
            inputs,
            materials: vec![none, bump, map],
            environments,
            ..ShadingScene::default()
        }
    }

    #[test]
    fn texture_units_read_what_textures_show_but_for_bumps_skies_and_what_is_too_large() {
        let scene = scene();
        let exact = ImageUse::of(&scene, TextureFilter::Exact);
        assert_eq!((exact.by_kernels.clone(), exact.by_units.clone()), (vec![true; 5], vec![false; 5]));
        assert_eq!(exact.sampled_ops, [false; 4]);
        let bytes = [4 * 15, 4 * 16, 4 * 144, 4 * 4, 4 * ((1 << 17) + 1)];
        assert_eq!(exact.bytes(&scene), bytes.iter().sum::<usize>());
        let hardware = ImageUse::of(&scene, TextureFilter::Hardware);
        assert_eq!(hardware.sampled_ops, [true, false, true, false]);
        assert_eq!(hardware.by_units, [true, false, true, false, false]);
        assert_eq!(hardware.by_kernels, [false, true, true, false, true]);
        // Blocks of 64 bytes by 8 rows.
        assert_eq!(hardware.bytes(&scene), 64 * 8 + bytes[1] + bytes[2] + 64 * 16 + bytes[4]);
    }

    #[test]
    fn a_step_with_a_texture_object_keeps_its_mapping_and_all_bits_of_the_object() {
        let op = TextureOp {
            kind: TextureKind::Image.tag(),
            image: 3,
            wrap: [Wrapping::Black.tag(), Wrapping::Mirror.tag()],
            lookup: ImageLookup::Bilinear.tag(),
            uv_set: 1,
            rows: [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
            value: [0.0; 4],
        };
        let address = [TextureAddress::Zero, TextureAddress::Mirror];
        assert_eq!(sampler_of(&op), TextureSampler { address, linear: true });
        let step = sampled(&op, 0x0123_4567_89ab_cdef);
        assert_eq!((step.kind, step.wrap), (6, [0x89ab_cdef, 0x0123_4567]));
        assert_eq!((step.uv_set, step.rows), (op.uv_set, op.rows));
    }
}
