//! Elements of an XML part, one after the other, without anything that expands: entities are not resolved, and a
//! document type is refused.

use crate::ThreeMfFault;
use crate::import::origin::decimal;
use crate::import::text;
use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use std::cell::Cell;

/// Mistake in the XML of a part, with its line number.
#[derive(Debug)]
pub(super) struct Fault {
    pub line: u64,
    pub fault: ThreeMfFault,
}

/// XML reader of a part, element by element.
pub(super) struct Xml<'a> {
    reader: Reader<&'a [u8]>,
    text: &'a str,
    /// Cache of a byte offset and its line number, up to which lines were counted.
    counted: Cell<(usize, u64)>,
}

/// Start tag of an element, with its attributes.
pub(super) type Element<'a> = BytesStart<'a>;

impl<'a> Xml<'a> {
    pub fn new(text: &'a str) -> Self {
        let mut reader = Reader::from_str(text);
        // An element without content then begins and ends as any other.
        reader.config_mut().expand_empty_elements = true;
        Self { reader, text, counted: Cell::new((0, 1)) }
    }

    /// Makes an error at the current line.
    pub fn fault(&self, fault: ThreeMfFault) -> Fault {
        Fault { line: self.line(), fault }
    }

    /// Returns the current line number, counted from 1. All calls together look at each byte once.
    pub fn line(&self) -> u64 {
        let (from, line) = self.counted.get();
        let at = (self.reader.buffer_position() as usize).clamp(from, self.text.len());
        let ends = self.text.as_bytes()[from..at].iter().filter(|&&byte| byte == b'\n').count();
        self.counted.set((at, line + ends as u64));
        line + ends as u64
    }

    /// Reads the start of the outermost element, which must have the local name `name`.
    pub fn root(&mut self, name: &'static str) -> Result<Element<'a>, Fault> {
        match self.event()? {
            Some(Event::Start(element)) if element.local_name().into_inner() == name => Ok(element),
            _ => Err(self.fault(ThreeMfFault::Root { name })),
        }
    }

    /// Reads the start of the next child of the element that is open; `None` at that element's end.
    pub fn child(&mut self) -> Result<Option<Element<'a>>, Fault> {
        match self.event()? {
            Some(Event::Start(element)) => Ok(Some(element)),
            Some(_) => Ok(None),
            None => Err(self.fault(ThreeMfFault::Cut)),
        }
    }

    /// Skips the contents of `element` and its end tag.
    pub fn skip(&mut self, element: &Element) -> Result<(), Fault> {
        match self.reader.read_to_end(element.name()) {
            Ok(_) => Ok(()),
            Err(error) => Err(self.fault(ThreeMfFault::Xml { error: error.to_string() })),
        }
    }

    /// Reads the next start or end tag; `None` at the end of the part.
    fn event(&mut self) -> Result<Option<Event<'a>>, Fault> {
        loop {
            match self.reader.read_event() {
                Ok(event @ (Event::Start(_) | Event::End(_))) => return Ok(Some(event)),
                Ok(Event::Eof) => return Ok(None),
                Ok(Event::DocType(_)) => {
                    return Err(self.fault(ThreeMfFault::DocumentType));
                }
                Ok(_) => {}
                Err(error) => return Err(self.fault(ThreeMfFault::Xml { error: error.to_string() })),
            }
        }
    }

    /// Calls `each` with the name and value of every attribute; its errors get the line number.
    pub fn attributes(
        &self,
        element: &Element,
        mut each: impl FnMut(&str, &str) -> Result<(), ThreeMfFault>,
    ) -> Result<(), Fault> {
        // The check for two of a name takes time that grows with the square of their count.
        for attribute in element.attributes().with_checks(false) {
            let attribute = attribute.map_err(|error| self.fault(ThreeMfFault::Xml { error: error.to_string() }))?;
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map_err(|error| self.fault(ThreeMfFault::Xml { error: error.to_string() }))?;
            each(attribute.key.into_inner(), &value).map_err(|fault| self.fault(fault))?;
        }
        Ok(())
    }
}

/// Returns the local part of a name, without its prefix.
pub(super) fn local(name: &str) -> &str {
    name.split_once(':').map_or(name, |(_, local)| local)
}

/// Parses a number in f64 that is finite as f32.
pub(super) fn number(value: &str) -> Result<f64, ThreeMfFault> {
    let word = value.trim();
    decimal(word).ok_or_else(|| match word.parse::<f64>() {
        Ok(_) => ThreeMfFault::NotFinite { word: text::start(value, 40) },
        Err(_) => ThreeMfFault::Number { word: text::start(value, 40) },
    })
}

/// Parses a non-negative integer, an index or an id.
pub(super) fn index(value: &str) -> Result<u32, ThreeMfFault> {
    value.trim().parse().map_err(|_| ThreeMfFault::Index { word: text::start(value, 40) })
}
