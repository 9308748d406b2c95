//! An instruction of compute capability 7.0 or later, as its 128 bits tell when it issues.
//!
//! Source: Jia et al. 2018, "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", chapter 2: of the 128
//! bits of an instruction, 105 to 125 are its control: clocks to the next instruction (4 bits), yield, the barriers
//! that are released when its result is written and when its operands are read (3 bits each, 7 for none), the barriers
//! that it waits for (6 bits), and which operands are kept (4 bits). Operations are those that `nvdisasm` prints for
//! the kernels' images.

use crate::{Pipe, Wait};

/// An instruction of compute capability 7.0 or later: 128 bits, with its scheduling bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word(pub u128);

/// Number of the predicate that is always true (PT).
const ALWAYS: u32 = 7;

/// Memory that an instruction loads from or stores to through the first cache (L1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Global memory, which all thread blocks share.
    Global,
    /// Local memory, which each lane has for itself.
    Local,
    /// Shared memory, which the threads of a block share.
    Shared,
}

impl Word {
    /// Bytes of an instruction, on every architecture since compute capability 7.0.
    pub const BYTES: usize = 16;

    /// Number of dependency barriers of a warp.
    pub const BARRIERS: usize = 6;

    /// Returns all instructions of a kernel's code, without an incomplete one at its end.
    pub fn all(code: &[u8]) -> Vec<Self> {
        let words = code.chunks_exact(Self::BYTES);
        words.map(|bytes| Self(bytes.iter().rev().fold(0, |w, &b| w << 8 | u128::from(b)))).collect()
    }

    /// Returns `count` bits of the instruction, from bit `low` on.
    pub fn bits(self, low: u32, count: u32) -> u32 {
        (self.0 >> low) as u32 & ((1 << count) - 1)
    }

    /// Returns the number of clocks until the next instruction may issue; a warp issues one a clock at most.
    pub fn stall(self) -> i32 {
        self.bits(105, 4).max(1) as i32
    }

    /// Returns the dependency barrier that is released when the instruction's result is written.
    pub fn written(self) -> Option<usize> {
        Some(self.bits(110, 3) as usize).filter(|&barrier| barrier < Self::BARRIERS)
    }

    /// Returns the dependency barrier that is released when the instruction's operands have been read.
    pub fn read(self) -> Option<usize> {
        Some(self.bits(113, 3) as usize).filter(|&barrier| barrier < Self::BARRIERS)
    }

    /// Returns `true` if the instruction waits for a dependency barrier before it issues.
    pub fn waits_for(self, barrier: usize) -> bool {
        self.bits(116, 6) >> barrier & 1 == 1
    }

    /// Returns the instruction's operation code, without the bits that say of what kind its operands are.
    pub fn operation(self) -> u32 {
        self.bits(0, 9)
    }

    /// Returns `true` if all lanes execute the instruction, under no predicate.
    pub fn always(self) -> bool {
        self.bits(12, 4) == ALWAYS
    }

    /// Returns the cause of the instruction's latency; `None` for instructions whose time the code itself tells.
    pub fn wait(self) -> Option<Wait> {
        Some(match self.operation() {
            // LD, LDG, LDL.
            0x180 | 0x181 | 0x183 => Wait::L1,
            // LDS.
            0x184 => Wait::Shared,
            // FLO, BREV, FCHK, F2F, F2I, I2F, FRND (two numbers each), MUFU, POPC; DMUL, DADD, DSETP, DFMA.
            0x100..=0x109 | 0x110..=0x113 | 0x028..=0x02b => Wait::Xu,
            // SHFL, MATCH, REDUX.
            0x189 | 0x1a1 | 0x1c4 => Wait::Lanes,
            // LDC, LDCU, S2R, S2UR.
            0x182 | 0x1ac | 0x119 | 0x1c3 => Wait::Constant,
            // ATOM, ATOMG.
            0x18a | 0x1a8 => Wait::Atomic,
            _ => return None,
        })
    }

    /// Returns the memory that the instruction loads from or stores to; `None` if it uses no data of the first cache.
    pub fn access(self) -> Option<Access> {
        Some(match self.operation() {
            // LD, LDG, ST, STG.
            0x180 | 0x181 | 0x185 | 0x186 => Access::Global,
            // LDL, STL.
            0x183 | 0x187 => Access::Local,
            // LDS, STS.
            0x184 | 0x188 => Access::Shared,
            _ => return None,
        })
    }

