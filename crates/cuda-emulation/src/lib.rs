//! Raywarp's CUDA kernels compiled for the CPU as C++: lanes are fibres, and every use of the warp is checked.
//!
//! Its tests show that the kernels give the bits of the Rust schedules, in whatever order lanes and warps run, and
//! that each lane does what the schedule says. Nothing else uses it, so that users of the libraries need no C++.
//!
//! ```text
//! kernels/platform/emulated.h   what kernels see: lanes, votes, memory (in the crate raywarp-cuda); beside it
//!                               texture_unit.h, texture units
//! machine/                      fibres, meetings, shared memory; kernels that misuse the warp
//! queries/                      kernels that ask with kernels/raywarp.h, as those of other crates do, and as those of programs (own.cpp)
//! twins/                        functions of crates/render-cuda/kernels, called one by one
//! driver/                       a library that pretends to be the CUDA driver, and fails where it is told to
//! src/                          launches, and a tracer over them
//! ```
//!
//! Where nothing is compiled (no C++ compiler; neither Linux nor macOS), [`EmulatedKernel::find`] and
//! [`EmulatedKernel::misuse`] find nothing, and [`not_emulated`] says why.

mod machine;
mod texture;
mod tracer;
pub mod twins;

pub use machine::{EmulatedKernel, EmulationFault, LaneOrder, LaunchGeometry, Logs, MemoryWindow, Request, run};
pub use texture::EmulatedTexture;
pub use tracer::{EmulatedTrace, EmulatedTracer};

use raywarp_testing::{Reason, skip};

/// Returns the reason why this machine cannot emulate CUDA kernels; `None` if it can.
pub fn not_emulated() -> Option<&'static str> {
    Some(env!("RAYWARP_NOT_EMULATED")).filter(|why| !why.is_empty())
}

/// Returns `true` if this machine can emulate CUDA kernels. Where they are not, the test of this thread is noted as
/// skipped.
#[track_caller]
pub fn emulates() -> bool {
    let Some(why) = not_emulated() else { return true };
    skip(Reason::Compiler, &format!("CUDA kernels are not emulated: {why}"));
    false
}

/// Returns [`pretended_driver`], under a name for tests. Where there is none, the test of this thread is noted as
/// skipped.
#[track_caller]
pub fn driver_for_test() -> Option<&'static str> {
    let driver = pretended_driver();
    if driver.is_none() {
        let (reason, why) =
            not_emulated().map_or((Reason::System, "it is for Linux only"), |why| (Reason::Compiler, why));
        skip(reason, &format!("no pretended CUDA driver: {why}"));
    }
    driver
}

/// Returns the folder of a `libcuda.so` that pretends to be the CUDA driver with a small GPU, by emulated kernels, for
/// programs that look there (`LD_LIBRARY_PATH`). `None` where there is none: it is made on Linux.
pub fn pretended_driver() -> Option<&'static str> {
    Some(env!("RAYWARP_PRETENDED_DRIVER")).filter(|folder| !folder.is_empty())
}
