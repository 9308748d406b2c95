//! Scenes of Embree: committed trees over triangles.

use crate::api::{
    Arguments, GEOMETRY_TRIANGLE, INDEX_BUFFER, QUALITY_HIGH, QUALITY_MEDIUM, SCENE_ROBUST, TraceOne, TracePacket,
    VERTEX_BUFFER,
};
use crate::queries::{Packet, Packets};
use crate::{EmbreeDevice, EmbreeError, Queries};
use rayon::prelude::*;
use std::ffi::{c_int, c_void};

/// Build quality of Embree's tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quality {
    /// Medium quality, Embree's default.
    Medium,
    /// High quality, with spatial splits, except in robust scenes.
    High,
}

impl Quality {
    /// All qualities, the lower first.
    pub const ALL: [Self; 2] = [Self::Medium, Self::High];

    /// Returns Embree's name of the quality.
    pub fn name(self) -> &'static str {
        match self {
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// Options of building an Embree scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmbreeOptions {
    /// `true` if Embree is to test boxes and triangles so that no ray slips through an edge.
    pub robust: bool,
    /// Build quality of the tree.
    pub quality: Quality,
}

/// Committed Embree scene of opaque triangles, ready for tracing.
#[derive(Debug)]
pub struct EmbreeScene {
    device: EmbreeDevice,
    handle: *mut c_void,
}

// SAFETY: Embree's committed scenes may be used by several threads at a time.
unsafe impl Send for EmbreeScene {}
// SAFETY: as above.
unsafe impl Sync for EmbreeScene {}

impl Drop for EmbreeScene {
    fn drop(&mut self) {
        // SAFETY: the handle is a scene's, and nobody has it after this.
        unsafe { (self.device.0.api.release_scene)(self.handle) }
    }
}

impl EmbreeScene {
    /// Builds Embree's tree over `triangles`, three corners each, on the device's threads.
    ///
    /// # Errors
    /// [`EmbreeError`] if there are too many or Embree fails.
    pub fn new(
        device: &EmbreeDevice,
        triangles: &[[[f32; 3]; 3]],
        options: EmbreeOptions,
    ) -> Result<Self, EmbreeError> {
        let what = "building a scene";
        let too_many = || EmbreeError::TooMany { found: triangles.len() };
        let corner_count = triangles.len().checked_mul(3).and_then(|count| u32::try_from(count).ok());
        let corner_count = corner_count.ok_or_else(too_many)?;
        let api = device.0.api;
        // SAFETY: the handle is an open device's.
        let handle = unsafe { (api.new_scene)(device.0.handle) };
        device.0.check(what)?;
        let scene = Self { device: device.clone(), handle };
        let quality = match options.quality {
            Quality::Medium => QUALITY_MEDIUM,
            Quality::High => QUALITY_HIGH,
        };
        // SAFETY: the handles are those of an open device and its scene; the values are Embree's.
        let geometry = unsafe {
            (api.set_scene_flags)(handle, if options.robust { SCENE_ROBUST } else { 0 });
            (api.set_scene_quality)(handle, quality);
            (api.new_geometry)(device.0.handle, GEOMETRY_TRIANGLE)
        };
        device.0.check(what)?;
        let buffer = |(kind, format): (c_int, c_int), count: usize| {
            // SAFETY: the geometry was just made; elements have the 12 bytes of three numbers.
            let place = unsafe { (api.new_buffer)(geometry, kind, 0, format, 12, count) };
            device.0.check(what).map(|()| place)
        };
        let filled = buffer(VERTEX_BUFFER, 3 * triangles.len()).and_then(|corners| {
            let indices = buffer(INDEX_BUFFER, triangles.len())?.cast::<u32>();
            // SAFETY: Embree made room for three corners and three indices a triangle, aligned to 16 bytes, which
            // nothing else refers to yet.
            unsafe {
                std::ptr::copy_nonoverlapping(triangles.as_ptr(), corners.cast(), triangles.len());
                (0..corner_count).for_each(|index| indices.add(index as usize).write(index));
            }
            Ok(())
        });
        // SAFETY: handles of this device. The scene keeps the geometry that is released here.
        unsafe {
            if filled.is_ok() {
                (api.commit_geometry)(geometry);
                (api.attach_geometry)(handle, geometry);
            }
            (api.release_geometry)(geometry);
        }
        filled?;
        device.0.check(what)?;
        // SAFETY: the handle is a scene's; nobody traces through it yet.
        unsafe { (api.commit_scene)(handle) };
        device.0.check(what)?;
        Ok(scene)
    }

