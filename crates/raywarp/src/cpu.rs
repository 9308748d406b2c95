//! The tracer of this CPU, and its instruction sets.

pub use raywarp_cpu::{CpuBoxTest, CpuOptions, CpuTracer, CpuTree, CpuTriangleTest, Isa, IsaError};
