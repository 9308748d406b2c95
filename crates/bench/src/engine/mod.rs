//! What runs the subjects.

mod cpu;
mod cuda;

pub(crate) use cpu::trace;

use crate::check::Answers;
use crate::rays::RayBatch;
use crate::{BenchError, MachineFacts, Subject};
use raywarp_bvh::Bvh2;
use raywarp_cuda::{CudaError, Device};
use raywarp_geom::FlatTriangles;
use raywarp_traverse::KernelError;

/// The processor that is measured.
#[derive(Debug, Clone)]
pub enum Target {
    /// This CPU, by wall time on rayon's current pool.
    Cpu,
    /// A GPU, by the kernel's own time.
    Cuda(Device),
}

impl Target {
    /// GPU number `ordinal`, from 0.
    ///
    /// # Errors
    /// [`BenchError::Cuda`].
    pub fn cuda(ordinal: usize) -> Result<Self, BenchError> {
        Ok(Self::Cuda(Device::open(ordinal)?))
    }

    /// What the reports call it: the GPU's name or the CPU's.
    pub fn name(&self) -> String {
        match self {
            Self::Cpu => MachineFacts::cpu_name(),
            Self::Cuda(device) => device.name().to_string(),
        }
    }

    /// Whether it is a GPU.
    pub fn is_gpu(&self) -> bool {
        matches!(self, Self::Cuda(_))
    }

    /// Every kernel that it can run, as it comes compiled: all of the GPU's, the papers' on a CPU.
    pub fn compiled(&self) -> Vec<Subject> {
        match self {
            Self::Cuda(_) => raywarp_cuda::compiled().into_iter().map(Subject::Kernel).collect(),
            Self::Cpu => {
                let rows = raywarp_family::papers().iter().map(|row| Subject::Kernel(row.variant));
                std::iter::once(Subject::CpuTracer).chain(rows).collect()
            }
        }
    }

    pub(crate) fn session(&self, width: u32) -> Result<Box<dyn Session>, BenchError> {
        Ok(match self {
            Self::Cpu => Box::new(cpu::CpuSession::new(width)),
            Self::Cuda(device) => Box::new(cuda::CudaSession::new(device)?),
        })
    }
}

/// What a kernel takes of a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resources {
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes of its local memory.
    pub local_bytes: u32,
}

/// Runs subjects one after the other on the batches of one scene.
pub(crate) trait Session {
    /// Makes `subject` over `bvh` what runs from now on.
    fn set_up(&mut self, subject: &Subject, bvh: &Bvh2, triangles: &FlatTriangles) -> Result<(), BenchError>;

    /// Traces a batch and says how many seconds that took.
    fn run(&mut self, batch: &RayBatch) -> Result<f64, BenchError>;

    /// Traces a batch once more, into results that held nothing, and reads them.
    fn answers(&mut self, batch: &RayBatch) -> Result<Answers, BenchError>;

    /// What the kernel for closest-hit or any-hit rays takes; nothing on a CPU.
    fn resources(&self, any: bool) -> Result<Option<Resources>, BenchError>;
}

/// Why a subject is left out where others can be measured; `None` for an error that ends the run.
pub(crate) fn refusal(error: &BenchError) -> Option<String> {
    match error {
        BenchError::Cuda(CudaError::NoKernel { .. }) => Some("not among the compiled kernels".to_string()),
        BenchError::Cuda(CudaError::StackTooShallow { .. } | CudaError::OutOfMemory { .. } | CudaError::Layout(_)) => {
            Some(error.to_string())
        }
        BenchError::Kernel(KernelError::NeedsGpu { .. }) => Some("needs a GPU".to_string()),
        BenchError::Kernel(_) | BenchError::Layout(_) => Some(error.to_string()),
        _ => None,
    }
}
