//! The report of bounds; `sheet.rs` has the columns.

use super::charts::rates;
use super::machine_numbers::machine_numbers;
use super::ranking::{Standing, rank};
use super::what_if::{WhatIf, by_kernel};
use super::{Bounded, BoundsReport, generations};
use crate::launch::MOST_ASSUMED;
use crate::measured::MeasuredReport;
use crate::simulate::fullness::{Filled, charts, conclusions};
use crate::simulate::run::{facts, in_a_line, kernels};
use crate::simulate::{headline, name_of};
use raywarp_report::{Column, Document, Sheet, TableColumn, Unit, Value};
use raywarp_sim::bounds::{CostBasis, Limit};
use raywarp_sim::machine::{Machine, keys};
use raywarp_workload::rays::Order;
use serde_json::json;

/// Text that explains the columns of the table of bounds.
const LEGEND: &str = "Rates in Mrays/s. bound: the lowest of all, which is set by what stands beside it; next: the one above it, by so much. A star marks a strict \
    bound, which no run passes; the others assume something (`Document::json` says what); ~ is a rate by costs that were fitted to a paper's, or by another machine's code, and no bound; \
    ^: no instruction is in it, since none is known, so that it is loose. \
    no code: depends on machine code, and none is known that the machine runs. no costs: depends on what a kernel costs, and nothing was fitted. expected: by a model of a multiprocessor's schedulers and pipelines, \
    clock by clock, times what kernels reached of it on four or five scenes; nine of ten rates should lie in its interval. undecided: it tells too little; \
    ?: nothing was measured on that machine, so that it is the model's alone. None is told where the model lacks a number that was changed. tr/is: lanes (%) that take part in visits of nodes and in tests of triangles. instr: warp instructions a ray. lanes: all lanes full. \
    pipe: the busiest pipeline. L1 bytes, L1 passes: passes through the L1 by distinct bytes, by banks and lines. DRAM, cold: tree, rays and hits \
    once, with caches that may hold them, and empty. L2, LRU: what a model of the caches asks of the L2, of memory. latency: chains of \
    instructions over resident warps. least: what rays need however they are dealt to warps.";

/// Text that explains bounds on an HTML page.
const MEANING: &str = "A bound is the most that one resource of the machine allows, whatever else happens; the lowest counts. What is expected is less, since \
    warps want the same resource at the same time: a model follows the schedulers and pipelines of a multiprocessor clock by clock. Strict \
    bounds have only minima in them, and no run passes them; modelled ones assume something: a sample of the rays, costs that nobody \
    verified, an order of warps.";

impl BoundsReport {
    /// Returns the report of bounds as a document, to be written as text, JSON or an HTML page. What was `measured` of
    /// the same scene and machine stands beside the bounds of its own tree; a page has what would raise the rates most,
    /// and text and JSON where `what_if` asks for it.
    pub fn document(&self, measured: Option<&MeasuredReport>, what_if: bool) -> Document {
        let rays = &self.request.rays;
        let machines: Vec<&str> = self.request.machines.iter().map(Machine::name).collect();
        let mut document = Document::new(format!("What bounds {} on {}", rays.scene, machines.join(", ")));
        self.data(&mut document);
        let not_todays = measured.map(MeasuredReport::not_todays).unwrap_or_default();
        document.lines(not_todays.clone());
        document.list(not_todays);
        document.line(headline(rays, &self.rays));
        document.paragraph(LEGEND);
        document.note(in_a_line(rays, &self.rays));
        // Of the same name: a run has its own clock.
        let of_machine = |machine: &Machine| measured.filter(|measured| measured.machine().name() == machine.name());
        let numbered = || self.request.machines.iter().enumerate();
        let changes = self.what_if();
        for (number, machine) in numbered() {
            document.heading(if machines.len() > 1 {
                format!("In short: {}", machine.name())
            } else {
                "In short".into()
            });
            if let Some(doubts) = self.cost_doubts(number) {
                document.note(doubts);
            }
            rank(&mut document, self, number, &self.standings(number, of_machine(machine)), &changes);
            if let Some(measured) = of_machine(machine) {
                document.list(measured.wrong());
                document.list(measured.not_rebuilt());
            }
        }
        document.note(MEANING);
        for (number, machine) in numbered() {
            document.heading(format!("Rates and bounds on {}", machine.name()));
            let standings = self.standings(number, of_machine(machine));
            rays.traced().into_iter().for_each(|kind| rates(&mut document, machine, kind, &standings));
        }
        document.last_in_text(|document| self.what_would_pay(document, &changes, what_if));
        for (number, machine) in numbered() {
            document.heading(format!("All bounds on {}", machine.name()));
            self.of_one(&mut document, (number, machine), of_machine(machine), &changes);
        }
        document.heading("How full warps are");
        let filled: Vec<Filled<'_>> = self.rows.iter().filter(|row| row.machine == 0).map(Bounded::filled).collect();
        document.list(conclusions(&filled));
        document.fold("SIMD efficiency of each kernel, plots", |document| charts(document, &filled));
        document.heading("More");
        let generations_of = "From the papers' GPUs to an H200: rates over peak operations and bandwidth";
        document.fold(generations_of, generations::describe);
        document.fold("The machines' numbers, with their sources", |document| {
            self.request.machines.iter().for_each(|machine| document.table(machine_numbers(machine)));
        });
        let mut rows = facts(rays, &self.rays, Some(&rays.widths));
        rows.push(kernels(rays));
        let costs =
            if self.request.costs.is_some() { "a table of the user's" } else { "from native code, as committed" };
        rows.push(("costs of operations", costs.to_string()));
        document.run(rows);
        document
    }

