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

/// Returns the cached choices in a file; none if there is no file.
///
/// # Errors
/// Why the file is not to be trusted, in some words.
pub(super) fn read(file: &Path) -> Result<Vec<(Key, Choice)>, String> {
    match std::fs::metadata(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error.to_string()),
        Ok(facts) if !facts.is_file() => return Err("it is no file".to_string()),
        Ok(facts) if facts.len() > MOST_BYTES => return Err("it is too long".to_string()),
        Ok(_) => {}
    }
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    parse(&text)
}

/// Parses the text of a cache file of chosen kernels.
///
/// # Errors
/// What is wrong where.
pub(super) fn parse(text: &str) -> Result<Vec<(Key, Choice)>, String> {
    let mut lines = text.lines().enumerate();
    if lines.next().map(|(_, line)| line) != Some(HEAD) {
        return Err(format!("it does not begin with \"{HEAD}\""));
    }
    let mut entries: Vec<(Key, [Option<Pick>; 3])> = Vec::new();
    for (number, line) in lines {
        let wrong = || format!("line {}: not a choice of kernels", number + 1);
        let (key, kind, pick) = parse_line(line).ok_or_else(wrong)?;
        let index = match entries.iter().position(|(known, _)| *known == key) {
            Some(index) => index,
            None => {
                entries.push((key, [None; 3]));
                entries.len() - 1
            }
        };
        if entries[index].1[kind as usize].replace(pick).is_some() {
            return Err(format!("line {}: the same choice again", number + 1));
        }
    }
    let whole = |(key, picks): (Key, [Option<Pick>; 3])| match picks {
        [Some(a), Some(b), Some(c)] => Ok((key, Choice { picks: [a, b, c] })),
        _ => Err(format!("{}: a kind of rays is missing", key.device)),
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
