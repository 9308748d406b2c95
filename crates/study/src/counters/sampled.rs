//! Instructions at which a profiler found warps.

use raywarp_costs::Word;

/// Number of times that warps of a launch were found at each instruction of a kernel when a profiler looked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampledCounters {
    /// Index of each instruction at which a warp was found, in order, and how often.
    counts: Vec<(usize, u64)>,
}

impl SampledCounters {
    /// Parses a text such as `0:131 32:71`: byte offset of an instruction, and how often warps were found there.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut counts: Vec<(usize, u64)> = Vec::new();
        for one in text.split(' ') {
            let (offset, times) = one.split_once(':')?;
            // Sums of as many as there are instructions stay exact.
            let (offset, times) = (offset.parse::<u32>().ok()? as usize, u64::from(times.parse::<u32>().ok()?));
            let place = (offset % Word::BYTES == 0).then_some(offset / Word::BYTES)?;
            let is_next = counts.last().is_none_or(|(last, _)| *last < place);
            counts.push(is_next.then_some((place, times))?);
        }
        Some(Self { counts }).filter(|counts| counts.sum() > 0)
    }

    fn sum(&self) -> u64 {
        self.counts.iter().map(|(_, times)| times).sum()
    }

    /// Returns for each of a kernel's instructions the fraction of all samples, 0 to 1; `None` if the kernel has fewer
    /// instructions than warps were found at.
    pub fn shares(&self, instructions: usize) -> Option<Vec<f64>> {
        let mut shares = vec![0.0; instructions];
        for (place, times) in &self.counts {
            *shares.get_mut(*place)? = *times as f64 / self.sum() as f64;
        }
        Some(shares)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_shares_of_all() {
        let sampled = SampledCounters::parse("0:30 48:10").unwrap();
        assert_eq!(sampled.shares(5), Some(vec![0.75, 0.0, 0.0, 0.25, 0.0]));
        assert_eq!(sampled.shares(3), None);
        for wrong in ["", "0:0", "8:5", "16:5 0:5", "0:5 0:5", "0:x", "0:-1", "0", "0:99999999999"] {
            assert_eq!(SampledCounters::parse(wrong), None, "{wrong}");
        }
    }
}
