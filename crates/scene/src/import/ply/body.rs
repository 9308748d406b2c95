//! The body of a PLY file as a sequence of numbers, whether text or binary.
//!
//! A text has a record a line, and what a line holds beyond what the header announces is not read: programs add normals
//! and qualities to the lines and not to the header. A text whose lines are too short for that is read as free numbers,
//! if these end just where the text does.

use super::Warnings;
use super::fault::Fault;
use super::header::{Element, Format, Header, Kind, Scalar};
use crate::import::text;
use crate::{Place, PlyFault, PlyWarning};

pub(super) struct Body<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Byte offset at which the last number began.
    last: usize,
    format: Format,
    line: u64,
    /// State for text bodies with one record on each line; `None` for others.
    records: Option<Records>,
    /// `true` if all elements that the header announces were read.
    is_complete: bool,
}

/// Position in a text body with a record on each line, and counts of odd lines.
#[derive(Debug, Default)]
struct Records {
    /// Byte offset of the end of the current record's line, where the next begins.
    end: usize,
    next: usize,
    /// Number of lines with more numbers than announced; the first of them follows.
    longer: u64,
    first_longer: u64,
}

impl<'a> Body<'a> {
    /// Starts reading the body of a PLY file; `by_lines` is `true` if a text has one record on each line.
    pub fn new(bytes: &'a [u8], header: &Header, by_lines: bool) -> Self {
        let records = (by_lines && header.format == Format::Ascii).then(|| Records {
            end: header.body,
            next: header.body,
            ..Records::default()
        });
        // The first line is counted when its record begins.
        let line = header.body_line - u64::from(records.is_some());
        Self { bytes, at: header.body, last: header.body, format: header.format, line, records, is_complete: false }
    }

    pub fn is_binary(&self) -> bool {
        self.format != Format::Ascii
    }

    pub fn is_big_endian(&self) -> bool {
        self.format == Format::Big
    }

    /// Returns the position of the next number, for messages.
    pub fn place(&self) -> Place {
        match self.format {
            Format::Ascii => Place::Line(self.line),
            _ => Place::Offset(self.at as u64),
        }
    }

    /// Returns the position of the last number, for messages.
    pub fn last_place(&self) -> Place {
        match self.format {
            Format::Ascii => Place::Line(self.line),
            _ => Place::Offset(self.last as u64),
        }
    }

    /// Returns the bytes not yet read.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Skips `count` of the bytes that [`Body::rest`] returns.
    pub fn skip(&mut self, count: usize) {
        self.at = (self.at + count).min(self.bytes.len());
    }

    /// Begins a record: in a text, moves to the next line that is not blank.
    #[inline]
    pub fn begin_record(&mut self) -> Result<(), Fault> {
        let Some(records) = &mut self.records else { return Ok(()) };
        loop {
            if records.next == self.bytes.len() {
                return Err(Fault::malformed(Place::Line(self.line), PlyFault::CutData));
            }
            self.at = records.next;
            (records.end, records.next) = text::line_end(self.bytes, self.at);
            self.line += 1;
            if !self.bytes[self.at..records.end].trim_ascii_start().is_empty() {
                return Ok(());
            }
        }
    }

    /// Ends a record: counts what is left of its line and skips it.
    #[inline]
    pub fn end_record(&mut self) {
        let Some(records) = &mut self.records else { return };
        if !self.bytes[self.at..records.end].trim_ascii_start().is_empty() {
            if records.longer == 0 {
                records.first_longer = self.line;
            }
            records.longer += 1;
        }
        self.at = records.end;
    }

    /// Records that all elements were read, so that the rest of the file is surplus.
    pub fn complete(&mut self) {
        self.is_complete = true;
    }

