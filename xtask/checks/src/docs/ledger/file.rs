//! The ledger's file: a part for each page, a line for each passage, a word for each number.

use crate::docs::listed::Counts;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The file, from the root.
pub(super) const FILE: &str = "docs/internals/numbers.txt";
/// What it begins with.
const HEAD: &str = "# Made by `cargo xtask docs --accept`, never by hand; what it is for: docs/internals/numbers.md.\n";

/// The numbers of pages that were accepted, a page's by its passages.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Ledger(pub BTreeMap<String, Vec<Vec<Entry>>>);

/// A number that was accepted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub text: String,
    /// Which blocks printed it, and how often; `None` for one that is typed.
    pub quoted: Option<Quoted>,
}

/// How many numbers of blocks are the one that a passage quotes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Quoted {
    pub scope: Scope,
    pub count: usize,
}

/// Blocks that a passage may quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scope {
    /// Those below the same heading.
    Section,
    /// Those of the same page.
    Page,
    /// Those of pages that the passage links to.
    Linked,
}

impl Scope {
    /// From the nearest on.
    pub(super) const ALL: [Scope; 3] = [Scope::Section, Scope::Page, Scope::Linked];

    /// Returns the letter behind a count.
    fn letter(self) -> &'static str {
        match self {
            Scope::Section => "s",
            Scope::Page => "p",
            Scope::Linked => "l",
        }
    }

    /// Returns words for the blocks.
    pub(super) fn blocks(self) -> &'static str {
        match self {
            Scope::Section => "block of its section",
            Scope::Page => "block of the page",
            Scope::Linked => "block of a page that it links to",
        }
    }
}

impl Ledger {
    /// Reads the file's text.
    ///
    /// # Errors
    /// Text for a line that is none of the ledger's, such as a mark of two versions that could not be joined.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut pages = BTreeMap::new();
        let mut page: Option<&mut Vec<Vec<Entry>>> = None;
        for (line, number) in text.lines().zip(1..) {
            let fault = || {
                format!(
                    "{FILE}:{number}: \"{line}\" is no line of it; take either version of it whole, then \
                     `cargo xtask docs --accept`"
                )
            };
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(name) = line.strip_prefix('[') {
                let name = name.strip_suffix(']').ok_or_else(fault)?;
                page = Some(pages.entry(name.to_string()).or_default());
                continue;
            }
            let entries: Option<Vec<Entry>> = line.split_whitespace().map(Entry::parse).collect();
            page.as_mut().ok_or_else(fault)?.push(entries.ok_or_else(fault)?);
        }
        Ok(Self(pages))
    }

    /// Returns how many numbers each page has, and how many of them are quoted.
    pub(super) fn counts(&self) -> Counts {
        let of = |passages: &Vec<Vec<Entry>>| {
            let all = passages.iter().flatten();
            (all.clone().count(), all.filter(|entry| entry.quoted.is_some()).count())
        };
        self.0.iter().map(|(page, passages)| (page.clone(), of(passages))).collect()
    }

    /// Returns the file's text.
    pub(super) fn text(&self) -> String {
        let mut text = HEAD.to_string();
        for (page, passages) in self.0.iter().filter(|(_, passages)| !passages.is_empty()) {
            let _ = write!(text, "\n[{page}]\n");
            for passage in passages {
                let words: Vec<String> = passage.iter().map(Entry::word).collect();
                let _ = writeln!(text, "{}", words.join(" "));
            }
        }
        text
    }
}

impl Entry {
    /// Reads `0.735`, or `0.735=2s` for one that two numbers of blocks of its section print.
    fn parse(word: &str) -> Option<Self> {
        let (text, quoted) = word.split_once('=').map_or((word, None), |(text, quoted)| (text, Some(quoted)));
        let is_number = text.trim_start_matches(['+', '-', '\u{2212}']).starts_with(|c: char| c.is_ascii_digit());
        let quoted = match quoted {
            Some(quoted) => {
                let (scope, count) =
                    Scope::ALL.iter().find_map(|scope| Some((*scope, quoted.strip_suffix(scope.letter())?)))?;
                Some(Quoted { scope, count: count.parse().ok()? })
            }
            None => None,
        };
        is_number.then(|| Self { text: text.to_string(), quoted })
    }

    fn word(&self) -> String {
        match self.quoted {
            Some(Quoted { scope, count }) => format!("{}={count}{}", self.text, scope.letter()),
            None => self.text.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ledger_is_read_as_it_is_written() {
        let text = format!("{HEAD}\n[a.md]\n0.735=2s -4\n1.5x=1l\n\n[b.md]\n12\n");
        let ledger = Ledger::parse(&text).unwrap();
        assert_eq!(ledger.text(), text);
        assert_eq!(ledger.counts(), [("a.md".to_string(), (3, 2)), ("b.md".to_string(), (1, 0))].into());
        assert_eq!(Ledger::parse("").unwrap(), Ledger::default());
    }

    #[test]
    fn a_line_that_is_none_of_the_ledgers_is_told() {
        for line in ["<<<<<<< HEAD", "0.5=2", "0.5=s", "words", "=======", "[a"] {
            let found = Ledger::parse(&format!("[a.md]\n1\n{line}\n")).unwrap_err();
            assert!(found.starts_with(&format!("{FILE}:3: \"{line}\"")), "{found}");
        }
        assert!(Ledger::parse("1 2\n").is_err(), "numbers of no page");
    }
}
