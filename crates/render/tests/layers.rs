//! Which part of the renderer may know of which.

use std::path::{Path, PathBuf};

/// The Rust files below a folder of this crate's sources.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found
}

/// The lines of a file that are no comment and no test.
fn code(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_string();
    text.lines().map(str::trim).filter(|line| !line.starts_with("//")).map(str::to_string).collect()
}

#[test]
fn what_shades_reads_the_flat_scene_and_no_other() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for folder in ["stage", "vertex", "bsdf", "light", "surface", "texture"] {
        let files = files(&sources.join(folder));
        assert!(files.len() >= 3, "{folder} has moved");
        for file in files.iter().filter(|file| !file.components().any(|c| c.as_os_str() == "tests")) {
            for line in code(file) {
                // Texels are the importer's own, shared: their format is all that is read.
                assert!(!line.contains("raywarp_scene"), "{}: {line}", file.display());
            }
        }
    }
}

#[test]
fn functions_of_one_path_fit_a_screen() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for folder in ["stage", "vertex", "bsdf", "light", "surface", "texture"] {
        for file in files(&sources.join(folder)) {
            let (mut start, mut name) = (None, String::new());
            for (number, line) in std::fs::read_to_string(&file).unwrap().lines().enumerate() {
                let indent = line.len() - line.trim_start().len();
                let is_function = ["fn ", "pub fn ", "pub(crate) fn ", "pub(super) fn ", "pub(in "]
                    .iter()
                    .any(|begin| line.trim_start().starts_with(begin));
                if is_function && line.trim_end().ends_with(['{', '(']) {
                    (start, name) = (Some((number, indent)), line.trim().to_string());
                }
                if let Some((first, at)) = start
                    && indent == at
                    && line.trim() == "}"
                {
                    let lines = number + 1 - first;
                    assert!(lines <= 60, "{}: {name} has {lines} lines", file.display());
                    start = None;
                }
            }
        }
    }
}
