//! Three rules of prose that can be counted. First lines of doc comments do not open with a relative clause and have
//! more than two words; no line of prose is wider than 120 columns.
//!
//! What is counted of Rust files: doc comments (`///`, `//!`) of everything, public or not, outside of tests and of
//! generated files; for widths, plain comments too. Of documents (`.md`): widths, but for tables, code and links.

mod comments;
mod openings;
mod widths;

pub(crate) use comments::{doc_text, without_tests};

use crate::files;
use std::collections::BTreeMap;
use std::path::Path;

/// A line that breaks a rule of prose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Path of the file, from the workspace's root.
    pub file: String,
    /// Number of the line in the file.
    pub line: usize,
    /// Text of the line, trimmed.
    pub text: String,
}

/// Lines that break rules of prose, in one crate or in the documents outside of crates.
#[derive(Debug, Default)]
pub struct Prose {
    /// Number of doc comments, each of which has a first line.
    pub first_lines: usize,
    /// First lines that open with a relative clause.
    pub relative: Vec<Finding>,
    /// First lines of two words or fewer.
    pub short: Vec<Finding>,
    /// Lines of prose wider than 120 columns.
    pub wide: Vec<Finding>,
}

/// Checks the prose of the workspace at `root`, and returns the findings by crate folder, with `documents` for
/// documents outside of crates.
pub fn by_crate(root: &Path) -> BTreeMap<String, Prose> {
    let mut all: BTreeMap<String, Prose> = BTreeMap::new();
    for file in files::ending(root, ".", &[".rs", ".md"]) {
        let text =
            String::from_utf8_lossy(&std::fs::read(root.join(&file)).expect("a file that was listed")).into_owned();
        let is_rust = file.ends_with(".rs");
        // Raw records of runs, and generated files.
        if file.starts_with("bench/runs/") || text.starts_with("// Generated") || (is_rust && is_test(&file)) {
            continue;
        }
        let prose = all.entry(crate_of(&file)).or_default();
        let finding = |line: usize, text: &str| Finding { file: file.clone(), line, text: text.trim().to_string() };
        if is_rust {
            let text = comments::without_tests(&text);
            for first in comments::first_lines(text) {
                prose.first_lines += 1;
                if openings::is_relative(&first.text) {
                    prose.relative.push(finding(first.line, &first.text));
                }
                if openings::words(&first.text) <= 2 {
                    prose.short.push(finding(first.line, &first.text));
                }
            }
            prose.wide.extend(widths::wide_comments(text).into_iter().map(|(line, text)| finding(line, text)));
        } else {
            prose.wide.extend(widths::wide_lines(&text).into_iter().map(|(line, text)| finding(line, text)));
        }
    }
    all
}

/// Returns `true` if a Rust file is a test or belongs to one.
pub(crate) fn is_test(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    name == "tests.rs" || name.ends_with("_tests.rs") || file.split('/').any(|folder| folder == "tests")
}

/// Returns the folder of the crate that a file belongs to.
fn crate_of(file: &str) -> String {
    match file.split('/').collect::<Vec<_>>()[..] {
        ["crates", name, _, ..] => name.to_string(),
        ["xtask", part @ ("checks" | "pictures"), _, ..] => format!("xtask-{part}"),
        ["xtask", _, ..] => "xtask".to_string(),
        ["examples", name, _, ..] if file.ends_with(".rs") => name.to_string(),
        ["fuzz", ..] => "fuzz".to_string(),
        _ => "documents".to_string(),
    }
}

/// Prints the counts of findings by crate, and with `--list` each line that breaks a rule (of one crate, if it is
/// named).
///
/// # Errors
/// Text for wrong usage.
pub fn run(root: &Path, options: &[String]) -> Result<bool, String> {
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let (list, only) = match options[..] {
        [] => (false, None),
        ["--list"] => (true, None),
        ["--list", name] => (true, Some(name)),
        _ => return Err("usage: cargo xtask prose [--list [CRATE]]: a crate by its folder, or documents".to_string()),
    };
    let all = by_crate(root);
    if only.is_some_and(|only| !all.contains_key(only)) {
        return Err(format!("no such crate: one of {}", all.keys().cloned().collect::<Vec<_>>().join(", ")));
    }
    println!("{:16} {:>11} {:>8} {:>6} {:>6} {:>6}", "crate", "first lines", "relative", "", "short", "wide");
    for (name, prose) in &all {
        if only.is_none_or(|only| only == name) {
            println!("{}", row(name, prose));
        }
    }
    println!("{}", row("all", &total(&all)));
    for (name, prose) in all.iter().filter(|_| list) {
        if only.is_some_and(|only| only != name) {
            continue;
        }
        for (what, findings) in [("relative", &prose.relative), ("short", &prose.short), ("wide", &prose.wide)] {
            for finding in findings {
                println!("{}:{}: {what}: {}", finding.file, finding.line, finding.text);
            }
        }
    }
    Ok(true)
}

fn row(name: &str, prose: &Prose) -> String {
    let share = 100.0 * prose.relative.len() as f64 / prose.first_lines.max(1) as f64;
    let (relative, short, wide) = (prose.relative.len(), prose.short.len(), prose.wide.len());
    format!("{name:16} {:>11} {relative:>8} {share:>5.1}% {short:>6} {wide:>6}", prose.first_lines)
}

/// Returns the findings of all crates together.
pub fn total(all: &BTreeMap<String, Prose>) -> Prose {
    let mut sum = Prose::default();
    for prose in all.values() {
        sum.first_lines += prose.first_lines;
        sum.relative.extend(prose.relative.iter().cloned());
        sum.short.extend(prose.short.iter().cloned());
        sum.wide.extend(prose.wide.iter().cloned());
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planted_lines_are_found_and_tests_are_not_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let wide = "word ".repeat(26);
        let tests = "#[cfg(test)]\nmod tests {\n    /// That.\n}\n";
        let source =
            format!("//! What traces.\n\n/// That.\npub struct A;\n/// Traces rays.\n/// {wide}\nfn f() {{}}\n{tests}");
        write("crates/bvh/src/lib.rs", &source);
        write("crates/bvh/src/lib_tests.rs", "//! What tests.\n");
        write(
            "README.md",
            &format!("{wide}\n| {wide} |\n```\n{wide}\n```\n[{}](https://x/{})\n", "a", "y".repeat(130)),
        );
        let all = by_crate(folder.path());
        let bvh = &all["bvh"];
        assert_eq!(bvh.first_lines, 3);
        assert_eq!(bvh.relative.iter().map(|finding| finding.line).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(bvh.short.iter().map(|finding| finding.line).collect::<Vec<_>>(), [1, 3, 5]);
        assert_eq!(bvh.wide.iter().map(|finding| finding.line).collect::<Vec<_>>(), [6]);
        assert_eq!(all["documents"].wide.iter().map(|finding| finding.line).collect::<Vec<_>>(), [1]);
    }
}
