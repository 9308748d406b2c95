//! The tracer of this CPU, and its instruction sets.

pub use raywarp_cpu::{BoxTest, CpuOptions, CpuTracer, Engine, Isa, IsaError, TriangleTest};
