//! Peer `vulkan-rt`: the driver's own ray tracing, by Vulkan's ray tracing pipelines.
//!
//! The driver builds its tree of the scene's triangles (built to trace fast) and traces the same rays from a buffer,
//! one a thread of a one-dimensional launch in the batch's order; a stage writes `t`, `u`, `v` and the triangle, or for
//! any-hit rays a bit. Time is that between two timestamps around the launch. On a GPU without ray tracing hardware
//! this is the driver's software; the loader and the driver are looked for at run time.

mod buffer;
mod device;
mod pipeline;
mod tree;

use super::PeerError;
use buffer::{Buffer, Memory};
use device::VulkanDevice;
use pipeline::{Constants, Pipeline};
use raywarp_geom::{FlatTriangles, Hit, Ray};
use tree::Tree;

/// Tracer by the Vulkan driver's own ray tracing, over a scene. Fields are dropped in their order: what was made on the
/// device first.
pub(crate) struct VulkanTracer {
    pipeline: Pipeline,
    _tree: Tree,
    batch: Option<Batch>,
    gpu: VulkanDevice,
}

/// The rays of a batch, with buffers for its results, on the Vulkan device.
struct Batch {
    id: usize,
    count: usize,
    rays: Buffer,
    hits: Buffer,
    blocked: Buffer,
}

impl VulkanTracer {
    /// Makes a tracer over a scene on the device called `name`, or on one that is a CPU if none is named.
    pub fn new(name: Option<&str>, triangles: &FlatTriangles) -> Result<Self, PeerError> {
        let gpu = VulkanDevice::open(name)?;
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

    /// Traces a batch as [`VulkanTracer::run`] does, into cleared results, and returns the hit of each ray.
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

    /// Traces any-hit rays, and returns one bit for each: 1 if something blocks it.
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
    fn new(gpu: &VulkanDevice, id: usize, rays: &[Ray]) -> Result<Self, PeerError> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_bvh::{BuildOptions, build};
    use raywarp_cpu::CpuTracer;
    use raywarp_geom::{Control, Tracer};
    use raywarp_testing::{Random, Reason, skip};

    fn triangles() -> FlatTriangles {
        let (mut random, mut places) = (Random::new(7), Random::new(8));
        let mut corner = |centre: [f32; 3]| centre.map(|x| x + 0.2 * random.unit());
        let centres = (0..500).map(|_| [(); 3].map(|()| 2.0 * places.unit()));
        FlatTriangles::from_vertices(centres.map(|centre| [corner(centre), corner(centre), corner(centre)]).collect())
    }

    /// Returns rays of all lengths from outside through the scene's middle, some with a late start.
    fn rays(count: usize, seed: u64) -> Vec<Ray> {
        let mut random = Random::new(seed);
        let mut next = || random.unit();
        (0..count)
            .map(|i| {
                let origin = [next(), next(), next()].map(|x| 8.0 * x - 3.0);
                let target = [next(), next(), next()].map(|x| 2.0 * x);
                let mut ray = Ray::new(origin, std::array::from_fn(|axis| target[axis] - origin[axis]));
                ray.t_min = if i % 3 == 0 { next() } else { 0.0 };
                ray.t_max = if i % 4 == 0 { ray.t_min + next() } else { f32::INFINITY };
                ray
            })
            .collect()
    }

    #[test]
    fn the_drivers_hits_are_those_of_the_cpu() {
        let triangles = triangles();
        let mut peer = match VulkanTracer::new(None, &triangles) {
            Ok(peer) => peer,
            Err(why) => return skip(Reason::Vulkan, &why.to_string()),
        };
        let bvh = build(&triangles, &BuildOptions::default()).unwrap();
        let cpu = CpuTracer::new(&bvh, &triangles).unwrap();
        // The second batch is smaller, the third one was there before.
        for (id, count) in [(0, 4001), (1, 33), (0, 4001)] {
            let rays = rays(count, id as u64);
            let mut want = vec![Hit::default(); count];
            cpu.closest(&rays, &[], &mut want, &mut [], &Control::default()).unwrap();
            let got = peer.hits(id, &rays).unwrap();
            for (i, (got, want)) in got.iter().zip(&want).enumerate() {
                let near = (got.t - want.t).abs() <= 1e-4 * want.t.abs() || got.t == want.t;
                assert!(near && got.primitive == want.primitive, "ray {i}: {got:?}, not {want:?}");
            }
            let hits = want.iter().filter(|hit| hit.is_hit()).count();
            assert!(hits > 0 && hits < count, "{hits} of {count}");
            let mut bits = vec![0; count.div_ceil(32)];
            cpu.any(&rays, &[], &mut bits, &mut Vec::new(), &Control::default()).unwrap();
            assert_eq!(peer.blocked(id, &rays).unwrap(), bits);
            assert!(peer.run(id, &rays, false).unwrap() > 0.0);
        }
    }

    #[test]
    fn a_device_that_is_not_there_is_said() {
        let Err(why) = VulkanTracer::new(Some("no such device"), &triangles()) else { panic!("it is there") };
        let why = why.to_string();
        assert!(
            why.contains("loader was not found") || why.contains("not no such device") || why.contains("Vulkan failed"),
            "{why}"
        );
    }
}
