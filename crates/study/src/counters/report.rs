//! Counters beside predictions, as text and as JSON; `sheet.rs` has the columns.

use super::{Compared, CountPair, CountersReport, WITHIN, blocks, sheet, stalls};
use crate::launch::is_implicit;
use crate::simulate::{name_of, traced};
use raywarp_bench::table::{Hidden, Room, wrapped};
use std::fmt::Write;

/// The meaning of the columns.
const LEGEND: &str = "instr.: instructions of warps, a ray, as foretold; counted: by the profiler; off: by so much, with ! if any is more than 5 % off and ? if \
    more than a fifth of the costs is assumed. lanes: of an instruction. passes, sectors: foretold over counted, through the L1 and of loads from \
    memory. Then where the measured time went, %.";

/// Mean and largest of the errors' sizes, and how many are within 5 %.
struct Errors {
    mean: f64,
    worst: f64,
    near: usize,
    count: usize,
}

fn errors(pairs: impl Iterator<Item = CountPair>) -> Option<Errors> {
    let all: Vec<f64> = pairs.map(|pair| pair.error().abs()).collect();
    let worst = all.iter().copied().fold(0.0, f64::max);
    let near = all.iter().filter(|error| **error <= WITHIN).count();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    (!all.is_empty()).then_some(Errors { mean, worst, near, count: all.len() })
}

impl CountersReport {
    /// Returns the report as text: a launch a line, then what is within 5 %.
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
        let mut hidden = Hidden::default();
        sheet::launches().table(&self.rows).write(&mut text, room, &mut hidden);
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

    /// Returns the report as a JSON document.
    pub fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "scene": self.request.rays.scene,
            "machine": self.request.machine.name(),
            "within_percent": 100.0 * WITHIN,
            "rows": sheet::launches().objects(&self.rows),
        })
    }
}
