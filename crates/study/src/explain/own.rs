//! Kernels that are not embedded: a `.cu` of one's own that issues the events of one of the family's schedules.
//!
//! `cargo xtask kernels --source FILE.cu FOLDER` compiles it and writes what is read here. Its kernels have the names
//! of the family's, since a name says by which schedule the rays' operations are simulated.

use crate::launch::{CostSource, KernelCostSource};
use raywarp_costs::{LineTable, LineTableError, read_costs};
use raywarp_cuda::{BLOCK_THREADS, elf, kernel_name};
use raywarp_family::{Query, Variant};
use raywarp_sim::bounds::CostBasis;
use raywarp_sim::machine::{LaunchResources, Machine};
use std::path::Path;

/// Name of the file with the machine code.
const CODE: &str = "kernel.cubin";
/// Name of the file with the table of costs.
const COSTS: &str = "costs.csv";
/// Name of the file with the source lines.
const LINES: &str = "lines.txt";
/// Name of the file with registers and shared memory.
const RESOURCES: &str = "resources.csv";
/// Architecture that such kernels are compiled for: 90 for compute capability 9.0.
const ARCHITECTURE: u32 = 90;

/// Compiled kernels of one's own, with their costs and source lines.
#[derive(Debug, Clone)]
pub struct OwnKernel {
    code: Vec<u8>,
    costs: String,
    resources: String,
    pub(super) lines: LineTable,
}

/// Reason why a kernel of one's own cannot be explained.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OwnKernelError {
    /// A file of the folder cannot be read.
    #[error("{file}: cannot be read ({error}); `cargo xtask kernels --source FILE.cu FOLDER` writes such folders")]
    File {
        /// Name of the file.
        file: &'static str,
        /// What the system says.
        error: std::io::Error,
    },
    /// The table of source lines is wrong.
    #[error("{LINES}: {0}")]
    Lines(#[from] LineTableError),
    /// The code, its costs or its resources lack the kernel, or cannot be read.
    #[error("{file}: there is no {kernel}, or it is damaged")]
    NoKernel {
        /// Name of the file.
        file: &'static str,
        /// Name of the kernel that is wanted.
        kernel: String,
    },
    /// The machine does not run the code.
    #[error("{machine}: kernels of one's own are compiled for compute capability 9.0 (h100, h200)")]
    Machine {
        /// Name of the machine.
        machine: String,
    },
}

impl OwnKernel {
    /// Names of the files in a folder of such a kernel.
    pub const FILES: [&str; 4] = [CODE, COSTS, LINES, RESOURCES];

    /// Reads the files of a folder.
    ///
    /// # Errors
    /// [`OwnKernelError`]: a file that is not there, or no table of source lines.
    pub fn read(folder: &Path) -> Result<Self, OwnKernelError> {
        let read =
            |file: &'static str| std::fs::read(folder.join(file)).map_err(|error| OwnKernelError::File { file, error });
        let text = |file: &'static str| Ok::<_, OwnKernelError>(String::from_utf8_lossy(&read(file)?).into_owned());
        let lines = LineTable::read(&text(LINES)?)?;
        Ok(Self { code: read(CODE)?, costs: text(COSTS)?, resources: text(RESOURCES)?, lines })
    }

    /// Returns the kernel's costs on a machine, with its machine code.
    pub(super) fn costs(
        &self,
        machine: &Machine,
        variant: &Variant,
        query: Query,
    ) -> Result<KernelCostSource, OwnKernelError> {
        if machine.capability() != (ARCHITECTURE / 10, ARCHITECTURE % 10) {
            return Err(OwnKernelError::Machine { machine: machine.name().to_string() });
        }
        let kernel = kernel_name(variant, query);
        let missing = |file: &'static str| OwnKernelError::NoKernel { file, kernel: kernel.clone() };
        let sections = elf::code(&self.code).map_err(|_| missing(CODE))?;
        let code = sections.into_iter().find(|(name, _)| *name == kernel).ok_or_else(|| missing(CODE))?.1.to_vec();
        let costs = read_costs(&self.costs, &kernel).ok().flatten().ok_or_else(|| missing(COSTS))?;
        Ok(KernelCostSource {
            costs: CostSource::Table(costs),
            launch: Some(self.launch(&kernel).ok_or_else(|| missing(RESOURCES))?),
            doubt: None,
            basis: CostBasis::Code,
            has_no_code: false,
            compiled: None,
            own: Some((code, ARCHITECTURE)),
        })
    }

    /// Returns what a launch of the kernel takes: registers and shared memory are the first and the last number of its
    /// line.
    fn launch(&self, kernel: &str) -> Option<LaunchResources> {
        let start = format!("{kernel},{ARCHITECTURE},");
        let rest = self.resources.lines().find_map(|line| line.strip_prefix(&start))?;
        let numbers: Vec<u32> = rest.split(',').map(str::parse).collect::<Result<_, _>>().ok()?;
        Some(LaunchResources {
            registers_per_thread: *numbers.first()?,
            shared_bytes_per_block: *numbers.last()?,
            threads_per_block: BLOCK_THREADS,
        })
    }
}
