//! Choices of earlier runs, in a file: a line of words between tabs for each kind of rays.

use super::{BatchKind, Choice, Pick, Promise};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Conditions under which a cached choice of kernels holds: GPU, driver, kernels and promise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    /// Name of the GPU.
    pub device: String,
    /// Compute capability of the GPU.
    pub capability: (i32, i32),
    /// Version of the GPU's driver.
    pub driver: String,
    /// Hash of the compiled kernels that were timed.
    pub kernels: u64,
    /// Promise of exactness that the chosen kernels keep.
    pub promise: Promise,
}

/// First line by which a cache file is recognised as Raywarp's.
const HEAD: &str = "raywarp kernels 1";
/// Size in bytes above which a file is not taken for a cache of choices: an entry takes some 500 bytes.
const MOST_BYTES: u64 = 1 << 18;

/// Returns the path of the file in which choices of kernels are kept: `raywarp/kernels.tsv` in the user's cache folder,
/// if the system has one (`XDG_CACHE_HOME`, else `.cache` in `HOME`; on Windows `LOCALAPPDATA`).
pub fn cache_file() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let folder = if cfg!(windows) {
        cache_folder(None, None, folder("LOCALAPPDATA"))
    } else {
        cache_folder(folder("XDG_CACHE_HOME"), folder("HOME"), None)
    };
    Some(folder?.join("raywarp").join("kernels.tsv"))
}

/// Returns the system's folder for the user's caches; `None` if there is none. A folder that is not absolute is to be
/// ignored (XDG Base Directory Specification 0.8).
pub(super) fn cache_folder(xdg: Option<PathBuf>, home: Option<PathBuf>, local: Option<PathBuf>) -> Option<PathBuf> {
    [local, xdg, home.map(|home| home.join(".cache"))].into_iter().flatten().find(|folder| folder.is_absolute())
}

/// Warning about the file in which choices of kernels are kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CacheWarning {
    /// The file is not one that was written here, or is damaged.
    #[error("{}: {fault}; it is ignored and written anew", file.display())]
    Ignored {
        /// Path of the file.
        file: PathBuf,
        /// What is wrong with it.
        fault: CacheFault,
    },
    /// The file cannot be written.
    #[error("{}: cannot be written ({error}); kernels are timed again next time", file.display())]
    NotWritten {
        /// Path of the file.
        file: PathBuf,
        /// Text of the operating system's error.
        error: String,
    },
}

/// Fault of a file of chosen kernels; lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum CacheFault {
    /// The operating system refuses to read the file, or it is no text.
    #[error("{error}")]
    Unreadable { error: String },
    #[error("it is no file")]
    NoFile,
    #[error("it is too long")]
    TooLong,
    #[error("it does not begin with \"{HEAD}\"")]
    Head,
    #[error("line {line}: not a choice of kernels")]
    NoChoice { line: usize },
    #[error("line {line}: the same choice again")]
    Again { line: usize },
    #[error("{device}: a kind of rays is missing")]
    Missing { device: String },
}

impl From<std::io::Error> for CacheFault {
    fn from(error: std::io::Error) -> Self {
        Self::Unreadable { error: error.to_string() }
    }
}

/// Returns the cached choices in a file; none if there is no file.
///
/// # Errors
/// Why the file is not to be trusted.
pub(super) fn read(file: &Path) -> Result<Vec<(Key, Choice)>, CacheFault> {
    match std::fs::metadata(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
        Ok(facts) if !facts.is_file() => return Err(CacheFault::NoFile),
        Ok(facts) if facts.len() > MOST_BYTES => return Err(CacheFault::TooLong),
        Ok(_) => {}
    }
    parse(&std::fs::read_to_string(file)?)
}

/// Parses the text of a cache file of chosen kernels.
///
/// # Errors
/// What is wrong where.
pub(super) fn parse(text: &str) -> Result<Vec<(Key, Choice)>, CacheFault> {
    let mut lines = text.lines().enumerate();
    if lines.next().map(|(_, line)| line) != Some(HEAD) {
        return Err(CacheFault::Head);
    }
    let mut entries: Vec<(Key, [Option<Pick>; 3])> = Vec::new();
    for (number, line) in lines {
        let (key, kind, pick) = parse_line(line).ok_or(CacheFault::NoChoice { line: number + 1 })?;
        let index = match entries.iter().position(|(known, _)| *known == key) {
            Some(index) => index,
            None => {
                entries.push((key, [None; 3]));
                entries.len() - 1
            }
        };
        if entries[index].1[kind as usize].replace(pick).is_some() {
            return Err(CacheFault::Again { line: number + 1 });
        }
    }
    let whole = |(key, picks): (Key, [Option<Pick>; 3])| match picks {
        [Some(a), Some(b), Some(c)] => Ok((key, Choice { picks: [a, b, c] })),
        _ => Err(CacheFault::Missing { device: key.device }),
    };
    entries.into_iter().map(whole).collect()
}

fn parse_line(line: &str) -> Option<(Key, BatchKind, Pick)> {
    let words: Vec<&str> = line.split('\t').collect();
    let [device, capability, driver, kernels, promise, kind, variant, mega_rays] = words[..] else { return None };
    let (major, minor) = capability.split_once('.')?;
    let key = Key {
        device: device.to_string(),
        capability: (major.parse().ok()?, minor.parse().ok()?),
        driver: driver.to_string(),
        kernels: u64::from_str_radix(kernels, 16).ok()?,
        promise: [Promise::Bits, Promise::Fast].into_iter().find(|known| known.name() == promise)?,
    };
    let kind = BatchKind::ALL.into_iter().find(|known| known.name() == kind)?;
    let mega_rays: f64 = mega_rays.parse().ok()?;
    let valid = mega_rays > 0.0 && mega_rays.is_finite();
    valid.then_some((key, kind, Pick { variant: variant.parse().ok()?, mega_rays }))
}

pub(super) fn text(entries: &[(Key, Choice)]) -> String {
    let mut text = format!("{HEAD}\n");
    // A name is one word here.
    let word = |text: &str| text.replace(|c: char| c.is_control(), " ");
    for (key, choice) in entries {
        for kind in BatchKind::ALL {
            let Pick { variant, mega_rays } = choice.of(kind);
            let (major, minor) = key.capability;
            let _ = writeln!(
                text,
                "{}\t{major}.{minor}\t{}\t{:016x}\t{}\t{}\t{variant}\t{mega_rays}",
                word(&key.device),
                word(&key.driver),
                key.kernels,
                key.promise.name(),
                kind.name(),
            );
        }
    }
    text
}

/// Writes the cache file and puts it in place of the old one at once, so that nobody reads half of one.
pub(super) fn write(file: &Path, entries: &[(Key, Choice)]) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(text(entries).as_bytes())?;
    new.persist(file).map_err(|error| error.error)?;
    Ok(())
}
