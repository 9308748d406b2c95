//! The report of `--machine`.

use super::chart::{Bar, Bars};
use super::efficiency::{capital, charts, of_counts};
use super::page::{Grid, Page};
use super::ranking::{By, Standing, label, no_bound, ranked};
use super::run::{About, facts, in_a_line, kernels, mrays};
use super::{generations, ranking, what_if};
use crate::bounds::sheet::Several;
use crate::bounds::{Bounded, BoundsReport};
use crate::measured::MeasuredReport;
use raywarp_costs::Pipe;
use raywarp_sim::bounds::Limit;
use raywarp_sim::machine::{Checked, Machine, keys};
use raywarp_workload::rays::{Order, RayKind};

/// Bars of more kernels than these are left to the tables.
const BARS: usize = 12;

impl BoundsReport {
    /// Returns the report as a page; what was `measured` of the same scene and machine stands beside the bounds of its
    /// own tree.
    pub fn page(&self, about: &About, measured: Option<&MeasuredReport>) -> Page {
        let rays = &self.request.rays;
        let machines: Vec<&str> = self.request.machines.iter().map(Machine::name).collect();
        let mut page = Page::new(format!("What bounds {} on {}", rays.scene, machines.join(", ")));
        page.note(in_a_line(rays, &self.rays));
        // Of the same name: a run has its own clock.
        let of_machine = |machine: &Machine| measured.filter(|measured| measured.machine().name() == machine.name());
        let numbered = || self.request.machines.iter().enumerate();
        for (number, machine) in numbered() {
            page.heading(if machines.len() > 1 { format!("In short: {}", machine.name()) } else { "In short".into() });
            if let Some(doubts) = self.cost_doubts(number) {
                page.note(doubts);
            }
            ranking::write(&mut page, self, number, &self.standings(number, of_machine(machine)));
            if let Some(measured) = of_machine(machine) {
                page.list(measured.wrong());
                page.list(measured.not_rebuilt());
            }
        }
        page.note(
            "A bound is the most that one resource of the machine allows, whatever else happens; the lowest counts. What is expected is less, since \
             warps want the same resource at the same time: a model follows the schedulers and pipelines of a multiprocessor clock by clock. Strict \
             bounds have only minima in them, and no run passes them; modelled ones assume something: a sample of the rays, costs that nobody \
             verified, an order of warps.",
        );
        for (number, machine) in numbered() {
            page.heading(format!("Rates and bounds on {}", machine.name()));
            let standings = self.standings(number, of_machine(machine));
            for &kind in &rays.kinds {
                bars(&mut page, machine, kind, &standings);
            }
        }
        what_if::write(&mut page, self);
        for (number, machine) in numbered() {
            page.heading(format!("All bounds on {}", machine.name()));
            page.grid(grid(self, machine, &self.of_machine(number)));
            if let Some(measured) = of_machine(machine) {
                super::measured::write(&mut page, measured);
            }
            let words = what_if::by_kernel(self, number, &self.of_own_width(number));
            let summary = format!("Each kernel on {} in words ({})", machine.name(), words.len());
            page.fold(summary, |page| page.list(words));
        }
        page.heading("How full warps are");
        let first: Vec<&Bounded> = self.rows.iter().filter(|row| row.machine == 0).collect();
        let filled: Vec<_> = first
            .iter()
            .map(|row| of_counts(&row.variant, row.kind, row.leaf_size, &row.profile.counts, row.efficiency()))
            .collect();
        page.list(super::efficiency::conclusions(&filled));
        page.fold("SIMD efficiency of each kernel, plots", |page| charts(page, &filled));
        page.heading("More");
        page.fold("From the papers' GPUs to an H200: rates over peak operations and bandwidth", generations::write);
        page.fold("The machines' numbers, with their sources", |page| machine_grids(page, &self.request.machines));
        let mut rows = facts(rays, &self.rays, Some(&rays.widths));
        rows.push(kernels(rays));
        let costs =
            if self.request.costs.is_some() { "a table of the user's" } else { "from native code, as committed" };
        rows.push(("costs of operations", costs.to_string()));
        about.write(&mut page, rows);
        page
    }

    /// Returns the rows of a machine, with their numbers.
    fn of_machine(&self, machine: usize) -> Vec<(usize, &Bounded)> {
        self.rows.iter().enumerate().filter(|(_, row)| row.machine == machine).collect()
    }

    /// Returns the rows of a machine with the lanes that its warps have; all where none have. Other widths are in the
    /// tables.
    fn of_own_width(&self, machine: usize) -> Vec<(usize, &Bounded)> {
        let (all, width) = (self.of_machine(machine), self.request.machines[machine].count(keys::SM_WARP_WIDTH));
        let own: Vec<(usize, &Bounded)> =
            all.iter().copied().filter(|(_, row)| row.profile.counts.width == width).collect();
        if own.is_empty() { all } else { own }
    }

