//! Lines of numbers of OFF files.

use super::fault::Fault;
use crate::OffFault;
use crate::import::origin::decimal;
use crate::import::text;

/// Iterator over the lines of an OFF file, without comments and blank lines.
pub(super) struct Lines<'a> {
    lines: text::Lines<'a>,
}

impl<'a> Lines<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { lines: text::Lines::new(text) }
    }

    /// Returns the number of bytes not yet read.
    pub fn left(&self) -> usize {
        self.lines.left()
    }

    pub fn next(&mut self) -> Option<&'a str> {
        let mut lines = self.lines.by_ref().map(|line| line.split('#').next().unwrap_or_default().trim());
        lines.find(|line| !line.is_empty())
    }

    /// Reads the words of the next line into `words`, and of further lines until there are at least `least`.
    pub fn words(&mut self, least: usize, words: &mut Vec<&'a str>) -> Result<(), Fault> {
        words.clear();
        while words.is_empty() || words.len() < least {
            let Some(line) = self.next() else { return Err(self.fault(OffFault::CutData)) };
            words.extend(line.split_ascii_whitespace());
        }
        Ok(())
    }

    /// Returns the number of the line that was read last.
    pub fn line(&self) -> u64 {
        self.lines.number()
    }

    /// Makes an error in the line that was read last.
    pub fn fault(&self, fault: OffFault) -> Fault {
        Fault { line: self.lines.number().max(1), kind: fault.into() }
    }

    /// Parses a number in f64 that is finite as f32.
    pub fn wide_number(&self, word: &str) -> Result<f64, Fault> {
        decimal(word).map_or_else(|| self.number(word).map(f64::from), Ok)
    }

    /// Parses a finite number in f32.
    pub fn number(&self, word: &str) -> Result<f32, Fault> {
        match word.parse::<f32>() {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(_) => Err(self.fault(OffFault::NotFinite { word: text::start(word, 40) })),
            Err(_) => Err(self.fault(OffFault::Number { word: text::start(word, 40) })),
        }
    }
}
