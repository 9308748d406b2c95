//! Batches of rays by a GPU once they are worth its start, and by this CPU until then.

use crate::auto_rays::{device_name, gpus_for_rays, too_few};
use crate::gpu::{Gpu, OnGpu, Placed};
use raywarp_bvh::{BuildOptions, Bvh2};
use raywarp_cpu::CpuTracer;
use raywarp_cuda::Device;
use raywarp_geom::{BatchStats, Candidate, Control, FlatTriangles, Hit, HitKey, Ray, RayCost, TraceError, Tracer};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Rays of a batch for each thread of the CPU that takes them sooner than a GPU begins: a launch of 10,000 takes an H200 27 to
/// 51 microseconds (docs/reference/performance.md, "Small batches"), and its copies about as long; a thread of a CPU traces 300 rays in 100.
const RAYS_A_LAUNCH: usize = 300;

/// The CPU's tracer and what a GPU would need.
pub(crate) struct AutoTracer {
    cpu: Arc<CpuTracer>,
    asked: AtomicU64,
    state: Mutex<State>,
    /// From how many rays of a batch on a GPU takes it that has started.
    least_batch: usize,
}

/// Whether there is a GPU.
enum State {
    /// Nobody has looked; what it would need.
    Waiting(Box<Needs>),
    /// It traces.
    Started(Arc<OnGpu>, String),
    /// The CPU traces, for good.
    Cpu(String),
}

/// What a GPU is given.
struct Needs {
    bvh: Bvh2,
    build: BuildOptions,
    triangles: FlatTriangles,
}

impl AutoTracer {
    pub fn new(cpu: Arc<CpuTracer>, bvh: Bvh2, build: BuildOptions, triangles: FlatTriangles) -> Self {
        let state = Mutex::new(State::Waiting(Box::new(Needs { bvh, build, triangles })));
        Self { cpu, asked: AtomicU64::new(0), state, least_batch: RAYS_A_LAUNCH * rayon::current_num_threads() }
    }

    /// What traces now, and where the CPU does why.
    pub fn reason(&self) -> String {
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Waiting(needs) => {
                let (asked, triangles) = (self.asked.load(Ordering::Relaxed), needs.triangles.len() as u64);
                let why = too_few(asked, triangles, rayon::current_num_threads());
                format!("the CPU: {}", why.unwrap_or_else(|| format!("{asked} rays")))
            }
            State::Started(_, name) => name.clone(),
            State::Cpu(reason) => format!("the CPU: {reason}"),
        }
    }

    /// The GPU for a batch of `rays`, which is started now if all rays so far were worth it.
    fn gpu(&self, rays: usize) -> Option<Arc<OnGpu>> {
        let before = self.asked.fetch_add(rays as u64, Ordering::Relaxed);
        let asked = before.saturating_add(rays as u64);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Waiting(needs) = &*state {
            let (triangles, threads) = (needs.triangles.len() as u64, rayon::current_num_threads());
            if too_few(asked, triangles, threads).is_none() {
                let next = match gpus_for_rays(asked, triangles, threads) {
                    Ok(count) => needs.start(count),
                    Err((reason, _)) => State::Cpu(reason),
                };
                *state = next;
            }
        }
        match &*state {
            State::Started(gpu, _) if rays >= self.least_batch => Some(gpu.clone()),
            _ => None,
        }
    }

    /// `by_gpu` or, where there is none or it fails, `by_cpu`.
    fn trace<T>(
        &self,
        rays: usize,
        target: &mut T,
        by_gpu: impl FnOnce(&OnGpu, &mut T) -> Result<BatchStats, TraceError>,
        by_cpu: impl FnOnce(&CpuTracer, &mut T) -> Result<BatchStats, TraceError>,
    ) -> Result<BatchStats, TraceError> {
        if let Some(gpu) = self.gpu(rays) {
            match by_gpu(&gpu, target) {
                Err(TraceError::Device(error)) => {
                    *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State::Cpu(error);
                }
                done => return done,
            }
        }
        by_cpu(&self.cpu, target)
    }
}

impl Needs {
    /// The first of `count` GPUs that can be used.
    fn start(&self, count: usize) -> State {
        let mut left_out = Vec::new();
        for ordinal in 0..count {
            let made = Device::open(ordinal).map_err(|error| error.to_string()).and_then(|device| {
                let name = device_name(&device);
                let placed = Gpu::watertight(device).tracer(&self.bvh, &self.build, &self.triangles);
                placed.map(|placed| (name, placed)).map_err(|error| error.to_string())
            });
            match made {
                Ok((name, Placed::Gpus(gpu))) => {
                    let told = gpu.told(name);
                    return State::Started(Arc::new(gpu), told);
                }
                // It would be so on every other.
                Ok((_, Placed::Cpu(why))) => return State::Cpu(why),
                Err(error) => left_out.push(format!("cuda:{ordinal}: {error}")),
            }
        }
        State::Cpu(left_out.join("; "))
    }
}

impl Tracer for AutoTracer {
    fn closest(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        hits: &mut [Hit],
        instances: &mut [u32],
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        self.trace(
            rays.len(),
            &mut (hits, instances),
            |gpu, (hits, instances)| gpu.tracer.closest(rays, after, hits, instances, control),
            |cpu, (hits, instances)| cpu.closest(rays, after, hits, instances, control),
        )
    }

    fn any(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        blocked: &mut [u32],
        undecided: &mut Vec<Candidate>,
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        self.trace(
            rays.len(),
            &mut (blocked, undecided),
            |gpu, (blocked, undecided)| gpu.tracer.any(rays, after, blocked, undecided, control),
            |cpu, (blocked, undecided)| cpu.any(rays, after, blocked, undecided, control),
        )
    }

    fn cost(&self, rays: &[Ray], costs: &mut [RayCost], control: &Control<'_>) -> Result<BatchStats, TraceError> {
        self.cpu.cost(rays, costs, control)
    }

    fn preferred_batch(&self) -> usize {
        self.cpu.preferred_batch()
    }
}
