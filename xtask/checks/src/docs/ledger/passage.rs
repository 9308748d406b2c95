//! What of a page the ledger is about: its paragraphs, rows and lines of fences with their numbers, and what its
//! blocks print.

use super::number::{Number, Value, may_be_quoted, numbers};
use super::words::{blanked, prose};
use crate::docs::block::{Block, blocks};
use crate::docs::spec::Spec;
use crate::docs::template::parted;
use crate::docs::{findings, marks};

/// A page's numbers outside of blocks, and those in its blocks.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// Passages that have a number, in their order.
    pub passages: Vec<Passage>,
    /// What blocks print, with the section that each stands in.
    pub printed: Vec<(usize, Value)>,
}

/// A paragraph, an item of a list, a row of a table or a line of a fence: where its lines end changes nothing.
#[derive(Debug, PartialEq)]
pub(super) struct Passage {
    /// Which section of the page it stands in: the headings above it.
    pub section: usize,
    /// Its numbers in their order.
    pub numbers: Vec<Typed>,
    /// Addresses of its links.
    pub links: Vec<String>,
}

/// A number that stands in no block.
#[derive(Debug, PartialEq)]
pub(super) struct Typed {
    pub text: String,
    pub line: usize,
    /// Its value, if it is likely to be what a block near it prints wherever one prints it.
    pub quotes: Option<Value>,
    /// `true` if it is likely to be that of any block of a page.
    pub is_telling: bool,
}

impl Page {
    /// Reads a page, or a file of statements.
    pub(super) fn read(name: &str, text: &str) -> Self {
        if name.ends_with(".toml") { statements(text) } else { page(text) }
    }

    fn push(&mut self, passage: Option<Passage>) {
        self.passages.extend(passage.filter(|passage| !passage.numbers.is_empty()));
    }
}

/// Lines that are read together.
#[derive(Default)]
struct Open {
    /// Number of the first line.
    line: usize,
    /// The text without addresses and comments.
    text: Vec<char>,
    /// The same places of it, with spaces for names, code and quoted words.
    prose: Vec<char>,
    links: Vec<String>,
}

impl Open {
    fn add(&mut self, line: usize, (source, text, prose): (&str, &str, &str)) {
        if self.text.is_empty() {
            self.line = line;
        }
        let links = source.match_indices("](").filter_map(|(at, _)| source[at + 2..].split_once(')'));
        self.links.extend(links.map(|(link, _)| link.to_string()));
        self.text.extend(text.chars().chain(['\n']));
        self.prose.extend(prose.chars().chain(['\n']));
    }

    /// Ends the passage and begins another.
    fn take(&mut self, section: usize) -> Option<Passage> {
        let Open { line, text, prose, links } = std::mem::take(self);
        let line_of = |number: &Number| line + text[..number.start].iter().filter(|c| **c == '\n').count();
        let typed = |number: Number| Typed {
            line: line_of(&number),
            quotes: number.value.filter(|_| may_be_quoted(&number, &prose)),
            is_telling: number.is_telling(),
            text: number.text,
        };
        let numbers: Vec<Typed> = numbers(&text).into_iter().map(typed).collect();
        Some(Passage { section, numbers, links })
    }
}

fn page(text: &str) -> Page {
    let mut page = Page::default();
    // Blocks that cannot be read are told of elsewhere.
    let blocks = blocks(text).unwrap_or_default();
    let (plain, prose) = (without_addresses(text), prose(text));
    let (mut section, mut is_fence) = (0, false);
    let mut open = Open::default();
    for (number, ((source, plain), prose)) in (1..).zip(text.lines().zip(plain.lines()).zip(prose.lines())) {
        if let Some(block) = blocks.iter().find(|block| (block.line..=block.end_line).contains(&number)) {
            page.push(open.take(section));
            if block.line == number {
                page.printed.extend(printed(block, text).into_iter().map(|value| (section, value)));
                page.push(typed_in(&block.spec, block.line, section));
            }
            continue;
        }
        let is_edge = source.trim_start().starts_with("```");
        is_fence ^= is_edge;
        let is_heading = source.starts_with('#') && !is_fence;
        let is_row = source.starts_with('|');
        let is_item = ["- ", "* "].iter().any(|mark| source.trim_start().starts_with(mark));
        let is_alone = is_fence || is_edge || is_heading || is_row;
        if is_alone || is_item || source.trim().is_empty() {
            page.push(open.take(section));
        }
        section += usize::from(is_heading);
        if !is_edge && !marks::is_written(source) {
            let prose = if is_row { without_first_cell(prose) } else { prose.to_string() };
            open.add(number, (source, plain, &prose));
        }
        if is_alone {
            page.push(open.take(section));
        }
    }
    page.push(open.take(section));
    page
}

