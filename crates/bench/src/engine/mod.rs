//! Engines that run the subjects: this CPU, or a GPU through CUDA or Vulkan.

mod cpu;
mod cuda;
#[cfg(feature = "vulkan")]
mod vulkan;

pub(crate) use cpu::trace;

use crate::check::Answers;
use crate::rays::RayBatch;
use crate::{BenchError, MachineFacts, Subject};
use raywarp_bvh::Bvh2;
use raywarp_cuda::{CodeHash, CudaError, CudaTracer, Device, DeviceScene, Encoding, LaunchBounds};
use raywarp_family::Variant;
use raywarp_geom::{FlatTriangles, Kernels, TraceError, Tracer};
use raywarp_traverse::KernelError;
use std::sync::Arc;

/// The processor that is benchmarked.
#[derive(Debug, Clone)]
pub enum Target {
    /// This CPU, timed by wall-clock time on rayon's current pool.
    Cpu,
    /// A GPU, timed by the kernels' own time.
    Cuda(Device),
}

impl Target {
    /// Returns the name of the GPU or CPU in reports.
    pub fn name(&self) -> String {
        match self {
            Self::Cpu => MachineFacts::cpu_name(),
            Self::Cuda(device) => device.name().to_string(),
        }
    }

    /// Returns `true` if the target is a GPU.
    pub fn is_gpu(&self) -> bool {
        matches!(self, Self::Cuda(_))
    }

    /// Returns every kernel that the target can run: on a GPU all compiled ones, on a CPU the papers'.
    pub fn compiled(&self) -> Vec<Subject> {
        match self {
            Self::Cuda(_) => raywarp_cuda::compiled().into_iter().map(Subject::Kernel).collect(),
            Self::Cpu => {
                let rows = raywarp_family::papers().iter().map(|row| Subject::Kernel(row.variant));
                std::iter::once(Subject::CpuTracer).chain(rows).collect()
            }
        }
    }

    /// Makes a session, with buffers for the batches of a scene.
    pub(crate) fn session(&self) -> Result<Box<dyn Session>, BenchError> {
        let own: Box<dyn Session> = match self {
            Self::Cpu => Box::new(cpu::CpuSession::default()),
            Self::Cuda(device) => Box::new(cuda::CudaSession::new(device)?),
        };
        #[cfg(feature = "vulkan")]
        let own = Box::new(vulkan::WithVulkan(own));
        Ok(own)
    }

    /// Groups `subjects` that walk the same encoded tree, each group in the order given.
    pub(crate) fn groups(&self, subjects: &[Subject]) -> Vec<Vec<Subject>> {
        // A tracer of the CPU holds its tree.
        groups(subjects, |variant| self.is_gpu().then(|| Encoding::of(variant)))
    }

    /// Encodes the scene's tree for `subject` and its group.
    pub(crate) fn encode(
        &self,
        subject: &Subject,
        bvh: &Bvh2,
        triangles: &FlatTriangles,
    ) -> Result<Encoded, BenchError> {
        match self {
            _ if subject.has_own_tree() => Ok(Encoded::Own),
            Self::Cpu => Ok(Encoded::Own),
            Self::Cuda(device) => Ok(Encoded::Cuda(cuda::encode(device, subject, bvh, triangles)?)),
        }
    }

    /// Prepares `subject` for runs over the tree that was encoded for its group. `width` is that of a CPU's warps.
    pub(crate) fn prepare(
        &self,
        subject: &Subject,
        bounds: &LaunchBounds,
        encoded: &Encoded,
        (bvh, triangles): (&Bvh2, &FlatTriangles),
        width: u32,
    ) -> Result<Prepared, BenchError> {
        if *subject == Subject::VulkanRt {
            return self.vulkan(triangles);
        }
        match (self, encoded) {
            (Self::Cuda(device), Encoded::Cuda(scene)) => cuda::prepare(device, subject, bounds, scene),
            _ => cpu::prepare(subject, bvh, triangles, width),
        }
    }

    /// Prepares the driver's own Vulkan ray tracing on the same device; for a CPU target, a software driver's.
    #[cfg(feature = "vulkan")]
    fn vulkan(&self, triangles: &FlatTriangles) -> Result<Prepared, BenchError> {
        let name = match self {
            Self::Cpu => None,
            Self::Cuda(device) => Some(device.name()),
        };
        let tracer = crate::peers::vulkan::VulkanTracer::new(name, triangles);
        Ok(Prepared::Vulkan(Box::new(std::cell::RefCell::new(tracer.map_err(vulkan::refused)?))))
    }

    #[cfg(not(feature = "vulkan"))]
    fn vulkan(&self, _: &FlatTriangles) -> Result<Prepared, BenchError> {
        Err(BenchError::Peer("this raywarp was built without its feature vulkan".to_string()))
    }

