//! Expressions over the columns of sources: `a.rate(kind=ao)`, `+ - * / <`, brackets, `abs`, `mean`, `geomean`, `min`,
//! `max`, `sum`, `count` and `distinct`, and names that are short for others.

use super::table::{AROUND, Row};
use super::template::{Filter, Sources};
use std::collections::BTreeSet;

/// The rows that an expression chooses from.
pub(super) struct Rows<'a> {
    pub sources: &'a Sources,
    /// What chosen rows have, unless the expression says otherwise.
    pub filter: &'a Filter,
}

/// An expression of a template.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expression {
    Number(f64),
    Cell {
        source: String,
        column: String,
        filter: Filter,
    },
    All(Reduction, Box<Expression>),
    /// The size of each number, without its sign.
    Size(Box<Expression>),
    Of(char, Box<Expression>, Box<Expression>),
}

/// What is made of the numbers of several rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Reduction {
    Mean,
    GeometricMean,
    Min,
    Max,
    Count,
    Sum,
    /// How many different words there are.
    Distinct,
}

impl Expression {
    /// Parses an expression.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str, short: &Short) -> Result<Self, String> {
        let mut parser = Parser { rest: text, short };
        let expression = parser.comparison()?;
        match parser.rest.trim() {
            "" => Ok(expression),
            rest => Err(format!("\"{rest}\" is too much")),
        }
    }

    /// Returns the expression of another source's rows, and of those that have this.
    fn of(self, source: &str, own: &Filter) -> Self {
        let inner = |inner: Box<Self>| Box::new(inner.of(source, own));
        match self {
            Self::Number(number) => Self::Number(number),
            Self::Cell { column, mut filter, .. } => {
                filter.extend_from_slice(own);
                Self::Cell { source: source.to_string(), column, filter }
            }
            Self::All(reduction, of) => Self::All(reduction, inner(of)),
            Self::Size(of) => Self::Size(inner(of)),
            Self::Of(operator, left, right) => Self::Of(operator, inner(left), inner(right)),
        }
    }

    /// Returns `true` for a cell alone, whose words are taken as they are.
    pub fn is_cell(&self) -> bool {
        matches!(self, Self::Cell { .. })
    }

    /// Returns the words of a cell.
    ///
    /// # Errors
    /// If there is none or there are several.
    pub fn words(&self, rows: &Rows<'_>) -> Result<String, String> {
        let Self::Cell { source, column, filter } = self else { return Err("no cell".into()) };
        one(&cells(rows, source, column, filter)?).cloned()
    }

    /// Returns the expression's number.
    ///
    /// # Errors
    /// If a cell is no number, or there are none or several.
    pub fn number(&self, rows: &Rows<'_>) -> Result<f64, String> {
        one(&self.numbers(rows)?).copied()
    }

    fn numbers(&self, rows: &Rows<'_>) -> Result<Vec<f64>, String> {
        match self {
            Self::Number(number) => Ok(vec![*number]),
            Self::Cell { source, column, filter } => {
                cells(rows, source, column, filter)?.iter().map(|cell| number_of(cell)).collect()
            }
            // Words are counted as numbers are.
            Self::All(reduction @ (Reduction::Count | Reduction::Distinct), inner) => match &**inner {
                Self::Cell { source, column, filter } => {
                    let words = cells(rows, source, column, filter)?;
                    let distinct = words.iter().collect::<BTreeSet<_>>().len();
                    Ok(vec![if *reduction == Reduction::Count { words.len() } else { distinct } as f64])
                }
                _ if *reduction == Reduction::Count => Ok(vec![inner.numbers(rows)?.len() as f64]),
                _ => Err("distinct is of a column".into()),
            },
            Self::All(reduction, inner) => Ok(vec![reduction.of(&inner.numbers(rows)?)?]),
            Self::Size(inner) => Ok(inner.numbers(rows)?.into_iter().map(f64::abs).collect()),
            Self::Of(operator, left, right) => {
                let (left, right) = (left.numbers(rows)?, right.numbers(rows)?);
                let length = left.len().max(right.len());
                if [left.len(), right.len()].iter().any(|&own| own != 1 && own != length) {
                    return Err(format!("{} rows on one side of {operator}, {} on the other", left.len(), right.len()));
                }
                let at = |side: &[f64], place: usize| side[if side.len() == 1 { 0 } else { place }];
                Ok((0..length).map(|place| applied(*operator, at(&left, place), at(&right, place))).collect())
            }
        }
    }
}

