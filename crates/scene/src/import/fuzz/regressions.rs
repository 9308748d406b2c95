//! Every file of `fuzz/regressions/` and `fuzz/seeds/` through the entry that fuzzing uses: none may panic or hang.

use std::path::{Path, PathBuf};

/// A target's name and the code it feeds.
type Target = (&'static str, fn(&[u8]));
const TARGETS: [Target; 8] = [
    ("gltf", super::gltf),
    ("obj", super::obj),
    ("ply", super::ply),
    ("pbrt", super::pbrt),
    ("stl", super::stl),
    ("off", super::off),
    ("3mf", super::threemf),
    ("image", super::image),
];

/// The files of a target in a folder of `fuzz/`, by name.
fn files(kind: &str, target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(kind).join(target);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// What once broke an importer, and where fuzzing begins.
fn all_files(target: &str) -> Vec<PathBuf> {
    [files("regressions", target), files("seeds", target)].concat()
}

fn check(file: &Path, entry: fn(&[u8]), bytes: &[u8]) {
    let ended = std::panic::catch_unwind(|| entry(bytes));
    assert!(ended.is_ok(), "{} panics with {} bytes", file.display(), bytes.len());
}

#[test]
fn no_file_that_once_broke_an_importer_does_so_again() {
    for (target, entry) in TARGETS {
        for file in all_files(target) {
            check(&file, entry, &std::fs::read(&file).unwrap());
        }
    }
}

#[test]
fn no_file_breaks_the_importer_of_another_kind() {
    for (target, _) in TARGETS {
        for file in files("regressions", target) {
            let bytes = std::fs::read(&file).unwrap();
            for (_, entry) in TARGETS {
                check(&file, entry, &bytes);
            }
        }
    }
}

#[test]
fn a_file_that_is_cut_off_anywhere_breaks_nothing() {
    for (target, entry) in TARGETS {
        for file in all_files(target) {
            let bytes = std::fs::read(&file).unwrap();
            let step = bytes.len() / 64 + 1;
            (0..bytes.len()).step_by(step).for_each(|length| check(&file, entry, &bytes[..length]));
        }
    }
}
