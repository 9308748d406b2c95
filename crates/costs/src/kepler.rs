//! An instruction of compute capability 3.5 (Kepler's GK110), as its 64 bits and its part of a scheduling word tell
//! when the next one issues, and what it waits for.
//!
//! Every eighth word of the code is no instruction and has eight bits for each of the seven that follow it. Sources,
//! held against each other and against the assembler's output (docs/internals/costs.md, "Kepler"): envytools'
//! documentation ("Notes about scheduling data and dual-issue on NVE4+") and its tables of GK110's instructions, and
//! the code generator of Mesa's driver for these machines, which counts as many clocks. Arithmetic has a time that is
//! known beforehand, which the assembler keeps by these bits (nine clocks, thirteen to a predicate); for what has not
//! the machine keeps count of registers itself, and for what comes by way of the texture units an instruction waits
//! until so many of them are left.

use crate::{Access, Pipe, Wait, Word};

/// A Kepler instruction, and its part of the scheduling word (`sched`) before its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeplerWord {
    /// The instruction's own 64 bits.
    pub bits: u64,
    /// Eight bits of the scheduling word, which say when the next instruction may issue.
    pub plan: u8,
}

/// Place where a warp goes on after a Kepler instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// The warp goes on with the next instruction.
    Next,
    /// The warp's lanes, all or some, go on at the target of a jump.
    Jump,
    /// The warp goes on at a called function's first instruction.
    Call,
    /// The warp goes on where the hardware's stack says: at ends of loops, of functions and of parts that only some
    /// lanes run.
    Elsewhere,
    /// The warp goes on with the next instruction, which this one (such as SSY) has told where lanes will meet or where
    /// a loop will end.
    Prepares,
}

/// A range of registers: the number of the first, and how many.
type Registers = (u8, u8);

/// Number of the register that always reads as zero (RZ).
const ZERO: u8 = 255;
/// Bytes of code from one scheduling word to the next.
const GROUP: usize = 64;
/// Bytes of an instruction or of a scheduling word.
const BYTES: usize = 8;

impl KeplerWord {
    /// Compute capability whose machine code these instructions are, as a number.
    pub const ARCHITECTURE: u32 = 35;

    /// Returns all instructions of a kernel's code, without an incomplete group at its end.
    pub fn all(code: &[u8]) -> Vec<Self> {
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        let group = |group: &[u8]| {
            let plans = word(&group[..BYTES]) >> 2;
            let words: Vec<u64> = group[BYTES..].chunks_exact(BYTES).map(word).collect();
            words.into_iter().enumerate().map(move |(i, bits)| Self { bits, plan: (plans >> (8 * i)) as u8 })
        };
        code.chunks_exact(GROUP).flat_map(group).collect()
    }

    /// Returns the index of the instruction that lies `bytes` bytes after the start of the code.
    pub fn number_at(bytes: usize) -> usize {
        let (group, rest) = (bytes / GROUP, bytes % GROUP);
        // Who goes to a scheduling word goes to what follows it.
        group * (GROUP / BYTES - 1) + (rest / BYTES).saturating_sub(1)
    }

    /// Returns the offset of instruction `number` in bytes from the start of the code.
    pub fn bytes_at(number: usize) -> usize {
        let each = GROUP / BYTES - 1;
        number / each * GROUP + (1 + number % each) * BYTES
    }

    fn field(self, low: u32, count: u32) -> u64 {
        self.bits >> low & ((1 << count) - 1)
    }

    /// Returns the two bits of the encoding that tell what operands an instruction has: 0 for 32-bit immediates, jumps
    /// and memory; 1 with an immediate; 2 with registers or constants.
    fn form(self) -> u64 {
        self.field(0, 2)
    }

    fn code(self) -> u64 {
        self.field(54, 10)
    }

    /// Returns the number of an operation of two or three operands, alike in the encodings with and without an
    /// immediate; `None` for others.
    fn operation(self) -> Option<u64> {
        let code = self.code();
        match self.form() {
            // The sign of the immediate is among the bits.
            1 => match code >> 6 {
                0b1100 => Some(0x80 | code & 0x1f),
                0b1011 | 0b1111 => Some(0x60 | code & 0x1f),
                0b1010 => Some(0x40),
                0b1001 | 0b1101 => Some(0x30),
                0b1000 => Some(0x00),
                _ => None,
            },
            2 if code >> 8 != 0 => Some(code & 0xff),
            _ => None,
        }
    }