    /// Adds the run's settings, for programs that read the report.
    fn data(&self, document: &mut Document) {
        let rays = &self.request.rays;
        document.data("scene", rays.scene.clone());
        document.data("workload", (!rays.has_own_rays()).then(|| rays.workload.name()));
        document.data("views", rays.views.len());
        document.data("size", rays.size.to_vec());
        document.data("machines", self.request.machines.iter().map(Machine::name).collect::<Vec<_>>());
        let fit = self.fit.map(|fit| {
            json!({
                "cells": fit.cells,
                "two_cells": fit.two_cells.map(|[visit, test]| json!({ "visit_node": visit, "test_triangle": test })),
                "all": fit.all.map(|costs| json!({
                    "visit_node": costs.visit_node,
                    "test_triangle": costs.test_triangle,
                    "loop": costs.iteration,
                    "postpone": costs.postpone,
                })),
            })
        });
        document.data("al09_fit", fit);
    }

    /// Adds everything about one machine: all bounds, measured rates, and a sentence on each kernel.
    fn of_one(
        &self,
        document: &mut Document,
        (number, machine): (usize, &Machine),
        measured: Option<&MeasuredReport>,
        changes: &[WhatIf],
    ) {
        let rows: Vec<&Bounded> = self.rows.iter().filter(|row| row.machine == number).collect();
        let warps =
            if let [width] = self.request.rays.widths[..] { format!(", warps of {width}") } else { String::new() };
        let caption = format!(
            "Bounds on {} in Mrays/s; a star marks a strict one, a caret one without instructions. Trav, isect: lanes that take part in visits of nodes and in tests of triangles. \
             Instr.: warp instructions. Lanes: as if all were full. Pipe: the busiest pipeline. L1: by distinct bytes, and by banks and lines. \
             DRAM, cold, LRU: caches that hold what they may, nothing, or what was used last.",
            machine.name()
        );
        let table = self.sheet(&rows).table(rows.iter().copied());
        document.table(table.in_text(format!("{}{warps}", machine.name())).on_page(caption).key("rows"));
        document.lines(self.doubts(number, &rows));
        if rows.iter().any(|row| row.theirs.is_some()) {
            self.beside_theirs(document, &rows);
        }
        if let Some(measured) = measured {
            document.member("measured", |document| {
                document.line("");
                measured.describe(document);
            });
        }
        let words = by_kernel(changes, number, &self.of_own_width(number));
        let summary = format!("Each kernel on {} in words ({})", machine.name(), words.len());
        document.fold(summary, |document| document.list(words));
    }

    /// Returns what is doubtful about the costs of a machine's rows, one line each.
    fn doubts(&self, machine: usize, rows: &[&Bounded]) -> Vec<String> {
        let names = |of: &dyn Fn(&Bounded) -> bool| {
            let mut names: Vec<String> = rows.iter().filter(|row| of(row)).map(|row| name_of(&row.variant)).collect();
            names.dedup();
            (!names.is_empty()).then(|| names.join(", "))
        };
        let guessed = names(&|row| row.instructions.as_ref().is_some_and(|issued| issued.assumed > MOST_ASSUMED));
        let without_costs = names(&|row| row.instructions.is_none());
        let guessed =
            guessed.map(|names| format!("more than a fifth of the costs is assumed, mostly too high: {names}"));
        let without_costs = without_costs.map(|names| {
            format!("^: no table has the costs of these kernels here, so memory alone bounds them: {names}")
        });
        [guessed, self.cost_doubts(machine), without_costs].into_iter().flatten().collect()
    }

