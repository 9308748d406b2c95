//! Placeholder while the workspace is laid out.
pub mod film;
pub mod output;
