//! What a page says otherwise than the ledger.

use super::align::{aligned, shared};
use super::file::{Entry, FILE, Quoted, Scope};
use super::passage::{Page, Passage, Typed};
use super::{Pages, linked};

/// A number that is not as the ledger has it.
#[derive(Debug, PartialEq)]
pub(super) struct Drift {
    pub line: usize,
    pub kind: Kind,
}

/// What is otherwise.
#[derive(Debug, PartialEq)]
pub(super) enum Kind {
    /// Another number stands in its place, which blocks print or not.
    Changed {
        old: Entry,
        new: Entry,
    },
    New(Entry),
    Gone(Entry),
    /// Fewer numbers of blocks print it than did.
    Fewer {
        text: String,
        was: Quoted,
        now: usize,
    },
}

impl Drift {
    /// Returns the number, as the page has it, that no block prints where one printed it, or the one before it.
    pub(super) fn unquoted(&self) -> Option<&str> {
        match &self.kind {
            Kind::Changed { old, new } if old.quoted.is_some() && new.quoted.is_none() => Some(&new.text),
            Kind::Fewer { text, now: 0, .. } => Some(text),
            _ => None,
        }
    }

    /// Returns words for it, without the page.
    pub(super) fn words(&self) -> String {
        match &self.kind {
            Kind::Changed { old, new } => {
                let of = match (old.quoted, new.quoted) {
                    (Some(was), None) => format!(", which a {} printed and which it quoted", was.scope.blocks()),
                    _ => String::new(),
                };
                format!("it says {}, {FILE} has {}{of}", new.text, old.text)
            }
            Kind::New(new) => format!("{} is not in {FILE}", new.text),
            Kind::Gone(old) => format!("{} of {FILE} is gone from here", old.text),
            Kind::Fewer { text, was, now: 0 } => {
                format!("the sentence quotes {text}, which no {} says now", was.scope.blocks())
            }
            Kind::Fewer { text, was, now } => format!(
                "the sentence quotes {text}, which {} numbers of blocks said and {now} of them say now; read it again",
                was.count
            ),
        }
    }
}

/// Compares a page with what the ledger has of it; returns what is otherwise, and what the ledger is to have.
pub(super) fn compared(name: &str, old: &[Vec<Entry>], pages: &Pages) -> (Vec<Drift>, Vec<Vec<Entry>>) {
    let page = &pages[name];
    let mut drifts = Vec::new();
    let mut renewed: Vec<Vec<Entry>> = Vec::new();
    let is_same = |entry: &Entry, typed: &Typed| entry.text == typed.text;
    let score = |old: &Vec<Entry>, new: &Passage| {
        let same = shared(old, &new.numbers, is_same);
        // All of a passage is worth more than as many numbers of a longer one.
        if same == old.len() && same == new.numbers.len() { 2 * same + 1 } else { 2 * same }
    };
    let mut line = 1;
    for (before, now) in aligned(old, &page.passages, score) {
        let entries = before.map_or(&[][..], |at| &old[at]);
        let passage = now.map(|at| &page.passages[at]);
        let numbers = passage.map_or(&[][..], |passage| &passage.numbers);
        let today = |typed: &Typed| passage.and_then(|passage| quoted(name, passage, typed, pages));
        let mut own = Vec::new();
        for pair in aligned(entries, numbers, |old, new| usize::from(is_same(old, new))) {
            let old = pair.0.map(|at| entries[at].clone());
            let new = pair.1.map(|at| {
                line = numbers[at].line;
                Entry { text: numbers[at].text.clone(), quoted: today(&numbers[at]) }
            });
            own.extend(new.clone());
            let kind = match (old, new) {
                (Some(old), Some(new)) if old.text == new.text => {
                    let (Some(was), Some(passage), Some(at)) = (old.quoted, passage, pair.1) else { continue };
                    let now = count(name, passage, &numbers[at], pages, was.scope);
                    if now >= was.count {
                        continue;
                    }
                    Kind::Fewer { text: new.text, was, now }
                }
                (Some(old), Some(new)) => Kind::Changed { old, new },
                (None, Some(new)) => Kind::New(new),
                (Some(old), None) => Kind::Gone(old),
                (None, None) => continue,
            };
            drifts.push(Drift { line, kind });
        }
        renewed.extend((!own.is_empty()).then_some(own));
    }
    (drifts, renewed)
}

/// Returns which blocks print a number, and how often: the nearest that do.
pub(super) fn quoted(name: &str, passage: &Passage, typed: &Typed, pages: &Pages) -> Option<Quoted> {
    let in_scope = |scope| Quoted { scope, count: count(name, passage, typed, pages, scope) };
    Scope::ALL.into_iter().map(in_scope).find(|quoted| quoted.count > 0)
}

/// Returns how many numbers of blocks are the one that a passage has.
fn count(name: &str, passage: &Passage, typed: &Typed, pages: &Pages, scope: Scope) -> usize {
    let Some(value) = typed.quotes.filter(|_| scope == Scope::Section || typed.is_telling) else { return 0 };
    let of = |page: &Page, section: Option<usize>| {
        let is_there = |at: usize| section.is_none_or(|section| section == at);
        page.printed.iter().filter(|(at, printed)| is_there(*at) && value.is_rounded_from(*printed)).count()
    };
    match scope {
        Scope::Section => of(&pages[name], Some(passage.section)),
        Scope::Page => of(&pages[name], None),
        Scope::Linked => linked(name, &passage.links, pages).into_iter().map(|page| of(page, None)).sum(),
    }
}