/// Returns the numbers that are typed in a block's templates, outside of their fields: they stand on the page as they
/// were typed, and no command makes them.
fn typed_in(spec: &Spec, line: usize, section: usize) -> Option<Passage> {
    let templates = spec.text.iter().chain(spec.cells.iter().map(|rule| &rule.template));
    let literal = |template: &String| {
        let is_field = |first: char, rest: &str| if first == '{' { end_of_field(rest) } else { None };
        without_addresses(&blanked(parted(template).0, is_field))
    };
    let texts: Vec<String> = templates.map(literal).collect();
    let text: Vec<char> = texts.join("\n").chars().collect();
    let typed = |number: Number| Typed { line, quotes: None, is_telling: false, text: number.text };
    Some(Passage { section, numbers: numbers(&text).into_iter().map(typed).collect(), links: Vec::new() })
}

/// Returns where a field that begins a text ends; one may stand in another, as in `{100*{1}:0}`.
fn end_of_field(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.find(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0
    })
    .map(|at| at + 1)
}

/// Reads a file of statements: a row is a section, what a template makes is what blocks print.
fn statements(text: &str) -> Page {
    let mut page = Page::default();
    for part in findings::parts(text) {
        if part.is_made {
            page.printed.extend(values(&part.text).map(|value| (part.row, value)));
            continue;
        }
        let plain = without_addresses(&part.text);
        // Only a note has sentences; what else has quotation marks is a name.
        let prose = if part.is_note { prose(&part.text) } else { plain.replace(|c: char| c != '\n', " ") };
        let mut open = Open::default();
        open.add(part.line, (&part.text, &plain, &prose));
        page.push(open.take(part.row));
    }
    for (line, spec, _) in findings::contents(text) {
        page.push(typed_in(&spec, line, 0));
    }
    page
}

/// Returns the numbers that a block prints: not those of heads, and not what rows are chosen by.
fn printed(block: &Block, page: &str) -> Vec<Value> {
    let content = marks::without_mark(&page[block.content.clone()]);
    let lines: Vec<&str> = content.lines().collect();
    let is_rule = |line: &str| line.starts_with('|') && !line.contains(|c: char| c.is_alphanumeric());
    let is_head = |at: usize| lines.get(at + 1).is_some_and(|next| is_rule(next));
    let kept = (0..lines.len()).filter(|&at| !is_head(at)).map(|at| match lines[at].starts_with('|') {
        true => without_first_cell(lines[at]),
        false => lines[at].to_string(),
    });
    kept.flat_map(|line| values(&line).collect::<Vec<_>>()).collect()
}

fn values(text: &str) -> impl Iterator<Item = Value> {
    let text: Vec<char> = text.chars().collect();
    numbers(&text).into_iter().filter_map(|number| number.value)
}

/// Returns a row with spaces for its first cell, which says what the row is of.
fn without_first_cell(row: &str) -> String {
    let end = row[1..].find('|').map_or(row.len(), |at| at + 1);
    " ".repeat(row[..end].chars().count()) + &row[end..]
}

/// Returns a page's text with spaces for comments and addresses of links. Lines stay where they are.
fn without_addresses(page: &str) -> String {
    blanked(page, |first, rest| match first {
        '<' if rest.starts_with("<!--") => rest.find("-->").map(|at| at + 3),
        ']' if rest.starts_with("](") => rest.find(')'),
        'h' if rest.starts_with("http://") || rest.starts_with("https://") => {
            rest.find(|c: char| c.is_whitespace() || matches!(c, ')' | '`' | '"')).or(Some(rest.len()))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        let said =
            |typed: &Typed| format!("{}:{}{}", typed.line, typed.text, if typed.quotes.is_some() { "?" } else { "" });
        let passages = page(text).passages;
        passages.iter().map(|passage| passage.numbers.iter().map(said).collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn a_passage_is_a_paragraph_an_item_a_row_or_a_line_of_a_fence() {
        assert_eq!(
            of("# 4 things\nIt is 0.735\nof 3.\n\n- 14 %\n- 15 %\n  of 2\n"),
            ["1:4", "2:0.735? 3:3", "5:14?", "6:15? 7:2"]
        );
        assert_eq!(
            of("| 1.25 | 1.5 |\n|---|---|\n| 2 | 3 |\n```text\n7.25\n\n8\n```\n9\n"),
            ["1:1.25 1:1.5?", "3:2 3:3", "5:7.25", "7:8", "9:9"]
        );
        assert_eq!(of("[a](b-12.md) <!-- 13 --> https://a.org/14 `-w 15.5`\n"), ["1:15.5"]);
        assert_eq!(of("*(of 1 May 2026's kernels: 1 of 1 has changed since)*\n"), Vec::<String>::new());
    }

    #[test]
    fn a_block_prints_its_cells_but_not_its_heads() {
        let block = "<!-- made by: raywarp info x -->\n| 16 lanes | 32 lanes |\n|---|---|\n| 1.25 | 2.5/-3 |\n<!-- end of what is made -->\n";
        let page = page(&format!("# a\n0.5\n## b\n{block}"));
        let printed: Vec<(usize, f64)> = page.printed.iter().map(|(section, value)| (*section, value.amount)).collect();
        assert_eq!(printed, [(2, 2.5), (2, 3.0)]);
        assert_eq!((page.passages.len(), page.passages[0].section), (1, 1));
    }
}
