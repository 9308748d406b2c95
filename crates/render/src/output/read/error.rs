//! Errors of reading a picture.

use crate::output::ShareError;
use raywarp_scene::ImportError;
use std::path::PathBuf;

/// Kind of OpenEXR picture that is read.
const KIND: &str = "a picture has channels R, G and B, or Y, of full size";

/// Reason why a picture cannot be read; each message is one line that names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The operating system fails to read the file.
    #[error("{}: cannot be read ({source})", .path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The file is OpenEXR, but holds no picture.
    #[error("{}: it has no picture; {KIND}", .path.display())]
    NoPicture {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file is OpenEXR of deep data.
    #[error("{}: it has deep data; {KIND}", .path.display())]
    DeepData {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file is OpenEXR with a channel of fewer pixels than the picture has.
    #[error("{}: its channel {channel} has fewer pixels than the picture; {KIND}", .path.display())]
    SmallChannel {
        /// Path of the file.
        path: PathBuf,
        /// Name of the channel.
        channel: String,
    },
    /// The file is OpenEXR, but cut off or contradictory.
    #[error("{}: is damaged ({reason}); copy or render it again", .path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// Description of the damage.
        reason: String,
    },
    /// Memory does not suffice for the picture.
    #[error("{}: {}x{} pixels of {channels} channels need {} MB, but {} MB are free", .path.display(), .size[0], .size[1], .needed >> 20, .free >> 20)]
    Memory {
        /// Path of the file.
        path: PathBuf,
        /// Columns and rows of the picture.
        size: [u32; 2],
        /// Number of channels of the picture.
        channels: usize,
        /// Bytes of memory that reading takes.
        needed: u64,
        /// Bytes of memory that are free.
        free: u64,
    },
    /// The picture has no layer of the given name.
    #[error("{}: has no layer {name}; {}", .path.display(), if .known.is_empty() { "it has none beside the picture".to_owned() } else { format!("it has {}", .known.join(", ")) })]
    NoLayer {
        /// Path of the file.
        path: PathBuf,
        /// Name of the layer that was asked for.
        name: String,
        /// Names of the picture's layers.
        known: Vec<String>,
    },
    /// The file is a share, but cannot be read.
    #[error(transparent)]
    Share(#[from] ShareError),
    /// The file is of another picture format, but cannot be read.
    #[error(transparent)]
    Image(ImportError),
}
