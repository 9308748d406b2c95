//! Code that the tests of all crates share: the notes of skipped tests, the place of the large scenes, temporary
//! folders, how many cases to try, an oracle, and one generator of pseudo-random numbers.
//!
//! A test that cannot run here calls [`skip`] and returns. `cargo tests`, the program of this crate, runs the tests of
//! the workspace and says at its end how many passed, how many were skipped, and why.
#![forbid(unsafe_code)]

mod cases;
mod folder;
mod needs;
mod notes;
mod random;

mod skip;
mod winding;

pub use cases::{CASES, cases};
pub use folder::Folder;
pub use needs::{full_device, python_has, scene_file, scenes};
pub use notes::{NOTES, Note, notes_file, read_notes};
pub use random::Random;
pub use skip::{Reason, skip};
pub use winding::winding_by_angles;
