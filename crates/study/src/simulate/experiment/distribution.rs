//! Times of warps, and what is lost when they are dealt to multiprocessors (AL09 3.2, 3.3, 3.4).

use super::{
    ComparedCell, ExperimentRow, ExperimentTable, Lab, NOT_TRIED, SimulateError, Theirs, WARP, row, theirs_of,
};
use crate::launch::kernel_costs;
use crate::simulate::query_of;
use rayon::prelude::*;
use raywarp_papers::{Printed, al09};
use raywarp_sim::al09::LAUNCH;
use raywarp_sim::distribution::{Dealing, Dealt, Slots, Spread, WarpCost, deal, hide, warp_costs};
use raywarp_sim::machine::{LaunchResources, keys};

/// Number of rays that a persistent warp takes at a time, in warps (AL09 appendix A).
const BATCH: u32 = 3;

/// Kernels that are tried, by the paper's names and ours.
const TRIED: [(&str, &str); 3] =
    [("while-while", "al09-while-while"), ("if-if", "al09-if-if"), ("speculative if-if", "al09-spec-if-if")];

pub(super) const STEPS: usize = TRIED.len();

/// Number of bins of the histogram, each a fourth of the mean wide.
const BINS: usize = 16;

/// Number of multiprocessors of a cluster of the GTX 285, which has 10 clusters.
const CLUSTER: u32 = 3;

/// Costs of a kernel's warps, for each kind of rays and view.
struct Timed {
    name: &'static str,
    /// Percentages of the kernel's simulated rates that the paper measured.
    theirs: Theirs,
    warps: Vec<Vec<Vec<WarpCost>>>,
}

impl Timed {
    fn issued(&self, kind: usize) -> Vec<Vec<f64>> {
        self.warps[kind].iter().map(|view| view.iter().map(|warp| warp.issued).collect()).collect()
    }

    /// Returns the sums of loads and of issue slots over all warps of a kind of rays.
    fn sums(&self, kind: usize) -> [f64; 2] {
        let warps = || self.warps[kind].iter().flatten();
        [warps().map(|warp| warp.loads as f64).sum(), warps().map(|warp| warp.issued).sum()]
    }
}

pub(super) fn tables(lab: &mut Lab<'_>) -> Result<Vec<ExperimentTable>, SimulateError> {
    let mut timed = Vec::new();
    for (name, kernel) in TRIED {
        timed.push(Timed { name, theirs: lab.measured(kernel), warps: lab.times(kernel)? });
    }
    let columns: Vec<String> = lab.kinds().iter().map(|kind| kind.name().to_string()).collect();
    let mut tables = spreads(lab, &columns, &timed);
    let Some(launch) = lab.launch() else { return Ok(tables) };
    let machine = &lab.request.machine;
    let Ok(held) = machine.occupancy(launch) else { return Ok(tables) };
    let lab = Launched { lab, launch, held: held.warps, timed: &timed };
    tables.push(lab.dealt(&columns, Latency::Instructions));
    tables.push(lab.dealt(&columns, Latency::Loads { needed: held.warps }));
    if lab.lab.is_al09() {
        tables.push(lab.variations(&columns));
    }
    Ok(tables)
}

