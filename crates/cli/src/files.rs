//! Files that a run reads and writes: an output never destroys an input.
//!
//! Every command names its outputs to [`Files::writes`] and its inputs to [`Files::reads`], in any order, before it
//! works:
//! ```text
//! common.files.writes(&args.output)?; // first, so that nothing is loaded in vain
//! common.files.reads(&args.rays)?;
//! let (loaded, ..) = common.load(&args.scene, ..)?; // names the scene and every file that it reads by itself
//! ```
//! Whichever call finds that a file is both refuses it, with exit status 2. A file is known by what it is (device and
//! inode), not by its name: `./x` is `x`, and so are hard links, symbolic links and names in another case where the
//! file system takes them for one. Two outputs that are one file are refused as well. Devices and pipes are never
//! refused.

use crate::exit::CliError;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Guard over the files that a run reads and writes, so that no output destroys an input.
#[derive(Debug, Default)]
pub struct Files(Mutex<Known>);

/// Files that the run reads and writes, with the names by which they were given.
#[derive(Debug, Default)]
struct Known {
    reads: HashMap<FileId, PathBuf>,
    writes: HashMap<FileId, PathBuf>,
}

impl Files {
    /// Records a file that the run reads; an error if the run also writes it. `-` is standard input.
    ///
    /// # Errors
    /// [`FileConflict::ReadAndWritten`] if it is an output.
    pub fn reads(&self, path: &Path) -> Result<(), FileConflict> {
        let (path, name) = match path.as_os_str() == "-" {
            // A file that a shell redirects is one as well.
            true => (Path::new("/dev/stdin"), Path::new("standard input")),
            false => (path, path),
        };
        let Some(id) = FileId::of_existing(path) else { return Ok(()) };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(output) = known.writes.get(&id) {
            return Err(FileConflict::ReadAndWritten { output: output.clone(), input: name.into() });
        }
        known.reads.entry(id).or_insert_with(|| name.to_path_buf());
        Ok(())
    }

    /// Records a file that the run writes; an error if the run also reads it or writes it twice. `-` is standard
    /// output.
    ///
    /// # Errors
    /// [`FileConflict`] if it is an input or another output.
    pub fn writes(&self, path: &Path) -> Result<(), FileConflict> {
        let Some(id) = FileId::of_output(path) else { return Ok(()) };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(input) = known.reads.get(&id) {
            return Err(FileConflict::ReadAndWritten { output: path.into(), input: input.clone() });
        }
        match known.writes.entry(id) {
            Entry::Occupied(other) => {
                Err(FileConflict::WrittenTwice { output: path.into(), other: other.get().clone() })
            }
            Entry::Vacant(place) => {
                place.insert(path.to_path_buf());
                Ok(())
            }
        }
    }
}

/// Use of a file that would destroy what the run reads or writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileConflict {
    /// An output is a file that the run reads.
    ReadAndWritten {
        /// Name of the output.
        output: PathBuf,
        /// Name of the input.
        input: PathBuf,
    },
    /// Two outputs are one file.
    WrittenTwice {
        /// Name of the output.
        output: PathBuf,
        /// Name of the other output.
        other: PathBuf,
    },
}

impl fmt::Display for FileConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |words: &str, output: &Path, other: &Path| {
            if other == output { String::new() } else { format!("{words} {}", other.display()) }
        };
        match self {
            Self::ReadAndWritten { output, input } => {
                let name = named(" as", output, input);
                write!(f, "{}: this run reads it{name}; name another output", output.display())
            }
            Self::WrittenTwice { output, other } => {
                let also = named(", also as", output, other);
                write!(f, "{}: this run writes it twice{also}; name two files, or one once", output.display())
            }
        }
    }
}

impl From<FileConflict> for CliError {
    fn from(conflict: FileConflict) -> Self {
        Self::usage(conflict)
    }
}

/// Identity of a file, equal for all of its names and links.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum FileId {
    /// An existing file, by its device and inode.
    #[cfg(unix)]
    Existing(u64, u64),
    /// An existing file, by its full name in lower case, so that hard links count as different files.
    #[cfg(not(unix))]
    Existing(String),
    /// A file that does not exist yet, by its folder and its name.
    New(Box<FileId>, PathBuf),
}

/// Largest number of symbolic links followed in a chain.
const MOST_LINKS: u32 = 40;

