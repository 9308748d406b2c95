//! Writing a file whole or not at all.
//!
//! The bytes go to a temporary file in the same folder, which is flushed to the disk and renamed: whoever looks sees
//! the old file or the new one, and a failure leaves the old one. Devices and pipes (`/dev/stdout`) have nothing to
//! rename, and renaming over one would destroy it, so they are written directly.

use super::error::FileError;
use super::temporary::Temporary;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Writes `bytes` to the file `path`, either completely or not at all: an existing file is replaced only once all is on
/// the disk. A symbolic link is followed; an existing file keeps its permissions, a new one gets the usual ones.
///
/// # Errors
/// [`FileError`] if the place cannot be written; what was there before is then unchanged.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    write_atomic_with(path, |file| file.write_all(bytes).map_err(|source| FileError::from_io(path, source)))
}

/// Writes a file as [`write_atomic`] does, from the bytes that the callback `write` produces; if it fails, no file is
/// left or changed.
///
/// # Errors
/// What `write` says, and [`FileError`] if the place cannot be written; what was there before is then unchanged.
pub fn write_atomic_with<E: From<FileError>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    write_with(path, KEEP.load(Ordering::Relaxed), |file| write(file))
}

/// Checks that [`write_atomic`] could write `path`: its folder exists and takes new files, and `path` is neither a
/// folder nor read-only. Leaves nothing behind. Meant for before a long render; the disk may still fill up after.
///
/// # Errors
/// As [`write_atomic`].
pub fn can_write_file(path: &Path) -> Result<(), FileError> {
    can_write_with(path, KEEP.load(Ordering::Relaxed))
}

fn can_write_with(path: &Path, keep: bool) -> Result<(), FileError> {
    match target(path)? {
        // Whoever reads a pipe would take opening and closing it for the end of the file.
        Target::Device if is_pipe(path) => Ok(()),
        Target::Device => open_device(path).map(drop),
        Target::File { path: file, permissions: Some(_) } if keep && must_stay(path, &file) => {
            Err(FileError::Exists { path: path.into() })
        }
        Target::File { path: file, .. } => temporary(&file, path).map(drop),
    }
}

/// Makes this module refuse, from now on, to replace any file that this process has not written itself. Such an output
/// is [`FileError::Exists`], also if the file appeared while its bytes were being computed. For a program whose user
/// said so; it cannot be taken back.
pub fn keep_existing_files() {
    KEEP.store(true, Ordering::Relaxed);
}

static KEEP: AtomicBool = AtomicBool::new(false);

/// Files that this process wrote, symbolic links resolved; it may replace them, as it does a picture that is saved
/// every minute.
static WRITTEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn written() -> MutexGuard<'static, Vec<PathBuf>> {
    WRITTEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns `true` if the existing file `file`, which the user calls `path`, may not be replaced while existing files
/// are kept.
fn must_stay(path: &Path, file: &Path) -> bool {
    // Behind the name of a device may be a file that a shell has just made: "-o /dev/stdout > a.png".
    let is_stream = path.starts_with("/dev") || path.starts_with("/proc");
    let is_made_by_shell = is_stream && fs::metadata(file).is_ok_and(|meta| meta.len() == 0);
    !is_made_by_shell && !written().iter().any(|known| known == file)
}

enum Target {
    /// Output that is neither a regular file nor a folder, such as a pipe or `/dev/null`; it is written directly.
    Device,
    /// Output that is a regular file, existing or new, with its path after symbolic links and its permissions if it
    /// exists.
    File { path: PathBuf, permissions: Option<fs::Permissions> },
}

