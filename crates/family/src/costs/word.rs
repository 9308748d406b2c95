//! An instruction of compute capability 7.0 or later, as its 128 bits tell when it issues.
//!
//! Source: Jia et al. 2018, "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", chapter 2: of the 128 bits of
//! an instruction, 105 to 125 are its control: clocks to the next instruction (4 bits), yield, the barriers that are released
//! when its result is written and when its operands are read (3 bits each, 7 for none), the barriers that it waits for (6
//! bits), and which operands are kept (4 bits). Operations are those that `nvdisasm` prints for the kernels' images.

use super::{Pipe, Wait};

/// An instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word(pub u128);

/// The predicate that always holds.
const ALWAYS: u32 = 7;

/// Which memory an instruction goes to, through the first cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Global memory.
    Global,
    /// The lanes' own.
    Local,
    /// That of a block.
    Shared,
}

impl Word {
    /// Bytes of an instruction, on every architecture since compute capability 7.0.
    pub const BYTES: usize = 16;

    /// Barriers of a warp.
    pub const BARRIERS: usize = 6;

    /// All of a kernel's code; what is left of the last word is left out.
    pub fn all(code: &[u8]) -> Vec<Self> {
        let words = code.chunks_exact(Self::BYTES);
        words.map(|bytes| Self(bytes.iter().rev().fold(0, |w, &b| w << 8 | u128::from(b)))).collect()
    }

    /// `count` bits from bit `low` on.
    pub fn bits(self, low: u32, count: u32) -> u32 {
        (self.0 >> low) as u32 & ((1 << count) - 1)
    }

    /// Clocks until the next instruction may issue; a warp issues one a clock at most.
    pub fn stall(self) -> i32 {
        self.bits(105, 4).max(1) as i32
    }

    /// The barrier that its result releases.
    pub fn written(self) -> Option<usize> {
        Some(self.bits(110, 3) as usize).filter(|&barrier| barrier < Self::BARRIERS)
    }

    /// The barrier that is released when its operands are read.
    pub fn read(self) -> Option<usize> {
        Some(self.bits(113, 3) as usize).filter(|&barrier| barrier < Self::BARRIERS)
    }

    /// Whether it waits for a barrier.
    pub fn waits_for(self, barrier: usize) -> bool {
        self.bits(116, 6) >> barrier & 1 == 1
    }

    /// Its operation, without the bits that say of what kind its operands are.
    pub fn operation(self) -> u32 {
        self.bits(0, 9)
    }

    /// Whether all lanes do it.
    pub fn always(self) -> bool {
        self.bits(12, 4) == ALWAYS
    }

    /// What the time of its result is that the code does not tell; none for what no class has.
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

    /// The memory that it loads from or stores to; none for what goes past the first cache's data.
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

    /// Words of 32 bits that a lane loads or stores, if it does.
    pub fn words(self) -> u32 {
        match self.bits(73, 3) {
            5 => 2,
            6 => 4,
            _ => 1,
        }
    }

    /// Its pipeline, as [`Pipe::of`] has it of its name; none of an operation that no image has.
    pub fn pipe(self, architecture: u32) -> Option<Pipe> {
        Some(match self.operation() {
            // IADD, which was HFMA2 before.
            0x035 if architecture >= 120 => Pipe::Alu,
            // MOV, P2R, R2P, CS2R, VOTE, SEL, FSEL, FMNMX, FSETP, ISETP, VIMNMX3, IADD3, LEA, LOP3, PRMT, IMNMX, SHF, PLOP3.
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
            // UMOV, VOTEU, ULDC, R2UR; NOP; LDCU.
            0x082 | 0x086 | 0x0b9 | 0x0ca | 0x1c2 | 0x118 | 0x1ac => Pipe::Other,
            // UFMUL, USEL, UISETP, UIADD3, ULEA, ULOP3, USHF, UIMAD, UFLO, UPOPC.
            0x056 | 0x087 | 0x08c | 0x090..=0x092 | 0x099 | 0x0a4 | 0x0bd | 0x0bf => Pipe::Uniform,
            // FLO, BREV, FCHK, F2F, MUFU, POPC.
            0x100..=0x102 | 0x104 | 0x108 | 0x109 | 0x110 => Pipe::Xu,
            // S2R, LDG, LDL, LDS, STG, STL, STS, SHFL, RED, MATCH, ATOMG.
            0x119 | 0x181 | 0x183 | 0x184 | 0x186..=0x189 | 0x18e | 0x1a1 | 0x1a8 => Pipe::Lsu,
            // LDC, S2UR, REDUX.
            0x182 | 0x1c3 | 0x1c4 => Pipe::Adu,
            // ENDCOLLECTIVE, BSYNC, BREAK, CALL, BSSY, YIELD, WARPSYNC, EXIT, RET, BMOV.
            0x11b | 0x141 | 0x142 | 0x144..=0x146 | 0x148 | 0x14d | 0x150 | 0x155 => Pipe::Cbu,
            // BRA.
            0x147 => Pipe::Branch,
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
        // `LDC R1, c[0x0][0x28]` of a kernel for compute capability 9.0, as nvdisasm -hex prints it, and `MUFU.COS R5, R5`.
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
    fn accesses_have_their_sizes() {
        // `LDG.E.128.CONSTANT R16, ...`, `LDG.E.64.CONSTANT R28, ...+0x30]`, `LDL R38, [R17]`, `STL [R16], R17`, as nvdisasm -hex
        // prints them for compute capability 9.0.
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
