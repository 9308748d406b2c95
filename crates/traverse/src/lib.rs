//! The papers' traversal kernels as schedules over micro-operations, for a warp of any width.
//!
//! A [`Kernel`] is a [`Variant`](raywarp_family::Variant) over a scene. It runs on a [`Execution`]: one lane
//! without masks, the reference, or a warp of 1 to 64 lanes in lockstep, which a simulator drives. A
//! [`Probe`] is told each block of a micro-operation with the lanes that run it and what they touch.
//!
//! A kernel walks the flattened scene, or two levels of it ([`KernelLevels`]): binary trees of triangles placed many
//! times, which rays enter and leave.
//!
//! What each ray does can be written down once, a [`RayDump`], and replayed by other schedules and widths: [`Replay`].
//! A file of operations ([`read_operations`]) is such a dump as text, of this program or of another.
//!
//! ```text
//! supply/      the main loop: how rays come to lanes          direct, persistent, replace, queue
//! schedule/    its body: one loop a file                      packet, while_while, if_if, ...
//! ops/         what bodies are made of: one micro-operation a file
//! tree/        what is walked: one encoding a file
//! lanes/       who runs: one lane, or many in step
//! ```
#![forbid(unsafe_code)]

mod dump;
#[cfg(any(test, feature = "fuzz"))]
pub mod fuzz;
mod kernel;
mod lane;
mod lanes;
mod launch;
mod levels;
mod operations;
mod ops;
mod probe;
mod ray;
mod replay;
mod schedule;
mod supply;
mod tracer;
mod tree;
mod triangles;
mod warp;

pub use dump::{Code, RayDump};
pub use kernel::{Batch, Execution, Kernel, KernelError, NoDumpReason};
pub use levels::{KernelLevels, KernelLevelsError, KernelPlacement};
pub use operations::{
    NamedDump, OPERATIONS_MAGIC, OperationsError, OperationsFault, RayFault, read_operations, write_operations,
};
pub use probe::{Probe, Recorded, Recorder, Touch, WarpEvent};
/// Query that the rays of a [`Batch`] ask.
pub use raywarp_family::Query;
pub use replay::{DependentReason, Replay, ReplayError};
pub use supply::RayCounter;
pub use tracer::FamilyTracer;
pub use warp::Answer;
