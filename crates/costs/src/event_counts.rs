//! Counts of a schedule's events, in which it is said how often machine code is issued.

use raywarp_family::{Block, Operation};
use std::fmt;
use std::str::FromStr;

const BLOCKS: usize = Block::ALL.len();

/// Kind of event of a warp's traversal schedule: a code block, after which operation it comes, and whether all lanes
/// take part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventKind {
    /// Part of a micro-operation (block of code) that runs in such an event.
    pub block: Block,
    /// Operation that must come just before such an event in the warp; `None` if any may; of a test in an unrolled
    /// loop, for all of its blocks the loop's step to it.
    pub after: Option<Operation>,
    /// `true` to count only events in which every lane that could take part did: the lanes of [`within`]'s block, or
    /// all of the warp.
    pub full: bool,
}

impl EventKind {
    /// Returns `true` if an event is of this kind: the code block `block`, after the operation `after`, with all
    /// possible lanes if `full`.
    pub fn has(self, block: Block, after: Operation, full: bool) -> bool {
        self.block == block && self.after.is_none_or(|wanted| wanted == after) && (full || !self.full)
    }
}

/// Returns the enclosing code block, whose lanes are all that could take part in `block`; `None` if all lanes of the
/// warp could.
pub fn within(block: Block) -> Option<Block> {
    match block {
        Block::SetupRay => Some(Block::FetchRay),
        Block::VisitNodeLinks | Block::VisitNodeOrder | Block::VisitNodePush => Some(Block::VisitNode),
        Block::TestTriangleU => Some(Block::TestTriangleT),
        Block::TestTriangleV => Some(Block::TestTriangleU),
        _ => None,
    }
}

/// Counts of warps' events, by code block and the operation before it; a warp's events are added before those of the
/// next warp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventCounts {
    /// Number of events, and of those in which all possible lanes took part, by code block and by the operation before.
    counts: Vec<[u64; 2]>,
    /// Mask of the lanes that took part in each code block's last event.
    last: [u64; BLOCKS],
    before: Before,
}

/// Operation before a warp's next event: that of the event just before, but in an unrolled loop the step that the test
/// is of, for all blocks of the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Before {
    operation: Operation,
    step: Option<Operation>,
}

impl Default for Before {
    fn default() -> Self {
        Self { operation: Operation::Loop, step: None }
    }
}

impl Before {
    /// Advances to the warp's next event, of `block`, and returns the operation that it comes after.
    fn next(&mut self, block: Block) -> Operation {
        let operation = block.operation();
        if block == Block::Prologue {
            *self = Self::default();
        }
        let tests = operation == Operation::TestTriangle;
        let before = self.step.filter(|_| tests).unwrap_or(self.operation);
        self.operation = operation;
        self.step = match operation {
            Operation::SecondTest | Operation::ThirdTest | Operation::FourthTest => Some(operation),
            _ => self.step.filter(|_| tests),
        };
        before
    }
}

impl Default for EventCounts {
    fn default() -> Self {
        Self { counts: vec![[0; 2]; BLOCKS * BLOCKS], last: [0; BLOCKS], before: Before::default() }
    }
}

impl EventCounts {
    /// Counts an event of a warp whose lanes are `everyone`: the code block `block`, on the lanes of `active`. Returns
    /// what it came after, and whether it was full ([`EventKind`]).
    pub fn add(&mut self, block: Block, active: u64, everyone: u64) -> (Operation, bool) {
        if block == Block::Prologue {
            self.last = [0; BLOCKS];
        }
        let could = match block {
            // With a whole record at hand, or row by row.
            Block::TestTriangleAccept => {
                let [whole, row] = [Block::TestTriangle, Block::TestTriangleV].map(|b| self.last[b as usize]);
                if whole != 0 { whole } else { row }
            }
            _ => within(block).map_or(everyone, |around| self.last[around as usize]),
        };
        let (before, is_full) = (self.before.next(block), active == could);
        let [any, full] = &mut self.counts[place(block, before)];
        *any += 1;
        *full += u64::from(is_full);
        self.last[block as usize] = active;
        (before, is_full)
    }

    /// Returns the number of events of a kind.
    pub fn count(&self, count: EventKind) -> u64 {
        let of = |pair: &[u64; 2]| pair[usize::from(count.full)];
        match count.after {
            Some(operation) => of(&self.counts[place(count.block, operation)]),
            None => self.counts[count.block as usize * BLOCKS..][..BLOCKS].iter().map(of).sum(),
        }
    }

    /// Returns all counts that are not 0, by code block and the operation before: of all events, and of those with all
    /// possible lanes.
    pub fn counts(&self) -> Vec<(EventKind, u64)> {
        let mut operations: Vec<Operation> = Block::ALL.into_iter().map(Block::operation).collect();
        operations.sort_unstable();
        operations.dedup();
        let counts = Block::ALL.into_iter().flat_map(|block| {
            operations
                .iter()
                .flat_map(move |&after| [false, true].map(|full| EventKind { block, after: Some(after), full }))
        });
        counts.map(|count| (count, self.count(count))).filter(|(_, times)| *times > 0).collect()
    }

