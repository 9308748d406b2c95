//! The report of `--machine`.

use super::chart::{Bar, Bars};
use super::efficiency::{charts, of_counts};
use super::measured::{MeasuredRate, fastest};
use super::page::{Grid, Page};
use super::run::{About, facts, kernels, mrays, number};
use super::{generations, what_if};
use crate::bounds::report::{COLUMNS, column};
use crate::bounds::{Bounded, BoundsReport, is_implicit};
use crate::simulate::name_of;
use raywarp_family::costs::Pipe;
use raywarp_sim::bounds::{Class, Limit, headroom, lowest};
use raywarp_sim::machine::{Checked, Machine, keys};
use raywarp_workload::rays::{Order, RayKind};

impl BoundsReport {
    /// The report as a page; `measured` rates of the same scene, workload, kernel and kind stand beside the bounds.
    pub fn page(&self, about: &About, measured: &[MeasuredRate]) -> Page {
        let rays = &self.request.rays;
        let machines: Vec<&str> = self.request.machines.iter().map(Machine::name).collect();
        let mut page = Page::new(format!("What bounds {} on {}", rays.scene, machines.join(", ")));
        let mut rows = facts(rays, &self.rays);
        rows.push(kernels(rays));
        let costs =
            if self.request.costs.is_some() { "a table of the user's" } else { "from native code, as committed" };
        rows.push(("costs of operations", costs.to_string()));
        about.write(&mut page, rows);
        let beside = |row: &Bounded| {
            let comparable = rays.order == Order::Workload && row.profile.counts.width == 32;
            let found = fastest(measured, &rays.scene, rays.workload.name(), row.kind, &row.variant);
            let name = self.request.machines[row.machine].name();
            found.filter(|rate| comparable && rate.target.contains(name)).cloned()
        };
        page.text(
            "Each resource of the machine allows a rate at most, whatever else happens; the lowest of these bounds is named. Strict bounds have only minima \
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
                bars(&mut page, machine, kind, &of_kind, &beside);
            }
            page.grid(grid(machine, &rows));
            page.grid(measured_grid(self, &rows, &beside));
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

type Beside<'a> = &'a dyn Fn(&Bounded) -> Option<MeasuredRate>;

fn bars(page: &mut Page, machine: &Machine, kind: RayKind, rows: &[&Bounded], beside: Beside<'_>) {
    let measured = rows.iter().any(|row| beside(row).is_some());
    let several = rows.iter().any(|row| row.profile.counts.width != rows[0].profile.counts.width);
    let group = |row: &&Bounded| {
        let bound = row.lowest().map(|bound| Bar {
            value: bound.rays_per_s / 1e6,
            label: format!("{}, {}", mrays(bound.rays_per_s), bound.limit.name()),
        });
        let rate = beside(row).map(|rate| Bar {
            value: rate.rays_per_s / 1e6,
            label: match row.lowest() {
                Some(bound) => {
                    format!("{}, {:.2} of the bound", mrays(rate.rays_per_s), rate.rays_per_s / bound.rays_per_s)
                }
                None => mrays(rate.rays_per_s),
            },
        });
        let name = if several {
            format!("{}, {} lanes", name_of(&row.variant), row.profile.counts.width)
        } else {
            name_of(&row.variant)
        };
        (name, if measured { vec![bound, rate] } else { vec![bound] })
    };
    let chart = Bars {
        axis: "Mrays/s".into(),
        series: if measured { vec!["lowest bound".into(), "measured".into()] } else { vec!["lowest bound".into()] },
        groups: rows.iter().map(group).collect(),
        least_most: 0.0,
    };
    page.chart(
        &format!("bounds-{}-{}", machine.name(), kind.name()),
        format!("The lowest bound of each kernel on {}, {} rays, and what it is", machine.name(), kind.name()),
        &chart,
    );
}

fn grid(machine: &Machine, rows: &[(usize, &Bounded)]) -> Grid {
    let head = ["kernel", "rays", "lanes", "trav/isect %", "instructions a ray"].into_iter().chain(COLUMNS);
    let head: Vec<String> = head.map(String::from).chain(["lowest".into(), "then".into()]).collect();
    let line = |(_, row): &(usize, &Bounded)| {
        let [visit, test] = row.efficiency().map(|share| number(100.0 * share, 0));
        let mut cells = vec![
            full_name(row),
            row.kind.name().to_string(),
            row.profile.counts.width.to_string(),
            format!("{visit}/{test}"),
            row.instructions_per_ray().map_or_else(String::new, |n| number(n, 1)),
        ];
        for number in 0..COLUMNS.len() {
            let bound = lowest(row.bounds.iter().filter(|bound| column(bound.limit) == number));
            cells.push(bound.map_or_else(String::new, |bound| {
                let star = if bound.class == Class::Strict { "*" } else { "" };
                mrays(bound.rays_per_s) + star
            }));
        }
        cells.push(row.lowest().map_or_else(String::new, |bound| bound.limit.name()));
        let next = headroom(&row.bounds).map(|(next, gain)| format!("{} at +{:.0} %", next.limit.name(), 100.0 * gain));
        cells.push(next.unwrap_or_default());
        cells
    };
    Grid {
        caption: format!(
            "Bounds on {} in Mrays/s; a star marks a strict one. Lanes: as if all were full. Pipe: the busiest pipeline. L1: by distinct bytes, and by banks and lines. \
             DRAM, cold, LRU: caches that hold what they may, nothing, or what was used last.",
            machine.name()
        ),
        head,
        rows: rows.iter().map(line).collect(),
    }
}

fn measured_grid(report: &BoundsReport, rows: &[(usize, &Bounded)], beside: Beside<'_>) -> Grid {
    let line = |(_, row): &(usize, &Bounded)| {
        let (rate, bound) = (beside(row)?, row.lowest()?);
        Some(vec![
            name_of(&row.variant),
            row.kind.name().to_string(),
            mrays(rate.rays_per_s),
            mrays(bound.rays_per_s),
            format!("{:.2}", rate.rays_per_s / bound.rays_per_s),
            bound.limit.name(),
            bound.class.name().to_string(),
            rate.tree,
            rate.views.to_string(),
        ])
    };
    Grid {
        caption: format!(
            "Measured beside the lowest bound, Mrays/s: the fastest run of the kernel, whatever its tree. The bounds here are over {} viewpoint(s) and the tree above; \
             where a run had others, the ratio is between different things.",
            report.request.rays.views.len()
        ),
        head: [
            "kernel",
            "rays",
            "measured",
            "bound",
            "ratio",
            "lowest",
            "class",
            "tree measured",
            "viewpoints measured",
        ]
        .map(String::from)
        .to_vec(),
        rows: rows.iter().filter_map(line).collect(),
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
