//! Rates beside bounds as text, as JSON and as rows for spreadsheets; `sheet.rs` has the columns of the first two.

use super::{MeasuredReport, MeasuredRow, OtherTree, TimeShare};
use crate::launch::is_implicit;
use crate::simulate::traced;
use raywarp_bench::table::{Hidden, Room, wrapped};
use raywarp_bench::{Column, Subject, quoted};
use raywarp_sim::bounds::{Bound, Class};
use std::fmt::Write;

/// Names of the columns of [`csv`](MeasuredReport::csv) before the shares of the time.
const HEADER: &str = "scene,workload,kind,order,view,name,variant,tree,max_leaf,block_threads,max_registers,rays,mrays_median,mrays_max,bound_mrays,\
    bound,class,ratio,expected_mrays,strict_mrays,strict,above_strict,assumed_percent";

/// The meaning of the columns.
const LEGEND: &str = "Rates in Mrays/s. bound: the lowest on the same rays and tree; a star marks a strict one, which no run passes. ratio: measured over that. \
    expected: by a model of a multiprocessor's schedulers and pipelines, clock by clock, without start and tail, times what kernels reached of it on five scenes; \
    nine of ten rates should lie in its interval. undecided: it tells too little; ?: nothing was measured on that machine. Then where the measured time went, %, by \
    the model: work with all lanes busy, idle lanes, pipelines slower than the schedulers, L1 passes, and what none of these explains: latency that is not \
    hidden. Start and tail are measured: what two launches of half the rays took more than one; where there is no number, they are part of latency.";

impl MeasuredRow {
    /// Returns the name of the row: what traced, and its launch bounds where they are not the usual ones.
    pub(crate) fn name(&self) -> String {
        let mut name = self.rate.subject.name();
        if !self.rate.bounds.are_default() {
            name += &format!(" {}", self.rate.bounds);
        }
        name
    }

    pub(crate) fn kind(&self) -> String {
        Column::of(self.rate.kind, self.rate.order).name()
    }

    pub(crate) fn view(&self) -> String {
        self.rate.view.map_or_else(|| "all".into(), |view| view.to_string())
    }

    fn is_implicit(&self) -> bool {
        matches!(&self.rate.subject, Subject::Kernel(variant) if is_implicit(variant))
    }

    /// Returns the lowest strict bound.
    fn strict(&self) -> Option<&Bound> {
        raywarp_sim::bounds::lowest(self.bounds.iter().filter(|bound| bound.class == Class::Strict))
    }

    /// Returns a share of the time; none where it is not told apart.
    pub fn share(&self, wanted: TimeShare) -> Option<f64> {
        let shares = self.shares.as_ref()?;
        shares.iter().find(|(share, _)| *share == wanted).map(|(_, share)| *share)
    }
}

pub(super) fn mrays(rays_per_s: f64) -> String {
    let rate = rays_per_s / 1e6;
    // An imitated GPU makes thousands of rays a second.
    if rate < 0.095 { format!("{rate:.1e}") } else { format!("{rate:.1}") }
}

