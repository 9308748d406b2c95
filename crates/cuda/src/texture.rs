//! Textures: images for a GPU's texture units.

use crate::current::{Current, Quiet};
use crate::error::{DriverCall, driver};
use crate::{CudaError, Device, Stream};
use cudarc::driver::{CudaContext, DriverError, sys};
use std::sync::Arc;

/// Memory format of a texture's texels, with four channels each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TexelFormat {
    /// Four bytes, of which the first three are sRGB: texture units return linear numbers from 0 to 1.
    Srgb8,
    /// Four bytes, which texture units return as numbers from 0 to 1.
    Linear8,
    /// Four floats, which texture units return as they are.
    Float,
}

impl TexelFormat {
    /// Returns the number of bytes of a texel.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Srgb8 | Self::Linear8 => 4,
            Self::Float => 16,
        }
    }
}

/// Result of a texture lookup beyond the image's borders, along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextureAddress {
    /// The image is repeated beyond its borders.
    Repeat,
    /// The image is repeated beyond its borders, mirrored every other time.
    Mirror,
    /// The texels at the border are continued outwards.
    Clamp,
    /// All channels outside the image are 0.
    Zero,
}

/// Rules for looking up an image: addressing beyond its borders, and interpolation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextureSampler {
    /// Addressing along u and v, which go from 0 to 1 over the image.
    pub address: [TextureAddress; 2],
    /// `true` for linear interpolation between the four nearest texels, `false` for the nearest texel.
    pub linear: bool,
}

/// An image in a device's memory, in the internal layout of its texture units.
#[derive(Debug)]
pub struct DeviceTexture {
    context: Quiet<Arc<CudaContext>>,
    array: ArrayHandle,
    format: TexelFormat,
    objects: Vec<(TextureSampler, sys::CUtexObject)>,
    size: [u32; 2],
}

#[derive(Debug)]
struct ArrayHandle(sys::CUarray);

// SAFETY: a name for memory of the driver's, which all threads may use; nothing is read through it here.
unsafe impl Send for ArrayHandle {}
// SAFETY: as above.
unsafe impl Sync for ArrayHandle {}

impl DeviceTexture {
    /// Largest number of columns, or of rows, of an image. Source: NVIDIA, CUDA C++ Programming Guide, "Technical
    /// Specifications per Compute Capability": the same from 6.0 on.
    pub const LARGEST: [u32; 2] = [1 << 17, 1 << 16];

    /// Returns approximately the bytes of device memory that an image takes: drivers do not tell how they lay images
    /// out. Whole blocks of 64 bytes by 8 rows, as texture units read them.
    pub fn bytes_of(size: [u32; 2], format: TexelFormat) -> usize {
        let [width, height] = size.map(|n| n as usize);
        (width * format.bytes()).next_multiple_of(64) * height.next_multiple_of(8)
    }

