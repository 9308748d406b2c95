//! The columns of counters beside predictions.

use super::{Compared, ComparedStalls, CountPair, blocks, stalls};
use crate::launch::is_implicit;
use crate::simulate::name_of;
use raywarp_report::{Column, Sheet, TableColumn, Unit, Value};
use raywarp_sim::gap::Part;
use raywarp_sim::pace::StallCause;
use serde_json::{Value as Json, json};

impl CountPair {
    pub(super) fn json(self) -> Json {
        json!({ "foretold": self.foretold, "counted": self.counted })
    }
}

/// Returns one side of a pair of numbers as a table value.
fn side(pair: Option<CountPair>, of: fn(CountPair) -> f64) -> Value {
    Value::known(pair.map(of))
}

/// Returns the relative error of the simulator's number in per cent.
fn off(pair: Option<CountPair>) -> Value {
    pair.map_or(Value::Nothing("-"), |pair| Value::said(format!("{:+.1}%", 100.0 * pair.error()), ()))
}

/// Returns the ratio of the simulator's to the profiler's number as a table value; programs get both numbers.
fn over(pair: Option<CountPair>) -> Value {
    pair.map_or(Value::Nothing("-"), |pair| Value::said(format!("{:.2}", pair.ratio()), pair.json()))
}

/// Returns the columns that name a launch: its kernel and its rays.
fn names() -> [Column<'static, Compared>; 2] {
    [
        Column::words(|row: &Compared| name_of(&row.counted.variant)).text(TableColumn::left("kernel")).key("name"),
        Column::words(|row: &Compared| row.counted.kind.name()).text(TableColumn::left("rays")).key("kind"),
    ]
}

impl Compared {
    /// Returns the pairs of numbers by which a launch is judged.
    fn judged(&self) -> impl Iterator<Item = CountPair> {
        [self.instructions, self.lanes].into_iter().flatten()
    }

    /// Returns a one-letter mark for what is doubtful about a launch.
    fn mark(&self) -> &'static str {
        match (self.is_guess(), self.judged().all(CountPair::is_near)) {
            (true, _) => "?",
            (false, true) => "",
            (false, false) => "!",
        }
    }

    /// Returns the fractions of the measured time by part, as table cells.
    fn shares(&self) -> Option<serde_json::Map<String, Json>> {
        let share = |(part, share): (Part, f64)| (part.name().to_string(), json!(100.0 * share));
        Some(Part::ALL.into_iter().zip(self.parts?).map(share).collect())
    }
}

/// Returns the columns of the table of launches.
pub(super) fn launches() -> Sheet<'static, Compared> {
    let [foretold, counted]: [fn(CountPair) -> f64; 2] = [|pair| pair.foretold, |pair| pair.counted];
    let number = |value: fn(&Compared) -> Option<CountPair>, of: fn(CountPair) -> f64| {
        Column::plain(move |row: &Compared| side(value(row), of)).digits(1)
    };
    let both =
        |value: fn(&Compared) -> Option<CountPair>| Column::data(move |row: &Compared| value(row).map(CountPair::json));
    let mut columns: Vec<_> = names().into();
    columns.extend([
        number(|row| row.instructions, foretold).text(TableColumn::right("instr.")),
        number(|row| row.instructions, counted).text(TableColumn::right("counted")),
        Column::plain(|row: &Compared| off(row.instructions)).text(TableColumn::right("off")),
        Column::words(Compared::mark).text(TableColumn::left("")),
        number(|row| row.lanes, foretold).text(TableColumn::right("lanes").rank(1)),
        number(|row| row.lanes, counted).text(TableColumn::right("counted").rank(1)),
        Column::plain(|row: &Compared| off(row.lanes)).text(TableColumn::right("off").rank(1)),
        Column::plain(|row: &Compared| over(row.passes))
            .text(TableColumn::right("passes").rank(2))
            .key("l1_passes_per_ray"),
        Column::plain(|row: &Compared| over(row.sectors))
            .text(TableColumn::right("sectors").rank(2))
            .key("load_sectors_per_ray"),
    ]);
    for (number, part) in Part::ALL.into_iter().enumerate() {
        let share = move |row: &Compared| row.parts.map_or(Value::Nothing(""), |parts| Value::Number(parts[number]));
        columns.push(Column::new(Unit::Percent, share).text(TableColumn::right(format!("{} %", part.name())).rank(3)));
    }
    columns.extend([
        Column::words(|row: &Compared| row.counted.variant.to_string()).key("variant"),
        Column::data(|row: &Compared| !is_implicit(&row.counted.variant)).key("voted"),
        both(|row| row.instructions).key("warp_instructions_per_ray"),
        both(|row| row.lanes).key("lanes_per_instruction"),
        Column::data(|row: &Compared| row.stalls.as_ref().map(stalls::json)).key("stalls"),
        Column::data(|row: &Compared| (!row.blocks.is_empty()).then(|| blocks::json(&row.blocks)))
            .key("blocks_instructions_per_ray"),
        Column::new(Unit::Percent, |row: &Compared| Value::Number(row.assumed)).key("instructions_assumed_percent"),
        Column::data(|row: &Compared| row.verified).key("costs_verified"),
        Column::data(|row: &Compared| !row.is_guess()).key("foretold"),
        Column::data(|row: &Compared| !row.is_guess() && row.judged().all(CountPair::is_near)).key("within"),
        Column::data(|row: &Compared| row.shares()).key("time_percent"),
    ]);
    Sheet(columns)
}

/// Returns the columns of stalls by cause, for launches that have such counts.
pub(super) fn waits() -> Sheet<'static, Compared> {
    let of = |value: fn(&ComparedStalls) -> String| {
        Column::plain(move |row: &Compared| {
            row.stalls.as_ref().map_or(Value::Nothing(""), |stalls| Value::Words(value(stalls)))
        })
    };
    let mut columns: Vec<_> = names().into();
    let issuing = |stalls: &ComparedStalls| {
        format!("{:.0} {:.0}", 100.0 * stalls.issuing.foretold, 100.0 * stalls.issuing.counted)
    };
    columns.push(of(issuing).text(TableColumn::right("issue %")));
    for (number, cause) in StallCause::ALL.into_iter().enumerate() {
        let cell = move |row: &Compared| match &row.stalls {
            Some(stalls) => {
                let CountPair { foretold, counted } = stalls.waiting[number];
                Value::Words(format!("{foretold:.2} {counted:.2}"))
            }
            None => Value::Nothing(""),
        };
        columns.push(Column::plain(cell).text(TableColumn::right(cause.name()).rank(1)));
    }
    columns.push(of(|stalls| format!("{:.2}", stalls.unmodelled)).text(TableColumn::right("more").rank(1)));
    Sheet(columns)
}

/// Returns the columns of instructions by code block, for those with at least a fraction `least` of a kernel's
/// instructions.
pub(super) fn blocks_of(least: f64) -> Sheet<'static, Compared> {
    let blocks = move |row: &Compared| {
        let large = row.blocks.iter().filter(|one| one.share >= least);
        let cells: Vec<String> =
            large.map(|one| format!("{} {:+.1}", one.block.name(), 100.0 * one.instructions.error())).collect();
        cells.join(", ")
    };
    let mut columns: Vec<_> = names().into();
    columns.push(Column::words(blocks).text(TableColumn::left("blocks")));
    Sheet(columns)
}