    /// Returns the instruction's mnemonic, as NVIDIA's disassemblers print it; `None` for instructions that no kernel
    /// has.
    pub fn opcode(self) -> Option<&'static str> {
        let code = self.code();
        match (self.form(), code) {
            (0, 0x048 | 0x049) => return Some("BRA"),
            (0, 0x04c | 0x04d) => return Some("CAL"),
            (0, 0x04e | 0x04f) => return Some("PRET"),
            (0, 0x052 | 0x053) => return Some("SSY"),
            (0, 0x054 | 0x055) => return Some("PBK"),
            (0, 0x056 | 0x057) => return Some("PCNT"),
            (0, 0x060 | 0x061) => return Some("EXIT"),
            (0, 0x064 | 0x065) => return Some("RET"),
            (0, 0x068 | 0x069) => return Some("BRK"),
            (0, 0x06a | 0x06b) => return Some("CONT"),
            (0, 0x080..=0x0ff) => return Some("LOP32I"),
            (0, 0x100..=0x17f) => return Some("FADD32I"),
            (0, 0x180..=0x1ff) => return Some("FFMA32I"),
            (0, 0x280..=0x2ff) => return Some("ISCADD32I"),
            (0, 0x300..=0x37f) => return Some("LD"),
            (0, 0x380..=0x3ff) => return Some("ST"),
            (1, 0x100..=0x13f) => return Some("IADD32I"),
            (1, 0x180..=0x1bf) => return Some("LDG"),
            (1, 0x300) => return Some("BFE"),
            // Two minima or maxima of integers, one after the other, with a register among the bits of the immediate
            // (ALK12's VMIN and VMAX; envytools takes it for a product). The assembler keeps four clocks between two of
            // them, as between products.
            (1, 0x380..=0x3bf) => return Some("VMNMX"),
            (2, 0x080..=0x09f) => return Some("FMUL32I"),
            (2, 0x0a0..=0x0bf) => return Some("IMUL32I"),
            (2, 0x1a0..=0x1bf) => return Some("ATOM"),
            (2, 0x1d0 | 0x1d1) => return Some("MOV32I"),
            (2, 0x1dc) => return Some("TEXDEPBAR"),
            (2, 0x1e2) => return Some("SHFL"),
            (2, 0x1e8) => return Some("LDL"),
            (2, 0x1e9) => return Some("LDS"),
            (2, 0x1ea) => return Some("STL"),
            (2, 0x1eb) => return Some("STS"),
            (2, 0x1ec..=0x1ef) => return Some("CCTL"),
            (2, 0x1f3) => return Some("MEMBAR"),
            (2, 0x210) => return Some("MUFU"),
            (2, 0x212) => return Some("PSETP"),
            (2, 0x215) => return Some("BAR"),
            (2, 0x216) => return Some("NOP"),
            (2, 0x219) => return Some("S2R"),
            (2, 0x21b) => return Some("VOTE"),
            (2, 0x380) => return Some("BFE"),
            _ => {}
        }
        Some(match self.operation()? {
            operation @ 0x00..=0x1f if operation & 2 == 0 => "FSET",
            0x20..=0x2f => "DSET",
            0x30..=0x3f => "FFMA",
            0x40..=0x4f => "IMAD",
            0x50..=0x5f => "IMADSP",
            0x68 | 0x69 => "ICMP",
            0x6a | 0x6b => "ISET",
            0x6c | 0x6d => "ISETP",
            0x6e | 0x6f => "DFMA",
            0x70 | 0x71 => "DSETP",
            0x74 | 0x75 => "FCMP",
            0x76 | 0x77 => "FSETP",
            0x78 => "PRMT",
            0x7e => "BFI",
            0x7f | 0x9f => "SHF",
            0x81 => "POPC",
            0x82 => "IADD",
            0x83 => "ISCADD",
            0x84 => "IMNMX",
            0x85 => "SHR",
            0x86 => "FLO",
            0x87 => "IMUL",
            0x88 => "LOP",
            0x89 => "SHL",
            0x8a => "DMNMX",
            0x8b => "FADD",
            0x8c => "FMNMX",
            0x8d => "FMUL",
            0x8e => "DADD",
            0x90 => "DMUL",
            // Whether a division's short way will do.
            0x91 => "FCHK",
            0x93 => "MOV",
            0x94 => "SEL",
            0x95 => "F2F",
            0x96 => "F2I",
            0x97 => "I2F",
            0x98 => "I2I",
            0x99 => "P2R",
            0x9a => "R2P",
            _ => return None,
        })
    }

    /// Returns the pipeline that the instruction runs on; `None` of an operation that no kernel has.
    pub fn pipe(self) -> Option<Pipe> {
        Pipe::of(self.opcode()?)
    }

    /// Returns the number of clocks until the warp's next instruction may issue; 0 where it issues with this one.
    pub fn stall(self) -> i32 {
        match self.plan {
            4 => 0,
            plan if plan & 0x80 != 0 => i32::from(plan & 15) * 2 + 1,
            plan if plan & 0x60 != 0 => i32::from(plan & 31) + 1,
            // Nothing is said, and so the longest is waited. At ends that nobody comes to, and where lanes part or
            // meet.
            _ => 32,
        }
    }

    /// Returns `true` if all lanes execute the instruction, under no predicate.
    pub fn always(self) -> bool {
        // Jumps and ends may ask the carry and its like too.
        let asks = matches!(self.flow_of_code(), Flow::Jump | Flow::Elsewhere);
        self.field(18, 4) == 7 && (!asks || self.field(2, 5) == 15)
    }

    /// Returns `true` if lanes that run the instruction then wait for others to join them, or leave this part of the
    /// code to those.
    pub fn joins(self) -> bool {
        self.field(22, 1) == 1 && self.flow_of_code() == Flow::Next
    }

    fn flow_of_code(self) -> Flow {
        match (self.form(), self.code() >> 1) {
            (0, 0x24) => Flow::Jump,
            (0, 0x26) => Flow::Call,
            (0, 0x27 | 0x29 | 0x2a | 0x2b) => Flow::Prepares,
            (0, 0x30 | 0x32 | 0x34 | 0x35) => Flow::Elsewhere,
            _ => Flow::Next,
        }
    }

    /// Returns where a warp goes on after the instruction `number`.
    pub fn flow(self) -> Flow {
        if self.joins() { Flow::Elsewhere } else { self.flow_of_code() }
    }

    /// Returns the index of the instruction that instruction `number` points to: a jump's target, or where lanes will
    /// meet.
    pub fn target(self, number: usize) -> Option<usize> {
        if matches!(self.flow_of_code(), Flow::Next | Flow::Elsewhere) {
            return None;
        }
        let words = (self.field(23, 24) << 40) as i64 >> 40;
        usize::try_from(Self::bytes_at(number) as i64 + BYTES as i64 + words).ok().map(Self::number_at)
    }

    /// Returns the cause of the instruction's latency; `None` where the code itself tells when the result is there.
    pub fn wait(self) -> Option<Wait> {
        Some(match self.opcode()? {
            "LD" | "LDG" => Wait::L1,
            // The first cache of local memory and shared memory are one memory; what is only read has another cache.
            "LDL" | "LDS" => Wait::Shared,
            "MUFU" | "FLO" | "POPC" | "F2F" | "F2I" | "I2F" | "I2I" | "FCHK" | "DADD" | "DMUL" | "DFMA" | "DSETP"
            | "DMNMX" => Wait::Xu,
            "SHFL" => Wait::Lanes,
            "S2R" => Wait::Constant,
            "ATOM" => Wait::Atomic,
            _ => return None,
        })
    }

    /// Returns `true` if the instruction's result comes from the texture units, which answer in the order in which they
    /// are asked.
    pub fn is_texture(self) -> bool {
        self.opcode() == Some("LDG")
    }

    /// Returns how many results of the texture units may still be missing after the instruction, which waits for all
    /// earlier ones. None for other instructions than TEXDEPBAR.
    pub fn textures_left(self) -> Option<usize> {
        (self.opcode() == Some("TEXDEPBAR")).then(|| self.field(23, 6) as usize)
    }

    /// Returns the memory that the instruction loads from or stores to; `None` if it uses no data of the first cache.
    pub fn access(self) -> Option<Access> {
        Some(match self.opcode()? {
            "LD" | "ST" | "LDG" => Access::Global,
            "LDL" | "STL" => Access::Local,
            "LDS" | "STS" => Access::Shared,
            _ => return None,
        })
    }

    /// Returns the number of 32-bit words that a lane loads or stores with the instruction.
    pub fn words(self) -> u32 {
        let size = match self.opcode() {
            Some("LD" | "ST") => self.field(56, 3),
            Some("LDL" | "STL" | "LDS" | "STS") => self.field(51, 3),
            // Of its components how many there are.
            Some("LDG") => return self.field(34, 4).count_ones().max(1),
            _ => 4,
        };
        match size {
            5 => 2,
            6 => 4,
            _ => 1,
        }
    }

    /// Returns the registers of the instruction's result, if the hardware alone tracks when they are written.
    pub fn written(self) -> Option<Registers> {
        let first = self.field(2, 8) as u8;
        let has = self.wait().is_some() && !matches!(self.opcode(), Some("LDG" | "DSETP" | "FCHK"));
        let many = match self.opcode() {
            Some("DADD" | "DMUL" | "DFMA" | "DMNMX") => 2,
            _ => self.words() as u8,
        };
        (has && first != ZERO).then_some((first, many))
    }

    /// Returns `true` if the instruction certainly reads or writes a register.
    pub fn touches(self, register: u8) -> bool {
        let within =
            |(first, many): Registers| first != ZERO && (first..first.saturating_add(many)).contains(&register);
        let [result, first, second, third] = [2, 10, 23, 42].map(|low| self.field(low, 8) as u8);
        let Some(opcode) = self.opcode() else { return false };
        if self.flow_of_code() != Flow::Next {
            return false;
        }
        let one = |register: u8| within((register, 1));
        match opcode {
            "TEXDEPBAR" | "PSETP" | "BAR" | "NOP" | "CCTL" | "MEMBAR" => return false,
            "MOV32I" | "S2R" | "VOTE" => return one(result),
            "ST" | "STL" | "STS" | "LD" | "LDL" | "LDS" => {
                return one(first) || within((result, self.words() as u8));
            }
            "LDG" => return one(first) || one(result),
            "VMNMX" => return [result, first, second, third].into_iter().any(one),
            "ATOM" | "SHFL" | "MUFU" | "LOP32I" | "FADD32I" | "FFMA32I" | "ISCADD32I" | "IADD32I" | "FMUL32I"
            | "IMUL32I" | "BFE" => return one(first) || one(result),
            _ => {}
        }
        // What sets predicates has no register for them.
        let writes = !matches!(opcode, "ISETP" | "FSETP" | "DSETP" | "FCHK" | "R2P") && one(result);
        // Types stand in the first operand's place, or nothing does.
        let alone = matches!(opcode, "MOV" | "FLO" | "F2F" | "F2I" | "I2F" | "I2I");
        let three = matches!(opcode, "FFMA" | "IMAD" | "IMADSP" | "ICMP" | "DFMA" | "FCMP" | "PRMT" | "BFI" | "SHF");
        let read = match (self.form(), self.code() >> 8) {
            (2, 3) => one(second) || (three && one(third)),
            (1 | 2, _) => three && one(third),
            _ => false,
        };
        writes || (!alone && one(first)) || read
    }
}

