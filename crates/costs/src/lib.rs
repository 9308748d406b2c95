//! Costs of kernels' machine code, as tables say them: the vocabulary of the crates that write such tables (xtask),
//! embed them (raywarp-cuda) and count instructions with them (raywarp-sim).
//!
//! The unit is the basic block: instructions that a warp issues one after the other. A block is owned by the part of
//! a micro-operation that its instructions come from, and its count says how often warps issue it: a combination of
//! the events of the kernel's Rust schedule ([`EventCounts`]). docs/internals/costs.md, "Instruction costs", says how
//! both are found.

#![forbid(unsafe_code)]

mod alone;
mod event_counts;
mod instances;
mod kepler;
mod line_table;
mod pipe;
mod word;

pub use alone::{Alone, Wait};
pub use event_counts::{EventCounts, EventKind, within};
pub use instances::{ENTER, InstanceCode, PLACE};
pub use kepler::{Flow, KeplerWord};
pub use line_table::{KernelLines, LineFault, LineTable, LineTableError, SourceFile, SourceFrame};
pub use pipe::Pipe;
pub use word::{Access, Word};

use raywarp_family::Block;

/// Header line of a table of costs: the names of its columns. A table may lack the last field, times of warps alone:
/// such are read as well.
pub const COST_COLUMNS: &str = "kernel,verified,offset,block,known,issued,instructions,\
    alu fma fmaheavy half double xu lsu adu cbu uniform branch other,\
    clocks l1 shared xu lanes constant atomic";

/// Evidence for the formula that says how often warps issue a basic block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CountSource {
    /// The counts of a profiler for this very code equal the formula's combination of events.
    Measured,
    /// The formula is that of a measured block of other machine code from the same source lines.
    Likened,
    /// No combination of events equals a profiler's counts: the formula is the nearest one, or empty. The block runs
    /// where a branch decides that is no event.
    Nearest,
    /// There is no evidence: the formula is once an event of the code block that owns the instructions.
    Assumed,
}

impl CountSource {
    const ALL: [Self; 4] = [Self::Measured, Self::Likened, Self::Nearest, Self::Assumed];

    /// Returns the name of the evidence in tables of costs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Likened => "likened",
            Self::Nearest => "nearest",
            Self::Assumed => "assumed",
        }
    }
}

/// Formula for how often warps issue a basic block: a weighted sum of counts of events, empty for what is never issued.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct IssueFormula(
    /// Terms of the sum: factors, and the kinds of event that they multiply.
    pub Vec<(i32, EventKind)>,
);

impl IssueFormula {
    /// Returns how often warps issue a basic block in a run with the event counts `tally`; not below 0.
    pub fn times(&self, tally: &EventCounts) -> u64 {
        let term = |&(factor, count): &(i32, EventKind)| i64::from(factor) * tally.count(count) as i64;
        self.0.iter().map(term).sum::<i64>().max(0) as u64
    }
}

impl std::fmt::Display for IssueFormula {
    /// Writes the formula as in `2*visit_node-visit_node!+vote`, or `0` if it is empty.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, (factor, count)) in self.0.iter().enumerate() {
            f.write_str(if *factor < 0 { "-" } else { ["+", ""][usize::from(i == 0)] })?;
            if factor.abs() != 1 {
                write!(f, "{}*", factor.abs())?;
            }
            count.fmt(f)?;
        }
        if self.0.is_empty() { f.write_str("0") } else { Ok(()) }
    }
}

impl std::str::FromStr for IssueFormula {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "0" {
            return Ok(Self::default());
        }
        let mut terms = Vec::new();
        let signed = text.replace('-', "+-");
        // A sign before the first term.
        let signed = if text.starts_with('-') { &signed[1..] } else { &signed };
        for term in signed.split('+') {
            let (sign, term) = term.strip_prefix('-').map_or((1, term), |term| (-1, term));
            let (factor, count) = term.split_once('*').unwrap_or(("1", term));
            let factor: i32 = factor.parse().map_err(|_| format!("{factor:?} in {text:?} is no factor"))?;
            terms.push((sign * factor, count.parse()?));
        }
        Ok(Self(terms))
    }
}

/// Returns a kernel's machine code as the instructions that tables of costs count, each a [`Word`], whatever they take
/// on the architecture.
pub fn words(code: &[u8], architecture: u32) -> Vec<Word> {
    match architecture {
        KeplerWord::ARCHITECTURE => KeplerWord::all(code).into_iter().map(Word::from).collect(),
        _ => Word::all(code),
    }
}

/// A basic block of a kernel's machine code, with what it costs and how often it is issued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PricedBlock {
    /// Part of a micro-operation whose source the instructions come from.
    pub block: Block,
    /// Offset in bytes from the kernel's start, where an instruction has [`Word::BYTES`].
    pub offset: u32,
    /// Number of instructions in the basic block. One whose predicate is off costs its slot all the same.
    pub instructions: u32,
    /// Number of the block's instructions by pipeline ([`Pipe`]).
    pub pipes: [u32; Pipe::ALL.len()],
    /// Least time that one warp alone takes for the block, with the waits after it that nothing else accounts for;
    /// `None` where the table does not say.
    pub alone: Option<Alone>,
    /// Formula for the number of times that warps issue the block.
    pub issued: IssueFormula,
    /// Evidence for the formula `issued`.
    pub source: CountSource,
}

