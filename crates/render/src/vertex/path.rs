//! State that a path carries from vertex to vertex.

use super::{CAMERA_DIMENSIONS, InMedia, Transport, dimension};
use glam::Vec3;
use raywarp_sample::Stream;

/// Flag: the path's last vertex was specular, or it has no vertex yet; emission counts in full.
pub(crate) const SPECULAR: u8 = 1;
/// Flag: every vertex so far was specular; what is seen now is seen "directly".
pub(crate) const ALL_SPECULAR: u8 = 2;

/// A path between two vertices: 48 bytes, of which three pad the flags.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct PathState {
    /// Index of the path's pixel.
    pub pixel: u32,
    /// Number of the path among the pixel's samples.
    pub sample: u32,
    /// Number of vertices behind the path.
    pub bounce: u32,
    /// Factor on the light that the path finds from here on.
    pub throughput: Vec3,
    /// Solid-angle density of the last scattering direction.
    pub previous_pdf: f32,
    /// Sampler state; counter samplers leave it alone.
    pub sampler_state: u32,
    /// The bits `SPECULAR` and `ALL_SPECULAR` of its vertices.
    pub flags: u8,
    /// Media that the path runs in.
    pub media: InMedia,
}

const _: () = assert!(size_of::<PathState>() == 48);

impl PathState {
    /// Resumes the path's random numbers from `dimension` of its vertex on, for a generator that has come to `state`.
    #[inline]
    pub fn stream(&self, transport: &Transport, dimension: u32, state: u32) -> Stream {
        let at = CAMERA_DIMENSIONS + self.bounce * dimension::COUNT + dimension;
        transport.sampler.resume(self.pixel, self.sample, at, state)
    }
}

/// Features of a path's first vertex: 28 bytes.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub struct FirstHit {
    /// Albedo at the first vertex.
    pub albedo: Vec3,
    /// Shading normal at the first vertex.
    pub normal: Vec3,
    /// Distance from the camera; infinite for a miss.
    pub depth: f32,
}

const _: () = assert!(size_of::<FirstHit>() == 28);