    /// Returns the number of 32-bit words that a lane loads or stores with the instruction.
    pub fn words(self) -> u32 {
        match self.bits(73, 3) {
            5 => 2,
            6 => 4,
            _ => 1,
        }
    }

    /// Number of operand positions of an instruction.
    pub const PLACES: usize = 3;

    /// Number of the register that always reads as zero (RZ).
    const ZERO: u8 = 255;

    /// Returns the first register of each operand, by position; `None` for predicates, constants, uniform registers and
    /// zeros. As `nvdisasm` prints the images' instructions, of which all operations that compute, load or store are
    /// here.
    pub fn operands(self) -> [Option<u8>; Self::PLACES] {
        // Whether the first place is one, and the third.
        let (first, third) = match self.operation() {
            // MOV, I2FP, FLO, BREV, F2F, MUFU, POPC.
            0x002 | 0x045 | 0x100 | 0x101 | 0x104 | 0x108..=0x110 => (false, false),
            // VIMNMX3, IADD3, LEA, LOP3, PRMT, SHF, FFMA, IMAD, 64-bit floats, HFMA2, VIADDMNMX.
            0x00f..=0x012 | 0x016 | 0x019 | 0x023..=0x025 | 0x028..=0x02b | 0x031 | 0x035 | 0x046 => (true, true),
            // R2P, SEL, FSEL, FMNMX, FSETP, ISETP, FMUL, FADD, HSET2, VIADD, F2FP, VIMNMX, FMNMX3, R2UR, FCHK.
            0x004 | 0x007..=0x009 | 0x00b | 0x00c | 0x020 | 0x021 | 0x033 | 0x036 | 0x03e | 0x048 | 0x076 => {
                (true, false)
            }
            0x0ca | 0x102 => (true, false),
            // LD, LDG, LDL, LDS, MATCH, REDUX.
            0x180 | 0x181 | 0x183 | 0x184 | 0x1a1 | 0x1c4 => (true, false),
            // SHFL, whose lane is a register in two forms.
            0x189 => return [self.register(24), self.register(32).filter(|_| self.bits(9, 3) <= 2), None],
            // ST, STG, STL, STS, ATOM, ATOMG, RED: what goes to memory is the second, whatever the form.
            0x185..=0x18a | 0x18e | 0x1a8 => return [self.register(24), self.register(32), None],
            _ => return [None; Self::PLACES],
        };
        // Otherwise a constant or a uniform register stands there, and a register of the second place in the third's
        // bits.
        let second = self.bits(9, 3) == 1;
        [self.register(24).filter(|_| first), self.register(32).filter(|_| second), self.register(64).filter(|_| third)]
    }

    /// Returns the number of the register that the eight bits from `low` on name.
    fn register(self, low: u32) -> Option<u8> {
        Some(self.bits(low, 8) as u8).filter(|&register| register != Self::ZERO)
    }

    /// Returns the number of reads of even and of odd registers beyond the operands' first ones: second halves of
    /// pairs, and words that are stored.
    pub fn further_reads(self) -> [u8; 2] {
        let stored = self.words() as u8;
        match self.operation() {
            // IMAD of 64 bits adds a pair.
            0x025 => [0, u8::from(self.operands()[2].is_some())],
            // Addresses of global memory are pairs.
            0x180 | 0x181 => [0, 1],
            0x185 | 0x186 => [(stored - 1) / 2, 1 + stored / 2],
            0x187 | 0x188 => [(stored - 1) / 2, stored / 2],
            _ => [0; 2],
        }
    }

    /// Returns `true` if an operand's register stays in the reuse cache of its position, so that the next instruction
    /// need not read it.
    pub fn keeps(self, place: usize) -> bool {
        self.bits(122, 3) >> place & 1 == 1
    }

    /// Returns `true` if lanes that parted meet at this instruction (BSYNC).
    pub fn is_meeting(self) -> bool {
        self.operation() == 0x141
    }

    /// Returns `true` if the instruction is a jump that not every warp takes (BRA with a condition).
    pub fn is_conditional_jump(self) -> bool {
        self.operation() == 0x147 && !self.always()
    }

