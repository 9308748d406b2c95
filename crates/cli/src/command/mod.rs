//! The sub-commands.

pub mod info;
pub mod merge;
pub mod render;
mod render_args;
mod render_report;
pub mod selftest;
pub mod simulate;
pub mod trace;
mod tree_args;
pub mod variants;

pub use render_args::RenderArgs;
