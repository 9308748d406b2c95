//! The report of `--machine`.

use super::chart::{Bar, Bars};
use super::efficiency::{charts, of_counts};
use super::page::{Grid, Page};
use super::run::{About, facts, kernels, mrays, number};
use super::{generations, what_if};
use crate::bounds::report::{COLUMNS, column};
use crate::bounds::{Bounded, BoundsReport, is_implicit};
use crate::measured::{Beside, MeasuredReport};
use crate::simulate::name_of;
use raywarp_family::costs::Pipe;
use raywarp_sim::bounds::{Class, Limit, headroom, lowest};
use raywarp_sim::machine::{Checked, Machine, keys};
use raywarp_workload::rays::{Order, RayKind};

impl BoundsReport {
    /// The report as a page; what was `measured` of the same scene and machine stands beside the bounds of its own tree.
    pub fn page(&self, about: &About, measured: Option<&MeasuredReport>) -> Page {
        let rays = &self.request.rays;
        let machines: Vec<&str> = self.request.machines.iter().map(Machine::name).collect();
        let mut page = Page::new(format!("What bounds {} on {}", rays.scene, machines.join(", ")));
        let mut rows = facts(rays, &self.rays);
        rows.push(kernels(rays));
        let costs =
            if self.request.costs.is_some() { "a table of the user's" } else { "from native code, as committed" };
        rows.push(("costs of operations", costs.to_string()));
        about.write(&mut page, rows);
        // Of the same name: a run has its own clock.
        let of_machine = |machine: &Machine| measured.filter(|measured| measured.machine().name() == machine.name());
        page.text(
            "Each resource of the machine allows a rate at most, whatever else happens; the lowest of these bounds is named. What is expected is less, since warps want the same \
             resource at the same time. Strict bounds have only minima \
             in them, and no run passes them; modelled ones assume something: a sample of the rays, costs that nobody verified, an order of warps.",
        );
        for (number, machine) in self.request.machines.iter().enumerate() {
            let rows: Vec<(usize, &Bounded)> =
                self.rows.iter().enumerate().filter(|(_, row)| row.machine == number).collect();
            page.heading(format!("Bounds on {}", machine.name()));
            // Other widths are in the tables; the machine has this one.
            let width = machine.count(keys::SM_WARP_WIDTH);
            let own: Vec<(usize, &Bounded)> =
                rows.iter().copied().filter(|(_, row)| row.profile.counts.width == width).collect();
            let base = if own.is_empty() { &rows } else { &own };
            page.list(what_if::in_short(self, number, base));
            for &kind in &rays.kinds {
                let of_kind: Vec<&Bounded> = base.iter().map(|(_, row)| *row).filter(|row| row.kind == kind).collect();
                let width = |row: &Bounded| row.profile.counts.width == width && rays.order == Order::Workload;
                let beside = |row: &Bounded| of_machine(machine)?.fastest(kind, &row.variant).filter(|_| width(row));
                bars(&mut page, machine, kind, &of_kind, &beside);
            }
            page.grid(grid(machine, &rows));
            if let Some(measured) = of_machine(machine) {
                super::measured::write(&mut page, measured);
            }
        }
        let first: Vec<&Bounded> = self.rows.iter().filter(|row| row.machine == 0).collect();
        page.heading("How full warps are");
        let filled: Vec<_> = first
            .iter()
            .map(|row| of_counts(&row.variant, row.kind, row.leaf_size, &row.profile.counts, row.efficiency()))
            .collect();
        charts(&mut page, &filled);
        page.list(super::efficiency::conclusions(&filled));
        what_if::write(&mut page, self);
        generations::write(&mut page);
        machine_grids(&mut page, &self.request.machines);
        page
    }
}

/// A row's name, where it matters with what else tells rows apart.
fn full_name(row: &Bounded) -> String {
    let form = if is_implicit(&row.variant) { ", lanes left to the hardware" } else { "" };
    format!("{}{form}", name_of(&row.variant))
}

/// What limits, in words.
pub(super) fn in_words(limit: Limit) -> String {
    match limit {
        Limit::Lanes => "the issue slots, even were all lanes full".into(),
        Limit::Issue => "the issue slots of the schedulers".into(),
        Limit::Pipe(Pipe::Alu) => "the pipeline of comparisons, minima and logic (alu)".into(),
        Limit::Pipe(Pipe::Fma) => "the pipeline of products and sums (fma)".into(),
        Limit::Pipe(Pipe::Lsu) => "the load and store pipeline".into(),
        Limit::Pipe(pipe) => format!("the {} pipeline", pipe.name()),
        Limit::L1Least => "the bytes that pass through the L1".into(),
        Limit::L1Passes => "passes through the L1, by its banks and lines".into(),
        Limit::Dram | Limit::DramCold | Limit::DramLru => "the memory's bandwidth".into(),
        Limit::L2 => "the L2's bandwidth".into(),
        Limit::Latency => "latency, with the warps that are resident".into(),
    }
}

type Measured<'a> = &'a dyn Fn(&Bounded) -> Option<&'a Beside>;

