//! What the tests of all crates share: how a test says that it was skipped, where the large scenes are, and one
//! generator of pseudo-random numbers.
//!
//! A test that cannot run here calls [`skip`] and returns. `cargo tests`, the program of this crate, runs the tests of
//! the workspace and says at its end how many passed, how many were skipped, and why.
#![forbid(unsafe_code)]

mod notes;
mod random;
mod scenes;
mod skip;

pub use notes::{NOTES, Note, notes_file, read_notes};
pub use random::Random;
pub use scenes::{scene_file, scenes};
pub use skip::{Reason, skip};
