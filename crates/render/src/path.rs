//! Path state as a structure of arrays, and the ray queues between the stages.
//!
//! A *wave* holds some thousands of paths that take their bounces together; on a CPU it belongs to
//! one worker and stays in its cache. A wave that belongs to a device is many of these side by side, whose rays
//! are traced as one batch (see `wide`). State is W11's: throughput ("weight"), radiance, pixel,
//! sampler state, previous pdf and whether the last vertex was specular; the depth is the wave's. Twelve bytes more say
//! what media a path is in.
//!
//! What changes from vertex to vertex lies in the order of the queue, beside the rays: one record a living path, that
//! goes on to the next queue with it. What is kept to the end lies by slot, in the order in which paths began.

use crate::lanes::Queues;
use crate::surface::SurfacePoint;
use crate::vertex::{ALL_SPECULAR, FirstHit, InMedia, MediaStack, PathState, SPECULAR};
use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use raywarp_geom::{Candidate, Hit, HitKey, Ray};

/// Wave of paths that are traced together, with all buffers that the stages need.
#[derive(Default)]
pub(crate) struct Wave {
    // One entry a path.
    pub pixel: Vec<u32>,
    pub sample: Vec<u32>,
    pub radiance: Vec<Vec3>,
    /// Weight of each path's sample in the pixel filter.
    pub filter_weight: Vec<f32>,
    pub first_hit: Vec<FirstHit>,
    /// Number of vertices that all living paths have behind them.
    pub bounce: u32,
    // Extension queue: one entry a living path.
    pub rays: Vec<Ray>,
    pub paths: Vec<QueuedPath>,
    pub hits: Vec<Hit>,
    pub instances: Vec<u32>,
    /// Media of bodies that touch another where rays end, by entry; empty if the scene's media do not matter.
    pub touching: Vec<u32>,
    /// Entries sorted by the code that shades them.
    pub queues: Queues,
    /// Surface points of the entries that are shaded one by one.
    pub points: Vec<SurfacePoint>,
    // What `shade` makes for the next bounce.
    pub next_rays: Vec<Ray>,
    pub next_paths: Vec<QueuedPath>,
    // Connection queue.
    pub shadow: ShadowQueue,
    pub scratch: Scratch,
    /// Number of rays traced since the wave buffers were made.
    pub rays_traced: u64,
}

/// State that a living path carries from vertex to vertex, with the index of its path, 48 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct QueuedPath {
    /// Index of the path in the arrays that hold pixels, samples and results.
    pub slot: u32,
    pub pixel: u32,
    pub sample: u32,
    /// Flags of the path, as in [`PathState::flags`].
    pub flags: u32,
    pub throughput: Vec3,
    /// Solid-angle density of the direction last sampled by scattering.
    pub previous_pdf: f32,
    /// State of the path's sampler; samplers that only count leave it unchanged.
    pub sampler_state: u32,
    pub media: InMedia,
}

const _: () = assert!(size_of::<QueuedPath>() == 48);

impl QueuedPath {
    /// Returns the path's state as the functions of one path take it, at a vertex with `bounce` vertices behind it.
    #[inline]
    pub fn state(&self, bounce: u32) -> PathState {
        PathState {
            pixel: self.pixel,
            sample: self.sample,
            bounce,
            throughput: self.throughput,
            previous_pdf: self.previous_pdf,
            sampler_state: self.sampler_state,
            flags: self.flags as u8,
            media: self.media,
        }
    }

    /// Makes the queued form of a path's state, with its index `slot`; the bounce is the wave's.
    #[inline]
    pub fn of(slot: u32, state: &PathState) -> Self {
        Self {
            slot,
            pixel: state.pixel,
            sample: state.sample,
            flags: state.flags.into(),
            throughput: state.throughput,
            previous_pdf: state.previous_pdf,
            sampler_state: state.sampler_state,
            media: state.media,
        }
    }
}

/// Queue of shadow rays, with the light that each contributes if nothing blocks or absorbs it.
#[derive(Default)]
pub(crate) struct ShadowQueue {
    pub rays: Vec<Ray>,
    pub slots: Vec<u32>,
    pub contributions: Vec<Vec3>,
    /// Media that each shadow ray starts in; empty if the scene's media do not matter.
    pub media: Vec<InMedia>,
}

impl ShadowQueue {
    pub fn clear(&mut self) {
        self.rays.clear();
        self.slots.clear();
        self.contributions.clear();
        self.media.clear();
    }

    pub fn push(&mut self, ray: Ray, slot: u32, contribution: Vec3) {
        self.rays.push(ray);
        self.slots.push(slot);
        self.contributions.push(contribution);
    }
}

/// Reusable buffers for ray queries, so that bounces don't allocate.
#[derive(Default)]
pub(crate) struct Scratch {
    pub blocked: Vec<u32>,
    pub undecided: Vec<Candidate>,
    /// Rays that continue behind a hole (a transparent candidate hit), with the index of each in the batch.
    pub retry_rays: Vec<Ray>,
    pub retry_after: Vec<HitKey>,
    pub retry_index: Vec<u32>,
    pub retry_hits: Vec<Hit>,
    pub retry_instances: Vec<u32>,
    pub next_index: Vec<u32>,
}

impl Wave {
    /// Removes all paths, but keeps the memory.
    pub fn clear(&mut self) {
        self.pixel.clear();
        self.sample.clear();
        self.radiance.clear();
        self.filter_weight.clear();
        self.first_hit.clear();
        self.bounce = 0;
        self.queues = Queues { vertices: 0, in_vectors: 0, ..std::mem::take(&mut self.queues) };
        self.rays.clear();
        self.paths.clear();
        self.rays_traced = 0;
    }

    /// Adds a path with its camera ray, which starts in `media`.
    #[cfg(test)]
    pub fn push(
        &mut self,
        pixel: u32,
        sample: u32,
        ray: Ray,
        filter_weight: f32,
        sampler_state: u32,
        media: MediaStack,
    ) {
        self.pixel.push(pixel);
        self.sample.push(sample);
        self.begin(ray, filter_weight, sampler_state, media);
    }

    /// Adds the camera ray of the next path whose pixel and sample number are already set.
    #[inline]
    pub fn begin(&mut self, ray: Ray, filter_weight: f32, sampler_state: u32, media: MediaStack) {
        let slot = self.radiance.len();
        self.paths.push(QueuedPath {
            slot: slot as u32,
            pixel: self.pixel[slot],
            sample: self.sample[slot],
            flags: (SPECULAR | ALL_SPECULAR).into(),
            throughput: Vec3::ONE,
            previous_pdf: 0.0,
            sampler_state,
            media: InMedia::at_start(media),
        });
        self.rays.push(ray);
        self.radiance.push(Vec3::ZERO);
        self.filter_weight.push(filter_weight);
        self.first_hit.push(FirstHit { depth: f32::INFINITY, ..FirstHit::default() });
    }

    /// Makes the next rays that `shade` queued the current ones.
    pub fn advance(&mut self) {
        std::mem::swap(&mut self.rays, &mut self.next_rays);
        std::mem::swap(&mut self.paths, &mut self.next_paths);
        self.bounce += 1;
    }
}
