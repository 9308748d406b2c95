//! Templates of cells: words with `{...}` in them, each an expression over a source's columns.
//!
//! `{tr}` is a cell as the source has it. `{tr:1}`, `{b.tr/a.tr:2}`, `{100*(b.tr/a.tr-1):+0}` and `{nodes:,}` are
//! numbers with so many digits, a sign, thousands apart. `{tr(rays=ao)}` chooses rows by more than the page's row does,
//! `{[set by]}` is a column whose name is no word, `mean`, `min`, `max` and `count` take all rows that are chosen, and
//! `abs` is a number without its sign.

use super::expression::{Expression, Rows, Short, choices};
use super::table::Row;
use std::collections::BTreeMap;

/// Rows of each source, by letter.
pub(super) type Sources = BTreeMap<String, Vec<Row>>;

/// What rows have in columns.
pub(super) type Filter = Vec<(String, String)>;

/// Fills a template from the rows that `filter` chooses.
///
/// # Errors
/// What is wrong with the template, or that it chooses no row, or several.
pub(super) fn filled(template: &str, sources: &Sources, filter: &Filter, short: &Short) -> Result<String, String> {
    let (template, own) = parted(template);
    let outer = filter.iter().filter(|(name, _)| !own.iter().any(|(own, _)| own == name));
    let filter: &Filter = &outer.chain(&own).cloned().collect();
    let mut text = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        text += &rest[..at];
        let end = rest[at..].find('}').ok_or_else(|| format!("{template}: {{ without }}"))? + at;
        let inside = &rest[at + 1..end];
        text += &value(inside, sources, filter, short).map_err(|error| format!("{{{inside}}}: {error}"))?;
        rest = &rest[end + 1..];
    }
    Ok(text + rest)
}

/// Parts a template from the choice behind its last "where", if it has one.
pub(super) fn parted(template: &str) -> (&str, Filter) {
    // Prose may have a "where" of its own, with expressions behind it.
    let own = |own: &str| if own.contains('{') { None } else { choices(own).ok() };
    let parted = template.rsplit_once(" where ").and_then(|(template, choice)| Some((template, own(choice)?)));
    parted.unwrap_or((template, Filter::new()))
}

fn value(inside: &str, sources: &Sources, filter: &Filter, short: &Short) -> Result<String, String> {
    let (expression, format) = match inside.rsplit_once(':') {
        Some((expression, format)) if format.chars().all(|c| matches!(c, '+' | ',' | '0'..='9')) => {
            (expression, Some(format))
        }
        _ => (inside, None),
    };
    let expression = Expression::parse(expression, short)?;
    let rows = Rows { sources, filter };
    match format {
        None if expression.is_cell() => expression.words(&rows),
        None => Err("a number needs its digits, such as {a/b:2}".into()),
        Some(format) => Ok(number(expression.number(&rows)?, format)),
    }
}

/// Writes a number with a format's sign, thousands and digits.
fn number(number: f64, format: &str) -> String {
    let digits: usize = format.trim_matches(['+', ',']).parse().unwrap_or(0);
    let mut text = rounded(number, digits);
    if text.trim_start_matches('-').chars().all(|c| matches!(c, '0' | '.')) {
        text = text.trim_start_matches('-').to_string();
    }
    let is_none = !text.chars().any(|c| matches!(c, '1'..='9'));
    if format.contains('+') && !text.starts_with('-') && !is_none {
        text.insert(0, '+');
    }
    if !format.contains(',') {
        return text;
    }
    let whole = text.find('.').unwrap_or(text.len());
    let first = usize::from(text.starts_with(['+', '-']));
    let mut at = whole;
    while at > first + 3 {
        at -= 3;
        text.insert(at, ',');
    }
    text
}

