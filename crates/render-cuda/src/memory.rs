//! The least memory that a scene and a picture of it take of a device.

use crate::RenderCudaError;
use raywarp_cuda::Device;
use std::fmt;

/// Least device memory, in bytes, that a scene and a picture of it take with the fewest paths in flight. The memory
/// that the driver takes for kernels is not known before and comes on top.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeastMemory {
    /// Bytes of the encoded tree.
    pub tree: usize,
    /// Bytes of the shading tables without images.
    pub records: usize,
    /// Bytes of the images' texels.
    pub images: usize,
    /// Bytes of the film, or of a device's share of it.
    pub film: usize,
    /// Bytes of the path state.
    pub paths: usize,
}

impl LeastMemory {
    /// Returns the sum of all parts, and a little for buffers that hold nothing.
    pub fn total(&self) -> usize {
        const EMPTY_BUFFERS: usize = 1 << 10;
        self.tree + self.records + self.images + self.film + self.paths + EMPTY_BUFFERS
    }

    /// Checks that a device has this much free memory.
    ///
    /// # Errors
    /// [`RenderCudaError::Memory`] if not, [`RenderCudaError::Cuda`].
    pub fn check(&self, device: &Device) -> Result<(), RenderCudaError> {
        let free = device.free_memory()?;
        if self.total() > free { Err(RenderCudaError::Memory { needed: *self, free }) } else { Ok(()) }
    }
}

impl fmt::Display for LeastMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mega = |bytes: usize| bytes as f64 / f64::from(1 << 20);
        let Self { tree, records, images, film, paths } = self;
        let [tree, records, images, film, paths] = [tree, records, images, film, paths].map(|bytes| mega(*bytes));
        write!(f, "tree {tree:.1}, records {records:.1}, images {images:.1}, film {film:.1}, paths {paths:.1}")
    }
}
