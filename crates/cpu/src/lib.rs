//! The ray tracer for CPUs: [`CpuTracer`] walks an eight-wide tree with AVX-512, AVX2 or plain Rust,
//! chosen at run time.

mod batch;
mod bvh2;
mod dispatch;
mod probe;
mod query;
mod ray;
mod simd;
mod tracer;

pub use dispatch::Isa;
pub use tracer::{CpuOptions, CpuTracer, Engine, TriangleTest};