impl FileId {
    /// Returns the identity of an existing regular file; `None` if there is none, or it is something else.
    fn of_existing(path: &Path) -> Option<Self> {
        std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).and_then(|facts| Self::of(path, &facts))
    }

    /// Returns the identity of an output file, existing or new; `None` for devices and pipes, and where no file can be.
    fn of_output(path: &Path) -> Option<Self> {
        if path.as_os_str() == "-" {
            return None;
        }
        let mut path = path.to_path_buf();
        for _ in 0..MOST_LINKS {
            if std::fs::metadata(&path).is_ok() {
                return Self::of_existing(&path);
            }
            let folder = path.parent()?;
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            // A link whose file is not there yet: the file will be made.
            let Ok(there) = std::fs::read_link(&path) else {
                let folder_id = Self::of(folder, &std::fs::metadata(folder).ok()?)?;
                return Some(Self::New(Box::new(folder_id), in_one_case(Path::new(path.file_name()?))));
            };
            path = folder.join(there);
        }
        None
    }

    #[cfg(unix)]
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere there may be none")]
    fn of(_: &Path, facts: &std::fs::Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Self::Existing(facts.dev(), facts.ino()))
    }

    #[cfg(not(unix))]
    fn of(path: &Path, _: &std::fs::Metadata) -> Option<Self> {
        Some(Self::Existing(path.canonicalize().ok()?.to_string_lossy().to_lowercase()))
    }
}

/// Folds the case of a new file's name if this system's usual file system ignores case.
fn in_one_case(name: &Path) -> PathBuf {
    if cfg!(any(windows, target_os = "macos")) { name.to_string_lossy().to_lowercase().into() } else { name.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_testing::Folder;
    use std::fs;

    /// Returns a folder with a folder `sub`.
    fn folder() -> Folder {
        let folder = Folder::new();
        fs::create_dir(folder.at("sub")).unwrap();
        folder
    }

    /// Checks that reading `input` and writing `output` in one run is refused, or is not, in either order.
    #[track_caller]
    fn check(input: &Path, output: &Path, refused: bool) {
        let first = Files::default();
        let result = first.reads(input).and_then(|()| first.writes(output));
        let second = Files::default();
        let other = second.writes(output).and_then(|()| second.reads(input));
        for result in [result, other] {
            assert_eq!(result.is_err(), refused, "{} and {}", input.display(), output.display());
            if let Err(conflict) = result {
                let (output, input) = (output.to_path_buf(), input.to_path_buf());
                assert_eq!(conflict, FileConflict::ReadAndWritten { output, input });
                assert_eq!(CliError::from(conflict).status(), crate::exit::Status::Usage);
            }
        }
    }

    #[test]
    fn a_file_is_known_by_what_it_is() {
        let folder = folder();
        fs::write(folder.at("a"), "x").unwrap();
        fs::write(folder.at("b"), "x").unwrap();
        check(&folder.at("a"), &folder.at("a"), true);
        check(&folder.at("a"), &folder.at("sub/../a"), true);
        check(&folder.at("a"), &folder.at("b"), false);
        check(&folder.at("a"), &folder.at("new"), false);
        check(&folder.at("not there"), &folder.at("not there"), false);
        #[cfg(unix)]
        {
            fs::hard_link(folder.at("a"), folder.at("hard")).unwrap();
            std::os::unix::fs::symlink("a", folder.at("soft")).unwrap();
            std::os::unix::fs::symlink(".", folder.at("here")).unwrap();
            for other in ["hard", "soft", "here/a", "here/here/hard"] {
                check(&folder.at("a"), &folder.at(other), true);
                check(&folder.at(other), &folder.at("a"), true);
            }
        }
    }

    #[test]
    fn one_output_is_named_once() {
        let folder = folder();
        let files = Files::default();
        files.writes(&folder.at("a.png")).unwrap();
        files.writes(&folder.at("b.png")).unwrap();
        for (name, other) in [("sub/../a.png", "a.png"), ("b.png", "b.png")] {
            let (output, other) = (folder.at(name), folder.at(other));
            assert_eq!(files.writes(&output), Err(FileConflict::WrittenTwice { output, other }));
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("a.png", folder.at("link.png")).unwrap();
            std::os::unix::fs::symlink("loop.png", folder.at("loop.png")).unwrap();
            assert!(files.writes(&folder.at("link.png")).is_err());
            assert!(files.writes(&folder.at("loop.png")).is_ok(), "whoever writes it says what is wrong");
        }
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_never_refused() {
        let null = Path::new("/dev/null");
        check(null, null, false);
        let files = Files::default();
        for _ in 0..2 {
            files.writes(null).unwrap();
            files.writes(Path::new("-")).unwrap();
            files.reads(null).unwrap();
        }
    }
}
