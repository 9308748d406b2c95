//! The body as a sequence of numbers, whether text or binary.

use super::Fault;
use super::header::{Element, Format, Header, Kind, Scalar};
use crate::Place;

pub(super) struct Body<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where the last number began.
    last: usize,
    format: Format,
    line: u64,
}

impl<'a> Body<'a> {
    pub fn new(bytes: &'a [u8], header: &Header) -> Self {
        Self { bytes, at: header.body, last: header.body, format: header.format, line: header.body_line }
    }

    pub fn is_binary(&self) -> bool {
        self.format != Format::Ascii
    }

    pub fn is_big_endian(&self) -> bool {
        self.format == Format::Big
    }

    /// Where the next number stands.
    pub fn place(&self) -> Place {
        match self.format {
            Format::Ascii => Place::Line(self.line),
            _ => Place::Offset(self.at as u64),
        }
    }

    /// Where the last number stood.
    pub fn last_place(&self) -> Place {
        match self.format {
            Format::Ascii => Place::Line(self.line),
            _ => Place::Offset(self.last as u64),
        }
    }

    /// What is left.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Steps over `count` bytes of [`Body::rest`].
    pub fn skip(&mut self, count: usize) {
        self.at = (self.at + count).min(self.bytes.len());
    }

    /// Refuses an element that the rest of the file cannot hold, before room is made for it.
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
                format!("{} elements `{}` do not fit into the {left} bytes that follow", element.count, element.name),
            ));
        }
        Ok(())
    }

    /// The next number.
    #[inline]
    pub fn scalar(&mut self, kind: Scalar) -> Result<f64, Fault> {
        if self.format == Format::Ascii {
            return self.number();
        }
        let size = kind.size();
        let Some(bytes) = self.bytes.get(self.at..self.at + size) else {
            return Err(Fault::malformed(self.place(), "the file ends within the data"));
        };
        self.last = self.at;
        self.at += size;
        Ok(kind.read(bytes, self.format == Format::Big))
    }

    /// The length of a list, of which the file can hold that many items.
    pub fn length(&mut self, count: Scalar, item: Scalar) -> Result<usize, Fault> {
        let length = self.scalar(count)?;
        let least = if self.is_binary() { item.size() } else { 2 };
        if !(length >= 0.0 && length.fract() == 0.0) {
            return Err(Fault::malformed(self.last_place(), format!("a list of {length} items")));
        }
        if length * least as f64 > self.rest().len() as f64 + 1.0 {
            return Err(Fault::malformed(
                self.last_place(),
                format!("a list of {length} items, but the file ends before"),
            ));
        }
        Ok(length as usize)
    }

    /// Steps over a property that is not used.
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

    /// The next word of a text as a number.
    fn number(&mut self) -> Result<f64, Fault> {
        let rest = &self.bytes[self.at..];
        let mut start = 0;
        while let Some(b) = rest.get(start).filter(|b| b.is_ascii_whitespace()) {
            self.line += u64::from(*b == b'\n');
            start += 1;
        }
        let rest = &rest[start..];
        let word = &rest[..rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len())];
        self.at += start + word.len();
        if word.is_empty() {
            return Err(Fault::malformed(self.place(), "the file ends within the data"));
        }
        std::str::from_utf8(word).ok().and_then(|word| word.parse().ok()).ok_or_else(|| {
            Fault::malformed(self.place(), format!("`{:.40}` is no number", String::from_utf8_lossy(word)))
        })
    }
}
