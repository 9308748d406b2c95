//! What a device keeps while it renders a picture.

use crate::RenderCudaError;
use crate::state::PathBytes;
use raywarp_cuda::Device;
use std::fmt;

/// What a scene and a picture of it take of a device's memory, with the fewest paths in flight: bytes. What the driver takes
/// for kernels is not known before and comes on top.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeastMemory {
    /// The tree.
    pub tree: usize,
    /// What shading reads, but for images.
    pub records: usize,
    /// Texels of images.
    pub images: usize,
    /// The film, or the share of it.
    pub film: usize,
    /// The state of the paths.
    pub paths: usize,
}

impl LeastMemory {
    /// All of it, and a little for buffers that hold nothing.
    pub fn total(&self) -> usize {
        const EMPTY_BUFFERS: usize = 1 << 10;
        self.tree + self.records + self.images + self.film + self.paths + EMPTY_BUFFERS
    }

    /// Whether so much is free on a device.
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

/// What a device keeps, for people to read.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceMemory {
    /// Its number in the driver's order.
    pub ordinal: usize,
    /// Its name.
    pub name: String,
    /// Bytes that are free beside the scene, where the driver tells.
    pub free: Option<u64>,
    /// Bytes of the tree.
    pub tree: u64,
    /// Bytes of what shading reads.
    pub shading: u64,
    /// How many images texture units filter, where they may.
    pub sampled_images: Option<usize>,
    /// Bytes of a path in flight.
    pub path: PathBytes,
    /// Paths in flight at most.
    pub paths: usize,
    /// Results that there may be for each of them.
    pub results: usize,
}

impl fmt::Display for DeviceMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mega = |bytes: u64| bytes as f64 / 1e6;
        let PathBytes { queue, hit, order, connection, result, second_queue } = self.path;
        let order = if order == 0 { String::new() } else { format!(" order {order},") };
        let ended = self.results.max(1) - 1;
        let second = match (second_queue, ended) {
            (0, 0) => String::new(),
            (0, _) => format!("; {} more for results of {ended} that have ended", result * ended),
            (_, 0) => format!("; {second_queue} more for a second queue"),
            _ => format!(
                "; {second_queue} more for a second queue, {} for results of {ended} that have ended",
                result * ended
            ),
        };
        let sampled = |count| format!(", texture units filter {count} image{}", if count == 1 { "" } else { "s" });
        let images = self.sampled_images.map(sampled).unwrap_or_default();
        let free = self.free.map(|free| format!(", {:.0} MB are free", mega(free))).unwrap_or_default();
        write!(
            f,
            "cuda:{} ({}): tree {:.1} MB, what shading reads {:.1} MB{images}{free}, at most {} paths of {} bytes (queue {queue}, \
             hit {hit},{order} connection {connection}, result {result}){second}",
            self.ordinal,
            self.name,
            mega(self.tree),
            mega(self.shading),
            self.paths,
            self.path.in_flight()
        )
    }
}
