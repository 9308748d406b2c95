//! Machine code with a cheaper operation: nobody has compiled it, so instructions are taken out of the code that
//! there is.
//!
//! Taken are instructions that set no barrier and wait for none, evenly over pipelines and, by how often blocks are
//! issued, over the operation's blocks. So loads and all that is waited for stay, as they do where a bound's cost is
//! changed ([`LaunchInstructions::change`](crate::LaunchInstructions::change)), and the clocks that a taken
//! instruction asks for go with it. Two departures from that bound: instructions are whole, so that the share is met
//! to half a block's instruction; and since loads stay, pipelines of arithmetic lose somewhat more than the share (a
//! bound takes the same share of each pipeline).

use super::KernelCode;
use crate::launch_instructions::{Change, CostChange};
use raywarp_costs::{EventCounts, KeplerWord, Pipe, PricedKernel, Wait, Word};

/// A kernel's machine code without some of its instructions.
#[derive(Debug, Clone, PartialEq)]
pub struct CheaperCode {
    costs: PricedKernel,
    words: Vec<Word>,
    architecture: u32,
}

/// An instruction that may be removed: its pipeline, its basic block and index there, and how often it is issued.
type Candidate = (Pipe, usize, usize, f64);

impl CheaperCode {
    /// Returns `code` with only a fraction of an operation's instructions, or none, for warps with the event counts
    /// `tally`; `None` where that cannot be done.
    ///
    /// None where that cannot be told: of a change to anything else than a share of 0 to 1 or nothing, to nothing of
    /// what loads, of Kepler's code, whose instructions wait for registers, of code with an instruction that is not
    /// known, and where too many of the operation's instructions are waited for.
    pub fn of(code: KernelCode<'_>, change: &CostChange, tally: &EventCounts) -> Option<Self> {
        let kept = match change.change {
            Change::Times(share) if (0.0..=1.0).contains(&share) => share,
            Change::To(0.0) => 0.0,
            _ => return None,
        };
        if code.architecture == KeplerWord::ARCHITECTURE {
            return None;
        }
        let changed: Vec<_> = change.blocks().collect();
        let blocks = &code.costs.blocks;
        let words: Vec<&[Word]> = blocks.iter().map(|block| code.words.get(block.place())).collect::<Option<_>>()?;
        // How often each instruction of a block is issued; 0 of what is not changed.
        let times: Vec<f64> = blocks
            .iter()
            .map(|block| if changed.contains(&block.block) { block.issued.times(tally) as f64 } else { 0.0 })
            .collect();
        let mut taken: Vec<Vec<bool>> = words.iter().map(|words| vec![kept == 0.0; words.len()]).collect();
        taken.iter_mut().zip(&times).filter(|(_, times)| **times == 0.0).for_each(|(taken, _)| taken.fill(false));
        // Without its loads, what they brought through the caches would still be counted.
        let is_load = |(word, taken): (&Word, &bool)| *taken && word.wait() == Some(Wait::L1);
        if kept == 0.0 && words.iter().zip(&taken).any(|(words, taken)| words.iter().zip(taken).any(is_load)) {
            return None;
        }
        if kept > 0.0 {
            let issued: f64 = words.iter().zip(&times).map(|(words, times)| words.len() as f64 * times).sum();
            let candidates = candidates(&words, &times, code.architecture)?;
            for (block, place) in evenly(&candidates, (1.0 - kept) * issued)? {
                taken[block][place] = true;
            }
        }
        Some(Self::without(code, &words, &taken))
    }

    fn without(code: KernelCode<'_>, words: &[&[Word]], taken: &[Vec<bool>]) -> Self {
        let (mut costs, mut left) = (code.costs.clone(), Vec::new());
        for ((block, words), taken) in costs.blocks.iter_mut().zip(words).zip(taken) {
            block.offset = (left.len() * Word::BYTES) as u32;
            for (word, _) in words.iter().zip(taken).filter(|(_, taken)| !**taken) {
                left.push(*word);
            }
            for (word, _) in words.iter().zip(taken).filter(|(_, taken)| **taken) {
                block.instructions -= 1;
                if let Some(pipe) = word.pipe(code.architecture) {
                    let count = &mut block.pipes[pipe as usize];
                    *count = count.saturating_sub(1);
                }
            }
            // Of the whole block, which it no longer is.
            block.alone = block.alone.take().filter(|_| !taken.contains(&true));
        }
        costs.verified = false;
        Self { costs, words: left, architecture: code.architecture }
    }

