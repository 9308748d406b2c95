//! Tables of aligned text, as the command prints them for people, in files of recorded runs.
//!
//! A table is lines of a label and numbers, two or more spaces apart, below a line of heads. Its rows have the label as
//! `label`, the line that its paragraph begins with, up to a colon, as `table`, that line's first word as `of`, and the
//! last heading above it as `section`. What is said right below a table is rows as well: a `number` each, the two words
//! before it as `said`, and the table's `table`, `of` and `section`. A cell of two numbers, `65/25` or `65, 25`, below
//! `ao` is also `ao/1` and `ao/2`.
//!
//! Every line is a row too, whether of a table or not: the line is `line`, its numbers are `n1`, `n2` and so on, and
//! `nth` says which it is of the lines that begin with the same word. A table of comma-separated values between other
//! lines has rows by its heads, and the line above it as `table`.

use super::table::Row;
use super::tolerance::squeezed;
use std::collections::BTreeMap;

/// A word or several, and the columns where they stand.
#[derive(Debug, Clone, PartialEq)]
struct Piece<'a> {
    start: usize,
    end: usize,
    text: &'a str,
}

/// Returns the rows of all tables of a text, and those of its lines.
pub(super) fn rows_of_text(text: &str) -> Vec<Row> {
    // What the command says while it works may stand between its tables.
    let lines: Vec<&str> =
        text.lines().filter(|line| !line.starts_with("raywarp: warning")).map(str::trim_end).collect();
    let mut rows = tables(&lines);
    rows.extend(lines_of(&lines));
    rows.extend(values(&lines));
    rows
}

/// Returns the rows of all tables of aligned text.
fn tables(lines: &[&str]) -> Vec<Row> {
    let (mut rows, mut section, mut title): (Vec<Row>, _, _) = (Vec::new(), "", None);
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at].trim_start();
        if line.starts_with('#') {
            section = line.trim_start_matches(['#', ' ']);
        }
        if line.is_empty() || line.starts_with('#') {
            title = None;
        } else if title.is_some() && is_row(lines[at]) {
            let length = lines[at..].iter().take_while(|line| is_row(line)).count();
            rows.extend(table(lines[at - 1], &lines[at..at + length], (section, title.unwrap_or_default())));
            at += length;
            let is_table = |at: usize| lines[at..].iter().take(2).any(|line| is_row(line));
            let end = (at..lines.len()).find(|&at| lines[at].is_empty() || is_table(at)).unwrap_or(lines.len());
            let below = lines[at..end].join(" ");
            let around = rows.last().map_or(&[][..], |row| &row[row.len() - AROUND..]).to_vec();
            rows.extend(said(&below).into_iter().map(|row| row.into_iter().chain(around.clone()).collect()));
            title = None;
            continue;
        } else {
            title = title.or(Some(line));
        }
        at += 1;
    }
    rows
}

/// Returns a row for each line that has a number.
fn lines_of(lines: &[&str]) -> Vec<Row> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut rows = Vec::new();
    for line in lines {
        let nth = seen.entry(line.split_whitespace().next().unwrap_or_default()).or_default();
        *nth += 1;
        let cell = |(number, word): (usize, &str)| (format!("n{number}"), word.to_string());
        let numbers: Vec<(String, String)> = (1..).zip(numbers(line)).map(cell).collect();
        let first = [("line".to_string(), squeezed(line)), ("nth".to_string(), nth.to_string())];
        rows.extend((!numbers.is_empty()).then(|| first.into_iter().chain(numbers).collect()));
    }
    rows
}

