//! Why a picture cannot be written.

use std::io;
use std::path::{Path, PathBuf};

/// A failure to write; each message is one line that names the file and what to do. No half-written file and no
/// temporary one is left behind.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The name does not end in a known format's extension.
    #[error("{}: {found}; use a name that ends in .png, .exr or .hdr", .path.display())]
    UnknownFormat {
        /// The output.
        path: PathBuf,
        /// What the name ends in.
        found: String,
    },
    /// A finished sRGB image can only be PNG.
    #[error("{}: this picture is a map of colours, not of radiance; use a name that ends in .png", .path.display())]
    NotAPng {
        /// The output.
        path: PathBuf,
    },
    /// A picture with alpha cannot be a Radiance file.
    #[error("{}: a Radiance file has no alpha; use a name that ends in .png or .exr", .path.display())]
    NoAlpha {
        /// The output.
        path: PathBuf,
    },
    /// A share must be OpenEXR.
    #[error("{}: a share of a render is an OpenEXR file; use a name that ends in .exr", .path.display())]
    ShareFormat {
        /// The output.
        path: PathBuf,
    },
    /// The output is a folder, or names one.
    #[error("{}: is a folder; name a file in it", .path.display())]
    IsFolder {
        /// The output.
        path: PathBuf,
    },
    /// The folder of the output does not exist.
    #[error("{}: there is no folder {}; create it first", .path.display(), .folder.display())]
    MissingFolder {
        /// The output.
        path: PathBuf,
        /// Where it should lie.
        folder: PathBuf,
    },
    /// What should be the folder of the output is a file.
    #[error("{}: {} is not a folder; choose another place", .path.display(), .folder.display())]
    NotAFolder {
        /// The output.
        path: PathBuf,
        /// What is in its place.
        folder: PathBuf,
    },
    /// The output exists and may not be changed.
    #[error("{}: exists and is read-only; choose another name or make it writable", .path.display())]
    ReadOnly {
        /// The output.
        path: PathBuf,
    },
    /// The output exists, and files that exist are to be kept.
    #[error("{}: exists already; name another output, or leave out --no-clobber to replace it", .path.display())]
    Exists {
        /// The output.
        path: PathBuf,
    },
    /// The output exists and holds something else than such a picture, which nobody can have meant to lose.
    #[error("{}: exists and is not {kind}; name another output, or remove it first", .path.display())]
    NotAPicture {
        /// The output.
        path: PathBuf,
        /// The kind of picture that the name asks for, with its article.
        kind: &'static str,
    },
    /// The folder may not be written to.
    #[error("{}: permission denied; choose another folder or change its permissions", .path.display())]
    PermissionDenied {
        /// The output.
        path: PathBuf,
    },
    /// No room.
    #[error("{}: the disk is full or the quota is used up; make room or choose another disk", .path.display())]
    DiskFull {
        /// The output.
        path: PathBuf,
    },
    /// Anything else that the system refuses.
    #[error("{}: cannot be written ({source}); choose another place", .path.display())]
    Io {
        /// The output.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The format cannot hold the picture.
    #[error("{}: cannot be encoded ({reason}); use another format", .path.display())]
    Encode {
        /// The output.
        path: PathBuf,
        /// What the encoder said.
        reason: String,
    },
}

impl OutputError {
    /// Sorts what the system said by what a user can do about it.
    pub(super) fn from_io(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            io::ErrorKind::PermissionDenied => Self::PermissionDenied { path },
            io::ErrorKind::IsADirectory => Self::IsFolder { path },
            _ => Self::Io { path, source },
        }
    }

    pub(super) fn encode(path: &Path, reason: impl std::fmt::Display) -> Self {
        // Encoders' messages are not ours: keep the promise of one line.
        let reason = reason.to_string().lines().collect::<Vec<_>>().join(" ");
        Self::Encode { path: path.to_path_buf(), reason }
    }
}
