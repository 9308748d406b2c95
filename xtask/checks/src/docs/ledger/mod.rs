//! The ledger of numbers outside of blocks: a digit that changes is told, and so is a sentence whose number no block
//! prints any more.
//!
//! [`file`] is what was accepted of each page, [`passage`] what a page has today, [`drift`] what differs. Its file is
//! made by `cargo xtask docs --accept`; `docs/internals/numbers.md` says which numbers count as quoted.

mod align;
mod drift;
mod file;
mod number;
mod passage;
#[cfg(test)]
mod tests;
mod words;

use super::findings;
use super::listed::{self, Counts, LIST};
use drift::{Drift, compared};
use file::{FILE, Ledger};
use passage::Page;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How many differences of a page are told, beside how many there are.
const TOLD: usize = 20;

/// All pages, by name.
type Pages = BTreeMap<String, Page>;

/// How the pages and the ledger are to each other.
#[derive(Debug, Default, PartialEq)]
pub struct Checked {
    /// Number of numbers that stand in no block.
    pub numbers: usize,
    /// Number of those that blocks print as well.
    pub quoted: usize,
    /// What differs, each with page and line.
    pub faults: Vec<String>,
}

/// Compares the numbers of all pages with the ledger.
pub fn checked(root: &Path) -> Checked {
    let ledger = match read(root) {
        Ok(ledger) => ledger,
        Err(error) => return Checked { faults: vec![error], ..Checked::default() },
    };
    let pages = pages(root);
    let mut faults = Vec::new();
    let has_numbers = |page: &Page| !page.passages.is_empty();
    for (name, _) in pages.iter().filter(|(name, page)| has_numbers(page) || ledger.0.contains_key(*name)) {
        let Some(old) = ledger.0.get(name) else {
            faults.push(format!(
                "{name}: {FILE} has none of its numbers; read them, then `cargo xtask docs --accept {name}`"
            ));
            continue;
        };
        let (drifts, _) = compared(name, old, &pages);
        faults.extend(drifts.iter().take(TOLD).map(|drift| format!("{name}:{}: {}", drift.line, drift.words())));
        if drifts.len() > TOLD {
            faults.push(format!("{name}: {} more of its numbers differ from {FILE}", drifts.len() - TOLD));
        }
        if !drifts.is_empty() {
            faults.push(format!(
                "{name}: if its numbers are right as they are, `cargo xtask docs --accept {name}` writes them down"
            ));
        }
    }
    let is_gone = |name: &&String| !pages.contains_key(*name);
    faults.extend(
        ledger
            .0
            .keys()
            .filter(is_gone)
            .map(|name| format!("{FILE}: there is no page {name}; `cargo xtask docs --accept`")),
    );
    let counts = counts(&ledger, &pages);
    let list = std::fs::read_to_string(root.join(LIST)).unwrap_or_default();
    if faults.is_empty() && listed::with_counts(&list, &counts) != list {
        faults.push(format!("{LIST}: its counts are not the ledger's; `cargo xtask docs --accept` writes them"));
    }
    let (numbers, quoted) = sums(&counts);
    Checked { numbers, quoted, faults }
}