    /// Returns the same rows with what was measured on a machine of this width and these rays.
    fn standings<'a>(&'a self, machine: usize, measured: Option<&'a MeasuredReport>) -> Vec<Standing<'a>> {
        let width = self.request.machines[machine].count(keys::SM_WARP_WIDTH);
        let standing = |(row, bounded): (usize, &'a Bounded)| {
            let is_its = bounded.profile.counts.width == width && self.request.rays.order == Order::Workload;
            let beside = measured.filter(|_| is_its).and_then(|all| all.fastest(bounded.kind, &bounded.variant));
            Standing { row, bounded, beside }
        };
        self.of_own_width(machine).into_iter().map(standing).collect()
    }
}

/// Returns in words what limits a rate.
pub(super) fn in_words(limit: Limit) -> String {
    match limit {
        Limit::Lanes => "the issue slots, even were all lanes full".into(),
        Limit::Issue => "the issue slots of the schedulers".into(),
        Limit::LeastIssue => "the issue slots, by what rays need however they are dealt".into(),
        Limit::LeastPipe(pipe) => format!("the {} pipeline, by what rays need however they are dealt", pipe.name()),
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

fn bars(page: &mut Page, machine: &Machine, kind: RayKind, standings: &[Standing<'_>]) {
    let (by, ranked) = ranked(standings.iter().copied().filter(|one| one.bounded.kind == kind));
    let shown = &ranked[..ranked.len().min(BARS)];
    let measured = shown.iter().any(|one| one.measured().is_some());
    let expects = shown.iter().any(|one| one.expected().is_some());
    let group = |one: &Standing<'_>| {
        let bound = one.bound().map(|bound| Bar {
            value: bound.rays_per_s / 1e6,
            label: format!("{}{}, {}", mrays(bound.rays_per_s), bound.class.mark(), bound.limit.name()),
        });
        let expected = one.expected().map(|rate| Bar { value: rate / 1e6, label: format!("{} expected", mrays(rate)) });
        let rate = one.beside.map(|row| Bar {
            value: row.rate.rays_per_s / 1e6,
            label: match row.ratio() {
                Some(ratio) => format!("{}, {ratio:.2} of the bound", mrays(row.rate.rays_per_s)),
                None => mrays(row.rate.rays_per_s),
            },
        });
        let bars = [Some(bound), expects.then_some(expected), measured.then_some(rate)];
        (label(one.bounded, standings), bars.into_iter().flatten().collect())
    };
    let lowest = no_bound(shown).map_or("lowest bound".to_string(), |by| format!("rate by {by}"));
    let chart = Bars {
        axis: "Mrays/s".into(),
        series: [(true, lowest.as_str()), (expects, "expected"), (measured, "measured")]
            .into_iter()
            .filter(|(there, _)| *there)
            .map(|(_, name)| name.to_string())
            .collect(),
        groups: shown.iter().map(group).collect(),
        least_most: 0.0,
    };
    let of = if shown.len() < ranked.len() {
        format!("; the {} fastest of {}", shown.len(), ranked.len())
    } else {
        String::new()
    };
    page.chart(
        &format!("bounds-{}-{}", machine.name(), kind.name()),
        format!(
            "{} rays on {}: each kernel's {lowest} and what sets it{of}, sorted by the rate that is {}",
            capital(kind.name()),
            machine.name(),
            match by {
                By::Bound if no_bound(shown).is_some() => "foretold so",
                By::Bound => "possible at most",
                by => by.name(),
            }
        ),
        &chart,
    );
}

fn grid(report: &BoundsReport, machine: &Machine, rows: &[(usize, &Bounded)]) -> Grid {
    let widths = rows.iter().any(|(_, row)| row.profile.counts.width != rows[0].1.profile.counts.width);
    let rows = rows.iter().map(|(_, row)| *row);
    let caption = format!(
        "Bounds on {} in Mrays/s; a star marks a strict one. Trav, isect: lanes that take part in visits of nodes and in tests of triangles. \
         Instr.: warp instructions. Lanes: as if all were full. Pipe: the busiest pipeline. L1: by distinct bytes, and by banks and lines. \
         DRAM, cold, LRU: caches that hold what they may, nothing, or what was used last.",
        machine.name()
    );
    report.sheet(Several { widths, leaf_sizes: false }, &rows).grid(caption, rows)
}

/// Writes every number of the machines, with what its source is worth.
fn machine_grids(page: &mut Page, machines: &[Machine]) {
    for machine in machines {
        let row = |(key, given): (&raywarp_sim::machine::Key, &raywarp_sim::machine::Given)| {
            let worth = match (&given.checked, given.estimate) {
                (_, true) => "estimate".to_string(),
                (Checked::Read | Checked::Set, _) => String::new(),
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
