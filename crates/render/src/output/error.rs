//! Errors of writing a picture.

use raywarp_system::files::FileError;
use std::path::{Path, PathBuf};

/// Error of writing a picture; each message is one line that names the file and a remedy. No half-written file and no
/// temporary one is left behind.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The file name has no known extension of a picture format.
    #[error("{}: {found}; use a name that ends in .png, .exr or .hdr", .path.display())]
    UnknownFormat {
        /// Path of the output file.
        path: PathBuf,
        /// Description of the extension that was found.
        found: String,
    },
    /// A picture of finished sRGB bytes can only be written as PNG.
    #[error("{}: this picture is a map of colours, not of radiance; use a name that ends in .png", .path.display())]
    NotAPng {
        /// Path of the output file.
        path: PathBuf,
    },
    /// A picture with alpha cannot be written as a Radiance file.
    #[error("{}: a Radiance file has no alpha; use a name that ends in .png or .exr", .path.display())]
    NoAlpha {
        /// Path of the output file.
        path: PathBuf,
    },
    /// A share of a picture can only be written as OpenEXR.
    #[error("{}: a share of a render is an OpenEXR file; use a name that ends in .exr", .path.display())]
    ShareFormat {
        /// Path of the output file.
        path: PathBuf,
    },
    /// The output file exists and is not a picture of this format, so that it must not be overwritten.
    #[error("{}: exists and is not {kind}; name another output, or remove it first", .path.display())]
    NotAPicture {
        /// Path of the output file.
        path: PathBuf,
        /// Kind of picture that the file's name asks for, with its article.
        kind: &'static str,
    },
    /// The path cannot be written, whatever the picture.
    #[error(transparent)]
    File(#[from] FileError),
    /// The picture's format cannot hold the picture.
    #[error("{}: cannot be encoded ({reason}); use another format", .path.display())]
    Encode {
        /// Path of the output file.
        path: PathBuf,
        /// Message of the encoder.
        reason: String,
    },
}

impl OutputError {
    pub(super) fn encode(path: &Path, reason: impl std::fmt::Display) -> Self {
        // Encoders' messages are not ours: keep the promise of one line.
        let reason = reason.to_string().lines().collect::<Vec<_>>().join(" ");
        Self::Encode { path: path.to_path_buf(), reason }
    }
}