/// Returns the words of a line that are numbers, without units and marks.
fn numbers(line: &str) -> impl Iterator<Item = &str> {
    fn plain(word: &str) -> &str {
        word.trim_matches(['(', ')', ',', ';', ':', '*', '%', '+']).trim_end_matches('.')
    }
    let words = line.split([' ', '/', '\t']).filter(|word| !word.is_empty());
    words.map(plain).filter(|word| {
        word.starts_with(['-', '.', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
            && word.replace(',', "").parse::<f64>().is_ok()
    })
}

/// Returns the rows of tables of comma-separated values: a line of heads, and lines of as many numbers below it.
fn values(lines: &[&str]) -> Vec<Row> {
    let cells = |line: &str| line.split(',').map(|cell| cell.trim().to_string()).collect::<Vec<_>>();
    let are_numbers = |line: &str| cells(line).len() > 1 && cells(line).iter().all(|cell| cell.parse::<f64>().is_ok());
    let mut rows = Vec::new();
    let (mut heads, mut title) = (Vec::new(), "");
    for (at, line) in lines.iter().enumerate() {
        let is_head = !are_numbers(line) && lines.get(at + 1).is_some_and(|next| are_numbers(next));
        if is_head {
            (heads, title) = (cells(line), if at > 0 { lines[at - 1] } else { "" });
        } else if are_numbers(line) && cells(line).len() == heads.len() {
            let table = ("table".to_string(), title.to_string());
            rows.push(heads.iter().cloned().zip(cells(line)).chain([table]).collect());
        }
    }
    rows
}

/// How many cells of a row say where its table stands.
const AROUND: usize = 3;

/// Returns the numbers of a text with the two words before each.
fn said(text: &str) -> Vec<Row> {
    let words: Vec<&str> =
        text.split_whitespace().map(|word| word.trim_matches(['(', ')', ',', ';', ':', '.'])).collect();
    let row = |at: usize| {
        let before = words[at.saturating_sub(2)..at].join(" ");
        let number = words[at].trim_start_matches('+');
        number.parse::<f64>().is_ok().then(|| vec![("said".into(), before), ("number".into(), number.into())])
    };
    (0..words.len()).filter_map(row).collect()
}

/// Returns `true` for a label and at least two numbers, in three places or more.
fn is_row(line: &str) -> bool {
    let is_number = |word: &str| number(word).is_some();
    pieces(line, 2).len() >= 3 && line.split_whitespace().skip(1).filter(|word| is_number(word)).count() >= 2
}

/// Returns a word that is a number, without the star of the best one in a column.
fn number(word: &str) -> Option<&str> {
    let plain = word.trim_end_matches('*');
    plain.trim_end_matches('%').replace(',', "").parse::<f64>().ok().map(|_| plain)
}

/// Splits a line wherever so many spaces stand, or more.
fn pieces(line: &str, spaces: usize) -> Vec<Piece<'_>> {
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    for word in line.split_whitespace() {
        let start = word.as_ptr().addr() - line.as_ptr().addr();
        let end = start + word.len();
        match pieces.last_mut().filter(|last| start - last.end < spaces) {
            Some(last) => *last = Piece { start: last.start, end, text: &line[last.start..end] },
            None => pieces.push(Piece { start, end, text: word }),
        }
    }
    pieces
}

/// Returns the rows of a table below its line of heads.
fn table(heads: &str, lines: &[&str], (section, title): (&str, &str)) -> Vec<Row> {
    let rows: Vec<Vec<Piece<'_>>> = lines.iter().map(|line| pieces(line, 2)).collect();
    let whole = pieces(heads, 2);
    let is_even = rows.iter().all(|row| row.len() == whole.len());
    let label_end = rows.iter().filter_map(|row| row.first()).map(|label| label.end).max().unwrap_or(0);
    // Heads with one space between them are told apart by what stands below them.
    let words: Vec<Piece<'_>> = pieces(heads, 1).into_iter().filter(|head| head.start >= label_end).collect();
    let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
    let title = if heads.trim_start() == title { "" } else { title };
    let around = [
        pair("table", title.split(':').next().unwrap_or_default()),
        pair("of", title.split([' ', ':']).next().unwrap_or_default()),
        pair("section", section),
    ];
    let row = |(row, line): (&Vec<Piece<'_>>, &&str)| {
        let label = pair("label", row[0].text);
        let cells: Vec<(String, String)> = match is_even {
            true => whole.iter().zip(row).map(|(head, cell)| pair(head.text, plain(cell.text))).collect(),
            false => {
                below(&words, &pieces(line, 1).into_iter().filter(|word| word.start >= row[0].end).collect::<Vec<_>>())
            }
        };
        let halves: Vec<_> = cells.iter().flat_map(|(name, cell)| halves(name, cell)).collect();
        [label].into_iter().chain(cells).chain(halves).chain(around.clone()).collect()
    };
    rows.iter().zip(lines).map(row).collect()
}

/// Returns both numbers of a cell that is two.
fn halves(name: &str, cell: &str) -> Vec<(String, String)> {
    let numbers: Vec<&str> = cell.split(['/', ',']).map(str::trim).collect();
    let is_two = numbers.len() == 2 && numbers.iter().all(|number| number.parse::<f64>().is_ok());
    let numbers = numbers.into_iter().filter(|_| is_two && number(cell).is_none());
    (1..).zip(numbers).map(|(half, number)| (format!("{name}/{half}"), number.to_string())).collect()
}

fn plain(cell: &str) -> &str {
    number(cell).unwrap_or(cell)
}

/// Gives each word to the head above it, or else to the next on its right. The second of two heads with the same word
/// is `head#2`.
fn below(heads: &[Piece<'_>], words: &[Piece<'_>]) -> Row {
    let name =
        |head: &Piece<'_>| match heads.iter().filter(|own| own.text == head.text && own.start < head.start).count() {
            0 => head.text.to_string(),
            earlier => format!("{}#{}", head.text, earlier + 1),
        };
    let mut row: Row = Vec::new();
    for word in words {
        let above = heads.iter().find(|head| head.start < word.end && word.start < head.end);
        let Some(head) = above.or_else(|| heads.iter().find(|head| head.start >= word.end)).or(heads.last()) else {
            continue;
        };
        let head = name(head);
        match row.iter_mut().find(|(own, _)| *own == head) {
            Some((_, cell)) => *cell = format!("{cell} {}", plain(word.text)),
            None => row.push((head, plain(word.text).to_string())),
        }
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, at: usize, wanted: &[(&str, &str)]) {
        let rows = rows_of_text(text);
        for (name, value) in wanted {
            let found = rows[at].iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str());
            assert_eq!(found, Some(*value), "{name} in {:?}", rows[at]);
        }
    }

    #[test]
    fn heads_of_several_words_are_one_where_all_columns_stand_apart() {
        let text = "## dragon.ply\n\n    W11 Table 1: frames a second\n    organisation   bounces  of naive\n    \
                    tiled M=8            2      0.60\n    compact              8     1.04*\n    lanes: of 32\n\n";
        let title = ("table", "W11 Table 1");
        check(text, 0, &[("label", "tiled M=8"), ("bounces", "2"), ("section", "dragon.ply"), title]);
        check(text, 1, &[("organisation", "compact"), ("of naive", "1.04"), title]);
        check(text, 2, &[("said", "lanes of"), ("number", "32"), ("section", "dragon.ply"), title]);
        assert_eq!(tables(&text.lines().collect::<Vec<_>>()).len(), 3);
    }

    #[test]
    fn what_stands_below_no_head_belongs_to_the_next_on_its_right() {
        let text = "sibenik: 75,275 triangles; 2 runs\nrays: 3,932,160 primary, 125,829,056 ao\n\
                    Mrays/s            primary              ao  checked differ\n\
                    kepler      5452.5   1.3%   7138.4   0.1%    122 K      0\n\
                    fermi      2580.2*   0.1%    438.4   0.1%    122 K      0\n";
        check(text, 0, &[("label", "kepler"), ("primary", "5452.5 1.3%"), ("ao", "7138.4 0.1%"), ("of", "sibenik")]);
        let warned = rows_of_text(&format!("raywarp: warning: a\n{text}"));
        assert_eq!(warned, rows_of_text(text));
        check(text, 1, &[("primary", "2580.2 0.1%"), ("checked", "122 K"), ("differ", "0")]);
    }

    #[test]
    fn tables_of_one_paragraph_have_titles_of_their_own() {
        let table = "room       ours     theirs\nsibenik   0.748 M  0.613 M\n";
        let text = format!("isa=1 speed.py\n{table}isa=2 speed.py\n{table}");
        let apart = text.replace("0.748 M  0.613 M", "0.748      0.613");
        assert_eq!(tables(&apart.lines().collect::<Vec<_>>()).len(), 2);
        check(&text.replace(" M", "  "), 1, &[("of", "isa=2"), ("theirs", "0.613")]);
        let narrow = "a: b\nMrays/s ours theirs ratio best mode\nao         8.72   6.65  1.32 16, high\n";
        check(narrow, 0, &[("ours", "8.72"), ("ratio", "1.32"), ("best", "16,"), ("mode", "high")]);
        let pairs = "a: b\nkernel      ao    diffuse\nwide     65/25   0.5, 0.7   3\n";
        check(pairs, 0, &[("ao", "65/25"), ("ao/1", "65"), ("ao/2", "25")]);
        let heads = "Mrays/s             diffuse diffuse shuffled   checked";
        let twice = format!("a: b\n{heads}\nkernel        3200.3   0.1%    1929.0   0.1%     81910\n");
        check(&twice, 0, &[("diffuse", "3200.3 0.1%"), ("diffuse#2", "1929.0"), ("checked", "81910")]);
    }

    #[test]
    fn a_line_is_a_row_of_its_numbers() {
        let text =
            "RMSE   0.0008, 0.0661 % of b's\na.pbrt: 600.5 M/s (0.5 %), 2.3 G/s: 0.34, 0.31; h8\nRMSE   9.\nno\n";
        check(text, 0, &[("line", "RMSE 0.0008, 0.0661 % of b's"), ("nth", "1"), ("n2", "0.0661")]);
        check(text, 1, &[("n1", "600.5"), ("n2", "0.5"), ("n4", "0.34"), ("n5", "0.31")]);
        check(text, 2, &[("nth", "2"), ("n1", "9")]);
        assert_eq!(rows_of_text(text).len(), 3);
    }

    #[test]
    fn values_parted_by_commas_are_a_table_between_other_lines() {
        let text = "alone primary\nsize,h8,h8/direct\n100,3,4.5\n200,6,7\nalone ao\nsize,h8,x\n100,8,9\n";
        let lines: Vec<&str> = text.lines().collect();
        let rows = values(&lines);
        let cell = |at: usize, name: &str| rows[at].iter().find(|(own, _)| own == name).unwrap().1.clone();
        assert_eq!((rows.len(), cell(1, "h8/direct").as_str(), cell(1, "table").as_str()), (3, "7", "alone primary"));
        assert_eq!((cell(2, "x").as_str(), cell(2, "table").as_str()), ("9", "alone ao"));
    }
}
