//! Bounds as text and as JSON.

use super::{Bounded, BoundsReport};
use crate::launch::{MOST_ASSUMED, expected_cell, is_implicit, prediction_json};
use crate::measured::MeasuredReport;
use crate::simulate::{headline, name_of};
use raywarp_bench::table::{Hidden, Room, Table, TableColumn, wrapped};
use raywarp_costs::{Pipe, Wait};
use raywarp_family::Operation;
use raywarp_sim::LaunchInstructions;
use raywarp_sim::bounds::{Bound, CostBasis, Limit, headroom};
use raywarp_sim::machine::Machine;
use raywarp_sim::pace::{Cause, Pace};
use std::fmt::Write;

/// The columns of bounds.
pub(crate) const COLUMNS: [&str; 11] =
    ["lanes", "issue", "pipe", "L1 bytes", "L1 passes", "L2", "DRAM", "cold", "LRU", "latency", "least"];

pub(crate) fn column(limit: Limit) -> usize {
    match limit {
        Limit::Lanes => 0,
        Limit::Issue => 1,
        // Beside what the kernel does, what any way to deal its rays does.
        Limit::LeastIssue | Limit::LeastPipe(_) => 10,
        Limit::Pipe(_) => 2,
        Limit::L1Least => 3,
        Limit::L1Passes => 4,
        Limit::L2 => 5,
        Limit::Dram => 6,
        Limit::DramCold => 7,
        Limit::DramLru => 8,
        Limit::Latency => 9,
    }
}

/// What the rate that no kernel passes is called, where it is one.
pub(crate) const LOWEST_BOUND: &str = "lowest bound";

/// What the columns mean.
const LEGEND: &str = "Rates in Mrays/s. bound: the lowest of all, which is set by what stands beside it; next: the one above it, by so much. A star marks a strict \
    bound, which no run passes; the others assume something (--json says what); ~ is a rate by prices that were fitted to a paper's, or by another machine's code, and no bound. \
    no code: depends on machine code, and none is known that the machine runs. no price: depends on what a kernel costs, and no price was fitted. expected: by a model of a multiprocessor's schedulers and pipelines, \
    clock by clock, times what kernels reached of it on five scenes; nine of ten rates should lie in its interval. undecided: it tells too little; \
    ?: nothing was measured on that machine, so that it is the model's alone. None is told where the model lacks a number that was changed. tr/is: lanes (%) that take part in visits of nodes and in tests of triangles. instr: warp instructions a ray. lanes: all lanes full. \
    pipe: the busiest pipeline. L1 bytes, L1 passes: passes through the L1 by distinct bytes, by banks and lines. DRAM, cold: tree, rays and hits \
    once, with caches that may hold them, and empty. L2, LRU: what a model of the caches asks of the L2, of memory. latency: chains of \
    instructions over resident warps. least: what rays need however they are dealt to warps.";

impl BoundsReport {
    /// A table a machine, a kernel and kind of rays a line.
    pub fn text(&self, room: Room) -> String {
        self.text_with(None, false, room)
    }

    /// The same with what was measured, and with what would raise the bounds most.
    pub fn text_with(&self, measured: Option<&MeasuredReport>, what_if: bool, room: Room) -> String {
        let (mut text, mut hidden) = (headline(&self.request.rays, &self.rays), Hidden::default());
        let _ = writeln!(text, "\n{}", wrapped(LEGEND));
        for number in 0..self.request.machines.len() {
            self.machine(number, (&mut text, room, &mut hidden));
        }
        if let Some(measured) = measured {
            text.push('\n');
            measured.write(&mut text, room, &mut hidden);
        }
        if what_if {
            self.write_what_if(&mut text, room, &mut hidden);
        }
        hidden.finish(&mut text);
        text
    }

