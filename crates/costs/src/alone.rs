//! The time that a warp takes for a block when no other warp runs: clocks that its code tells, and waits for results.
//!
//! Since compute capability 7.0 an instruction says itself when the next one may issue, and which results it waits for
//! (Jia et al. 2018, chapter 2). So a block's time is a sum of clocks that its code tells, and of whole latencies that
//! lie one after the other on its longest way; which latency is how long is a machine's matter.

/// Cause of an instruction's latency whose length the machine code does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Wait {
    /// Latency of a load from global or local memory that at least goes to the first cache (L1).
    L1,
    /// Latency of a load from shared memory.
    Shared,
    /// Latency of the slow units: reciprocals, conversions, counts of bits, 64-bit floats.
    Xu,
    /// Latency of a word from another lane of the warp: shuffles, matches, reductions.
    Lanes,
    /// Latency of constants at a computed address, and of special registers.
    Constant,
    /// Latency of an atomic operation that returns a value, at least from the second cache (L2).
    Atomic,
}

impl Wait {
    /// All causes of waiting, in the order of their numbers.
    pub const ALL: [Self; 6] = [Self::L1, Self::Shared, Self::Xu, Self::Lanes, Self::Constant, Self::Atomic];

    /// Returns the name of the cause in tables of costs, such as `l1`.
    pub fn name(self) -> &'static str {
        match self {
            Self::L1 => "l1",
            Self::Shared => "shared",
            Self::Xu => "xu",
            Self::Lanes => "lanes",
            Self::Constant => "constant",
            Self::Atomic => "atomic",
        }
    }

    /// Returns the typical latency in clocks, by which a block's longest chain of instructions is chosen: that of an
    /// H200 (machines/h200.toml), rounded, of a load of 128 bits. Where others hold, the way may not be the longest,
    /// and is one all the same: the time is still a least one.
    pub fn nominal(self) -> i32 {
        match self {
            Self::L1 => 40,
            Self::Shared => 23,
            Self::Xu => 17,
            Self::Lanes => 24,
            Self::Constant => 28,
            Self::Atomic => 281,
        }
    }
}

/// Time that one warp takes with no other warp running: a number of clocks, and numbers of latencies of each cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Alone<N = i32> {
    /// Clocks that the machine code itself tells, without latencies. Below 0 where others' clocks pass in one of the
    /// latencies.
    pub clocks: N,
    /// Number of latencies waited for one after the other, by cause ([`Wait`]).
    pub waits: [N; Wait::ALL.len()],
}

impl Alone {
    /// Returns the time in clocks, where a latency of each cause is as long as `latency` says.
    pub fn at(&self, latency: impl Fn(Wait) -> i32) -> i32 {
        let waits = Wait::ALL.into_iter().zip(self.waits).map(|(wait, times)| times * latency(wait));
        self.clocks + waits.sum::<i32>()
    }

    /// Returns the time as the text of a table of costs, `1 2 3 ..`: clocks, then the number of latencies of each
    /// cause.
    pub(super) fn write(&self) -> String {
        let numbers = std::iter::once(self.clocks).chain(self.waits);
        numbers.map(|n| n.to_string()).collect::<Vec<_>>().join(" ")
    }

    pub(super) fn read(text: &str) -> Option<Self> {
        let numbers: Vec<i32> = text.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?;
        let (&clocks, waits) = numbers.split_first()?;
        Some(Self { clocks, waits: waits.try_into().ok()? })
    }
}

impl Alone<i64> {
    /// Adds the time of a basic block that runs `times` times.
    pub fn add(&mut self, block: &Alone, times: u64) {
        self.clocks += times as i64 * i64::from(block.clocks);
        self.waits.iter_mut().zip(block.waits).for_each(|(sum, n)| *sum += times as i64 * i64::from(n));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_numbered_as_listed() {
        for (i, wait) in Wait::ALL.into_iter().enumerate() {
            assert_eq!(wait as usize, i);
        }
    }

    #[test]
    fn times_are_clocks_and_latencies() {
        let block = Alone { clocks: 7, waits: [2, 0, 1, 0, 0, 0] };
        let latency = |wait| if wait == Wait::L1 { 40 } else { 18 };
        assert_eq!(block.at(latency), 7 + 2 * 40 + 18);
        let mut sum = Alone::<i64>::default();
        sum.add(&block, 10);
        sum.add(&block, 1);
        assert_eq!(sum, Alone { clocks: 77, waits: [22, 0, 11, 0, 0, 0] });
        assert_eq!(Alone::read(&block.write()), Some(block));
        for wrong in ["", "1", "1 2 3 4 5 6", "1 2 3 4 5 6 7 8", "1 2 3 4 5 6 x"] {
            assert_eq!(Alone::read(wrong), None, "{wrong:?}");
        }
    }
}
