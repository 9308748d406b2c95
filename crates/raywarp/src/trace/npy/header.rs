//! The header of an `.npy` file: a Python dictionary of three entries, of which a small part of
//! Python's literals is needed.

use super::NpyFault;
use super::layout::{RayLayout, Scalar};
use std::fmt;

/// Deepest nesting of lists in a `.npy` header: structured types of structured types have some.
const DEPTH_LIMIT: u32 = 16;
/// Largest number of characters of a file's header that an error message quotes.
const QUOTE_LIMIT: usize = 40;

/// Fault in a `.npy` header, with its byte offset.
#[derive(Debug, PartialEq)]
pub(super) struct Fault {
    pub at: usize,
    pub what: NpyFault,
}

/// Three entries of a `.npy` header (type, order, shape), each with its byte offset.
#[derive(Debug)]
pub(super) struct Header {
    descr: (usize, Literal),
    fortran_order: (usize, Literal),
    shape: (usize, Literal),
}

/// Python literal in a `.npy` header.
#[derive(Debug, PartialEq)]
enum Literal {
    Text(String),
    Bool(bool),
    Int(u64),
    /// Python list or tuple.
    List(Vec<Literal>),
}

/// Prints the literal in Python's syntax, shortened if long.
impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => {
                let short: String = text.chars().take(QUOTE_LIMIT).collect();
                write!(f, "'{}'", short.escape_debug())
            }
            Self::Bool(value) => f.write_str(if *value { "True" } else { "False" }),
            Self::Int(value) => value.fmt(f),
            Self::List(list) => {
                let short: Vec<String> = list.iter().take(4).map(ToString::to_string).collect();
                let rest = if list.len() > short.len() { ", ..." } else { "" };
                let comma = if list.len() == 1 { "," } else { "" };
                write!(f, "({}{comma}{rest})", short.join(", "))
            }
        }
    }
}

impl Header {
    /// Parses the text of a `.npy` header, `{'descr': ..., 'fortran_order': ..., 'shape': ...}` with its padding.
    pub fn parse(text: &[u8]) -> Result<Self, Fault> {
        let mut parser = Parser { text, at: 0 };
        let [mut descr, mut fortran_order, mut shape] = [None, None, None];
        parser.expect(b'{')?;
        while !parser.accept(b'}') {
            let at = parser.skip_space();
            let key = parser.literal(0)?;
            let place = match &key {
                Literal::Text(key) if key == "descr" => &mut descr,
                Literal::Text(key) if key == "fortran_order" => &mut fortran_order,
                Literal::Text(key) if key == "shape" => &mut shape,
                _ => return Err(Fault { at, what: NpyFault::UnknownEntry(key.to_string()) }),
            };
            if place.is_some() {
                return Err(Fault { at, what: NpyFault::TwoEntries(key.to_string()) });
            }
            parser.expect(b':')?;
            *place = Some((parser.skip_space(), parser.literal(0)?));
            if !parser.accept(b',') {
                parser.expect(b'}')?;
                break;
            }
        }
        if parser.skip_space() < text.len() {
            return Err(parser.fault(NpyFault::AfterHeader));
        }
        let missing = |key| Fault { at: text.len(), what: NpyFault::MissingEntry(key) };
        Ok(Self {
            descr: descr.ok_or_else(|| missing("descr"))?,
            fortran_order: fortran_order.ok_or_else(|| missing("fortran_order"))?,
            shape: shape.ok_or_else(|| missing("shape"))?,
        })
    }

    /// Returns the layout of the file's array, or the reason why it isn't one of rays.
    pub fn ray_layout(&self) -> Result<RayLayout, Fault> {
        let (scalar, big_endian) = self.ray_scalar()?;
        let (at, shape) = &self.shape;
        let wrong = |what: NpyFault| Err(Fault { at: *at, what });
        let Literal::List(sides) = shape else {
            return wrong(NpyFault::NoTuple(shape.to_string()));
        };
        let (count, columns) = match sides[..] {
            [Literal::Int(count), Literal::Int(columns @ (6 | 8))] => (count, columns),
            [Literal::Int(columns @ (6 | 8))] => (1, columns),
            [.., Literal::Int(columns @ (6 | 8))] => {
                return wrong(NpyFault::Sides { shape: shape.to_string(), columns });
            }
            _ => return wrong(NpyFault::Shape(shape.to_string())),
        };
        if count > u64::from(u32::MAX) {
            return wrong(NpyFault::TooManyRays(count));
        }
        match &self.fortran_order {
            (_, Literal::Bool(fortran)) => {
                let by_column = *fortran && sides.len() == 2;
                Ok(RayLayout { count, columns: columns as usize, scalar, big_endian, by_column })
            }
            (at, other) => Err(Fault { at: *at, what: NpyFault::Order(other.to_string()) }),
        }
    }

