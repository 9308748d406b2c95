//! Which change of one number would pay most: the papers' "if a few new instructions were introduced", for every number.
//!
//! Counts of what rays do stay as they are, so that nothing runs again. Sizes of caches need another run and are left out
//! (`--set l2.bytes=2x`).

use super::{Bounded, BoundsReport};
use crate::launch::PricedKernel;
use crate::simulate::name_of;
use raywarp_bench::table::{Hidden, Room, Table, TableColumn, wrapped};
use raywarp_family::Block;
use raywarp_sim::bounds::lowest;
use raywarp_sim::machine::{Key, Machine, keys};
use raywarp_sim::{Change, CostChange};

/// One change and what it would bring.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIf {
    /// The machine's place in the request.
    pub machine: usize,
    /// In words.
    pub change: String,
    /// The options that make it.
    pub options: String,
    /// Whether it makes the whole machine larger: no more than what the others are held against.
    pub yardstick: bool,
    /// Whether it is about warps of another width, which are listed whatever they bring.
    pub is_width: bool,
    /// For each row that it was tried on, by number, by how much its lowest bound rises, as a share of it (of one at costs that
    /// are not verified, where a cost changes); all rows of the machine whose warps have its width and whose costs are known.
    pub gains: Vec<(usize, f64)>,
}

impl WhatIf {
    /// Rise of the lowest bound, geometric mean over the rows.
    pub fn mean(&self) -> f64 {
        let sum: f64 = self.gains.iter().map(|(_, gain)| (1.0 + gain).ln()).sum();
        (sum / self.gains.len().max(1) as f64).exp_m1()
    }

    /// The row that gains most, and what; none of none.
    pub fn most(&self) -> Option<(usize, f64)> {
        self.gains.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// What one row gains; 0 where it was not tried.
    pub fn of(&self, row: usize) -> f64 {
        self.gains.iter().find(|(other, _)| *other == row).map_or(0.0, |(_, gain)| *gain)
    }
}

/// What is changed.
enum What {
    /// Numbers of the machine, times this.
    Numbers(&'static [&'static Key], f64),
    /// What a block or an operation costs.
    Cost(CostChange),
    /// Lanes of a warp, where that ran as well.
    Width(u32),
}

/// Numbers that bounds are made of.
const NUMBERS: [(&str, &[&Key], f64); 18] = [
    ("twice the multiprocessors", &[keys::SM_COUNT], 2.0),
    ("twice the issue slots", &[keys::ISSUE_PER_SCHEDULER], 2.0),
    ("twice the alu pipeline", &[keys::PIPE_ALU], 2.0),
    ("twice the fma pipeline", &[keys::PIPE_FMA], 2.0),
    ("twice the fmaheavy pipeline", &[keys::PIPE_FMAHEAVY], 2.0),
    ("twice the half pipeline", &[keys::PIPE_HALF], 2.0),
    ("twice the xu pipeline", &[keys::PIPE_XU], 2.0),
    ("twice the load and store pipeline", &[keys::PIPE_LSU], 2.0),
    ("twice the passes through the L1", &[keys::L1_WAVEFRONTS_PER_CLOCK, keys::L1_BYTES_PER_CLOCK], 2.0),
    ("twice the L2's bandwidth", &[keys::L2_BYTES_PER_CLOCK], 2.0),
    ("twice the memory's bandwidth", &[keys::DRAM_GB_PER_S], 2.0),
    // Of code whose instructions say when the next may issue, the clocks of arithmetic are in its costs.
    ("half the latency of arithmetic", &[keys::LATENCY_ALU], 0.5),
    ("half the latency of the L1", &[keys::LATENCY_L1], 0.5),
    ("half the latency of shared memory", &[keys::LATENCY_SHARED], 0.5),
    ("half the latency of xu", &[keys::LATENCY_XU], 0.5),
    ("half the latency of shuffles", &[keys::LATENCY_LANES], 0.5),
    ("half the latency of constants", &[keys::LATENCY_CONSTANT], 0.5),
    ("twice the resident warps, and registers for them", &[keys::RESIDENT_WARPS, keys::REGISTERS_PER_SM], 2.0),
];

