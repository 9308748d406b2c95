//! The sub-commands, a file or a folder each.

pub mod bench;
pub mod completions;
pub mod convert;
pub mod diff;
pub mod explain;
pub mod info;
pub mod man;
pub mod merge;
pub mod paper;
pub mod render;
pub mod selftest;
pub mod simulate;
pub mod trace;
pub mod variants;
