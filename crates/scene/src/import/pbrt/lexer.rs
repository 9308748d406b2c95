//! Lexer of pbrt files: bytes to tokens, with line numbers.
//!
//! Source: the file format pages of pbrt versions 3 and 4. Numbers are read as f64, so that indices
//! above 2^24 stay exact.

use crate::import::{strays, text};
use crate::{FaultKind, PbrtFault};

/// Token of a pbrt file.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// Directive's name, or a word such as `true`, `false` or `All`.
    Word(String),
    /// Text in quotes, with escapes resolved.
    Text(String),
    /// A finite number.
    Number(f64),
    /// The bracket `[` that begins a list.
    Open,
    /// The bracket `]` that ends a list.
    Close,
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Word(word) => write!(f, "{word}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Open => write!(f, "["),
            Self::Close => write!(f, "]"),
        }
    }
}

/// Mistake in the text of a pbrt file, with its line number.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LexError {
    pub line: u64,
    pub kind: FaultKind,
}

/// Lexer that splits the bytes of one pbrt file into tokens.
pub(super) struct Lexer {
    bytes: Vec<u8>,
    at: usize,
    /// Line number, counted from 1, of the byte at `at`.
    line: u64,
    /// Token that was peeked at and not yet taken, with its line.
    peeked: Option<(Token, u64)>,
}

/// Largest number of characters of a token that a message shows.
const SHOWN: usize = 40;

impl Lexer {
    pub fn new(bytes: Vec<u8>) -> Self {
        let at = start_of(&bytes);
        Self { bytes, at, line: 1, peeked: None }
    }

    /// Reads the next token with its line; `None` at the end of the file.
    pub fn next(&mut self) -> Result<Option<(Token, u64)>, LexError> {
        match self.peeked.take() {
            Some(token) => Ok(Some(token)),
            None => self.scan(),
        }
    }

    /// Returns the next token without taking it.
    pub fn peek(&mut self) -> Result<Option<&Token>, LexError> {
        if self.peeked.is_none() {
            self.peeked = self.scan()?;
        }
        Ok(self.peeked.as_ref().map(|(token, _)| token))
    }

    /// Skips the rest of a list up to its closing `]`, or to the end of the file. Lines are not counted from then on.
    pub fn skip_list(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'"' => {
                    // What is no text is found when the list is read.
                    if self.text().is_err() {
                        self.at = self.bytes.len();
                    }
                    continue;
                }
                b'#' => {
                    self.skip_blank();
                    continue;
                }
                _ => {}
            }
            self.at += 1;
            if byte == b']' {
                return;
            }
        }
    }

    /// Restarts at the first token.
    pub fn rewind(&mut self) {
        (self.at, self.line, self.peeked) = (start_of(&self.bytes), 1, None);
    }

    fn scan(&mut self) -> Result<Option<(Token, u64)>, LexError> {
        if self.at == 0 {
            text::refuse_wide(&self.bytes).map_err(|kind| LexError { line: 1, kind })?;
        }
        self.skip_blank();
        let line = self.line;
        let Some(&byte) = self.bytes.get(self.at) else { return Ok(None) };
        let token = match byte {
            b'[' => {
                self.at += 1;
                Token::Open
            }
            b']' => {
                self.at += 1;
                Token::Close
            }
            b'"' => Token::Text(self.text()?),
            _ => self.word_or_number()?,
        };
        Ok(Some((token, line)))
    }

    /// Skips white space and comments, which run from `#` to the end of the line.
    fn skip_blank(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' | b'\r' => {
                    self.at = text::line_end(&self.bytes, self.at).1;
                    self.line += 1;
                    continue;
                }
                b' ' | b'\t' | 0x0b | 0x0c => {}
                b'#' => {
                    self.at = text::line_end(&self.bytes, self.at).0;
                    continue;
                }
                _ => return,
            }
            self.at += 1;
        }
    }

    fn text(&mut self) -> Result<String, LexError> {
        let line = self.line;
        let start = self.at + 1;
        let mut out = Vec::new();
        let mut at = start;
        loop {
            match self.bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    // An unknown escape keeps its backslash: file names from Windows have such.
                    let (byte, used) = match self.bytes.get(at + 1) {
                        Some(b'n') => (b'\n', 2),
                        Some(b't') => (b'\t', 2),
                        Some(&quoted @ (b'"' | b'\\' | b'\'')) => (quoted, 2),
                        _ => (b'\\', 1),
                    };
                    out.push(byte);
                    at += used;
                }
                // As in pbrt, a text ends on its line: a forgotten quote is found where it is.
                None | Some(b'\n' | b'\r') => {
                    let start = shorten(&self.bytes[start..at.min(self.bytes.len())]);
                    return Err(LexError { line, kind: PbrtFault::OpenText { start }.into() });
                }
                Some(&byte) => {
                    out.push(byte);
                    at += 1;
                }
            }
        }
        self.at = at + 1;
        Ok(String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    fn word_or_number(&mut self) -> Result<Token, LexError> {
        let rest = &self.bytes[self.at..];
        let end = rest
            .iter()
            .position(|&b| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c | b'[' | b']' | b'"' | b'#'))
            .unwrap_or(rest.len());
        let word = &rest[..end];
        self.at += end;
        let fail = |fault: PbrtFault| LexError { line: self.line, kind: fault.into() };
        // Names of what is no number may have a sign.
        let is_odd = || matches!(word[0], b'-' | b'+') && std::str::from_utf8(word).is_ok_and(strays::is_not_finite);
        if word[0].is_ascii_alphabetic() || !word.iter().all(|b| b.is_ascii_digit() || b"+-.eE".contains(b)) && is_odd()
        {
            return match std::str::from_utf8(word) {
                Ok(word) if word.len() <= 256 => Ok(Token::Word(word.to_string())),
                _ => Err(fail(PbrtFault::NoDirective { word: shorten(word) })),
            };
        }
        // "-inf" and "+nan" would pass Rust's own parser.
        let digits = word.iter().all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'));
        let number = std::str::from_utf8(word).ok().filter(|_| digits).and_then(|word| word.parse::<f64>().ok());
        match number {
            Some(number) if number.is_finite() => Ok(Token::Number(number)),
            Some(_) => Err(fail(PbrtFault::LargeNumber { word: shorten(word) })),
            None => Err(fail(PbrtFault::Word { word: shorten(word) })),
        }
    }
}

