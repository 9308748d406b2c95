//! Counters beside predictions, as text and as JSON.

use super::{Compared, CountersReport, Pair, WITHIN};
use crate::bounds::is_implicit;
use crate::simulate::{name_of, traced};
use raywarp_sim::gap::Part;
use std::fmt::Write;

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
    pub fn text(&self) -> String {
        let rays = &self.request.rays;
        let mut text = String::new();
        let _ = writeln!(
            text,
            "{}, {}, workload {}; rays traced: {}\n\n{:<34} {:<8} {:>17} {:>8}   {:>11} {:>8} {:>8} {:>8}  {}",
            rays.scene,
            self.request.machine.name(),
            rays.workload.name(),
            traced(&self.rays),
            "kernel",
            "rays",
            "instructions",
            "error",
            "lanes",
            "error",
            "passes",
            "sectors",
            Part::ALL.map(|part| format!("{:>11}", part.name())).concat()
        );
        for row in &self.rows {
            row.line(&mut text);
        }
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
                let _ = writeln!(
                    text,
                    "{name}: {what} {near} of {count} within {:.0} %; off by {:.1} % on average, {:.1} % at most",
                    100.0 * WITHIN,
                    100.0 * mean,
                    100.0 * worst
                );
            }
        }
        let mut guessed: Vec<String> =
            self.rows.iter().filter(|row| row.is_guess()).map(|row| name_of(&row.counted.variant)).collect();
        guessed.dedup();
        if !guessed.is_empty() {
            let _ = writeln!(
                text,
                "more than a fifth of the costs is assumed, so nothing is foretold: {}",
                guessed.join(", ")
            );
        }
        text.push_str(
            "\ninstructions: of warps, a ray, foretold and counted; lanes: of an instruction. passes, sectors: foretold over counted, \
             through the L1 and of loads from memory. Then where the measured time went, %. \
             !: more than 5 % off; ?: more than a fifth of the costs is assumed.\n",
        );
        text
    }

    /// The same as a JSON document.
    pub fn json(&self) -> serde_json::Value {
        let pair = |pair: Pair| serde_json::json!({ "foretold": pair.foretold, "counted": pair.counted });
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
                "warp_instructions_per_ray": row.instructions.map(pair),
                "lanes_per_instruction": row.lanes.map(pair),
                "l1_passes_per_ray": pair(row.passes),
                "load_sectors_per_ray": pair(row.sectors),
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
    fn line(&self, text: &mut String) {
        let pair = |pair: Option<Pair>| {
            pair.map_or_else(|| "-".into(), |pair| format!("{:.1} {:.1}", pair.foretold, pair.counted))
        };
        let mut all = [self.instructions, self.lanes].into_iter().flatten();
        let mark = if self.is_guess() { "?" } else { [" ", "!"][usize::from(!all.all(Pair::is_near))] };
        let parts =
            self.parts.map_or_else(String::new, |parts| parts.map(|share| format!("{:>11.0}", 100.0 * share)).concat());
        let _ = writeln!(
            text,
            "{:<34} {:<8} {:>17} {:>8}{mark}  {:>11} {:>8} {:>8.2} {:>8.2}  {parts}",
            name_of(&self.counted.variant),
            self.counted.kind.name(),
            pair(self.instructions),
            percent(self.instructions),
            pair(self.lanes),
            percent(self.lanes),
            self.passes.ratio(),
            self.sectors.ratio(),
        );
    }
}
