//! Commands that take long: how they say where they are, what signals do to them, and how they go on later.

#[cfg(unix)]
mod interrupt;
pub mod process;
mod progress;
mod resume;
