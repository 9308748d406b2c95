//! STL as text: solids of facets. White space is free, so that a whole file may be one line; only the name of a solid
//! ends with its line, or before the first facet on it.

use super::fault::Fault;
use super::{Solid, Warnings};
use crate::import::origin::{Rounder, decimal};
use crate::import::text::{self, Lines, decode};
use crate::{Place, StlFault, StlWarning};

/// Keywords that begin the statements of a text STL file. Some programs write `end loop` and `end facet`.
const KEYWORDS: [&str; 8] = ["solid", "facet", "outer", "vertex", "endloop", "endfacet", "endsolid", "end"];

pub(super) fn parse(bytes: &[u8], rounder: &mut Rounder) -> Result<(Vec<Solid>, Warnings), Fault> {
    let text = decode(bytes).map_err(|kind| Fault { place: Place::Line(1), kind })?;
    let mut lines = Lines::new(&text);
    let mut parser = Parser { rounder, solids: Vec::new(), open: false, corners: None, unknown: 0 };
    while let Some(line) = lines.next() {
        let fault = |fault: StlFault| Fault { place: Place::Line(lines.number()), kind: fault.into() };
        parser.line(line).map_err(fault)?;
    }
    let last = Place::Line(lines.number());
    if parser.corners.is_some() {
        return Err(Fault { place: last, kind: StlFault::CutFacet.into() });
    }
    let mut warnings = Vec::new();
    if parser.unknown > 0 {
        warnings.push((Place::File, StlWarning::UnknownLines { count: parser.unknown }));
    }
    if parser.open {
        warnings.push((last, StlWarning::NoEnd));
    }
    Ok((parser.solids, warnings))
}

/// Returns `true` if a line is a comment, which STL does not have but some programs write.
pub(super) fn is_comment(line: &str) -> bool {
    ["#", ";", "//"].iter().any(|mark| line.trim_start().starts_with(mark))
}

struct Parser<'a> {
    rounder: &'a mut Rounder,
    solids: Vec<Solid>,
    /// `true` while the last solid of the list is open.
    open: bool,
    /// Corners of the facet being read; `None` outside of facets.
    corners: Option<Vec<[f64; 3]>>,
    /// Number of skipped lines such as `color`, which some programs write between facets.
    unknown: usize,
}