/// Returns the offset at which the text begins, behind a byte order mark.
fn start_of(bytes: &[u8]) -> usize {
    bytes.len() - text::without_mark(bytes).len()
}

fn shorten(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * SHOWN)]).into_owned();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Result<Vec<(Token, u64)>, LexError> {
        let mut lexer = Lexer::new(text.as_bytes().to_vec());
        let mut out = Vec::new();
        while let Some(token) = lexer.next()? {
            out.push(token);
        }
        Ok(out)
    }

    #[test]
    fn tokens_carry_their_lines() {
        let found = tokens("Shape \"sphere\" # a comment [\n\"float radius\"[.5 -2.5e-007\r\n+3.]true").unwrap();
        let want = vec![
            (Token::Word("Shape".into()), 1),
            (Token::Text("sphere".into()), 1),
            (Token::Text("float radius".into()), 2),
            (Token::Open, 2),
            (Token::Number(0.5), 2),
            (Token::Number(-2.5e-7), 2),
            (Token::Number(3.0), 3),
            (Token::Close, 3),
            (Token::Word("true".into()), 3),
        ];
        assert_eq!(found, want);
    }

    #[test]
    fn lines_end_as_in_any_text() {
        for end in ["\n", "\r\n", "\r"] {
            let found = tokens(&"\u{feff}# head\nShape\n\n1".replace('\n', end)).unwrap();
            assert_eq!(found, [(Token::Word("Shape".into()), 2), (Token::Number(1.0), 4)], "{end:?}");
            let error = tokens(&format!("{end}\"never closed{end}Shape")).unwrap_err();
            let open = PbrtFault::OpenText { start: "never closed".into() };
            assert_eq!((error.line, error.kind), (2, open.into()), "{end:?}");
        }
        let error = tokens("S\0h\0a\0p\0e\0").unwrap_err();
        assert_eq!((error.line, error.kind), (1, FaultKind::WideText { bits: 16, is_big: false }));
    }

    #[test]
    fn escapes_are_resolved_and_windows_paths_survive() {
        let found = tokens(r#""a\"b" "maps\wood.png" "c:\\x""#).unwrap();
        let texts: Vec<_> = found.into_iter().map(|(token, _)| token).collect();
        assert_eq!(texts, ["a\"b", "maps\\wood.png", "c:\\x"].map(|t| Token::Text(t.into())));
    }

    #[test]
    fn what_is_no_token_is_named_with_its_line() {
        let open = |start: &str| PbrtFault::OpenText { start: start.into() };
        let odd = |word: &str| PbrtFault::Word { word: word.into() };
        for (text, line, want) in [
            ("\n\"never closed\nShape", 2, open("never closed")),
            ("\n\n\"at the end", 3, open("at the end")),
            ("\"ends in a backslash\\", 1, open("ends in a backslash\\")),
            ("1e999", 1, PbrtFault::LargeNumber { word: "1e999".into() }),
            ("-infinite", 1, odd("-infinite")),
            ("1.2.3", 1, odd("1.2.3")),
            ("\n{}", 2, odd("{}")),
            ("\u{1F600}", 1, odd("\u{1F600}")),
        ] {
            let error = tokens(text).unwrap_err();
            assert_eq!((error.line, error.kind), (line, want.into()), "{text:?}");
        }
    }
}