impl PricedBlock {
    /// Returns the range of indices of the block's instructions among the kernel's.
    pub fn place(&self) -> std::ops::Range<usize> {
        let first = self.offset as usize / Word::BYTES;
        first..first + self.instructions as usize
    }

    /// Returns `true` if the formula is empty: no event ever makes warps issue this block.
    pub fn is_never(&self) -> bool {
        self.issued.0.is_empty()
    }
}

/// A kernel of a table of costs: its blocks of machine code, each with a formula for how often it is issued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PricedKernel {
    /// Basic blocks of the kernel, by offset.
    pub blocks: Vec<PricedBlock>,
    /// `true` if the predicted counts agree with a profiler's within 1 %, on batches that the formulas were not fitted
    /// to.
    pub verified: bool,
}

impl PricedKernel {
    /// Returns the number of the kernel's instructions: those of its operations, its main loop and its start, and
    /// nothing besides.
    pub fn instructions(&self) -> u32 {
        self.blocks.iter().map(|block| block.instructions).sum()
    }

    /// Returns the number of warp instructions that the kernel issues in a run with the event counts `tally`.
    pub fn issued(&self, tally: &EventCounts) -> u64 {
        self.blocks.iter().map(|block| u64::from(block.instructions) * block.issued.times(tally)).sum()
    }

    /// Returns the number of warp instructions that the kernel issues in a run with the event counts `tally`, by
    /// pipeline ([`Pipe`]).
    pub fn issued_by_pipe(&self, tally: &EventCounts) -> [u64; Pipe::ALL.len()] {
        let mut sums = [0; Pipe::ALL.len()];
        for block in &self.blocks {
            let times = block.issued.times(tally);
            sums.iter_mut().zip(block.pipes).for_each(|(sum, n)| *sum += times * u64::from(n));
        }
        sums
    }

    /// Returns the summed time of warps that run one after the other, for the event counts `tally`; `None` where the
    /// table lacks it for a block that is issued.
    pub fn alone(&self, tally: &EventCounts) -> Option<Alone<i64>> {
        let mut sum = Alone::default();
        for block in self.blocks.iter().filter(|block| !block.is_never()) {
            sum.add(block.alone.as_ref()?, block.issued.times(tally));
        }
        Some(sum)
    }
}

/// Reads the costs of one kernel from the text of a table of costs; `None` where the table lacks the kernel.
///
/// # Errors
/// A line that is none, by its number.
pub fn read_costs(table: &str, kernel: &str) -> Result<Option<PricedKernel>, String> {
    let mut found = PricedKernel { blocks: vec![], verified: false };
    for (number, line) in table.lines().enumerate().skip(1) {
        let Some(rest) = line.strip_prefix(kernel).and_then(|rest| rest.strip_prefix(',')) else { continue };
        let wrong = |what: &str| format!("line {} of the costs: {what} in {line:?}", number + 1);
        let fields: Vec<&str> = rest.split(',').collect();
        let (first, alone) = match &fields[..] {
            [first @ .., alone] if first.len() == 7 => (first, Some(*alone)),
            first => (first, None),
        };
        let &[verified, offset, block, known, issued, instructions, pipes] = first else {
            return Err(wrong("8 or 9 fields are wanted"));
        };
        let number = |text: &str| text.parse::<u32>().map_err(|_| wrong("a number is wanted"));
        let by_pipe: Vec<u32> = pipes.split(' ').map(number).collect::<Result<_, _>>()?;
        found.verified = verified == "verified";
        found.blocks.push(PricedBlock {
            block: Block::ALL.into_iter().find(|b| b.name() == block).ok_or_else(|| wrong("no block"))?,
            offset: number(offset)?,
            instructions: number(instructions)?,
            pipes: by_pipe.try_into().map_err(|_| wrong("a number a pipeline is wanted"))?,
            alone: match alone {
                Some(text) => Some(Alone::read(text).ok_or_else(|| wrong("clocks and waits are wanted"))?),
                None => None,
            },
            issued: issued.parse().map_err(|error: String| wrong(&error))?,
            source: CountSource::ALL.into_iter().find(|k| k.name() == known).ok_or_else(|| wrong("no way to know"))?,
        });
    }
    Ok(if found.blocks.is_empty() { None } else { Some(found) })
}

