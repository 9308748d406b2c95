//! Machines side by side, as Markdown: what docs/reference/machines.md shows.

use super::{Checked, Given, Machine, keys};
use std::fmt::Write as _;

/// Returns a Markdown table with a row for each number and a column for each machine. Estimates are in italics, a
/// number whose document was not read has a question mark; what no source has is a dash.
pub fn number_table(machines: &[Machine]) -> String {
    let mut text = String::from("| number | unit |");
    for machine in machines {
        let _ = write!(text, " {} |", machine.name());
    }
    let _ = write!(text, "\n|---|---|{}\n", "---:|".repeat(machines.len()));
    let _ = write!(text, "| compute capability | |");
    for (major, minor) in machines.iter().map(Machine::capability) {
        let _ = write!(text, " {major}.{minor} |");
    }
    text.push('\n');
    for key in keys::ALL.iter().filter(|key| machines.iter().any(|machine| machine.get(key).is_some())) {
        let _ = write!(text, "| `{}` | {} |", key.path, key.unit);
        for machine in machines {
            match machine.given(key) {
                Some(given) => {
                    let doubt = if given.checked == Checked::Unread { "?" } else { "" };
                    let slant = if given.estimate { "*" } else { "" };
                    let _ = write!(text, " {slant}{}{slant}{doubt} |", given.value);
                }
                None => text.push_str(" - |"),
            }
        }
        text.push('\n');
    }
    text
}

/// Returns a Markdown list of each machine's source documents: whether each was read, the numbers that are from it, and
/// their notes.
pub fn source_list(machines: &[Machine]) -> String {
    let mut text = String::new();
    for machine in machines {
        let _ = write!(text, "\n### {}\n\n", machine.name());
        let same = |a: &Given, b: &Given| a.source == b.source && a.checked == b.checked;
        let mut documents: Vec<&Given> = Vec::new();
        for (_, given) in machine.numbers() {
            if !documents.iter().any(|listed| same(listed, given)) {
                documents.push(given);
            }
        }
        for document in documents {
            let of: Vec<String> = machine
                .numbers()
                .filter(|(_, given)| same(given, document))
                .map(|(key, given)| {
                    let estimate = if given.estimate { ", an estimate" } else { "" };
                    let note = given.note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
                    format!("`{}`{estimate}{note}", key.path)
                })
                .collect();
            let read = match &document.checked {
                Checked::Read | Checked::Set => String::new(),
                Checked::Quoted(text) => format!(" [as quoted in {text}]"),
                Checked::Unread => " [not read]".into(),
            };
            let _ = writeln!(text, "{}", wrapped(&format!("- {}{read}: {}.", document.source, of.join("; "))));
        }
    }
    text
}

/// Wraps an item of a list in lines of at most 120 columns, as the documentation has them.
fn wrapped(item: &str) -> String {
    const COLUMNS: usize = 120;
    let mut text = String::new();
    let mut column = 0;
    for word in item.split_whitespace() {
        let width = word.chars().count();
        let separator = match column {
            0 => "",
            _ if column + 1 + width <= COLUMNS => " ",
            _ => "\n  ",
        };
        column = if separator.starts_with('\n') { 2 } else { column + separator.len() } + width;
        text += separator;
        text += word;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the documentation shows what `cargo run --release -p raywarp-sim --example machines` prints.
    #[test]
    fn docs_show_the_numbers_and_sources_of_the_files() {
        let page = include_str!("../../../../docs/reference/machines.md");
        let machines = Machine::builtin();
        for part in [number_table(&machines), source_list(&machines)] {
            for line in part.lines() {
                assert!(page.lines().any(|shown| shown == line), "docs/reference/machines.md lacks: {line}");
            }
            assert!(page.contains(&part), "docs/reference/machines.md has other lines or another order");
        }
    }
}
