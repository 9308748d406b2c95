//! Marks of what was measured on kernels that are no longer today's. The tool writes them, and takes them away.

use super::block::Block;
use super::spec::{Spec, words};
use super::table::{Row, of_markdown};
use std::collections::BTreeSet;
use std::ops::Range;

/// What is known of a kernel's machine code in a recorded run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// It is today's.
    Today,
    /// It has changed since, or there is no such kernel any more.
    Changed,
    /// Nobody knows what it was.
    Unknown,
}

/// What is known of recorded runs.
pub trait Corpus {
    /// Returns what is known of the machine code of a variant, or of a kernel, in a file of a run.
    ///
    /// # Errors
    /// If nothing says of which kernels the run is.
    fn code(&self, file: &str, variant: &str) -> Result<Code, String>;

    /// Returns the kernels of a file of a run; none for one without kernels, such as a CPU's.
    ///
    /// # Errors
    /// If what says it cannot be read.
    fn kernels(&self, file: &str) -> Result<Vec<String>, String>;

    /// Returns the trees and rays of a file of a run that the program makes otherwise today, such as `tree good`.
    ///
    /// # Errors
    /// If what says it cannot be read.
    fn changed_inputs(&self, file: &str) -> Result<Vec<String>, String>;
}

/// How a mark begins.
const MARK: &str = "*(of ";
/// How the line begins that says how many marks a page has.
const COUNT: &str = "*Marks on this page: ";
/// Names of changed kernels that a mark lists at most.
const NAMES: usize = 4;
/// Columns of a mark with names; a wider one leaves them out.
const COLUMNS: usize = 120;

/// Returns the mark that a block's content has.
pub(super) fn mark_of(content: &str) -> Option<&str> {
    content.lines().find(|line| line.starts_with(MARK))
}

/// Returns `true` for a line that the tool writes: a mark, or how many there are.
pub(super) fn is_written(line: &str) -> bool {
    line.starts_with(MARK) || line.starts_with(COUNT)
}

/// Returns the days of a page's marks, such as `23 November 2026`.
pub(super) fn days(page: &str) -> impl Iterator<Item = &str> {
    page.lines().filter_map(|line| Some(line.strip_prefix(MARK)?.split_once("'s kernels")?.0))
}

/// Returns content without its mark.
pub(super) fn without_mark(content: &str) -> String {
    let kept: Vec<&str> = content.lines().filter(|line| !line.starts_with(MARK)).collect();
    kept.join("\n").trim_end().to_string() + "\n"
}

/// Returns content with a mark below it.
pub(super) fn with_mark(content: &str, mark: Option<&str>) -> String {
    match mark {
        Some(mark) => format!("{}\n{mark}\n", without_mark(content)),
        None => without_mark(content),
    }
}

/// Returns the numbers of the lines that are marks and stand in none of these places.
pub(super) fn outside(page: &str, blocks: impl Iterator<Item = Range<usize>>) -> impl Iterator<Item = usize> {
    let blocks: Vec<Range<usize>> = blocks.collect();
    let place = move |line: &str| line.as_ptr().addr() - page.as_ptr().addr();
    let is_stray = move |line: &str| line.starts_with(MARK) && !blocks.iter().any(|block| block.contains(&place(line)));
    page.lines().enumerate().filter(move |(_, line)| is_stray(line)).map(|(number, _)| number + 1)
}

/// Returns files of recorded runs that a block is made from, or by.
pub(super) fn run_files(spec: &Spec) -> BTreeSet<String> {
    let lines = spec.sources.iter().flat_map(|(_, source)| spec.lines(source));
    let words = lines.flat_map(|(line, _)| words(&line));
    words.filter(|word| word.starts_with("bench/runs/")).collect()
}

/// Returns the variants that a file has rates or counters of, and that the block shows: those that it names, else those
/// whose names are in its table, else all.
pub(super) fn variants(block: &Block, content: &str, rows: &[Row]) -> Vec<(String, String)> {
    let cell = |row: &Row, name: &str| row.iter().find(|(own, _)| own == name).map(|(_, cell)| cell.clone());
    let mut all: Vec<(String, String)> = Vec::new();
    for row in rows {
        if let Some(variant) = cell(row, "variant") {
            let name = cell(row, "name").filter(|name| !name.is_empty()).unwrap_or_else(|| variant.clone());
            if !all.iter().any(|(_, own)| *own == variant) {
                all.push((name, variant));
            }
        }
    }
    let spec = &block.spec;
    if all.is_empty() {
        return spec.kernels.iter().map(|kernel| (kernel.clone(), kernel.clone())).collect();
    }
    let table = of_markdown(content).into_iter().next().unwrap_or_default();
    let shown: BTreeSet<String> = match spec.kernels.is_empty() {
        true => table.rows.iter().flatten().flat_map(|cell| named(spec, cell)).collect(),
        false => spec.kernels.iter().cloned().collect(),
    };
    let is_shown = |(name, variant): &&(String, String)| shown.contains(name) || shown.contains(variant);
    let chosen: Vec<(String, String)> = all.iter().filter(is_shown).cloned().collect();
    if chosen.is_empty() { all } else { chosen }
}

fn named(spec: &Spec, cell: &str) -> Vec<String> {
    let named = spec.names.iter().find(|(own, _)| own == cell).map_or(cell, |(_, name)| name);
    named.split(" or ").map(|name| name.trim().to_string()).collect()
}

