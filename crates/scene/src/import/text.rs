//! Lines of text files, for every format that is text.
//!
//! A line ends with LF, CR LF, or CR alone, as programs on old Macs wrote it. A byte order mark at the beginning is no
//! part of the text. UTF-16 and UTF-32 are refused by their names: their lines would otherwise be keywords that nobody
//! knows.

use crate::FaultKind;
use std::borrow::Cow;

/// Decodes a text file without its byte order mark, and replaces bytes that are no UTF-8, such as names in Latin-1.
///
/// # Errors
/// [`FaultKind::WideText`] where it is UTF-16 or UTF-32.
pub(crate) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, FaultKind> {
    refuse_wide(bytes)?;
    Ok(String::from_utf8_lossy(without_mark(bytes)))
}

/// Returns at most the first `letters` letters of a word of a file, for a message.
pub(crate) fn start(word: &str, letters: usize) -> String {
    word.chars().take(letters).collect()
}

/// Returns the bytes behind a UTF-8 byte order mark, if there is one.
pub(crate) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Returns an error for text in UTF-16 or UTF-32, which has a byte order mark or zeros between its first letters.
///
/// # Errors
/// [`FaultKind::WideText`].
pub(crate) fn refuse_wide(bytes: &[u8]) -> Result<(), FaultKind> {
    let is_text = |byte: u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    let (bits, is_big) = match *bytes {
        [0xff, 0xfe, 0, 0, _, _, 0, 0, ..] => (32, false),
        [0, 0, 0xfe, 0xff, 0, 0, ..] => (32, true),
        [a, 0, 0, 0, b, 0, 0, 0, ..] if is_text(a) && is_text(b) => (32, false),
        [0, 0, 0, a, 0, 0, 0, b, ..] if is_text(a) && is_text(b) => (32, true),
        [0xff, 0xfe, _, 0, ..] => (16, false),
        [0xfe, 0xff, 0, _, ..] => (16, true),
        [a, 0, b, 0, ..] if is_text(a) && is_text(b) => (16, false),
        [0, a, 0, b, ..] if is_text(a) && is_text(b) => (16, true),
        _ => return Ok(()),
    };
    Err(FaultKind::WideText { bits, is_big })
}

/// Returns the byte offsets at which the line from `from` on ends and the next one begins.
pub(crate) fn line_end(bytes: &[u8], from: usize) -> (usize, usize) {
    let rest = &bytes[from..];
    let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
    let length = match &rest[end..] {
        [b'\r', b'\n', ..] => 2,
        [] => 0,
        _ => 1,
    };
    (from + end, from + end + length)
}

/// Iterator over the lines of a text, without line ends.
pub(crate) struct Lines<'a> {
    rest: &'a str,
    /// `true` if any line may end with CR; without, lines are found faster.
    has_cr: bool,
    number: u64,
}

impl<'a> Lines<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { rest: text.trim_start_matches('\u{feff}'), has_cr: text.as_bytes().contains(&b'\r'), number: 0 }
    }

    /// Returns the number of bytes not yet read.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    /// Returns the number of the line returned last, counted from 1; 0 before the first.
    pub fn number(&self) -> u64 {
        self.number
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        self.number += 1;
        let (line, rest) = if self.has_cr {
            let (end, next) = line_end(self.rest.as_bytes(), 0);
            (&self.rest[..end], &self.rest[next..])
        } else {
            self.rest.split_once('\n').unwrap_or((self.rest, ""))
        };
        self.rest = rest;
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_of_a_line_is_one_whatever_the_others_are() {
        let check = |text: &str, want: &[&str]| {
            let text = decode(text.as_bytes()).unwrap();
            let mut lines = Lines::new(&text);
            assert_eq!(lines.by_ref().collect::<Vec<_>>(), want);
            assert_eq!((lines.number(), lines.left()), (want.len() as u64, 0));
        };
        for end in ["\n", "\r\n", "\r"] {
            check(&"\u{feff}v 1#\n\nf \n".replace('\n', end), &["v 1#", "", "f "]);
            check(&"a\nb".replace('\n', end), &["a", "b"]);
            check(end, &[""]);
        }
        check("a\r\r\nb\n\rc\r", &["a", "", "b", "", "c"]);
        check("", &[]);
    }

    #[test]
    fn utf_16_and_utf_32_are_refused_by_their_names_with_and_without_their_marks() {
        let refused = |bytes: &[u8], bits, is_big| {
            assert_eq!(decode(bytes), Err(FaultKind::WideText { bits, is_big }));
        };
        for mark in ["", "\u{feff}"] {
            let text = format!("{mark}v 0 0 0\n");
            let units: Vec<u16> = text.encode_utf16().collect();
            refused(&units.iter().flat_map(|unit| unit.to_le_bytes()).collect::<Vec<u8>>(), 16, false);
            refused(&units.iter().flat_map(|unit| unit.to_be_bytes()).collect::<Vec<u8>>(), 16, true);
            let units = || text.chars().map(u32::from);
            refused(&units().flat_map(u32::to_le_bytes).collect::<Vec<u8>>(), 32, false);
            refused(&units().flat_map(u32::to_be_bytes).collect::<Vec<u8>>(), 32, true);
        }
        for text in [&b"v\0 1"[..], b"v", b"\xff\xfe\xff", b"\0\0\0\0", b"v\0\xff\0", b"v\0\0\0\0\0\0\0"] {
            assert!(decode(text).is_ok(), "{text:?}");
        }
    }
}