impl Reduction {
    fn of(self, numbers: &[f64]) -> Result<f64, String> {
        let count = numbers.len() as f64;
        match self {
            Self::Count | Self::Distinct => Ok(count),
            _ if numbers.is_empty() => Err("no row".into()),
            Self::GeometricMean => Ok((numbers.iter().map(|number| number.ln()).sum::<f64>() / count).exp()),
            Self::Sum => Ok(numbers.iter().sum()),
            Self::Mean => Ok(numbers.iter().sum::<f64>() / count),
            Self::Min => Ok(numbers.iter().copied().fold(f64::INFINITY, f64::min)),
            Self::Max => Ok(numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
        }
    }
}

fn applied(operator: char, left: f64, right: f64) -> f64 {
    match operator {
        '+' => left + right,
        '-' => left - right,
        '*' => left * right,
        '<' => f64::from(u8::from(left < right)),
        _ => left / right,
    }
}

/// Returns what the chosen rows have in a column.
fn cells(rows: &Rows<'_>, source: &str, column: &str, own: &Filter) -> Result<Vec<String>, String> {
    let all = rows.sources.get(source).ok_or_else(|| format!("no source {source}"))?;
    // What the page's row says of a column that this source has not got chooses nothing.
    let is_known = |name: &str| all.iter().any(|row| row.iter().any(|(own, _)| own == name));
    let outer = rows.filter.iter().filter(|(name, _)| is_known(name) && !own.iter().any(|(own, _)| own == name));
    let filter: Vec<&(String, String)> = own.iter().chain(outer).collect();
    let value = |row: &'_ Row, name: &str| row.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
    let has = |row: &Row, name: &str, wanted: &str| {
        let value = value(row, name);
        value.is_some_and(|value| wanted.split(" or ").any(|wanted| fits(&value, wanted.trim())))
    };
    let chosen: Vec<&Row> =
        all.iter().filter(|row| filter.iter().all(|(name, wanted)| has(row, name, wanted))).collect();
    if chosen.is_empty() {
        let there = |(name, wanted): &&(String, String)| {
            let values: BTreeSet<String> = all.iter().filter_map(|row| value(row, name)).collect();
            let values: Vec<String> = values.into_iter().take(8).collect();
            format!("{name} = {wanted} (there are {})", values.join(", "))
        };
        return Err(format!("no row of {source} has {}", filter.iter().map(there).collect::<Vec<_>>().join(", ")));
    }
    // A value of a document is its own, however many rows its arrays have that repeat it.
    let has_own = |row: &&&Row| {
        let around = row.last().filter(|(name, _)| name == AROUND).and_then(|(_, count)| count.parse().ok());
        row.iter().rev().skip(around.map_or(0, |count: usize| count + 1)).any(|(name, _)| name == column)
    };
    let owners: Vec<&Row> = chosen.iter().filter(has_own).copied().collect();
    let of = if owners.is_empty() { &chosen } else { &owners };
    let cell = |row: &&Row| row.iter().find(|(name, _)| name == column).map(|(_, value)| value.clone());
    let found: Vec<String> = of.iter().filter_map(cell).collect();
    match found.is_empty() {
        true => {
            let names: Vec<&str> = chosen[0].iter().map(|(name, _)| name.as_str()).collect();
            Err(format!("{source} has no column {column}; it has {}", names.join(", ")))
        }
        false => Ok(found),
    }
}

/// Returns `true` if a value is what is wanted, where a star stands for any letters.
fn fits(value: &str, wanted: &str) -> bool {
    let Some((start, rest)) = wanted.split_once('*') else { return value == wanted };
    value
        .strip_prefix(start)
        .is_some_and(|value| (0..=value.len()).filter_map(|at| value.get(at..)).any(|value| fits(value, rest)))
}

/// Returns the one value that there is; the same several times is one.
fn one<T: PartialEq>(values: &[T]) -> Result<&T, String> {
    match values {
        [] => Err("no row".into()),
        [first, rest @ ..] if rest.iter().all(|other| other == first) => Ok(first),
        _ => Err(format!("{} rows; say which", values.len())),
    }
}

/// Returns the number that a cell begins with.
fn number_of(cell: &str) -> Result<f64, String> {
    let number: String =
        cell.trim().chars().take_while(|c| !c.is_whitespace() && *c != '%').filter(|c| *c != ',').collect();
    number.parse().map_err(|_| format!("\"{cell}\" is no number"))
}

/// Parses `column=value, column=value or value`.
///
/// # Errors
/// What is no choice.
pub(super) fn choices(text: &str) -> Result<Filter, String> {
    let choice = |part: &str| {
        let (name, value) = part.split_once('=').ok_or_else(|| format!("{part}: a choice is column=value"))?;
        Ok((name.trim().to_string(), value.trim().to_string()))
    };
    text.split(',').map(choice).collect()
}

/// Names and the expressions that they are short for.
pub(super) type Short = [(String, String)];

struct Parser<'a> {
    rest: &'a str,
    short: &'a Short,
}