/// So many changes are listed.
const LISTED: usize = 10;

/// The changes of a machine that pay most, and last, whatever they bring, warps of other widths and a larger machine.
pub(crate) fn listed(all: &[WhatIf], machine: usize) -> Vec<&WhatIf> {
    let mine = || all.iter().filter(|what_if| what_if.machine == machine);
    let pays = |what_if: &&WhatIf| !what_if.yardstick && what_if.most().is_some_and(|(_, gain)| gain > 0.0);
    let mut list: Vec<&WhatIf> = mine().filter(pays).take(LISTED).collect();
    let last = mine().filter(|what_if| what_if.yardstick || what_if.is_width);
    let last: Vec<&WhatIf> = last.filter(|what_if| list.iter().all(|other| other.options != what_if.options)).collect();
    list.extend(last);
    list
}

/// Whether a block stands for a whole operation; the start of a warp is none.
fn is_operation(block: &Block) -> bool {
    *block != Block::Prologue && !block.name().contains('.')
}

impl BoundsReport {
    /// All changes that raise a lowest bound by a thousandth or more, those that pay most on average first; those that only
    /// make the whole machine larger after all others.
    pub fn what_if(&self) -> Vec<WhatIf> {
        let mut found = Vec::new();
        for (number, machine) in self.request.machines.iter().enumerate() {
            let width = machine.count(keys::SM_WARP_WIDTH);
            let base: Vec<usize> = (0..self.rows.len())
                .filter(|&row| self.rows[row].machine == number && self.rows[row].profile.counts.width == width)
                // What no table prices would wait for memory alone.
                .filter(|&row| self.rows[row].price.is_some() && self.rows[row].lowest().is_some())
                .collect();
            for (change, options, what) in self.changes(width) {
                let gain = |&row: &usize| Some((row, self.gain(&self.rows[row], machine, &what)?));
                let gains: Vec<(usize, f64)> = base.iter().filter_map(gain).collect();
                let yardstick = matches!(what, What::Numbers([key], _) if key.path == keys::SM_COUNT.path);
                let is_width = matches!(what, What::Width(_));
                let what_if = WhatIf { machine: number, change, options, yardstick, is_width, gains };
                if what_if.gains.iter().any(|(_, gain)| gain.abs() >= 1e-3) {
                    found.push(what_if);
                }
            }
        }
        found.sort_by(|a, b| a.yardstick.cmp(&b.yardstick).then(b.mean().total_cmp(&a.mean())));
        found
    }

