//! Lines of pages with numbers that no block makes: every page has a row in a table that says how many there are at
//! most, what they are, and what else guards them. Another table counts marks of old kernels, with their reasons.

use super::block::blocks;
use super::table::of_markdown;
use super::{findings, marks};
use crate::files;
use std::collections::BTreeMap;
use std::path::Path;

/// The page that has the tables.
const LIST: &str = "docs/internals/numbers.md";
/// Words behind a number that was measured or counted.
const UNITS: &[&str] = &[
    "%", "clocks", "GB", "GB/s", "hours", "MB", "minutes", "Mrays/s", "ms", "ns", "point", "points", "ps", "s",
    "seconds", "times", "us", "W",
];

/// Returns what is wrong: pages that are not in the table or no longer there, those with more lines by hand than it
/// allows, with the numbers of these lines, and marks that are not as many as the other table has.
pub fn faults(root: &Path) -> Vec<String> {
    let read = |page: &str| std::fs::read_to_string(root.join(page)).unwrap_or_default();
    let list = read(LIST);
    let (listed, reasons) = (listed(&list, "page"), listed(&list, "kernels of"));
    let pages = pages(root);
    let mut faults = Vec::new();
    let mut marks = BTreeMap::new();
    for page in &pages {
        let text = read(page);
        marks::days(&text).for_each(|day| *marks.entry(day.to_string()).or_default() += 1);
        let lines = if page.ends_with(".toml") { findings::lines_by_hand(&text) } else { lines_by_hand(&text) };
        match listed.get(page) {
            None => faults.push(format!("{page}: no row of {LIST} says how its numbers are guarded")),
            Some(&most) if lines.len() > most => faults.push(format!(
                "{page}: {} lines have numbers by hand where {LIST} allows {most}; let a block make them \
                 (docs/README.md), or say there why not. Lines {lines:?}",
                lines.len()
            )),
            Some(_) => {}
        }
    }
    let is_gone = |page: &&String| !pages.contains(page);
    faults.extend(listed.keys().filter(is_gone).map(|page| format!("{LIST}: there is no page {page}")));
    if marks != reasons {
        faults.push(format!("{LIST}: it has reasons of the marks {reasons:?}, pages have {marks:?}"));
    }
    faults
}

/// Returns the pages whose numbers are to be today's, and the statements of papers: not the dated pages of the notebook
/// and of recorded runs, and not the table's own.
fn pages(root: &Path) -> Vec<String> {
    let of = |folder: &str| files::ending(root, folder, &[".md", ".toml"]);
    let of = |folder: &str| if root.join(folder).is_dir() { of(folder) } else { Vec::new() };
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let at_root = names.filter(|name| name.ends_with(".md"));
    let is_statements = |page: &str| page.starts_with(findings::FOLDER);
    let is_other = |page: &str| {
        let is_dated = page.starts_with("docs/notebook/") || page.starts_with("bench/runs/2");
        is_dated || page == LIST || page.ends_with(".toml") && !is_statements(page)
    };
    ["docs", "bench", findings::FOLDER].into_iter().flat_map(of).chain(at_root).filter(|page| !is_other(page)).collect()
}

/// Returns the first column of the table that it heads, with the number in the second.
fn listed(list: &str, head: &str) -> BTreeMap<String, usize> {
    let tables = of_markdown(list);
    let rows = tables.iter().filter(|table| table.heads[0] == head).flat_map(|table| &table.rows);
    rows.filter_map(|row| Some((row.first()?.clone(), row.get(1)?.parse().ok()?))).collect()
}

/// Returns the numbers of the lines with numbers that stand in no block and in no fence.
fn lines_by_hand(page: &str) -> Vec<usize> {
    // Blocks that cannot be read are told of elsewhere.
    let made: Vec<_> = blocks(page).unwrap_or_default().into_iter().map(|block| block.line..=block.end_line).collect();
    let mut is_fence = false;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(page.lines()) {
        let is_edge = line.trim_start().starts_with("```");
        is_fence ^= is_edge;
        if !is_fence && !is_edge && has_number(line) && !made.iter().any(|block| block.contains(&number)) {
            lines.push(number);
        }
    }
    lines
}

