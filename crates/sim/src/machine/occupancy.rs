//! Warps that a launch keeps resident on a multiprocessor, as NVIDIA's occupancy calculator counts them.
//!
//! Source of the rules: `cuda_occupancy.h` of CUDA 7.0 (compute capability 1 and 2) and 13.0 (3 and later), and the
//! CUDA C Programming Guide 4.2, section 4.2. Granularities are data of the machine.

use super::{Machine, keys};

/// Resources that a kernel's launch takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Launch {
    /// Registers of a thread, as the assembler reports them.
    pub registers_per_thread: u32,
    /// Shared memory of a block, static and dynamic, in bytes.
    pub shared_bytes_per_block: u32,
    /// Threads of a block.
    pub threads_per_block: u32,
}

/// The resource that keeps a further block out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OccupancyLimit {
    /// Resident warps: `resident.warps`.
    Warps,
    /// Resident blocks: `resident.blocks`.
    Blocks,
    /// Registers of a multiprocessor: `registers.per_sm`.
    Registers,
    /// Shared memory of a multiprocessor: `shared.per_sm_bytes`.
    SharedMemory,
}

impl OccupancyLimit {
    /// Returns the resource in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Warps => "warps",
            Self::Blocks => "blocks",
            Self::Registers => "registers",
            Self::SharedMemory => "shared memory",
        }
    }
}

/// Blocks and warps that are resident on one multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Occupancy {
    /// Blocks, at least one.
    pub blocks: u32,
    /// Warps of the resident blocks.
    pub warps: u32,
    /// The share `warps` of what the multiprocessor can hold, above 0, at most 1.
    pub share: f64,
    /// The resource that keeps a further block out; the first of several, in the order of [`OccupancyLimit`].
    pub limit: OccupancyLimit,
}

/// A launch that the machine refuses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}: {found}, but {machine} allows {least} to {most}")]
pub struct OccupancyError {
    /// The resource that there is too much or too little of.
    pub what: &'static str,
    /// The amount that was found.
    pub found: u64,
    /// The least that is allowed.
    pub least: u64,
    /// The most that is allowed.
    pub most: u64,
    /// The machine's name.
    pub machine: String,
}

impl Machine {
    /// Returns the blocks and warps that `launch` keeps resident on a multiprocessor.
    ///
    /// # Errors
    /// [`OccupancyError`] when not even one block fits.
    pub fn occupancy(&self, launch: Launch) -> Result<Occupancy, OccupancyError> {
        let count = |key| u64::from(self.count(key));
        let refuse = |what, found: u64, least: u64, most: u64| {
            Err(OccupancyError { what, found, least, most, machine: self.name().to_string() })
        };
        let optional = |key| self.get(key).map_or(0, |value| value as u64);
        let Launch { registers_per_thread, shared_bytes_per_block, threads_per_block } = launch;
        let (registers, shared, threads) =
            (u64::from(registers_per_thread), u64::from(shared_bytes_per_block), u64::from(threads_per_block));
        let width = count(keys::SM_WARP_WIDTH);
        let most_warps = count(keys::RESIDENT_WARPS);
        let most_threads = count(keys::RESIDENT_BLOCK_THREADS).min(most_warps * width);
        if !(1..=most_threads).contains(&threads) {
            return refuse("threads a block", threads, 1, most_threads);
        }
        if registers > count(keys::REGISTERS_PER_THREAD) {
            return refuse("registers a thread", registers, 0, count(keys::REGISTERS_PER_THREAD));
        }
        if shared > count(keys::SHARED_PER_BLOCK) {
            return refuse("bytes of shared memory a block", shared, 0, count(keys::SHARED_PER_BLOCK));
        }
        let warps = threads.div_ceil(width);

        let by_registers = if registers == 0 {
            u64::MAX
        } else {
            let given = RegisterRule::of(self).allocate(registers * width, registers_per_thread, warps);
            if given.assumed > count(keys::REGISTERS_PER_BLOCK) {
                return refuse("registers a block", given.assumed, 0, count(keys::REGISTERS_PER_BLOCK));
            }
            given.blocks
        };
        let block_bytes = (shared + optional(keys::SHARED_RESERVED)).next_multiple_of(count(keys::SHARED_UNIT));
        let by_shared = count(keys::SHARED_PER_SM).checked_div(block_bytes).unwrap_or(u64::MAX);
        let limits = [
            (most_warps / warps, OccupancyLimit::Warps),
            (count(keys::RESIDENT_BLOCKS), OccupancyLimit::Blocks),
            (by_registers, OccupancyLimit::Registers),
            (by_shared, OccupancyLimit::SharedMemory),
        ];
        // The first of equals, as `min_by_key` has it.
        let (blocks, limit) =
            limits.into_iter().min_by_key(|&(blocks, _)| blocks).unwrap_or((1, OccupancyLimit::Warps));
        if blocks == 0 {
            // Rounding up to units, or to whole partitions, took what was nearly enough.
            return match limit {
                OccupancyLimit::SharedMemory => {
                    refuse("bytes of shared memory a block, with rounding", block_bytes, 0, count(keys::SHARED_PER_SM))
                }
                _ => refuse(
                    "registers a block, with rounding",
                    registers * width * warps,
                    0,
                    count(keys::REGISTERS_PER_SM),
                ),
            };
        }
        let resident = blocks * warps;
        Ok(Occupancy {
            blocks: blocks as u32,
            warps: resident as u32,
            share: resident as f64 / most_warps as f64,
            limit,
        })
    }
}

/// The rule by which registers are given out.
struct RegisterRule {
    per_sm: u64,
    unit: u64,
    coarse_unit: Option<u64>,
    partitions: u64,
    to_blocks: bool,
}

/// Resources that the blocks of one launch get.
struct Allocation {
    /// Registers that a block must not have too many of.
    assumed: u64,
    /// Blocks whose registers fit.
    blocks: u64,
}

impl RegisterRule {
    fn of(machine: &Machine) -> Self {
        let count = |key| u64::from(machine.count(key));
        Self {
            per_sm: count(keys::REGISTERS_PER_SM),
            unit: count(keys::REGISTERS_UNIT),
            coarse_unit: machine.get(keys::REGISTERS_COARSE_UNIT).map(|unit| unit as u64),
            partitions: count(keys::REGISTERS_PARTITIONS),
            to_blocks: machine.get(keys::REGISTERS_TO_BLOCKS) == Some(1.0),
        }
    }

    fn allocate(&self, per_warp: u64, per_thread: u32, warps: u64) -> Allocation {
        if self.to_blocks {
            // Compute capability 1: an even number of warps, and the whole block rounded up at once.
            let block = (per_warp * warps.next_multiple_of(2)).next_multiple_of(self.unit);
            return Allocation { assumed: block, blocks: self.per_sm / block };
        }
        let coarse = matches!(per_thread, 21 | 22 | 29 | 30 | 37 | 38 | 45 | 46);
        let unit = self.coarse_unit.filter(|_| coarse).unwrap_or(self.unit);
        let warp = per_warp.next_multiple_of(unit);
        // A warp's registers are in one partition: what a partition has left over is lost.
        let fitting = self.per_sm / self.partitions / warp * self.partitions;
        // The hardware checks a block as if all partitions held equally many of its warps.
        Allocation { assumed: warp * warps.next_multiple_of(self.partitions), blocks: fitting / warps }
    }
}

#[cfg(test)]
mod tests;
