//! How far a number of a page may be from today's.

/// The largest difference that counts as none.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) enum Tolerance {
    /// The words are to be the same.
    #[default]
    Exact,
    /// In the number's own unit, such as points of per cent.
    Absolute(f64),
    /// As a share of today's number.
    Relative(f64),
}

impl Tolerance {
    /// Parses `4`, `4 points` or `2 %`, with words in brackets behind it on why that much.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.split('(').next().unwrap_or_default().trim();
        let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
        let number: f64 = number.parse().map_err(|_| format!("within {text}: no number"))?;
        match unit.trim() {
            "" | "points" => Ok(Self::Absolute(number)),
            "%" => Ok(Self::Relative(number / 100.0)),
            other => Err(format!("within {number} {other}: known are points and %")),
        }
    }

    /// Returns `true` if the words of both are the same and their numbers are near enough.
    pub fn agrees(self, page: &str, today: &str) -> bool {
        let (page, today) = (squeezed(page), squeezed(today));
        if self == Self::Exact {
            return page == today;
        }
        let (page, today) = (tokens(&page), tokens(&today));
        page.len() == today.len() && page.iter().zip(&today).all(|(page, today)| self.token_agrees(page, today))
    }

    fn token_agrees(self, page: &Token, today: &Token) -> bool {
        match (self, page, today) {
            (Self::Absolute(most), Token::Number(page), Token::Number(today)) => (page - today).abs() <= most + 1e-9,
            (Self::Relative(most), Token::Number(page), Token::Number(today)) => {
                (page - today).abs() <= most * today.abs() + 1e-9
            }
            _ => page == today,
        }
    }
}

impl std::fmt::Display for Tolerance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exact => write!(f, "exact"),
            Self::Absolute(most) => write!(f, "within {most}"),
            Self::Relative(most) => write!(f, "within {} %", 100.0 * most),
        }
    }
}

/// A part of a cell.
#[derive(Debug, PartialEq)]
enum Token {
    Number(f64),
    Words(String),
}

/// Returns the text with one space wherever it has any.
pub(super) fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Splits a cell into numbers and what stands between them. A sign belongs to a number unless a letter or digit stands
/// before it.
fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut tokens = Vec::new();
    let (mut at, mut words) = (0, 0);
    while at < bytes.len() {
        let follows_word = at > 0 && bytes[at - 1].is_ascii_alphanumeric();
        let is_signed = matches!(bytes[at], b'+' | b'-') && digit(at + 1) && !follows_word;
        if !is_signed && (!digit(at) || follows_word) {
            at += 1;
            continue;
        }
        if words < at {
            tokens.push(Token::Words(text[words..at].to_string()));
        }
        let start = at;
        at += 1;
        while digit(at) || (matches!(bytes.get(at), Some(b'.' | b',')) && digit(at + 1) && is_inside(bytes, at)) {
            at += 1;
        }
        let number = text[start..at].replace(',', "");
        tokens.push(number.parse().map_or_else(|_| Token::Words(text[start..at].to_string()), Token::Number));
        words = at;
    }
    if words < text.len() {
        tokens.push(Token::Words(text[words..].to_string()));
    }
    tokens
}

/// Returns `true` if the point or comma at a place is of a number: a comma stands before three digits.
fn is_inside(bytes: &[u8], at: usize) -> bool {
    let digits = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    bytes[at] == b'.' || digits == 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(tolerance: &str, page: &str, today: &str, wanted: bool) {
        let tolerance = if tolerance.is_empty() { Tolerance::Exact } else { Tolerance::parse(tolerance).unwrap() };
        assert_eq!(tolerance.agrees(page, today), wanted, "{tolerance}: {page} / {today}");
    }

    #[test]
    fn numbers_may_be_off_and_words_not() {
        check("", "84/63", "84/63", true);
        check("", "84/63", "84/64", false);
        check("1 points", "84/63", "85/62", true);
        check("1 points", "84/63", "84/65", false);
        check("1 points", "84/63 %", "84/63", false);
        check("2 %", "10,344", "10344.0", true);
        check("2 %", "10344", "8629", false);
        check("3", "+1, -1 %", "-1, 1 %", true);
        check("3", "h8 1", "h9 1", false);
        check("0.5 (why)", "1.041 ± 0.020, 1.00 to 1.08", "1.2 ± 0.020, 1.00 to 1.08", true);
    }

    #[test]
    fn numbers_have_signs_points_and_thousands() {
        let numbers = |text: &str| -> Vec<f64> {
            let number = |token| match token {
                Token::Number(number) => Some(number),
                Token::Words(_) => None,
            };
            tokens(text).into_iter().filter_map(number).collect()
        };
        assert_eq!(numbers("5222, 6840, 8612: 0.76"), [5222.0, 6840.0, 8612.0, 0.76]);
        assert_eq!(numbers("-15, +10 %; 99/96"), [-15.0, 10.0, 99.0, 96.0]);
        assert_eq!(numbers("1,234,567 of h8 and 53-4"), [1_234_567.0, 53.0, 4.0]);
    }
}
