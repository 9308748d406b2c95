//! The README, followed line by line as a newcomer would: every command in it, and its lines of Python.

use crate::common_pages::{Clone, Page, repository};
use raywarp_testing::{Reason, skip};
use std::fs;

fn readme() -> Page {
    Page::read("README.md")
}

fn commands() -> Vec<String> {
    readme().commands(|info| info == "sh")
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
        ["test", "--release", "-p", package, "--test", "tests", "--", ..] => {
            for test in arguments.split_whitespace().skip(7) {
                let file = format!("crates/{}/tests/{test}.rs", package.trim_start_matches("raywarp-"));
                assert!(repository().join(&file).exists(), "there is no {file}");
            }
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
    let blocks: Vec<String> =
        readme().blocks().into_iter().filter(|block| block.info == "python").map(|block| block.text).collect();
    assert_eq!(blocks.len(), 1);
    let lines = blocks[0].lines().filter(|line| !line.trim().is_empty()).count();
    assert!(lines <= 10, "the README promises ten lines, and has {lines}");
    fs::remove_file(clone.path().join("rays.npy")).unwrap();
    let output = clone.run("python3", &["-c", &blocks[0]]);
    let [out, message] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(output.status.success(), "{message}");
    // What the README says that it prints stands in the comment of its last line.
    let promised = blocks[0].trim_end().rsplit_once("# ").unwrap().1;
    assert_eq!(out.lines().last(), Some(promised), "{message}");
}
