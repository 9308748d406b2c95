//! Machine code as nvdisasm prints it: instructions with the places in the source that they come from, in basic blocks.

use std::collections::{BTreeMap, BTreeSet};

/// A line of a source file in kernels/, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Path below kernels/, such as `ops/pop.h`; empty for files elsewhere.
    pub file: String,
    pub line: usize,
}

/// An instruction of a kernel, as the disassembler prints it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// Offset in bytes from the kernel's start.
    pub offset: usize,
    /// Opcode with its suffixes, without predicate and operands: `LDG.E.128.CONSTANT`.
    pub opcode: String,
    /// `true` if the instruction has a predicate.
    pub predicated: bool,
    /// Label that the instruction names, if any.
    pub label: Option<String>,
    /// Source lines of the instruction, from the innermost inlined function outwards; empty where the compiler named
    /// none.
    pub places: Vec<Place>,
}

/// A basic block: instructions that run one after the other, none without the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasicBlock {
    pub instructions: Vec<Instruction>,
    /// Name of the called function, such as a division's slow path, that has the block; `None` for the kernel itself.
    pub called: Option<String>,
}

impl BasicBlock {
    /// Returns the offset of the block's first instruction.
    pub fn offset(&self) -> usize {
        self.instructions.first().map_or(0, |first| first.offset)
    }
}

/// The basic blocks of a kernel, in the order of their offsets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    pub name: String,
    pub blocks: Vec<BasicBlock>,
}

impl Machine {
    /// Returns the number of the kernel's instructions.
    #[cfg(test)]
    pub fn instructions(&self) -> usize {
        self.blocks.iter().map(|block| block.instructions.len()).sum()
    }

