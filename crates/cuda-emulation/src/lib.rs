//! Raywarp's CUDA kernels compiled for the CPU as C++: lanes are fibres, and every use of the warp is checked.
//!
//! Its tests show that the kernels give the bits of the Rust schedules, in whatever order lanes and warps run, and
//! that each lane does what the schedule says. Nothing else uses it, so that users of the libraries need no C++.
//!
//! ```text
//! kernels/platform/emulated.h   what kernels see: lanes, votes, memory (in the crate raywarp-cuda)
//! machine/                      fibres, meetings, shared memory; kernels that misuse the warp
//! src/                          launches, and a tracer over them
//! ```
//!
//! Where nothing is compiled (no C++ compiler; neither Linux nor macOS), [`Kernel::find`] and [`Kernel::misuse`]
//! find nothing, and [`not_emulated`] says why.

mod machine;
mod tracer;

pub use machine::{Fault, Geometry, Kernel, Logs, Order, Request, Window, run};
pub use tracer::{EmulatedTracer, Traced};

/// Why there is no emulation on this machine; `None` where there is.
pub fn not_emulated() -> Option<&'static str> {
    Some(env!("RAYWARP_NOT_EMULATED")).filter(|why| !why.is_empty())
}