impl From<Word> for KeplerWord {
    fn from(word: Word) -> Self {
        Self { bits: word.0 as u64, plan: (word.0 >> 64) as u8 }
    }
}

impl From<KeplerWord> for Word {
    /// Converts the Kepler instruction to the form in which tables count instructions: sixteen bytes each, the eight
    /// scheduling bits above the others.
    fn from(word: KeplerWord) -> Self {
        Self(u128::from(word.bits) | u128::from(word.plan) << 64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(bits: u64) -> KeplerWord {
        KeplerWord { bits, plan: 0x20 }
    }

    // As the assembler made them of the kernels and envytools' disassembler prints them.
    /// Code of `fma rn f32 $r19 $r18 $r19 $r18`.
    const FFMA: u64 = 0xcc00_4800_099c_484e;
    /// Code of a load by the texture units: `tex t lzero all dfp $r12:$r13:$r14:$r15 t2d c[0x18] xy__ $r12:$r13 0x0`.
    const LDG: u64 = 0x6003_10bd_7f9c_3031;
    /// Code of `texbar 0x1`, which waits for results of the texture units.
    const TEXDEPBAR: u64 = 0x7700_0000_009c_003e;
    /// Code of `(not $p2) ld b64 ca $r32d l[$r20]`, a load from local memory.
    const LDL: u64 = 0x7a28_0000_0028_5082;
    /// Code of `$p2 brk`, which leaves a loop.
    const BRK: u64 = 0x1a00_0000_0008_003c;
    /// Code of `joinat` over 0x20 bytes, which says where lanes will meet.
    const SSY: u64 = 0x1480_0000_1000_0000;
    /// Code of `bra` back by 0x348 bytes, unless `$p0`.
    const BRA: u64 = 0x1200_7ffe_5c20_003c;
    /// Code of `join $p1 nop`, at which lanes meet.
    const JOIN: u64 = 0x8580_0000_0044_3c02;

    #[test]
    fn a_plan_says_when_the_next_issues() {
        let stall = |plan| KeplerWord { bits: FFMA, plan }.stall();
        // Together; after one clock; after the nine of an addition; after the fewest and some that are counted by twos.
        assert_eq!([4, 0x20, 0x28, 0x3f, 0xc2, 0x80].map(stall), [0, 1, 9, 32, 5, 1]);
        assert_eq!(stall(0), 32);
    }

    #[test]
    fn every_eighth_word_is_a_plan() {
        let plan = 0x0880_bc08_a010_8010u64;
        let words: Vec<u64> = std::iter::once(plan).chain([FFMA, LDG, BRA, FFMA, FFMA, FFMA, JOIN]).collect();
        let mut code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let all = KeplerWord::all(&code);
        assert_eq!(all.iter().map(|word| word.bits).collect::<Vec<_>>(), words[1..]);
        assert_eq!(all.iter().map(|word| word.plan).collect::<Vec<_>>(), [4, 0x20, 4, 0x28, 2, 0x2f, 0x20]);
        for (number, word) in all.iter().enumerate() {
            assert_eq!(KeplerWord::number_at(KeplerWord::bytes_at(number)), number);
            assert_eq!(KeplerWord::from(Word::from(*word)), *word);
        }
        assert_eq!((KeplerWord::bytes_at(6), KeplerWord::bytes_at(7), KeplerWord::number_at(64)), (56, 72, 7));
        code.pop();
        assert_eq!(KeplerWord::all(&code), []);
    }

    #[test]
    fn instructions_are_what_a_disassembler_says() {
        for (bits, opcode, pipe, always, flow) in [
            (FFMA, "FFMA", Pipe::Fma, true, Flow::Next),
            (LDG, "LDG", Pipe::Lsu, true, Flow::Next),
            (TEXDEPBAR, "TEXDEPBAR", Pipe::Other, true, Flow::Next),
            (LDL, "LDL", Pipe::Lsu, false, Flow::Next),
            (BRK, "BRK", Pipe::Cbu, false, Flow::Elsewhere),
            (SSY, "SSY", Pipe::Cbu, false, Flow::Prepares),
            (BRA, "BRA", Pipe::Branch, false, Flow::Jump),
            (JOIN, "NOP", Pipe::Other, false, Flow::Elsewhere),
            // Some of each way to write operands: with a register, a constant, an immediate, 32 bits of one.
            (0xe2c0_0000_001c_0002, "FADD", Pipe::Fma, true, Flow::Next),
            (0x6300_2048_009c_0c0e, "FMNMX", Pipe::Alu, true, Flow::Next),
            (0xb600_7400_039f_fc75, "PRMT", Pipe::Alu, true, Flow::Next),
            (0x203f_c000_001c_2850, "LOP32I", Pipe::Alu, true, Flow::Next),
            (0xc640_0078_001f_fc79, "P2R", Pipe::Alu, true, Flow::Next),
            (0xe3b8_db03_1d1c_e451, "VMNMX", Pipe::FmaHeavy, true, Flow::Next),
        ] {
            let word = word(bits);
            assert_eq!((word.opcode(), word.pipe(), word.flow()), (Some(opcode), Some(pipe), flow), "{opcode}");
            assert_eq!(word.always(), always, "{opcode}");
        }
        assert_eq!(word(0x7fff_ffff_ffff_fffe).opcode(), None);
    }

    #[test]
    fn what_is_waited_for_is_counted_by_registers_or_in_order() {
        assert_eq!((word(LDL).written(), word(LDL).wait(), word(LDL).words()), (Some((32, 2)), Some(Wait::Shared), 2));
        assert_eq!((word(LDG).written(), word(LDG).is_texture(), word(LDG).words()), (None, true, 4));
        assert_eq!((word(TEXDEPBAR).textures_left(), word(LDG).textures_left()), (Some(1), None));
        let touched = |bits| (0..=255).filter(|&register| word(bits).touches(register)).collect::<Vec<u8>>();
        assert_eq!((touched(FFMA), touched(LDL), touched(BRA)), (vec![18, 19], vec![20, 32, 33], vec![]));
    }

    #[test]
    fn jumps_go_by_bytes_and_never_to_a_plan() {
        // From byte 0x800 on, of which the eighth part is plans.
        let number = KeplerWord::number_at(0x808);
        assert_eq!(word(BRA).target(number), Some(KeplerWord::number_at(0x810 - 0x348)));
        // Over 0x20 bytes from the fourth word of a group on: the place of a plan, and so what follows it.
        assert_eq!(word(SSY).target(2), Some(KeplerWord::number_at(0x18 + 8 + 0x20)));
        assert_eq!(word(SSY).target(2), Some(7));
        assert_eq!((word(BRA).target(0), word(FFMA).target(9)), (None, None));
    }
}
