//! Batches of rays by a GPU once they are worth its start, and by this CPU until then.

use super::backend::{Backend, SceneTree};
use super::cost_model::{RAYS_PER_LAUNCH, build_in_memory};
use super::open::{Usable, first_usable};
use super::{Plan, PlanReason, PlannedDevice};
use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_cpu::CpuTracer;
use raywarp_geom::{BatchStats, Candidate, Control, FlatTriangles, Hit, HitKey, Ray, RayCost, TraceError, Tracer};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Tracer that begins on the CPU, and moves to a GPU once enough rays were asked for to make one worth its start.
pub(crate) struct GpuOnceWorth {
    cpu: Arc<CpuTracer>,
    asked: AtomicU64,
    state: Mutex<State>,
    /// Smallest batch, in rays, that a started GPU takes; smaller ones stay on the CPU.
    least_batch: usize,
}

/// State of the GPU: not yet looked for, tracing, or given up.
enum State {
    /// No GPU was looked for yet; holds what one would need.
    Waiting(Box<GpuNeeds>),
    /// A GPU was started, and traces.
    Started(Arc<Backend>),
    /// The CPU traces for good, by this plan, which says why.
    Cpu(Plan),
}

/// What is kept for a GPU that may be started later: little, since the CPU's tracer has the triangles, and most scenes
/// are never asked for so many rays. Its tree is built then, which the number of rays worth a GPU allows for.
struct GpuNeeds {
    triangles: usize,
    /// Options of the tree, with leaves that fit the default GPU kernels.
    fits: BuildOptions,
    /// Options as the caller gave them.
    asked: BuildOptions,
}

impl GpuOnceWorth {
    /// Begins with the CPU tracer, whose triangles are all opaque. `fits` are the options that the caller asked for,
    /// with leaves that fit the default GPU kernels.
    pub fn new(cpu: Arc<CpuTracer>, fits: BuildOptions, asked: BuildOptions) -> Self {
        let needs = GpuNeeds { triangles: cpu.ids().len(), fits, asked };
        let state = Mutex::new(State::Waiting(Box::new(needs)));
        Self { cpu, asked: AtomicU64::new(0), state, least_batch: RAYS_PER_LAUNCH * rayon::current_num_threads() }
    }

    /// Returns the current plan: the device that traces now, and why.
    pub fn plan(&self) -> Plan {
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Waiting(needs) => {
                let plan = needs.plan(self.asked.load(Ordering::Relaxed));
                // Nobody has asked for the GPU yet.
                if matches!(plan.device, PlannedDevice::Cpu) { plan } else { Plan::cpu(needs.asked) }
            }
            State::Started(gpu) => gpu.plan(),
            State::Cpu(plan) => plan.clone(),
        }
    }

    /// Returns the GPU for a batch of `rays`, and starts it now if all rays so far make it worth its start.
    fn gpu(&self, rays: usize) -> Option<Arc<Backend>> {
        let before = self.asked.fetch_add(rays as u64, Ordering::Relaxed);
        let asked = before.saturating_add(rays as u64);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Waiting(needs) = &*state {
            let plan = needs.plan(asked);
            let next = match (&plan.device, &plan.reason) {
                (PlannedDevice::FirstUsable { wanted, count }, _) => {
                    Some(needs.start(*wanted, *count, plan.clone(), &self.cpu))
                }
                (_, PlanReason::TooLittle { .. } | PlanReason::NoGpuGains { .. }) => None,
                _ => Some(State::Cpu(plan)),
            };
            if let Some(next) = next {
                *state = next;
            }
        }
        match &*state {
            State::Started(gpu) if rays >= self.least_batch => Some(gpu.clone()),
            _ => None,
        }
    }

    /// Traces a batch with the function `by_gpu`, or with `by_cpu` where there is no GPU or it fails.
    fn trace<T>(
        &self,
        rays: usize,
        target: &mut T,
        by_gpu: impl FnOnce(&Backend, &mut T) -> Result<BatchStats, TraceError>,
        by_cpu: impl FnOnce(&CpuTracer, &mut T) -> Result<BatchStats, TraceError>,
    ) -> Result<BatchStats, TraceError> {
        if let Some(gpu) = self.gpu(rays) {
            match by_gpu(&gpu, target) {
                Err(error @ TraceError::Device(_)) => {
                    let plan = gpu.plan().by_cpu(PlanReason::Failed(Arc::new(error)));
                    *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State::Cpu(plan);
                }
                done => return done,
            }
        }
        by_cpu(&self.cpu, target)
    }
}

impl GpuNeeds {
    /// Returns the plan for a total of `rays` rays.
    fn plan(&self, rays: u64) -> Plan {
        Plan::for_rays(rays, self.triangles as u64, rayon::current_num_threads(), Some(self.asked))
    }

    /// Starts the first usable one of `count` GPUs; if there is none, the CPU traces from then on.
    fn start(&self, wanted: usize, count: usize, plan: Plan, cpu: &Arc<CpuTracer>) -> State {
        let (vertices, ids) = (cpu.corners(), cpu.ids().iter().collect());
        let triangles = FlatTriangles { opaque: vec![true; vertices.len()], vertices, ids };
        let Some(bvh) = built_apart(&triangles, &build_in_memory(&self.fits, triangles.len())) else {
            // It was built for the CPU with these options.
            return State::Cpu(plan.by_cpu(PlanReason::NoneUsable(Vec::new())));
        };
        let tree = SceneTree { bvh: &bvh, asked: &self.asked, triangles: &triangles };
        let usable = first_usable(wanted, count, |devices, usable| -> Result<(), Box<Plan>> {
            for device in devices {
                let ordinal = device.ordinal();
                let on_it = Plan { device: PlannedDevice::Gpus(vec![device]), ..plan.clone() };
                match Backend::new(on_it, &tree, || Ok(cpu.clone())) {
                    Ok(backend) if backend.planned().gpus().is_empty() => return Err(Box::new(backend.plan())),
                    Ok(backend) => usable.taken.push(backend),
                    Err(error) => usable.leave_out(ordinal, error),
                }
            }
            Ok(())
        });
        match usable {
            // It would be so on every other.
            Err(plan) => State::Cpu(*plan),
            Ok(Usable { taken, left_out }) => match taken.into_iter().next() {
                Some(mut gpu) => {
                    gpu.planned_mut().leave_out(left_out);
                    State::Started(Arc::new(gpu))
                }
                None => State::Cpu(plan.by_cpu(PlanReason::NoneUsable(left_out))),
            },
        }
    }
}

/// Builds a tree on threads of its own. The caller holds the state: a thread of its pool that waited for a part of the
/// tree could take up another batch meanwhile, which asks for the state too.
fn built_apart(triangles: &FlatTriangles, options: &BuildOptions) -> Option<Bvh2> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(rayon::current_num_threads()).build().ok()?;
    std::thread::scope(|scope| scope.spawn(|| pool.install(|| build(triangles, options))).join()).ok()?.ok()
}

impl Tracer for GpuOnceWorth {
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
            |gpu, (hits, instances)| gpu.tracer().closest(rays, after, hits, instances, control),
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
            |gpu, (blocked, undecided)| gpu.tracer().any(rays, after, blocked, undecided, control),
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
