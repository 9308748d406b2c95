//! Numbers in text: where they stand, how they are written, and whether one could repeat what a block prints.

use super::words::{SMALL, UNITS, is_naming};
use crate::docs::marks::MONTHS;

/// A number as text has it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Number {
    /// Sign, digits and the letters right behind them, such as `-1.5x`.
    pub text: String,
    /// Place of the first and behind the last of these, counted in characters.
    pub start: usize,
    pub end: usize,
    /// What the digits are worth, without the sign, and how many stand behind the point; `None` for versions, dates
    /// and hashes.
    pub value: Option<Value>,
    /// Letters behind the digits.
    suffix: String,
}

/// A value without its sign: texts say "4 % fewer" of what a table has as -4 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Value {
    pub amount: f64,
    pub decimals: usize,
}

impl Value {
    /// Returns `true` if a number that is printed is this one, exactly or rounded to as many digits.
    pub(super) fn is_rounded_from(self, printed: Value) -> bool {
        let apart = (self.amount - printed.amount).abs();
        let half = 0.5 * 0.1_f64.powi(i32::try_from(self.decimals).unwrap_or(i32::MAX));
        // A half is rounded away from zero by the program and to even by some; text may say either.
        apart < 1e-9 || printed.decimals > self.decimals && apart <= half * (1.0 + 1e-9)
    }
}

impl Number {
    /// Returns `true` for three digits or more, such as 0.73, that are no whole hundreds: a page with hundreds of
    /// numbers has most of two digits by chance.
    pub(super) fn is_telling(&self) -> bool {
        let is_round = self.value.is_none_or(|value| value.amount % 100.0 == 0.0);
        self.text.chars().filter(char::is_ascii_digit).count() >= 3 && !is_round
    }
}

/// Returns the numbers of a text. Digits of a name, as in `AL09` and `sm_90`, are none.
pub(super) fn numbers(text: &[char]) -> Vec<Number> {
    let is_of_word = |at: usize| text.get(at).is_some_and(|c: &char| c.is_alphanumeric() || *c == '_');
    let is_digit = |at: usize| text.get(at).is_some_and(char::is_ascii_digit);
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if !is_of_word(at) {
            at += 1;
            continue;
        }
        let first = at;
        while is_of_word(at) || is_digit(first) && matches!(text.get(at), Some('.' | ',')) && is_digit(at + 1) {
            at += 1;
        }
        if !is_digit(first) {
            continue;
        }
        let is_digits = |c: &&char| c.is_ascii_digit() || matches!(c, '.' | ',');
        let length = text[first..at].iter().take_while(is_digits).count();
        let digits: String = text[first..first + length].iter().collect();
        let is_sign = first > 0 && matches!(text[first - 1], '+' | '-' | '\u{2212}');
        let is_free = first < 2 || text[first - 2].is_whitespace() || matches!(text[first - 2], '(' | '|' | '/' | '[');
        let start = if is_sign && is_free { first - 1 } else { first };
        found.push(Number {
            text: text[start..at].iter().collect(),
            start,
            end: at,
            value: value(&digits),
            suffix: text[first + length..at].iter().collect(),
        });
    }
    found
}

/// Returns what digits with points and commas are worth.
fn value(digits: &str) -> Option<Value> {
    let decimals = digits.split_once('.').map_or(0, |(_, behind)| behind.len());
    Some(Value { amount: digits.replace(',', "").parse().ok()?, decimals })
}

