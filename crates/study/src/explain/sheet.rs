//! The columns of source lines and of instructions.

use super::{ExplainReport, ExplainedInstruction, ExplainedLine, Explanation};
use raywarp_costs::{LineTable, Pipe, Wait};
use raywarp_report::{Column, Sheet, TableColumn, Unit, Value, number};
use raywarp_sim::pace::StallCause;
use serde_json::{Map, Value as Json, json};

/// Least part of all time at which a reason for waiting is worth a word.
const LEAST_WAIT: f64 = 0.002;
/// Largest number of reasons for waiting that are named of a line.
const MOST_WAITS: usize = 3;

/// A line of an explanation, with all that its columns need.
pub(super) struct LineRow<'a> {
    pub table: &'a LineTable,
    pub of: &'a Explanation,
    pub line: &'a ExplainedLine,
    /// Number of lanes of a warp.
    pub width: u32,
}

/// Returns the name of lines in a table: `ops/pop.h:11`, `tree/h8.h:40-42,45`.
pub(super) fn name_of_places(table: &LineTable, places: &[(usize, usize)]) -> String {
    let mut files: Vec<String> = Vec::new();
    for file in places.chunk_by(|a, b| a.0 == b.0) {
        let runs = file.chunk_by(|a, b| a.1 + 1 == b.1).map(|run| match (run.first(), run.last()) {
            (Some((_, first)), Some((_, last))) if first != last => format!("{first}-{last}"),
            (first, _) => first.map_or_else(String::new, |(_, line)| line.to_string()),
        });
        let name = file.first().and_then(|(file, _)| table.files().get(*file)).map_or("", |file| &file.name);
        files.push(format!("{name}:{}", runs.collect::<Vec<_>>().join(",")));
    }
    if files.is_empty() { "no line".to_string() } else { files.join(" ") }
}

/// Returns the text of a source line, without what is around it.
pub(super) fn text_of(table: &LineTable, (file, line): (usize, usize)) -> &str {
    let text = table.files().get(file).and_then(|file| file.lines.get(line.wrapping_sub(1)));
    text.map_or("", |text| text.trim())
}

/// Returns the name of a reason for waiting, as a line says it.
fn cause_name(cause: StallCause) -> &'static str {
    match cause {
        StallCause::NotSelected => "other warps issue",
        StallCause::Pipe => "pipe is busy",
        StallCause::Wait => "fixed clocks",
        StallCause::Load => "loads",
        StallCause::Short => "slow results",
        StallCause::Branch => "jumps",
        StallCause::Dispatch => "registers",
    }
}

impl LineRow<'_> {
    pub(super) fn name(&self) -> String {
        name_of_places(self.table, &self.line.places)
    }

    fn texts(&self) -> Vec<&str> {
        self.line.places.iter().map(|place| text_of(self.table, *place)).collect()
    }

    /// Returns why warps wait at the line, the longest waits first, and for whose results.
    fn waits(&self) -> String {
        let mut causes: Vec<(StallCause, f64)> = StallCause::ALL.into_iter().zip(self.line.stalls).collect();
        causes.retain(|(_, share)| *share >= LEAST_WAIT);
        causes.sort_by(|a, b| b.1.total_cmp(&a.1));
        let of = |(cause, share): &(StallCause, f64)| {
            let is_for_a_result = matches!(cause, StallCause::Load | StallCause::Short);
            let producer = self.producer(*cause).filter(|_| is_for_a_result);
            let from = producer.map_or_else(String::new, |name| format!(" of {name}"));
            format!("{}{from} {} %", cause_name(*cause), number(100.0 * share, 1))
        };
        causes.iter().take(MOST_WAITS).map(of).collect::<Vec<_>>().join(", ")
    }

    /// Returns what a text has below a line: its source, and why warps wait there.
    fn remark(&self) -> String {
        let waits = self.waits();
        let waits = if waits.is_empty() { waits } else { format!("waits: {waits}") };
        [self.texts().join(" | "), waits].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" -- ")
    }

    /// Returns the name of the line whose results are waited for longest, of those that make warps wait for `cause`.
    fn producer(&self, cause: StallCause) -> Option<String> {
        let producer = |(rank, _): &(usize, f64)| self.of.lines.get(*rank);
        let is_one =
            |line: &ExplainedLine| line.results.iter().any(|wait| (*wait == Wait::L1) == (cause == StallCause::Load));
        let line = self.line.producers.iter().filter_map(producer).find(|line| is_one(line))?;
        Some(if std::ptr::eq(line, self.line) {
            "its own".to_string()
        } else {
            name_of_places(self.table, &line.places)
        })
    }

    fn stalls_json(&self) -> Json {
        let one = |(cause, share): (StallCause, f64)| (cause.name().to_string(), json!(100.0 * share));
        Json::Object(StallCause::ALL.into_iter().zip(self.line.stalls).map(one).collect())
    }

    fn producers_json(&self) -> Json {
        let one = |(rank, share): &(usize, f64)| {
            let name = self.of.lines.get(*rank).map(|line| name_of_places(self.table, &line.places));
            json!({ "line": name, "percent": 100.0 * share })
        };
        self.line.producers.iter().map(one).collect()
    }

    fn pipes_json(&self) -> Json {
        let pipes = Pipe::ALL.into_iter().filter(|pipe| self.line.pipes[*pipe as usize] > 0.0);
        let one = |pipe: Pipe| (pipe.name().to_string(), json!(self.line.pipes[pipe as usize]));
        Json::Object(pipes.map(one).collect::<Map<String, Json>>())
    }
}

