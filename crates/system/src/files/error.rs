//! Errors of writing a file.

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
        /// Path of the output.
        path: PathBuf,
    },
    /// The folder of the output does not exist.
    #[error("{}: there is no folder {}; create it first", .path.display(), .folder.display())]
    MissingFolder {
        /// Path of the output.
        path: PathBuf,
        /// Folder that it should lie in.
        folder: PathBuf,
    },
    /// A file is where the folder of the output should be.
    #[error("{}: {} is not a folder; choose another place", .path.display(), .folder.display())]
    NotAFolder {
        /// Path of the output.
        path: PathBuf,
        /// Path of the file that is in the folder's place.
        folder: PathBuf,
    },
    /// The output exists and may not be changed.
    #[error("{}: exists and is read-only; choose another name or make it writable", .path.display())]
    ReadOnly {
        /// Path of the output.
        path: PathBuf,
    },
    /// The output exists, and files that exist are to be kept.
    #[error("{}: exists already; name another output, or leave out --no-clobber to replace it", .path.display())]
    Exists {
        /// Path of the output.
        path: PathBuf,
    },
    /// The folder may not be written to.
    #[error("{}: permission denied; choose another folder or change its permissions", .path.display())]
    PermissionDenied {
        /// Path of the output.
        path: PathBuf,
    },
    /// No room is left on the disk.
    #[error("{}: the disk is full or the quota is used up; make room or choose another disk", .path.display())]
    DiskFull {
        /// Path of the output.
        path: PathBuf,
    },
    /// Anything else that the system refuses.
    #[error("{}: cannot be written ({source}); choose another place", .path.display())]
    Io {
        /// Path of the output.
        path: PathBuf,
        /// Error that the system gave.
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
