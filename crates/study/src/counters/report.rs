//! The report of counters beside predictions; `sheet.rs` has the columns.

use super::{Compared, CountPair, CountersReport, WITHIN, blocks, sheet, stalls};
use crate::kernel_then;
use crate::launch::is_implicit;
use crate::simulate::{name_of, traced};
use raywarp_report::Document;

/// Text that explains the columns of the table of launches.
const LEGEND: &str = "instr.: instructions of warps, a ray, as foretold; counted: by the profiler; off: by so much, with ! if any is more than 5 % off and ? if \
    more than a fifth of the costs is assumed. lanes: of an instruction. passes, sectors: foretold over counted, through the L1 and of loads from \
    memory. Then where the measured time went, %.";

/// Mean and largest absolute error, and the number of launches within 5 %.
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
    /// Returns the report as a document, to be written as text or JSON: a line for each launch, then a summary of the
    /// errors.
    pub fn document(&self) -> Document {
        let (rays, machine) = (&self.request.rays, self.request.machine.name());
        let mut document = Document::new(format!("{} counted on {machine}", rays.scene));
        document.data("scene", rays.scene.clone());
        document.data("machine", machine);
        document.data("within_percent", 100.0 * WITHIN);
        let kernels = self.kernels_then();
        document.data("kernels_then", kernel_then::json(&kernels));
        document.lines(kernel_then::warnings(&kernels));
        document.line(format!(
            "{}, {machine}, workload {}; rays traced: {}",
            rays.scene,
            rays.workload.name(),
            traced(&self.rays)
        ));
        document.paragraph(LEGEND);
        document.line("");
        document.table(sheet::launches().table(&self.rows).in_text_untitled().key("rows"));
        document.line("");
        document.lines(self.summary());
        let mut guessed: Vec<String> =
            self.rows.iter().filter(|row| row.is_guess()).map(|row| name_of(&row.counted.variant)).collect();
        guessed.dedup();
        if !guessed.is_empty() {
            document.line(format!(
                "more than a fifth of the costs is assumed, so nothing is foretold: {}",
                guessed.join(", ")
            ));
        }
        stalls::describe(&mut document, &self.rows);
        blocks::describe(&mut document, &self.rows);
        document
    }

    /// Returns one line for each group of kernels on how near their counts are.
    fn summary(&self) -> Vec<String> {
        type Of = fn(&Compared) -> bool;
        let groups: [(&str, Of); 4] = [
            ("one ray a lane or warp, voted", |row| !is_implicit(&row.counted.variant) && !row.is_pooled()),
            ("pools of rays, voted", |row| !is_implicit(&row.counted.variant) && row.is_pooled()),
            ("all voted kernels", |row| !is_implicit(&row.counted.variant)),
            ("lanes left to the hardware, foretold as voted", |row| is_implicit(&row.counted.variant)),
        ];
        let mut lines = Vec::new();
        for (name, of) in groups {
            let of = || self.rows.iter().filter(|row| of(row) && !row.is_guess());
            let summary = [
                ("instructions", errors(of().filter_map(|row| row.instructions))),
                ("lanes", errors(of().filter_map(|row| row.lanes))),
            ];
            for (what, errors) in summary {
                let Some(Errors { mean, worst, near, count }) = errors else { continue };
                lines.push(format!(
                    "{name}: {what} {near} of {count} within {:.0} %; off by {:.1} % on average, {:.1} % at most",
                    100.0 * WITHIN,
                    100.0 * mean,
                    100.0 * worst
                ));
            }
        }
        lines
    }
}