/// Writes a number with so many digits after the point, a half rounded away from zero, as `raywarp_report::number`
/// does.
fn rounded(number: f64, digits: usize) -> String {
    let shortest = number.to_string();
    let decimals = shortest.split_once('.').map_or("", |(_, decimals)| decimals);
    let is_half = decimals.len() == digits + 1 && decimals.ends_with('5');
    // Beyond the half, by less than any digit shows.
    let number = if is_half { number * (1.0 + 4.0 * f64::EPSILON) } else { number };
    format!("{number:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::super::table::rows_of_json;
    use super::*;

    fn sources() -> Sources {
        let row = |kernel: &str, kind: &str, rate: &str| -> Row {
            [("kernel", kernel), ("kind", kind), ("rate", rate), ("set by", "ALU, then L1")]
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .to_vec()
        };
        let a = vec![row("x", "ao", "10"), row("x", "diffuse", "1,200.5"), row("y", "ao", "30 %")];
        let b = vec![row("x", "ao", "5"), row("x", "diffuse", "6"), row("y", "ao", "40")];
        [("a".to_string(), a), ("b".to_string(), b)].into()
    }

    #[track_caller]
    fn check(template: &str, wanted: &str) {
        let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
        let filter = vec![pair("kernel", "x"), pair("kind", "ao"), pair("of no source", "z")];
        let short = [("double".to_string(), "rate*2".to_string())];
        assert_eq!(filled(template, &sources(), &filter, &short).as_deref(), Ok(wanted), "{template}");
    }

    #[test]
    fn cells_are_filled_with_words_and_numbers() {
        check("{rate}/{b.rate} Mrays/s", "10/5 Mrays/s");
        check("{rate(kind=diffuse)}; {rate(kernel=y)}", "1,200.5; 30 %");
        check("{[set by]}", "ALU, then L1");
        check("{double:0}, {b.double(kernel=y)-1:0}, {max(double(kind=*)):0}", "20, 79, 2401");
        check("{rate}, {rate(kernel=y)} where kind=ao", "10, 30 %");
        check("{rate}/{b.rate} where kind=diffuse", "1,200.5/6");
        check("10 where it is {rate(kind=ao)} of {b.rate(kind=ao)}", "10 where it is 10 of 5");
        check("{rate/b.rate:2}, {100*(b.rate/rate - 1):+0} %", "2.00, -50 %");
        check("{rate(kind=diffuse):,1} {rate*12345:,} {rate-b.rate*2:+0}", "1,200.5 123,450 0");
        check(
            "{mean(rate(kernel=x or y)):1} {max(a.rate(kind=ao or diffuse)/b.rate(kind=ao or diffuse)):1}",
            "20.0 200.1",
        );
        check(
            "{count(kernel(kernel=*, kind=*)):0} {distinct(kernel(kernel=*, kind=*)):0} {count(rate(kernel=*, kind=d*)):0} {rate(kind=*ff*e)}",
            "3 2 1 1,200.5",
        );
        check("{sum(rate(kernel=x, kind=*) < 11):0} {sum((b.rate(kind=*) < 6)*(5 < 6)):0}", "1 1");
        check("{geomean(b.rate(kernel=*, kind=ao)):2}", "14.14");
        check("{abs(b.rate - rate):0} {max(abs(b.rate(kernel=*) - rate(kernel=*))):0}", "5 10");
        check("{count(rate(kernel=*,kind=*)):0} of {min(b.rate(kernel=*, kind=*)):0}", "3 of 5");
    }

    #[test]
    fn a_documents_value_counts_once_however_long_its_arrays_are() {
        let of = |scene: &str, nodes: u32, lights: usize| {
            let lights = vec![serde_json::json!({ "name": "light" }); lights];
            let rows = rows_of_json(&serde_json::json!({ "nodes": nodes, "lights": lights }));
            rows.into_iter()
                .map(|row| [("scene".to_string(), scene.to_string())].into_iter().chain(row).collect::<Row>())
                .collect::<Vec<_>>()
        };
        let sources: Sources = [("a".to_string(), [of("x", 1, 3), of("y", 3, 0)].concat())].into();
        let said = filled("{mean(nodes(scene=*)):2}, {nodes(scene=x, name=light):0}", &sources, &Vec::new(), &[]);
        assert_eq!(said.as_deref(), Ok("2.00, 1"));
    }

    #[test]
    fn what_chooses_no_row_or_several_is_told() {
        let fails = |template: &str| filled(template, &sources(), &Vec::new(), &[]).unwrap_err();
        for wrong in
            ["{rate}", "{rate(kernel=z)}", "{none(kernel=y)}", "{c.rate}", "{rate", "{rate(kernel=y)*2}", "{(1:0}"]
        {
            assert!(!fails(wrong).is_empty(), "{wrong}");
        }
        assert!(fails("{[set by](kernel=y)*2:0}").contains("no number"));
    }

    #[test]
    fn a_half_is_rounded_away_from_zero() {
        for (number, digits, text) in [
            (0.735, 2, "0.74"),
            (22.25, 1, "22.3"),
            (-22.25, 1, "-22.3"),
            (0.5, 0, "1"),
            (2.5, 0, "3"),
            (0.734_999, 2, "0.73"),
            (0.245, 1, "0.2"),
            (1234.5, 0, "1235"),
        ] {
            assert_eq!(rounded(number, digits), text);
        }
    }
}
