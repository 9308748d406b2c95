//! Statements of papers (`crates/papers/findings/*.toml`): their cells and notes are made as blocks of pages are, by a
//! comment right above them. Cells are a table to it: `of` split at its commas in columns `1`, `2` and so on, and
//! whole, then `theirs` and `ours`. A note is a paragraph.

use super::block::Block;
use super::filling::is_made;
use super::source::Reader;
use super::spec::Spec;
use super::table::{Table, of_markdown};
use super::tolerance::squeezed;
use super::{Asked, Done, last_made};
use std::ops::Range;
use std::path::Path;

/// The folder of statements, a file a paper.
pub(super) const FOLDER: &str = "crates/papers/findings";
/// How the comment above cells or a note begins.
const BEGIN: &str = "# made by:";
/// Columns of a table of cells beside the parts of `of`.
const FIELDS: [&str; 3] = ["of", "theirs", "ours"];

/// The cells or the note of a row.
#[derive(Debug)]
struct Place {
    /// Lines of the file that have them, from 0.
    lines: Range<usize>,
    is_note: bool,
    /// Number of the line that the comment above begins on, and what it says.
    spec: Option<(usize, Spec)>,
}

impl Done {
    /// Makes or checks a file of statements, as [`Done::page`] does with a page.
    pub(super) fn findings(
        &mut self,
        root: &Path,
        file: &str,
        asked: &Asked,
        reader: &mut Reader,
    ) -> Result<(), String> {
        self.findings_where(root, file, (asked, &|block| asked.wants_block(file, block)), reader)
    }

    /// Makes or checks the places of a file that are wanted.
    fn findings_where(
        &mut self,
        root: &Path,
        file: &str,
        (asked, is_wanted): (&Asked, &dyn Fn(&Block) -> bool),
        reader: &mut Reader,
    ) -> Result<(), String> {
        let text = std::fs::read_to_string(root.join(file)).map_err(|error| format!("{file}: {error}"))?;
        let places = match places(&text) {
            Ok(places) => places,
            Err((line, error)) => {
                self.faults.push(format!("{file}:{line}: {error}"));
                return Ok(());
            }
        };
        let mut lines: Vec<String> = text.lines().map(String::from).collect();
        let mut comments = Vec::new();
        for place in places {
            let Some((line, spec)) = place.spec else { continue };
            let own = &mut lines[place.lines.clone()];
            // A table's first row stands two lines below its head.
            let content_line = place.lines.start + if place.is_note { 1 } else { 0 };
            let block = Block { line, content_line, end_line: place.lines.end, content: 0..0, spec };
            if !is_wanted(&block) {
                continue;
            }
            let content = content_of(own, place.is_note);
            let Some(today) = self.block(file, &block, &content, asked, reader) else { continue };
            let above = line - 1..place.lines.start;
            if place.is_note {
                write_note(&mut own[0], &today);
            } else {
                write_cells(own, &today);
            }
            let made = content_of(own, place.is_note);
            let comment = last_made::written(&lines[above.clone()].join("\n"), &block.spec, &made, ("#   ", ""));
            comments.push((above, comment));
        }
        // From the last, so that lines before it stay where they are.
        for (above, comment) in comments.into_iter().rev() {
            lines.splice(above, comment.lines().map(String::from));
        }
        let new = lines.join("\n") + "\n";
        if !asked.is_check && new != text {
            self.written.push(file.to_string());
            std::fs::write(root.join(file), new).map_err(|error| format!("{file}: {error}"))?;
        }
        Ok(())
    }
}

/// Returns the content of the cells or the note in lines of a file, as a block has it.
fn content_of(lines: &[String], is_note: bool) -> String {
    if is_note { lines[0][note_of(&lines[0])].to_string() } else { table(lines).markdown() }
}

/// Returns what a template makes of a file: the line of its comment, what that says, and the content. A file that
/// cannot be read is told of elsewhere.
pub(super) fn contents(text: &str) -> Vec<(usize, Spec, String)> {
    let lines: Vec<String> = text.lines().map(String::from).collect();
    let places = places(text).unwrap_or_default().into_iter();
    let made = places.filter_map(|place| {
        let (line, spec) = place.spec?;
        Some((line, spec, content_of(&lines[place.lines], place.is_note)))
    });
    made.collect()
}

/// A cell, a note or another line of a row, or what of it a template makes.
#[derive(Debug)]
pub(super) struct Part {
    /// Number of its line.
    pub line: usize,
    /// Which row of the file it is of.
    pub row: usize,
    pub text: String,
    pub is_note: bool,
    pub is_made: bool,
}

