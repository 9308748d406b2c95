//! From instructions to source lines.
//!
//! An instruction counts for the innermost line that it is from: the line that says what is computed, and not the calls
//! around it. Lines of `platform/` are left out, as each only says what CUDA calls a minimum or a load.
//!
//! The compiler moves instructions within a basic block, to have loads early and results late. Where those of two lines
//! that are near each other alternate, the clock that a warp waits at one of them says nothing of which line it waits
//! for: such lines are kept together.

use super::ExplainedInstruction;
use raywarp_costs::{LineTable, Pipe, SourceFrame, Wait};
use raywarp_sim::pace::StallCause;
use std::collections::{BTreeMap, BTreeSet};

/// A line of a source file: index of the file in the table, and number of the line from 1.
pub(super) type Place = (usize, usize);

/// A line of a kernel's source with what warps do there, or several lines that the compiler merged.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExplainedLine {
    /// The lines, each by the index of its file in the table and its number from 1, in order; empty for instructions
    /// that are from no line.
    pub places: Vec<(usize, usize)>,
    /// Number of instructions of machine code, issued or not.
    pub instructions: usize,
    /// Number of warp instructions per ray.
    pub per_ray: f64,
    /// Number of warp instructions per ray, by pipeline ([`Pipe`]).
    pub pipes: [f64; Pipe::ALL.len()],
    /// Number of lane instructions per ray.
    pub lanes_per_ray: f64,
    /// Clocks per ray that a warp stands there when no other warp runs and all loads hit the first cache.
    pub chain: f64,
    /// Fraction of all warps' time, 0 to 1, that they stand there, issuing or waiting.
    pub share: f64,
    /// The parts of `share` in which warps wait, by [`StallCause`].
    pub stalls: [f64; StallCause::ALL.len()],
    /// The parts of `share` in which warps wait for the result of another line's instruction, or of an own one, by the
    /// line's index in the list of lines, the largest first.
    pub producers: Vec<(usize, f64)>,
    /// Kinds of latency of its instructions whose results are waited for, each once.
    pub results: Vec<Wait>,
    /// Fraction of a profiler's samples, 0 to 1, in which a warp was found there; `None` where there are none.
    pub sampled: Option<f64>,
}

impl ExplainedLine {
    /// Returns the pipeline that executes most of the line's instructions; `None` for a line that is never issued.
    pub fn pipe(&self) -> Option<Pipe> {
        let most = Pipe::ALL.into_iter().max_by(|a, b| self.pipes[*a as usize].total_cmp(&self.pipes[*b as usize]))?;
        Some(most).filter(|pipe| self.pipes[*pipe as usize] > 0.0)
    }

    /// Returns the fraction of lanes, 0 to 1, that do nothing while a warp of `width` lanes issues the line's
    /// instructions; `None` for a line that is never issued.
    pub fn idle(&self, width: u32) -> Option<f64> {
        (self.per_ray > 0.0).then(|| 1.0 - self.lanes_per_ray / (self.per_ray * f64::from(width)))
    }

    fn add(&mut self, instruction: &ExplainedInstruction) {
        self.instructions += 1;
        self.per_ray += instruction.per_ray;
        self.pipes[instruction.pipe as usize] += instruction.per_ray;
        self.lanes_per_ray += instruction.lanes_per_ray;
        self.chain += instruction.chain;
        self.share += instruction.share;
        self.sampled = instruction.sampled.map(|share| share + self.sampled.unwrap_or(0.0)).or(self.sampled);
        if let Some(wait) = instruction.wait.filter(|wait| !self.results.contains(wait)) {
            self.results.push(wait);
        }
        self.stalls.iter_mut().zip(instruction.stalls).for_each(|(sum, share)| *sum += share);
    }
}

/// Folder of the functions that rename what CUDA offers: a line there is not what an instruction is for.
const RENAMES: &str = "platform/";

/// Returns the line that an instruction counts for, of its chain of frames from the innermost outwards.
fn line_of(table: &LineTable, frame: usize) -> Option<Place> {
    let is_own =
        |frame: &SourceFrame| !table.files().get(frame.file).is_some_and(|file| file.name.starts_with(RENAMES));
    let frame = table.chain(frame).find(is_own).or_else(|| table.chain(frame).next())?;
    Some((frame.file, frame.line))
}

