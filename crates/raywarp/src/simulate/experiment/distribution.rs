//! Times of warps, and what is lost when they are dealt to multiprocessors (AL09 3.2, 3.3, 3.4).

use super::{Cell, Lab, Row, SimulateError, Table, WARP, row, theirs_of};
use raywarp_sim::distribution::{Dealing, Dealt, Slots, Spread, deal, warp_costs};
use raywarp_sim::machine::{Launch, keys};

/// AL09 2: blocks of 192 threads, 21 to 25 registers. At 21 there are more than 20,000 threads at once (3.4).
const LAUNCH: Launch = Launch { registers_per_thread: 21, shared_bytes_per_block: 0, threads_per_block: 192 };

/// Warps' worth of rays that a persistent warp takes (AL09 appendix A).
const BATCH: u32 = 3;

pub(super) const STEPS: usize = 2;

/// Bins of the histogram, each a fourth of the mean wide.
const BINS: usize = 16;

pub(super) fn tables(lab: &mut Lab<'_>) -> Result<Vec<Table>, SimulateError> {
    let while_while = lab.times("al09-while-while")?;
    let if_if = lab.times("al09-if-if")?;
    let columns: Vec<String> = lab.kinds().iter().map(|kind| kind.name().to_string()).collect();
    let spreads = |times: &[Vec<Vec<f64>>]| -> Vec<Spread> {
        times.iter().map(|views| Spread::new(views.iter().flatten().copied().collect())).collect()
    };
    let [ww, ii] = [&while_while, &if_if].map(|times| spreads(times));
    let ratio = |of: &dyn Fn(&Spread) -> f64| -> Vec<f64> {
        ww.iter().zip(&ii).map(|(ww, ii)| 100.0 * (of(ii) / of(ww) - 1.0)).collect()
    };
    let slower = |of: &dyn Fn(&Spread) -> f64| -> Vec<f64> { ww.iter().map(|ww| of(ww) / ww.mean()).collect() };
    let times = Table {
        title: "times of warps under if-if against those under while-while (AL09 3.2), %".into(),
        columns: columns.clone(),
        rows: vec![
            lab.row("mean", ["~+20"; 3], &ratio(&Spread::mean), 0),
            lab.row("median", [""; 3], &ratio(&|s| s.quantile(0.5)), 0),
            lab.row("99 of 100 are faster", [""; 3], &ratio(&|s| s.quantile(0.99)), 0),
            lab.row("slowest 1 %", ["~-30"; 3], &ratio(&|s| s.slowest(0.01)), 0),
            lab.row("slowest 0.1 %", ["~-30"; 3], &ratio(&|s| s.slowest(0.001)), 0),
            lab.row("slowest", ["~-30"; 3], &ratio(&|s| s.slowest(0.0)), 0),
        ],
        why: vec![
            "\"the slowest warps are about 30% faster in if-if\", the distributions \"otherwise similar\": how many the slowest are, and of which rays and scene, they do not say. While if-if pays for its main loop in every step its slow warps are slow, too.".into(),
        ],
    };
    let tail = Table {
        title: "the slowest 1 % of while-while's warps, in means".into(),
        columns: columns.clone(),
        rows: vec![lab.row("slowest 1 %", [""; 3], &slower(&|s| s.slowest(0.01)), 1)],
        why: vec![],
    };
    let mut tables = vec![times, tail, histogram(lab, &columns, [&ww, &ii])];
    let machine = &lab.request.machine;
    let Ok(held) = machine.occupancy(LAUNCH) else { return Ok(tables) };
    let issue = machine.get(keys::ISSUE_SINGLE).unwrap_or_else(|| machine.need(keys::ISSUE_PER_SCHEDULER));
    let per_clock = issue * machine.need(keys::SM_SCHEDULERS);
    let hides = machine.get(keys::LATENCY_ALU).map_or(1, |clocks| (clocks * per_clock).ceil() as u32);
    let slots = |hide| Slots { multiprocessors: machine.count(keys::SM_COUNT), warps: held.warps, hide };
    let warps = LAUNCH.threads_per_block / WARP;
    let dealings = [
        ("while-while, blocks", &while_while, Dealing::Blocks { warps }, ["62", "62", "64"]),
        ("while-while, blocks in rounds", &while_while, Dealing::Rounds { warps }, ["62", "62", "64"]),
        ("if-if, blocks", &if_if, Dealing::Blocks { warps }, ["81", "77", "71"]),
        ("if-if, blocks in rounds", &if_if, Dealing::Rounds { warps }, ["81", "77", "71"]),
        ("while-while, persistent", &while_while, Dealing::Persistent { batch: BATCH }, ["90", "91", "82"]),
    ];
    for (hide, how) in [
        (hides.clamp(1, held.warps), "latency of arithmetic"),
        (held.warps, "all that are resident: latency of memory"),
    ] {
        let rows = dealings.iter().map(|(name, times, dealing, theirs)| {
            let share = |views: &Vec<Vec<f64>>| {
                let none = Dealt { end: 0.0, ideal: 0.0 };
                100.0 * views.iter().fold(none, |sum, costs| sum.then(deal(costs, slots(hide), *dealing))).share()
            };
            let theirs = if lab.request.rays.scene == "sibenik" { *theirs } else { [""; 3] };
            lab.row(*name, theirs, &times.iter().map(share).collect::<Vec<_>>(), 0)
        });
        tables.push(Table {
            title: format!(
                "{}, {} warps each, {hide} of them hide {how}: issue slots used, % (AL09 Table 1: measured of simulated)",
                machine.name(),
                held.warps
            ),
            columns: columns.clone(),
            rows: rows.collect(),
            why: vec![],
        });
    }
    if let Some(last) = tables.last_mut() {
        last.why = vec![
            format!("blocks of {warps} warps: a block's place is free when all its warps have ended; in rounds, a multiprocessor gets blocks when all that it holds have ended. Which of these the hardware did they suspect but do not say."),
            "theirs lose to dual issue, conflicts and memory as well; the persistent row is what is left of that. The slots used here are lost to dealing alone.".into(),
            "theirs launched 32 rays a pixel at once; a sample ends sooner, and its last warps count for more.".into(),
        ];
    }
    Ok(tables)
}