/// Returns what the rows of a file say, in order, without comments; a cell that is made in part is two.
pub(super) fn parts(text: &str) -> Vec<Part> {
    // A file that cannot be read is told of elsewhere.
    let places = places(text).unwrap_or_default();
    let lines: Vec<String> = text.lines().map(String::from).collect();
    let (mut parts, mut row) = (Vec::new(), 0);
    for (at, line) in lines.iter().enumerate() {
        row += usize::from(line.starts_with("[["));
        let mut push = |text: String, is_note: bool, is_made: bool| {
            parts.push(Part { line: at + 1, row, text, is_note, is_made });
        };
        let Some(place) = places.iter().find(|place| place.lines.contains(&at)) else {
            if !line.starts_with('#') {
                push(line.clone(), false, false);
            }
            continue;
        };
        if place.is_note {
            push(line[note_of(line)].to_string(), true, place.spec.is_some());
            continue;
        }
        let own = &lines[place.lines.clone()];
        let table = table(own);
        let cells = table.rows.iter().zip(cells_of(own)).filter(|(_, (own, _))| place.lines.start + own == at);
        for (row, (_, cell)) in cells {
            let made = |name: &str| {
                let is_made = place.spec.as_ref().is_some_and(|(_, spec)| is_made(spec, &table, row, name));
                field(line, &cell, name).filter(|_| is_made)
            };
            let mut typed = line[cell.clone()].to_string();
            for made in FIELDS.iter().filter_map(|name| made(name)).collect::<Vec<_>>().into_iter().rev() {
                typed.replace_range(made.start - cell.start..made.end - cell.start, "");
                push(line[made].to_string(), false, true);
            }
            push(typed, false, false);
        }
    }
    parts
}

/// Returns the cells and notes of a file, in order.
///
/// # Errors
/// The number of a line, and what is wrong with it.
fn places(text: &str) -> Result<Vec<Place>, (usize, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let (mut places, mut comment) = (Vec::new(), None::<(usize, String)>);
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let is_note = line.starts_with("note = ");
        match (&mut comment, line.strip_prefix('#')) {
            (None, Some(_)) if line.starts_with(BEGIN) => comment = Some((at + 1, line[1..].to_string())),
            (Some((_, said)), Some(more)) => *said += &format!("\n{more}"),
            _ if is_note || line.starts_with("cells = [") => {
                let length = if line.ends_with(']') || is_note {
                    1
                } else {
                    let end = lines[at..].iter().position(|line| *line == "]");
                    end.ok_or_else(|| (at + 1, "cells without an end".to_string()))? + 1
                };
                let parse =
                    |(line, said): (usize, String)| Ok((line, Spec::parse(&said).map_err(|error| (line, error))?));
                places.push(Place { lines: at..at + length, is_note, spec: comment.take().map(parse).transpose()? });
                at += length;
                continue;
            }
            (Some((line, _)), None) => {
                return Err((*line, "what makes cells or a note stands right above them".to_string()));
            }
            _ => {}
        }
        at += 1;
    }
    Ok(places)
}

/// Returns the place of a note's words in its line.
fn note_of(line: &str) -> Range<usize> {
    let start = "note = ".len();
    let quotes = if line[start..].starts_with("'''") { 3 } else { 1 };
    start + quotes..line.len() - quotes
}

fn write_note(line: &mut String, today: &str) {
    line.replace_range(note_of(line), &squeezed(today));
}

/// Returns the cells in lines of a file: the line of each from 0, and where its braces are.
fn cells_of(lines: &[String]) -> Vec<(usize, Range<usize>)> {
    let of_line = |(at, line): (usize, &String)| -> Vec<(usize, Range<usize>)> {
        let starts = line.match_indices('{').map(|(start, _)| start);
        starts.map(|start| (at, start..line[start..].find('}').map_or(line.len(), |end| start + end))).collect()
    };
    lines.iter().enumerate().flat_map(of_line).collect()
}

/// Returns the place in a line of a cell's value, without its quotation marks; `None` if the cell has not got it.
fn field(line: &str, cell: &Range<usize>, name: &str) -> Option<Range<usize>> {
    let key = format!(" {name} = ");
    let start = cell.start + line[cell.clone()].find(&key)? + key.len();
    let (start, ends): (usize, &[char]) = match line[start..].strip_prefix('"') {
        Some(_) => (start + 1, &['"']),
        None => (start, &[',', ' ', '}']),
    };
    Some(start..start + line[start..].find(ends)?)
}

/// Returns cells as a table.
fn table(lines: &[String]) -> Table {
    let cells = cells_of(lines);
    let words = |(at, cell): &(usize, Range<usize>), name: &str| {
        field(&lines[*at], cell, name).map_or_else(String::new, |place| lines[*at][place].to_string())
    };
    let of: Vec<Vec<String>> =
        cells.iter().map(|cell| words(cell, "of").split(", ").map(String::from).collect()).collect();
    let parts = of.iter().map(Vec::len).max().unwrap_or(0);
    let rows = cells.iter().zip(of).map(|(cell, mut row)| {
        row.resize(parts, String::new());
        row.extend(FIELDS.map(|name| words(cell, name)));
        row
    });
    let heads: Vec<String> = (1..=parts).map(|part| part.to_string()).chain(FIELDS.map(String::from)).collect();
    let text = Table { title: String::new(), is_right: vec![false; heads.len()], heads, rows: rows.collect() };
    // As it is read from a page.
    of_markdown(&text.markdown()).into_iter().next().unwrap_or_default()
}

