//! Lines of OBJ and MTL files.

use crate::import::text;
use std::borrow::Cow;

/// Iterator over logical lines: without comments and blank lines, with continued lines joined.
pub(super) struct Lines<'a> {
    lines: text::Lines<'a>,
    /// Line number of the first comment with vertex colours in the form of ZBrush.
    pub first_painted: Option<u64>,
}

/// Logical line: a keyword and what follows it.
pub(super) struct Line<'a> {
    /// Line number of the first of the joined lines, counted from 1.
    pub number: u64,
    text: Cow<'a, str>,
}

impl Line<'_> {
    /// Returns the first word of the line.
    pub fn keyword(&self) -> &str {
        self.text.split_ascii_whitespace().next().unwrap_or_default()
    }

    /// Returns the text behind the keyword, spaces inside it included, as names may have them.
    pub fn rest(&self) -> &str {
        let text = self.text.trim_start();
        text[self.keyword().len()..].trim()
    }

    /// Iterates over the words behind the keyword.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.text.split_ascii_whitespace().skip(1)
    }
}

impl<'a> Lines<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { lines: text::Lines::new(text), first_painted: None }
    }

    /// Returns the next physical line of the file, without its line end and comment.
    fn physical(&mut self) -> Option<&'a str> {
        let line = self.lines.next()?.trim_end();
        // A name may hold a #, so that a comment begins only at a word that begins with one.
        let mut from = 0;
        while let Some(at) = line[from..].find('#').map(|at| from + at) {
            if line[..at].chars().next_back().is_none_or(char::is_whitespace) {
                if self.first_painted.is_none() && line.starts_with("#MRGB ") {
                    self.first_painted = Some(self.lines.number());
                }
                return Some(line[..at].trim_end());
            }
            from = at + 1;
        }
        Some(line)
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        loop {
            let line = self.physical()?;
            let number = self.lines.number();
            let Some(start) = line.strip_suffix('\\') else {
                if line.trim_start().is_empty() {
                    continue;
                }
                return Some(Line { number, text: Cow::Borrowed(line) });
            };
            let mut joined = start.to_string();
            while let Some(line) = self.physical() {
                joined.push(' ');
                match line.strip_suffix('\\') {
                    Some(more) => joined.push_str(more),
                    None => {
                        joined.push_str(line);
                        break;
                    }
                }
            }
            if !joined.trim().is_empty() {
                return Some(Line { number, text: Cow::Owned(joined) });
            }
        }
    }
}

/// Parses a finite number.
pub(super) fn finite(word: &str) -> Option<f32> {
    word.parse().ok().filter(|x: &f32| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_joined_and_comments_left_out() {
        let text = "\u{feff}# head\r\n\r\nf 1 \\\r\n  2 \\\n3 # tail\nusemtl a#b c \n#x\\\n  v 1\\";
        let lines: Vec<_> =
            Lines::new(text).map(|l| (l.number, l.keyword().to_string(), l.rest().to_string())).collect();
        let want = [(3, "f", "1    2  3"), (6, "usemtl", "a#b c"), (8, "v", "1")];
        assert_eq!(lines, want.map(|(n, k, r)| (n, k.to_string(), r.to_string())));
    }
}