/// Writes down the numbers of pages, or of all where none is named, and prints each that differs from the ledger. A
/// page stays as it is in the ledger where a sentence quotes what no block says, unless `typed` has the number.
/// Returns `true` if all was written down.
///
/// # Errors
/// Text for a ledger that cannot be read or written, and for a page that is none.
pub fn accept(root: &Path, wanted: &[String], typed: &[String], print: &mut dyn FnMut(String)) -> Result<bool, String> {
    let mut ledger = read(root)?;
    let pages = pages(root);
    if let Some(other) = wanted.iter().find(|name| !pages.contains_key(*name) && !ledger.0.contains_key(*name)) {
        return Err(format!("{other}: no page whose numbers are written down"));
    }
    let is_wanted = |name: &String| wanted.is_empty() || wanted.contains(name);
    ledger.0.retain(|name, _| pages.contains_key(name) || !is_wanted(name));
    let mut is_all = true;
    for name in pages.keys().filter(|name| is_wanted(name)) {
        let old = ledger.0.get(name);
        let (drifts, renewed) = compared(name, old.map_or(&[][..], |old| old), &pages);
        if old.is_none() {
            let numbers = renewed.iter().flatten();
            let quoted = numbers.clone().filter(|entry| entry.quoted.is_some()).count();
            print(format!("{name}: {} numbers for the first time, {quoted} of them quoted", numbers.count()));
        } else {
            drifts.iter().for_each(|drift| print(format!("{name}:{}: {}", drift.line, drift.words())));
        }
        let is_typed =
            |number: &str| typed.iter().any(|typed| typed == number.trim_start_matches(['+', '-', '\u{2212}']));
        let refused: BTreeSet<&str> =
            drifts.iter().filter_map(Drift::unquoted).filter(|number| !is_typed(number)).collect();
        if refused.is_empty() {
            ledger.0.insert(name.clone(), renewed);
            continue;
        }
        is_all = false;
        let options: String = refused
            .iter()
            .map(|number| format!(" --typed {}", number.trim_start_matches(['+', '-', '\u{2212}'])))
            .collect();
        print(format!(
            "{name}: not written down: mend the sentence, or if the number is to stand though no block says it, \
             `cargo xtask docs --accept {name}{options}`"
        ));
    }
    let counts = counts(&ledger, &pages);
    let list = std::fs::read_to_string(root.join(LIST)).map_err(|error| format!("{LIST}: {error}"))?;
    for (file, text) in [(FILE, ledger.text()), (LIST, listed::with_counts(&list, &counts))] {
        std::fs::write(root.join(file), text).map_err(|error| format!("{file}: {error}"))?;
    }
    let (numbers, quoted) = sums(&counts);
    print(format!("{FILE}: {numbers} numbers outside of blocks, {quoted} of them quoted from blocks"));
    Ok(is_all)
}

/// Returns how many numbers the ledger has of each page that is there.
fn counts(ledger: &Ledger, pages: &Pages) -> Counts {
    let mut counts: Counts = pages.keys().map(|name| (name.clone(), (0, 0))).collect();
    counts.extend(ledger.counts());
    counts
}

/// Returns the counts of all pages together.
fn sums(counts: &Counts) -> (usize, usize) {
    counts.values().fold((0, 0), |sum, of| (sum.0 + of.0, sum.1 + of.1))
}

/// Reads the ledger; one that is not there is empty.
fn read(root: &Path) -> Result<Ledger, String> {
    match std::fs::read_to_string(root.join(FILE)) {
        Ok(text) => Ledger::parse(&text),
        Err(_) => Ok(Ledger::default()),
    }
}

/// Reads the pages that are listed.
fn pages(root: &Path) -> Pages {
    let read = |name: String| {
        let text = std::fs::read_to_string(root.join(&name)).unwrap_or_default();
        let page = Page::read(&name, &text);
        (name, page)
    };
    listed::pages(root).into_iter().map(read).collect()
}

/// Returns other pages that links of a page lead to.
fn linked<'a>(name: &str, links: &[String], pages: &'a Pages) -> Vec<&'a Page> {
    // Notes of statements are shown on pages of the papers, and so are their links.
    let folder = if name.starts_with(findings::FOLDER) {
        "docs/papers"
    } else {
        name.rsplit_once('/').map_or("", |(folder, _)| folder)
    };
    let target = |link: &String| {
        let link = link.split('#').next().unwrap_or_default();
        let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        for part in link.split('/') {
            match part {
                "." => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        parts.join("/")
    };
    let targets: BTreeSet<String> = links.iter().map(target).filter(|target| target != name).collect();
    targets.iter().filter_map(|target| pages.get(target)).collect()
}
