//! A report's table: values in rows, and columns with their units and their names for each writer.

use super::text_table::TableColumn;
use serde_json::Value as Json;

/// The unit of a column's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Words, or a number without a unit.
    Plain,
    /// A share from 0 to 1, given in per cent.
    Percent,
    /// A rate per second, given in millions.
    Millions,
}

impl Unit {
    fn of(self, number: f64) -> f64 {
        match self {
            Self::Plain => number,
            Self::Percent => 100.0 * number,
            Self::Millions => number / 1e6,
        }
    }
}

/// The value of a row in a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing: null for programs, and in text what is given here.
    Nothing(&'static str),
    /// Words that are the same for everyone.
    Words(String),
    /// A whole number, without digits after a point.
    Count(u64),
    /// A number in the column's unit, a dash for people where it is none.
    Number(f64),
    /// A value that people read in text and on a page, and one that programs read.
    Each {
        /// The words in a text table.
        text: String,
        /// The words on a page.
        page: String,
        /// The data for programs.
        json: Json,
    },
}

impl Value {
    /// Returns the same words for everyone.
    pub fn words(words: impl Into<String>) -> Self {
        Self::Words(words.into())
    }

    /// Returns the same words for people, and other data for programs.
    pub fn said(words: impl Into<String>, json: impl Into<Json>) -> Self {
        let words = words.into();
        Self::Each { text: words.clone(), page: words, json: json.into() }
    }

    /// Returns data that only programs read.
    pub fn data(json: impl Into<Json>) -> Self {
        Self::said("", json)
    }

    /// Returns a number if it is known.
    pub fn known(number: Option<f64>) -> Self {
        number.map_or(Self::Nothing("-"), Self::Number)
    }
}

/// The names that writers have for a column, and how it gives numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Naming {
    pub unit: Unit,
    /// Digits after the point where people read numbers.
    pub digits: usize,
    pub text: Option<TableColumn>,
    /// `true` if the words stand below their row in a text.
    pub is_remark: bool,
    /// The heading on a page, and its place there.
    pub page: Option<(usize, String)>,
    /// The object that has the value among others, if one has, and the key.
    pub key: Option<(Option<String>, String)>,
    /// The name in a table of comma-separated values, its place there and its digits.
    pub csv: Option<(usize, String, usize)>,
}

impl Naming {
    /// Returns the naming of a column that no writer has a name for.
    pub fn of(unit: Unit) -> Self {
        Self { unit, digits: 0, text: None, is_remark: false, page: None, key: None, csv: None }
    }

    pub fn in_text(&self, value: &Value) -> String {
        match value {
            Value::Nothing(instead) => instead.to_string(),
            Value::Each { text, .. } => text.clone(),
            other => self.for_people(other),
        }
    }

    pub fn on_page(&self, value: &Value) -> String {
        match value {
            Value::Nothing(_) => String::new(),
            Value::Each { page, .. } => page.clone(),
            other => self.for_people(other),
        }
    }

    fn for_people(&self, value: &Value) -> String {
        match value {
            Value::Words(words) => words.clone(),
            Value::Count(count) => count.to_string(),
            Value::Number(x) => number(self.unit.of(*x), self.digits),
            Value::Nothing(_) | Value::Each { .. } => String::new(),
        }
    }

    pub fn for_programs(&self, value: &Value) -> Json {
        match value {
            Value::Nothing(_) => Json::Null,
            Value::Words(words) => words.clone().into(),
            Value::Count(count) => (*count).into(),
            Value::Number(x) => self.unit.of(*x).into(),
            Value::Each { json, .. } => json.clone(),
        }
    }
}

/// A table of a report.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportTable {
    pub(super) columns: Vec<Naming>,
    pub(super) rows: Vec<Vec<Value>>,
    /// The row of sums, and its key.
    pub(super) total: Option<(String, Vec<Value>)>,
    /// The title in a text, empty for none.
    pub(super) title: Option<String>,
    /// The caption on a page.
    pub(super) caption: Option<String>,
    pub(super) key: Option<String>,
    pub(super) is_in_csv: bool,
}

impl ReportTable {
    pub(super) fn new(columns: Vec<Naming>, rows: Vec<Vec<Value>>) -> Self {
        Self { columns, rows, total: None, title: None, caption: None, key: None, is_in_csv: false }
    }

    /// Returns a table of words for texts, right below what stands there.
    pub fn of_words(columns: impl IntoIterator<Item = TableColumn>, rows: Vec<Vec<String>>) -> Self {
        let column = |column| Naming { text: Some(column), ..Naming::of(Unit::Plain) };
        let rows = rows.into_iter().map(|cells| cells.into_iter().map(Value::Words).collect()).collect();
        Self::new(columns.into_iter().map(column).collect(), rows).in_text_untitled()
    }

    /// Shows the table in the text, below a title with an empty line before it.
    pub fn in_text(self, title: impl Into<String>) -> Self {
        Self { title: Some(title.into()), ..self }
    }

    /// Shows the table in the text, right below what stands there.
    pub fn in_text_untitled(self) -> Self {
        self.in_text("")
    }

    /// Shows the table on the page.
    pub fn on_page(self, caption: impl Into<String>) -> Self {
        Self { caption: Some(caption.into()), ..self }
    }

    /// Makes the rows lines of a table of comma-separated values.
    pub fn in_csv(self) -> Self {
        Self { is_in_csv: true, ..self }
    }

    /// Adds the rows to the array `key`, for programs.
    pub fn key(self, key: impl Into<String>) -> Self {
        Self { key: Some(key.into()), ..self }
    }
}

/// Writes a number with so many digits after the point; a dash for none. A half is rounded away from zero, also where
/// the number as people write it ends in one and its binary form lies a little beside: 0.735 is 0.74, 22.25 is 22.3.
pub fn number(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "-".into();
    }
    let shortest = value.to_string();
    let decimals = shortest.split_once('.').map_or("", |(_, decimals)| decimals);
    let is_half = decimals.len() == digits + 1 && decimals.ends_with('5');
    // Beyond the half, by less than any digit shows.
    let value = if is_half { value * (1.0 + 4.0 * f64::EPSILON) } else { value };
    let text = format!("{value:.digits$}");
    // What rounds to nothing has no sign.
    match text.strip_prefix('-') {
        Some(size) if !size.contains(|digit: char| matches!(digit, '1'..='9')) => size.into(),
        _ => text,
    }
}

/// Writes a rate in Mrays/s.
pub fn short_mrays(rays_per_s: f64) -> String {
    let rate = rays_per_s / 1e6;
    number(rate, if rate < 1000.0 { 1 } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn what_rounds_to_nothing_has_no_sign() {
        for (value, digits, text) in [
            (-0.04, 1, "0.0"),
            (-0.4, 0, "0"),
            (-0.06, 1, "-0.1"),
            (-10.0, 0, "-10"),
            (0.04, 1, "0.0"),
            (f64::NAN, 1, "-"),
        ] {
            assert_eq!(number(value, digits), text);
        }
    }

    #[test]
    fn a_half_is_rounded_away_from_zero() {
        // Pages round alike: `xtask_checks::docs::template` has the same cases.
        for (value, digits, text) in [
            (0.735, 2, "0.74"),
            (22.25, 1, "22.3"),
            (-22.25, 1, "-22.3"),
            (0.5, 0, "1"),
            (2.5, 0, "3"),
            (0.734_999, 2, "0.73"),
            (0.245, 1, "0.2"),
            (1234.5, 0, "1235"),
        ] {
            assert_eq!(number(value, digits), text);
        }
    }
}
