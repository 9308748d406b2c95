//! The tracer of this CPU, and its instruction sets; masks and times of rays, which it knows alone.

pub use crate::query::RayExtra;
pub use raywarp_cpu::{CpuBoxTest, CpuOptions, CpuTracer, CpuTree, CpuTriangleTest, Isa, IsaError};
