//! Bounds as text and as JSON.

use super::{Bounded, BoundsReport, MOST_ASSUMED, is_implicit};
use crate::simulate::{headline, name_of};
use raywarp_family::Operation;
use raywarp_family::costs::{Pipe, Wait};
use raywarp_sim::Price;
use raywarp_sim::bounds::{Bound, Class, Limit, headroom};
use raywarp_sim::machine::Machine;
use std::fmt::Write;

/// The columns of bounds.
pub(crate) const COLUMNS: [&str; 10] =
    ["lanes", "issue", "pipe", "L1 bytes", "L1 passes", "L2", "DRAM", "cold", "LRU", "latency"];

pub(crate) fn column(limit: Limit) -> usize {
    match limit {
        Limit::Lanes => 0,
        Limit::Issue => 1,
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

impl BoundsReport {
    /// A table a machine, a kernel and kind of rays a line.
    pub fn text(&self) -> String {
        let mut text = headline(&self.request.rays, &self.rays);
        for number in 0..self.request.machines.len() {
            self.machine(&mut text, number);
        }
        text.push_str(
            "\nRates in Mrays/s. trav/isect: lanes (%) that take part. instr: warp instructions a ray. lanes: all lanes full. pipe: the \
             busiest pipeline. L1 bytes, L1 passes: passes through the L1 by distinct bytes, by banks and lines. DRAM, cold: tree, rays and hits \
             once, with caches that may hold them, and empty. L2, LRU: what a model of the caches asks of the L2, of memory. latency: chains of instructions over resident warps. expected: by a model of a multiprocessor's schedulers and pipelines, clock by clock. A star marks a strict \
             bound, which no run passes; the others assume something (--json says what).\n",
        );
        text
    }

    fn machine(&self, text: &mut String, number: usize) {
        let machine = &self.request.machines[number];
        let _ = write!(
            text,
            "\n{}\n{:<34} {:<9}{:>3} {:>7} {:>7}",
            machine.name(),
            "kernel",
            "rays",
            "W",
            "tr/is",
            "instr"
        );
        for name in COLUMNS {
            let _ = write!(text, " {name:>9}");
        }
        text.push_str("  expected  lowest\n");
        let rows: Vec<&Bounded> = self.rows.iter().filter(|row| row.machine == number).collect();
        for row in &rows {
            row.line(text);
        }
        let mut doubts: Vec<&str> = rows.iter().filter_map(|row| row.doubt.as_deref()).collect();
        let guessed = rows.iter().filter(|row| row.price.as_ref().is_some_and(|price| price.assumed > MOST_ASSUMED));
        let mut guessed: Vec<String> = guessed.map(|row| name_of(&row.variant)).collect();
        guessed.dedup();
        if !guessed.is_empty() {
            let _ =
                writeln!(text, "more than a fifth of the costs is assumed, mostly too high: {}", guessed.join(", "));
        }
        doubts.sort_unstable();
        doubts.dedup();
        if !doubts.is_empty() {
            let _ = writeln!(text, "costs: {}", doubts.join("; "));
        }
        if rows.iter().any(|row| row.price.is_none()) {
            text.push_str("instr is - where no table has the kernel's costs.\n");
        }
        if rows.iter().any(|row| row.theirs.is_some()) {
            self.beside_theirs(text, &rows);
        }
    }

    /// AL09's simulated rates beside ours.
    fn beside_theirs(&self, text: &mut String, rows: &[&Bounded]) {
        let _ = writeln!(
            text,
            "\n{:<34} {:<9} {:>8} {:>8} {:>7}   (Table 1 of AL09, simulated; Mrays/s)",
            "kernel", "rays", "theirs", "ours", "error"
        );
        for row in rows {
            let ours = row.bounds.iter().find(|bound| bound.limit == Limit::Issue);
            if let (Some(theirs), Some(ours)) = (row.theirs, ours) {
                let _ = writeln!(
                    text,
                    "{:<34} {:<9} {:>8.1} {:>8.1} {:>+6.1}%",
                    name_of(&row.variant),
                    row.kind.name(),
                    theirs / 1e6,
                    ours.rays_per_s / 1e6,
                    100.0 * (ours.rays_per_s / theirs - 1.0)
                );
            }
        }
        let Some(fit) = self.fit else { return };
        if let Some([visit, test]) = fit.two_cells {
            let _ = writeln!(
                text,
                "while-while's primary and diffuse cells alone, here: visit_node {visit:.1}, test_triangle {test:.1} instructions"
            );
        }
        if let Some(prices) = fit.all {
            let _ = writeln!(
                text,
                "all {} cells without packets, here: visit_node {:.1}, test_triangle {:.1}, loop {:.1}, postponing {:.1} a visit, \
                 instructions of one at a time",
                fit.cells, prices.visit_node, prices.test_triangle, prices.turn, prices.postpone
            );
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
                "all": fit.all.map(|prices| serde_json::json!({
                    "visit_node": prices.visit_node,
                    "test_triangle": prices.test_triangle,
                    "loop": prices.turn,
                    "postpone": prices.postpone,
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
    let star = if bound.class == Class::Strict { "*" } else { "" };
    rounded(bound.rays_per_s / 1e6) + star
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
        self.price.as_ref().map(|price| price.warp_instructions() / self.profile.rays() as f64)
    }

    fn line(&self, text: &mut String) {
        let [visit, test] = self.efficiency().map(percent);
        let instructions = self.instructions_per_ray().map_or_else(|| "-".into(), |n| format!("{n:.1}"));
        let _ = write!(
            text,
            "{:<34} {:<9}{:>3} {:>7} {instructions:>7}",
            name_of(&self.variant),
            self.kind.name(),
            self.profile.counts.width,
            format!("{visit}/{test}")
        );
        for number in 0..COLUMNS.len() {
            let of_column = self.bounds.iter().filter(|bound| column(bound.limit) == number);
            let bound = raywarp_sim::bounds::lowest(of_column);
            let _ = write!(text, " {:>9}", bound.map_or_else(|| "-".into(), mrays));
        }
        let _ = write!(text, " {:>9}", self.expected.map_or_else(|| "-".into(), |rate| rounded(rate / 1e6)));
        let lowest = self.lowest().map_or_else(|| "-".into(), |bound| bound.limit.name());
        let next = headroom(&self.bounds)
            .map_or_else(String::new, |(next, gain)| format!("; then {}, +{:.0} %", next.limit.name(), 100.0 * gain));
        let form = if is_implicit(&self.variant) { ", lanes left to the hardware" } else { "" };
        let _ = writeln!(text, "  {lowest}{next}{form}");
    }

    fn json(&self, machine: &str) -> serde_json::Value {
        let [visit, test] = self.efficiency().map(|share| 100.0 * share);
        let rays = self.profile.rays() as f64;
        let pipes = self.price.as_ref().filter(|price| price.by_pipe).map(|price| {
            let of = |pipe: Pipe| (pipe.name().to_string(), serde_json::json!(price.pipe(pipe) / rays));
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
            "instructions_assumed_percent": self.price.as_ref().map(|price| 100.0 * price.assumed),
            "thread_instructions_per_ray":
                self.price.as_ref().map(|price| price.thread_instructions(&self.profile.counts) / rays),
            "instructions_by_pipe_per_ray": pipes,
            "warp_alone_per_ray": self.price.as_ref().and_then(Price::times_alone).map(|(clocks, waits)| {
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
            "bounds": self.bounds.iter().map(bound_json).collect::<Vec<_>>(),
            "expected_mrays_per_s": self.expected.map(|rate| rate / 1e6),
            "lowest": self.lowest().map(|bound| bound.limit.name()),
            "theirs_mrays_per_s": self.theirs.map(|rate| rate / 1e6),
        })
    }
}
