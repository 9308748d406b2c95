//! Links of all pages of the repository, and the width of their lines.

mod common_pages;

use common_pages::{Page, pages, repository};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

/// The anchor that a heading gets, as GitHub makes it.
fn anchor_of(heading: &str) -> String {
    let text = without_targets(heading);
    let kept = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
    text.trim().to_lowercase().chars().filter(|&c| kept(c)).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// A heading in which `[text](target)` is `text`.
fn without_targets(heading: &str) -> String {
    let mut text = heading.to_string();
    while let Some((start, middle, end)) = link_in(&text, 0) {
        text = format!("{}{}{}", &text[..start], &text[start + 1..middle], &text[end..]);
    }
    text
}

/// The next `[text](target)` from a byte on: where `[` is, where `]` is, and where it has ended.
fn link_in(text: &str, from: usize) -> Option<(usize, usize, usize)> {
    let middle = from + text[from..].find("](")?;
    let end = middle + text[middle..].find(')')? + 1;
    Some((text[..middle].rfind('[')?, middle, end))
}

/// The anchors of a page.
fn anchors(page: &Page) -> HashSet<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let headings = page.prose().filter(|(_, line)| line.starts_with('#'));
    let named = |(_, line): (usize, &str)| {
        let anchor = anchor_of(line.trim_start_matches('#'));
        let count = seen.entry(anchor.clone()).or_default();
        *count += 1;
        if *count == 1 { anchor } else { format!("{anchor}-{}", *count - 1) }
    };
    headings.map(named).collect()
}

/// What the links of a line point at. Code between backticks has none.
fn targets(line: &str) -> Vec<String> {
    let line: String = line.split('`').step_by(2).collect::<Vec<_>>().join("code");
    let mut found = Vec::new();
    let mut rest = line.as_str();
    while let Some(start) = rest.find("](") {
        rest = &rest[start + 2..];
        let end = rest.find(')').unwrap_or(rest.len());
        found.push(rest[..end].to_string());
    }
    found
}

/// What is wrong with a link from `page`, if anything is.
fn fault(page: &Page, target: &str, known: &HashMap<PathBuf, HashSet<String>>) -> Option<String> {
    if target.split_once(':').is_some_and(|(scheme, _)| scheme.chars().all(char::is_alphanumeric)) {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let file = if path.is_empty() { repository().join(&page.name) } else { page.folder().join(path) };
    let Ok(file) = file.canonicalize() else {
        return Some(format!("{path} is not there"));
    };
    let lacks = !anchor.is_empty() && known.get(&file).is_some_and(|anchors| !anchors.contains(anchor));
    lacks.then(|| format!("{} has no heading #{anchor}", file.display()))
}

#[test]
fn every_link_of_every_page_leads_somewhere() {
    let pages = pages(".");
    assert!(pages.len() > 50, "only {} pages were found", pages.len());
    let place = |page: &Page| repository().join(&page.name).canonicalize().unwrap();
    let known: HashMap<_, _> = pages.iter().map(|page| (place(page), anchors(page))).collect();
    let mut links = 0;
    let mut faults = Vec::new();
    for page in &pages {
        for (number, line) in page.prose() {
            for target in targets(line) {
                links += 1;
                if let Some(fault) = fault(page, &target, &known) {
                    faults.push(format!("{}:{number}: {fault}", page.name));
                }
            }
        }
    }
    assert!(links > 500, "only {links} links were found");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_link_to_nowhere_is_found() {
    let page = Page { name: "docs/README.md".into(), text: "# Two words\n".into() };
    let known = HashMap::from([(repository().join("docs/README.md"), anchors(&page))]);
    let faulty = |target| fault(&page, target, &known).is_some();
    assert!(faulty("guide/nothing.md") && faulty("#three-words"));
    assert!(!faulty("#two-words") && !faulty("guide/gpu.md") && !faulty("https://example.org"));
    assert_eq!(targets("a [b](c.md#d), `[e](f)` and [g](h)"), ["c.md#d", "h"]);
    assert_eq!(anchor_of(" The `h8` of [us](x.md), 2"), "the-h8-of-us-2");
}

#[test]
fn lines_of_prose_on_pages_have_at_most_120_columns() {
    let mut long = Vec::new();
    let root = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(Page::read);
    for page in pages("docs").iter().chain(&root) {
        // Rows of tables, headings and pictures cannot be wrapped.
        let prose = page.prose().filter(|(_, line)| !line.trim_start().starts_with(['|', '#', '!']));
        let over = prose.filter(|(_, line)| line.chars().count() > 120);
        // Nor can a word such as a long address.
        let over = over.filter(|(_, line)| line.trim().contains(' '));
        long.extend(over.map(|(number, _)| format!("{}:{number}", page.name)));
    }
    assert!(long.is_empty(), "lines above 120 columns: {}", long.join(", "));
}
