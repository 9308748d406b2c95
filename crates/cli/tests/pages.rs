//! Commands on the pages of `docs/`: those that need nothing are run, of the others every option has to be there.
//!
//! A fence says which they are: `sh` runs, in a folder with the examples; `sh gpu`, `sh scenes` and `sh long` need a GPU,
//! scenes that are not in the repository, or minutes; `text` is output, or what nobody has to type.

#![cfg(unix)]

mod common_pages;

use common_pages::{Page, pages, repository};
use std::collections::HashMap;
use std::fs;
use std::process::{Command, Output};

/// A folder as a clone has it after `cargo install`: the examples, and `raywarp` on PATH.
struct Clone(tempfile::TempDir);

impl Clone {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let link = |target: &str, name: &str| {
            std::os::unix::fs::symlink(repository().join(target), folder.path().join(name)).unwrap();
        };
        fs::create_dir(folder.path().join("bin")).unwrap();
        link(env!("CARGO_BIN_EXE_raywarp"), "bin/raywarp");
        for name in ["bench", "machines"] {
            link(name, name);
        }
        fs::create_dir(folder.path().join("examples")).unwrap();
        for entry in fs::read_dir(repository().join("examples")).unwrap() {
            let entry = entry.unwrap();
            if entry.path().is_file() {
                fs::copy(entry.path(), folder.path().join("examples").join(entry.file_name())).unwrap();
            }
        }
        fs::write(folder.path().join("rays.npy"), rays()).unwrap();
        Self(folder)
    }

    fn run(&self, line: &str) -> Output {
        let path = format!("{}:{}", self.0.path().join("bin").display(), std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(self.0.path()).env("PATH", path).env("HOME", self.0.path());
        command.env_remove("RAYWARP_SCENES").output().unwrap()
    }
}

/// Two rays in NumPy's format, as the pages' lines of Python write such: float64, (2, 6).
fn rays() -> Vec<u8> {
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 6), }";
    let header = format!("{header:<117}\n");
    let values = [0.0f64, 2.0, 9.0, 0.0, 0.0, -1.0, 0.5, 2.0, 9.0, 0.0, 0.0, -1.0].map(f64::to_le_bytes).concat();
    [&b"\x93NUMPY\x01\x00\x76\x00"[..], header.as_bytes(), &values].concat()
}

/// The commands of the blocks of a page that `wanted` takes by their fence, without comments.
fn commands(page: &Page, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let blocks = page.blocks();
    let text: String = blocks.iter().filter(|block| wanted(&block.info)).map(|block| &*block.text).collect();
    let bare = |line: &str| line.split(" #").next().unwrap_or_default().trim().to_string();
    let lines = text.replace("\\\n", " ");
    lines.lines().map(bare).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

fn run_pages_of(folder: &str, at_least: usize) {
    let mut ran = 0;
    for page in pages(folder) {
        let clone = Clone::new();
        for line in commands(&page, |info| info == "sh") {
            let output = clone.run(&line);
            let message = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {line}: {:?}\n{message}", page.name, output.status);
            ran += 1;
        }
    }
    assert!(ran >= at_least, "{folder} has only {ran} commands that can be run");
}

#[test]
fn the_guides_commands_run() {
    run_pages_of("docs/guide", 20);
}

#[test]
fn commands_on_the_pages_of_papers_run() {
    run_pages_of("docs/papers", 6);
}

#[test]
fn commands_of_the_reference_and_the_internals_run() {
    run_pages_of("docs/reference", 3);
    run_pages_of("docs/internals", 3);
}

/// The long options of a command.
fn options_of(command: &str) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_raywarp")).args([command, "--help"]).output().unwrap();
    assert!(output.status.success(), "there is no command {command}");
    let help = String::from_utf8_lossy(&output.stdout).into_owned();
    let name = |word: &str| {
        let end = word.find(|c: char| c != '-' && !c.is_ascii_alphanumeric()).unwrap_or(word.len());
        word[..end].to_string()
    };
    help.split_whitespace().filter(|word| word.starts_with("--")).map(name).collect()
}

#[test]
fn commands_that_need_more_than_a_clone_name_options_that_there_are() {
    let mut known: HashMap<String, Vec<String>> = HashMap::new();
    let mut checked = 0;
    for page in pages("docs") {
        let marked = |info: &str| info.starts_with("sh ");
        for line in commands(&page, marked) {
            let Some((_, line)) = line.split_once("raywarp ").filter(|(before, _)| !before.contains("cargo")) else {
                continue;
            };
            let command = line.split_whitespace().next().unwrap();
            let options = known.entry(command.into()).or_insert_with(|| options_of(command));
            for word in line.split_whitespace().filter(|word| word.starts_with("--")) {
                let option = word.split('=').next().unwrap();
                assert!(options.iter().any(|known| known == option), "{}: {command} has no {option}", page.name);
                checked += 1;
            }
        }
    }
    assert!(checked > 20, "only {checked} options were looked at");
}
