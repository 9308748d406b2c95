//! Why a file cannot be written.

use std::io;
use std::path::{Path, PathBuf};

/// A failure to write; each message is one line that names the file and what to do. No half-written file and no
/// temporary one is left behind.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
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
}

impl FileError {
    /// Sorts what the system said by what a user can do about it.
    pub fn from_io(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            io::ErrorKind::PermissionDenied => Self::PermissionDenied { path },
            io::ErrorKind::IsADirectory => Self::IsFolder { path },
            _ => Self::Io { path, source },
        }
    }
}
