//! Texture objects of emulated texture units.

use raywarp_cuda::{TexelFormat, TextureAddress, TextureSampler};

/// Emulated texture object: the same words as `Texture` in crates/cuda/kernels/platform/texture_unit.h. Its address is
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
    /// Makes a texture of an image of `size` columns and rows, whose texels stay where they are as long as this is
    /// looked at.
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

    /// Returns its handle, valid as long as it stays where it is.
    pub fn handle(&self) -> u64 {
        (&raw const *self).expose_provenance() as u64
    }
}