/// Returns the lines of a kernel's instructions, those first at which warps spend most time.
pub(super) fn of(instructions: &[ExplainedInstruction], table: &LineTable) -> Vec<ExplainedLine> {
    let place = |instruction: &ExplainedInstruction| line_of(table, instruction.frame?);
    let places: Vec<Option<Place>> = instructions.iter().map(place).collect();
    let blocks: Vec<usize> = instructions.iter().map(|instruction| instruction.basic_block).collect();
    let groups = merged(&places, &blocks);
    let group_of = |place: usize| places[place].map_or(usize::MAX, |place| groups[&place]);
    let mut lines: BTreeMap<usize, ExplainedLine> = BTreeMap::new();
    for (place, group) in &groups {
        lines.entry(*group).or_default().places.push(*place);
    }
    let mut producers: BTreeMap<usize, BTreeMap<usize, f64>> = BTreeMap::new();
    for (number, instruction) in instructions.iter().enumerate() {
        let group = group_of(number);
        lines.entry(group).or_default().add(instruction);
        for (producer, share) in &instruction.producers {
            *producers.entry(group).or_default().entry(group_of(*producer)).or_default() += share;
        }
    }
    let mut sorted: Vec<(usize, ExplainedLine)> = lines.into_iter().collect();
    sorted.sort_by(|(_, a), (_, b)| b.share.total_cmp(&a.share).then_with(|| a.places.cmp(&b.places)));
    let rank: BTreeMap<usize, usize> = sorted.iter().enumerate().map(|(rank, (group, _))| (*group, rank)).collect();
    let with_producers = |(group, mut line): (usize, ExplainedLine)| {
        let own = producers.remove(&group).unwrap_or_default();
        line.producers = own.into_iter().map(|(producer, share)| (rank[&producer], share)).collect();
        line.producers.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        line
    };
    sorted.into_iter().map(with_producers).collect()
}

/// Largest number of lines between two that may be merged: those of one statement, or of the few that one value takes.
const NEAR: usize = 3;
/// Number of runs, at least, in which the instructions of two merged lines alternate in a basic block.
const ALTERNATING: usize = 4;

/// Returns the number of the group that each source line belongs to; lines that the compiler merged are in one group.
/// `places` has the line of each instruction, `blocks` its basic block.
fn merged(places: &[Option<Place>], blocks: &[usize]) -> BTreeMap<Place, usize> {
    let all: BTreeSet<Place> = places.iter().flatten().copied().collect();
    let mut groups: BTreeMap<Place, usize> = all.iter().enumerate().map(|(group, place)| (*place, group)).collect();
    let mut start = 0;
    for block in blocks.chunk_by(|a, b| a == b) {
        let own: Vec<Place> = places[start..start + block.len()].iter().flatten().copied().collect();
        start += block.len();
        let there: BTreeSet<Place> = own.iter().copied().collect();
        for a in &there {
            for b in there.range((a.0, a.1 + 1)..=(a.0, a.1 + NEAR)) {
                if runs(&own, *a, *b) >= ALTERNATING {
                    let (kept, gone) = (groups[a].min(groups[b]), groups[a].max(groups[b]));
                    groups.values_mut().filter(|group| **group == gone).for_each(|group| *group = kept);
                }
            }
        }
    }
    groups
}