    /// Returns how many trees may be encoded at once for this many triangles: each takes a thread and some 300 bytes a
    /// triangle.
    pub(crate) fn encoded_at_once(&self, triangles: usize) -> usize {
        match self {
            Self::Cpu => 1,
            Self::Cuda(_) => (40_000_000 / triangles.max(1)).clamp(1, 8),
        }
    }
}

/// Groups `subjects` of one tree encoding; those without an encoding are alone.
fn groups(subjects: &[Subject], encoding: impl Fn(&Variant) -> Option<Encoding>) -> Vec<Vec<Subject>> {
    let mut groups: Vec<(Option<Encoding>, Vec<Subject>)> = Vec::new();
    for &subject in subjects {
        let own = match subject {
            Subject::Kernel(variant) => encoding(&variant),
            _ => None,
        };
        match groups.iter_mut().find(|(known, _)| own.is_some() && *known == own) {
            Some((_, group)) => group.push(subject),
            None => groups.push((own, vec![subject])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// The encoded tree that a group of subjects walks.
pub(crate) enum Encoded {
    /// Each subject makes its own tree.
    Own,
    /// Encoded tree in device memory, shared by the group.
    Cuda(Arc<DeviceScene>),
}

/// A subject that is ready to run over its tree.
pub(crate) enum Prepared {
    Cpu(Box<dyn Tracer>),
    Cuda(Box<CudaTracer>),
    #[cfg(feature = "vulkan")]
    Vulkan(Box<std::cell::RefCell<crate::peers::vulkan::VulkanTracer>>),
}

/// Resources of a multiprocessor that a kernel takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resources {
    /// Number of registers per thread.
    pub registers: u32,
    /// Bytes of local memory per thread.
    pub local_bytes: u32,
    /// Hash of the kernel's machine code; `None` if the driver compiled it.
    pub code: Option<CodeHash>,
}

/// Runs subjects one after the other on the batches of a scene.
pub(crate) trait Session {
    /// Traces a batch and returns the seconds that it took.
    fn run(&mut self, subject: &Prepared, batch: &RayBatch) -> Result<f64, BenchError>;

    /// Traces a batch once more into cleared results, and returns its answers and the kernels that gave them.
    fn answers(&mut self, subject: &Prepared, batch: &RayBatch) -> Result<(Answers, Kernels), BenchError>;

    /// Returns the resources of the subject's kernel for closest-hit or any-hit rays; `None` on a CPU.
    fn resources(&self, subject: &Prepared, any: bool) -> Result<Option<Resources>, BenchError>;
}

/// Returns the error for a subject that was prepared for another kind of target.
fn stranger() -> BenchError {
    TraceError::Device("the kernel is on another device".to_string()).into()
}

/// Returns why a subject is left out while others are still measured; `None` for an error that ends the run.
pub(crate) fn refusal(error: &BenchError) -> Option<String> {
    match error {
        BenchError::Cuda(CudaError::NoKernel { .. }) => Some("not among the compiled kernels".to_string()),
        // What has to do with the device itself would be the same for all.
        BenchError::Cuda(
            CudaError::NoDriver
            | CudaError::OldDriver { .. }
            | CudaError::NoDevice { .. }
            | CudaError::OldDevice { .. }
            | CudaError::Driver { .. },
        ) => None,
        BenchError::Cuda(_) => Some(error.to_string()),
        BenchError::Kernel(KernelError::NeedsGpu { .. }) => Some("needs a GPU".to_string()),
        BenchError::Kernel(_) | BenchError::Layout(_) | BenchError::Peer(_) => Some(error.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_that_walk_the_same_bytes_are_one_group() {
        let names =
            ["al09-if-if", "g14", "cpu", "alk12-kepler", "vulkan-rt", "watertight", "cpu", "l9-mbvh", "g14-wide4"];
        let subjects = names.map(|name| name.parse::<Subject>().unwrap());
        let named = |groups: Vec<Vec<Subject>>| -> Vec<Vec<String>> {
            groups.iter().map(|group| group.iter().map(Subject::name).collect()).collect()
        };
        let on_gpu = named(groups(&subjects, |variant| Some(Encoding::of(variant))));
        let expected: [&[&str]; 7] = [
            &["al09-if-if", "alk12-kepler"],
            &["g14", "g14-wide4"],
            &["cpu"],
            &["vulkan-rt"],
            &["watertight"],
            &["cpu"],
            &["l9-mbvh"],
        ];
        assert_eq!(on_gpu, expected);
        assert_eq!(Target::Cpu.groups(&subjects).len(), subjects.len());
    }
}
