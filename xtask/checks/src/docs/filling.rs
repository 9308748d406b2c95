//! Makes what a block has: cells filled in, a whole table, a paragraph, or what the command prints.

use super::block::Block;
use super::source::Output;
use super::spec::{CellRule, Spec};
use super::table::{Table, of_markdown};
use super::template::{Filter, Sources, filled};
use super::tolerance::squeezed;
use std::collections::BTreeMap;

/// A part of a block that is compared by itself, with what it was and what it is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    /// Number of its line in the block's content, from 0.
    pub line: usize,
    /// What it is, such as `if-if, full leaves`; empty for a whole line.
    pub name: String,
    pub page: String,
    pub today: String,
}

/// What a block would have today.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Made {
    pub content: String,
    pub parts: Vec<Part>,
}

/// Most characters of a line of prose.
const ACROSS: usize = 120;

/// Makes a block from what its sources say; `page` is the content that the page has.
///
/// # Errors
/// What cannot be made, and why.
pub(super) fn made(block: &Block, page: &str, outputs: &BTreeMap<String, Output>) -> Result<Made, String> {
    let spec = &block.spec;
    let sources: Sources = outputs.iter().map(|(letter, output)| (letter.clone(), output.rows.clone())).collect();
    let first = outputs.get("a").ok_or("no source")?;
    if let Some(template) = &spec.text {
        return paragraph(spec, template, page, &sources);
    }
    if !spec.cells.is_empty() {
        return cells(spec, page, &sources, Has::All);
    }
    if spec.is_mark_alone() {
        return Ok(Made { content: page.to_string(), parts: Vec::new() });
    }
    match page.trim_start().starts_with("```") {
        true => Ok(fence(page, &first.text)),
        false => whole(spec, page, first),
    }
}

/// Makes the cells of a block that a sample has; what it does not say stays as it is and is no part. A paragraph is
/// made as a whole.
///
/// # Errors
/// What is wrong with the block, and where the sample has none of its cells.
pub(super) fn in_part_of(block: &Block, page: &str, outputs: &BTreeMap<String, Output>) -> Result<Made, String> {
    let sources: Sources = outputs.iter().map(|(letter, output)| (letter.clone(), output.rows.clone())).collect();
    if let Some(template) = &block.spec.text {
        return paragraph(&block.spec, template, page, &sources);
    }
    let made = cells(&block.spec, page, &sources, Has::Some)?;
    if made.parts.is_empty() { Err("the sample has none of its cells".into()) } else { Ok(made) }
}

fn paragraph(spec: &Spec, template: &str, page: &str, sources: &Sources) -> Result<Made, String> {
    let today = filled(template, sources, &Filter::new(), &spec.short)?;
    let part = Part { line: 0, name: String::new(), page: squeezed(page), today: squeezed(&today) };
    Ok(Made { content: wrapped(&today), parts: vec![part] })
}

/// Breaks a paragraph into lines; those below the first of a list's item are indented.
pub(super) fn wrapped(text: &str) -> String {
    let mark = text.split_whitespace().next().unwrap_or_default();
    let is_item = mark == "-" || mark.strip_suffix('.').is_some_and(|number| number.parse::<u32>().is_ok());
    let indent = " ".repeat(if is_item { mark.len() + 1 } else { 0 });
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let length = lines.last().map_or(0, |line| line.chars().count());
        if length > 0 && length + 1 + word.chars().count() > ACROSS {
            lines.push(indent.clone());
        }
        let line = lines.last_mut().expect("there is a line");
        if !line.is_empty() && *line != indent {
            line.push(' ');
        }
        *line += word;
    }
    lines.join("\n") + "\n"
}

/// Returns what a command prints in the fence of the page. A line of three points stands for any number of lines.
fn fence(page: &str, text: &str) -> Made {
    let open = page.lines().find(|line| line.starts_with("```")).unwrap_or("```text");
    let printed: Vec<&str> = text.trim_end().lines().map(str::trim_end).collect();
    let shown: Vec<&str> = page.lines().skip_while(|line| !line.starts_with("```")).skip(1).collect();
    let shown = &shown[..shown.iter().position(|line| line.starts_with("```")).unwrap_or(shown.len())];
    let today: Vec<&str> = match shown.iter().position(|line| *line == "...") {
        // What stands above the points, and as many lines from the end as stand below them.
        Some(at) if at <= printed.len() => {
            let below = (shown.len() - at - 1).min(printed.len() - at);
            let end = &printed[printed.len() - below..];
            printed[..at].iter().copied().chain(["..."]).chain(end.iter().copied()).collect()
        }
        _ => printed,
    };
    let content = format!("{open}\n{}\n```\n", today.join("\n"));
    let longest = shown.len().max(today.len());
    let line = |lines: &[&str], at: usize| lines.get(at).copied().unwrap_or_default().to_string();
    let parts = (0..longest)
        .map(|at| Part { line: at + 1, name: String::new(), page: line(shown, at), today: line(&today, at) })
        .collect();
    Made { content, parts }
}

