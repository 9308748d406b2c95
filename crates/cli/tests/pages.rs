//! Commands on the pages of `docs/`: those that need nothing are run, of the others every option has to be there.
//!
//! A fence says which they are: `sh` runs, in a folder with the examples; `sh gpu`, `sh scenes` and `sh long` need a GPU,
//! scenes that are not in the repository, or minutes; `text` is output, or what nobody has to type.

use crate::common_pages::{Clone, Page, pages};
use std::collections::HashMap;
use std::process::Command;

fn run_pages_of(folder: &str, at_least: usize) {
    let mut ran = 0;
    for page in pages(folder) {
        let clone = Clone::new();
        for line in page.commands(|info| info == "sh") {
            let output = clone.run("sh", &["-c", &line]);
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
    run_pages_of("docs/reference", 2);
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
        for line in page.commands(marked) {
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

/// Returns a line without the name of the link that it defines, such as `[3]: https://...`, if it does.
fn unnamed(line: &str) -> &str {
    let line = line.trim();
    match line.split_once("]: ") {
        Some((name, address)) if name.starts_with('[') => address,
        _ => line,
    }
}

#[test]
fn lines_of_prose_have_at_most_120_columns() {
    let mut long = Vec::new();
    let root = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(Page::read);
    for page in pages("docs").iter().chain(&root) {
        // Rows of tables, headings and pictures cannot be wrapped; nor can a word, such as a long address, also where a
        // link's name stands before it.
        let prose = page.prose().filter(|(_, line)| !line.trim_start().starts_with(['|', '#', '!']));
        let over = prose.filter(|(_, line)| line.chars().count() > 120 && unnamed(line).contains(' '));
        long.extend(over.map(|(number, _)| format!("{}:{number}", page.name)));
    }
    assert!(long.is_empty(), "lines above 120 columns: {}", long.join(", "));
}
