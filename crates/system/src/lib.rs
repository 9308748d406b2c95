//! What Raywarp asks of the operating system: files written whole or not at all, how much memory is free, what time a process took.
//!
//! It knows nothing of scenes and rays, and depends on nothing of ours.
#![forbid(unsafe_code)]

pub mod files;
pub mod memory;
pub mod processor;
