//! What Raywarp asks of the operating system: files written whole or not at all, and how much memory is free.
//!
//! It knows nothing of scenes and rays, and depends on nothing of ours.
#![forbid(unsafe_code)]

pub mod files;
pub mod memory;