/// Finds out what is at `path`: a device, a regular file or nothing yet; an error if no file can be written there.
fn target(path: &Path) -> Result<Target, FileError> {
    let error = |source| FileError::from_io(path, source);
    match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => Err(FileError::IsFolder { path: path.into() }),
        Ok(meta) if !meta.is_file() => Ok(Target::Device),
        // A rename would replace it all the same, but someone has said that it should stay.
        Ok(meta) if meta.permissions().readonly() => Err(FileError::ReadOnly { path: path.into() }),
        Ok(meta) => {
            Ok(Target::File { path: fs::canonicalize(path).map_err(error)?, permissions: Some(meta.permissions()) })
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            // "folder/" and ".." name no file, whatever is there.
            let named = path.file_name().is_some() && !path.as_os_str().to_string_lossy().ends_with(['/', '\\']);
            if !named {
                return Err(FileError::IsFolder { path: path.into() });
            }
            // A link whose file is not there yet: the file is made, the link stays.
            if let Ok(there) = fs::read_link(path) {
                return target(&path.parent().unwrap_or(Path::new("")).join(there));
            }
            let folder = folder_of(path);
            match fs::metadata(folder) {
                Ok(meta) if meta.is_dir() => Ok(Target::File { path: path.into(), permissions: None }),
                Ok(_) => Err(FileError::NotAFolder { path: path.into(), folder: folder.into() }),
                Err(e) if e.kind() == io::ErrorKind::NotFound => {
                    Err(FileError::MissingFolder { path: path.into(), folder: folder.into() })
                }
                Err(e) => Err(error(e)),
            }
        }
        Err(e) if e.kind() == io::ErrorKind::NotADirectory => {
            Err(FileError::NotAFolder { path: path.into(), folder: folder_of(path).into() })
        }
        Err(e) => Err(error(e)),
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn open_device(path: &Path) -> Result<File, FileError> {
    OpenOptions::new().write(true).open(path).map_err(|e| FileError::from_io(path, e))
}

fn is_pipe(path: &Path) -> bool {
    #[cfg(unix)]
    let is_pipe = |kind: fs::FileType| std::os::unix::fs::FileTypeExt::is_fifo(&kind);
    #[cfg(not(unix))]
    let is_pipe = |_| false;
    fs::metadata(path).is_ok_and(|meta| is_pipe(meta.file_type()))
}

/// Creates a temporary file in the folder of `file`; errors name the output `path`.
fn temporary(file: &Path, path: &Path) -> Result<Temporary, FileError> {
    Temporary::new(folder_of(file)).map_err(|e| FileError::from_io(path, bare(e)))
}

/// Returns the system's error without the name of the temporary file, which the user never asked for.
fn bare(error: io::Error) -> io::Error {
    if error.get_ref().is_some() { error.kind().into() } else { error }
}

/// Writes a file as [`write_atomic_with`] does; `keep` refuses to replace existing files.
fn write_with<E: From<FileError>>(
    path: &Path,
    keep: bool,
    write: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), E> {
    let error = |source| E::from(FileError::from_io(path, source));
    match target(path)? {
        Target::Device => {
            let mut device = open_device(path)?;
            write(&mut device)?;
            device.flush().map_err(error)
        }
        Target::File { path: file, permissions } => {
            let keep = keep && must_stay(path, &file);
            if keep && permissions.is_some() {
                return Err(FileError::Exists { path: path.into() }.into());
            }
            let mut temporary = temporary(&file, path)?;
            write(&mut temporary.file)?;
            if let Some(permissions) = permissions {
                temporary.file.set_permissions(permissions).map_err(error)?;
            }
            // Before the rename: some file systems would otherwise keep the new name and lose the bytes in a crash.
            temporary.file.sync_all().map_err(error)?;
            temporary.persist(&file, keep).map_err(|source| match source.kind() {
                io::ErrorKind::AlreadyExists => FileError::Exists { path: path.into() }.into(),
                _ => error(source),
            })?;
            if let Ok(whole) = fs::canonicalize(&file) {
                let mut written = written();
                if !written.contains(&whole) {
                    written.push(whole);
                }
            }
            // The rename itself lives in the folder. Not every file system can flush one, and the file is there.
            #[cfg(unix)]
            if let Ok(folder) = File::open(folder_of(&file)) {
                let _ = folder.sync_all();
            }
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the sorted names of the files in a folder.
    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_is_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        for bytes in [&b"first"[..], b"2nd"] {
            can_write_file(&path).unwrap();
            write_atomic(&path, bytes).unwrap();
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
        assert_eq!(names(folder.path()), ["a.png"]);
    }

    #[test]
    fn a_file_that_comes_in_parts_is_there_once_all_of_them_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        write_atomic(&path, b"old").unwrap();
        write_atomic_with(&path, |file| {
            for part in [&b"one "[..], b"two"] {
                file.write_all(part).unwrap();
                assert_eq!(fs::read(&path).unwrap(), b"old");
            }
            Ok::<(), FileError>(())
        })
        .unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one two");
        let own = |file: &mut dyn Write| {
            file.write_all(b"half").unwrap();
            Err(FileError::Exists { path: "of the caller's own".into() })
        };
        let error = write_atomic_with(&path, own).unwrap_err();
        assert!(matches!(&error, FileError::Exists { path } if path == Path::new("of the caller's own")), "{error:?}");
        assert_eq!(fs::read(&path).unwrap(), b"one two");
        assert_eq!(names(folder.path()), ["a.npy"]);
    }

    #[test]
    fn a_failure_half_way_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        let fail = |file: &mut File| {
            file.write_all(b"half of the new").unwrap();
            Err(FileError::DiskFull { path: path.clone() })
        };
        assert!(matches!(write_with(&path, false, fail), Err(FileError::DiskFull { .. })));
        assert!(names(folder.path()).is_empty(), "{:?}", names(folder.path()));
        write_atomic(&path, b"old").unwrap();
        assert!(matches!(write_with(&path, false, fail), Err(FileError::DiskFull { .. })));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["a.png"]);
    }

    #[test]
    fn places_that_cannot_be_written_are_refused_before_and_after() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("folder")).unwrap();
        fs::write(at("file"), b"x").unwrap();
        fs::write(at("locked.png"), b"x").unwrap();
        let mut permissions = fs::metadata(at("locked.png")).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(at("locked.png"), permissions).unwrap();
        let before = names(folder.path()).len();
        type Expected = fn(&FileError) -> bool;
        let table: [(&str, Expected); 7] = [
            ("folder", |e| matches!(e, FileError::IsFolder { .. })),
            ("folder/", |e| matches!(e, FileError::IsFolder { .. })),
            ("new.png/", |e| matches!(e, FileError::IsFolder { .. })),
            ("folder/..", |e| matches!(e, FileError::IsFolder { .. })),
            ("none/a.png", |e| matches!(e, FileError::MissingFolder { .. })),
            ("file/a.png", |e| matches!(e, FileError::NotAFolder { .. })),
            ("locked.png", |e| matches!(e, FileError::ReadOnly { .. })),
        ];
        for (name, expected) in table {
            for result in [can_write_file(&at(name)), write_atomic(&at(name), b"y")] {
                let error = result.unwrap_err();
                assert!(expected(&error), "{name}: {error:?}");
                let message = error.to_string();
                assert!(message.contains(name) && message.lines().count() == 1, "{message}");
            }
        }
        assert!(can_write_file(Path::new("")).is_err());
        assert_eq!(names(folder.path()).len(), before);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_to_and_stays_a_device() {
        use std::os::unix::fs::FileTypeExt;
        if raywarp_testing::full_device().is_none() {
            return;
        }
        can_write_file(Path::new("/dev/full")).unwrap();
        let error = write_atomic(Path::new("/dev/full"), b"x").unwrap_err();
        assert!(matches!(error, FileError::DiskFull { .. }), "{error:?}");
        write_atomic(Path::new("/dev/null"), b"x").unwrap();
        for device in ["/dev/full", "/dev/null"] {
            assert!(fs::metadata(device).unwrap().file_type().is_char_device());
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_permissions_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("real.png"), b"old").unwrap();
        fs::set_permissions(at("real.png"), fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real.png", at("link.png")).unwrap();
        write_atomic(&at("link.png"), b"new").unwrap();
        assert!(fs::symlink_metadata(at("link.png")).unwrap().is_symlink());
        assert_eq!(fs::read(at("real.png")).unwrap(), b"new");
        assert_eq!(fs::metadata(at("real.png")).unwrap().permissions().mode() & 0o777, 0o640);
        // A new file is as readable as one that is made the usual way.
        File::create(at("usual")).unwrap();
        write_atomic(&at("ours"), b"").unwrap();
        let mode = |name| fs::metadata(at(name)).unwrap().permissions().mode();
        assert_eq!(mode("ours"), mode("usual"));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_file_that_is_not_there_yet_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::os::unix::fs::symlink("later.png", at("link.png")).unwrap();
        std::os::unix::fs::symlink("none/later.png", at("broken.png")).unwrap();
        can_write_file(&at("link.png")).unwrap();
        write_atomic(&at("link.png"), b"new").unwrap();
        assert_eq!(fs::read(at("later.png")).unwrap(), b"new");
        assert!(fs::symlink_metadata(at("link.png")).unwrap().is_symlink());
        assert!(matches!(write_atomic(&at("broken.png"), b"new"), Err(FileError::MissingFolder { .. })));
    }

    #[test]
    fn a_file_that_must_stay_is_kept_from_all_but_its_own_writer() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("theirs.png"), b"theirs").unwrap();
        let write = |path: &Path, bytes: &'static [u8]| {
            write_with(path, true, |file| file.write_all(bytes).map_err(|error| FileError::from_io(path, error)))
        };
        for result in [can_write_with(&at("theirs.png"), true), write(&at("theirs.png"), b"ours")] {
            assert!(matches!(result, Err(FileError::Exists { .. })), "{result:?}");
        }
        assert_eq!(fs::read(at("theirs.png")).unwrap(), b"theirs");
        for bytes in [&b"ours"[..], b"ours again"] {
            can_write_with(&at("ours.png"), true).unwrap();
            write(&at("ours.png"), bytes).unwrap();
            assert_eq!(fs::read(at("ours.png")).unwrap(), bytes);
        }
    }

    #[test]
    fn a_file_that_appears_while_ours_is_written_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        let result = write_with(&path, true, |file| {
            fs::write(&path, b"theirs").and_then(|()| file.write_all(b"ours")).unwrap();
            Ok::<(), FileError>(())
        });
        assert!(matches!(result, Err(FileError::Exists { .. })), "{result:?}");
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
        assert_eq!(names(folder.path()), ["a.png"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_without_permission_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
        // Some users may write everywhere.
        let may = File::create(folder.path().join("probe")).is_ok();
        let path = folder.path().join("a.png");
        for result in [can_write_file(&path), write_atomic(&path, b"x")] {
            if may {
                result.unwrap();
                continue;
            }
            assert!(matches!(result, Err(FileError::PermissionDenied { .. })), "{result:?}");
        }
    }
}