    fn changes(&self, width: u32) -> Vec<(String, String, What)> {
        let number = |&(name, keys, factor): &(&str, &'static [&'static Key], f64)| {
            let options: Vec<String> = keys.iter().map(|key| format!("--set {}={factor}x", key.path)).collect();
            (name.to_string(), options.join(" "), What::Numbers(keys, factor))
        };
        let mut changes: Vec<(String, String, What)> = NUMBERS.iter().map(number).collect();
        for block in Block::ALL.into_iter().filter(is_operation) {
            let name = block.name();
            let cost = |change| What::Cost(CostChange { block, change });
            changes.push((
                format!("{name} a quarter cheaper"),
                format!("--set cost.{name}=0.75x"),
                cost(Change::Times(0.75)),
            ));
            if block == Block::PrefixSum {
                changes.push((format!("a free {name}"), format!("--set cost.{name}=0"), cost(Change::To(0.0))));
            }
        }
        let mut widths: Vec<u32> = self.request.rays.widths.iter().copied().filter(|&other| other != width).collect();
        widths.sort_unstable();
        widths.dedup();
        let wider = |width: u32| {
            (format!("warps of {width} lanes on the same lanes"), format!("--width {width}"), What::Width(width))
        };
        changes.extend(widths.into_iter().map(wider));
        changes
    }

    /// By how much the lowest bound of a row rises; none where the change means nothing there.
    fn gain(&self, row: &Bounded, machine: &Machine, what: &What) -> Option<f64> {
        let mut before = row.lowest()?.rays_per_s;
        let after = match what {
            What::Numbers(keys, factor) => {
                let mut changed = machine.clone();
                for key in keys.iter().filter(|key| machine.get(key).is_some()) {
                    changed.set(key.path, &format!("{factor}x")).ok()?;
                }
                row.again(&changed, None)?
            }
            What::Cost(change) => {
                // A changed cost is not verified, which alone moves a bound by what verified ones are granted.
                let same = CostChange { change: Change::Times(1.0), ..*change };
                before = row.again(machine, Some(&same))?;
                row.again(machine, Some(change))?
            }
            What::Width(width) => {
                let same = |other: &&Bounded| {
                    (other.machine, other.variant, other.kind, other.leaf_size)
                        == (row.machine, row.variant, row.kind, row.leaf_size)
                };
                let of_width = |other: &&Bounded| other.profile.counts.width == *width;
                self.rows.iter().filter(same).find(of_width)?.lowest()?.rays_per_s
            }
        };
        Some(after / before - 1.0)
    }

    /// Where a row stands, for a reader.
    pub fn row_name(&self, row: usize) -> String {
        self.rows.get(row).map_or_else(String::new, |row| format!("{}, {}", name_of(&row.variant), row.kind.name()))
    }

    /// The ten changes that pay most on each machine, as text.
    pub(super) fn write_what_if(&self, text: &mut String, room: Room, hidden: &mut Hidden) {
        let all = self.what_if();
        for (number, machine) in self.request.machines.iter().enumerate() {
            let title = format!(
                "what would raise the lowest bound on {}: rise in %, mean over kernels and kinds of rays, and where most",
                machine.name()
            );
            text.push_str(&format!("\n{}\n", wrapped(&title)));
            let listed = listed(&all, number);
            if listed.is_empty() {
                text.push_str("nothing: no table has what these kernels cost here\n");
            }
            let mut table = Table::new([
                TableColumn::left("change"),
                TableColumn::right("mean"),
                TableColumn::right("most"),
                TableColumn::left("where most").rank(1),
                TableColumn::left("options that make it").rank(2),
            ]);
            for what_if in listed {
                let (row, most) = what_if.most().unwrap_or((usize::MAX, f64::NAN));
                table.row([
                    what_if.change.clone(),
                    format!("{:+.1}", 100.0 * what_if.mean()),
                    format!("{:+.1}", 100.0 * most),
                    self.row_name(row),
                    what_if.options.clone(),
                ]);
            }
            table.write(text, room, hidden);
        }
    }

    /// All changes, as a JSON array.
    pub fn what_if_json(&self) -> serde_json::Value {
        let one = |what_if: &WhatIf| {
            let gain = |(row, gain): &(usize, f64)| {
                serde_json::json!({
                    "variant": self.rows[*row].variant.to_string(),
                    "kind": self.rows[*row].kind.name(),
                    "leaf_size": self.rows[*row].leaf_size,
                    "gain_percent": 100.0 * gain,
                })
            };
            serde_json::json!({
                "machine": self.request.machines[what_if.machine].name(),
                "change": what_if.change,
                "options": what_if.options,
                "mean_percent": 100.0 * what_if.mean(),
                "rows": what_if.gains.iter().map(gain).collect::<Vec<_>>(),
            })
        };
        self.what_if().iter().map(one).collect()
    }
}

impl Bounded {
    /// The lowest bound on another machine, or at another cost.
    fn again(&self, machine: &Machine, cost: Option<&CostChange>) -> Option<f64> {
        let mut priced = PricedKernel::of(self.price.clone(), self.launch, self.doubt.clone(), self.basis);
        cost.into_iter().for_each(|change| priced.change(change, &self.profile));
        let bounds = priced.bounds(machine, (&self.variant, self.kind), &self.profile, self.traffic.as_ref());
        Some(lowest(&bounds)?.rays_per_s)
    }
}