fn bars(page: &mut Page, machine: &Machine, kind: RayKind, rows: &[&Bounded], beside: Measured<'_>) {
    let measured = rows.iter().any(|row| beside(row).is_some());
    let expects =
        rows.iter().any(|row| row.expected.is_some() || beside(row).is_some_and(|row| row.expected.is_some()));
    let several = rows.iter().any(|row| row.profile.counts.width != rows[0].profile.counts.width);
    let group = |row: &&Bounded| {
        let measured_here = beside(row);
        // Beside a rate stands the bound of the tree that it was measured on.
        let bound = measured_here.map_or_else(|| row.lowest(), Beside::lowest).map(|bound| Bar {
            value: bound.rays_per_s / 1e6,
            label: format!("{}, {}", mrays(bound.rays_per_s), bound.limit.name()),
        });
        let expected = measured_here.map_or(row.expected, |row| row.expected);
        let expected = expected.map(|rate| Bar { value: rate / 1e6, label: format!("{} expected", mrays(rate)) });
        let rate = measured_here.map(|row| Bar {
            value: row.rate.rays_per_s / 1e6,
            label: match row.ratio() {
                Some(ratio) => format!("{}, {ratio:.2} of the bound", mrays(row.rate.rays_per_s)),
                None => mrays(row.rate.rays_per_s),
            },
        });
        let name = if several {
            format!("{}, {} lanes", name_of(&row.variant), row.profile.counts.width)
        } else {
            name_of(&row.variant)
        };
        let bars = [Some(bound), expects.then_some(expected), measured.then_some(rate)];
        (name, bars.into_iter().flatten().collect())
    };
    let chart = Bars {
        axis: "Mrays/s".into(),
        series: [(true, "lowest bound"), (expects, "expected"), (measured, "measured")]
            .into_iter()
            .filter(|(there, _)| *there)
            .map(|(_, name)| name.to_string())
            .collect(),
        // What no table prices would dwarf the others.
        groups: rows.iter().filter(|row| row.price.is_some() || beside(row).is_some()).map(group).collect(),
        least_most: 0.0,
    };
    page.chart(
        &format!("bounds-{}-{}", machine.name(), kind.name()),
        format!("The lowest bound of each kernel on {}, {} rays, and what it is", machine.name(), kind.name()),
        &chart,
    );
}

fn grid(machine: &Machine, rows: &[(usize, &Bounded)]) -> Grid {
    // What nothing bounds on this machine has no column.
    let bounded =
        |number: &usize| rows.iter().any(|(_, row)| row.bounds.iter().any(|bound| column(bound.limit) == *number));
    let columns: Vec<usize> = (0..COLUMNS.len()).filter(bounded).collect();
    let head = ["kernel", "rays", "warp", "trav/isect %", "instructions a ray"];
    let head = head.into_iter().chain(columns.iter().map(|&number| COLUMNS[number]));
    let head: Vec<String> = head.map(String::from).chain(["expected".into(), "lowest".into(), "then".into()]).collect();
    let line = |(_, row): &(usize, &Bounded)| {
        let [visit, test] = row.efficiency().map(|share| number(100.0 * share, 0));
        let mut cells = vec![
            full_name(row),
            row.kind.name().to_string(),
            row.profile.counts.width.to_string(),
            format!("{visit}/{test}"),
            row.instructions_per_ray().map_or_else(String::new, |n| number(n, 1)),
        ];
        for &number in &columns {
            let bound = lowest(row.bounds.iter().filter(|bound| column(bound.limit) == number));
            cells.push(bound.map_or_else(String::new, |bound| {
                let star = if bound.class == Class::Strict { "*" } else { "" };
                mrays(bound.rays_per_s) + star
            }));
        }
        cells.push(row.expected.map_or_else(String::new, mrays));
        cells.push(row.lowest().map_or_else(String::new, |bound| bound.limit.name()));
        let next = headroom(&row.bounds).map(|(next, gain)| format!("{} at +{:.0} %", next.limit.name(), 100.0 * gain));
        cells.push(next.unwrap_or_default());
        cells
    };
    Grid {
        caption: format!(
            "Bounds on {} in Mrays/s; a star marks a strict one. Warp: its lanes. Lanes: as if all were full. Pipe: the busiest pipeline. L1: by distinct bytes, and by banks and lines. \
             DRAM, cold, LRU: caches that hold what they may, nothing, or what was used last. Expected: by a model of a multiprocessor's schedulers and pipelines, clock by clock.",
            machine.name()
        ),
        head,
        rows: rows.iter().map(line).collect(),
    }
}

/// Every number of the machines, with what its source is worth.
fn machine_grids(page: &mut Page, machines: &[Machine]) {
    page.heading("The machines' numbers");
    for machine in machines {
        let row = |(key, given): (&raywarp_sim::machine::Key, &raywarp_sim::machine::Given)| {
            let worth = match (&given.checked, given.estimate) {
                (_, true) => "estimate".to_string(),
                (Checked::Read, _) => String::new(),
                (Checked::Quoted(text), _) => format!("as quoted in {text}"),
                (Checked::Unread, _) => "not read".to_string(),
            };
            let note = given.note.as_ref().map_or_else(String::new, |note| format!(" ({note})"));
            vec![
                key.path.to_string(),
                given.value.to_string(),
                key.unit.to_string(),
                worth,
                format!("{}{note}", given.source),
            ]
        };
        let estimates: Vec<&str> =
            machine.numbers().filter(|(_, given)| given.estimate).map(|(key, _)| key.path).collect();
        let doubt = if estimates.is_empty() {
            "none is an estimate".into()
        } else {
            format!("estimates: {}", estimates.join(", "))
        };
        page.grid(Grid {
            caption: format!(
                "{}, compute capability {}.{}; {doubt}",
                machine.name(),
                machine.capability().0,
                machine.capability().1
            ),
            head: ["number", "value", "unit", "worth", "source"].map(String::from).to_vec(),
            rows: machine.numbers().map(row).collect(),
        });
    }
}
