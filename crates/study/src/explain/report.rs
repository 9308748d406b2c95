//! The report of an explanation; `sheet.rs` has the columns.

use super::sheet::{InstructionRow, LineRow, instructions, lines};
use super::{BesideSamples, ExplainReport, Explanation};
use crate::simulate::{headline, name_of};
use raywarp_costs::Pipe;
use raywarp_report::chart::{Bar, Bars};
use raywarp_report::{Document, ListedLine, Listing, number};
use raywarp_sim::machine::keys;
use serde_json::Value as Json;

/// Text that explains the columns of the table of lines.
const LEGEND: &str = "time: share of warps' time at which they stand at a line's instructions, issuing or waiting. instr: instructions of warps a ray. pipe: \
    the pipeline of most of them. idle: lanes that do nothing meanwhile, %. alone: clocks a ray of a warp with no other beside it, where all \
    loads hit the L1. Lines that the compiler merged stand together. waits: why warps wait there, and for which line's results.";

/// The same for a page.
const MEANING: &str = "An instruction counts for the innermost line that it is from. How often warps issue it is counted on the rays; how long they stand at it is \
    what a model of a multiprocessor says, clock by clock, with as many warps as it holds. A warp stands at the instruction that it issues next.";

/// Least share of the time of a file whose listing is open when a page is.
const OPEN: f64 = 0.1;
/// Share of the time of a line that has the full colour.
const HOTTEST: f64 = 0.2;

/// Returns a chart of the hottest lines' shares of the time, beside a profiler's samples if there are any.
fn chart(rows: &[LineRow<'_>], top: usize) -> Bars {
    let bar = |share: f64| Bar { value: 100.0 * share, label: number(100.0 * share, 1) };
    let is_sampled = rows.iter().any(|row| row.line.sampled.is_some());
    let bars = |row: &LineRow<'_>| {
        let sampled = is_sampled.then(|| row.line.sampled.map(bar));
        (row.name(), std::iter::once(Some(bar(row.line.share))).chain(sampled).collect())
    };
    Bars {
        axis: "share of warps' time, %".into(),
        series: if is_sampled { vec!["model".into(), "sampled".into()] } else { vec![String::new()] },
        groups: rows.iter().take(top).map(bars).collect(),
        least_most: 0.0,
    }
}

impl ExplainReport {
    /// Returns the report as a document, to be written as text, JSON, CSV or an HTML page. A text has the `top` lines
    /// at which warps spend most time.
    pub fn document(&self, top: usize) -> Document {
        let (rays, machine) = (&self.request.rays, self.request.machine.name());
        let kernel = name_of(self.request.variant());
        let mut document = Document::new(format!("{kernel} on {}, {machine}, line by line", rays.scene));
        document.data("kernel", kernel.clone());
        document.data("variant", self.request.variant().to_string());
        document.data("scene", rays.scene.clone());
        document.data("machine", machine);
        document.line(format!("{kernel} on {machine}, {}", headline(rays, &self.rays)));
        document.prose(format!("{kernel} on {machine}; {}.", headline(rays, &self.rays)));
        document.paragraph(LEGEND);
        document.note(MEANING);
        for explanation in &self.kinds {
            self.of_kind(&mut document, explanation, top);
        }
        document
    }

    /// Returns the header line for the rows of [`Document::csv`], the same for all reports.
    pub fn csv_head() -> String {
        let mut document = Document::new("");
        document.table(lines().table([]).in_csv());
        document.csv_head()
    }

