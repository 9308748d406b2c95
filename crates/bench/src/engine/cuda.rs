//! Subjects run on a GPU: the compiled kernels of the family.

use super::cpu::{of_bits, of_hits};
use super::{Prepared, Resources, Session, stranger};
use crate::check::Answers;
use crate::rays::RayBatch;
use crate::{BenchError, Subject};
use raywarp_bvh::Bvh2;
use raywarp_cuda::{CudaError, CudaTracer, Device, DeviceBuffer, DeviceHits, DeviceScene, LaunchBounds, Query, Stream};
use raywarp_family::Variant;
use raywarp_geom::{FlatTriangles, Hit, Kernels, Ray};
use std::collections::HashMap;
use std::sync::Arc;

/// The batches' rays, and buffers for results, in a GPU's memory.
pub(super) struct CudaSession {
    device: Device,
    stream: Stream,
    rays: HashMap<usize, DeviceBuffer<Ray>>,
    out: Option<DeviceHits>,
}

/// Factor of their bytes that must be free for rays to stay in device memory, as trees need room, too.
const ROOM: usize = 4;

impl CudaSession {
    pub fn new(device: &Device) -> Result<Self, BenchError> {
        let stream = device.stream()?;
        Ok(Self { device: device.clone(), stream, rays: HashMap::new(), out: None })
    }

    /// Runs `work` with a batch's rays and result buffers in device memory.
    fn with<R>(
        &mut self,
        subject: &Prepared,
        batch: &RayBatch,
        work: impl FnOnce(&CudaTracer, &Stream, &DeviceBuffer<Ray>, &mut DeviceHits) -> Result<R, CudaError>,
    ) -> Result<R, BenchError> {
        let Prepared::Cuda(tracer) = subject else { return Err(stranger()) };
        let count = batch.rays.len();
        let mut out = match self.out.take().filter(|out| out.hits.len() >= count) {
            Some(out) => out,
            None => DeviceHits::new(&self.stream, count, false)?,
        };
        let rays = match self.rays.remove(&batch.id) {
            Some(rays) => rays,
            None => {
                let bytes = size_of_val(&batch.rays[..]);
                if self.device.free_memory()? < ROOM * bytes {
                    self.rays.clear();
                }
                self.stream.upload(&batch.rays)?
            }
        };
        let result = work(tracer, &self.stream, &rays, &mut out);
        self.rays.insert(batch.id, rays);
        self.out = Some(out);
        Ok(result?)
    }
}

/// Returns the variant of the subject's kernel. The CPU's tracer has none; the error is that of a variant that was not
/// compiled.
fn variant(subject: &Subject) -> Result<Variant, BenchError> {
    match subject {
        Subject::Kernel(variant) => Ok(*variant),
        Subject::CpuTracer | Subject::VulkanRt => {
            Err(CudaError::NoKernel { variant: Box::new(subject.reference()) }.into())
        }
    }
}

/// Encodes the scene's tree for `subject` and uploads it.
pub(super) fn encode(
    device: &Device,
    subject: &Subject,
    bvh: &Bvh2,
    triangles: &FlatTriangles,
) -> Result<Arc<DeviceScene>, BenchError> {
    let stream = device.stream()?;
    let scene = DeviceScene::new(device, &stream, &variant(subject)?, bvh, triangles)?;
    // Other streams read it.
    stream.synchronize()?;
    Ok(Arc::new(scene))
}

/// Prepares `subject` over the tree that was encoded for its group.
pub(super) fn prepare(
    device: &Device,
    subject: &Subject,
    bounds: &LaunchBounds,
    scene: &Arc<DeviceScene>,
) -> Result<Prepared, BenchError> {
    Ok(Prepared::Cuda(Box::new(CudaTracer::over(device, &variant(subject)?, bounds, scene.clone())?)))
}

fn query(any: bool) -> Query {
    if any { Query::Any } else { Query::Closest }
}

impl Session for CudaSession {
    fn run(&mut self, subject: &Prepared, batch: &RayBatch) -> Result<f64, BenchError> {
        let count = batch.rays.len();
        self.with(subject, batch, |tracer, stream, rays, out| tracer.time(stream, query(batch.any), rays, count, out))
    }

    fn answers(&mut self, subject: &Prepared, batch: &RayBatch) -> Result<(Answers, Kernels), BenchError> {
        let count = batch.rays.len();
        self.with(subject, batch, |tracer, stream, rays, out| {
            // A hit that is not overwritten has t = 0, which no ray of a workload has (a file's may start on a
            // triangle); bits are cleared by the launch.
            stream.clear(&mut out.hits)?;
            tracer.time(stream, query(batch.any), rays, count, &mut *out)?;
            let answers = if batch.any {
                let mut blocked = vec![0; count.div_ceil(32)];
                stream.read(&out.blocked, &mut blocked)?;
                of_bits(&blocked, count)
            } else {
                let mut hits = vec![Hit::default(); count];
                stream.read(&out.hits, &mut hits)?;
                of_hits(&hits)
            };
            Ok((answers, tracer.stats(stream, count, out)?.kernels))
        })
    }

    fn resources(&self, subject: &Prepared, any: bool) -> Result<Option<Resources>, BenchError> {
        let Prepared::Cuda(tracer) = subject else { return Err(stranger()) };
        let (registers, local_bytes) = tracer.resources(query(any))?;
        Ok(Some(Resources { registers, local_bytes, code: tracer.code_hash(query(any)) }))
    }
}
