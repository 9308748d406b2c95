//! Digits that are planted in blocks: a check has to find each.

use super::block::{Block, blocks};
use super::filling::made;
use super::source::{Output, Reader};
use super::{as_written, marks, outputs, pages};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Returns `true` if a check finds fault with a block that has this content.
fn is_found(block: &Block, content: &str, outputs: &BTreeMap<String, Output>) -> bool {
    let tolerance = block.spec.check.tolerance;
    let is_off = match made(block, content, outputs) {
        Ok(made) => made.parts.iter().any(|part| !tolerance.agrees(&part.page, &part.today)),
        Err(_) => true,
    };
    is_off || as_written::fault(block, content).is_some()
}

/// Returns a line with another digit in its last number, if it has one that is of no name.
fn with_another(line: &str) -> Option<String> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    let last = line.rsplit(|c: char| !is_of_name(c)).find(is_number)?;
    let at = last.as_ptr().addr() - line.as_ptr().addr();
    let other = if last.starts_with('7') { "8" } else { "7" };
    Some(format!("{}{other}{}", &line[..at], &line[at + 1..]))
}

#[test]
fn a_digit_in_any_line_of_a_block_of_recorded_runs_is_found() {
    let root = crate::root();
    let mut reader = Reader::new(&root, PathBuf::new());
    let (mut missed, mut planted) = (Vec::new(), 0);
    for page in pages(&root).into_iter().filter(|page| page.ends_with(".md")) {
        let text = std::fs::read_to_string(root.join(&page)).unwrap();
        for block in blocks(&text).unwrap() {
            // What a command prints is compared by `xtask docs --check`.
            if block.spec.sources.iter().any(|(_, source)| source.starts_with("raywarp ")) {
                continue;
            }
            let content = marks::without_mark(&text[block.content.clone()]);
            let outputs = outputs(&block, &content, &mut reader, None).unwrap();
            assert!(!is_found(&block, &content, &outputs), "{page}:{}", block.line);
            let lines: Vec<&str> = content.lines().collect();
            // Half of the lines, which are others in each block.
            for (at, line) in lines.iter().enumerate().filter(|(at, _)| (at + block.line).is_multiple_of(2)) {
                let Some(other) = with_another(line) else { continue };
                let wrong = [&lines[..at], &[other.as_str()], &lines[at + 1..]].concat().join("\n") + "\n";
                planted += 1;
                if !is_found(&block, &wrong, &outputs) {
                    missed.push(format!("{page}:{}: {other}", block.content_line + at));
                }
            }
        }
    }
    assert!(missed.is_empty(), "{} of {planted} were missed:\n{}", missed.len(), missed.join("\n"));
    assert!(planted > 150, "{planted}");
}
