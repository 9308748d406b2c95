//! Memory that a device has given to the picture that it renders.

use crate::state::PathBytes;
use std::fmt;

/// Device memory that a renderer takes, for people to read.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceMemory {
    /// Number of the device in the driver's order, from 0.
    pub ordinal: usize,
    /// Name of the device.
    pub name: String,
    /// Bytes that are free besides the scene, if the driver tells.
    pub free: Option<u64>,
    /// Bytes that the tree takes.
    pub tree: u64,
    /// Bytes that the shading tables take.
    pub shading: u64,
    /// Number of images that texture units filter; `None` if kernels filter them all.
    pub sampled_images: Option<usize>,
    /// Bytes that one path in flight takes.
    pub path: PathBytes,
    /// Largest number of paths in flight.
    pub paths: usize,
    /// Number of results that may be kept for each path in flight.
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
