//! Errors of reading a picture.

use crate::output::ShareError;
use raywarp_scene::SceneError;
use std::path::PathBuf;

/// Reason for which a picture cannot be read; one line each, naming the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file cannot be read.
    #[error("{}: cannot be read ({source})", .path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// An OpenEXR file that has no picture that is read here.
    #[error("{}: {reason}; a picture has channels R, G and B, or Y, of full size", .path.display())]
    Unsupported {
        /// Path of the file.
        path: PathBuf,
        /// Description of what it has instead.
        reason: String,
    },
    /// An OpenEXR file that is cut off or contradicts itself.
    #[error("{}: is damaged ({reason}); copy or render it again", .path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// Description of the damage.
        reason: String,
    },
    /// The memory for the picture is not there.
    #[error("{}: {}x{} pixels of {channels} channels need {} MB, but {} MB are free", .path.display(), .size[0], .size[1], .needed >> 20, .free >> 20)]
    Memory {
        /// Path of the file.
        path: PathBuf,
        /// Columns and rows of the picture.
        size: [u32; 2],
        /// Number of channels.
        channels: usize,
        /// Number of bytes that reading takes.
        needed: u64,
        /// Number of bytes that are free.
        free: u64,
    },
    /// The picture has no such layer.
    #[error("{}: has no layer {name}; {}", .path.display(), if .known.is_empty() { "it has none beside the picture".to_owned() } else { format!("it has {}", .known.join(", ")) })]
    NoLayer {
        /// Path of the file.
        path: PathBuf,
        /// Name of the layer that was asked for.
        name: String,
        /// Names of the layers that there are.
        known: Vec<String>,
    },
    /// A share cannot be read.
    #[error(transparent)]
    Share(#[from] ShareError),
    /// A file of another format cannot be read.
    #[error(transparent)]
    Image(SceneError),
}
