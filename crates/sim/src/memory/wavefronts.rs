//! The cost of one load or store of a warp in the first cache.
//!
//! Its data stage is 128 bytes wide and has 32 banks of 4 bytes; a *wavefront* is one pass through it (Nsight Compute,
//! Kernel Profiling Guide). Two counts are made of it:
//!
//! - the **least**: as many passes as the distinct bytes need that lanes ask for, 128 bytes each. No hardware with such
//!   a stage needs fewer;
//! - **passes** as an H200 was seen to make them: lanes go in parts that could use the whole width (8 lanes of 16
//!   bytes, 16 of 8, 32 of 4); a pass reads one word of each bank, the bank being bits 2 to 6 of the address, from at
//!   most two lines, and lanes of a part that ask for the same word share it. Of models that were tried this is the
//!   nearest to recorded counters, 1 to 16 % below them (docs/internals/simulator.md); banks over the whole warp are
//!   half of what is counted, and a pass for each line is too many where nodes are swizzled.

/// Cost of one access of a whole warp in the first cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AccessCost {
    /// Least number of passes through the data stage.
    pub least: u32,
    /// Number of passes through the data stage, as hardware makes them by parts, banks and lines.
    pub passes: u32,
    /// Number of distinct sectors of 32 bytes.
    pub sectors: u32,
    /// Number of distinct lines of 128 bytes.
    pub lines: u32,
}

/// Bytes of a cache line, which is also the width of a pass.
pub(crate) const LINE: u64 = 128;
/// Bytes of a sector of a cache line.
pub(crate) const SECTOR: u64 = 32;
/// Largest number of lines that one pass reads from.
const LINES_PER_PASS: u32 = 2;

/// Returns the cost of an access of `bytes` bytes a lane, given each lane (0 to 63, once each) and its address, a
/// multiple of `bytes` (4, 8 or 16) below 2^58.
pub fn access_cost(lanes: &[(u8, u64)], bytes: u64) -> AccessCost {
    let mut keys = [0u64; 64];
    let keys = &mut keys[..lanes.len().min(64)];
    for (key, &(lane, address)) in keys.iter_mut().zip(lanes) {
        *key = address << 6 | u64::from(lane & 63);
    }
    keys.sort_unstable();

    let places = (LINE / bytes) as usize;
    let mut whole = Distinct::default();
    let mut parts = [Distinct::default(); 8];
    // Units at each place of a line, of each part: parts times places are 64 whatever the size.
    let mut at_place = [0u8; 64];
    let mut deepest = [0u8; 8];
    for &key in &*keys {
        let (address, lane) = (key >> 6, (key & 63) as usize);
        let part = lane / places;
        whole.take(address, bytes);
        if parts[part].take(address, bytes) {
            let units = &mut at_place[part * places + (address % LINE / bytes) as usize];
            *units += 1;
            deepest[part] = deepest[part].max(*units);
        }
    }
    let passes =
        parts.iter().zip(deepest).map(|(part, deepest)| u32::from(deepest).max(part.lines.div_ceil(LINES_PER_PASS)));
    let least = (u64::from(whole.units) * bytes).div_ceil(LINE) as u32;
    AccessCost { least, passes: passes.sum(), sectors: whole.sectors, lines: whole.lines }
}

/// Counts of distinct units, sectors and lines among addresses that come in order.
#[derive(Clone, Copy, Default)]
struct Distinct {
    units: u32,
    sectors: u32,
    lines: u32,
    /// Address after the last one; 0 before the first.
    after: u64,
}

impl Distinct {
    /// Counts an address, which is not below any before it; returns `true` if its unit is new.
    fn take(&mut self, address: u64, bytes: u64) -> bool {
        // Bits in which it differs from the last one, all of them if there is none.
        let new = if self.after == 0 { u64::MAX } else { address ^ (self.after - 1) };
        self.after = address + 1;
        self.units += u32::from(new >= bytes);
        self.sectors += u32::from(new >= SECTOR);
        self.lines += u32::from(new >= LINE);
        new >= bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Counts passes byte by byte: which words there are, and in which bank each is.
    fn slow(lanes: &[(u8, u64)], bytes: u64) -> AccessCost {
        let touched = |of: &dyn Fn(u8) -> bool| -> BTreeSet<u64> {
            lanes.iter().filter(|(lane, _)| of(*lane)).flat_map(|&(_, address)| address..address + bytes).collect()
        };
        let distinct =
            |touched: &BTreeSet<u64>, size: u64| touched.iter().map(|byte| byte / size).collect::<BTreeSet<_>>().len();
        let passes_of = |part: u8| {
            let touched = touched(&|lane| lane / (128 / bytes as u8) == part);
            let words: BTreeSet<u64> = touched.iter().map(|byte| byte / 4).collect();
            let in_bank = |bank: u64| words.iter().filter(|&&word| word % 32 == bank).count();
            let banks = (0..32).map(in_bank).max().unwrap_or(0);
            banks.max(distinct(&touched, 128).div_ceil(2)) as u32
        };
        let all = touched(&|_| true);
        AccessCost {
            least: all.len().div_ceil(128) as u32,
            passes: (0..16).map(passes_of).sum(),
            sectors: distinct(&all, 32) as u32,
            lines: distinct(&all, 128) as u32,
        }
    }

    #[test]
    fn counts_are_those_of_single_bytes() {
        let mut random = raywarp_testing::Random::new(1);
        let mut next = |below: u64| random.integer() % below;
        for case in 0..3_000 {
            let bytes = [4, 8, 16][case % 3];
            // From all lanes in one line to all over memory.
            let spread = [8, 64, 1 << 20][case / 3 % 3];
            let active = next(u64::MAX >> 33) << 32 | next(u64::MAX >> 33);
            let lanes: Vec<(u8, u64)> =
                (0..64).filter(|lane| active >> lane & 1 == 1).map(|lane| (lane, next(spread) * bytes)).collect();
            assert_eq!(access_cost(&lanes, bytes), slow(&lanes, bytes), "{bytes}: {lanes:?}");
        }
        assert_eq!(access_cost(&[], 16), AccessCost::default());
    }

    fn lanes(addresses: impl Iterator<Item = u64>) -> Vec<(u8, u64)> {
        (0..).zip(addresses).collect()
    }

    #[test]
    fn loads_of_16_bytes_go_by_quarters_of_a_warp() {
        // The first chunks of nodes of 64 bytes, every other one at an odd place: four a place in each quarter.
        let nodes = lanes((0..32).map(|i| 64 * (4 * i + i % 2)));
        let cost = access_cost(&nodes, 16);
        assert_eq!((cost.least, cost.passes, cost.sectors, cost.lines), (4, 16, 32, 32));
        // Swizzled, so that no two of a quarter meet in a bank: two lines a pass.
        let swizzled = lanes((0..32).map(|i| 128 * 3 * i + 16 * (i % 8)));
        assert_eq!(access_cost(&swizzled, 16).passes, 16);
        // Whole lines one after the other, and one word for all.
        assert_eq!(access_cost(&lanes((0..32).map(|i| 16 * i)), 16).passes, 4);
        assert_eq!(
            access_cost(&lanes((0..32).map(|_| 640)), 4),
            AccessCost { least: 1, passes: 1, sectors: 1, lines: 1 }
        );
        assert_eq!(access_cost(&lanes((0..32).map(|_| 640)), 16).passes, 4);
    }
}
