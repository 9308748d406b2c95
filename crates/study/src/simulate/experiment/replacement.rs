//! Replacing terminated rays (AL09 5.1).

use super::{ComparedCell, ExperimentRow, ExperimentTable, Lab, NOT_TRIED, SimulateError, WARP, row, theirs_of, with};
use raywarp_family::{Block, Key, Variant};
use raywarp_papers::al09;
use raywarp_sim::{BlockCosts, LaunchCounts};
use raywarp_workload::rays::RayKind;

/// Numbers of main-loop iterations after which idle lanes get new rays.
const EVERY: [&str; 4] = ["1", "2", "4", "8"];
/// Percentages of lanes with a ray below which idle lanes get new rays.
const BELOW: [&str; 5] = ["20", "40", "60", "80", "100"];
/// Limits on the iterations of inner loops.
const ROUNDS: [&str; 2] = ["4", "unlimited"];

pub(super) const STEPS: usize = 1 + EVERY.len() * BELOW.len() * ROUNDS.len();

pub(super) fn tables(lab: &mut Lab<'_>) -> Result<Vec<ExperimentTable>, SimulateError> {
    let base = row("al09-persistent-while-while");
    let kinds = lab.kinds();
    let slots = lab.slots(&base, WARP)?;
    let without = al09().replacement.overhead_without_instructions;
    let mut tried: Vec<(Variant, Vec<[f64; 2]>)> = Vec::new();
    for rounds in ROUNDS {
        for every in EVERY {
            for below in BELOW {
                let options = [(Key::Rounds, rounds), (Key::Every, every), (Key::Refill, below)];
                let variant = with(row("al09-replace"), &options);
                if !lab.has_costs(&variant) {
                    continue;
                }
                let costs = lab.costs(&variant, WARP)?;
                let counted = lab.counts(&variant, WARP)?;
                let gain = |(kind, (counted, costs)): (usize, (&LaunchCounts, &BlockCosts))| {
                    let dear = costs.with(Block::FetchRay, without * costs.of(Block::FetchRay));
                    [*costs, dear].map(|p| 100.0 * (slots[kind] / p.lane_slots_per_ray(&counted.counts) - 1.0))
                };
                tried.push((variant, counted.iter().zip(&costs).enumerate().map(gain).collect()));
            }
        }
    }
    let named =
        |variant: &Variant| format!("every {}, below {} %", variant.value(Key::Every), variant.value(Key::Refill));
    let mut rows = Vec::new();
    // Machine code is of GPUs that have them.
    let ways: &[(usize, &str)] = if lab.is_al09() { &[(0, "with"), (1, "without")] } else { &[(0, "with")] };
    for &(index, with) in ways {
        for rounds in ROUNDS {
            let of_rounds = || tried.iter().filter(|(variant, _)| variant.value(Key::Rounds) == rounds);
            if of_rounds().next().is_none() {
                continue;
            }
            let printed = &al09().replacement;
            let theirs = match (rounds, index) {
                ("4", 0) => &printed.four_iterations,
                ("4", _) => &printed.four_iterations_without_instructions,
                _ => &printed.unlimited_iterations,
            };
            let best = |(number, &kind): (usize, &RayKind)| {
                let (variant, gain) = of_rounds()
                    .map(|(variant, gains)| (variant, gains[number][index]))
                    .max_by(|a, b| a.1.total_cmp(&b.1))
                    .map_or((String::new(), f64::NAN), |(variant, gain)| (named(variant), gain));
                let cell = ComparedCell::number(theirs_of(kind, theirs), gain, 1);
                ComparedCell { ours: format!("{} ({variant})", cell.ours), ..cell }
            };
            let cells = kinds.iter().enumerate().map(best).collect();
            rows.push(ExperimentRow { name: format!("{with} the two instructions, inner loops of {rounds}"), cells });
        }
    }
    let mut shares = Vec::new();
    for every in EVERY {
        let options = [(Key::Rounds, "4"), (Key::Every, every), (Key::Refill, "100")];
        let variant = with(row("al09-replace"), &options);
        let gains = tried.iter().find(|(known, _)| *known == variant).map(|(_, gains)| gains);
        let gains: Vec<f64> = gains.map_or(vec![], |gains| gains.iter().map(|gain| gain[0]).collect());
        shares.push(lab.row(format!("every {every}, whoever has ended"), NOT_TRIED, &gains, 1));
    }
    let columns: Vec<String> = kinds.iter().map(|kind| kind.name().to_string()).collect();
    Ok(vec![
        ExperimentTable {
            title: "replacing terminated rays (AL09 5.1): best gain over persistent while-while of all n and m, %".into(),
            columns: columns.clone(),
            rows,
            why: [
                Some("every n iterations of the main loop, rays are fetched if fewer than a share of the lanes live; the best of 20 is printed with its n and share.".to_string()),
                lab.is_al09().then(|| format!("prefix sum and population count halve the overhead, they say: a fetch costs {without} times as much without.")),
                Some(format!("their measured \"{}\" is of single viewpoints with AO rays; nothing was consistently faster.", al09().replacement.measured)),
            ]
            .into_iter()
            .flatten()
            .collect(),
        },
        ExperimentTable {
            title: "the same with the two instructions and N = 4, without a threshold, %".into(),
            columns,
            rows: shares,
            why: vec![],
        },
    ])
}
