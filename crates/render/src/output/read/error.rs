//! Why a picture cannot be read.

use crate::output::ShareError;
use raywarp_scene::SceneError;
use std::path::PathBuf;

/// Why a picture cannot be read; one line each, naming the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file cannot be read.
    #[error("{}: cannot be read ({source})", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// An OpenEXR file that has no picture that is read here.
    #[error("{}: {reason}; a picture has channels R, G and B, or Y, of full size", .path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What it has instead.
        reason: String,
    },
    /// An OpenEXR file that is cut off or contradicts itself.
    #[error("{}: is damaged ({reason}); copy or render it again", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The memory is not there.
    #[error("{}: {}x{} pixels of {channels} channels need {} MB, but {} MB are free", .path.display(), .size[0], .size[1], .needed >> 20, .free >> 20)]
    Memory {
        /// The file.
        path: PathBuf,
        /// Columns and rows.
        size: [u32; 2],
        /// How many channels.
        channels: usize,
        /// Bytes that reading takes.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// The picture has no such layer.
    #[error("{}: has no layer {name}; {}", .path.display(), if .known.is_empty() { "it has none beside the picture".to_owned() } else { format!("it has {}", .known.join(", ")) })]
    NoLayer {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A share cannot be read.
    #[error(transparent)]
    Share(#[from] ShareError),
    /// A file of another format cannot be read.
    #[error(transparent)]
    Image(SceneError),
}
