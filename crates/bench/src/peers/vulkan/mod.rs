//! `vulkan-rt`: the driver's own ray tracing, by Vulkan's ray tracing pipelines.
//!
//! The driver builds its tree of the scene's triangles (built to trace fast) and traces the same rays from a buffer, one a
//! thread of a one-dimensional launch in the batch's order; a stage writes `t`, `u`, `v` and the triangle, or for any-hit
//! rays a bit. Time is that between two timestamps around the launch. On a GPU without ray tracing hardware this is the
//! driver's software; the loader and the driver are looked for at run time.

mod buffer;
mod device;
mod pipeline;
mod tree;

use super::PeerError;
use buffer::{Buffer, Memory};
use device::Gpu;
use pipeline::{Constants, Pipeline};
use raywarp_geom::{FlatTriangles, Hit, Ray};
use tree::Tree;

/// The driver's tracer over a scene. Fields are dropped in their order: what was made on the device first.
pub(crate) struct VulkanTracer {
    pipeline: Pipeline,
    _tree: Tree,
    batch: Option<Batch>,
    gpu: Gpu,
}

/// The rays of a batch and room for its results on the device.
struct Batch {
    id: usize,
    count: usize,
    rays: Buffer,
    hits: Buffer,
    blocked: Buffer,
}

impl VulkanTracer {
    /// A tracer on the device called `name`, or, when none is named, on one that is a CPU.
    pub fn new(name: Option<&str>, triangles: &FlatTriangles) -> Result<Self, PeerError> {
        let gpu = Gpu::open(name)?;
        let tree = Tree::new(&gpu, triangles)?;
        let pipeline = Pipeline::new(&gpu, tree.handle())?;
        Ok(Self { pipeline, _tree: tree, batch: None, gpu })
    }

    /// Traces a batch and returns the seconds that the device took. `id` tells batches apart, whose rays stay there.
    pub fn run(&mut self, id: usize, rays: &[Ray], any: bool) -> Result<f64, PeerError> {
        self.upload(id, rays)?;
        let Some(batch) = &self.batch else { return Ok(0.0) };
        let constants =
            Constants { rays: batch.rays.address(), hits: batch.hits.address(), blocked: batch.blocked.address() };
        self.gpu.timed(|gpu, commands| {
            buffer::clear(gpu, commands, &batch.blocked);
            self.pipeline.trace(gpu, commands, any, &constants, batch.count as u32)
        })
    }

    /// As [`VulkanTracer::run`] into results that held nothing: a hit a ray.
    pub fn hits(&mut self, id: usize, rays: &[Ray]) -> Result<Vec<Hit>, PeerError> {
        self.upload(id, rays)?;
        if let Some(batch) = &self.batch {
            // A hit that is not overwritten has t = 0, which no ray of a workload has.
            self.gpu.submit(|gpu, commands| buffer::clear(gpu, commands, &batch.hits))?;
        }
        self.run(id, rays, false)?;
        let mut hits = vec![Hit::default(); rays.len()];
        if let Some(batch) = &self.batch {
            batch.hits.read(&self.gpu, bytemuck::cast_slice_mut(&mut hits))?;
        }
        Ok(hits)
    }

    /// A bit a ray: whether something blocks it.
    pub fn blocked(&mut self, id: usize, rays: &[Ray]) -> Result<Vec<u32>, PeerError> {
        self.run(id, rays, true)?;
        let mut blocked = vec![0u32; rays.len().div_ceil(32)];
        if let Some(batch) = &self.batch {
            batch.blocked.read(&self.gpu, bytemuck::cast_slice_mut(&mut blocked))?;
        }
        Ok(blocked)
    }

    fn upload(&mut self, id: usize, rays: &[Ray]) -> Result<(), PeerError> {
        if self.batch.as_ref().is_none_or(|batch| batch.id != id) {
            // Room first for what comes.
            self.batch = None;
            self.batch = Some(Batch::new(&self.gpu, id, rays)?);
        }
        Ok(())
    }
}

impl Batch {
    fn new(gpu: &Gpu, id: usize, rays: &[Ray]) -> Result<Self, PeerError> {
        let buffer = |bytes: usize| Buffer::new(gpu, bytes as u64, Memory::Device);
        let bytes: &[u8] = bytemuck::cast_slice(rays);
        let own = buffer(bytes.len())?;
        own.write(gpu, bytes)?;
        Ok(Self {
            id,
            count: rays.len(),
            rays: own,
            hits: buffer(rays.len() * size_of::<Hit>())?,
            blocked: buffer(rays.len().div_ceil(32) * 4)?,
        })
    }
}
