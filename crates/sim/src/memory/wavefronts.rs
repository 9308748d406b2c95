//! What one load or store of a warp asks of the first cache.
//!
//! Its data stage is 128 bytes wide and has 32 banks of 4 bytes; a *wavefront* is one pass through it (Nsight Compute, Kernel
//! Profiling Guide). Two counts are made of it:
//!
//! - the **least**: as many passes as the distinct bytes need that lanes ask for, 128 bytes each. No hardware with such a
//!   stage needs fewer;
//! - by **banks**: a pass reads one word of each bank, the bank being bits 2 to 6 of the address, and lanes that ask for the
//!   same word share it. It assumes that lines lie in the banks as addresses do, each alike. Nodes of 64 bytes at random
//!   use two of the eight places that a 16-byte load can have, so that 22 lanes need 11 passes where the least is 3.

/// What a warp-wide access costs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AccessCost {
    /// Passes at least.
    pub least: u32,
    /// Passes by banks.
    pub banks: u32,
    /// Distinct sectors of 32 bytes.
    pub sectors: u32,
    /// Distinct lines of 128 bytes.
    pub lines: u32,
}

/// Bytes of a line, and of a pass.
const LINE: u64 = 128;
/// Bytes of a sector.
pub(crate) const SECTOR: u64 = 32;

/// The cost of an access of `bytes` a lane at `addresses`, which are multiples of `bytes` (4, 8 or 16). Their order does not
/// matter, but sorted ones are faster; they are changed.
pub fn access_cost(addresses: &mut Vec<u64>, bytes: u64) -> AccessCost {
    if !addresses.is_sorted() {
        addresses.sort_unstable();
    }
    addresses.dedup();
    let places = LINE / bytes;
    let mut at_place = [0u32; 32];
    let (mut sectors, mut lines) = (0, 0);
    let (mut last_sector, mut last_line) = (u64::MAX, u64::MAX);
    for &address in &*addresses {
        at_place[(address / bytes % places) as usize] += 1;
        sectors += u32::from(std::mem::replace(&mut last_sector, address / SECTOR) != address / SECTOR);
        lines += u32::from(std::mem::replace(&mut last_line, address / LINE) != address / LINE);
    }
    let least = (addresses.len() as u64 * bytes).div_ceil(LINE) as u32;
    let banks = at_place.into_iter().max().unwrap_or(0);
    AccessCost { least, banks, sectors, lines }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Byte by byte: which words there are, which bank each is in.
    fn slow(addresses: &[u64], bytes: u64) -> AccessCost {
        let touched: BTreeSet<u64> = addresses.iter().flat_map(|&a| a..a + bytes).collect();
        let words: BTreeSet<u64> = touched.iter().map(|byte| byte / 4).collect();
        let distinct = |size: u64| touched.iter().map(|byte| byte / size).collect::<BTreeSet<_>>().len() as u32;
        let in_bank = |bank: u64| words.iter().filter(|&&word| word % 32 == bank).count() as u32;
        AccessCost {
            least: touched.len().div_ceil(128) as u32,
            banks: (0..32).map(in_bank).max().unwrap_or(0),
            sectors: distinct(32),
            lines: distinct(128),
        }
    }

    #[test]
    fn counts_are_those_of_single_bytes() {
        let mut state = 1u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for case in 0..2_000 {
            let bytes = [4, 8, 16][case % 3];
            // From all lanes in one line to all over memory.
            let spread = [8, 64, 1 << 20][case / 3 % 3];
            let mut addresses: Vec<u64> = (0..=next(64)).map(|_| next(spread) * bytes).collect();
            let expected = slow(&addresses, bytes);
            assert_eq!(access_cost(&mut addresses, bytes), expected, "{bytes}: {addresses:?}");
        }
        assert_eq!(access_cost(&mut vec![], 16), AccessCost::default());
    }

    #[test]
    fn nodes_of_64_bytes_meet_in_two_places() {
        // The first chunks of 22 nodes, every other one at an odd place.
        let mut nodes: Vec<u64> = (0..22).map(|i| 64 * (5 * i + i % 2)).collect();
        let cost = access_cost(&mut nodes, 16);
        assert_eq!((cost.least, cost.sectors, cost.lines), (3, 22, 22));
        assert_eq!(access_cost(&mut (0..22).map(|i| 64 * i).collect(), 16).banks, 11);
        // Whole lines one after the other, and one word for all.
        assert_eq!(access_cost(&mut (0..32).map(|i| 16 * i).collect(), 16).banks, 4);
        assert_eq!(access_cost(&mut vec![640; 32], 16), AccessCost { least: 1, banks: 1, sectors: 1, lines: 1 });
    }
}