    fn machine(&self, number: usize, (text, room, hidden): (&mut String, Room, &mut Hidden)) {
        let machine = &self.request.machines[number];
        let rows: Vec<&Bounded> = self.rows.iter().filter(|row| row.machine == number).collect();
        let widths = &self.request.rays.widths;
        let warps = if let [width] = widths[..] { format!(", warps of {width}") } else { String::new() };
        let _ = writeln!(text, "\n{}{warps}", machine.name());
        let bounds = COLUMNS.map(|name| TableColumn::right(name).rank(4));
        let columns = [
            TableColumn::left("kernel"),
            TableColumn::left("rays"),
            TableColumn::right("W"),
            TableColumn::right("leaf"),
            TableColumn::right("bound"),
            TableColumn::left("set by"),
            TableColumn::left("next").rank(1),
            TableColumn::right("expected"),
            TableColumn::right("tr/is").rank(2),
            TableColumn::right("instr").rank(3),
        ];
        let mut table = Table::new(columns.into_iter().chain(bounds));
        for row in &rows {
            table.row(row.cells(widths.len() > 1, self.request.rays.leaf_sizes.len() > 1));
            if is_implicit(&row.variant) {
                table.remark("lanes left to the hardware");
            }
        }
        table.write(text, room, hidden);
        let guessed =
            rows.iter().filter(|row| row.instructions.as_ref().is_some_and(|issued| issued.assumed > MOST_ASSUMED));
        let mut guessed: Vec<String> = guessed.map(|row| name_of(&row.variant)).collect();
        guessed.dedup();
        if !guessed.is_empty() {
            let line = format!("more than a fifth of the costs is assumed, mostly too high: {}", guessed.join(", "));
            let _ = writeln!(text, "{}", wrapped(&line));
        }
        if let Some(doubts) = self.cost_doubts(number) {
            let _ = writeln!(text, "{}", wrapped(&doubts));
        }
        let unpriced = rows.iter().filter(|row| row.instructions.is_none() && !row.has_no_code);
        let mut unpriced: Vec<String> = unpriced.map(|row| name_of(&row.variant)).collect();
        unpriced.dedup();
        if !unpriced.is_empty() {
            let line = format!(
                "no table has the costs of these kernels here, so memory alone bounds them: {}",
                unpriced.join(", ")
            );
            let _ = writeln!(text, "{}", wrapped(&line));
        }
        if rows.iter().any(|row| row.theirs.is_some()) {
            self.beside_theirs((text, room, hidden), &rows);
        }
    }

    /// Why costs on a machine are not its own or not known, in a line.
    pub(crate) fn cost_doubts(&self, machine: usize) -> Option<String> {
        let of_machine = || self.rows.iter().filter(|row| row.machine == machine);
        let mut doubts: Vec<&str> = of_machine().filter_map(|row| row.doubt.as_deref()).collect();
        doubts.sort_unstable();
        doubts.dedup();
        // Whose, where it is not all kernels'.
        let with_names = |doubt: &str| {
            let has = |row: &&Bounded| row.doubt.as_deref() == Some(doubt);
            let mut names: Vec<String> = of_machine().filter(has).map(|row| name_of(&row.variant)).collect();
            names.dedup();
            if of_machine().all(|row| has(&row)) { doubt.to_string() } else { format!("{doubt}: {}", names.join(", ")) }
        };
        let all: Vec<String> = doubts.into_iter().map(with_names).collect();
        (!all.is_empty()).then(|| format!("costs: {}", all.join("; ")))
    }

