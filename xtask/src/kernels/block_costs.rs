//! Costs of machine code block by block: whose it is, how many instructions on which pipeline, and how often warps
//! issue it.

use super::disassembly::{BasicBlock, Machine};
use super::measured::{Measured, MeasuredBlock, opcodes};
use super::source::Sources;
use raywarp_costs::{CountSource, EventKind, IssueFormula, Pipe, PricedBlock, PricedKernel};
use raywarp_cuda::Block;
use raywarp_cuda::elf::fingerprint;
use std::collections::{BTreeSet, HashMap};

/// A kernel's machine code, divided into basic blocks that belong to parts of the schedule.
#[derive(Debug, Clone)]
pub struct CompiledKernel {
    pub name: String,
    pub code: Vec<u8>,
    /// Hash of the kernel's machine code.
    pub fingerprint: u64,
    /// Hash of the kernel's opcodes.
    pub opcodes: u64,
    pub blocks: Vec<CompiledBlock>,
}

#[derive(Debug, Clone)]
pub struct CompiledBlock {
    /// Costs of the block; its formula, which says how often it is issued, is not known yet.
    pub cost: PricedBlock,
    pub shape: Shape,
}

/// Features by which basic blocks of different machine code are recognised as alike.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shape {
    /// Hashes of the source lines of the block's instructions, each once, in order.
    pub places: Vec<u32>,
    /// `true` if the block only waits for lanes that went elsewhere.
    pub waits: bool,
    /// `true` if the block is a function that the kernel calls, such as a division's slow path.
    pub called: bool,
}

impl Shape {
    /// Returns the likeness of two blocks from 0 to 2: the sum of the fractions of each one's source lines that the
    /// other has. It is 0 if one waits or is called and the other is not.
    fn likeness(&self, other: &Self) -> f64 {
        if self.waits != other.waits || self.called != other.called {
            return 0.0;
        }
        let shared = self.places.iter().filter(|place| other.places.contains(place)).count() as f64;
        shared / self.places.len().max(1) as f64 + shared / other.places.len().max(1) as f64
    }
}

/// Computes the costs of the basic blocks of `machine`, each of which belongs to the code block of a schedule that most
/// of its instructions come from.
///
/// # Errors
/// An opcode without a pipeline.
pub fn divide(machine: &Machine, code: &[u8], sources: &Sources) -> Result<CompiledKernel, String> {
    let mut owners: Vec<Option<Block>> = machine.blocks.iter().map(|block| owner(block, sources)).collect();
    // A called function without lines is part of what calls it first.
    for i in 0..owners.len() {
        if let (None, Some(name)) = (owners[i], &machine.blocks[i].called) {
            let calls = |block: &BasicBlock| block.instructions.iter().any(|x| x.label.as_ref() == Some(name));
            owners[i] = (0..owners.len()).find(|&j| calls(&machine.blocks[j])).and_then(|j| owners[j]);
        }
    }
    // Blocks without lines stay with what is before them.
    let mut last = Block::Prologue;
    let mut blocks = Vec::with_capacity(owners.len());
    for (block, owner) in machine.blocks.iter().zip(owners) {
        last = owner.unwrap_or(last);
        let mut pipes = [0; Pipe::ALL.len()];
        for instruction in &block.instructions {
            let pipe = Pipe::of(&instruction.opcode)
                .ok_or_else(|| format!("{}: no pipeline is known for {}", machine.name, instruction.opcode))?;
            pipes[pipe as usize] += 1;
        }
        let placed = block.instructions.iter().filter(|instruction| !instruction.places.is_empty());
        let places: BTreeSet<u32> = placed.map(|instruction| sources.number(&instruction.places)).collect();
        blocks.push(CompiledBlock {
            cost: PricedBlock {
                block: last,
                offset: block.offset() as u32,
                instructions: block.instructions.len() as u32,
                pipes,
                alone: None,
                issued: IssueFormula::default(),
                source: CountSource::Assumed,
            },
            shape: Shape {
                places: places.into_iter().collect(),
                waits: block.instructions.iter().all(|i| i.opcode.starts_with("BSYNC")),
                called: block.called.is_some(),
            },
        });
    }
    let opcodes = opcodes(machine.blocks.iter().flat_map(|b| &b.instructions).map(|i| i.opcode.as_str()));
    let (name, code, fingerprint) = (machine.name.clone(), code.to_vec(), fingerprint(code));
    Ok(CompiledKernel { name, code, fingerprint, opcodes, blocks })
}

/// Returns the code block that most instructions of a basic block come from; of equal ones the first.
fn owner(block: &BasicBlock, sources: &Sources) -> Option<Block> {
    let mut votes: Vec<(Block, usize)> = Vec::new();
    for owner in block.instructions.iter().filter_map(|instruction| sources.owner(&instruction.places)) {
        match votes.iter_mut().find(|(known, _)| *known == owner) {
            Some((_, count)) => *count += 1,
            None => votes.push((owner, 1)),
        }
    }
    let most = votes.iter().map(|vote| vote.1).max()?;
    votes.iter().find(|vote| vote.1 == most).map(|vote| vote.0)
}

impl CompiledKernel {
    /// Returns the number of the kernel's instructions.
    pub fn instructions(&self) -> usize {
        self.blocks.iter().map(|block| block.cost.instructions as usize).sum()
    }
}