    /// Returns the array's number type, and `true` if it is big-endian.
    fn ray_scalar(&self) -> Result<(Scalar, bool), Fault> {
        let (at, descr) = &self.descr;
        let what = match descr {
            Literal::Text(text) => match text.as_str() {
                "<f4" => return Ok((Scalar::F32, false)),
                ">f4" => return Ok((Scalar::F32, true)),
                "<f8" => return Ok((Scalar::F64, false)),
                ">f8" => return Ok((Scalar::F64, true)),
                _ => NpyFault::Type(descr.to_string()),
            },
            _ => NpyFault::Record,
        };
        Err(Fault { at: *at, what })
    }
}

/// Parser of a `.npy` header: its text and the current position.
struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn fault(&self, what: NpyFault) -> Fault {
        Fault { at: self.at, what }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Skips white space, and returns the position of the next byte.
    fn skip_space(&mut self) -> usize {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
        self.at
    }

    fn accept(&mut self, byte: u8) -> bool {
        self.skip_space();
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn expect(&mut self, byte: u8) -> Result<(), Fault> {
        if self.accept(byte) {
            return Ok(());
        }
        Err(self.fault(NpyFault::Expected(char::from(byte))))
    }

    fn literal(&mut self, depth: u32) -> Result<Literal, Fault> {
        self.skip_space();
        match self.peek() {
            Some(quote @ (b'\'' | b'"')) => self.string(quote),
            Some(b'0'..=b'9') => self.integer(),
            Some(b'(') => self.list(b')', depth),
            Some(b'[') => self.list(b']', depth),
            _ => {
                for (name, value) in [("True", true), ("False", false)] {
                    if self.text[self.at..].starts_with(name.as_bytes()) {
                        self.at += name.len();
                        return Ok(Literal::Bool(value));
                    }
                }
                Err(self.fault(NpyFault::ExpectedValue))
            }
        }
    }

    /// Reads a quoted string without escapes, which no type name needs.
    fn string(&mut self, quote: u8) -> Result<Literal, Fault> {
        let rest = &self.text[self.at + 1..];
        let Some(length) = rest.iter().position(|&byte| byte == quote) else {
            return Err(self.fault(NpyFault::OpenText));
        };
        self.at += length + 2;
        Ok(Literal::Text(String::from_utf8_lossy(&rest[..length]).into_owned()))
    }

    fn integer(&mut self) -> Result<Literal, Fault> {
        let digits = self.text[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let value = self.text[self.at..][..digits]
            .iter()
            .try_fold(0u64, |value, digit| value.checked_mul(10)?.checked_add(u64::from(digit - b'0')))
            .ok_or_else(|| self.fault(NpyFault::LargeNumber))?;
        self.at += digits;
        // Python 2 wrote long integers so.
        self.at += usize::from(self.peek() == Some(b'L'));
        Ok(Literal::Int(value))
    }

    fn list(&mut self, end: u8, depth: u32) -> Result<Literal, Fault> {
        if depth == DEPTH_LIMIT {
            return Err(self.fault(NpyFault::Nested));
        }
        self.at += 1;
        let mut list = Vec::new();
        while !self.accept(end) {
            list.push(self.literal(depth + 1)?);
            if !self.accept(b',') {
                self.expect(end)?;
                break;
            }
        }
        // Parentheses around one value mean nothing.
        let single = end == b')' && list.len() == 1 && self.text[..self.at - 1].trim_ascii_end().last() != Some(&b',');
        Ok(if single { list.remove(0) } else { Literal::List(list) })
    }
}
