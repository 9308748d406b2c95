//! The choice of the device that answers rays and renders pictures (this CPU or GPUs), of its kernels and of its tree,
//! with the reason.
//!
//! A [`DeviceChoice`] is what somebody asks for. A [`Plan`] is made from it, once it is known how much there is to do:
//! a device, kernels, a tree and a [`PlanReason`]. Types that hold a scene return the plan as it came out, which may
//! name other kernels or the CPU. Nothing here is worded for people: callers that show a plan find the words.
//!
//! ```text
//! choice.rs       what somebody asks for
//! plan.rs         who traces rays; picture.rs who renders a picture
//! reason.rs       why
//! cost_model.rs   what things take: from when on a GPU, and which tree, is worth its time
//! work.rs         how much there is to trace for a picture
//! open.rs         opening GPUs: those that are named, or the first that can be used
//! kernels.rs      kernels of GPUs that answer rays, and which come next where a scene does not fit
//! factory.rs      tracers of the caller's
//! backend.rs      what traces, whoever asks; late_tracer.rs and once_worth.rs where it is made later
//! tree.rs         the tree of GPUs that take whole paths; paths.rs puts them there
//! threads.rs      the pool of this CPU
//! ```

pub(crate) mod backend;
mod choice;
pub(crate) mod cost_model;
mod factory;
mod plan;
mod reason;
mod threads;
mod work;

#[cfg(feature = "cuda")]
mod kernels;
#[cfg(all(feature = "cuda", feature = "render"))]
mod late_tracer;
#[cfg(feature = "cuda")]
mod once_worth;
#[cfg(feature = "cuda")]
pub(crate) mod open;
#[cfg(all(feature = "cuda", feature = "render"))]
pub(crate) mod paths;
#[cfg(all(feature = "cuda", feature = "render"))]
mod picture;
#[cfg(all(feature = "cuda", feature = "render"))]
mod tree;

pub use backend::BackendError;
pub use choice::DeviceChoice;
pub use cost_model::rays_worth_a_gpu;
pub use factory::TracerFactory;
pub use plan::{Plan, PlannedDevice, PlannedKernels, PlannedTree};
pub use reason::{Amount, Cause, PlanReason, Unusable};
pub use threads::set_threads;
pub use work::PathWork;

#[cfg(feature = "cuda")]
pub use {
    backend::OneOfGpus,
    kernels::{DEFAULT_KERNEL, HOLDS_MORE, RayKernels, ReplacedKernel},
};
#[cfg(all(feature = "cuda", feature = "render"))]
pub use {
    cost_model::TreeEffort,
    picture::{PictureWork, PlaceError},
    tree::GpuTree,
};

pub(crate) use backend::{Backend, SceneTree};
#[cfg(feature = "cuda")]
pub(crate) use once_worth::GpuOnceWorth;
