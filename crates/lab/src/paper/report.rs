//! The documents of `raywarp paper`: the list, a paper, an exhibit, a statement.

use super::catalogue::{drawn, of};
use super::chart::charts;
use super::distance::{distance, distance_head, rules};
use super::exhibit::{self, Exhibit, Paper};
use super::formed::completed;
use super::judged::{Judged, JudgedCell, exhibit_of, judge, rests_on, statements};
use super::part_table::{long, part_table};
use super::record::{NumberSource, Record};
use super::recorded::{RecordedFile, recorded_files};
use super::table::scenes;
use raywarp_papers::{Claim, Finding, Measure, Outcome, Selection};
use raywarp_report::{Column, Document, Sheet, TableColumn, Value, number};
use serde_json::json;

/// Returns the list of papers, with their exhibits and how many statements were reproduced.
pub fn list_document() -> Document {
    let mut document = Document::of_facts("The papers", ACROSS);
    for paper in Paper::ALL {
        document.item("papers", |item| {
            item.data("key", paper.key());
            item.data("title", paper.title());
            item.paragraph(format!("{}: {}", paper.key(), paper.title()));
            item.heading(format!("{}: {}", paper.key(), paper.title()));
            name_exhibits(item, paper);
            let counts = counts(&judged(paper));
            item.line(counts.as_str());
            item.prose(counts);
        });
    }
    document.paragraph(
        "`raywarp paper KEY` lists a paper's statements, `raywarp paper KEY NAME` makes a table or figure, or shows what \
         came of a statement, such as `raywarp paper al09 table1`; with `--recorded` it prints what is stored, at \
         once.",
    );
    document
}

/// Returns a paper's exhibits and statements.
pub fn paper_document(paper: Paper) -> Document {
    let mut document = Document::of_facts(format!("{}: {}", paper.key(), paper.title()), ACROSS);
    document.line(paper.title());
    document.gap();
    document.data("key", paper.key());
    document.data("title", paper.title());
    document.heading("Tables and figures");
    name_exhibits(&mut document, paper);
    document.gap();
    document.heading("Statements");
    let rows = judged(paper);
    let sheet = Sheet(vec![
        Column::words(|row: &Judged| row.finding.name.clone()).page(0, "name").key("name").csv(0, "name"),
        Column::words(|row: &Judged| row.finding.place.clone()).page(1, "in the paper").key("place").csv(1, "place"),
        Column::words(|row: &Judged| row.finding.says.clone()).page(2, "what it says").key("says").csv(2, "says"),
        Column::words(|row: &Judged| row.status.to_string()).page(3, "status").key("status").csv(3, "status"),
        Column::words(close).page(4, "how close, or why not").key("how_close").csv(4, "how_close"),
    ]);
    for Judged { finding, status, .. } in &rows {
        document.line(finding.name.as_str());
        document.fact("", format!("{status}: {}, {}", finding.place, finding.says));
    }
    document
        .table(sheet.table(&rows).on_page("Statements of the paper, judged by one rule").key("statements").in_csv());
    document.gap();
    document.line(counts(&rows));
    document
}

/// Number of characters that names take in a list.
const ACROSS: usize = 14;

/// Adds the tables and figures of a paper, by name.
fn name_exhibits(document: &mut Document, paper: Paper) {
    let rows: Vec<Exhibit> = of(paper).copied().collect();
    for row in &rows {
        document.fact(row.name, format!("{}: {}", row.place, row.what));
    }
    for (name, shows) in drawn(paper) {
        document.fact(name, format!("not made: {shows}"));
    }
    let made = |row: &Exhibit| match row.making {
        exhibit::Making::Gpu => "recorded",
        _ => "simulated",
    };
    let sheet = Sheet(vec![
        Column::words(|row: &Exhibit| row.name).page(0, "name").key("name"),
        Column::words(|row: &Exhibit| row.place).page(1, "in the paper").key("place"),
        Column::words(made).page(2, "ours").key("ours"),
        Column::words(|row: &Exhibit| row.what).page(3, "what").key("what"),
    ]);
    document.table(sheet.table(&rows).on_page("Tables and figures that can be made").key("exhibits"));
}

/// Returns the statements of a paper, judged by the numbers that are stored.
fn judged(paper: Paper) -> Vec<Judged> {
    statements(paper).iter().map(|finding| judge(paper, finding, None)).collect()
}