/// Returns a kernel's costs with formulas from measurements of it, or of the same kernel on another architecture or
/// with votes.
pub fn costs(kernel: &CompiledKernel, measured: Option<&Measured>) -> PricedKernel {
    let mut blocks: Vec<PricedBlock> = kernel.blocks.iter().map(|block| block.cost.clone()).collect();
    for block in &mut blocks {
        block.issued = IssueFormula(vec![(1, EventKind { block: block.block, after: None, full: false })]);
    }
    let Some(measured) = measured else { return PricedKernel { blocks, verified: false } };
    let same = measured.fingerprint == kernel.fingerprint;
    let alike = if same {
        blocks.iter().map(|block| measured.blocks.iter().find(|known| known.offset == block.offset)).collect()
    } else {
        alike(kernel, measured)
    };
    for (cost, alike) in blocks.iter_mut().zip(alike) {
        let Some(alike) = alike else { continue };
        cost.issued = alike.issued.clone();
        cost.source = match (alike.fits, same) {
            (false, _) => CountSource::Nearest,
            (true, true) => CountSource::Measured,
            (true, false) => CountSource::Likened,
        };
    }
    PricedKernel { blocks, verified: same && measured.holds() }
}

/// Returns for each basic block of a kernel the measured block with the most common source lines; of several, one after
/// the other.
fn alike<'a>(kernel: &CompiledKernel, measured: &'a Measured) -> Vec<Option<&'a MeasuredBlock>> {
    let mut taken: HashMap<usize, usize> = HashMap::new();
    let find = |block: &CompiledBlock| {
        let shape = &block.shape;
        if shape.places.is_empty() {
            return measured.blocks.iter().find(|known| shape.called && known.shape.called);
        }
        let likeness: Vec<f64> = measured.blocks.iter().map(|known| shape.likeness(&known.shape)).collect();
        let best = likeness.iter().copied().fold(0.0, f64::max);
        if best < LEAST_LIKENESS {
            return None;
        }
        let equals: Vec<usize> = (0..likeness.len()).filter(|&i| likeness[i] == best).collect();
        let taken_before = taken.entry(equals[0]).or_default();
        *taken_before += 1;
        measured.blocks.get(equals[(*taken_before - 1).min(equals.len() - 1)])
    };
    kernel.blocks.iter().map(find).collect()
}

/// Least likeness of basic blocks that are taken to be issued equally often: a quarter of each one's source lines.
const LEAST_LIKENESS: f64 = 0.5;

#[cfg(test)]
mod tests {
    use super::super::disassembly::{Instruction, Place};
    use super::*;

    fn block(offset: usize, opcodes: &[&str], line: usize) -> BasicBlock {
        let instructions = opcodes.iter().enumerate().map(|(i, opcode)| Instruction {
            offset: offset + 16 * i,
            opcode: (*opcode).to_string(),
            predicated: false,
            label: None,
            places: if line == 0 { vec![] } else { vec![Place { file: "ops/pop.h".to_string(), line }] },
        });
        BasicBlock { instructions: instructions.collect(), called: None }
    }

    fn compiled(name: &str, code: u8, blocks: Vec<BasicBlock>) -> CompiledKernel {
        let kernels = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/cuda/kernels");
        let machine = Machine { name: name.to_string(), blocks };
        let compiled = divide(&machine, &[code], &Sources::read(&[kernels]).unwrap()).unwrap();
        let instructions: u32 = compiled.blocks.iter().map(|block| block.cost.instructions).sum();
        assert_eq!(instructions as usize, machine.instructions());
        compiled
    }

    #[test]
    fn blocks_without_lines_stay_with_what_is_before_them_and_none_is_lost() {
        let blocks = vec![block(0, &["LDC"], 0), block(16, &["LDL", "VIADD"], 11), block(48, &["BSYNC"], 0)];
        let owners: Vec<Block> = compiled("a", 1, blocks).blocks.iter().map(|b| b.cost.block).collect();
        assert_eq!(owners, [Block::Prologue, Block::Pop, Block::Pop]);
    }

    #[test]
    fn an_opcode_without_a_pipeline_is_an_error() {
        let machine = Machine { name: "a".to_string(), blocks: vec![block(0, &["FROBNICATE"], 0)] };
        let sources = Sources::read(&[std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/cuda/kernels")]);
        assert!(divide(&machine, &[], &sources.unwrap()).unwrap_err().contains("FROBNICATE"));
    }

    #[test]
    fn other_code_from_the_same_places_is_issued_as_often() {
        let measured_code = compiled("a", 1, vec![block(0, &["LDL", "VIADD"], 11), block(32, &["BSYNC"], 11)]);
        let issued = ["pop@visit_node", "vote"];
        let measured = Measured {
            fingerprint: fingerprint(&[1]),
            residual: 0.001,
            blocks: (measured_code.blocks.iter().zip(issued))
                .map(|(block, issued)| MeasuredBlock {
                    offset: block.cost.offset,
                    shape: block.shape.clone(),
                    issued: issued.parse().unwrap(),
                    fits: true,
                })
                .collect(),
        };
        let other = compiled("a", 2, vec![block(0, &["BSYNC"], 11), block(16, &["LDL", "IADD3", "MOV"], 11)]);
        let texts = |costs: &PricedKernel| -> Vec<(CountSource, String)> {
            costs.blocks.iter().map(|block| (block.source, block.issued.to_string())).collect()
        };
        let likened = |text: &str| (CountSource::Likened, text.to_string());
        let found = costs(&other, Some(&measured));
        assert_eq!((texts(&found), found.verified), (vec![likened("vote"), likened("pop@visit_node")], false));
        assert!(costs(&measured_code, Some(&measured)).verified);
        let unknown = compiled("a", 3, vec![block(0, &["LDL", "VIADD"], 20)]);
        assert_eq!(costs(&unknown, Some(&measured)).blocks[0].source, CountSource::Assumed);
    }
}