    /// Returns the pipeline of the instruction, by its operation code; `None` of an operation that no kernel image has.
    pub fn pipe(self, architecture: u32) -> Option<Pipe> {
        Some(match self.operation() {
            // IADD, which was HFMA2 before.
            0x035 if architecture >= 120 => Pipe::Alu,
            // MOV, P2R, R2P, CS2R, VOTE, SEL, FSEL, FMNMX, FSETP, ISETP, VIMNMX3, IADD3, LEA, LOP3, PRMT, IMNMX, SHF,
            // PLOP3.
            0x002..=0x009 | 0x00b | 0x00c | 0x00f..=0x012 | 0x016 | 0x017 | 0x019 | 0x01c => Pipe::Alu,
            // HSET2, F2FP, VIADDMNMX, VIMNMX, FMNMX3.
            0x033 | 0x03e | 0x046 | 0x048 | 0x076 => Pipe::Alu,
            // FMUL, FADD, FFMA, VIADD.
            0x020 | 0x021 | 0x023 | 0x036 => Pipe::Fma,
            // IMAD, of 32 and of 64 bits.
            0x024 | 0x025 => Pipe::FmaHeavy,
            // HFMA2.
            0x031 | 0x035 => Pipe::Half,
            // DMUL, DADD, DSETP, DFMA.
            0x028..=0x02b => Pipe::Double,
            // UMOV, VOTEU, ULDC, R2UR; NOP; LDCU; PREEXIT, ACQBULK.
            0x02d | 0x02e | 0x082 | 0x086 | 0x0b9 | 0x0ca | 0x1c2 | 0x118 | 0x1ac => Pipe::Other,
            // UVIMNMX, UFMUL, USEL, UISETP, UIADD3, ULEA, ULOP3, USHF, UIMAD, UFLO, UPOPC.
            0x04a | 0x056 | 0x087 | 0x08c | 0x090..=0x092 | 0x099 | 0x0a4 | 0x0bd | 0x0bf => Pipe::Uniform,
            // FLO, BREV, FCHK, F2F, MUFU, POPC.
            0x100..=0x102 | 0x104 | 0x108 | 0x109 | 0x110 => Pipe::Xu,
            // S2R, LDG, LDL, LDS, STG, STL, STS, SHFL, RED, MATCH, ATOMG.
            0x119 | 0x181 | 0x183 | 0x184 | 0x186..=0x189 | 0x18e | 0x1a1 | 0x1a8 => Pipe::Lsu,
            // LDC, S2UR, REDUX.
            0x182 | 0x1c3 | 0x1c4 => Pipe::Adu,
            // ENDCOLLECTIVE, BSYNC, BREAK, CALL, BSSY, YIELD, WARPSYNC, EXIT, RET, BMOV.
            0x11b | 0x141 | 0x142 | 0x144..=0x146 | 0x148 | 0x14d | 0x150 | 0x155 => Pipe::Cbu,
            // BRA, BRX.
            0x147 | 0x149 => Pipe::Branch,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LDG_128: Word = Word(0x000e_a200_0c1e_9d00_0000_0006_1810_7981);
    const LDG_64: Word = Word(0x000f_2200_0c1e_9b00_0000_0006_1c1c_7981);
    const STL_32: Word = Word(0x0001_e200_0010_0800_0000_0006_0100_7387);
    const LDL_32: Word = Word(0x000e_a200_0010_0800_0000_0000_1126_a983);

    #[test]
    fn fields_are_where_the_paper_has_them() {
        // `LDC R1, c[0x0][0x28]` of a kernel for compute capability 9.0, as nvdisasm -hex prints it, and `MUFU.COS R5,
        // R5`.
        let constant = Word(0x000e_2200_0000_0800_0000_0a00_ff01_7b82);
        assert_eq!((constant.stall(), constant.written(), constant.wait()), (1, Some(0), Some(Wait::Constant)));
        let cosine = Word(0x000e_2400_0000_0000_0000_0005_0005_7308);
        assert_eq!((cosine.stall(), cosine.written(), cosine.wait()), (2, Some(0), Some(Wait::Xu)));
        assert_eq!((constant.pipe(90), cosine.pipe(90)), (Some(Pipe::Adu), Some(Pipe::Xu)));
        assert!((0..Word::BARRIERS).all(|barrier| !cosine.waits_for(barrier)) && cosine.always());
        // Bit by bit.
        for bit in 0..21usize {
            let word = Word(1 << (105 + bit));
            assert_eq!(word.stall(), if bit < 4 { 1 << bit } else { 1 }, "{bit}");
            let barrier = |first: usize| [1, 2, 4].get(bit.wrapping_sub(first)).copied().unwrap_or(0);
            assert_eq!((word.written(), word.read()), (Some(barrier(5)), Some(barrier(8))), "{bit}");
            for barrier in 0..Word::BARRIERS {
                assert_eq!(word.waits_for(barrier), bit == 11 + barrier, "{bit}");
            }
        }
        assert_eq!((Word(7 << 110).written(), Word(7 << 113).read()), (None, None));
    }

    #[test]
    fn registers_that_are_read_are_those_that_nvdisasm_prints() {
        // Of an image for compute capability 9.0, with the lower and the upper half of their bits.
        let word = |upper: u64, lower: u64| Word(u128::from(upper) << 64 | u128::from(lower));
        let no = None;
        for (upper, lower, operands, further) in [
            // FFMA R0, R23, R44, -1
            (0x001f_c800_0000_002c, 0xbf80_0000_1700_7423, [Some(23), no, Some(44)], [0, 0]),
            // FADD R4, -R8.reuse, UR10
            (0x044f_e200_0800_0100, 0x0000_000a_0804_7e21, [Some(8), no, no], [0, 0]),
            // VIADDMNMX R26, R52.reuse, -R13.reuse, 0xb9600000, !PT
            (0x0c0f_e400_0780_090d, 0xb960_0000_341a_7446, [Some(52), no, Some(13)], [0, 0]),
            // PRMT R23, RZ, 0x7610, R23
            (0x000f_d200_0000_0017, 0x0000_7610_ff17_7816, [no, no, Some(23)], [0, 0]),
            // IMAD.MOV.U32 R24, RZ, RZ, R23
            (0x000f_d000_078e_0017, 0x0000_00ff_ff18_7224, [no, no, Some(23)], [0, 0]),
            // IMAD.WIDE.U32 R22, R31, 0x10, R16
            (0x002f_c800_078e_0010, 0x0000_0010_1f16_7825, [Some(31), no, Some(16)], [0, 1]),
            // MUFU.RCP R31, R30
            (0x000e_2400_0000_1000, 0x0000_001e_001f_1308, [no, Some(30), no], [0, 0]),
            // MOV R4, R8
            (0x000f_e400_0000_0f00, 0x0000_0008_0004_7202, [no, Some(8), no], [0, 0]),
            // ISETP.GE.AND P0, PT, R27, RZ, PT
            (0x000f_e400_03f0_6270, 0x0000_00ff_1b00_720c, [Some(27), no, no], [0, 0]),
            // LOP3.LUT R4, R5, R4, RZ, 0xfc, !PT
            (0x000f_e200_078e_fcff, 0x0000_0004_0504_7212, [Some(5), Some(4), no], [0, 0]),
            // LDG.E.128.CONSTANT R24, desc[UR6][R40.64+0x30]
            (0x000e_e800_0c1e_9d00, 0x0000_3006_2818_7981, [Some(40), no, no], [0, 1]),
            // STG.E desc[UR6][R20.64], R32
            (0x0001_e400_0c10_1906, 0x0000_0020_1400_0986, [Some(20), Some(32), no], [0, 1]),
            // STL [R1+0xc], R18
            (0x0001_e200_0010_0800, 0x0000_0c12_0100_7387, [Some(1), Some(18), no], [0, 0]),
            // SHFL.IDX PT, R40, R28, R41, 0x1f
            (0x0004_e200_000e_0000, 0x0000_1f29_1c28_7589, [Some(28), Some(41), no], [0, 0]),
            // BSYNC B3
            (0x000f_ea00_0380_0000, 0x0000_0000_0003_7941, [no, no, no], [0, 0]),
            // HFMA2 R18, R18, R35.reuse.H0_H0, R16.H1_H1
            (0x080f_e400_0006_0010, 0x2000_0023_1212_7231, [Some(18), Some(35), Some(16)], [0, 0]),
        ] {
            let word = word(upper, lower);
            assert_eq!((word.operands(), word.further_reads()), (operands, further), "{lower:x}");
        }
    }

    #[test]
    fn accesses_have_their_sizes() {
        // `LDG.E.128.CONSTANT R16, ...`, `LDG.E.64.CONSTANT R28, ...+0x30]`, `LDL R38, [R17]`, `STL [R16], R17`, as
        // nvdisasm -hex prints them for compute capability 9.0.
        for (word, access, words, wait) in [
            (LDG_128, Access::Global, 4, Some(Wait::L1)),
            (LDG_64, Access::Global, 2, Some(Wait::L1)),
            (LDL_32, Access::Local, 1, Some(Wait::L1)),
            (STL_32, Access::Local, 1, None),
        ] {
            assert_eq!((word.access(), word.words(), word.wait()), (Some(access), words, wait));
        }
        assert_eq!(Word(0x023).access(), None);
    }
}
