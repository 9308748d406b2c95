//! Calls to the operating system: they write files whole or not at all, and tell how much memory is free and what time
//! a process took.
//!
//! It knows nothing of scenes and rays, and depends on nothing of ours.
#![forbid(unsafe_code)]

#[cfg(feature = "files")]
pub mod files;
pub mod memory;
#[cfg(feature = "processor")]
pub mod processor;
