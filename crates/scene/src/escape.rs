//! Names from files, made fit for a terminal.

use std::borrow::Cow;

/// Escapes control characters and text-direction marks in `text` as Rust writes them (`\n`, `\u{1b}`). A name in a file
/// cannot move a terminal's cursor then. Everything else stays.
///
/// # Examples
/// ```
/// # mod raywarp { pub use raywarp_scene as scene; }
/// use raywarp::scene::escape;
///
/// assert_eq!(escape("red \u{1b}[31m"), "red \\u{1b}[31m");
/// assert_eq!(escape("café"), "café");
/// ```
pub fn escape(text: &str) -> Cow<'_, str> {
    escape_but(text, |_| false)
}

/// Escapes as [`escape`] does, except for the characters that `keep` accepts, such as the line breaks of a text.
pub fn escape_but(text: &str, keep: impl Fn(char) -> bool) -> Cow<'_, str> {
    let acts = |c: char| is_unsafe(c) && !keep(c);
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if acts(c) { safe.extend(c.escape_default()) } else { safe.push(c) }
    }
    Cow::Owned(safe)
}

fn is_unsafe(c: char) -> bool {
    // Line and paragraph separators, then the marks of Unicode's bidirectional algorithm.
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_a_cursor_is_spelled_out() {
        assert_eq!(escape("a\nb\tc\u{7f}\u{9b}2J"), "a\\nb\\tc\\u{7f}\\u{9b}2J");
        assert_eq!(escape("abc\u{202e}fed"), "abc\\u{202e}fed");
        assert!(matches!(escape("Küche \\ 台所 🙂"), Cow::Borrowed(_)));
    }
}