/// Returns the tables of how the running times of warps are distributed.
fn spreads(lab: &Lab<'_>, columns: &[String], timed: &[Timed]) -> Vec<ExperimentTable> {
    let [ww, ii] = [&timed[0], &timed[1]].map(|timed| -> Vec<Spread> {
        (0..timed.warps.len()).map(|kind| Spread::new(timed.issued(kind).concat())).collect()
    });
    let ratio = |of: &dyn Fn(&Spread) -> f64| -> Vec<f64> {
        ww.iter().zip(&ii).map(|(ww, ii)| 100.0 * (of(ii) / of(ww) - 1.0)).collect()
    };
    let slower = |of: &dyn Fn(&Spread) -> f64| -> Vec<f64> { ww.iter().map(|ww| of(ww) / ww.mean()).collect() };
    let printed = &al09().running_times;
    let every_kind = |printed: &Printed| [(); 3].map(|()| printed.clone());
    let (mean, slowest) = (every_kind(&printed.mean), every_kind(&printed.slowest));
    let [of_slowest, of_others] = &printed.said;
    let times = ExperimentTable {
        title: "times of warps under if-if against those under while-while (AL09 3.2), %".into(),
        columns: columns.to_vec(),
        rows: vec![
            lab.row("mean", &mean, &ratio(&Spread::mean), 0),
            lab.row("median", NOT_TRIED, &ratio(&|s| s.quantile(0.5)), 0),
            lab.row("99 of 100 are faster", NOT_TRIED, &ratio(&|s| s.quantile(0.99)), 0),
            lab.row("slowest 1 %", &slowest, &ratio(&|s| s.slowest(0.01)), 0),
            lab.row("slowest 0.1 %", &slowest, &ratio(&|s| s.slowest(0.001)), 0),
            lab.row("slowest", &slowest, &ratio(&|s| s.slowest(0.0)), 0),
        ],
        why: vec![format!(
            "\"{of_slowest}\", the distributions \"{of_others}\": how many the slowest are, and of which rays and scene, they do not say. While if-if pays for its main loop in every step its slow warps are slow, too."
        )],
    };
    let tail = ExperimentTable {
        title: "the slowest 1 % of while-while's warps, in means".into(),
        columns: columns.to_vec(),
        rows: vec![lab.row("slowest 1 %", NOT_TRIED, &slower(&|s| s.slowest(0.01)), 1)],
        why: vec![],
    };
    vec![times, tail, histogram(lab, columns, [&ww, &ii])]
}

/// The latency that warps of a simulated launch wait for.
#[derive(Debug, Clone, Copy)]
enum Latency {
    /// Each instruction waits for the one before it.
    Instructions,
    /// Loads wait so long that `needed` while-while warps, with the first kind of rays, hide it.
    Loads { needed: u32 },
    /// Loads wait, with as many of them per instruction in every kernel.
    Evenly { needed: u32 },
}

/// A launch whose warps are assigned to a machine's multiprocessors.
struct Launched<'a, 'b> {
    lab: &'a Lab<'b>,
    launch: LaunchResources,
    /// Number of warps that a multiprocessor holds at once.
    held: u32,
    timed: &'a [Timed],
}

impl Launched<'_, '_> {
    /// Returns the number of warps that hide a kernel's latency with rays of a kind.
    fn hide(&self, timed: &Timed, kind: usize, latency: Latency) -> f64 {
        let machine = &self.lab.request.machine;
        let issue = machine.get(keys::ISSUE_SINGLE).unwrap_or_else(|| machine.need(keys::ISSUE_PER_SCHEDULER));
        let per_clock = issue * machine.need(keys::SM_SCHEDULERS);
        let instruction = (machine.get(keys::LATENCY_ALU).unwrap_or(1.0) * per_clock).min(f64::from(self.held));
        match latency {
            Latency::Instructions => hide(instruction, 0.0, 0.0, 1.0),
            Latency::Evenly { needed } => f64::from(needed),
            Latency::Loads { needed } => {
                let [loads, issued] = self.timed[0].sums(0);
                let wait = f64::from(needed) * issued / loads.max(1.0);
                let [loads, issued] = timed.sums(kind);
                hide(0.0, wait, loads, issued)
            }
        }
    }

    /// Returns the percentage of the issue slots that a kernel uses, for each kind of rays.
    fn used(&self, timed: &Timed, latency: Latency, dealing: Dealing) -> Vec<f64> {
        let one = |kind: usize| {
            let slots = Slots {
                multiprocessors: self.lab.request.machine.count(keys::SM_COUNT),
                warps: self.held,
                hide: self.hide(timed, kind, latency),
            };
            let one = |costs: Vec<f64>| deal(&costs.repeat(self.lab.samples_in_all(kind)), slots, dealing);
            let views: Vec<Dealt> = timed.issued(kind).into_par_iter().map(one).collect();
            100.0 * views.into_iter().fold(Dealt { end: 0.0, ideal: 0.0 }, Dealt::then).share()
        };
        (0..timed.warps.len()).map(one).collect()
    }

