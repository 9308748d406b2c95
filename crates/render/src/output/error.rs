//! Errors of writing a picture.

use raywarp_system::files::FileError;
use std::path::{Path, PathBuf};

/// A failure to write; each message is one line that names the file and what to do. No half-written file and no
/// temporary one is left behind.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The name does not end in a known format's extension.
    #[error("{}: {found}; use a name that ends in .png, .exr or .hdr", .path.display())]
    UnknownFormat {
        /// Path of the output.
        path: PathBuf,
        /// Description of what the name ends in.
        found: String,
    },
    /// A finished sRGB image can only be PNG.
    #[error("{}: this picture is a map of colours, not of radiance; use a name that ends in .png", .path.display())]
    NotAPng {
        /// Path of the output.
        path: PathBuf,
    },
    /// A picture with alpha cannot be a Radiance file.
    #[error("{}: a Radiance file has no alpha; use a name that ends in .png or .exr", .path.display())]
    NoAlpha {
        /// Path of the output.
        path: PathBuf,
    },
    /// A share must be OpenEXR.
    #[error("{}: a share of a render is an OpenEXR file; use a name that ends in .exr", .path.display())]
    ShareFormat {
        /// Path of the output.
        path: PathBuf,
    },
    /// The output exists and holds something else than such a picture, which nobody can have meant to lose.
    #[error("{}: exists and is not {kind}; name another output, or remove it first", .path.display())]
    NotAPicture {
        /// Path of the output.
        path: PathBuf,
        /// The kind of picture that the name asks for, with its article.
        kind: &'static str,
    },
    /// The place cannot be written, whatever the picture.
    #[error(transparent)]
    File(#[from] FileError),
    /// The format cannot hold the picture.
    #[error("{}: cannot be encoded ({reason}); use another format", .path.display())]
    Encode {
        /// Path of the output.
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
