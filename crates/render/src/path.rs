//! Path state as a structure of arrays, and the ray queues between the stages.
//!
//! A *wave* holds some thousands of paths that take their bounces together; on a CPU it belongs to
//! one worker and stays in its cache. A wave that belongs to a device is many of these side by side, whose rays
//! are traced as one batch (see `wide`). State is W11's: throughput ("weight"), radiance, pixel,
//! sampler state, previous pdf and whether the last vertex was specular; the depth is the wave's. Twelve bytes more say
//! what media a path is in.

use crate::surface::SurfacePoint;
use crate::vertex::{ALL_SPECULAR, FirstHit, InMedia, MediaStack, PathState, SPECULAR};
use glam::Vec3;
use raywarp_geom::{Candidate, Hit, HitKey, Ray};

/// Paths that are traced together.
#[derive(Default)]
pub(crate) struct Wave {
    // One entry a path.
    pub pixel: Vec<u32>,
    pub sample: Vec<u32>,
    pub throughput: Vec<Vec3>,
    pub radiance: Vec<Vec3>,
    /// Weight of the sample in the pixel filter.
    pub filter_weight: Vec<f32>,
    /// Sampler state; counter samplers leave it alone.
    pub sampler_state: Vec<u32>,
    /// Solid-angle density of the last scattering direction.
    pub previous_pdf: Vec<f32>,
    pub flags: Vec<u8>,
    pub media: Vec<InMedia>,
    pub first_hit: Vec<FirstHit>,
    /// Vertices that all living paths have behind them.
    pub bounce: u32,
    // Extension queue: one entry a living path, `slots` saying which.
    pub rays: Vec<Ray>,
    pub slots: Vec<u32>,
    pub hits: Vec<Hit>,
    pub instances: Vec<u32>,
    /// The medium of a body that touches another where a ray ends; empty where no medium counts.
    pub touching: Vec<u32>,
    pub points: Vec<SurfacePoint>,
    // What `shade` makes for the next bounce.
    pub next_rays: Vec<Ray>,
    pub next_slots: Vec<u32>,
    // Connection queue.
    pub shadow: ShadowQueue,
    pub scratch: Scratch,
    /// Rays traced since the wave was made.
    pub rays_traced: u64,
}

/// Shadow rays and what they bring if nothing blocks them and no medium absorbs.
#[derive(Default)]
pub(crate) struct ShadowQueue {
    pub rays: Vec<Ray>,
    pub slots: Vec<u32>,
    pub contributions: Vec<Vec3>,
    /// What each ray is in; empty where no medium counts.
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

/// Buffers of the queries, kept so that no bounce allocates.
#[derive(Default)]
pub(crate) struct Scratch {
    pub blocked: Vec<u32>,
    pub undecided: Vec<Candidate>,
    /// The few rays that go on behind a transparent candidate, and which ray of the batch each is.
    pub retry_rays: Vec<Ray>,
    pub retry_after: Vec<HitKey>,
    pub retry_index: Vec<u32>,
    pub retry_hits: Vec<Hit>,
    pub retry_instances: Vec<u32>,
    pub next_index: Vec<u32>,
}

impl Wave {
    /// Forgets all paths, keeps the memory.
    pub fn clear(&mut self) {
        self.pixel.clear();
        self.sample.clear();
        self.throughput.clear();
        self.radiance.clear();
        self.filter_weight.clear();
        self.sampler_state.clear();
        self.previous_pdf.clear();
        self.flags.clear();
        self.media.clear();
        self.first_hit.clear();
        self.bounce = 0;
        self.rays.clear();
        self.slots.clear();
        self.rays_traced = 0;
    }

    /// Starts a path with its camera ray, in `media`.
    pub fn push(
        &mut self,
        pixel: u32,
        sample: u32,
        ray: Ray,
        filter_weight: f32,
        sampler_state: u32,
        media: MediaStack,
    ) {
        self.slots.push(self.pixel.len() as u32);
        self.rays.push(ray);
        self.pixel.push(pixel);
        self.sample.push(sample);
        self.throughput.push(Vec3::ONE);
        self.radiance.push(Vec3::ZERO);
        self.filter_weight.push(filter_weight);
        self.sampler_state.push(sampler_state);
        self.previous_pdf.push(0.0);
        self.flags.push(SPECULAR | ALL_SPECULAR);
        self.media.push(InMedia::at_start(media));
        self.first_hit.push(FirstHit { depth: f32::INFINITY, ..FirstHit::default() });
    }

    /// What the path in `slot` carries.
    #[inline]
    pub fn state(&self, slot: usize) -> PathState {
        PathState {
            pixel: self.pixel[slot],
            sample: self.sample[slot],
            bounce: self.bounce,
            throughput: self.throughput[slot],
            previous_pdf: self.previous_pdf[slot],
            sampler_state: self.sampler_state[slot],
            flags: self.flags[slot],
            media: self.media[slot],
        }
    }

    /// Keeps what of a path changes from vertex to vertex; its bounce is the wave's.
    #[inline]
    pub fn set_state(&mut self, slot: usize, state: &PathState) {
        self.throughput[slot] = state.throughput;
        self.previous_pdf[slot] = state.previous_pdf;
        self.sampler_state[slot] = state.sampler_state;
        self.flags[slot] = state.flags;
        self.media[slot] = state.media;
    }

    /// Makes what `shade` queued the living paths.
    pub fn advance(&mut self) {
        std::mem::swap(&mut self.rays, &mut self.next_rays);
        std::mem::swap(&mut self.slots, &mut self.next_slots);
        self.bounce += 1;
    }
}
