//! Warps that a launch keeps resident on a multiprocessor, as NVIDIA's occupancy calculator counts them.
//!
//! Source of the rules: `cuda_occupancy.h` of CUDA 7.0 (compute capability 1 and 2) and 13.0 (3 and later), and the
//! CUDA C Programming Guide 4.2, section 4.2. Granularities are data of the machine.

use super::{Machine, keys};

/// Resources that a kernel's launch takes of a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LaunchResources {
    /// Number of registers per thread, as the assembler reports them.
    pub registers_per_thread: u32,
    /// Bytes of shared memory per block, static and dynamic.
    pub shared_bytes_per_block: u32,
    /// Number of threads per block.
    pub threads_per_block: u32,
}

/// Resource that keeps a multiprocessor from holding another block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OccupancyLimit {
    /// Largest number of resident warps: `resident.warps`.
    Warps,
    /// Largest number of resident blocks: `resident.blocks`.
    Blocks,
    /// Registers of a multiprocessor that its blocks share: `registers.per_sm`.
    Registers,
    /// Shared memory of a multiprocessor that its blocks share: `shared.per_sm_bytes`.
    SharedMemory,
}

impl OccupancyLimit {
    /// Returns the name of the resource in tables.
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
    /// Number of resident blocks, at least one.
    pub blocks: u32,
    /// Number of warps of the resident blocks.
    pub warps: u32,
    /// Fraction of the warps that the multiprocessor can hold, above 0, at most 1.
    pub share: f64,
    /// Resource that keeps out another block; the first of several, in the order of [`OccupancyLimit`].
    pub limit: OccupancyLimit,
}

/// Error that the machine cannot run a launch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}: {found}, but {machine} allows {least} to {most}")]
pub struct OccupancyError {
    /// Name of the resource that there is too much or too little of.
    pub what: &'static str,
    /// Amount that the launch has.
    pub found: u64,
    /// Least amount that is allowed.
    pub least: u64,
    /// Largest amount that is allowed.
    pub most: u64,
    /// Name of the machine.
    pub machine: String,
}

impl Machine {
    /// Returns the blocks and warps of `launch` that are resident on a multiprocessor at once.
    ///
    /// # Errors
    /// [`OccupancyError`] when not even one block fits.
    pub fn occupancy(&self, launch: LaunchResources) -> Result<Occupancy, OccupancyError> {
        let count = |key| u64::from(self.count(key));
        let refuse = |what, found: u64, least: u64, most: u64| {
            Err(OccupancyError { what, found, least, most, machine: self.name().to_string() })
        };
        let optional = |key| self.get(key).map_or(0, |value| value as u64);
        let LaunchResources { registers_per_thread, shared_bytes_per_block, threads_per_block } = launch;
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

/// Rule by which a machine allocates registers to warps or blocks.
struct RegisterRule {
    per_sm: u64,
    unit: u64,
    coarse_unit: Option<u64>,
    partitions: u64,
    to_blocks: bool,
}

/// Registers that the blocks of one launch get.
struct Allocation {
    /// Number of registers of a block, which must not exceed the limit.
    assumed: u64,
    /// Number of blocks whose registers fit.
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
