//! The README, followed line by line as a newcomer would: every command in it, and its lines of Python.

#![cfg(unix)]

use raywarp_testing::{Reason, skip};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The fenced blocks of README.md in `language`, in order.
fn blocks(language: &str) -> Vec<String> {
    let text = fs::read_to_string(repository().join("README.md")).unwrap();
    let mut blocks: Vec<String> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(_) if inside => inside = false,
            Some(info) if info == language => {
                inside = true;
                blocks.push(String::new());
            }
            _ if inside => {
                if let Some(block) = blocks.last_mut() {
                    *block += line;
                    block.push('\n');
                }
            }
            _ => {}
        }
    }
    blocks
}

/// The commands of the shell blocks without their comments; a backslash at the end goes on in the next line.
fn commands() -> Vec<String> {
    let text = blocks("sh").concat().replace("\\\n", " ");
    let bare = |line: &str| line.split(" #").next().unwrap_or_default().trim().to_string();
    text.lines().map(bare).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

/// One ray in NumPy's format: float64, (1, 6).
fn rays() -> Vec<u8> {
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 6), }";
    let header = format!("{header:<117}\n");
    let values = [0.0f64, 2.0, 9.0, 0.0, 0.0, -1.0].map(f64::to_le_bytes).concat();
    [&b"\x93NUMPY\x01\x00\x76\x00"[..], header.as_bytes(), &values].concat()
}

/// A folder as a clone has it after `cargo install`: the examples, and `raywarp` on PATH.
struct Clone {
    folder: tempfile::TempDir,
}

impl Clone {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let examples = folder.path().join("examples");
        fs::create_dir(&examples).unwrap();
        for entry in fs::read_dir(repository().join("examples")).unwrap() {
            let entry = entry.unwrap();
            if entry.path().is_file() {
                fs::copy(entry.path(), examples.join(entry.file_name())).unwrap();
            }
        }
        // What the lines of Python leave for the commands behind them.
        fs::write(folder.path().join("rays.npy"), rays()).unwrap();
        fs::create_dir(folder.path().join("bin")).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_raywarp"), folder.path().join("bin/raywarp")).unwrap();
        Self { folder }
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", self.folder.path().join("bin").display());
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.folder.path()).env("PATH", path).env_remove("RAYWARP_SCENES");
        command.output().unwrap_or_else(|error| panic!("{program}: {error}"))
    }
}

/// Whether a command asks for a GPU.
fn wants_gpu(line: &str) -> bool {
    line.contains("--device cuda")
}

#[test]
fn every_command_of_the_readme_does_what_it_says() {
    let clone = Clone::new();
    let mut ran = 0;
    for line in commands().into_iter().filter(|line| !wants_gpu(line)) {
        let line = match line.strip_prefix("cargo ") {
            None => line,
            Some(arguments) => match arguments.split_once(" -- ") {
                Some(("run --release", raywarp)) => format!("raywarp {raywarp}"),
                // This very run, or one that compiles everything anew.
                _ => {
                    check_cargo(arguments);
                    continue;
                }
            },
        };
        let output = clone.run("sh", &["-c", &line]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {:?}\n{message}", output.status);
        ran += 1;
    }
    assert!(ran > 10, "the README has only {ran} commands");
}

#[test]
fn the_readmes_commands_for_gpus_do_what_they_say() {
    let clone = Clone::new();
    for line in commands().into_iter().filter(|line| wants_gpu(line)) {
        let output = clone.run("sh", &["-c", &line]);
        let message = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => {}
            Some(4) => skip(Reason::Gpu, &line),
            status => panic!("{line}: {status:?}\n{message}"),
        }
    }
}

/// `cargo install` and `cargo test` name what is there.
fn check_cargo(arguments: &str) {
    match arguments.split_whitespace().collect::<Vec<_>>()[..] {
        ["install", "--path", path] => {
            let manifest = fs::read_to_string(repository().join(path).join("Cargo.toml")).unwrap();
            assert!(manifest.contains("name = \"raywarp\""), "{path} has no binary of that name");
        }
        ["tests"] => {
            let aliases = fs::read_to_string(repository().join(".cargo/config.toml")).unwrap();
            assert!(aliases.contains("\ntests = "), "cargo has no alias `tests`");
        }
        ["test", "--release", "-p", package, "--test", test] => {
            let file = format!("crates/{}/tests/{test}.rs", package.trim_start_matches("raywarp-"));
            assert!(repository().join(&file).exists(), "there is no {file}");
        }
        ["xtask", word] => {
            let main = fs::read_to_string(repository().join("xtask/src/main.rs")).unwrap();
            assert!(main.contains(&format!("\"{word}\"")), "xtask knows no {word}");
        }
        _ => panic!("nobody checks `cargo {arguments}`"),
    }
}

#[test]
fn the_readmes_lines_of_python_get_hits_from_numpy() {
    let clone = Clone::new();
    if !raywarp_testing::python_has("numpy") {
        return;
    }
    let blocks = blocks("python");
    assert_eq!(blocks.len(), 1);
    let lines = blocks[0].lines().filter(|line| !line.trim().is_empty()).count();
    assert!(lines <= 10, "the README promises ten lines, and has {lines}");
    fs::remove_file(clone.folder.path().join("rays.npy")).unwrap();
    let output = clone.run("python3", &["-c", &blocks[0]]);
    let [out, message] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(output.status.success(), "{message}");
    // What the README says that it prints stands in the comment of its last line.
    let promised = blocks[0].trim_end().rsplit_once("# ").unwrap().1;
    assert_eq!(out.lines().last(), Some(promised), "{message}");
}