/// Returns the mark for kernels of a run, each with its name, and for trees and rays of it that are made otherwise
/// today; `None` where all are today's.
pub(super) fn mark(file: &str, codes: &[(String, Code)], inputs: &[String]) -> Option<String> {
    let whole = mark_with(NAMES, file, codes, inputs)?;
    if whole.chars().count() <= COLUMNS { Some(whole) } else { mark_with(0, file, codes, inputs) }
}

/// Does what [`mark`] does, with so many names of kernels at most.
fn mark_with(most: usize, file: &str, codes: &[(String, Code)], inputs: &[String]) -> Option<String> {
    let of = |wanted: Code| {
        let names: BTreeSet<&str> =
            codes.iter().filter(|(_, code)| *code == wanted).map(|(name, _)| name.as_str()).collect();
        names.into_iter().collect::<Vec<_>>()
    };
    let (changed, unknown) = (of(Code::Changed), of(Code::Unknown));
    let listed = |names: &[&str]| if names.len() > most { String::new() } else { format!(" ({})", names.join(", ")) };
    let have = |names: &[&str]| if names.len() == 1 { "has" } else { "have" };
    let all = codes.len();
    let mut parts = Vec::new();
    if !changed.is_empty() {
        parts.push(format!("{} of {all} {} changed since{}", changed.len(), have(&changed), listed(&changed)));
    }
    if !unknown.is_empty() {
        parts.push(format!("of {} of {all} it is not known{}", unknown.len(), listed(&unknown)));
    }
    if !inputs.is_empty() {
        parts.push(format!("made otherwise since: {}", inputs.join(", ")));
    }
    (!parts.is_empty()).then(|| format!("{MARK}{}'s kernels: {})*", day(file), parts.join("; ")))
}

/// Names of the months.
pub(super) const MONTHS: [&str; 12] = [
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

/// Returns the day of a run by its folder's name, `2026-11-23-h200`.
fn day(file: &str) -> String {
    let folder = file.split('/').nth(2).unwrap_or(file);
    let mut parts = folder.split('-').map(str::parse::<usize>);
    match (parts.next(), parts.next(), parts.next()) {
        (Some(Ok(year)), Some(Ok(month @ 1..=12)), Some(Ok(day))) => format!("{day} {} {year}", MONTHS[month - 1]),
        _ => folder.to_string(),
    }
}

/// Returns the page with the line that says how many marks it has; without that line where it has none.
pub(super) fn with_count(page: &str) -> String {
    let marks = page.lines().filter(|line| line.starts_with(MARK)).count();
    let has_count = page.lines().any(|line| line.starts_with(COUNT));
    if marks == 0 && !has_count {
        return page.to_string();
    }
    let kept: Vec<&str> = page.lines().filter(|line| !line.starts_with(COUNT)).collect();
    let page = kept.join("\n").trim_end().to_string() + "\n";
    let tables = if marks == 1 { "1, below what was" } else { &format!("{marks}, each below what was") };
    match marks {
        0 => page,
        _ => format!("{page}\n{COUNT}{tables} measured on kernels that have changed since, or may have.*\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_says_which_kernels_have_changed() {
        let file = "bench/runs/2026-11-23-h200/bench.csv";
        let code = |name: &str, code| (name.to_string(), code);
        assert_eq!(mark(file, &[code("a", Code::Today), code("b", Code::Today)], &[]), None);
        let said = mark(file, &[code("a", Code::Today), code("b", Code::Changed), code("c", Code::Unknown)], &[]);
        let wanted = "*(of 23 November 2026's kernels: 1 of 3 has changed since (b); of 1 of 3 it is not known (c))*";
        assert_eq!(said.as_deref(), Some(wanted));
        let many: Vec<_> = ["a", "b", "c", "d", "e"].map(|name| code(name, Code::Changed)).to_vec();
        assert_eq!(mark(file, &many, &[]).unwrap(), "*(of 23 November 2026's kernels: 5 of 5 have changed since)*");
        let wide = [code(&"a".repeat(80), Code::Changed), code("b", Code::Changed)];
        assert_eq!(mark(file, &wide, &[]).unwrap(), "*(of 23 November 2026's kernels: 2 of 2 have changed since)*");
    }

    #[test]
    fn a_mark_says_which_trees_and_rays_are_others() {
        let code = |code| [("a".to_string(), code)];
        let inputs = ["rays al09", "tree good"].map(String::from);
        let of = |codes: &[(String, Code)]| mark("bench/runs/2026-11-23-h200/bench.csv", codes, &inputs).unwrap();
        assert_eq!(
            of(&code(Code::Today)),
            "*(of 23 November 2026's kernels: made otherwise since: rays al09, tree good)*"
        );
        assert!(
            of(&code(Code::Changed)).ends_with("has changed since (a); made otherwise since: rays al09, tree good)*")
        );
    }

    #[test]
    fn a_page_says_how_many_marks_it_has() {
        let page = "text\n\n*(of 1 May's kernels: x)*\n";
        let counted = with_count(page);
        assert!(counted.starts_with(page) && counted.contains("\n*Marks on this page: 1, "), "{counted}");
        assert_eq!(with_count(&counted), counted);
        assert_eq!(with_count(&counted.replace("*(of", "(of")), "text\n\n(of 1 May's kernels: x)*\n");
        assert_eq!(with_count("text\n\n\n"), "text\n\n\n");
        let blocks = |end: usize| outside(page, std::iter::once(0..end)).collect::<Vec<_>>();
        assert_eq!((blocks(page.len()), blocks(3)), (vec![], vec![3]));
        assert_eq!(with_mark(&with_mark("| a |\n", Some("*(of x)*")), None), "| a |\n");
    }
}
