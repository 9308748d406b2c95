//! Names of files, materials and scenes come from anywhere. Their control characters never reach the terminal, where
//! they could move the cursor, hide text or rename the window: here they become visible.

use raywarp::scene::{escape, escape_but};
use std::borrow::Cow;
use std::io::Write;

/// Escapes control characters in a line of text, as `\u{1b}` or `\n`, so that a terminal does not act on them.
pub fn line(text: &str) -> Cow<'_, str> {
    escape(text)
}

/// Escapes control characters as [`line`] does, but keeps line breaks. A line break in a name breaks its line, which is
/// all that it can do.
pub fn lines(text: &str) -> Cow<'_, str> {
    escape_but(text, |c| c == '\n')
}

/// Writer that escapes control characters in text by [`lines`].
pub struct Visible<W>(pub W);

impl<W: Write> Write for Visible<W> {
    // Formatting hands over whole strings, and so no character is cut in two.
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write_all(lines(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_acts_on_becomes_visible_and_the_rest_stays() {
        for (text, shown) in [
            ("Größe 3 µm, 漢字\u{00AD}", "Größe 3 µm, 漢字\u{00AD}"),
            ("a\u{1b}[2Jb", "a\\u{1b}[2Jb"),
            ("a\rb\tc\u{7}", "a\\rb\\tc\\u{7}"),
            ("c1 \u{9b}31m", "c1 \\u{9b}31m"),
            ("gnp.\u{202e}exe", "gnp.\\u{202e}exe"),
            ("two\nlines", "two\\nlines"),
        ] {
            assert_eq!(line(text), shown);
        }
        assert_eq!(lines("two\nlines\u{1b}"), "two\nlines\\u{1b}");
        assert!(matches!(lines("plain\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_writer_escapes_what_passes_through() {
        let mut out = Visible(Vec::new());
        let title = "\u{1b}]0;x\u{7}";
        writeln!(out, "{:>4} {title}", "é").unwrap();
        assert_eq!(String::from_utf8(out.0).unwrap(), "   é \\u{1b}]0;x\\u{7}\n");
    }
}
