//! Lines of numbers.

use super::Fault;

/// The lines of a file without comments and without those that are empty then.
pub(super) struct Lines<'a> {
    rest: &'a str,
    /// Of the line that came last, counted from 1.
    pub number: u64,
}

impl<'a> Lines<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { rest: text.trim_start_matches('\u{feff}'), number: 0 }
    }

    /// Bytes that are left.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    pub fn next(&mut self) -> Option<&'a str> {
        while !self.rest.is_empty() {
            let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
            self.rest = rest;
            self.number += 1;
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() {
                return Some(line);
            }
        }
        None
    }

    /// Puts the words of the next line into `words`, and of those behind it until there are `least`.
    pub fn words(&mut self, least: usize, words: &mut Vec<&'a str>) -> Result<(), Fault> {
        words.clear();
        while words.is_empty() || words.len() < least {
            let Some(line) = self.next() else { return Err(self.fault("the file ends within the data")) };
            words.extend(line.split_ascii_whitespace());
        }
        Ok(())
    }

    /// A fault in the line that came last.
    pub fn fault(&self, message: impl Into<String>) -> Fault {
        Fault { line: self.number.max(1), message: message.into() }
    }

    /// A number that is finite.
    pub fn number(&self, word: &str) -> Result<f32, Fault> {
        match word.parse::<f32>() {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(_) => Err(self.fault(format!("`{word:.40}` is not finite"))),
            Err(_) => Err(self.fault(format!("`{word:.40}` is no number"))),
        }
    }
}
