//! State that a path carries from vertex to vertex.

use super::{CAMERA_DIMENSIONS, InMedia, Transport, dimension};
use glam::Vec3;
use raywarp_sample::RandomStream;

/// Flag of a path whose last vertex was specular, or that has no vertex yet: emission counts in full.
pub(crate) const SPECULAR: u8 = 1;
/// Flag of a path whose vertices were all specular, so that it sees surfaces as if directly.
pub(crate) const ALL_SPECULAR: u8 = 2;

/// State of a path between two vertices, 48 bytes, of which three pad the flags.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct PathState {
    /// Index of the path's pixel.
    pub pixel: u32,
    /// Number of the path's sample among those of its pixel.
    pub sample: u32,
    /// Number of vertices that the path has behind it.
    pub bounce: u32,
    /// Factor on the light that the path finds from here on.
    pub throughput: Vec3,
    /// Solid-angle density of the direction last sampled by scattering.
    pub previous_pdf: f32,
    /// State of the path's sampler; samplers that only count leave it unchanged.
    pub sampler_state: u32,
    /// Flags of the path's vertices so far: `SPECULAR` and `ALL_SPECULAR`.
    pub flags: u8,
    /// Media that the path is in.
    pub media: InMedia,
}

const _: () = assert!(size_of::<PathState>() == 48);

impl PathState {
    /// Returns the path's random numbers from `dimension` of its current vertex on, for a sampler in `state`.
    #[inline]
    pub fn stream(&self, transport: &Transport, dimension: u32, state: u32) -> RandomStream {
        let at = CAMERA_DIMENSIONS + self.bounce * dimension::COUNT + dimension;
        transport.sampler.resume(self.pixel, self.sample, at, state)
    }
}

/// First-hit features of a path (albedo, normal, depth), 28 bytes.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub struct FirstHit {
    /// Albedo at the first vertex.
    pub albedo: Vec3,
    /// Shading normal at the first vertex, in world space.
    pub normal: Vec3,
    /// Distance from the camera; infinite for a miss.
    pub depth: f32,
}

const _: () = assert!(size_of::<FirstHit>() == 28);