/// Returns how many statements have each status.
fn counts(rows: &[Judged]) -> String {
    let of = |status: Outcome| {
        let count = rows.iter().filter(|row| row.status == status).count();
        format!("{count} {status}")
    };
    format!("{} statements: {}", rows.len(), Outcome::ALL.map(of).join(", "))
}

/// Returns a table or figure with our numbers beside the paper's. `missing` says what could not be made, and why.
pub fn exhibit_document(exhibit: &Exhibit, records: &[Record], missing: &[String]) -> Document {
    let paper = exhibit.paper;
    let records = &*completed(exhibit, records.to_vec());
    let mut document = Document::new(format!("{} {}: {}", paper.key(), exhibit.name, exhibit.what));
    document.line(format!("{}, {}: {}", paper.key().to_uppercase(), exhibit.place, exhibit.what));
    document.data("paper", paper.key());
    document.data("name", exhibit.name);
    let mut has_gap = false;
    for scene in scenes(exhibit, records) {
        document.heading(scene);
        for part in exhibit.parts {
            has_gap |= part_table(&mut document, part, scene, records);
        }
    }
    if has_gap {
        document.line(GAP);
        document.note(GAP);
    }
    let files = recorded_files(exhibit, records);
    let of_files: Vec<String> = files.iter().map(RecordedFile::line).collect();
    for line in sources(exhibit, records).iter().chain(&of_files).chain(missing) {
        document.line(line.as_str());
        document.note(line.as_str());
    }
    document.lines(exhibit.fitted.iter().map(|what| format!("fitted: {what}")));
    document.lines(exhibit.notes.iter().map(|what| (*what).to_string()));
    exhibit.fitted.iter().for_each(|what| document.note(format!("Fitted: {what}")));
    exhibit.notes.iter().for_each(|what| document.note(*what));
    document.data("fitted", exhibit.fitted);
    document.data("missing", missing);
    document.data("runs", files.iter().map(RecordedFile::json).collect::<Vec<_>>());
    statements_on(&mut document, exhibit, records);
    document.heading("Pictures");
    charts(&mut document, exhibit, records);
    let all = long(exhibit).table(records);
    document.table(all.key("cells").in_csv());
    document
}

/// Explanation of a number of ours that is not there.
const GAP: &str = "-: ours is neither measured (no such GPU here, and no recorded run on that scene) nor simulated (no \
                   machine code or no model of that GPU, or a number that only a GPU gives)";

/// Adds the statements that rest on an exhibit.
fn statements_on(document: &mut Document, exhibit: &Exhibit, records: &[Record]) {
    let rests = |finding: &&Finding| finding.from.iter().any(|selection| rests_on(selection, exhibit.name));
    let judged: Vec<Judged> = statements(exhibit.paper)
        .iter()
        .filter(rests)
        .map(|finding| judge(exhibit.paper, finding, Some((exhibit.name, records))))
        .collect();
    // Without a scene's numbers a statement on it is not tested.
    let judged: Vec<Judged> = judged.into_iter().filter(|row| !row.cells.is_empty()).collect();
    if judged.is_empty() {
        return;
    }
    document.gap();
    document.heading("Statements that rest on it");
    let sheet = Sheet(vec![
        Column::words(|row: &Judged| row.finding.name.clone())
            .text(TableColumn::left("statement"))
            .page(0, "statement")
            .key("name"),
        Column::words(|row: &Judged| row.status.to_string())
            .text(TableColumn::left("status"))
            .page(1, "status")
            .key("status"),
        Column::words(|row: &Judged| summary(row))
            .text(TableColumn::left("how close"))
            .page(2, "how close")
            .key("how_close"),
    ]);
    document.table(sheet.table(&judged).in_text("").on_page("Judged by one rule").key("statements"));
}

