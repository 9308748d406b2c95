//! Temporary files: how they are named, and who removes them when their maker cannot.
//!
//! A file is written under the name `.raywarp-HOST-XXXXXX.tmp` beside its place. Its maker holds a lock on it until it
//! has its final name, and the system drops the locks of a process however that ends. So a temporary file that can be
//! locked belongs to a run that died (`kill -9`, a power cut), and the next run that writes into the folder removes it.
//!
//! HOST stands for the running system, since some network file systems keep locks within one machine only: a file of
//! another machine must have been left alone for [`QUIET`] as well.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

const PREFIX: &str = ".raywarp-";
const SUFFIX: &str = ".tmp";
/// Number of random letters and digits in the name of a temporary file.
const RANDOM: usize = 6;
/// Time after which a temporary file of another machine that nobody writes to counts as abandoned, since writing takes
/// seconds.
const QUIET: Duration = Duration::from_secs(600);

/// Number of attempts to create a temporary file; another run's clean-up can take a new file in the moment before it is
/// locked.
const MOST_TRIES: u32 = 100;

/// Paths of the temporary files of this process that exist right now.
static TEMPORARIES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn temporaries() -> MutexGuard<'static, Vec<PathBuf>> {
    TEMPORARIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes this process's unfinished temporary files, for a program about to exit; the returned guard blocks new ones
/// while it lives.
pub fn remove_temporaries() -> impl Sized {
    let files = temporaries();
    for file in files.iter() {
        // It may just have got its final name.
        let _ = fs::remove_file(file);
    }
    files
}

/// Temporary file for an output, which [`remove_temporaries`] knows while it exists.
pub(super) struct Temporary {
    /// Open file to write to, locked against the clean-up of other runs.
    pub file: File,
    /// Path that is deleted when dropped; `None` once the file has its final name.
    name: Option<tempfile::TempPath>,
    first_name: PathBuf,
}

impl Temporary {
    /// Creates a temporary file in `folder`, which is removed when dropped. The first one in a folder removes those of
    /// dead runs.
    pub fn new(folder: &Path) -> io::Result<Self> {
        sweep_once(folder);
        for _ in 0..MOST_TRIES {
            let made = Self::try_new(folder)?;
            if made.is_ours() {
                return Ok(made);
            }
        }
        Err(io::ErrorKind::ResourceBusy.into())
    }

    fn try_new(folder: &Path) -> io::Result<Self> {
        let prefix = format!("{PREFIX}{}-", host());
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(SUFFIX).rand_bytes(RANDOM);
        // Otherwise the file would be readable by its owner only, as temporary files are; the umask still applies.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut known = temporaries();
        let (file, name) = builder.tempfile_in(folder)?.into_parts();
        known.push(name.to_path_buf());
        Ok(Self { file, first_name: name.to_path_buf(), name: Some(name) })
    }

    /// Locks the file and returns `true` if it is still there. False if a sweep of another run took it before it was
    /// locked.
    fn is_ours(&self) -> bool {
        match self.file.try_lock() {
            Ok(()) => fs::symlink_metadata(&self.first_name).is_ok(),
            Err(TryLockError::WouldBlock) => false,
            // A file system without locks: nobody else can lock it either.
            Err(TryLockError::Error(_)) => true,
        }
    }

    /// Renames the temporary file to its final name `file`. With `keep` a file of that name stays, which is an error of
    /// kind `AlreadyExists`.
    pub fn persist(mut self, file: &Path, keep: bool) -> io::Result<()> {
        let Some(name) = self.name.take() else { return Ok(()) };
        let done = if keep { name.persist_noclobber(file) } else { name.persist(file) };
        done.map_err(|error| error.error)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        temporaries().retain(|other| *other != self.first_name);
    }
}

/// Returns an id of the running system: eight hexadecimal digits, the same in every process until a reboot, or zeros if
/// unknown.
fn host() -> &'static str {
    static HOST: OnceLock<String> = OnceLock::new();
    HOST.get_or_init(|| {
        // Containers on one kernel share it, and locks hold between them.
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let hash = boot.trim().bytes().fold(0, |hash: u32, byte| {
            (hash.rotate_left(5) ^ u32::from(byte)).wrapping_mul(0x9E37_79B1) // a multiplier that mixes bits
        });
        format!("{hash:08x}")
    })
}

/// Returns `true` if the id `of`, from the name of a temporary file, is that of the running system.
fn is_local(of: &str) -> bool {
    of == host() && of != "00000000"
}

