//! The files of the project, without what builds and runs leave behind.

use std::path::{Path, PathBuf};

/// Names of folders that have none of the project's own files.
const LEFT_OUT: &[&str] = &["target", ".git", "out", "venv", "__pycache__"];

/// Returns the files below `folder` whose names end in one of `ends` (such as `.rs`), sorted, as paths from `root`.
///
/// # Panics
/// If a folder cannot be read.
pub fn ending(root: &Path, folder: &str, ends: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = vec![root.join(folder)];
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for entry in entries.map(|entry| entry.expect("an entry of a folder")) {
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type().expect("the kind of a file");
            if kind.is_dir() {
                if !LEFT_OUT.contains(&&*name) {
                    open.push(entry.path());
                }
            } else if kind.is_file() && ends.iter().any(|end| name.ends_with(end)) {
                let path = entry.path();
                let inside = path.strip_prefix(root).expect("a path below the root");
                found.push(inside.to_string_lossy().trim_start_matches("./").replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}
