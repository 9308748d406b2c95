//! Pipelines of a multiprocessor, and the one that executes each instruction.
//!
//! For compute capability 9.0 the assignment is that of an H200's counters (`sm__inst_executed_pipe_*`): for four
//! kernels that between them have all common opcodes, sums by pipeline are what was counted, to the instruction (`fma`
//! counts [`Pipe::Fma`], [`Pipe::FmaHeavy`] and [`Pipe::Half`]; a store that no lane does is not counted; of `adu` a
//! few thousand more were). Other architectures have the same assignment, unverified.

/// Pipeline of a GPU multiprocessor, named as in Nsight Compute's documentation ("Pipelines" in its profiling guide).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pipe {
    /// Pipeline for comparisons, minima, selections, logic, shifts, byte permutes, votes.
    Alu,
    /// Pipeline for products and sums of floats, and sums of two integers, on either of two halves.
    Fma,
    /// Heavy half of the `Fma` pipeline: products of integers, and moves written as such. Kepler's two minima in one,
    /// too.
    FmaHeavy,
    /// Instructions on pairs of 16-bit floats, which also run on the heavy half of `Fma`.
    Half,
    /// Pipeline for 64-bit floats.
    Double,
    /// Pipeline for reciprocals, conversions, counts of bits.
    Xu,
    /// Load/store pipeline: loads, stores, atomics, shuffles, special registers.
    Lsu,
    /// Address divergence pipeline: indexed constants, barriers of a thread block.
    Adu,
    /// Convergence barrier pipeline: instructions that prepare and await the meeting of lanes that part, calls, ends;
    /// no jumps.
    Cbu,
    /// Uniform pipeline: arithmetic on values that are the same in all lanes of a warp.
    Uniform,
    /// Jumps, which take an issue slot and no pipeline that is counted.
    Branch,
    /// Instructions that take only an issue slot, as jumps do: constants and moves of values that all lanes share, and
    /// those that do nothing.
    Other,
}

impl Pipe {
    /// All pipelines, in the order of their numbers.
    pub const ALL: [Self; 12] = [
        Self::Alu,
        Self::Fma,
        Self::FmaHeavy,
        Self::Half,
        Self::Double,
        Self::Xu,
        Self::Lsu,
        Self::Adu,
        Self::Cbu,
        Self::Uniform,
        Self::Branch,
        Self::Other,
    ];

    /// Returns the name of the pipeline in tables of costs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Alu => "alu",
            Self::Fma => "fma",
            Self::FmaHeavy => "fmaheavy",
            Self::Half => "half",
            Self::Double => "double",
            Self::Xu => "xu",
            Self::Lsu => "lsu",
            Self::Adu => "adu",
            Self::Cbu => "cbu",
            Self::Uniform => "uniform",
            Self::Branch => "branch",
            Self::Other => "other",
        }
    }

    /// Returns the pipeline of an instruction by its opcode as disassemblers print it, with its suffixes; `None` for an
    /// opcode that is not known. Opcodes are those of the CUDA binary utilities' instruction lists for compute
    /// capabilities 3.5 and 7.5 to 12.0.
    pub fn of(opcode: &str) -> Option<Self> {
        let stem = opcode.split('.').next().unwrap_or_default();
        Some(match stem {
            "FMNMX" | "FMNMX3" | "FSEL" | "FSET" | "FSETP" | "IABS" | "IADD3" | "IADD" | "VIADDMNMX" | "ICMP"
            | "IMNMX" | "VIMNMX" | "VIMNMX3" | "ISCADD" | "ISETP" | "LEA" | "LOP3" | "LOP" | "MOV" | "P2R" | "R2P"
            | "PLOP3" | "PRMT" | "PSETP" | "SEL" | "SGXT" | "SHF" | "SHL" | "SHR" | "HMNMX2" | "HSET2" | "HSETP2"
            | "VOTE" | "I2FP" | "F2FP" | "CS2R" | "MOV32I" | "LOP32I" | "IADD32I" | "ISCADD32I" | "ISET" | "FCMP"
            | "PSET" | "BFE" | "BFI" => Self::Alu,
            "FADD" | "FFMA" | "FMUL" | "VIADD" | "FADD32I" | "FFMA32I" | "FMUL32I" => Self::Fma,
            "IMAD" | "IMUL" | "IDP" | "IDP4A" | "IMADSP" | "VMNMX" | "XMAD" | "IMUL32I" => Self::FmaHeavy,
            "HADD2" | "HFMA2" | "HMUL2" => Self::Half,
            "DADD" | "DFMA" | "DMUL" | "DSET" | "DSETP" | "DMNMX" => Self::Double,
            "MUFU" | "F2F" | "F2I" | "I2F" | "FRND" | "POPC" | "FLO" | "BREV" | "I2I" | "FCHK" => Self::Xu,
            "LDG" | "STG" | "LDL" | "STL" | "LDS" | "STS" | "LD" | "ST" | "LDSM" | "ATOM" | "ATOMG" | "ATOMS"
            | "RED" | "REDG" | "SHFL" | "S2R" | "MATCH" | "CCTL" | "MEMBAR" | "ERRBAR" => Self::Lsu,
            "LDC" | "BAR" | "REDUX" | "S2UR" | "B2R" => Self::Adu,
            "BRA" | "BRX" | "JMP" | "JMX" => Self::Branch,
            "CALL" | "RET" | "EXIT" | "BSSY" | "BSYNC" | "BREAK" | "BMOV" | "WARPSYNC" | "YIELD" | "ENDCOLLECTIVE"
            | "KILL" | "NANOSLEEP" | "BPT" | "SSY" | "PBK" | "PCNT" | "PRET" | "BRK" | "CONT" | "CAL" => Self::Cbu,
            // Of PREEXIT and ACQBULK, which a warp does once, it is not known.
            "NOP" | "PREEXIT" | "ACQBULK" | "DEPBAR" | "TEXDEPBAR" | "ULDC" | "LDCU" | "UMOV" | "VOTEU" | "R2UR" => {
                Self::Other
            }
            _ if stem.starts_with('U') => Self::Uniform,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcodes_have_their_pipelines_whatever_their_suffixes() {
        for (opcode, pipe) in [
            ("FMNMX", Pipe::Alu),
            ("FFMA.RM", Pipe::Fma),
            ("IMAD.MOV.U32", Pipe::FmaHeavy),
            ("HFMA2.MMA", Pipe::Half),
            ("MUFU.RCP", Pipe::Xu),
            ("LDG.E.128.CONSTANT", Pipe::Lsu),
            ("BRA.DIV", Pipe::Branch),
            ("BSYNC", Pipe::Cbu),
            ("UISETP.NE.AND", Pipe::Uniform),
            ("ULDC.64", Pipe::Other),
            ("NOP", Pipe::Other),
            ("PREEXIT", Pipe::Other),
        ] {
            assert_eq!(Pipe::of(opcode), Some(pipe), "{opcode}");
        }
        assert_eq!(Pipe::of("FROBNICATE"), None);
    }

    #[test]
    fn pipelines_are_numbered_as_listed() {
        for (i, pipe) in Pipe::ALL.into_iter().enumerate() {
            assert_eq!(pipe as usize, i);
        }
    }
}