    /// Returns a machine's rows with warps of its own width, and their indices; all rows where there are none of that
    /// width. Other widths are in the tables.
    fn of_own_width(&self, machine: usize) -> Vec<(usize, &Bounded)> {
        let all = self.rows.iter().enumerate().filter(|(_, row)| row.machine == machine);
        let width = self.request.machines[machine].count(keys::SM_WARP_WIDTH);
        let own: Vec<(usize, &Bounded)> = all.clone().filter(|(_, row)| row.profile.counts.width == width).collect();
        if own.is_empty() { all.collect() } else { own }
    }

    /// Returns the rows of a machine's own warp width with the rates that were measured on it for these rays.
    fn standings<'a>(&'a self, machine: usize, measured: Option<&'a MeasuredReport>) -> Vec<Standing<'a>> {
        let width = self.request.machines[machine].count(keys::SM_WARP_WIDTH);
        let standing = |(row, bounded): (usize, &'a Bounded)| {
            let is_its = bounded.profile.counts.width == width && self.request.rays.order == Order::Workload;
            let its = measured.filter(|_| is_its).zip(bounded.kind.kind());
            let beside = its.and_then(|(all, kind)| all.fastest(kind, &bounded.variant));
            Standing { row, bounded, beside }
        };
        self.of_own_width(machine).into_iter().map(standing).collect()
    }
    /// Returns a line on why the costs for a machine are another one's or not known; `None` if they are its own.
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

    /// Returns the column name of the lowest of all rates on a machine, without expected ones.
    pub(crate) fn lowest_name(&self, machine: usize) -> &'static str {
        match self.basis(machine) {
            CostBasis::Likened => "likened rate",
            CostBasis::Fitted => "fitted rate",
            CostBasis::Code => "lowest bound",
        }
    }

    /// Returns what the costs of a machine's kernels are from; where none are known, machine code.
    pub(crate) fn basis(&self, machine: usize) -> CostBasis {
        let mut of_machine = self.rows.iter().filter(|row| row.machine == machine && row.instructions.is_some());
        of_machine.next().map_or(CostBasis::Code, |row| row.basis)
    }

    /// Adds a table of the rates by AL09's simulator beside our bounds.
    fn beside_theirs(&self, document: &mut Document, rows: &[&Bounded]) {
        /// A kernel with the paper's simulated rate, and our bound by issue slots.
        struct Beside<'a>(&'a Bounded, f64, f64);
        let beside = rows.iter().filter_map(|row| {
            let ours = row.bounds.iter().find(|bound| bound.limit == Limit::Issue)?;
            Some(Beside(row, row.theirs?, ours.rays_per_s))
        });
        let rate = |of: fn(&Beside<'_>) -> f64| {
            Column::new(Unit::Millions, move |row: &Beside<'_>| Value::Number(of(row))).digits(1)
        };
        let error = |Beside(_, theirs, ours): &Beside<'_>| format!("{:+.1}%", 100.0 * (ours / theirs - 1.0));
        let sheet = Sheet(vec![
            Column::words(|row: &Beside<'_>| name_of(&row.0.variant)).text(TableColumn::left("kernel")),
            Column::words(|row: &Beside<'_>| row.0.kind.name()).text(TableColumn::left("rays")),
            rate(|row| row.1).text(TableColumn::right("theirs")),
            rate(|row| row.2).text(TableColumn::right("ours")),
            Column::words(error).text(TableColumn::right("error")),
        ]);
        let title = "Table 1 of AL09, simulated (theirs), beside the issue slots here (ours); Mrays/s";
        document.table(sheet.table(&beside.collect::<Vec<_>>()).in_text(title));
        let Some(fit) = self.fit else { return };
        if let Some([visit, test]) = fit.two_cells {
            document.line(format!(
                "while-while's primary and diffuse cells alone, here: visit_node {visit:.1}, test_triangle {test:.1} instructions"
            ));
        }
        if let Some(costs) = fit.all {
            document.line(format!(
                "all {} cells without packets, here: visit_node {:.1}, test_triangle {:.1}, loop {:.1}, postponing {:.1} a visit, \
                 instructions of one at a time",
                fit.cells, costs.visit_node, costs.test_triangle, costs.iteration, costs.postpone
            ));
        }
    }
}
