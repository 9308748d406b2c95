//! Events of some of a launch's warps, in order, for models that follow them clock by clock ([`crate::pace`]).

use raywarp_family::{Block, Operation};

/// An event of a warp, as recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Moment {
    /// Code block that the warp issued.
    pub block: Block,
    /// Operation that the event came after ([`raywarp_costs::EventKind::after`]).
    pub after: Operation,
    /// `true` if all lanes that could take part did ([`raywarp_costs::EventKind::full`]).
    pub full: bool,
}

/// Recorded events of warps, each from the warp's start. Warps of a block are kept together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Streams {
    block_warps: u32,
    warps: Vec<(u32, Vec<Moment>)>,
}

impl Default for Streams {
    /// Returns an empty record of warps in thread blocks of one warp.
    fn default() -> Self {
        Self::of_blocks(1)
    }
}

/// Largest number of recorded events of a warp.
const MOST_EVENTS: usize = 1 << 14;

impl Streams {
    /// Returns an empty record of warps in thread blocks of `block_warps`, whose slots are free when the block's last
    /// warp has ended; 1 where each slot is always taken. Counts as at least 1.
    pub(crate) fn of_blocks(block_warps: u32) -> Self {
        Self { block_warps: block_warps.max(1), warps: Vec::new() }
    }

    /// Records an event of a warp.
    pub(crate) fn add(&mut self, warp: u32, moment: Moment) {
        let last = self.warps.iter_mut().rev().find(|(known, _)| *known == warp);
        match last {
            Some((_, events)) if events.len() < MOST_EVENTS => events.push(moment),
            Some(_) => {}
            None => self.warps.push((warp, vec![moment])),
        }
    }

    /// Adds the recorded warps of another part of the same launch.
    pub(crate) fn join(&mut self, other: Self) {
        self.warps.extend(other.warps);
        self.warps.sort_by_key(|(warp, _)| *warp);
    }

    /// Returns the recorded events of each warp, in the order of their indices.
    pub fn warps(&self) -> impl Iterator<Item = &[Moment]> {
        self.warps.iter().map(|(_, events)| events.as_slice())
    }

    /// Returns the number of warps in a thread block.
    pub fn block_warps(&self) -> u32 {
        self.block_warps
    }

    /// Returns the recorded warps, thread block by thread block. The launch's last block may have fewer.
    pub fn blocks(&self) -> impl Iterator<Item = Vec<&[Moment]>> {
        let blocks = self.warps.chunk_by(|(a, _), (b, _)| a / self.block_warps == b / self.block_warps);
        blocks.map(|block| block.iter().map(|(_, events)| events.as_slice()).collect())
    }
}

/// Choice of the warps of a launch whose events are recorded: a number of whole thread blocks, evenly spread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StreamKeeper {
    block_warps: u32,
    blocks: u32,
    /// Number of thread blocks whose events are recorded.
    kept: u32,
    /// Last warp that was asked about, with the answer, as a warp's events come together.
    last: (u32, bool),
}

impl StreamKeeper {
    /// Chooses `kept` of `warps` warps, rounded up to whole thread blocks of `block_warps`.
    pub fn new(warps: u32, kept: u32, block_warps: u32) -> Self {
        let block_warps = block_warps.max(1);
        let [blocks, kept] = [warps, kept.min(warps)].map(|warps| warps.div_ceil(block_warps));
        let mut new = Self { block_warps, blocks: blocks.max(1), kept, last: (0, false) };
        new.last.1 = new.is_one(0);
        new
    }

    /// Returns `true` if the events of the warp are recorded.
    pub fn has(&mut self, warp: u32) -> bool {
        if self.last.0 != warp {
            self.last = (warp, self.is_one(warp));
        }
        self.last.1
    }

    fn is_one(&self, warp: u32) -> bool {
        let block = warp / self.block_warps;
        let place = |block: u32| u64::from(block) * u64::from(self.kept) / u64::from(self.blocks);
        place(block + 1) > place(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_warps_are_kept() {
        for (warps, kept) in [(1, 0), (1, 1), (7, 3), (5280, 64), (3, 64)] {
            let mut which = StreamKeeper::new(warps, kept, 1);
            let all = (0..warps).filter(|&warp| which.has(warp)).count() as u32;
            assert_eq!(all, kept.min(warps), "{warps} {kept}");
        }
    }

    #[test]
    fn blocks_are_kept_whole_and_told_apart() {
        let mut which = StreamKeeper::new(30, 10, 4);
        let kept: Vec<u32> = (0..30).filter(|&warp| which.has(warp)).collect();
        // Three of eight blocks; the last one has two warps.
        assert_eq!(kept, [8, 9, 10, 11, 20, 21, 22, 23, 28, 29]);
        let mut streams = Streams::of_blocks(4);
        let moment = Moment { block: Block::Vote, after: Operation::Loop, full: true };
        kept.iter().for_each(|&warp| streams.add(warp, moment));
        assert_eq!(streams.blocks().map(|block| block.len()).collect::<Vec<_>>(), [4, 4, 2]);
        assert_eq!((streams.block_warps(), streams.warps().count()), (4, 10));
    }

    #[test]
    fn events_stand_with_their_warps_in_order() {
        let moment = |block| Moment { block, after: Operation::Loop, full: true };
        let (mut a, mut b) = (Streams::default(), Streams::default());
        a.add(5, moment(Block::Prologue));
        a.add(5, moment(Block::Vote));
        b.add(2, moment(Block::Pop));
        (0..2 * MOST_EVENTS).for_each(|_| b.add(2, moment(Block::Vote)));
        a.join(b);
        let lengths: Vec<(Block, usize)> = a.warps().map(|events| (events[0].block, events.len())).collect();
        assert_eq!(lengths, [(Block::Pop, MOST_EVENTS), (Block::Prologue, 2)]);
    }
}