    fn of_kind(&self, document: &mut Document, of: &Explanation, top: usize) {
        let width = self.request.machine.count(keys::SM_WARP_WIDTH);
        let title = format!("{} rays", of.kind.name());
        document.heading(title.clone());
        let schedulers = self.request.machine.need(keys::SM_SCHEDULERS);
        let issuing = 100.0 * of.pace.instructions_per_clock / schedulers;
        let facts = format!(
            "{} instructions of warps a ray; {} warps a multiprocessor, whose schedulers issue in {} % of their clocks{}",
            number(of.per_ray, 1),
            of.warps,
            number(issuing, 0),
            if of.verified { "" } else { "; not all counts are verified" }
        );
        document.prose(format!("{facts}."));
        let rows: Vec<LineRow<'_>> =
            of.lines.iter().map(|line| LineRow { table: &self.table, of, line, width }).collect();
        let issued = || rows.iter().filter(|row| row.line.per_ray > 0.0);
        let shown = || issued().take(top);
        document.paragraph(format!("{title}: {facts}"));
        document.table(lines().table(shown()).in_text_untitled().on_page(format!("{title}: the hottest lines")));
        let caption = format!("Share of warps' time by source line, {title}");
        document.chart(format!("lines-{}", of.kind.name()), caption, chart(&rows, top));
        let left: f64 = issued().skip(top).map(|row| row.line.share).sum();
        let more = issued().count().saturating_sub(top);
        if more > 0 {
            document.line(format!("{more} more lines take {} % of the time", number(100.0 * left, 1)));
        }
        if let Some(beside) = of.beside {
            document.line(beside.words());
            document.prose(format!("{}.", beside.words()));
        }
        self.listings(document, of, width);
        document.for_programs(|programs| {
            programs.item("kinds", |item| {
                item.data("kind", of.kind.name());
                item.data("instructions_per_ray", of.per_ray);
                item.data("warps", of.warps);
                item.data("issuing_percent", issuing);
                item.data("verified", of.verified);
                item.data("beside_samples", of.beside.map_or(Json::Null, BesideSamples::json));
                item.table(lines().table(issued()).key("lines"));
                let instruction = |instruction| InstructionRow { report: self, instruction };
                let rows: Vec<InstructionRow<'_>> = of.instructions.iter().map(instruction).collect();
                item.table(instructions().table(&rows).key("instructions"));
            });
        });
        document.table(lines().table(issued()).in_csv());
    }

    /// Adds the source of each file with a line that is ever issued, those first at which warps spend most time.
    fn listings(&self, document: &mut Document, of: &Explanation, width: u32) {
        let share = |file: usize| -> f64 {
            let own = of.lines.iter().filter(|line| line.places.iter().any(|place| place.0 == file));
            own.map(|line| line.share).sum()
        };
        let mut files: Vec<(usize, f64)> = (0..self.table.files().len()).map(|file| (file, share(file))).collect();
        files.retain(|(_, share)| *share > 0.0);
        files.sort_by(|a, b| b.1.total_cmp(&a.1));
        for (file, share) in files {
            let listing = self.listing(of, file, share, width);
            let name = format!("{}, {} % of the time", self.table.files()[file].name, number(100.0 * share, 1));
            match share >= OPEN {
                true => document.listing(listing),
                false => document.fold(name, |document| document.listing(listing)),
            }
        }
    }

    fn listing(&self, of: &Explanation, file: usize, share: f64, width: u32) -> Listing {
        let source = &self.table.files()[file];
        let line = |(number, text): (usize, &String)| self.listed(of, (file, number + 1), text, width);
        Listing {
            caption: format!("{}: {} % of the time of {} rays", source.name, number(100.0 * share, 1), of.kind.name()),
            heads: ["line", "time, %", "instr", "pipe", "idle, %", "alone"].map(String::from).to_vec(),
            lines: source.lines.iter().enumerate().map(line).collect(),
        }
    }

    /// Returns a source line with its numbers; of several that the compiler merged the first has them, and all the
    /// colour.
    fn listed(&self, of: &Explanation, place: (usize, usize), text: &str, width: u32) -> ListedLine {
        let line = of.lines.iter().find(|line| line.per_ray > 0.0 && line.places.contains(&place));
        let mut cells = vec![place.1.to_string()];
        cells.extend(match line {
            Some(line) if line.places.first() == Some(&place) => [
                number(100.0 * line.share, 1),
                number(line.per_ray, 2),
                line.pipe().map_or("", Pipe::name).to_string(),
                line.idle(width).map_or_else(String::new, |idle| number(100.0 * idle, 0)),
                number(line.chain, 1),
            ],
            Some(_) => ["\"", "", "", "", ""].map(String::from),
            None => [""; 5].map(String::from),
        });
        let heat = line.map_or(0.0, |line| (line.share / HOTTEST).min(1.0).sqrt());
        ListedLine { cells, heat, text: text.to_string() }
    }
}
