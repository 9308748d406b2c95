//! The sub-commands.

pub mod info;
pub mod merge;
pub mod render;
mod render_args;
mod render_report;
pub mod selftest;
pub mod simulate;

pub use render_args::RenderArgs;