    /// Ends reading; returns warnings about surplus data, each with its position.
    ///
    /// # Errors
    /// A text of free numbers goes on.
    pub fn finish(self) -> Result<Warnings, Fault> {
        let Some(records) = self.records else {
            // A line end behind binary data holds nothing.
            if self.is_binary() && !self.is_complete || self.rest().trim_ascii().is_empty() {
                return Ok(Vec::new());
            }
            if self.is_binary() {
                let count = self.rest().len();
                return Ok(vec![(self.place(), PlyWarning::BytesBehind { count }.into())]);
            }
            return Err(Fault::malformed(self.place(), PlyFault::TextBehind));
        };
        let mut left_out = Vec::new();
        if records.longer > 0 {
            let count = records.longer as usize;
            left_out.push((Place::Line(records.first_longer), PlyWarning::LongLines { count }.into()));
        }
        if !self.is_complete {
            return Ok(left_out);
        }
        let (mut at, mut line, mut behind, mut first) = (records.next, self.line, 0, 0);
        while at < self.bytes.len() {
            let (end, next) = text::line_end(self.bytes, at);
            line += 1;
            if !self.bytes[at..end].trim_ascii().is_empty() {
                first = if behind == 0 { line } else { first };
                behind += 1;
            }
            at = next;
        }
        if behind > 0 {
            left_out.push((Place::Line(first), PlyWarning::LinesBehind { count: behind }.into()));
        }
        Ok(left_out)
    }

    /// Returns an error if the rest of the file cannot hold all of an element's records, before memory is allocated.
    pub fn check_count(&self, element: &Element) -> Result<(), Fault> {
        let least: u64 = match self.format {
            // A digit and a space each; the last may end with the file.
            Format::Ascii => 2 * element.properties.len() as u64,
            _ => element
                .properties
                .iter()
                .map(|p| match p.kind {
                    Kind::Scalar(scalar) => scalar.size() as u64,
                    Kind::List { count, .. } => count.size() as u64,
                })
                .sum(),
        };
        let left = self.rest().len() as u64;
        if element.count.saturating_mul(least) > left + 1 {
            return Err(Fault::malformed(
                Place::Line(element.line),
                PlyFault::Elements { count: element.count, name: element.name.clone(), left },
            ));
        }
        Ok(())
    }

    /// Reads the next number, of type `kind`.
    #[inline]
    pub fn scalar(&mut self, kind: Scalar) -> Result<f64, Fault> {
        if self.format == Format::Ascii {
            return self.number();
        }
        let size = kind.size();
        let Some(bytes) = self.bytes.get(self.at..self.at + size) else {
            return Err(Fault::malformed(self.place(), PlyFault::CutData));
        };
        self.last = self.at;
        self.at += size;
        Ok(kind.read(bytes, self.format == Format::Big))
    }

    /// Reads the length of a list, and checks that the rest of the file can hold that many items.
    pub fn length(&mut self, count: Scalar, item: Scalar) -> Result<usize, Fault> {
        let length = self.scalar(count)?;
        let least = if self.is_binary() { item.size() } else { 2 };
        if !(length >= 0.0 && length.fract() == 0.0) {
            return Err(Fault::malformed(self.last_place(), PlyFault::ListLength { length }));
        }
        if length * least as f64 > self.rest().len() as f64 + 1.0 {
            return Err(Fault::malformed(self.last_place(), PlyFault::CutList { length }));
        }
        Ok(length as usize)
    }

    /// Skips a property that is not used.
    pub fn skip_property(&mut self, kind: Kind) -> Result<(), Fault> {
        match kind {
            Kind::Scalar(scalar) => self.scalar(scalar).map(|_| ()),
            Kind::List { count, item } => {
                for _ in 0..self.length(count, item)? {
                    self.scalar(item)?;
                }
                Ok(())
            }
        }
    }

    /// Reads the next word of a text body as a number.
    fn number(&mut self) -> Result<f64, Fault> {
        let limit = self.records.as_ref().map_or(self.bytes.len(), |records| records.end);
        while let Some(byte) = self.bytes[self.at..limit].first().filter(|byte| byte.is_ascii_whitespace()) {
            let ends_line = *byte == b'\n' || (*byte == b'\r' && self.bytes.get(self.at + 1) != Some(&b'\n'));
            self.line += u64::from(ends_line);
            self.at += 1;
        }
        let rest = &self.bytes[self.at..limit];
        let word = &rest[..rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len())];
        self.at += word.len();
        if word.is_empty() {
            let is_end = self.rest().trim_ascii().is_empty();
            return Err(Fault::malformed(self.place(), if is_end { PlyFault::CutData } else { PlyFault::ShortLine }));
        }
        std::str::from_utf8(word).ok().and_then(|word| word.parse().ok()).ok_or_else(|| {
            Fault::malformed(self.place(), PlyFault::Number { word: text::start(&String::from_utf8_lossy(word), 40) })
        })
    }
}
