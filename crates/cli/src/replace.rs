//! Rule for replacing files: an output replaces an existing file only if it is one of its kind, judged by its first
//! bytes.
//!
//! `bench --record .` in somebody's project must not take its README.md, nor a mistyped `--csv scene.obj` the scene.
//! The same for pictures is in [`raywarp::render::output::can_write`].

use crate::common::is_standard_stream;
use crate::exit::CliError;
use raywarp::system::can_write_file;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Kind of output file: its name with an article, and the bytes with which such files begin, in any case.
pub struct Kind<'a> {
    pub name: &'a str,
    pub starts: &'a [&'a [u8]],
}

/// NumPy array (`.npy`) as an output file.
pub const NPY: Kind = Kind { name: "a NumPy array", starts: &[b"\x93NUMPY"] };
/// Hits in CSV text as an output file.
pub const HITS_CSV: Kind = Kind { name: "a table of hits", starts: &[b"t,u,v,", b"blocked\n"] };
/// Numbers of a paper's table, or cells of a statement, in CSV text as an output file.
pub const PAPER_CSV: Kind = Kind { name: "a table of a paper", starts: &[b"scene,subject,rays,", b"of,theirs,ours,"] };
/// SVG picture of a report as an output file.
pub const SVG: Kind = Kind { name: "an SVG picture", starts: &[b"<svg", b"<?xml"] };
/// HTML page of a report as an output file.
pub const HTML: Kind = Kind { name: "an HTML page", starts: &[b"<!doctype html", b"<html"] };
/// Manual page for `man` as an output file, written by this program or by others.
pub const MANUAL: Kind = Kind { name: "a manual page", starts: &[b".ie \\n(.g .ds Aq", b".TH ", b".\\\"", b"'\\\""] };

/// Number of bytes at the beginning of a file that tell its kind.
const HEAD_BYTES: u64 = 64;

/// Refuses `-` as the name of a file or folder to write: standard output has what the command prints.
pub fn can_name(path: &Path) -> Result<(), CliError> {
    if is_standard_stream(path) {
        return Err(CliError::usage("-: this goes into a file, not to standard output; ./- is a file of that name"));
    }
    Ok(())
}

/// Checks that `path` can be written: that there is no file yet, an empty one, or one of this kind.
pub fn can_write(path: &Path, kind: &Kind) -> Result<(), CliError> {
    can_name(path)?;
    can_write_file(path)?;
    // Opening a pipe would wait for somebody at its other end.
    if !path.is_file() {
        return Ok(());
    }
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    read.map_err(|error| CliError::output(format!("{}: exists and cannot be read ({error})", path.display())))?;
    let is_of_kind =
        kind.starts.iter().any(|start| head.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)));
    if head.is_empty() || is_of_kind {
        return Ok(());
    }
    Err(CliError::output(format!(
        "{}: exists and is not {}; name another output, or remove it first",
        path.display(),
        kind.name
    )))
}

/// Checks that a table can be written as [`can_write`] does; `header` is its first line, to which later versions may
/// have added columns.
pub fn can_write_table(path: &Path, header: &str) -> Result<(), CliError> {
    let first = header.split_inclusive(',').take(2).collect::<String>();
    can_write(path, &Kind { name: "a table of this kind", starts: &[first.as_bytes()] })
}