/// Returns what a statement says and what came of it.
pub fn finding_document(row: &Judged) -> Document {
    let (paper, finding) = (row.paper, row.finding);
    let mut document = Document::new(format!("{} {}: {}", paper.key(), finding.name, finding.says));
    document.line(format!("{}, {}: {}", paper.key().to_uppercase(), finding.place, finding.says));
    document.line(format!("Outcome: {}", row.status));
    document.fields(json!({
        "paper": paper.key(), "name": finding.name, "place": finding.place, "says": finding.says,
        "status": row.status.to_string(), "note": finding.note,
    }));
    document.prose(format!("{}. {}", row.status, summary(row)));
    if !row.cells.is_empty() {
        document.line(summary(row));
        let sheet = cells(row);
        document.table(sheet.table(&row.cells).in_text("").on_page("Its cells").key("cells").in_csv());
        let claims = row.cells.iter().filter_map(|cell| Some((cell.measure, Claim::parse(&cell.theirs)?)));
        document.lines(rules(&claims.collect::<Vec<_>>()));
    }
    if !finding.cannot.is_empty() {
        document.line(plain(&finding.cannot));
        document.prose(plain(&finding.cannot));
    }
    if !finding.note.is_empty() {
        document.line(plain(&finding.note));
        document.prose(plain(&finding.note));
    }
    document
}

fn cells(row: &Judged) -> Sheet<'static, JudgedCell> {
    let digits = if row.cells.iter().any(|cell| cell.measure == Measure::Factor) { 2 } else { 1 };
    let off = move |cell: &JudgedCell| match Claim::parse(&cell.theirs) {
        Some(claim) if cell.measure != Measure::Exact => distance(claim, cell.ours, cell.measure),
        _ => Value::Nothing(""),
    };
    let head = distance_head(row.cells.iter().filter_map(|cell| Claim::parse(&cell.theirs)));
    let amount = amount_unit(row);
    let unit = move |cell: &JudgedCell| unit(cell.measure).unwrap_or(amount);
    let half = |cell: &JudgedCell| cell.half;
    let has_halves = row.cells.iter().any(|cell| cell.half.is_some());
    let half_column = Column::number(digits, half).key("half").csv(6, "half");
    let half_column =
        if has_halves { half_column.text(TableColumn::right("+-")).page(3, "95 %, +-") } else { half_column };
    let holds = |cell: &JudgedCell| match (cell.holds, cell.whole) {
        (Some(true), _) => "yes",
        (Some(false), _) => "no",
        (None, None) => "our sample does not say",
        (None, Some(true)) => "left out; surely yes",
        (None, Some(false)) => "left out; surely no",
    };
    Sheet(vec![
        Column::words(|cell: &JudgedCell| cell.of.clone())
            .text(TableColumn::left("of"))
            .page(0, "of")
            .key("of")
            .csv(0, "of"),
        Column::words(|cell: &JudgedCell| cell.theirs.clone())
            .text(TableColumn::right("theirs"))
            .page(1, "theirs")
            .key("theirs_text")
            .csv(1, "theirs"),
        Column::number(3, |cell: &JudgedCell| match Claim::parse(&cell.theirs) {
            Some(Claim::Number(number)) => Some(number),
            _ => None,
        })
        .key("theirs"),
        Column::number(digits, |cell: &JudgedCell| cell.ours)
            .text(TableColumn::right("ours"))
            .page(2, "ours")
            .key("ours")
            .csv(2, "ours"),
        half_column,
        Column::plain(off).text(TableColumn::right(head)).page(4, head).key("off").csv(3, "off"),
        Column::words(holds).text(TableColumn::left("holds")).page(5, "holds").key("holds").csv(4, "holds"),
        Column::words(unit).key("unit").csv(5, "unit"),
    ])
}

/// Returns the unit of a kind of numbers; `None` for amounts, which have one each.
fn unit(measure: Measure) -> Option<&'static str> {
    match measure {
        Measure::Share | Measure::Gain => Some("%"),
        Measure::Factor => Some("times"),
        Measure::Exact => Some(""),
        Measure::Amount => None,
    }
}

/// Returns the unit of a statement's amounts; empty where no exhibit's quantity has one.
fn amount_unit(row: &Judged) -> &'static str {
    let of = |selection: &Selection| exhibit_of(row.paper, selection)?.quantity(&selection.quantity);
    row.finding.from.iter().find_map(of).map_or("", |quantity| quantity.unit)
}