/// Returns the lines of a table of costs for one kernel. What is never issued, such as a slow path, is one line as long
/// as it is part of one block.
pub fn write_costs(kernel: &str, costs: &PricedKernel) -> String {
    let verified = if costs.verified { "verified" } else { "unverified" };
    let line = |b: &PricedBlock| {
        let (block, known, issued) = (b.block.name(), b.source.name(), &b.issued);
        let pipes = b.pipes.map(|n| n.to_string()).join(" ");
        let alone = b.alone.map_or(String::new(), |alone| format!(",{}", alone.write()));
        format!("{kernel},{verified},{},{block},{known},{issued},{},{pipes}{alone}\n", b.offset, b.instructions)
    };
    let mut merged: Vec<PricedBlock> = Vec::new();
    for block in &costs.blocks {
        match merged.last_mut() {
            Some(last)
                if last.is_never() && block.is_never() && (last.block, last.source) == (block.block, block.source) =>
            {
                last.instructions += block.instructions;
                last.pipes.iter_mut().zip(block.pipes).for_each(|(sum, n)| *sum += n);
            }
            _ => merged.push(block.clone()),
        }
    }
    merged.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(block: Block, instructions: u32, issued: &str) -> PricedBlock {
        let mut pipes = [0; Pipe::ALL.len()];
        pipes[Pipe::Alu as usize] = instructions;
        let alone = Some(Alone { clocks: 2 * instructions as i32, waits: [1, 0, 0, 0, 0, 0] });
        let issued = issued.parse().unwrap();
        PricedBlock { block, offset: 16, instructions, pipes, alone, issued, source: CountSource::Measured }
    }

    fn kernel() -> PricedKernel {
        let blocks = vec![
            cost(Block::VisitNode, 60, "visit_node"),
            cost(Block::VisitNode, 1, "2*visit_node-visit_node!"),
            cost(Block::Pop, 3, "pop@visit_node"),
            cost(Block::SetupRay, 100, "0"),
        ];
        PricedKernel { blocks, verified: true }
    }

    #[test]
    fn combinations_have_texts_that_parse_back() {
        for text in ["0", "vote", "2*visit_node-visit_node!+pop@test_triangle", "-vote+loop"] {
            let issued: IssueFormula = text.parse().unwrap();
            assert_eq!(issued.to_string(), text);
        }
        for wrong in ["", "1", "two*vote", "vote+", "vote-", "*vote"] {
            assert!(wrong.parse::<IssueFormula>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_columns_name_every_pipeline_and_wait() {
        let (pipes, waits) = (Pipe::ALL.map(Pipe::name).join(" "), Wait::ALL.map(Wait::name).join(" "));
        assert!(COST_COLUMNS.ends_with(&format!(",{pipes},clocks {waits}")));
    }

    #[test]
    fn costs_times_counts_are_issued_instructions() {
        let mut tally = EventCounts::default();
        tally.add(Block::VisitNode, 1, 3);
        tally.add(Block::Pop, 1, 3);
        tally.add(Block::VisitNode, 3, 3);
        let kernel = kernel();
        // Two visits, one of them by all lanes, and a pop.
        assert_eq!(kernel.issued(&tally), 60 * 2 + 3 + 3);
        assert_eq!(kernel.issued_by_pipe(&tally)[Pipe::Alu as usize], 60 * 2 + 3 + 3);
        assert_eq!(kernel.instructions(), 164);
    }

    #[test]
    fn times_alone_add_up_where_every_block_that_is_issued_has_one() {
        let mut tally = EventCounts::default();
        tally.add(Block::VisitNode, 3, 3);
        tally.add(Block::VisitNode, 3, 3);
        let mut kernel = kernel();
        // Two visits and the two places where lanes meet after them.
        assert_eq!(kernel.alone(&tally), Some(Alone { clocks: 2 * 120 + 2 * 2, waits: [4, 0, 0, 0, 0, 0] }));
        kernel.blocks[3].alone = None;
        assert!(kernel.alone(&tally).is_some(), "a block that is never issued");
        kernel.blocks[2].alone = None;
        assert_eq!(kernel.alone(&tally), None);
    }

    #[test]
    fn what_is_never_issued_is_one_line() {
        let mut costs = kernel();
        costs.blocks.push(cost(Block::SetupRay, 30, "0"));
        costs.blocks.push(cost(Block::StoreHit, 5, "0"));
        let table = format!("{COST_COLUMNS}\n{}", write_costs("a", &costs));
        let read = read_costs(&table, "a").unwrap().unwrap();
        let sizes: Vec<u32> = read.blocks.iter().map(|block| block.instructions).collect();
        assert_eq!((sizes, read.instructions()), (vec![60, 1, 3, 130, 5], costs.instructions()));
    }

    #[test]
    fn a_table_is_read_as_it_was_written() {
        let table =
            format!("{COST_COLUMNS}\n{}{}", write_costs("a__any", &kernel()), write_costs("a__any_b", &kernel()));
        assert_eq!(read_costs(&table, "a__any"), Ok(Some(kernel())));
        assert_eq!(read_costs(&table, "a"), Ok(None));
        // Without times, as tables were before.
        let mut timeless = kernel();
        timeless.blocks.iter_mut().for_each(|block| block.alone = None);
        assert_eq!(read_costs(&format!("\n{}", write_costs("a", &timeless)), "a"), Ok(Some(timeless)));
        let breaks =
            [("60", "sixty"), (",visit_node,", ",visit,"), ("measured", "guessed"), (" 0\n", "\n"), (" 0,", ",")];
        for (whole, broken) in breaks {
            assert!(read_costs(&table.replacen(whole, broken, 1), "a__any").is_err(), "{broken}");
        }
    }
}