    /// Returns the table of used issue slots for each kernel and each way of assigning warps.
    fn dealt(&self, columns: &[String], latency: Latency) -> ExperimentTable {
        let (lab, warps) = (self.lab, self.launch.threads_per_block / WARP);
        let rounds = |together| Dealing::Rounds { warps, together };
        let mut ways = vec![("blocks", Dealing::Blocks { warps }), ("rounds", rounds(1))];
        if lab.is_al09() {
            ways.push(("rounds of three", rounds(CLUSTER)));
        }
        let mut rows = Vec::new();
        for (way, dealing) in ways {
            for timed in self.timed {
                let used = self.used(timed, latency, dealing);
                rows.push(lab.row(format!("{}, {way}", timed.name), &timed.theirs, &used, 0));
            }
        }
        let while_while = &self.timed[0];
        let used = self.used(while_while, latency, Dealing::Persistent { batch: BATCH });
        rows.push(lab.row("while-while, persistent", &lab.measured("al09-persistent-while-while"), &used, 0));
        let needs = |timed: &Timed| -> String {
            let each = (0..timed.warps.len()).map(|kind| format!("{:.1}", self.hide(timed, kind, latency)));
            format!("{} {}", timed.name, each.collect::<Vec<_>>().join(", "))
        };
        let how = match latency {
            Latency::Instructions => "instructions wait for each other, loads for nothing".to_string(),
            Latency::Loads { needed } | Latency::Evenly { needed } => {
                format!("loads wait so long that while-while needs {needed} warps for its first kind of rays")
            }
        };
        ExperimentTable {
            title: format!(
                "{}, {} warps each; {how}: issue slots used, % (AL09 Table 1: measured of simulated)",
                lab.request.machine.name(),
                self.held
            ),
            columns: columns.to_vec(),
            rows,
            why: vec![
                format!("warps that hide the latency: {}.", self.timed.iter().map(needs).collect::<Vec<_>>().join("; ")),
                format!("blocks of {warps} warps: a block's place is free when all its warps have ended; in rounds, a multiprocessor (or three that share a cluster) gets blocks when all that it holds have ended. Which of these the hardware did they suspect but do not say."),
                "theirs lose to dual issue, conflicts and memory as well; the persistent row is what is left of that. The slots used here are lost to dealing alone.".into(),
                "a sample's warps are dealt as often as there are samples in the launch of a view, so that its end counts for as much.".into(),
            ],
        }
    }

    /// Returns the table of what the used issue slots depend on: while-while and if-if under one change at a time.
    fn variations(&self, columns: &[String]) -> ExperimentTable {
        let (warps, all) = (self.launch.threads_per_block / WARP, self.held);
        let every = self.lab.request.machine.count(keys::SM_COUNT);
        let rounds = |together| Dealing::Rounds { warps, together };
        let blocks = |warps| Dealing::Rounds { warps, together: 1 };
        let loads = |needed| Latency::Loads { needed };
        let tried: [(String, Latency, Dealing); 10] = [
            (format!("rounds, {all} needed"), loads(all), rounds(1)),
            ("every kernel needs as many".to_string(), Latency::Evenly { needed: all }, rounds(1)),
            ("16 needed".into(), loads(16), rounds(1)),
            ("8 needed".into(), loads(8), rounds(1)),
            ("rounds of three, 16 needed".into(), loads(16), rounds(CLUSTER)),
            ("rounds of all, 8 needed".into(), loads(8), rounds(every)),
            ("rounds of all, 4 needed".into(), loads(4), rounds(every)),
            ("rounds, blocks of 1 warp".into(), loads(all), blocks(1)),
            ("blocks of 3 warps".into(), loads(all), blocks(3)),
            ("blocks of 12 warps".into(), loads(all), blocks(12)),
        ];
        let mut rows = Vec::new();
        for (name, latency, dealing) in tried {
            for timed in &self.timed[..2] {
                let used = self.used(timed, latency, dealing);
                rows.push(self.lab.row(format!("{name}: {}", timed.name), &timed.theirs, &used, 0));
            }
        }
        ExperimentTable {
            title: "what that hinges on: issue slots used, %".into(),
            columns: columns.to_vec(),
            rows,
            why: vec![
                "needed: warps that hide the latency of while-while's loads. Blocks of any size fill the same places."
                    .into(),
            ],
        }
    }
}

