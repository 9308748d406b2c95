//! Checks of the project that read its files and compile none of it, so that they take seconds: the public interface
//! of `raywarp` ([`api`]), links of the documents ([`links`]).
#![forbid(unsafe_code)]

pub mod api;
mod files;
pub mod links;

use std::path::{Path, PathBuf};

/// The workspace's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