/// Share of the warps in steps of a quarter of while-while's mean.
fn histogram(lab: &Lab<'_>, columns: &[String], [ww, ii]: [&Vec<Spread>; 2]) -> Table {
    let bins: Vec<[Vec<u64>; 2]> =
        ww.iter().zip(ii).map(|(ww, ii)| [ww, ii].map(|s| s.histogram(BINS, ww.mean() * BINS as f64 / 4.0))).collect();
    let share = |bins: &Vec<u64>, i: usize| 100.0 * bins[i] as f64 / bins.iter().sum::<u64>().max(1) as f64;
    let rows = (0..BINS).map(|i| {
        let from = i as f64 / 4.0;
        let name =
            if i + 1 < BINS { format!("{from:.2} to {:.2}", from + 0.25) } else { format!("{from:.2} and more") };
        let cell = |(kind, [ww, ii]): (_, &[Vec<u64>; 2])| {
            let pair = [share(ww, i), share(ii, i)];
            Cell { ours: format!("{:.1}/{:.1}", pair[0], pair[1]), ..Cell::pair(theirs_of(kind, [""; 3]), pair) }
        };
        Row { name, cells: lab.kinds().into_iter().zip(&bins).map(cell).collect() }
    });
    Table {
        title: "times of warps in means of while-while: share of the warps of while-while/if-if, %".into(),
        columns: columns.to_vec(),
        rows: rows.collect(),
        why: vec![],
    }
}

impl Lab<'_> {
    /// What each warp of a launch costs: for each kind, for each view.
    fn times(&self, name: &str) -> Result<Vec<Vec<Vec<f64>>>, SimulateError> {
        self.step()?;
        let variant = row(name);
        let (runs, prices) = (self.runs(&variant)?, self.prices(&variant));
        let costs = |kind| -> Result<Vec<Vec<f64>>, SimulateError> {
            let sources = runs.sources(kind)?;
            sources.iter().map(|source| Ok(warp_costs(source, WARP, &prices)?)).collect()
        };
        (0..self.samples.len()).map(costs).collect()
    }
}