/// Makes the first table of a command, or the columns of it that the block names.
fn whole(spec: &Spec, page: &str, output: &Output) -> Result<Made, String> {
    let table = output.tables.first().ok_or("the command prints no table")?;
    let columns: Vec<(String, String)> = match spec.columns.is_empty() {
        true => table.heads.iter().map(|head| (head.clone(), head.clone())).collect(),
        false => spec.columns.clone(),
    };
    let place = |name: &String| table.column(name, 0).ok_or_else(|| format!("the table has no column {name}"));
    let places = columns.iter().map(|(name, _)| place(name)).collect::<Result<Vec<_>, _>>()?;
    let today = Table {
        title: String::new(),
        heads: columns.into_iter().map(|(_, head)| head).collect(),
        is_right: places.iter().map(|&place| table.is_right[place]).collect(),
        rows: table.rows.iter().map(|row| places.iter().map(|&place| row[place].clone()).collect()).collect(),
    };
    let shown = of_markdown(page).into_iter().next().unwrap_or_default();
    let label = |at: usize| today.rows.get(at).and_then(|row| row.first()).cloned().unwrap_or_default();
    let parts = parts(&shown, &today, label);
    Ok(Made { content: today.markdown(), parts })
}

/// Compares two tables cell by cell; `label` says what a row is.
fn parts(shown: &Table, today: &Table, label: impl Fn(usize) -> String) -> Vec<Part> {
    let part = |line: usize, name: String, page: &str, today: &str| Part {
        line,
        name,
        page: page.into(),
        today: today.into(),
    };
    let mut parts = vec![part(0, "heads".into(), &shown.heads.join(" | "), &today.heads.join(" | "))];
    if shown.heads.len() != today.heads.len() {
        return parts;
    }
    for at in 0..shown.rows.len().max(today.rows.len()) {
        let none = Vec::new();
        let (own, now) = (shown.rows.get(at).unwrap_or(&none), today.rows.get(at).unwrap_or(&none));
        for (place, head) in today.heads.iter().enumerate() {
            let cell = |row: &[String]| row.get(place).cloned().unwrap_or_default();
            parts.push(part(at + 2, format!("{}, {head}", label(at)), &cell(own), &cell(now)));
        }
    }
    parts
}

/// Which of a table's cells its sources have.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Has {
    All,
    Some,
}

/// Fills in the cells of the page's own table.
fn cells(spec: &Spec, page: &str, sources: &Sources, has: Has) -> Result<Made, String> {
    let shown = of_markdown(page).into_iter().next().ok_or("no table to fill in")?;
    let mut heads = spec.rows.iter().map(|(head, _)| head).chain(spec.cells.iter().map(|rule| &rule.head));
    if let Some(head) = heads.find(|head| *head != "*" && shown.column(head, 0).is_none()) {
        return Err(format!("the table has no column {head}"));
    }
    let mut today = shown.clone();
    let all = labels(spec, &shown);
    let names: Vec<String> = all.iter().map(|labels| labels.join(", ")).collect();
    let mut filled_in = Vec::new();
    for (at, (row, labels)) in shown.rows.iter().zip(all).enumerate() {
        let filter = filter(spec, &labels);
        // A row that the source has not got stays as it is.
        if filter.iter().any(|(_, wanted)| wanted == "-") {
            continue;
        }
        for (place, cell) in row.iter().enumerate() {
            let Some(rule) = rule(spec, &shown, place, &labels).filter(|_| !cell.is_empty()) else { continue };
            let head = shown.heads[place].as_str();
            let mut words: Vec<(String, String)> = vec![("{head}".into(), head.to_string())];
            words.push(("{label}".into(), filter.first().map_or_else(String::new, |(_, label)| label.clone())));
            words.extend((1..).zip(&labels).map(|(number, label)| (format!("{{{number}}}"), named(spec, label))));
            let with = |text: &String| words.iter().fold(text.clone(), |text, (word, by)| text.replace(word, by));
            let short: Vec<_> = spec.short.iter().map(|(name, long)| (name.clone(), with(long))).collect();
            let made = filled(&with(&rule.template), sources, &filter, &short);
            if made.is_err() && has == Has::Some {
                continue;
            }
            let of = labels.join(", ");
            today.rows[at][place] = made.map_err(|error| format!("{of}, {head}: {error}"))?;
            let name = format!("{of}, {head}");
            filled_in.push(Part { line: at + 2, name, page: cell.clone(), today: today.rows[at][place].clone() });
        }
    }
    let parts = if has == Has::All { parts(&shown, &today, |at| names[at].clone()) } else { filled_in };
    Ok(Made { content: today.markdown(), parts })
}

