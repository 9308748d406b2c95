//! Blocks of Kepler's machine code, by a decoder of our own: no disassembler that can be had today knows it.

use super::super::disassembly::{BasicBlock, Instruction, Machine, Place};
use raywarp_costs::{Flow, KeplerWord, Word};
use std::collections::BTreeSet;

/// Returns the basic blocks of a Kepler kernel; `places` gives the source lines of the instruction at a byte offset of
/// its code.
///
/// # Errors
/// An instruction that is not known.
pub fn machine(
    name: &str,
    code: &[u8],
    places: impl Fn(std::ops::RangeInclusive<u64>) -> Vec<Place>,
) -> Result<Machine, String> {
    let words = KeplerWord::all(code);
    let targets = |flow: Flow| {
        let targets = words.iter().enumerate().filter(move |(_, word)| word.flow() == flow);
        targets.filter_map(|(number, word)| word.target(number)).collect::<BTreeSet<usize>>()
    };
    let called = targets(Flow::Call);
    let mut starts: BTreeSet<usize> = [Flow::Jump, Flow::Prepares].into_iter().flat_map(targets).collect();
    starts.extend(&called);
    let leaves = |word: &KeplerWord| matches!(word.flow(), Flow::Jump | Flow::Call | Flow::Elsewhere);
    starts.extend(words.iter().enumerate().filter(|(_, word)| leaves(word)).map(|(number, _)| number + 1));
    let function = |number: usize| called.range(..=number).next_back().copied();
    let mut blocks: Vec<BasicBlock> = Vec::new();
    for (number, word) in words.iter().enumerate() {
        let bytes = KeplerWord::bytes_at(number);
        let opcode = word.opcode().ok_or_else(|| format!("{name}: {:#018x} at {bytes:#x} is not known", word.bits))?;
        let instruction = Instruction {
            offset: number * Word::BYTES,
            opcode: format!("{opcode}{}", if word.joins() { ".S" } else { "" }),
            predicated: !word.always(),
            label: if word.flow() == Flow::Call { word.target(number).map(label) } else { None },
            places: places(function(number).map_or(0, KeplerWord::bytes_at) as u64..=bytes as u64),
        };
        match blocks.last_mut() {
            Some(block) if !starts.contains(&number) => block.instructions.push(instruction),
            _ => blocks.push(BasicBlock { instructions: vec![instruction], called: function(number).map(label) }),
        }
    }
    Ok(Machine { name: name.to_string(), blocks })
}

/// Returns the label of a called function, named by its first instruction's offset.
fn label(start: usize) -> String {
    format!("${start}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns `code` in groups of seven instructions, each after a scheduling word of 4, 0x20 and so on.
    fn grouped(code: &[u64]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for group in code.chunks(7) {
            bytes.extend(0x0880_8080_8080_8010u64.to_le_bytes());
            bytes.extend(group.iter().chain(&[NOP; 7]).take(7).flat_map(|word| word.to_le_bytes()));
        }
        bytes
    }

    const NOP: u64 = 0x8580_0000_001c_3c02;
    const JOIN: u64 = NOP | 1 << 22;
    const EXIT: u64 = 0x1800_0000_001c_003c;
    const FADD: u64 = 0xe2c0_0000_001c_0002;

    fn jump(code: u64, bytes: i64) -> u64 {
        code << 48 | ((bytes as u64) & 0xff_ffff) << 23 | 7 << 18 | 15 << 2
    }

    #[test]
    fn blocks_begin_where_lanes_may_come_to_or_went_elsewhere() {
        // Where lanes meet is said first; a jump over the next, to the one after it; one that waits; a call and the end.
        let words = [jump(0x1480, 16), jump(0x1200, 8), FADD, JOIN, jump(0x1300, 24), EXIT, NOP, NOP, FADD];
        let machine = machine("a", &grouped(&words), |_| vec![]).unwrap();
        let blocks: Vec<(usize, usize, bool)> =
            machine.blocks.iter().map(|b| (b.offset() / 16, b.instructions.len(), b.called.is_some())).collect();
        // The call goes from byte 48 on by 24: over the next scheduling word.
        assert_eq!(
            blocks,
            [(0, 2, false), (2, 1, false), (3, 1, false), (4, 1, false), (5, 1, false), (6, 1, false), (7, 7, true)]
        );
        assert_eq!(machine.blocks[2].instructions[0].opcode, "NOP.S");
        assert_eq!(machine.blocks[3].instructions[0].label, machine.blocks[6].called);
    }

    #[test]
    fn what_is_not_known_is_an_error() {
        assert!(machine("a", &grouped(&[0x7fff_ffff_ffff_fffe; 7]), |_| vec![]).is_err());
    }
}