/// Returns `true` for a number that is likely to be what a block prints wherever one prints it: it is of two digits or
/// more, with a point, with a unit, of a pair such as 84/63, or with three digits. What is a name, a date, a place in a
/// paper or a power of two is not; `prose` is the text that [`numbers`] read, with spaces for names in it.
pub(super) fn may_be_quoted(number: &Number, prose: &[char]) -> bool {
    let Some(Value { amount, decimals }) = number.value else { return false };
    if prose.get(number.end - 1).is_none_or(|c| c.is_whitespace()) {
        return false;
    }
    let (before, after): (String, String) =
        (prose[..number.start].iter().collect(), prose[number.end..].iter().collect());
    let next = after.split_whitespace().next().unwrap_or_default().trim_matches([',', '.', ')', ';', ':', '*']);
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let is_of_pair = after.strip_prefix('/').is_some_and(|after| is_digit(after.chars().next()))
        || before.strip_suffix('/').is_some_and(|before| is_digit(before.chars().next_back()));
    let has_unit = is_of_pair || after.trim_start().starts_with('%') || UNITS.contains(&next);
    let is_date = MONTHS.contains(&next) || decimals == 0 && (1990.0..2100.0).contains(&amount);
    if !matches!(number.suffix.as_str(), "" | "x") || !has_unit && (is_date || is_name(&before)) {
        return false;
    }
    let digits = number.text.chars().filter(char::is_ascii_digit).collect::<String>();
    let is_long = digits.trim_start_matches('0').len() >= 2;
    let is_size = amount.log2().fract() == 0.0;
    is_long && (decimals > 0 || amount > SMALL && has_unit || amount >= 100.0 && !is_size)
}

/// Returns `true` if what stands before a number says that it is a name: "GTX 285 and" has it of what follows too.
fn is_name(before: &str) -> bool {
    let cell = before.rsplit('|').next().unwrap_or_default();
    let mut words = cell.split(|c: char| c.is_whitespace() || matches!(c, '(' | '/')).filter(|word| !word.is_empty());
    loop {
        let Some(word) = words.next_back() else { return false };
        let word = word.trim_matches([',', '.', '*', ')']);
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        match word {
            _ if is_naming(word) => return true,
            "to" | "and" | "or" => {}
            _ if is_number => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (Vec<String>, Vec<String>) {
        let text: Vec<char> = text.chars().collect();
        let found = numbers(&text);
        let quoted = found.iter().filter(|number| may_be_quoted(number, &text)).map(|number| number.text.clone());
        (found.iter().map(|number| number.text.clone()).collect(), quoted.collect())
    }

    #[test]
    fn a_number_is_digits_that_are_of_no_name() {
        let all = |text: &str| of(text).0.join(" ");
        assert_eq!(all("AL09 has 1.5x of h8's 1,024, +3 % to (-4.25), 2-3."), "1.5x 1,024 +3 -4.25 2 3");
        assert_eq!(all("sm_90, 75K, 0.82..1.17, 580.159.04 and 1f2e"), "75K 0.82 1.17 580.159.04 1f2e");
        assert_eq!(all(""), "");
    }

    #[test]
    fn small_numbers_names_dates_and_sizes_are_no_quotes() {
        let quoted = |text: &str| of(text).1.join(" ");
        assert_eq!(quoted("it gains 41 % and 0.735, or 1.5x of 6,372 rays"), "41 0.735 1.5x 6,372");
        assert_eq!(quoted("12 %, 0.9, 7 of 8, 32 lanes, 256 threads, 2026, 21 November 2026, GTX 285 and 680"), "");
        assert_eq!(quoted("sections 3.1 and 3.2 say 17 %, a GTX 480 reaches 285"), "17 285");
        assert_eq!(quoted("| GTX | 285 |"), "285");
        assert_eq!(quoted("from 44/30 to 9/13, 7 / 14"), "44 30 13");
        assert_eq!(quoted("75K, 580.159.04"), "");
    }

    #[test]
    fn few_numbers_of_two_digits_tell_a_block() {
        let tells = |text: &str| numbers(&text.chars().collect::<Vec<_>>())[0].is_telling();
        assert!(tells("0.73") && tells("152") && tells("1,310") && tells("11.5"));
        assert!(!tells("41") && !tells("3.2") && !tells("300"));
    }

    #[test]
    fn a_quote_is_rounded_to_as_many_digits_as_it_has() {
        let of = |text: &str| numbers(&text.chars().collect::<Vec<_>>())[0].value.unwrap();
        let is = |text: &str, printed: &str| of(text).is_rounded_from(of(printed));
        assert!(is("0.735", "0.735") && is("0.73", "0.734") && is("0.74", "0.735") && is("41", "-40.6"));
        assert!(is("0.70", "0.7") && is("1,300", "1300"));
        assert!(!is("0.735", "0.74") && !is("0.73", "0.736") && !is("41", "42") && !is("100", "140"));
    }
}
