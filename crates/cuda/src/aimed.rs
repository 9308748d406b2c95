//! Rays that a GPU aims at the edges and vertices of a closed mesh from inside of it, of which none may be lost: see
//! kernels/check/aimed.h.

use crate::launch::WARP;
use crate::names::BLOCK_THREADS;
use crate::{
    AIMED_KERNEL, AIMED_SOURCE, ASKED_VARIANT, CudaError, Device, DeviceScene, EncodedScene, FAMILY, Function,
    Parameters, TreeRecord,
};
use raywarp_bvh::Bvh2;
use raywarp_family::Variant;
use raywarp_geom::{FlatTriangles, Ray};
use std::ops::Range;

/// Number of rays of one launch, some 10 ms of work: a GPU that drives a screen kills launches that take seconds.
const LAUNCH_RAYS: u32 = 1 << 24;

/// A closed mesh, with the points from which rays are aimed at its edges and vertices from inside.
#[derive(Debug, Clone, Copy)]
pub struct AimedTarget<'a> {
    /// Corners of the mesh's triangles, at least one triangle.
    pub corners: &'a [[[f32; 3]; 3]],
    /// Points well inside the mesh from which rays start, at least one.
    pub starts: &'a [[f32; 3]],
    /// Pairs of a triangle and an axis: rays along the axis may be aimed at the triangle from the plane through the
    /// mesh's middle.
    pub along: &'a [[u32; 2]],
    /// Middle point of the mesh.
    pub middle: [f32; 3],
}

/// Counts of the aimed rays that passed through the closed mesh.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LostRays {
    /// Number of rays whose closest hit was not found.
    pub closest: u64,
    /// Number of rays for which the any-hit query found nothing.
    pub any: u64,
    /// Number of rays that either query lost.
    pub rays: u64,
    /// The first lost rays, at most as many as were asked for.
    pub kept: Vec<LostRay>,
}

/// A ray that passed through a closed mesh: the same words as `LostRay` in kernels/check/aimed.h.
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct LostRay {
    /// Origin, direction and interval of the ray that was lost.
    pub ray: Ray,
    /// Index of the ray among those aimed with its seed.
    pub number: u64,
    /// Bit mask of the queries that lost the ray: 1 the closest hit, 2 any hit, 3 both.
    pub queries: u32,
    /// Padding, always zero.
    pub unused: u32,
}

/// Parameters of the kernel that aims rays at a mesh: `Aimed` in kernels/check/aimed.h.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct AimedRecord {
    tree: TreeRecord,
    corners: u64,
    starts: u64,
    along: u64,
    lost: u64,
    counts: u64,
    seed: u64,
    first: u64,
    ray_count: u32,
    warp_count: u32,
    triangle_count: u32,
    start_count: u32,
    along_count: u32,
    lost_capacity: u32,
    middle: [f32; 3],
    unused: u32,
}

// SAFETY: plain words without padding (`Pod`) at the places where the kernel looks for them, whose sizes it asserts
// too.
unsafe impl Parameters for AimedRecord {}

const _: () = assert!(size_of::<LostRay>() == 48 && size_of::<AimedRecord>() == 168);

/// The kernel that aims rays at a closed mesh, loaded on a device.
#[derive(Debug)]
pub struct AimedRays {
    device: Device,
    variant: Variant,
    function: Function,
    /// Number of thread blocks that fill the device.
    resident: u32,
}

impl AimedRays {
    /// Loads the kernel that aims rays at a mesh.
    ///
    /// # Errors
    /// [`CudaError::OldDevice`], [`CudaError::NotEmbedded`], [`CudaError::Driver`].
    pub fn new(device: &Device) -> Result<Self, CudaError> {
        let missing = || CudaError::NotEmbedded { kernel: AIMED_KERNEL };
        let function = FAMILY.function(device, AIMED_SOURCE, AIMED_KERNEL)?.ok_or_else(missing)?;
        let resident = function.resident_blocks(device, BLOCK_THREADS)?;
        Ok(Self { device: device.clone(), variant: ASKED_VARIANT, function, resident })
    }

    /// Aims the rays `numbers` of a seed at `target`, traces them, and returns those that miss the mesh, of which
    /// `kept` are told. Closest hits and any hits are asked for, in the tree `bvh` of `triangles` with one triangle a
    /// leaf. May be called from several threads.
    ///
    /// # Panics
    /// If the target has no triangle or no start.
    ///
    /// # Errors
    /// [`CudaError`]: the tree cannot be encoded, memory is short, the driver fails.
    pub fn lost(
        &self,
        bvh: &Bvh2,
        triangles: &FlatTriangles,
        target: &AimedTarget<'_>,
        seed: u64,
        numbers: Range<u64>,
        kept: usize,
    ) -> Result<LostRays, CudaError> {
        assert!(!target.corners.is_empty() && !target.starts.is_empty(), "rays go from somewhere to somewhere");
        let (stream, mut lost) = (self.device.stream()?, LostRays::default());
        let encoded = EncodedScene::new(&self.variant, bvh, triangles)?;
        let scene = DeviceScene::upload(&self.device, &stream, &self.variant, &encoded)?;
        let chunk = |p: &[f32; 3]| [p[0], p[1], p[2], 0.0];
        let corners = stream.upload(&target.corners.iter().flatten().map(chunk).collect::<Vec<_>>())?;
        let starts = stream.upload(&target.starts.iter().map(chunk).collect::<Vec<_>>())?;
        let along = stream.upload(&target.along.iter().map(|[t, axis]| 4 * t + axis).collect::<Vec<u32>>())?;
        let (mut rays, mut counts) = (stream.zeros::<LostRay>(kept)?, stream.zeros::<u32>(3)?);
        let mut first = numbers.start;
        while first < numbers.end {
            let count = u32::try_from(numbers.end - first).map_or(LAUNCH_RAYS, |left| left.min(LAUNCH_RAYS));
            let blocks = count.div_ceil(BLOCK_THREADS).min(self.resident);
            stream.clear(&mut counts)?;
            let record = AimedRecord {
                tree: scene.tree(&stream),
                corners: corners.address(&stream),
                starts: starts.address(&stream),
                along: along.address(&stream),
                lost: rays.address_mut(&stream),
                counts: counts.address_mut(&stream),
                seed,
                first,
                ray_count: count,
                warp_count: blocks * (BLOCK_THREADS / WARP),
                triangle_count: target.corners.len() as u32,
                start_count: target.starts.len() as u32,
                along_count: target.along.len() as u32,
                lost_capacity: (kept - lost.kept.len()) as u32,
                middle: target.middle,
                unused: 0,
            };
            // SAFETY: the kernel takes this one parameter; its addresses are those of live buffers that hold what
            // kernels/check/aimed.h says.
            unsafe { self.function.launch(&stream, blocks, BLOCK_THREADS, &record)? };
            let mut found = [0; 3];
            stream.read(&counts, &mut found)?;
            lost.closest += u64::from(found[0]);
            lost.any += u64::from(found[1]);
            lost.rays += u64::from(found[2]);
            let mut told = vec![bytemuck::Zeroable::zeroed(); (kept - lost.kept.len()).min(found[2] as usize)];
            stream.read(&rays, &mut told)?;
            lost.kept.extend(told);
            first += u64::from(count);
        }
        lost.kept.sort_by_key(|lost| lost.number);
        Ok(lost)
    }
}