/// Returns what the source's row has to have for the row of the page with these labels.
fn filter(spec: &Spec, labels: &[String]) -> Filter {
    let pair = |((_, column), label): (&(String, String), &String)| (column.clone(), named(spec, label));
    spec.rows.iter().zip(labels).map(pair).filter(|(column, _)| column != "-").collect()
}

/// Returns what the source calls what the page calls so.
fn named(spec: &Spec, label: &str) -> String {
    let plain = label.trim_matches('*');
    spec.names.iter().find(|(own, _)| own == label || own == plain).map_or(plain, |(_, source)| source).to_string()
}

/// Returns `true` if a template makes the cell below `head` in this row, none of whose cells that choose is empty.
pub(super) fn is_made(spec: &Spec, table: &Table, row: &[String], head: &str) -> bool {
    let cell = |head: &str| table.column(head, 0).and_then(|at| row.get(at)).cloned().unwrap_or_default();
    let labels: Vec<String> = spec.rows.iter().map(|(head, _)| cell(head)).collect();
    let is_left = filter(spec, &labels).iter().any(|(_, wanted)| wanted == "-");
    !is_left && table.column(head, 0).is_some_and(|place| rule(spec, table, place, &labels).is_some())
}

/// Returns the heads and cells of a table that no template makes and that choose nothing, in their order.
pub(super) fn not_made(spec: &Spec, page: &str) -> Vec<String> {
    let table = of_markdown(page).into_iter().next().unwrap_or_default();
    let is_filled_in = |word: &str| {
        let texts = spec.cells.iter().map(|rule| &rule.template).chain(spec.short.iter().map(|(_, long)| long));
        texts.into_iter().any(|text| text.contains(word))
    };
    let chooses = |head: &String| {
        let place = spec.rows.iter().position(|(own, _)| own == head);
        place.is_some_and(|at| spec.rows[at].1 != "-" || is_filled_in(&format!("{{{}}}", at + 1)))
    };
    let is_named = |head: &&String| chooses(head) || spec.cells.iter().any(|rule| rule.head == **head);
    let mut left: Vec<String> = table.heads.iter().filter(|head| !is_named(head)).cloned().collect();
    for (row, labels) in table.rows.iter().zip(labels(spec, &table)) {
        let is_left = filter(spec, &labels).iter().any(|(_, wanted)| wanted == "-");
        let is_made = |place: usize| !is_left && rule(spec, &table, place, &labels).is_some();
        let is_chosen_by = (0..row.len()).any(is_made);
        let chooses_here = |place: usize| is_chosen_by && table.heads.get(place).is_some_and(chooses);
        let is_checked = |place: usize| is_made(place) || chooses_here(place);
        left.extend(row.iter().enumerate().filter(|(place, _)| !is_checked(*place)).map(|(_, cell)| cell.clone()));
    }
    left
}

/// Returns what each row of the page's table chooses by; an empty cell says what the one above it says.
fn labels(spec: &Spec, table: &Table) -> Vec<Vec<String>> {
    let places: Vec<Option<usize>> = spec.rows.iter().map(|(head, _)| table.column(head, 0)).collect();
    let mut labels = vec![String::new(); places.len()];
    let mut next = |row: &Vec<String>| {
        for (label, place) in labels.iter_mut().zip(&places) {
            if let Some(cell) = place.and_then(|at| row.get(at)).filter(|cell| !cell.is_empty()) {
                label.clone_from(cell);
            }
        }
        labels.clone()
    };
    table.rows.iter().map(&mut next).collect()
}

/// Returns the first rule for a cell of the page's table; one for all heads is for none that chooses rows.
fn rule<'a>(spec: &'a Spec, table: &Table, place: usize, labels: &[String]) -> Option<&'a CellRule> {
    let holds = |(head, wanted): &(String, String)| {
        let at = spec.rows.iter().position(|(own, _)| own == head);
        at.is_some_and(|at| &labels[at] == wanted)
    };
    let is_key = spec.rows.iter().any(|(head, _)| table.column(head, 0) == Some(place));
    let is_for = |rule: &&CellRule| match rule.head.as_str() {
        "*" => !is_key,
        head => table.column(head, rule.number) == Some(place),
    };
    spec.cells.iter().filter(is_for).find(|rule| rule.only.iter().all(holds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_lists_item_are_indented() {
        let word = "a".repeat(70);
        for (mark, indent) in [("-", "  "), ("12.", "    "), ("No.", "")] {
            assert_eq!(wrapped(&format!("{mark} {word} {word}")), format!("{mark} {word}\n{indent}{word}\n"));
        }
    }
}
