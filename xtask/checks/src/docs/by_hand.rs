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
pub(super) const UNITS: &[&str] = &[
    "%", "clocks", "GB", "GB/s", "hours", "MB", "minutes", "Mrays/s", "ms", "ns", "point", "points", "ps", "s",
    "seconds", "times", "us", "W",
];

/// Whole numbers up to here are words for what something has, unless a unit follows.
pub(super) const SMALL: f64 = 12.0;
/// Words behind the day of a date.
pub(super) const MONTHS: &[&str] = &[
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
/// What numbers are names or versions of.
const NAMES: &[&str] = &[
    "AL09",
    "ALK12",
    "Blender",
    "CUDA",
    "Compute",
    "Embree",
    "G14",
    "GTX",
    "L9",
    "Mitsuba",
    "OptiX",
    "RTX",
    "Titan",
    "Unicode",
    "Vulkan",
    "W11",
    "YKL17",
    "Zen",
    "capability",
    "driver",
    "glTF",
    "lecture",
];
/// Parts of papers and pages.
const PLACES: &[&str] =
    &["appendix", "chapter", "equation", "figure", "issue", "line", "page", "section", "slide", "table", "version"];

/// What there is by hand, and what is wrong with it.
#[derive(Debug, Default, PartialEq)]
pub struct ByHand {
    /// Number of lines with numbers by hand on all pages.
    pub lines: usize,
    /// Number of marks of kernels of another day.
    pub marks: usize,
    /// What is wrong, each with its file.
    pub faults: Vec<String>,
}

/// Counts what pages have by hand. What is wrong are pages that are not in the table or no longer there, those with
/// more lines by hand than it allows, with the numbers of these lines, and marks that are not as many as the other
/// table has.
pub fn counted(root: &Path) -> ByHand {
    let read = |page: &str| std::fs::read_to_string(root.join(page)).unwrap_or_default();
    let list = read(LIST);
    let (listed, reasons) = (listed(&list, "page"), listed(&list, "kernels of"));
    let pages = pages(root);
    let mut faults = Vec::new();
    let (mut marks, mut count) = (BTreeMap::new(), 0);
    for page in &pages {
        let text = read(page);
        marks::days(&text).for_each(|day| *marks.entry(day.to_string()).or_default() += 1);
        let lines = if page.ends_with(".toml") { findings::lines_by_hand(&text) } else { lines_by_hand(&text) };
        count += lines.len();
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
    ByHand { lines: count, marks: marks.values().sum(), faults }
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
    for ((number, line), prose) in (1..).zip(page.lines()).zip(prose(page).lines()) {
        let is_edge = line.trim_start().starts_with("```");
        is_fence ^= is_edge;
        let is_own =
            !is_fence && !is_edge && !marks::is_written(line) && !made.iter().any(|block| block.contains(&number));
        if is_own && (has_unit(line) || is_row_of_numbers(line) || has_number(prose)) {
            lines.push(number);
        }
    }
    lines
}

/// Splits a line into words without the marks around them.
fn words(line: &str) -> Vec<&str> {
    let split = |c: char| c.is_whitespace() || matches!(c, '|' | '(' | ')' | ';' | ':' | '/');
    line.split(split).map(|word| word.trim_matches(['*', ',', '.', '~'])).filter(|word| !word.is_empty()).collect()
}

/// Returns `true` for digits with points and commas, and a sign.
fn is_number(word: &str) -> bool {
    let digits = word.trim_start_matches(['+', '-', '~', '*']);
    digits.starts_with(|c: char| c.is_ascii_digit()) && !digits.contains(|c: char| !matches!(c, '0'..='9' | '.' | ','))
}

/// Returns `true` for a number with a unit.
fn has_unit(line: &str) -> bool {
    let words = words(line);
    words.windows(2).any(|pair| is_number(pair[0]) && UNITS.contains(&pair[1]))
        || words.iter().any(|word| word.strip_suffix('%').is_some_and(is_number))
}

/// Returns `true` for a row of a table with a cell, but for its first one, that is numbers alone.
fn is_row_of_numbers(line: &str) -> bool {
    let is_cell = |cell: &str| {
        let cell = cell.trim().trim_start_matches(['+', '-', '~', '*']);
        cell.starts_with(|c: char| c.is_ascii_digit()) && !cell.contains(|c: char| c.is_alphabetic())
    };
    line.starts_with('|') && line.split('|').skip(2).any(is_cell)
}

/// Returns a page's text with spaces in the place of what only names something: code, addresses of links, comments,
/// words in quotation marks and headings. Lines stay where they are.
pub(super) fn prose(page: &str) -> String {
    let mut plain = String::with_capacity(page.len());
    let mut rest = page;
    while let Some(first) = rest.chars().next() {
        let is_start = plain.is_empty() || plain.ends_with('\n');
        let end = match first {
            '#' if is_start => rest.find('\n').or(Some(rest.len())),
            '<' if rest.starts_with("<!--") => rest.find("-->").map(|at| at + 3),
            '`' if rest.starts_with("```") => rest[3..].find("```").map(|at| at + 6),
            '`' => closed(rest, '`'),
            '"' => closed(rest, '"'),
            'h' if rest.starts_with("http") => rest.find(|c: char| c.is_whitespace() || c == ')'),
            ']' if rest.starts_with("](") => closed(rest, ')'),
            _ => None,
        };
        let (gone, after) = rest.split_at(end.unwrap_or(first.len_utf8()));
        match end {
            Some(_) => plain.extend(gone.chars().map(|c| if c == '\n' { c } else { ' ' })),
            None => plain += gone,
        }
        rest = after;
    }
    plain
}

/// Returns the place behind the next such mark, in the same paragraph.
fn closed(text: &str, mark: char) -> Option<usize> {
    let end = text[1..].find(mark)? + 1;
    (!text[..end].contains("\n\n")).then_some(end + 1)
}

/// Returns `true` for a number that no name, version, section or date has: one with a point, one of several, as in `82
/// of 84`, or a whole one above [`SMALL`], such as how many children a node has.
fn has_number(prose: &str) -> bool {
    // The first cell of a row says what the row is of, such as a section.
    let prose = prose.strip_prefix('|').map_or(prose, |row| row.split_once('|').map_or("", |(_, cells)| cells));
    let words = words(prose);
    let at = |at: usize| words.get(at).copied().unwrap_or_default();
    // What continues a name's number belongs to it: "sections 3 to 6".
    let mut is_name = false;
    for (place, word) in words.iter().enumerate() {
        let plain = word.trim_end_matches(['x', 'K', 'M', 'G']);
        if !is_number(plain) {
            is_name = is_naming(word) || is_name && matches!(*word, "to" | "and" | "or");
            continue;
        }
        let is_item = place == 0 && prose.trim_start().starts_with(&format!("{word}. "));
        let value: f64 = plain.trim_start_matches(['+', '-']).replace(',', "").parse().unwrap_or(0.0);
        let is_year = (1990.0..2100.0).contains(&value) && !plain.contains(['.', ',']);
        let is_date = MONTHS.contains(&at(place + 1)) || is_year;
        let is_version = plain.matches('.').count() > 1;
        let is_one_of = at(place + 1) == "of" && is_number(at(place + 2));
        if !is_name && !is_item && !is_date && !is_version && (plain.contains('.') || value > SMALL || is_one_of) {
            return true;
        }
    }
    false
}

/// Returns `true` for a word whose number is a name, a version or a place in a paper.
pub(super) fn is_naming(word: &str) -> bool {
    let lower = word.to_lowercase();
    NAMES.contains(&word) || PLACES.contains(&lower.trim_end_matches('s')) || MONTHS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_says_how_its_numbers_are_guarded() {
        assert_eq!(counted(&crate::root()).faults, Vec::<String>::new());
    }

    #[test]
    fn a_number_has_a_unit_or_a_cell_of_its_own() {
        for line in
            ["it gains 4 % there", "by 12 to 1,300 Mrays/s.", "| a | 1.5 / 2 |", "| a | -3 % |", "(2.1 times)", "4%"]
        {
            assert_eq!(lines_by_hand(line), [1], "{line}");
        }
        for line in ["AL09 3.2", "h8 has 8 children", "| 4 | node, 12 lines |", "of 2026", "| a | b |", "5 x 3"] {
            assert!(lines_by_hand(line).is_empty(), "{line}");
        }
    }

    #[test]
    fn a_number_without_a_unit_counts_unless_it_is_a_name() {
        for line in [
            "reach 0.64 to 0.88 of the lowest bound",
            "82 of 84 cells",
            "7 of 8",
            "has 6,372 million",
            "some 20 kernels",
            "theirs has 75K triangles",
            "as in section 3 it is 1.5x",
            "2. an item of 40 lines",
        ] {
            assert_eq!(lines_by_hand(line), [1], "{line}");
        }
        for line in [
            "# 14 kernels",
            "section 14, figures 20 and 21",
            "Tables 13 to 16",
            "a GTX 285 and a GTX 680",
            "28 November 2026, driver 580.159.04, CUDA 13.0",
            "the kernel `a?refill=80`, [a page](a.md#14-things) and \"sets of 20\"",
            "14. an item",
            "| 3.2 | its loops |",
            "[13]: https://example.org/issues/411",
            "issue 411, of version 2.17",
            "<!-- 20 of 30 -->",
            "compute capability 7.5 to 12.1",
        ] {
            assert!(lines_by_hand(line).is_empty(), "{line}");
        }
        assert_eq!(lines_by_hand("a `name of\n20 words` and\n\nan odd ` mark\n\nwith 30 words"), [6]);
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
        assert_eq!(counted(root).faults, Vec::<String>::new());
        write(LIST, &list(0));
        let found = counted(root).faults;
        assert!(
            found.len() == 1 && found[0].starts_with("docs/a.md: 1 lines") && found[0].ends_with("[1]"),
            "{found:?}"
        );
        write(LIST, &list(1));
        write("README.md", "*(of 1 May 2026's kernels: 1 of 1 has changed since)*\n");
        assert!(counted(root).faults[0].contains("reasons of the marks {}"), "{:?}", counted(root).faults);
        write(LIST, &format!("{}\n| kernels of | marks | why |\n|---|---:|---|\n| 1 May 2026 | 1 | x |\n", list(1)));
        assert_eq!(counted(root).faults, Vec::<String>::new());
        write(LIST, &list(0));
        write("docs/new.md", "");
        std::fs::remove_file(root.join("README.md")).unwrap();
        let found = counted(root).faults;
        assert!(found.len() == 3 && found[1].starts_with("docs/new.md: no row"), "{found:?}");
        assert!(found[2].ends_with("there is no page README.md"), "{found:?}");
    }
}
