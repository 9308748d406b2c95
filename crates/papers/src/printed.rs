//! Cells as papers print them: words, numbers, ranges and pairs of numbers.

use serde::Deserialize;

/// Contents of a cell as a paper prints it, with the numbers that it gives.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(from = "String")]
pub struct Printed {
    text: String,
    ranges: Vec<[f64; 2]>,
}

impl Printed {
    /// Makes an empty cell.
    pub const fn nothing() -> Self {
        Self { text: String::new(), ranges: Vec::new() }
    }

    /// Makes the contents of a cell with a number, rounded to this many digits after the point.
    pub fn number(value: f64, digits: usize) -> Self {
        format!("{value:.digits$}").into()
    }

    /// Returns the cell's text; empty where the paper gives nothing.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns `true` if the paper gives nothing here.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the numbers of the cell, each as a range from its least to its largest value; none where it has words.
    pub fn ranges(&self) -> &[[f64; 2]] {
        &self.ranges
    }
}

impl From<String> for Printed {
    fn from(text: String) -> Self {
        let ranges = text.split('/').map(range).collect::<Option<_>>().unwrap_or_default();
        Self { text, ranges }
    }
}

impl From<&str> for Printed {
    fn from(text: &str) -> Self {
        text.to_string().into()
    }
}

impl std::fmt::Display for Printed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns the range of a number such as "62", "~+20" or "6-19"; `None` for words.
fn range(text: &str) -> Option<[f64; 2]> {
    let text = text.trim().trim_start_matches('~');
    if let Ok(number) = text.trim_start_matches('+').parse::<f64>() {
        return Some([number; 2]);
    }
    // A dash in front is a sign.
    let dash = text.char_indices().skip(1).find(|(_, c)| matches!(c, '-' | '\u{2013}'))?;
    let [from, to] = [&text[..dash.0], &text[dash.0 + dash.1.len_utf8()..]].map(|end| end.trim().parse::<f64>().ok());
    let (from, to) = (from?, to?);
    Some([from.min(to), from.max(to)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_papers_write_is_read_as_numbers_or_not_at_all() {
        let numbers = |text: &str| Printed::from(text).ranges().to_vec();
        assert_eq!(numbers("62"), [[62.0, 62.0]]);
        assert_eq!(numbers("~-30"), [[-30.0, -30.0]]);
        assert_eq!(numbers("~+20"), [[20.0, 20.0]]);
        assert_eq!(numbers("85/84"), [[85.0, 85.0], [84.0, 84.0]]);
        assert_eq!(numbers("6-19"), [[6.0, 19.0]]);
        for words in ["", "less", "nearer 100", "a little more", "NaN-", "up to 20"] {
            assert_eq!(numbers(words), Vec::<[f64; 2]>::new(), "{words}");
        }
        assert_eq!(Printed::number(62.08, 0), "62".into());
        assert!(Printed::default().is_empty() && !Printed::from("less").is_empty());
    }
}