/// Returns `true` for a number with a unit, or a cell of a table, but for its first column, that is numbers alone.
fn has_number(line: &str) -> bool {
    let is_number = |word: &str| {
        let digits = word.trim_start_matches(['+', '-', '~', '*']);
        digits.starts_with(|c: char| c.is_ascii_digit())
            && !digits.contains(|c: char| !matches!(c, '0'..='9' | '.' | ','))
    };
    let plain = |word: &str| word.trim_matches(['*', ',', '.']).to_string();
    let split = |c: char| c.is_whitespace() || matches!(c, '|' | '(' | ')' | ';' | ':');
    let words: Vec<String> = line.split(split).filter(|word| !word.is_empty()).map(plain).collect();
    let has_unit = words.windows(2).any(|pair| is_number(&pair[0]) && UNITS.contains(&pair[1].as_str()))
        || words.iter().any(|word| word.strip_suffix('%').is_some_and(is_number));
    let is_cell = |cell: &str| {
        let cell = cell.trim().trim_start_matches(['+', '-', '~', '*']);
        cell.starts_with(|c: char| c.is_ascii_digit()) && !cell.contains(|c: char| c.is_alphabetic())
    };
    has_unit || line.starts_with('|') && line.split('|').skip(2).any(is_cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_says_how_its_numbers_are_guarded() {
        assert_eq!(faults(&crate::root()), Vec::<String>::new());
    }

    #[test]
    fn a_number_has_a_unit_or_a_cell_of_its_own() {
        for line in
            ["it gains 4 % there", "by 12 to 1,300 Mrays/s.", "| a | 1.5 / 2 |", "| a | -3 % |", "(2.1 times)", "4%"]
        {
            assert!(has_number(line), "{line}");
        }
        for line in ["AL09 3.2", "h8 has 8 children", "| 4 | node, 12 lines |", "of 2026", "| a | b |", "5 x 3"] {
            assert!(!has_number(line), "{line}");
        }
    }

    #[test]
    fn a_page_with_a_number_more_than_its_row_allows_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("docs/internals")).unwrap();
        let write = |page: &str, text: &str| std::fs::write(root.join(page), text).unwrap();
        let block = "<!-- made by: raywarp info x\n     text: {a} % -->\n7 %\n<!-- end of what is made -->\n";
        write("docs/a.md", &format!("Gains 4 %.\n\n{block}\n```text\n9 %\n```\n"));
        write("README.md", "No number.\n");
        let list = |a: usize| {
            format!("| page | lines by hand | what |\n|---|---:|---|\n| README.md | 0 | - |\n| docs/a.md | {a} | x |\n")
        };
        write(LIST, &list(1));
        assert_eq!(faults(root), Vec::<String>::new());
        write(LIST, &list(0));
        let found = faults(root);
        assert!(
            found.len() == 1 && found[0].starts_with("docs/a.md: 1 lines") && found[0].ends_with("[1]"),
            "{found:?}"
        );
        write(LIST, &list(1));
        write("README.md", "*(of 1 May 2026's kernels: 1 of 1 has changed since)*\n");
        assert!(faults(root)[0].contains("reasons of the marks {}"), "{:?}", faults(root));
        write(LIST, &format!("{}\n| kernels of | marks | why |\n|---|---:|---|\n| 1 May 2026 | 1 | x |\n", list(1)));
        assert_eq!(faults(root), Vec::<String>::new());
        write(LIST, &list(0));
        write("docs/new.md", "");
        std::fs::remove_file(root.join("README.md")).unwrap();
        let found = faults(root);
        assert!(found.len() == 3 && found[1].starts_with("docs/new.md: no row"), "{found:?}");
        assert!(found[2].ends_with("there is no page README.md"), "{found:?}");
    }
}