impl Parser<'_> {
    /// Parses all statements of a line.
    fn line(&mut self, line: &str) -> Result<(), StlFault> {
        let mut rest = if is_comment(line) { "" } else { line.trim() };
        while !rest.is_empty() {
            rest = self.statement(rest)?.trim_start();
        }
        Ok(())
    }

    /// Parses the first statement of `line` and returns the rest of it.
    fn statement<'a>(&mut self, line: &'a str) -> Result<&'a str, StlFault> {
        let (keyword, mut rest) = split_word(line);
        let mut name = keyword.to_ascii_lowercase();
        if name == "end" {
            let (second, behind) = split_word(rest.trim_start());
            name += &second.to_ascii_lowercase();
            rest = behind;
        }
        match name.as_str() {
            "solid" if !self.open => {
                let end = name_end(rest);
                self.open = true;
                self.solids.push(Solid { name: rest[..end].replace('\0', "").trim().to_string(), ..Solid::default() });
                Ok(&rest[end..])
            }
            "endsolid" if self.open && self.corners.is_none() => {
                self.open = false;
                Ok(&rest[next_solid(rest)..])
            }
            "facet" if self.open && self.corners.is_none() => {
                self.corners = Some(Vec::with_capacity(3));
                // The normal is not read.
                Ok(behind_words(rest, |word| !word.eq_ignore_ascii_case("outer")))
            }
            "outer" if self.corners.is_some() => Ok(behind_words(rest, |word| word.eq_ignore_ascii_case("loop"))),
            "endloop" if self.corners.is_some() => Ok(rest),
            "vertex" => self.vertex(rest),
            "endfacet" => self.end_facet().map(|()| rest),
            "solid" | "endsolid" | "facet" | "outer" | "endloop" => Err(StlFault::Misplaced { word: keyword.into() }),
            // Such as `color 1 0 0`; within a facet it would be a corner that is lost.
            _ if self.open && self.corners.is_none() && KNOWN_EXTRAS.contains(&name.as_str()) => {
                self.unknown += 1;
                Ok("")
            }
            _ => Err(StlFault::Keyword { word: text::start(keyword, 40) }),
        }
    }

    fn vertex<'a>(&mut self, mut rest: &'a str) -> Result<&'a str, StlFault> {
        let Some(corners) = self.corners.as_mut() else {
            return Err(StlFault::VertexOutside);
        };
        let mut position = [0.0; 3];
        for x in &mut position {
            let (word, behind) = split_word(rest.trim_start());
            if word.is_empty() || is_keyword(word) {
                return Err(StlFault::ShortVertex);
            }
            *x = decimal(word)
                .or_else(|| word.parse().ok())
                .ok_or_else(|| StlFault::Number { word: text::start(word, 40) })?;
            rest = behind;
        }
        let next = split_word(rest.trim_start()).0;
        if !next.is_empty() && !is_keyword(next) {
            return Err(StlFault::LongVertex);
        }
        if corners.len() == 3 {
            return Err(StlFault::LongFacet);
        }
        corners.push(position);
        Ok(rest)
    }

    fn end_facet(&mut self) -> Result<(), StlFault> {
        let misplaced = || StlFault::Misplaced { word: "endfacet".into() };
        let corners = self.corners.take().ok_or_else(misplaced)?;
        let corners: [[f64; 3]; 3] =
            corners.try_into().map_err(|corners: Vec<_>| StlFault::ShortFacet { vertices: corners.len() })?;
        self.solids.last_mut().ok_or_else(misplaced)?.push(&corners, self.rounder)
    }
}

/// Names of statements that programs add between facets and that do not concern triangles.
const KNOWN_EXTRAS: [&str; 2] = ["color", "colour"];

fn is_keyword(word: &str) -> bool {
    KEYWORDS.iter().any(|keyword| word.eq_ignore_ascii_case(keyword))
}

/// Splits `text` into its first word and the rest.
fn split_word(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len()))
}

/// Returns the rest of `text` behind those first words for which `skip` is `true`.
fn behind_words(mut text: &str, skip: impl Fn(&str) -> bool) -> &str {
    loop {
        let (word, behind) = split_word(text.trim_start());
        if word.is_empty() || !skip(word) {
            return text;
        }
        text = behind;
    }
}

/// Iterates over the words of `text`: byte offset, word, and the text behind it.
fn words(text: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += text[at..].len() - text[at..].trim_start().len();
        let (word, behind) = split_word(&text[at..]);
        let found = (at, word, behind);
        at += word.len();
        (!word.is_empty()).then_some(found)
    })
}

/// Returns the byte offset at which a solid's name ends on its line: before `facet normal` or `endsolid`. The name may
/// hold the first word alone.
fn name_end(text: &str) -> usize {
    let is_end = |&(_, word, behind): &(usize, &str, &str)| {
        let next = split_word(behind.trim_start()).0;
        word.eq_ignore_ascii_case("facet") && next.eq_ignore_ascii_case("normal")
            || word.eq_ignore_ascii_case("endsolid")
    };
    words(text).find(is_end).map_or(text.len(), |(at, ..)| at)
}

/// Returns the byte offset at which another solid with facets begins on the line of an `endsolid`; else the end.
fn next_solid(text: &str) -> usize {
    let is_solid = |&(_, word, behind): &(usize, &str, &str)| {
        word.eq_ignore_ascii_case("solid") && name_end(behind) < behind.len()
    };
    words(text).find(is_solid).map_or(text.len(), |(at, ..)| at)
}