    /// What the lowest of all rates that are no expected ones is on a machine, in a word or two.
    pub(crate) fn lowest_name(&self, machine: usize) -> &'static str {
        let mut of_machine = self.rows.iter().filter(|row| row.machine == machine && row.instructions.is_some());
        match of_machine.next().map(|row| row.basis) {
            Some(CostBasis::Likened) => "likened rate",
            Some(CostBasis::Fitted) => "fitted rate",
            Some(CostBasis::Code) | None => LOWEST_BOUND,
        }
    }

    /// AL09's simulated rates beside ours.
    fn beside_theirs(&self, (text, room, hidden): (&mut String, Room, &mut Hidden), rows: &[&Bounded]) {
        text.push_str("\nTable 1 of AL09, simulated (theirs), beside the issue slots here (ours); Mrays/s\n");
        let numbers = ["theirs", "ours", "error"].map(TableColumn::right);
        let mut table = Table::new([TableColumn::left("kernel"), TableColumn::left("rays")].into_iter().chain(numbers));
        for row in rows {
            let ours = row.bounds.iter().find(|bound| bound.limit == Limit::Issue);
            if let (Some(theirs), Some(ours)) = (row.theirs, ours) {
                table.row([
                    name_of(&row.variant),
                    row.kind.name().to_string(),
                    format!("{:.1}", theirs / 1e6),
                    format!("{:.1}", ours.rays_per_s / 1e6),
                    format!("{:+.1}%", 100.0 * (ours.rays_per_s / theirs - 1.0)),
                ]);
            }
        }
        table.write(text, room, hidden);
        let Some(fit) = self.fit else { return };
        if let Some([visit, test]) = fit.two_cells {
            let line = format!(
                "while-while's primary and diffuse cells alone, here: visit_node {visit:.1}, test_triangle {test:.1} instructions"
            );
            let _ = writeln!(text, "{}", wrapped(&line));
        }
        if let Some(costs) = fit.all {
            let line = format!(
                "all {} cells without packets, here: visit_node {:.1}, test_triangle {:.1}, loop {:.1}, postponing {:.1} a visit, \
                 instructions of one at a time",
                fit.cells, costs.visit_node, costs.test_triangle, costs.iteration, costs.postpone
            );
            let _ = writeln!(text, "{}", wrapped(&line));
        }
    }

    /// The same as a JSON document.
    pub fn json(&self) -> serde_json::Value {
        let rays = &self.request.rays;
        serde_json::json!({
            "scene": rays.scene,
            "workload": rays.workload.name(),
            "views": rays.views.len(),
            "size": rays.size,
            "machines": self.request.machines.iter().map(Machine::name).collect::<Vec<_>>(),
            "al09_fit": self.fit.map(|fit| serde_json::json!({
                "cells": fit.cells,
                "two_cells": fit.two_cells.map(|[visit, test]| serde_json::json!({ "visit_node": visit, "test_triangle": test })),
                "all": fit.all.map(|costs| serde_json::json!({
                    "visit_node": costs.visit_node,
                    "test_triangle": costs.test_triangle,
                    "loop": costs.iteration,
                    "postpone": costs.postpone,
                })),
            })),
            "rows": self.rows.iter().map(|row| row.json(self.request.machines[row.machine].name())).collect::<Vec<_>>(),
        })
    }
}

fn percent(share: f64) -> String {
    if share.is_nan() { "-".to_string() } else { format!("{:.0}", 100.0 * share) }
}

pub(crate) fn mrays(bound: &Bound) -> String {
    rounded(bound.rays_per_s / 1e6) + bound.class.mark()
}

fn rounded(mrays: f64) -> String {
    if mrays < 1000.0 { format!("{mrays:.1}") } else { format!("{mrays:.0}") }
}

/// A bound as it is written in every report.
pub(crate) fn bound_json(bound: &Bound) -> serde_json::Value {
    serde_json::json!({
        "limit": bound.limit.name(),
        "mrays_per_s": bound.rays_per_s / 1e6,
        "class": bound.class.name(),
        "why": bound.why,
    })
}

impl Bounded {
    pub(crate) fn efficiency(&self) -> [f64; 2] {
        [Operation::VisitNode, Operation::TestTriangle].map(|op| self.profile.counts.simd_efficiency(op))
    }

    pub(crate) fn instructions_per_ray(&self) -> Option<f64> {
        self.instructions.as_ref().map(|issued| issued.warp_instructions() / self.profile.rays() as f64)
    }

