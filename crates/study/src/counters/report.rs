//! Counters beside predictions, as text and as JSON.

use super::{Compared, CountersReport, Pair, WITHIN, blocks, stalls};
use crate::launch::is_implicit;
use crate::simulate::{name_of, traced};
use raywarp_bench::table::{Hidden, Room, Table, TableColumn, wrapped};
use raywarp_sim::gap::Part;
use std::fmt::Write;

/// What the columns mean.
const LEGEND: &str = "instr.: instructions of warps, a ray, as foretold; counted: by the profiler; off: by so much, with ! if any is more than 5 % off and ? if \
    more than a fifth of the costs is assumed. lanes: of an instruction. passes, sectors: foretold over counted, through the L1 and of loads from \
    memory. Then where the measured time went, %.";

impl Pair {
    pub(super) fn json(self) -> serde_json::Value {
        serde_json::json!({ "foretold": self.foretold, "counted": self.counted })
    }
}

fn ratio(pair: Option<Pair>) -> String {
    pair.map_or_else(|| "-".into(), |pair| format!("{:.2}", pair.ratio()))
}

fn percent(pair: Option<Pair>) -> String {
    pair.map_or_else(|| "-".into(), |pair| format!("{:+.1}%", 100.0 * pair.error()))
}

/// Mean and largest of the errors' sizes, and how many are within 5 %.
struct Errors {
    mean: f64,
    worst: f64,
    near: usize,
    count: usize,
}

fn errors(pairs: impl Iterator<Item = Pair>) -> Option<Errors> {
    let all: Vec<f64> = pairs.map(|pair| pair.error().abs()).collect();
    let worst = all.iter().copied().fold(0.0, f64::max);
    let near = all.iter().filter(|error| **error <= WITHIN).count();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    (!all.is_empty()).then_some(Errors { mean, worst, near, count: all.len() })
}

impl CountersReport {
    /// A launch a line, then what is within 5 %.
    pub fn text(&self, room: Room) -> String {
        let rays = &self.request.rays;
        let title = format!(
            "{}, {}, workload {}; rays traced: {}",
            rays.scene,
            self.request.machine.name(),
            rays.workload.name(),
            traced(&self.rays)
        );
        let mut text = format!("{}\n\n{}\n\n", wrapped(&title), wrapped(LEGEND));
        let columns = [
            TableColumn::left("kernel"),
            TableColumn::left("rays"),
            TableColumn::right("instr."),
            TableColumn::right("counted"),
            TableColumn::right("off"),
            TableColumn::left(""),
            TableColumn::right("lanes").rank(1),
            TableColumn::right("counted").rank(1),
            TableColumn::right("off").rank(1),
            TableColumn::right("passes").rank(2),
            TableColumn::right("sectors").rank(2),
        ];
        let parts = Part::ALL.map(|part| TableColumn::right(format!("{} %", part.name())).rank(3));
        let mut table = Table::new(columns.into_iter().chain(parts));
        self.rows.iter().for_each(|row| table.row(row.cells()));
        let mut hidden = Hidden::default();
        table.write(&mut text, room, &mut hidden);
        text.push('\n');
        type Of = fn(&Compared) -> bool;
        let groups: [(&str, Of); 4] = [
            ("one ray a lane or warp, voted", |row| !is_implicit(&row.counted.variant) && !row.is_pooled()),
            ("pools of rays, voted", |row| !is_implicit(&row.counted.variant) && row.is_pooled()),
            ("all voted kernels", |row| !is_implicit(&row.counted.variant)),
            ("lanes left to the hardware, foretold as voted", |row| is_implicit(&row.counted.variant)),
        ];
        for (name, of) in groups {
            let of = || self.rows.iter().filter(|row| of(row) && !row.is_guess());
            let summary = [
                ("instructions", errors(of().filter_map(|row| row.instructions))),
                ("lanes", errors(of().filter_map(|row| row.lanes))),
            ];
            for (what, errors) in summary {
                let Some(Errors { mean, worst, near, count }) = errors else { continue };
                let line = format!(
                    "{name}: {what} {near} of {count} within {:.0} %; off by {:.1} % on average, {:.1} % at most",
                    100.0 * WITHIN,
                    100.0 * mean,
                    100.0 * worst
                );
                let _ = writeln!(text, "{}", wrapped(&line));
            }
        }
        let mut guessed: Vec<String> =
            self.rows.iter().filter(|row| row.is_guess()).map(|row| name_of(&row.counted.variant)).collect();
        guessed.dedup();
        if !guessed.is_empty() {
            let line =
                format!("more than a fifth of the costs is assumed, so nothing is foretold: {}", guessed.join(", "));
            let _ = writeln!(text, "{}", wrapped(&line));
        }
        stalls::write(&self.rows, &mut text, room, &mut hidden);
        blocks::write(&self.rows, &mut text, room, &mut hidden);
        hidden.finish(&mut text);
        text
    }

    /// The same as a JSON document.
    pub fn json(&self) -> serde_json::Value {
        let row = |row: &Compared| {
            let parts = row.parts.map(|parts| {
                let part = |(part, share): (Part, f64)| (part.name().to_string(), serde_json::json!(100.0 * share));
                Part::ALL.into_iter().zip(parts).map(part).collect::<serde_json::Map<_, _>>()
            });
            serde_json::json!({
                "name": name_of(&row.counted.variant),
                "variant": row.counted.variant.to_string(),
                "kind": row.counted.kind.name(),
                "voted": !is_implicit(&row.counted.variant),
                "warp_instructions_per_ray": row.instructions.map(Pair::json),
                "lanes_per_instruction": row.lanes.map(Pair::json),
                "l1_passes_per_ray": row.passes.map(Pair::json),
                "load_sectors_per_ray": row.sectors.map(Pair::json),
                "stalls": row.stalls.as_ref().map(stalls::json),
                "blocks_instructions_per_ray": (!row.blocks.is_empty()).then(|| blocks::json(&row.blocks)),
                "instructions_assumed_percent": 100.0 * row.assumed,
                "costs_verified": row.verified,
                "foretold": !row.is_guess(),
                "within": !row.is_guess() && [row.instructions, row.lanes].into_iter().flatten().all(Pair::is_near),
                "time_percent": parts,
            })
        };
        serde_json::json!({
            "scene": self.request.rays.scene,
            "machine": self.request.machine.name(),
            "within_percent": 100.0 * WITHIN,
            "rows": self.rows.iter().map(row).collect::<Vec<_>>(),
        })
    }
}

impl Compared {
    fn cells(&self) -> Vec<String> {
        let pair = |pair: Option<Pair>| {
            let numbers = pair.map(|pair| [pair.foretold, pair.counted].map(|number| format!("{number:.1}")));
            numbers.unwrap_or(["-", "-"].map(String::from))
        };
        let mut all = [self.instructions, self.lanes].into_iter().flatten();
        let mark = if self.is_guess() { "?" } else { ["", "!"][usize::from(!all.all(Pair::is_near))] };
        let [instructions, instructions_counted] = pair(self.instructions);
        let [lanes, lanes_counted] = pair(self.lanes);
        let mut cells = vec![
            name_of(&self.counted.variant),
            self.counted.kind.name().to_string(),
            instructions,
            instructions_counted,
            percent(self.instructions),
            mark.to_string(),
            lanes,
            lanes_counted,
            percent(self.lanes),
            ratio(self.passes),
            ratio(self.sectors),
        ];
        cells.extend(self.parts.iter().flatten().map(|share| format!("{:.0}", 100.0 * share)));
        cells
    }
}