    /// Adds the counts of another tally to these.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine = [mine[0] + theirs[0], mine[1] + theirs[1]];
        }
    }
}

fn place(block: Block, before: Operation) -> usize {
    block as usize * BLOCKS + before as usize
}

/// Returns the code block whose name stands for an operation.
fn named_after(operation: Operation) -> Option<Block> {
    let whole = |block: &&Block| block.operation() == operation && !block.name().contains('.');
    // Of the two blocks of the main loop the second is named so.
    Block::ALL.iter().rev().find(whole).copied()
}

impl fmt::Display for EventKind {
    /// Writes the kind as in `pop`, `pop@visit_node` or `visit_node!`: all pops, pops after node visits, node visits by
    /// all lanes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.block.name())?;
        if let Some(block) = self.after.and_then(named_after) {
            write!(f, "@{}", block.name())?;
        }
        f.write_str(if self.full { "!" } else { "" })
    }
}

impl FromStr for EventKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let block = |name: &str| -> Result<Block, String> {
            let found = Block::ALL.into_iter().find(|block| block.name() == name);
            found.ok_or_else(|| format!("{name:?} in {text:?} is no block of an operation"))
        };
        let (plain, full) = text.strip_suffix('!').map_or((text, false), |plain| (plain, true));
        let (name, after) = plain.split_once('@').map_or((plain, None), |(name, after)| (name, Some(after)));
        let after = after.map(block).transpose()?.map(Block::operation);
        Ok(Self { block: block(name)?, after, full })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally() -> EventCounts {
        let mut tally = EventCounts::default();
        for (visit, push, pop) in [(0b1111, 0b0011, 0b1000), (0b0011, 0b0011, 0b1111)] {
            tally.add(Block::VisitNode, visit, 0b1111);
            tally.add(Block::VisitNodePush, push, 0b1111);
            tally.add(Block::Pop, pop, 0b1111);
        }
        tally.add(Block::TestTriangle, 0b1100, 0b1111);
        tally.add(Block::TestTriangleAccept, 0b1100, 0b1111);
        tally.add(Block::Pop, 0b1100, 0b1111);
        tally
    }

    #[test]
    fn events_are_counted_by_what_came_before_and_by_whether_all_lanes_took_part() {
        let count = |text: &str| tally().count(text.parse().unwrap());
        assert_eq!((count("visit_node"), count("visit_node!")), (2, 1));
        assert_eq!((count("visit_node.push"), count("visit_node.push!")), (2, 1));
        assert_eq!((count("pop"), count("pop!")), (3, 1));
        assert_eq!((count("pop@visit_node"), count("pop@test_triangle"), count("pop@vote")), (2, 1, 0));
        assert_eq!((count("test_triangle.accept!"), count("pop@visit_node!")), (1, 1));
        assert_eq!(count("vote"), 0);
        let pops: u64 = tally().counts().iter().filter(|(c, _)| c.block == Block::Pop && !c.full).map(|c| c.1).sum();
        assert_eq!(pops, 3);
    }

    #[test]
    fn tests_of_an_unrolled_loop_are_told_apart() {
        let mut tally = EventCounts::default();
        let test = [Block::TestTriangle, Block::TestTriangleAccept];
        let steps = [Block::SecondTest, Block::ThirdTest];
        let events =
            [vec![Block::Vote], test.to_vec(), vec![steps[0]], test.to_vec(), vec![steps[1]], test[..1].to_vec()];
        for block in events.concat().into_iter().chain([Block::Pop]) {
            tally.add(block, 1, 1);
        }
        let count = |text: &str| tally.count(text.parse().unwrap());
        assert_eq!((count("test_triangle"), count("test_triangle@vote")), (3, 1));
        assert_eq!((count("test_triangle@second_test"), count("test_triangle@third_test")), (1, 1));
        assert_eq!((count("test_triangle.accept@test_triangle"), count("test_triangle.accept@second_test")), (1, 1));
        assert_eq!((count("third_test@test_triangle"), count("pop@test_triangle")), (1, 1));
    }

    #[test]
    fn counts_have_texts_that_parse_back() {
        for block in Block::ALL {
            for after in [
                None,
                Some(Operation::Loop),
                Some(Operation::VisitNode),
                Some(Operation::TestTriangle),
                Some(Operation::SecondTest),
            ] {
                for full in [false, true] {
                    let count = EventKind { block, after, full };
                    assert_eq!(count.to_string().parse(), Ok(count));
                }
            }
        }
        for wrong in ["", "pop@", "popp", "pop@popp", "!"] {
            assert!(wrong.parse::<EventKind>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn tallies_add_up() {
        let (mut twice, count) = (tally(), "pop@visit_node".parse().unwrap());
        twice.merge(&tally());
        assert_eq!(twice.count(count), 4);
    }
}