    /// Traces all rays of `queries`, which must have been filled since the last call, on the threads of rayon's current
    /// pool. `coherent` tells Embree that neighbours are alike; of single rays it changes nothing.
    ///
    /// # Errors
    /// [`EmbreeError::Failed`].
    pub fn trace(&self, queries: &mut Queries, coherent: bool) -> Result<(), EmbreeError> {
        let (api, count) = (self.device.0.api, queries.count);
        match &mut queries.packets {
            Packets::Closest1(rays) => self.trace_single(rays, api.intersect1, coherent),
            Packets::Any1(rays) => self.trace_single(rays, api.occluded1, coherent),
            Packets::Closest8(packets) => self.trace_packets(packets, count, api.intersect8, coherent),
            Packets::Any8(packets) => self.trace_packets(packets, count, api.occluded8, coherent),
            Packets::Closest16(packets) => self.trace_packets(packets, count, api.intersect16, coherent),
            Packets::Any16(packets) => self.trace_packets(packets, count, api.occluded16, coherent),
        }
        self.device.0.check("tracing rays")
    }

    pub(crate) fn trace_single<A: Send, const ROWS: usize>(
        &self,
        rays: &mut [Packet<A, 1, ROWS>],
        trace: TraceOne,
        coherent: bool,
    ) {
        rays.par_chunks_mut(PART).for_each(|part| {
            let mut arguments = Arguments::new(coherent);
            for ray in part {
                // SAFETY: the scene is committed; `Packets` pairs each function with its structure, whose layout was
                // tried on this device.
                unsafe { trace(self.handle, std::ptr::from_mut(ray).cast(), &raw mut arguments) }
            }
        });
    }

    pub(crate) fn trace_packets<A: Send, const N: usize, const ROWS: usize>(
        &self,
        packets: &mut [Packet<A, N, ROWS>],
        count: usize,
        trace: TracePacket,
        coherent: bool,
    ) {
        packets.par_chunks_mut(PART / N).enumerate().for_each(|(part, packets)| {
            let mut arguments = Arguments::new(coherent);
            let first = part * (PART / N);
            for (place, packet) in packets.iter_mut().enumerate() {
                let left = count - (first + place) * N;
                let active = if left >= N { &ALL_ACTIVE } else { &Active::first(left) };
                // SAFETY: as above; the mask has an aligned word a lane.
                unsafe {
                    trace(active.0.as_ptr(), self.handle, std::ptr::from_mut(packet).cast(), &raw mut arguments);
                }
            }
        });
    }
}

/// Number of rays that a thread traces before it takes more work: as many as Raywarp's tracer takes at once.
const PART: usize = 512;

/// Mask of a packet's lanes that hold a ray, marked by -1. Embree wants it aligned as the packet is.
#[repr(C, align(64))]
struct Active([c_int; 16]);

const ALL_ACTIVE: Active = Active([-1; 16]);

impl Active {
    fn first(count: usize) -> Self {
        Self(std::array::from_fn(|lane| if lane < count { -1 } else { 0 }))
    }
}

/// Builds a scene of one triangle, with which memory layouts are checked.
pub(crate) fn one_triangle(device: &EmbreeDevice) -> Result<EmbreeScene, EmbreeError> {
    let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    EmbreeScene::new(device, &[triangle], EmbreeOptions { robust: true, quality: Quality::Medium })
}