    /// Returns the blocks with the source lines of another compilation of the kernel, matched by the longest common
    /// sequence of opcodes.
    pub fn with_places(mut self, other: &Self) -> Self {
        let theirs: Vec<&Instruction> = other.blocks.iter().flat_map(|block| &block.instructions).collect();
        let mut own: Vec<&mut Instruction> = self.blocks.iter_mut().flat_map(|block| &mut block.instructions).collect();
        // How long the sequence is from each pair of instructions on.
        let width = theirs.len() + 1;
        let mut length = vec![0u16; (own.len() + 1) * width];
        for i in (0..own.len()).rev() {
            for j in (0..theirs.len()).rev() {
                length[i * width + j] = if own[i].opcode == theirs[j].opcode {
                    length[(i + 1) * width + j + 1] + 1
                } else {
                    length[(i + 1) * width + j].max(length[i * width + j + 1])
                };
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < own.len() && j < theirs.len() {
            if own[i].opcode == theirs[j].opcode {
                own[i].places.clone_from(&theirs[j].places);
                (i, j) = (i + 1, j + 1);
            } else if length[(i + 1) * width + j] >= length[i * width + j + 1] {
                i += 1;
            } else {
                j += 1;
            }
        }
        self
    }
}

/// Parses what `nvdisasm -c -gi` printed for a cubin, and returns the kernels by name.
///
/// # Errors
/// A line that looks like an instruction and is none.
pub fn parse(text: &str) -> Result<Vec<Machine>, String> {
    let mut kernels = Vec::new();
    for section in text.split("\n//--------------------- .text.").skip(1) {
        let name = section.split_whitespace().next().unwrap_or_default();
        kernels.push(Machine { name: name.to_string(), blocks: blocks(section)? });
    }
    kernels.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(kernels)
}

/// Splits a section's instructions into basic blocks: one begins at each label, and after each instruction that may go
/// elsewhere.
fn blocks(section: &str) -> Result<Vec<BasicBlock>, String> {
    let mut instructions: Vec<(Instruction, Option<String>)> = Vec::new();
    let mut labels: BTreeMap<String, usize> = BTreeMap::new();
    let (mut places, mut fresh, mut called) = (Vec::new(), true, None);
    for line in section.lines() {
        let line = line.trim();
        if let Some(frame) = line.strip_prefix("//## File ") {
            // A chain of frames, the innermost first, before the instruction that it is of.
            if std::mem::take(&mut fresh) {
                places.clear();
            }
            places.extend(place(frame));
        } else if line.starts_with("/*") {
            instructions.push((instruction(line, &places)?, called.clone()));
            fresh = true;
        } else if let Some(label) = line.strip_suffix(':') {
            if label.starts_with('$') {
                (called, fresh) = (Some(label.to_string()), true);
                places.clear();
            }
            labels.insert(label.to_string(), instructions.len());
        } else if line.starts_with(".section") && !instructions.is_empty() {
            break;
        }
    }
    let mut starts: BTreeSet<usize> = labels.values().copied().collect();
    for (i, (instruction, _)) in instructions.iter().enumerate() {
        if leaves(&instruction.opcode) {
            starts.insert(i + 1);
        }
    }
    let mut blocks: Vec<BasicBlock> = Vec::new();
    for (i, (instruction, called)) in instructions.into_iter().enumerate() {
        match blocks.last_mut() {
            Some(block) if !starts.contains(&i) => block.instructions.push(instruction),
            _ => blocks.push(BasicBlock { instructions: vec![instruction], called }),
        }
    }
    Ok(blocks)
}

/// Returns `true` if lanes may go elsewhere after the instruction, wait for others at it, or end.
fn leaves(opcode: &str) -> bool {
    let stem = opcode.split('.').next().unwrap_or_default();
    matches!(stem, "BRA" | "BRX" | "JMP" | "CALL" | "RET" | "EXIT" | "BSYNC" | "KILL")
}

/// Parses the source line in a text such as `"/a/kernels/ops/../tree/entry.h", line 38 inlined at ...`
fn place(frame: &str) -> Option<Place> {
    let mut parts = frame.split('"');
    let path = parts.nth(1)?;
    let line = parts.next()?.trim_start_matches(", line ");
    let line = line.split(' ').next()?.parse().ok()?;
    place_in(path, line)
}

/// Returns a line of the file at `path` with its path below kernels/; `None` if it lies elsewhere, or is a generated
/// source.
pub fn place_in(path: &str, line: usize) -> Option<Place> {
    let mut folders: Vec<&str> = Vec::new();
    for part in path.rsplit("/kernels/").next().filter(|rest| *rest != path)?.split('/') {
        match part {
            ".." => drop(folders.pop()),
            "." | "" => {}
            part => folders.push(part),
        }
    }
    // The generated source lies in a folder of the same name, and says nothing.
    Some(Place { file: folders.join("/"), line }).filter(|place| !place.file.ends_with(".cu"))
}

/// Parses an instruction from a line such as ``/*0090*/  @!P0 BRA `(.L_x_0) ;``
fn instruction(line: &str, places: &[Place]) -> Result<Instruction, String> {
    let wrong = || format!("nvdisasm printed {line:?}, which is no instruction");
    let (offset, rest) = line[2..].split_once("*/").ok_or_else(wrong)?;
    let offset = usize::from_str_radix(offset, 16).map_err(|_| wrong())?;
    let mut words = rest.split_whitespace();
    let mut first = words.next().ok_or_else(wrong)?;
    // Instructions that older machines issue together stand in braces.
    if first == "{" {
        first = words.next().ok_or_else(wrong)?;
    }
    let predicated = first.starts_with('@');
    let opcode = if predicated { words.next().ok_or_else(wrong)? } else { first };
    let label = rest.split_once("`(").and_then(|(_, rest)| rest.split_once(')')).map(|(label, _)| label.to_string());
    let opcode = opcode.trim_end_matches(';').to_string();
    Ok(Instruction { offset, opcode, predicated, label, places: places.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\n//--------------------- .text.loop --------------------------\n\
        \t.section\t.text.loop,\"ax\",@progbits\n\
        loop:\n.text.loop:\n\
        \t//## File \"/x/target/kernels/a.90.cu\", line 6\n\
        /*0000*/ LDC R1, c[0x0][0x28] ;\n\
        .L_x_0:\n\
        \t//## File \"/x/kernels/schedule/../ops/../tree/entry.h\", line 38 inlined at \"/x/kernels/ops/pop.h\", line 11\n\
        \t//## File \"/x/kernels/schedule/../ops/pop.h\", line 11 inlined at \"/x/target/kernels/a.90.cu\", line 6\n\
        \t//## File \"/x/target/kernels/a.90.cu\", line 6\n\
        /*0010*/ @!P0 BRA `(.L_x_1) ;\n\
        /*0020*/ CALL.REL.NOINC `($slow) ;\n\
        /*0030*/ BRA `(.L_x_0) ;\n\
        .L_x_1:\n\
        /*0040*/ EXIT ;\n\
        $slow:\n\
        /*0050*/ RET.REL.NODEC R2 `(loop) ;\n";

    #[test]
    fn blocks_begin_at_labels_and_after_branches() {
        let kernels = parse(TEXT).unwrap();
        assert_eq!(kernels.len(), 1);
        let offsets: Vec<usize> = kernels[0].blocks.iter().map(BasicBlock::offset).collect();
        assert_eq!((kernels[0].name.as_str(), offsets), ("loop", vec![0, 0x10, 0x20, 0x30, 0x40, 0x50]));
        assert_eq!(kernels[0].instructions(), 6);
        let branch = &kernels[0].blocks[1].instructions[0];
        assert_eq!((branch.opcode.as_str(), branch.predicated, branch.label.as_deref()), ("BRA", true, Some(".L_x_1")));
        assert_eq!(kernels[0].blocks[5].called.as_deref(), Some("$slow"));
    }

    #[test]
    fn places_go_from_the_innermost_function_outwards() {
        let kernels = parse(TEXT).unwrap();
        let place = |file: &str, line| Place { file: file.to_string(), line };
        let branch = &kernels[0].blocks[1].instructions[0];
        assert_eq!(branch.places, [place("tree/entry.h", 38), place("ops/pop.h", 11)]);
        // It holds until the next one.
        assert_eq!(kernels[0].blocks[2].instructions[0].places, branch.places);
        assert_eq!(kernels[0].blocks[0].instructions[0].places, []);
        assert_eq!(kernels[0].blocks[5].instructions[0].places, []);
    }

    #[test]
    fn other_code_takes_the_places_of_what_it_has_in_common() {
        let lined = parse(TEXT).unwrap().remove(0);
        // Without lines, and with an instruction more before the branch.
        let text: String =
            TEXT.lines().filter(|line| !line.contains("//## ")).map(|line| format!("{line}\n")).collect();
        let own = parse(&text.replace("/*0010*/", "/*0008*/ IMAD.MOV R1, R1 ;\n/*0010*/")).unwrap().remove(0);
        let placed = own.with_places(&lined);
        let places = |machine: &Machine| -> Vec<(String, usize)> {
            let all = machine.blocks.iter().flat_map(|block| &block.instructions);
            all.map(|i| (i.opcode.clone(), i.places.len())).collect()
        };
        let mut want = places(&lined);
        want.insert(1, ("IMAD.MOV".to_string(), 0));
        assert_eq!(places(&placed), want);
    }

    #[test]
    fn what_is_no_instruction_is_an_error() {
        assert!(parse("\n//--------------------- .text.x ----\n/*00g0*/ EXIT ;\n").is_err());
        assert!(parse("\n//--------------------- .text.x ----\n/*0000*/").is_err());
    }
}
