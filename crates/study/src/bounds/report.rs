//! Bounds as text and as JSON; `sheet.rs` has the columns.

use super::{Bounded, BoundsReport};
use crate::launch::{MOST_ASSUMED, is_implicit};
use crate::measured::MeasuredReport;
use crate::simulate::{headline, name_of};
use raywarp_bench::table::{Hidden, Room, Table, TableColumn, wrapped};
use raywarp_sim::bounds::{CostBasis, Limit};
use raywarp_sim::machine::Machine;
use std::fmt::Write;

/// The name of the rate that no kernel passes, where it is one.
pub(crate) const LOWEST_BOUND: &str = "lowest bound";

/// The meaning of the columns.
const LEGEND: &str = "Rates in Mrays/s. bound: the lowest of all, which is set by what stands beside it; next: the one above it, by so much. A star marks a strict \
    bound, which no run passes; the others assume something (--json says what); ~ is a rate by prices that were fitted to a paper's, or by another machine's code, and no bound. \
    no code: depends on machine code, and none is known that the machine runs. no price: depends on what a kernel costs, and no price was fitted. expected: by a model of a multiprocessor's schedulers and pipelines, \
    clock by clock, times what kernels reached of it on five scenes; nine of ten rates should lie in its interval. undecided: it tells too little; \
    ?: nothing was measured on that machine, so that it is the model's alone. None is told where the model lacks a number that was changed. tr/is: lanes (%) that take part in visits of nodes and in tests of triangles. instr: warp instructions a ray. lanes: all lanes full. \
    pipe: the busiest pipeline. L1 bytes, L1 passes: passes through the L1 by distinct bytes, by banks and lines. DRAM, cold: tree, rays and hits \
    once, with caches that may hold them, and empty. L2, LRU: what a model of the caches asks of the L2, of memory. latency: chains of \
    instructions over resident warps. least: what rays need however they are dealt to warps.";

impl BoundsReport {
    /// Returns a table a machine, a kernel and kind of rays a line.
    pub fn text(&self, room: Room) -> String {
        self.text_with(None, false, room)
    }

    /// Returns the same text with what was measured, and with what would raise the bounds most.
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
        let sheet = self.sheet(self.several(), &rows.iter().copied());
        let mut table = Table::new(sheet.text_columns());
        for row in &rows {
            table.row(sheet.text_cells(row));
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

    /// Returns in a line why costs on a machine are not its own or not known.
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

    /// Returns the name, of a word or two, of the lowest of all rates on a machine, expected ones aside.
    pub(crate) fn lowest_name(&self, machine: usize) -> &'static str {
        let mut of_machine = self.rows.iter().filter(|row| row.machine == machine && row.instructions.is_some());
        match of_machine.next().map(|row| row.basis) {
            Some(CostBasis::Likened) => "likened rate",
            Some(CostBasis::Fitted) => "fitted rate",
            Some(CostBasis::Code) | None => LOWEST_BOUND,
        }
    }

    /// Writes AL09's simulated rates beside ours.
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

    /// Returns the report as a JSON document.
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
            "rows": self.sheet(self.several(), &self.rows.iter()).objects(&self.rows),
        })
    }
}