/// Returns the system's id in the file name of a temporary file; `None` for any other file.
fn host_in(name: &OsStr) -> Option<&str> {
    let (host, random) = name.to_str()?.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.split_once('-')?;
    let hexadecimal = host.len() == 8 && host.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let ours = hexadecimal && random.len() == RANDOM && random.bytes().all(|b| b.is_ascii_alphanumeric());
    ours.then_some(host)
}

/// Removes abandoned temporary files from a folder, the first time that this process writes into it.
fn sweep_once(folder: &Path) {
    static SWEPT: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);
    let Ok(whole) = folder.canonicalize() else { return };
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if swept.get_or_insert_default().insert(whole) {
        sweep(folder);
    }
}

/// Removes the temporary files that ended runs have left in a folder. Nobody asked for it: what fails is left alone.
fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if let Some(host) = host_in(&entry.file_name()) {
            let _ = remove_dead(&entry.path(), is_local(host));
        }
    }
}

/// Removes a temporary file if the process that made it has ended.
fn remove_dead(path: &Path, is_local: bool) -> Option<()> {
    let facts = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    let age = || SystemTime::now().duration_since(facts.modified().ok()?).ok();
    if !is_local && age()? < QUIET {
        return None;
    }
    let file = OpenOptions::new().write(true).open(path).ok()?;
    // Held while the name goes, so that a maker who has not locked it yet sees that it is gone.
    file.try_lock().ok()?;
    fs::remove_file(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn only_the_files_of_dead_runs_are_swept() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let living = Temporary::new(folder.path()).unwrap();
        let living_name = living.first_name.file_name().unwrap().to_str().unwrap().to_string();
        let here = host();
        let dead = format!(".raywarp-{here}-dead01.tmp");
        let others = [
            ".raywarp-notes.tmp".to_string(),
            format!(".raywarp-{here}-toolong.tmp"),
            format!("raywarp-{here}-dead01.tmp"),
            ".raywarp-NOTAHOST-dead01.tmp".to_string(),
            // Of another machine, just written.
            ".raywarp-ffffffff-dead01.tmp".to_string(),
        ];
        for name in others.iter().chain([&dead]) {
            fs::write(at(name), "half").unwrap();
        }
        let old = File::options().write(true).open(at(&dead)).unwrap();
        old.set_modified(SystemTime::now() - 2 * QUIET).unwrap();
        drop(old);
        sweep(folder.path());
        let mut expected = others.to_vec();
        expected.push(living_name);
        expected.sort();
        assert_eq!(names(folder.path()), expected);
        drop(living);
        sweep(folder.path());
        assert_eq!(names(folder.path()).len(), others.len(), "the living one was removed by its owner");
    }

    #[test]
    fn a_file_of_another_machine_is_swept_once_it_is_old() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".raywarp-ffffffff-dead01.tmp");
        let file = File::create(&path).unwrap();
        file.set_modified(SystemTime::now() - 2 * QUIET).unwrap();
        // Not while its maker holds it, wherever that is.
        file.lock().unwrap();
        sweep(folder.path());
        assert!(path.exists());
        drop(file);
        sweep(folder.path());
        assert!(!path.exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_with_such_a_name_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("mine.txt"), "mine").unwrap();
        let link = folder.path().join(format!(".raywarp-{}-dead01.tmp", host()));
        std::os::unix::fs::symlink("mine.txt", &link).unwrap();
        sweep(folder.path());
        assert!(fs::symlink_metadata(link).is_ok() && folder.path().join("mine.txt").exists());
    }

    #[test]
    fn a_file_that_a_sweep_took_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let made = Temporary::try_new(folder.path()).unwrap();
        let sweeper = OpenOptions::new().write(true).open(&made.first_name).unwrap();
        sweeper.try_lock().unwrap();
        assert!(!made.is_ours(), "locked by a sweep");
        fs::remove_file(&made.first_name).unwrap();
        drop(sweeper);
        assert!(!made.is_ours(), "removed by a sweep");
    }

    #[test]
    fn temporary_files_are_known_until_they_are_gone() {
        let folder = tempfile::tempdir().unwrap();
        // Only ours: other tests write at the same time.
        let known = || temporaries().iter().filter(|name| name.starts_with(folder.path())).count();
        let file = Temporary::new(folder.path()).unwrap();
        assert_eq!((known(), names(folder.path()).len()), (1, 1));
        drop(file);
        assert_eq!((known(), names(folder.path()).len()), (0, 0));
    }
}
