//! What some of a launch's warps do, event after event, for those who follow them clock by clock ([`crate::pace`]).

use raywarp_family::{Block, Operation};

/// An event of a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Moment {
    /// What happened.
    pub block: Block,
    /// After which operation ([`raywarp_family::costs::Count::after`]).
    pub after: Operation,
    /// Whether all lanes took part that could ([`raywarp_family::costs::Count::full`]).
    pub full: bool,
}

/// Events of warps, each from its start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Streams(Vec<(u32, Vec<Moment>)>);

/// Most events of a warp that are kept.
const MOST_EVENTS: usize = 1 << 14;

impl Streams {
    /// Keeps an event of a warp.
    pub(crate) fn add(&mut self, warp: u32, moment: Moment) {
        let last = self.0.iter_mut().rev().find(|(known, _)| *known == warp);
        match last {
            Some((_, events)) if events.len() < MOST_EVENTS => events.push(moment),
            Some(_) => {}
            None => self.0.push((warp, vec![moment])),
        }
    }

    /// Adds the warps of another part of the same launch.
    pub(crate) fn join(&mut self, other: Self) {
        self.0.extend(other.0);
        self.0.sort_by_key(|(warp, _)| *warp);
    }

    /// The events of each warp, in the order of their numbers.
    pub fn warps(&self) -> impl Iterator<Item = &[Moment]> {
        self.0.iter().map(|(_, events)| events.as_slice())
    }
}

/// Which of a launch's warps are kept: so many, evenly.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StreamKeeper {
    warps: u32,
    kept: u32,
    /// The last warp that was asked for: a warp's events come together.
    last: (u32, bool),
}

impl StreamKeeper {
    pub fn new(warps: u32, kept: u32) -> Self {
        let mut new = Self { warps: warps.max(1), kept: kept.min(warps), last: (0, false) };
        new.last.1 = new.is_one(0);
        new
    }

    /// Whether it is one of them.
    pub fn has(&mut self, warp: u32) -> bool {
        if self.last.0 != warp {
            self.last = (warp, self.is_one(warp));
        }
        self.last.1
    }

    fn is_one(&self, warp: u32) -> bool {
        let place = |warp: u32| u64::from(warp) * u64::from(self.kept) / u64::from(self.warps);
        place(warp + 1) > place(warp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_warps_are_kept() {
        for (warps, kept) in [(1, 0), (1, 1), (7, 3), (5280, 64), (3, 64)] {
            let mut which = StreamKeeper::new(warps, kept);
            let all = (0..warps).filter(|&warp| which.has(warp)).count() as u32;
            assert_eq!(all, kept.min(warps), "{warps} {kept}");
        }
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