impl Parser<'_> {
    fn take(&mut self, wanted: &[char]) -> Option<char> {
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next().filter(|first| wanted.contains(first))?;
        self.rest = &self.rest[first.len_utf8()..];
        Some(first)
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        self.take(&[wanted]).map(drop).ok_or_else(|| format!("no {wanted} before \"{}\"", self.rest))
    }

    /// Takes `a < b`, which is 1 where it is so and else 0, or a sum alone.
    fn comparison(&mut self) -> Result<Expression, String> {
        let left = self.sum()?;
        match self.take(&['<']) {
            Some(operator) => Ok(Expression::Of(operator, Box::new(left), Box::new(self.sum()?))),
            None => Ok(left),
        }
    }

    fn sum(&mut self) -> Result<Expression, String> {
        let mut left = self.product()?;
        while let Some(operator) = self.take(&['+', '-']) {
            left = Expression::Of(operator, Box::new(left), Box::new(self.product()?));
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Expression, String> {
        let mut left = self.factor()?;
        while let Some(operator) = self.take(&['*', '/']) {
            left = Expression::Of(operator, Box::new(left), Box::new(self.factor()?));
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<Expression, String> {
        if self.take(&['(']).is_some() {
            let inner = self.comparison()?;
            self.expect(')')?;
            return Ok(inner);
        }
        if self.rest.starts_with('[') {
            return self.cell("a".to_string());
        }
        let word = self.word();
        if word.is_empty() {
            return Err(format!("a column or number is missing before \"{}\"", self.rest));
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return word.parse().map(Expression::Number).map_err(|_| format!("{word} is no number"));
        }
        let over_all = |reduction| move |inner| Expression::All(reduction, inner);
        if self.rest.starts_with('(') {
            match word.as_str() {
                "abs" => return self.of(Expression::Size),
                "mean" => return self.of(over_all(Reduction::Mean)),
                "geomean" => return self.of(over_all(Reduction::GeometricMean)),
                "min" => return self.of(over_all(Reduction::Min)),
                "max" => return self.of(over_all(Reduction::Max)),
                "sum" => return self.of(over_all(Reduction::Sum)),
                "count" => return self.of(over_all(Reduction::Count)),
                "distinct" => return self.of(over_all(Reduction::Distinct)),
                _ => {}
            }
        }
        match word.split_once('.') {
            Some((source, "")) => self.cell(source.to_string()),
            Some((source, column)) if source.len() == 1 => self.filtered(source.to_string(), column.to_string()),
            _ => self.filtered("a".to_string(), word),
        }
    }

    /// Takes what stands in brackets, and makes an expression of it.
    fn of(&mut self, make: impl Fn(Box<Expression>) -> Expression) -> Result<Expression, String> {
        self.expect('(')?;
        let inner = self.comparison()?;
        self.expect(')')?;
        Ok(make(Box::new(inner)))
    }

    /// Takes letters, digits, points and underlines.
    fn word(&mut self) -> String {
        self.rest = self.rest.trim_start();
        let end =
            self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_'))).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.to_string()
    }

    /// Takes a column's name in square brackets, and its filter.
    fn cell(&mut self, source: String) -> Result<Expression, String> {
        self.expect('[')?;
        let end = self.rest.find(']').ok_or("[ without ]")?;
        let column = self.rest[..end].to_string();
        self.rest = &self.rest[end + 1..];
        self.filtered(source, column)
    }

    fn filtered(&mut self, source: String, column: String) -> Result<Expression, String> {
        let mut filter = Filter::new();
        if self.rest.starts_with('(') {
            let end = self.rest.find(')').ok_or("( without )")?;
            filter = choices(&self.rest[1..end])?;
            self.rest = &self.rest[end + 1..];
        }
        match self.short.iter().find(|(name, _)| *name == column) {
            Some((_, long)) => Ok(Expression::parse(long, &[])?.of(&source, &filter)),
            None => Ok(Expression::Cell { source, column, filter }),
        }
    }
}