    /// What stands in place of what depends on costs that are not known.
    fn unknown(&self) -> &'static str {
        match (self.has_no_code, &self.instructions) {
            (true, _) => "no code",
            (false, None) => "no price",
            (false, Some(_)) => "-",
        }
    }

    /// A line of the table; `several` if warps of several widths ran.
    fn cells(&self, several_widths: bool, several_leaves: bool) -> Vec<String> {
        let [visit, test] = self.efficiency().map(percent);
        let lowest = self.lowest();
        let next = headroom(&self.bounds).map(|(next, gain)| format!("{} +{:.0} %", next.limit.name(), 100.0 * gain));
        let unknown = || self.unknown().to_string();
        let mut cells = vec![
            name_of(&self.variant),
            self.kind.name().to_string(),
            if several_widths { self.profile.counts.width.to_string() } else { String::new() },
            if several_leaves { self.leaf_size.to_string() } else { String::new() },
            lowest.map_or_else(|| "-".into(), mrays),
            lowest.map_or_else(|| "-".into(), |bound| bound.limit.name()),
            next.unwrap_or_else(|| "-".into()),
            expected_cell(self.prediction, self.expected, rounded).unwrap_or_else(unknown),
            format!("{visit}/{test}"),
            self.instructions_per_ray().map_or_else(unknown, |n| format!("{n:.1}")),
        ];
        for number in 0..COLUMNS.len() {
            let of_column = self.bounds.iter().filter(|bound| column(bound.limit) == number);
            let is_of_code = matches!(COLUMNS[number], "lanes" | "issue" | "pipe" | "least");
            let missing = || if is_of_code { unknown() } else { "-".to_string() };
            cells.push(raywarp_sim::bounds::lowest(of_column).map_or_else(missing, mrays));
        }
        cells
    }

    fn json(&self, machine: &str) -> serde_json::Value {
        let [visit, test] = self.efficiency().map(|share| 100.0 * share);
        let rays = self.profile.rays() as f64;
        let pipes = self.instructions.as_ref().filter(|issued| issued.by_pipe).map(|issued| {
            let of = |pipe: Pipe| (pipe.name().to_string(), serde_json::json!(issued.pipe(pipe) / rays));
            Pipe::ALL.into_iter().map(of).collect::<serde_json::Map<_, _>>()
        });
        let memory = self.profile.memory.map(|memory| {
            let of = |region: raywarp_sim::memory::Region| {
                let counts = memory.region(region);
                let per_ray = |n: u64| n as f64 / rays;
                (
                    region.name().to_string(),
                    serde_json::json!({
                        "accesses_per_ray": per_ray(counts.accesses),
                        "lanes_per_access": counts.lanes as f64 / counts.accesses.max(1) as f64,
                        "wavefronts_least_per_ray": per_ray(counts.least),
                        "wavefronts_passes_per_ray": per_ray(counts.passes),
                        "sectors_per_ray": per_ray(counts.sectors),
                        "lines_per_ray": per_ray(counts.lines),
                        "distinct_sectors": counts.distinct,
                    }),
                )
            };
            raywarp_sim::memory::Region::ALL.into_iter().map(of).collect::<serde_json::Map<_, _>>()
        });
        serde_json::json!({
            "machine": machine,
            "name": name_of(&self.variant),
            "variant": self.variant.to_string(),
            "kind": self.kind.name(),
            "width": self.profile.counts.width,
            "leaf_size": self.leaf_size,
            "rays": self.profile.rays(),
            "launch_rays": self.profile.launch_rays,
            "traversal_percent": visit,
            "intersection_percent": test,
            "warp_instructions_per_ray": self.instructions_per_ray(),
            "instructions_assumed_percent": self.instructions.as_ref().map(|issued| 100.0 * issued.assumed),
            "thread_instructions_per_ray":
                self.instructions.as_ref().map(|issued| issued.thread_instructions(&self.profile.counts) / rays),
            "instructions_by_pipe_per_ray": pipes,
            "warp_alone_per_ray": self.instructions.as_ref().and_then(LaunchInstructions::times_alone).map(|(clocks, waits)| {
                let waits = Wait::ALL.into_iter().zip(waits).map(|(wait, n)| (wait.name().to_string(), n / rays));
                let clocks = ("clocks".to_string(), clocks / rays);
                std::iter::once(clocks).chain(waits).collect::<std::collections::BTreeMap<_, _>>()
            }),
            "memory": memory,
            "traffic": self.traffic.map(|traffic| {
                let per_ray = |n: u64| n as f64 / traffic.rays as f64;
                serde_json::json!({
                    "rays": traffic.rays,
                    "l1_hit_percent": 100.0 * traffic.l1_hit_share(),
                    "l2_bytes_per_ray": traffic.l2_bytes_per_ray(),
                    "l2_missed_sectors_per_ray": per_ray(traffic.missed_l2),
                    "of_these_again_per_ray": per_ray(traffic.again),
                })
            }),
            "costs_doubt": self.doubt,
            "no_code": self.has_no_code,
            "bounds": self.bounds.iter().map(bound_json).collect::<Vec<_>>(),
            "expected_mrays_per_s": self.expected.map(|rate| rate / 1e6),
            "expected_pace": self.pace.map(pace_json),
            "prediction": prediction_json(self.prediction),
            "lowest": self.lowest().map(|bound| bound.limit.name()),
            "theirs_mrays_per_s": self.theirs.map(|rate| rate / 1e6),
        })
    }
}

fn pace_json(pace: Pace) -> serde_json::Value {
    let causes = Cause::ALL.iter().zip(pace.waiting).map(|(cause, warps)| (cause.name().to_string(), warps.into()));
    serde_json::json!({
        "instructions_per_clock": pace.instructions_per_clock,
        "warps_waiting_per_instruction": causes.collect::<serde_json::Map<_, _>>(),
    })
}
