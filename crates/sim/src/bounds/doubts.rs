//! Reasons why a bound may not hold: of the sample, of the order of rays, of costs, and of the machine's numbers.

use super::Maker;
use crate::launch_instructions::LaunchInstructions;
use crate::machine::{Checked, MachineKey, keys};
use raywarp_family::{Block, Supply, Sync};

impl Maker<'_> {
    /// Returns the reasons why counts of the traced rays may not represent the launches.
    pub(super) fn sample_doubts(&self) -> Vec<String> {
        let mut doubts = self.width_doubts();
        if !self.subject.profile.is_whole() {
            doubts.insert(0, "a sample of the rays".to_string());
        }
        doubts
    }

    /// Returns the reasons why the counts may not hold for warps of this machine's width.
    pub(super) fn width_doubts(&self) -> Vec<String> {
        let profile = self.subject.profile;
        let mut doubts = Vec::new();
        if profile.counts.width != self.machine.count(keys::SM_WARP_WIDTH) {
            doubts.push(format!("warps of {} lanes on lanes for {}", profile.counts.width, self.warp_width()));
        }
        doubts
    }

    /// Returns the reasons why counts, of lanes or of warps, may not be those of the whole launches.
    pub(super) fn count_doubts(&self, of_warps: bool) -> Vec<String> {
        [self.sample_doubts(), self.order_doubts(of_warps)].concat()
    }

    /// Returns the reasons why another run may have other counts, of lanes or of warps.
    pub(super) fn order_doubts(&self, of_warps: bool) -> Vec<String> {
        let variant = self.subject.variant;
        let mut doubts = Vec::new();
        if variant.supply() != Supply::Direct {
            // Lanes take part in more iterations and votes, and visit other nodes, as others of their warp do.
            doubts.push("which warp takes which ray is chance".to_string());
        }
        if of_warps && variant.sync() == Sync::Implicit {
            doubts.push("lanes are left to the hardware, and taken to be in lockstep".to_string());
        }
        doubts
    }

    pub(super) fn cost_doubts(&self, issued: &LaunchInstructions) -> Vec<String> {
        let mut doubts: Vec<String> = self.subject.doubt.map(str::to_string).into_iter().collect();
        if !issued.verified && doubts.is_empty() {
            let assumed = (100.0 * issued.assumed).round();
            doubts.push(format!("costs that are not verified, {assumed} % of them assumed"));
        }
        let mut set: Vec<&str> =
            Block::ALL.iter().filter(|&&block| issued.is_set(block)).map(|block| block.name()).collect();
        // An operation stands for its blocks.
        let whole = set.clone();
        set.retain(|name| name.split_once('.').is_none_or(|(operation, _)| !whole.contains(&operation)));
        if !set.is_empty() {
            doubts.push(format!("set: cost of {}", set.join(", ")));
        }
        doubts
    }

    /// Returns the reasons why one of the machine's numbers may really be higher than given.
    pub(super) fn number_doubts(&self, needed: &[&'static MachineKey]) -> Vec<String> {
        let doubt = |key: &&'static MachineKey| {
            let given = self.machine.given(key)?;
            if key.path == keys::CLOCK_MHZ.path && given.checked != Checked::Set {
                let measured = self.machine.get(keys::CLOCK_MEASURED_MHZ);
                return (measured != Some(given.value)).then(|| "the clock of a run may be higher".to_string());
            }
            match given.checked {
                Checked::Unread => Some(format!("{} is from a source that was not read", key.path)),
                _ => given.estimate.then(|| format!("{} is an estimate", key.path)),
            }
        };
        needed.iter().filter_map(doubt).collect()
    }
}