impl MeasuredReport {
    /// Returns the rows without those of single viewpoints that a row of all has too.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &MeasuredRow> {
        self.rows.iter().filter(|row| !row.is_part)
    }

    /// Returns the report as text: a kernel, tree and kind of rays a line; what is above a strict bound is said last.
    pub fn text(&self, room: Room) -> String {
        let (mut text, mut hidden) = (String::new(), Hidden::default());
        self.write(&mut text, room, &mut hidden);
        hidden.finish(&mut text);
        text
    }

    /// Writes the report below what `text` has.
    pub(crate) fn write(&self, text: &mut String, room: Room, hidden: &mut Hidden) {
        let request = &self.request;
        let numbers: Vec<String> = request.views.iter().map(|(number, _)| number.to_string()).collect();
        let title = format!(
            "{}, view{} {}: measured beside what {} could do at {}; rays simulated: {}",
            request.scene,
            if numbers.len() == 1 { "" } else { "s" },
            numbers.join(" "),
            request.machine.name(),
            request.clock,
            traced(&self.rays)
        );
        let _ = writeln!(text, "{}\n\n{}", wrapped(&title), wrapped(LEGEND));
        let marks: [(&str, &str); 3] = [
            ("?", "?: more than a fifth of the costs is assumed, mostly too high"),
            ("!", "!: a run passed a modelled bound: something in the model is too dear"),
            ("X", "X: a run passed a STRICT bound"),
        ];
        for (mark, meaning) in marks {
            if self.rows.iter().any(|row| row.mark() == mark) {
                let _ = writeln!(text, "{meaning}.");
            }
        }
        text.push('\n');
        self.sheet().table(self.lines()).write(text, room, hidden);
        let mut lines = Vec::new();
        if self.lines().any(|row| row.is_implicit() && row.shares.is_some()) {
            lines.push("Lanes that are left to the hardware have the bound of full lanes; the rest of their time is not told apart.".into());
        }
        lines.extend(self.not_rebuilt());
        lines.extend(self.wrong().into_iter().map(|line| format!("WRONG: {line}")));
        for line in lines {
            let _ = writeln!(text, "{}", wrapped(&line));
        }
    }

    /// Returns a line for each rate that is above a strict bound.
    pub(crate) fn wrong(&self) -> Vec<String> {
        let line = |row: &MeasuredRow| {
            let bound = row.above_strict()?;
            Some(format!(
                "{} {}, {} of {}, view {}: {} Mrays/s is above the strict bound of {} ({}: {})",
                self.request.scene,
                row.name(),
                row.kind(),
                row.rate.tree,
                row.view(),
                mrays(row.rate.most_rays_per_s),
                mrays(bound.rays_per_s),
                bound.limit.name(),
                bound.why
            ))
        };
        self.rows.iter().filter_map(line).collect()
    }

    /// Returns a line for each tree that could not be built again.
    pub(crate) fn not_rebuilt(&self) -> Vec<String> {
        let line = |OtherTree { tree, max_leaf, measured, found }: &OtherTree| {
            format!(
                "No bounds on {tree}/{max_leaf}: it had {measured} nodes when it was measured and has {found} here, by another version of the scene or of \
                 this program."
            )
        };
        self.other_trees.iter().map(line).collect()
    }

    /// Returns the clock, and where it is from.
    pub(crate) fn clock(&self) -> &str {
        &self.request.clock
    }

    /// Returns the report as a JSON document, single viewpoints and all bounds too.
    pub fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "scene": self.request.scene,
            "machine": self.request.machine.name(),
            "clock_mhz": self.request.machine.clock_hz() / 1e6,
            "clock_is": self.request.clock,
            "sample": self.request.sample,
            "pass": self.passes(),
            "trees_not_rebuilt": self.not_rebuilt(),
            "rows": self.sheet().objects(&self.rows),
        })
    }

    /// Returns the head of the table that [`MeasuredReport::csv`] has the rows of.
    pub fn csv_header() -> String {
        let shares = TimeShare::ALL.map(|share| format!(",{}_percent", share.name().replace(' ', "_")));
        format!("{HEADER}{}\n", shares.concat())
    }

    /// Returns the report as CSV: a line a row, as [`MeasuredReport::csv_header`] has it; what is not known is empty.
    pub fn csv(&self) -> String {
        let mut text = String::new();
        for row in &self.rows {
            let rate = &row.rate;
            let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.3}"));
            let whole = |value: Option<u32>| value.map_or_else(String::new, |value| value.to_string());
            let (bound, strict) = (row.lowest(), row.strict());
            let mut cells = vec![
                quoted(&rate.scene),
                rate.workload.name().to_string(),
                rate.kind.name().to_string(),
                rate.order.name().to_string(),
                row.view(),
                quoted(&rate.subject.name()),
                quoted(&rate.subject.to_string()),
                quoted(&rate.tree),
                rate.build.max_leaf.to_string(),
                whole(rate.bounds.block_threads),
                whole(rate.bounds.max_registers),
                rate.rays.to_string(),
                number(Some(rate.rays_per_s / 1e6)),
                number(Some(rate.most_rays_per_s / 1e6)),
                number(bound.map(|bound| bound.rays_per_s / 1e6)),
                bound.map_or_else(String::new, |bound| quoted(&bound.limit.name())),
                bound.map_or("", |bound| bound.class.name()).to_string(),
                row.ratio().map_or_else(String::new, |ratio| format!("{ratio:.4}")),
                number(row.expected.map(|rate| rate / 1e6)),
                number(strict.map(|bound| bound.rays_per_s / 1e6)),
                strict.map_or_else(String::new, |bound| quoted(&bound.limit.name())),
                u8::from(row.above_strict().is_some()).to_string(),
                number(row.assumed.map(|assumed| 100.0 * assumed)),
            ];
            cells.extend(TimeShare::ALL.map(|share| number(row.share(share).map(|share| 100.0 * share))));
            let _ = writeln!(text, "{}", cells.join(","));
        }
        text
    }
}

impl MeasuredRow {
    /// Returns a mark, of a letter, for what speaks against a row.
    pub(super) fn mark(&self) -> &'static str {
        match () {
            () if self.above_strict().is_some() => "X",
            () if self.is_guess() => "?",
            () if self.ratio().is_some_and(|ratio| ratio > 1.0) => "!",
            () => "",
        }
    }
}

pub(super) fn ratio(ratio: f64) -> String {
    if ratio < 0.005 { format!("{ratio:.0e}") } else { format!("{ratio:.2}") }
}
