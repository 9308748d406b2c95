//! Errors of writing a file.

use std::io;
use std::path::{Path, PathBuf};

/// Errors of writing an output file; each message is one line that names the file and what to do. No half-written file
/// and no temporary one is left behind.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The output path is a folder, or ends like one.
    #[error("{}: is a folder; name a file in it", .path.display())]
    IsFolder {
        /// Path of the output.
        path: PathBuf,
    },
    /// The folder that the output file should lie in does not exist.
    #[error("{}: there is no folder {}; create it first", .path.display(), .folder.display())]
    MissingFolder {
        /// Path of the output.
        path: PathBuf,
        /// Path of the folder that does not exist.
        folder: PathBuf,
    },
    /// A file is where the output's folder should be.
    #[error("{}: {} is not a folder; choose another place", .path.display(), .folder.display())]
    NotAFolder {
        /// Path of the output.
        path: PathBuf,
        /// Path of the file that is where the folder should be.
        folder: PathBuf,
    },
    /// The output file exists and is read-only.
    #[error("{}: exists and is read-only; choose another name or make it writable", .path.display())]
    ReadOnly {
        /// Path of the output.
        path: PathBuf,
    },
    /// The output file exists, and existing files are to be kept.
    #[error("{}: exists already; name another output, or leave out `keep_existing_files` to replace it", .path.display())]
    Exists {
        /// Path of the output.
        path: PathBuf,
    },
    /// The user may not write to the output's folder.
    #[error("{}: permission denied; choose another folder or change its permissions", .path.display())]
    PermissionDenied {
        /// Path of the output.
        path: PathBuf,
    },
    /// The disk is full.
    #[error("{}: the disk is full or the quota is used up; make room or choose another disk", .path.display())]
    DiskFull {
        /// Path of the output.
        path: PathBuf,
    },
    /// Any other error of the operating system.
    #[error("{}: cannot be written ({source}); choose another place", .path.display())]
    Io {
        /// Path of the output.
        path: PathBuf,
        /// Error that the operating system gave.
        source: io::Error,
    },
}

impl FileError {
    /// Converts an I/O error of the operating system to the variant that tells a user what to do about it.
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