fn write_cells(lines: &mut [String], today: &str) {
    let Some(today) = of_markdown(today).into_iter().next() else { return };
    let cells = cells_of(lines);
    // From the last, so that places before it stay what they are.
    for (row, (at, cell)) in today.rows.iter().zip(cells).rev() {
        for name in FIELDS.iter().rev() {
            let value = today.column(name, 0).map(|column| row[column].as_str());
            if let (Some(place), Some(value)) = (field(&lines[at], &cell, name), value) {
                lines[at].replace_range(place, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(is_check: bool) -> Asked {
        Asked { is_check, all: false, program: "no program".into(), pages: Vec::new() }
    }

    #[test]
    fn numbers_of_statements_are_those_of_their_recorded_runs() {
        let root = crate::root();
        let asked = asked(true);
        let mut reader = Reader::new(&root, asked.program.clone());
        let mut done = Done::default();
        // What the program says of its own records `cargo xtask docs --check` compares.
        let is_of_files = |block: &Block| block.spec.sources.iter().all(|(_, from)| !from.starts_with("raywarp "));
        for file in crate::files::ending(&root, FOLDER, &[".toml"]) {
            done.findings_where(&root, &file, (&asked, &is_of_files), &mut reader).unwrap();
        }
        assert_eq!(done.faults, Vec::<String>::new());
        assert!(done.blocks >= 35, "{}", done.blocks);
    }

    const RUN: &str = "kernel,kind,rate\na,ao,2\na,diffuse,4\nb,ao,3\nb,diffuse,4\n";
    const ROW: &str = r#"key = "x"

[[row]]
name = "one"
# made by: run.csv
#   rows: 1 = -; 2 = kind
#   names: diffuse rays = diffuse; sums = -
#   | ours | {100*(rate(kernel=b)/rate(kernel=a)-1):1}
cells = [
    { of = "b over a, ao", theirs = "7", ours = 50.0 },
    { of = "b over a, diffuse rays", ours = 0.0, half = 1 },
    { of = "b over a, sums", ours = 9 },
]
# made by: run.csv
#   text: It has {rate(kernel=a, kind=ao)} ([run.csv](../run.csv)).
note = "It has 2 ([run.csv](../run.csv))."

[[row]]
cells = [{ of = "typed", ours = 1 }]
note = '''Row 3 of [4 files](a-7.md), "Table 3"'''

[[row]]
note = "Nothing of [1](a.md), H200"
"#;

    /// Checks or makes a file of statements beside [`RUN`], and returns what came of it and the file.
    fn tried(text: &str, is_check: bool) -> (Vec<String>, String) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("run.csv"), RUN).unwrap();
        std::fs::write(folder.path().join("x.toml"), text).unwrap();
        let asked = asked(is_check);
        let (mut done, mut reader) = (Done::default(), Reader::new(folder.path(), asked.program.clone()));
        done.findings(folder.path(), "x.toml", &asked, &mut reader).unwrap();
        (done.faults, std::fs::read_to_string(folder.path().join("x.toml")).unwrap())
    }

    #[test]
    fn a_digit_that_the_source_has_not_is_told_and_made_anew() {
        assert_eq!(tried(ROW, true), (Vec::new(), ROW.to_string()));
        for (right, wrong, line) in [
            ("ours = 50.0", "ours = 51.0", "x.toml:10: b over a, ao, ours: "),
            ("ours = 0.0", "ours = 0.1", "x.toml:11: b over a, diffuse rays, ours: "),
            ("It has 2 ", "It has 3 ", "x.toml:16: "),
        ] {
            let planted = ROW.replace(right, wrong);
            let (faults, _) = tried(&planted, true);
            assert!(faults.len() == 1 && faults[0].starts_with(line), "{faults:?}");
            assert_eq!(tried(&planted, false), (Vec::new(), ROW.to_string()));
        }
    }

    #[test]
    fn what_nothing_makes_is_told_apart() {
        let of = |is_made: bool| parts(ROW).into_iter().filter(move |part| part.is_made == is_made);
        let made: Vec<(usize, String)> = of(true).map(|part| (part.line, part.text)).collect();
        let wanted = [(10, "50.0"), (11, "0.0"), (16, "It has 2 ([run.csv](../run.csv)).")];
        assert_eq!(made, wanted.map(|(line, text)| (line, text.to_string())));
        let typed: Vec<(usize, usize)> = of(false)
            .filter(|part| part.is_note || part.text.contains(" of = "))
            .map(|part| (part.line, part.row))
            .collect();
        assert_eq!(typed, [(10, 1), (11, 1), (12, 1), (19, 2), (20, 2), (23, 3)]);
    }

    #[test]
    fn a_comment_that_makes_nothing_is_told_with_its_line() {
        let line = |text: &str| places(text).unwrap_err().0;
        assert_eq!(line("a = 1\n# made by: run.csv\nname = 1\n"), 2);
        assert_eq!(line("# made by: run.csv\n#   check: often\nnote = \"a\"\n"), 1);
        assert_eq!(line("cells = [\n"), 1);
    }
}
