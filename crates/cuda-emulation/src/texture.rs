//! Texture objects of emulated texture units.

use raywarp_cuda::{TexelFormat, TextureAddress, TextureSampler};

/// Emulated CUDA texture object: the layout of `Texture` in crates/cuda/kernels/platform/texture_unit.h. Its address is
/// its handle.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct EmulatedTexture {
    texels: u64,
    size: [u32; 2],
    format: u32,
    is_linear: u32,
    address: [u32; 2],
}

impl EmulatedTexture {
    /// Makes a texture of an image of `size` columns and rows; `texels` must stay in place while kernels use the
    /// texture.
    pub fn new(texels: &[u8], size: [u32; 2], format: TexelFormat, sampler: TextureSampler) -> Self {
        let format = match format {
            TexelFormat::Srgb8 => 0,
            TexelFormat::Linear8 => 1,
            TexelFormat::Float => 2,
        };
        // The driver's numbers.
        let address = sampler.address.map(|address| match address {
            TextureAddress::Repeat => 0,
            TextureAddress::Clamp => 1,
            TextureAddress::Mirror => 2,
            TextureAddress::Zero => 3,
        });
        let texels = texels.as_ptr().expose_provenance() as u64;
        Self { texels, size, format, is_linear: u32::from(sampler.linear), address }
    }

    /// Returns the texture's handle for kernels, valid until the texture is moved or dropped.
    pub fn handle(&self) -> u64 {
        (&raw const *self).expose_provenance() as u64
    }
}