    /// Returns the shortened code, to be simulated clock by clock.
    pub fn code(&self) -> KernelCode<'_> {
        KernelCode { costs: &self.costs, words: &self.words, architecture: self.architecture }
    }

    /// Returns the number of warp instructions that warps with the event counts `tally` issue in this code.
    pub fn issued(&self, tally: &EventCounts) -> u64 {
        self.costs.issued(tally)
    }
}

/// Returns the instructions that set no barrier and wait for none, sorted by pipeline.
fn candidates(words: &[&[Word]], times: &[f64], architecture: u32) -> Option<Vec<Candidate>> {
    let mut found = Vec::new();
    for (block, (words, &times)) in words.iter().zip(times).enumerate().filter(|(_, (_, times))| **times > 0.0) {
        for (place, word) in words.iter().enumerate() {
            let waits = (0..Word::BARRIERS).any(|barrier| word.waits_for(barrier));
            if word.written().is_none() && word.read().is_none() && !waits {
                found.push((word.pipe(architecture)?, block, place, times));
            }
        }
    }
    // Stable: within a pipeline in the order of the code.
    found.sort_by_key(|&(pipe, ..)| pipe as usize);
    Some(found)
}

/// Chooses an equal fraction of each pipeline's instructions, so that `goal` issued instructions go, to within half a
/// candidate's; `None` where there are not that many.
fn evenly(candidates: &[Candidate], goal: f64) -> Option<Vec<(usize, usize)>> {
    let all: f64 = candidates.iter().map(|(.., times)| times).sum();
    if goal > all {
        return None;
    }
    let share = if all > 0.0 { goal / all } else { 0.0 };
    let (mut due, mut taken) = (0.0, Vec::new());
    for &(_, block, place, times) in candidates {
        due += share * times;
        if due >= 0.5 * times {
            due -= times;
            taken.push((block, place));
        }
    }
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_costs::{CountSource, PricedBlock};
    use raywarp_family::Block;

    const FFMA: u128 = 0x023;
    const IADD3: u128 = 0x010;
    const LDL: u128 = 0x183;

    fn plain(operation: u128) -> Word {
        Word(operation | 1 << 105 | 7 << 110 | 7 << 113)
    }

    /// Returns a load that sets barrier 2, and an instruction that waits for it.
    fn load() -> Word {
        Word(LDL | 1 << 105 | 2 << 110 | 7 << 113)
    }

    fn waiting() -> Word {
        Word(FFMA | 1 << 105 | 7 << 110 | 7 << 113 | 1 << (116 + 2))
    }

    /// Returns code of basic blocks with their instructions, and a tally in which each is issued this often.
    fn code_of(blocks: &[(Block, u64, &[Word])]) -> (PricedKernel, Vec<Word>, EventCounts) {
        let (mut costs, mut all) = (PricedKernel { blocks: vec![], verified: true }, Vec::new());
        let mut tally = EventCounts::default();
        for &(block, times, words) in blocks {
            let mut pipes = [0; Pipe::ALL.len()];
            words.iter().for_each(|word| pipes[word.pipe(90).unwrap() as usize] += 1);
            costs.blocks.push(PricedBlock {
                block,
                offset: (all.len() * Word::BYTES) as u32,
                instructions: words.len() as u32,
                pipes,
                alone: None,
                issued: block.name().parse().unwrap(),
                source: CountSource::Measured,
            });
            all.extend_from_slice(words);
            for _ in 0..times {
                tally.add(block, 1, 1);
            }
        }
        (costs, all, tally)
    }

    fn cheaper(blocks: &[(Block, u64, &[Word])], change: CostChange) -> Option<(CheaperCode, u64)> {
        let (costs, words, tally) = code_of(blocks);
        let cheaper = CheaperCode::of(KernelCode { costs: &costs, words: &words, architecture: 90 }, &change, &tally)?;
        let issued = cheaper.issued(&tally);
        Some((cheaper, issued))
    }

    fn times(block: Block, share: f64) -> CostChange {
        CostChange { block, change: Change::Times(share) }
    }

    #[test]
    fn a_quarter_goes_of_each_pipeline_and_what_is_waited_for_stays() {
        let mut words = vec![load(), waiting()];
        words.extend([plain(FFMA); 10]);
        words.extend([plain(IADD3); 20]);
        let blocks = [(Block::Vote, 3, &words[..]), (Block::Pop, 2, &words[..4])];
        let (less, issued) = cheaper(&blocks, times(Block::Vote, 0.75)).unwrap();
        assert_eq!(issued, 3 * 24 + 2 * 4);
        let vote = less.code().words.get(less.costs.blocks[0].place()).unwrap();
        assert_eq!(vote[..2], [load(), waiting()]);
        // 8 of 30 go.
        let of = |operation: u128| vote.iter().filter(|word| **word == plain(operation)).count();
        assert_eq!((of(FFMA), of(IADD3)), (7, 15));
        let pipes = less.costs.blocks[0].pipes;
        assert_eq!((pipes[Pipe::Fma as usize], pipes[Pipe::Alu as usize], pipes[Pipe::Lsu as usize]), (8, 15, 1));
        // The other block is where it is now, and whole.
        assert_eq!(less.code().words.get(less.costs.blocks[1].place()).unwrap(), &words[..4]);
    }

    #[test]
    fn what_is_issued_often_counts_as_often() {
        let words = [plain(FFMA); 7];
        for [often, seldom] in [[100, 1], [40, 30], [1, 90]] {
            let blocks = [(Block::VisitNode, often, &words[..]), (Block::VisitNodePush, seldom, &words[..])];
            for share in [0.9, 0.75, 0.5, 0.2] {
                let (_, issued) = cheaper(&blocks, times(Block::VisitNode, share)).unwrap();
                let wanted = share * 7.0 * (often + seldom) as f64;
                let off = (issued as f64 - wanted).abs();
                assert!(off <= 0.5 * often.max(seldom) as f64, "{often} {seldom} {share}: {issued}, {wanted}");
            }
        }
    }

    #[test]
    fn nothing_is_changed_where_nothing_goes() {
        let words = [load(), waiting(), plain(FFMA), plain(IADD3)];
        let blocks = [(Block::Vote, 3, &words[..]), (Block::Pop, 0, &words[..])];
        for change in [times(Block::Vote, 1.0), times(Block::Pop, 0.5), times(Block::TestTriangle, 0.75)] {
            let (same, issued) = cheaper(&blocks, change).unwrap();
            let (costs, all, _) = code_of(&blocks);
            assert_eq!((same.words, issued), (all, 12));
            assert_eq!(same.costs.blocks, costs.blocks);
        }
    }

    #[test]
    fn a_free_operation_has_no_instructions_left() {
        let (words, loads) = ([plain(IADD3), plain(IADD3), plain(FFMA)], [load(), waiting(), plain(FFMA)]);
        let blocks = [(Block::PrefixSum, 5, &words[..]), (Block::Vote, 2, &loads[..])];
        // What it loads would still come through the caches.
        assert!(cheaper(&blocks, times(Block::Vote, 0.0)).is_none());
        for change in [times(Block::PrefixSum, 0.0), CostChange { block: Block::PrefixSum, change: Change::To(0.0) }] {
            assert_eq!(cheaper(&blocks, change).unwrap().1, 6);
        }
    }

    #[test]
    fn what_cannot_be_told_is_none() {
        let waits = [load(), waiting(), load(), waiting(), plain(FFMA)];
        let blocks = [(Block::Vote, 3, &waits[..])];
        assert!(cheaper(&blocks, times(Block::Vote, 0.9)).is_some());
        // One of five could go, two should.
        assert!(cheaper(&blocks, times(Block::Vote, 0.6)).is_none());
        for change in
            [Change::Times(1.5), Change::Times(-1.0), Change::Times(f64::NAN), Change::To(3.0), Change::By(-1.0)]
        {
            assert!(cheaper(&blocks, CostChange { block: Block::Vote, change }).is_none(), "{change:?}");
        }
        let (costs, words, tally) = code_of(&blocks);
        let kepler = KernelCode { costs: &costs, words: &words, architecture: KeplerWord::ARCHITECTURE };
        assert!(CheaperCode::of(kepler, &times(Block::Vote, 0.9), &tally).is_none());
    }
}
