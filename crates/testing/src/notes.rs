//! The file of skipped tests: a line a skip, appended by many processes and threads at once.

use crate::Reason;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Name of the environment variable that holds the path of the file of skipped tests, in place of the usual one
/// ([`notes_file`]).
pub const NOTES: &str = "RAYWARP_SKIPPED_TESTS";

/// Record of one skipped test: a line in the file of skipped tests.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// Kind of requirement that was missing.
    pub reason: Reason,
    /// Package and test binary of the test.
    pub binary: String,
    /// Name of the test, or the source position of the skip if the thread has no name.
    pub test: String,
    /// Explanation in the test's own words.
    pub why: String,
}

impl Note {
    /// Appends the record as one line to `file`. Lines of others stay whole: the file is opened for appending and
    /// written to once.
    pub fn append(&self, file: &Path) -> io::Result<()> {
        // A reason may have several lines.
        let plain = |text: &str| text.replace(['\t', '\n', '\r'], " ");
        let fields = [self.reason.name(), &plain(&self.binary), &plain(&self.test), &plain(&self.why)];
        let line = fields.join("\t") + "\n";
        OpenOptions::new().create(true).append(true).open(file)?.write_all(line.as_bytes())
    }

    /// Parses one line of the file of skipped tests.
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split('\t');
        let reason = Reason::named(fields.next()?)?;
        let mut next = || fields.next().map(str::to_string);
        Some(Self { reason, binary: next()?, test: next()?, why: next()? })
    }
}

/// Reads the records in `file`, sorted, at most one for each test. None if there is no such file.
pub fn read_notes(file: &Path) -> io::Result<Vec<Note>> {
    let text = match std::fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text?,
    };
    let parsed: Option<Vec<Note>> = text.lines().map(Note::parse).collect();
    let mut notes = parsed.ok_or_else(|| io::Error::other("a line is not a note of a skipped test"))?;
    notes.sort();
    // The first reason of a test is the one it counts for.
    let mut seen = std::collections::BTreeSet::new();
    notes.retain(|note| seen.insert((note.binary.clone(), note.test.clone())));
    Ok(notes)
}

/// Returns the path of the file in which [`skip`](crate::skip) records skipped tests. It is the one that [`NOTES`]
/// names, else `skipped-tests.tsv` in the target folder that this program was built in, else in the folder for
/// temporary files.
pub fn notes_file() -> PathBuf {
    if let Some(file) = std::env::var_os(NOTES) {
        return file.into();
    }
    let program = std::env::current_exe().unwrap_or_default();
    // Cargo marks its target folders as caches.
    let target = program.ancestors().find(|folder| folder.join("CACHEDIR.TAG").exists());
    target.map_or_else(std::env::temp_dir, Path::to_path_buf).join("skipped-tests.tsv")
}

/// Returns the names of the package under test and of this test binary, without the hash that cargo appends.
pub fn this_binary() -> String {
    let package = std::env::var("CARGO_PKG_NAME").map_or_else(|_| String::new(), |name| name + "/");
    let program = std::env::current_exe().unwrap_or_default();
    let stem = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    match stem.rsplit_once('-') {
        Some((name, hash)) if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => package + name,
        _ => package + &stem,
    }
}