/// Returns the table of the percentages of warps by running time, in steps of a quarter of while-while's mean.
fn histogram(lab: &Lab<'_>, columns: &[String], [ww, ii]: [&Vec<Spread>; 2]) -> ExperimentTable {
    let bins: Vec<[Vec<u64>; 2]> =
        ww.iter().zip(ii).map(|(ww, ii)| [ww, ii].map(|s| s.histogram(BINS, ww.mean() * BINS as f64 / 4.0))).collect();
    let share = |bins: &Vec<u64>, i: usize| 100.0 * bins[i] as f64 / bins.iter().sum::<u64>().max(1) as f64;
    let rows = (0..BINS).map(|i| {
        let from = i as f64 / 4.0;
        let name =
            if i + 1 < BINS { format!("{from:.2} to {:.2}", from + 0.25) } else { format!("{from:.2} and more") };
        let cell = |(kind, [ww, ii]): (_, &[Vec<u64>; 2])| {
            let pair = [share(ww, i), share(ii, i)];
            ComparedCell {
                ours: format!("{:.1}/{:.1}", pair[0], pair[1]),
                ..ComparedCell::pair(theirs_of(kind, NOT_TRIED), pair)
            }
        };
        ExperimentRow { name, cells: lab.kinds().into_iter().zip(&bins).map(cell).collect() }
    });
    ExperimentTable {
        title: "times of warps in means of while-while: share of the warps of while-while/if-if, %".into(),
        columns: columns.to_vec(),
        rows: rows.collect(),
        why: vec![],
    }
}

impl Lab<'_> {
    /// Returns the cost of each warp of a kernel's launch, for each kind of rays and view.
    fn times(&mut self, name: &str) -> Result<Vec<Vec<Vec<WarpCost>>>, SimulateError> {
        let variant = row(name);
        if self.is_al09() {
            self.step()?;
        }
        let costs = self.costs(&variant, WARP)?;
        let runs = self.runs(&variant)?;
        let costs = |kind: usize| -> Result<Vec<Vec<WarpCost>>, SimulateError> {
            let sources = runs.sources(kind)?;
            sources.iter().map(|source| Ok(warp_costs(source, WARP, &costs[kind])?)).collect()
        };
        (0..self.samples.len()).map(costs).collect()
    }

    /// Returns how many times larger than the traced sample a launch is.
    fn samples_in_all(&self, kind: usize) -> usize {
        let (_, traced, all) = self.rays[kind];
        (all / traced.max(1)).max(1) as usize
    }

    /// Returns the registers, shared memory and threads of while-while's launch.
    fn launch(&self) -> Option<LaunchResources> {
        let kind = *self.kinds().first()?;
        match self.is_al09() {
            true => Some(LAUNCH),
            false => kernel_costs(None, &self.request.machine, &row("al09-while-while"), query_of(kind)).launch,
        }
    }

    /// Returns the percentages of a kernel's simulated rates that the paper measured, where machine and scene are
    /// the paper's.
    fn measured(&self, kernel: &str) -> Theirs {
        let measured = al09().table_1.measured_of_simulated(&self.request.rays.scene, kernel);
        measured.filter(|_| self.is_al09()).unwrap_or_default()
    }
}