/// Returns the number of runs that the instructions of two lines make in a basic block, all others left out.
fn runs(block: &[Place], a: Place, b: Place) -> usize {
    let own: Vec<Place> = block.iter().copied().filter(|place| *place == a || *place == b).collect();
    own.chunk_by(|a, b| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_costs::SourceFile;
    use raywarp_family::Block;

    /// Returns a kernel's instructions, each with the number of its line in `a.h`, its share in per cent, and the index
    /// of the instruction that it waits for, if any; all in one basic block.
    fn kernel(rows: &[(usize, f64, Option<usize>)]) -> (Vec<ExplainedInstruction>, LineTable) {
        let file = SourceFile { name: "a.h".into(), lines: vec!["x;".into(); 20] };
        let mut table = LineTable::of_files(vec![file]);
        let chain = |line: usize| if line == 0 { vec![] } else { vec![("a.h".to_string(), line)] };
        table.add("k", 0, rows.iter().map(|(line, ..)| chain(*line))).unwrap();
        let frames = table.kernel("k").unwrap().frames.clone();
        let instruction = |(place, (_, percent, producer)): (usize, &(usize, f64, Option<usize>))| {
            let share = percent / 100.0;
            ExplainedInstruction {
                offset: 16 * place as u32,
                frame: frames[place],
                basic_block: 0,
                block: Block::Pop,
                pipe: if producer.is_some() { Pipe::Alu } else { Pipe::Lsu },
                wait: producer.is_none().then_some(Wait::L1),
                per_ray: 2.0,
                lanes_per_ray: 16.0,
                chain: 5.0,
                share,
                stalls: [0.0; StallCause::ALL.len()],
                sampled: None,
                producers: producer.iter().map(|producer| (*producer, share)).collect(),
            }
        };
        (rows.iter().enumerate().map(instruction).collect(), table)
    }

    /// Returns the lines of a kernel: their numbers, their share in per cent, and their number of instructions.
    fn lines_of(rows: &[(usize, f64, Option<usize>)]) -> Vec<(Vec<usize>, f64, usize)> {
        let (instructions, table) = kernel(rows);
        let row = |line: ExplainedLine| {
            let numbers = line.places.iter().map(|(_, line)| *line).collect();
            (numbers, (100.0 * line.share).round(), line.instructions)
        };
        of(&instructions, &table).into_iter().map(row).collect()
    }

    #[test]
    fn a_line_has_all_of_its_instructions_and_the_hottest_comes_first() {
        let found = lines_of(&[(3, 10.0, None), (9, 50.0, None), (3, 20.0, None), (0, 20.0, None)]);
        assert_eq!(found, [(vec![9], 50.0, 1), (vec![3], 30.0, 2), (vec![], 20.0, 1)]);
    }

    #[test]
    fn what_only_renames_is_not_what_an_instruction_is_for() {
        let file = |name: &str| SourceFile { name: name.into(), lines: vec!["x;".into(); 3] };
        let mut table = LineTable::of_files(vec![file("platform/cuda.h"), file("tree/a.h")]);
        let [renames, calls] = ["platform/cuda.h", "tree/a.h"].map(|name| (name.to_string(), 2));
        table.add("k", 0, [vec![renames.clone(), calls.clone()], vec![renames]]).unwrap();
        let frames = &table.kernel("k").unwrap().frames;
        assert_eq!(
            frames.iter().map(|frame| line_of(&table, frame.unwrap())).collect::<Vec<_>>(),
            [Some((1, 2)), Some((0, 2))]
        );
    }

    #[test]
    fn lines_whose_instructions_alternate_are_kept_together() {
        let rows = |lines: [usize; 4]| lines.map(|line| (line, 25.0, None));
        assert_eq!(lines_of(&rows([3, 4, 3, 4])), [(vec![3, 4], 100.0, 4)]);
        // One after the other, within one another, and too far apart.
        assert_eq!(lines_of(&rows([3, 3, 4, 4])).len(), 2);
        assert_eq!(lines_of(&rows([3, 4, 4, 3])).len(), 2);
        assert_eq!(lines_of(&rows([3, 9, 3, 9])).len(), 2);
        // What lies between them may be another's.
        assert_eq!(lines_of(&[rows([3, 4, 12, 3]).as_slice(), &rows([12, 4, 12, 12])].concat()).len(), 2);
    }

    #[test]
    fn waits_name_the_line_whose_result_is_missing() {
        let (instructions, table) = kernel(&[(2, 5.0, None), (9, 40.0, Some(0)), (9, 30.0, Some(3)), (15, 25.0, None)]);
        let lines = of(&instructions, &table);
        assert_eq!(lines[0].places, [(0, 9)]);
        let producers: Vec<_> =
            lines[0].producers.iter().map(|(line, share)| (&lines[*line].places[..], *share)).collect();
        assert_eq!(producers, [(&[(0, 2)][..], 0.4), (&[(0, 15)][..], 0.3)]);
        assert_eq!(
            (lines[0].idle(32), lines[0].pipe(), lines[1].pipe()),
            (Some(0.75), Some(Pipe::Alu), Some(Pipe::Lsu))
        );
        assert_eq!((lines[0].chain, lines[0].per_ray, &lines[1].results[..]), (10.0, 4.0, &[Wait::L1][..]));
    }
}