/// Returns how many cells hold, and the one that is farthest off.
fn summary(row: &Judged) -> String {
    let judged: Vec<&JudgedCell> = row.cells.iter().filter(|cell| cell.holds.is_some()).collect();
    let holding = judged.iter().filter(|cell| cell.holds == Some(true)).count();
    if judged.is_empty() {
        let all = row.cells.len();
        return if all == 0 { String::new() } else { format!("rule 7 leaves out all {all} cells{}", left_out(row)) };
    }
    let digits = |measure| if measure == Measure::Factor { 2 } else { usize::from(measure == Measure::Amount) };
    let weakest = judged.iter().max_by(|a, b| a.weakness.total_cmp(&b.weakness));
    let weakest = weakest.map_or_else(String::new, |cell| {
        format!("; weakest {}: {} for {}", cell.of, number(cell.ours, digits(cell.measure)), cell.theirs)
    });
    let near = if row.cells.iter().any(|cell| cell.is_reached) { "" } else { ", none comes near the end" };
    let out = row.cells.len() - judged.len();
    let out = if out == 0 { String::new() } else { format!("; rule 7 leaves out {out}{}", left_out(row)) };
    format!("{holding} of {} cells hold{near}{weakest}{out}", judged.len())
}

/// Returns what the intervals of the cells say that the rule leaves out, where all of an interval says the same.
fn left_out(row: &Judged) -> String {
    let of = |whole: bool, verb: &str| {
        let count = row.cells.iter().filter(|cell| cell.holds.is_none() && cell.whole == Some(whole)).count();
        (count > 0).then(|| format!("{count} that surely {verb}{}", if count == 1 { "s" } else { "" }))
    };
    let parts: Vec<String> = [of(true, "hold"), of(false, "fail")].into_iter().flatten().collect();
    if parts.is_empty() { parts.concat() } else { format!(" ({})", parts.join(", ")) }
}

/// Returns how close a statement's numbers are, or why there are none, in plain words.
fn close(row: &Judged) -> String {
    let parts = [summary(row), plain(&row.finding.cannot), plain(&row.finding.note)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(". ")
}

/// Returns a paper's statements as the rows of a Markdown table.
pub fn statements_markdown(paper: Paper) -> String {
    let mut text = "| in the paper | what it says | status | how close, or why not |\n|---|---|---|---|\n".to_string();
    for row in judged(paper) {
        let finding = row.finding;
        let parts = [summary(&row), finding.cannot.clone(), finding.note.clone()];
        let why = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(". ");
        text += &format!("| {} | {} | {} | {why} |\n", finding.place, finding.says, row.status);
    }
    text
}

/// Returns Markdown without the targets of its links and without marks of emphasis.
fn plain(markdown: &str) -> String {
    let mut text = String::new();
    let mut rest = markdown;
    while let Some(start) = rest.find('[') {
        let after = &rest[start + 1..];
        let Some((words, link)) = after.split_once("](") else { break };
        let Some((_, behind)) = link.split_once(')') else { break };
        text += &rest[..start];
        text += words;
        rest = behind;
    }
    text += rest;
    text.replace('*', "")
}

/// Returns where our numbers of an exhibit are from: a line for all, or one for each group of columns that have their
/// numbers from the same place.
fn sources(exhibit: &Exhibit, records: &[Record]) -> Vec<String> {
    let mut groups: Vec<(Vec<&str>, Vec<String>)> = Vec::new();
    for quantity in exhibit.parts.iter().flat_map(|part| part.quantities) {
        let of = sources_of(quantity.key, records);
        match groups.iter_mut().find(|(_, known)| *known == of) {
            _ if of.is_empty() => {}
            Some((heads, _)) if heads.contains(&quantity.head) => {}
            Some((heads, _)) => heads.push(quantity.head),
            None => groups.push((vec![quantity.head], of)),
        }
    }
    let is_one = groups.len() == 1;
    let head = |heads: &[&str]| if is_one { "ours".to_string() } else { heads.join(", ") };
    groups.iter().map(|(heads, of)| format!("{}: {}", head(heads), of.join("; "))).collect()
}

/// Returns where our numbers of a quantity are from, each place once.
fn sources_of(quantity: &str, records: &[Record]) -> Vec<String> {
    let (mut made, mut recorded): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
    for record in records.iter().filter(|record| record.quantity == quantity && record.ours.is_some()) {
        let source = match &record.source {
            NumberSource::Simulated => "simulated in this run".to_string(),
            NumberSource::Measured(gpu) => format!("measured in this run on {gpu}"),
            NumberSource::Recorded(run) if recorded.contains(&run.as_str()) => continue,
            NumberSource::Recorded(run) => {
                recorded.push(run);
                continue;
            }
            NumberSource::Nowhere => continue,
        };
        if !made.contains(&source) {
            made.push(source);
        }
    }
    if !recorded.is_empty() {
        made.push(format!("recorded: {}", recorded.join("; ")));
    }
    made
}