    /// Uploads an image of `size` columns and rows, whose texels lie row by row. Waits until it is there.
    ///
    /// # Panics
    /// If the image has another number of `texels`, none, or more than [`LARGEST`](Self::LARGEST).
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`], [`CudaError::Driver`].
    pub fn upload(
        device: &Device,
        stream: &Stream,
        size: [u32; 2],
        format: TexelFormat,
        texels: &[u8],
    ) -> Result<Self, CudaError> {
        let [width, height] = size.map(|n| n as usize);
        assert!(width > 0 && height > 0 && size[0] <= Self::LARGEST[0] && size[1] <= Self::LARGEST[1], "{size:?}");
        assert_eq!(texels.len(), width * height * format.bytes(), "texels of an image of {size:?}");
        let context = Quiet::new(device.context().clone());
        let _current = device.choose()?;
        let channel = match format {
            TexelFormat::Srgb8 | TexelFormat::Linear8 => sys::CUarray_format::CU_AD_FORMAT_UNSIGNED_INT8,
            TexelFormat::Float => sys::CUarray_format::CU_AD_FORMAT_FLOAT,
        };
        let descriptor = sys::CUDA_ARRAY_DESCRIPTOR { Width: width, Height: height, Format: channel, NumChannels: 4 };
        let mut array = std::ptr::null_mut();
        // SAFETY: writes a handle; the descriptor is read before the call returns.
        unsafe { sys::cuArrayCreate_v2(&raw mut array, &raw const descriptor) }
            .result()
            .map_err(|error| Self::allocation_error(device, Self::bytes_of(size, format), error))?;
        // From here on it is destroyed when it is dropped.
        let texture = Self { context, array: ArrayHandle(array), format, objects: Vec::new(), size };
        let row = width * format.bytes();
        let copy = sys::CUDA_MEMCPY2D {
            srcXInBytes: 0,
            srcY: 0,
            srcMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_HOST,
            srcHost: texels.as_ptr().cast(),
            srcDevice: 0,
            srcArray: std::ptr::null_mut(),
            srcPitch: row,
            dstXInBytes: 0,
            dstY: 0,
            dstMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_ARRAY,
            dstHost: std::ptr::null_mut(),
            dstDevice: 0,
            dstArray: array,
            dstPitch: 0,
            WidthInBytes: row,
            Height: height,
        };
        // SAFETY: `texels` has `height` rows of `row` bytes, as the array has, and both stay until the copy is done: it
        // is waited for, whether it could be begun or not.
        let copied = unsafe { sys::cuMemcpy2DAsync_v2(&raw const copy, stream.inner().cu_stream()) }.result();
        let waited = stream.synchronize();
        copied.map_err(driver(DriverCall::UploadImage))?;
        waited?;
        Ok(texture)
    }

    fn allocation_error(device: &Device, needed: usize, error: DriverError) -> CudaError {
        match device.free_memory() {
            Ok(free) if error.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                CudaError::OutOfMemory { what: "an image", needed, free }
            }
            _ => driver(DriverCall::AllocateImage)(error),
        }
    }

    /// Returns the CUDA texture object that looks up the image by the rules of a sampler, valid as long as `self`
    /// exists. Each way has one.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn object(&mut self, sampler: TextureSampler) -> Result<u64, CudaError> {
        if let Some((_, object)) = self.objects.iter().find(|(known, _)| *known == sampler) {
            return Ok(*object);
        }
        let _current = Current::choose(&self.context)?;
        let address = |address| match address {
            TextureAddress::Repeat => sys::CUaddress_mode::CU_TR_ADDRESS_MODE_WRAP,
            TextureAddress::Mirror => sys::CUaddress_mode::CU_TR_ADDRESS_MODE_MIRROR,
            TextureAddress::Clamp => sys::CUaddress_mode::CU_TR_ADDRESS_MODE_CLAMP,
            TextureAddress::Zero => sys::CUaddress_mode::CU_TR_ADDRESS_MODE_BORDER,
        };
        let [u, v] = sampler.address.map(address);
        let point = sys::CUfilter_mode::CU_TR_FILTER_MODE_POINT;
        let srgb = if self.format == TexelFormat::Srgb8 { sys::CU_TRSF_SRGB } else { 0 };
        let texture = sys::CUDA_TEXTURE_DESC {
            addressMode: [u, v, sys::CUaddress_mode::CU_TR_ADDRESS_MODE_CLAMP],
            filterMode: if sampler.linear { sys::CUfilter_mode::CU_TR_FILTER_MODE_LINEAR } else { point },
            flags: sys::CU_TRSF_NORMALIZED_COORDINATES | srgb,
            maxAnisotropy: 0,
            mipmapFilterMode: point,
            mipmapLevelBias: 0.0,
            minMipmapLevelClamp: 0.0,
            maxMipmapLevelClamp: 0.0,
            borderColor: [0.0; 4],
            reserved: [0; 12],
        };
        // All of it is zero but for the handle, which the driver may insist on.
        let mut res = sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1 {
            reserved: sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5 { reserved: [0; 32] },
        };
        res.array = sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 { hArray: self.array.0 };
        let resource = sys::CUDA_RESOURCE_DESC { resType: sys::CUresourcetype::CU_RESOURCE_TYPE_ARRAY, res, flags: 0 };
        let mut object = 0;
        // SAFETY: writes a handle; what it reads lives until it returns, and the array as long as `self`.
        unsafe { sys::cuTexObjectCreate(&raw mut object, &raw const resource, &raw const texture, std::ptr::null()) }
            .result()
            .map_err(driver(DriverCall::MakeTexture))?;
        self.objects.push((sampler, object));
        Ok(object)
    }

    /// Returns approximately the bytes of device memory that the image takes: see [`bytes_of`](Self::bytes_of).
    pub fn bytes(&self) -> usize {
        Self::bytes_of(self.size, self.format)
    }
}

impl Drop for DeviceTexture {
    fn drop(&mut self) {
        let _current = Current::at_the_end(&self.context);
        for (_, object) in &self.objects {
            // SAFETY: made by this, and named by no other.
            let _ = unsafe { sys::cuTexObjectDestroy(*object) };
        }
        // SAFETY: as above; no object needs it any more, and kernels are the owner's, who waits for them.
        let _ = unsafe { sys::cuArrayDestroy(self.array.0) };
    }
}
