//! Pictures: tone curves, file formats, shares of a render, and writing files whole or not at all.

mod atomic;
mod error;
mod tone;

pub use atomic::{can_write, write_atomic};
pub use error::OutputError;
pub use tone::{Exposure, Look, Tone, ToneError, encode_srgb};
