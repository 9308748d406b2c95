//! The pages whose numbers are guarded: every page has a row in a table that says how many numbers stand outside of its
//! blocks, what they are, and what guards them. Another table counts marks of old kernels, with their reasons.

use super::table::of_markdown;
use super::{findings, marks};
use crate::files;
use std::collections::BTreeMap;
use std::path::Path;

/// The page that has the tables.
pub(super) const LIST: &str = "docs/internals/numbers.md";

/// Numbers of a page that stand in no block, and those of them that blocks print as well.
pub(super) type Counts = BTreeMap<String, (usize, usize)>;

/// What the tables say of the pages that are there.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Listed {
    /// Number of marks of kernels of another day.
    pub marks: usize,
    /// What is wrong, each with its file.
    pub faults: Vec<String>,
}

/// Compares the tables with the pages. What is wrong are pages that are not in the table or no longer there, and marks
/// that are not as many as the other table has.
pub(super) fn checked(root: &Path) -> Listed {
    let read = |page: &str| std::fs::read_to_string(root.join(page)).unwrap_or_default();
    let list = read(LIST);
    let listed: Vec<String> = rows(&list, "page").into_iter().filter_map(|row| row.into_iter().next()).collect();
    let count = |row: Vec<String>| Some((row.first()?.clone(), row.get(1)?.parse().ok()?));
    let reasons: BTreeMap<String, usize> = rows(&list, "kernels of").into_iter().filter_map(count).collect();
    let pages = pages(root);
    let is_unlisted = |page: &&String| !listed.contains(page);
    let mut faults: Vec<String> = pages
        .iter()
        .filter(is_unlisted)
        .map(|page| format!("{page}: no row of {LIST} says how its numbers are guarded"))
        .collect();
    let is_gone = |page: &&String| !pages.contains(page);
    faults.extend(listed.iter().filter(is_gone).map(|page| format!("{LIST}: there is no page {page}")));
    let mut marks = BTreeMap::new();
    for page in &pages {
        marks::days(&read(page)).for_each(|day| *marks.entry(day.to_string()).or_default() += 1);
    }
    if marks != reasons {
        faults.push(format!("{LIST}: it has reasons of the marks {reasons:?}, pages have {marks:?}"));
    }
    Listed { marks: marks.values().sum(), faults }
}

/// Returns the text of the page with the tables, with these counts in the rows of pages.
pub(super) fn with_counts(list: &str, counts: &Counts) -> String {
    let row = |line: &str| {
        let mut cells: Vec<&str> = line.split('|').collect();
        let page = cells.get(1)?.trim();
        let (numbers, quoted) = counts.get(page)?;
        let (numbers, quoted) = (format!(" {numbers} "), format!(" {quoted} "));
        *cells.get_mut(2)? = &numbers;
        *cells.get_mut(3)? = &quoted;
        Some(cells.join("|"))
    };
    let lines: Vec<String> = list.lines().map(|line| row(line).unwrap_or_else(|| line.to_string())).collect();
    lines.join("\n") + "\n"
}

/// Returns the pages whose numbers are to be today's, and the statements of papers: not the dated pages of the notebook
/// and of recorded runs, and not the table's own.
pub(super) fn pages(root: &Path) -> Vec<String> {
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

/// Returns the rows of the tables whose first column has this head.
fn rows(list: &str, head: &str) -> Vec<Vec<String>> {
    of_markdown(list).into_iter().filter(|table| table.heads[0] == head).flat_map(|table| table.rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_says_how_its_numbers_are_guarded() {
        assert_eq!(checked(&crate::root()).faults, Vec::<String>::new());
    }

    #[test]
    fn a_page_or_a_mark_that_has_no_row_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("docs/internals")).unwrap();
        let write = |page: &str, text: &str| std::fs::write(root.join(page), text).unwrap();
        write("docs/a.md", "Gains 4 %.\n");
        write("README.md", "No number.\n");
        let list = "| page | numbers | quoted | what |\n|---|---:|---:|---|\n| README.md | 0 | 0 | - |\n| docs/a.md | 1 | 0 | x |\n";
        write(LIST, list);
        assert_eq!(checked(root).faults, Vec::<String>::new());
        write("README.md", "*(of 1 May 2026's kernels: 1 of 1 has changed since)*\n");
        assert!(checked(root).faults[0].contains("reasons of the marks {}"), "{:?}", checked(root).faults);
        write(LIST, &format!("{list}\n| kernels of | marks | why |\n|---|---:|---|\n| 1 May 2026 | 1 | x |\n"));
        assert_eq!((checked(root).faults, checked(root).marks), (Vec::new(), 1));
        write(LIST, list);
        write("docs/new.md", "");
        std::fs::remove_file(root.join("README.md")).unwrap();
        let found = checked(root).faults;
        assert!(found.len() == 2 && found[0].starts_with("docs/new.md: no row"), "{found:?}");
        assert!(found[1].ends_with("there is no page README.md"), "{found:?}");
    }

    #[test]
    fn counts_are_written_into_rows_of_pages_alone() {
        let list = "| page | numbers | quoted | what |\n|---|---:|---:|---|\n| a.md | 1 | 0 | 3 of 4 |\n| b.md | 7 | 7 | x |\n\na.md\n";
        let counts = [("a.md".to_string(), (12, 5))].into();
        assert_eq!(with_counts(list, &counts), list.replace("| 1 | 0 |", "| 12 | 5 |"));
    }
}
