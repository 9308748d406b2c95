//! The command on a GPU, or rather on a pretended driver with emulated kernels, also one that fails.

mod auto;
mod failures;
mod next_kernel;
mod organisations;
mod pictures;
pub mod place;
mod rays;