/// Returns the columns of the table of source lines.
pub(super) fn lines<'a>() -> Sheet<'a, LineRow<'a>> {
    let idle = |row: &LineRow<'_>| row.line.idle(row.width);
    Sheet(vec![
        Column::words(|row: &LineRow<'_>| row.of.kind.name()).csv(0, "kind"),
        Column::new(Unit::Percent, |row: &LineRow<'_>| Value::Number(row.line.share))
            .digits(1)
            .text(TableColumn::right("time"))
            .page(0, "time, %")
            .key("time_percent")
            .csv(2, "time_percent"),
        Column::new(Unit::Percent, |row: &LineRow<'_>| Value::known(row.line.sampled))
            .digits(1)
            .text(TableColumn::right("sampled"))
            .page(1, "sampled, %")
            .key("sampled_percent")
            .csv(7, "sampled_percent"),
        Column::number(2, |row: &LineRow<'_>| row.line.per_ray)
            .text(TableColumn::right("instr"))
            .page(2, "instructions a ray")
            .key("instructions_per_ray")
            .csv(3, "instructions_per_ray"),
        Column::words(|row: &LineRow<'_>| row.line.pipe().map_or("-", Pipe::name))
            .text(TableColumn::left("pipe"))
            .page(3, "pipe")
            .key("pipe")
            .csv(4, "pipe"),
        Column::data(|row: &LineRow<'_>| row.pipes_json()).key("pipes"),
        Column::new(Unit::Percent, move |row: &LineRow<'_>| Value::known(idle(row)))
            .text(TableColumn::right("idle"))
            .page(4, "idle lanes, %")
            .key("idle_lanes_percent")
            .csv(5, "idle_lanes_percent"),
        Column::number(1, |row: &LineRow<'_>| row.line.chain)
            .text(TableColumn::right("alone"))
            .page(5, "clocks a ray of a warp alone")
            .key("alone_clocks_per_ray")
            .csv(6, "alone_clocks_per_ray"),
        Column::words(LineRow::name).text(TableColumn::left("line")).page(6, "line").key("line").csv(1, "line"),
        Column::words(LineRow::remark).remark(),
        Column::plain(|row: &LineRow<'_>| Value::said(row.texts().join(" | "), row.texts()))
            .page(7, "source")
            .key("source"),
        Column::plain(|row: &LineRow<'_>| Value::said(row.waits(), row.stalls_json()))
            .page(8, "warps wait for")
            .key("waits_percent"),
        Column::data(|row: &LineRow<'_>| row.producers_json()).key("waits_for"),
    ])
}

/// An instruction of an explanation, with all that its columns need.
pub(super) struct InstructionRow<'a> {
    pub report: &'a ExplainReport,
    pub instruction: &'a ExplainedInstruction,
}

/// Returns the columns of the table of instructions, which programs alone read.
pub(super) fn instructions<'a>() -> Sheet<'a, InstructionRow<'a>> {
    let chain = |row: &InstructionRow<'_>| -> Json {
        let table = &row.report.table;
        let frames = row.instruction.frame.into_iter().flat_map(|frame| table.chain(frame));
        frames.map(|frame| name_of_places(table, &[(frame.file, frame.line)])).collect::<Vec<_>>().into()
    };
    let stalls = |row: &InstructionRow<'_>| -> Json {
        let stalls = StallCause::ALL.into_iter().zip(row.instruction.stalls).filter(|(_, share)| *share > 0.0);
        Json::Object(stalls.map(|(cause, share)| (cause.name().to_string(), json!(100.0 * share))).collect())
    };
    let producers = |row: &InstructionRow<'_>| -> Json {
        let one = |(place, share): &(usize, f64)| json!({ "offset": 16 * place, "percent": 100.0 * share });
        row.instruction.producers.iter().map(one).collect()
    };
    Sheet(vec![
        Column::count(|row: &InstructionRow<'_>| u64::from(row.instruction.offset)).key("offset"),
        Column::data(chain).key("lines"),
        Column::words(|row: &InstructionRow<'_>| row.instruction.block.name()).key("operation"),
        Column::words(|row: &InstructionRow<'_>| row.instruction.pipe.name()).key("pipe"),
        Column::number(3, |row: &InstructionRow<'_>| row.instruction.per_ray).key("per_ray"),
        Column::number(3, |row: &InstructionRow<'_>| row.instruction.lanes_per_ray).key("lanes_per_ray"),
        Column::number(3, |row: &InstructionRow<'_>| row.instruction.chain).key("alone_clocks_per_ray"),
        Column::new(Unit::Percent, |row: &InstructionRow<'_>| Value::Number(row.instruction.share)).key("time_percent"),
        Column::new(Unit::Percent, |row: &InstructionRow<'_>| Value::known(row.instruction.sampled))
            .key("sampled_percent"),
        Column::data(stalls).key("waits_percent"),
        Column::data(producers).key("waits_for"),
    ])
}
