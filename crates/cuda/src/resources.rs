//! Resources that compiled kernels take of a multiprocessor, and the tables that `cargo xtask kernels` writes of their
//! machine code (the crate raywarp-costs reads them; docs/internals/costs.md, "Instruction costs", says how they are
//! made).

use crate::names::BLOCK_THREADS;
use crate::{FAMILY, Query, kernel_name, source_name};
use raywarp_family::Variant;

/// Returns the table of kernel costs for an architecture (90 for compute capability 9.0), and the name in it of the
/// kernel of a variant and query; `None` where there is no table.
pub fn cost_table(variant: &Variant, query: Query, architecture: u32) -> Option<(&'static str, String)> {
    Some((FAMILY.cost_table(architecture)?, kernel_name(variant, query)))
}

/// Returns the table of source lines of the kernels for an architecture, as `raywarp_costs::LineTable` reads it; `None`
/// where there is none.
pub fn line_table(architecture: u32) -> Option<&'static str> {
    FAMILY.line_table(architecture)
}

/// Returns the machine code of the kernel of a variant and query for an architecture; `None` where it is not compiled
/// for it.
pub fn machine_code(variant: &Variant, query: Query, architecture: u32) -> Option<&'static [u8]> {
    FAMILY.machine_code(&source_name(variant), &kernel_name(variant, query), architecture)
}

/// Resources of a multiprocessor that a compiled kernel takes, as the assembler reported them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelResources {
    /// Number of registers per thread.
    pub registers: u32,
    /// Bytes of local memory per thread: its stack, and spilled registers.
    pub local_bytes: u32,
    /// Bytes of shared memory per block.
    pub shared_bytes: u32,
    /// Number of threads per block.
    pub block_threads: u32,
}

/// Returns the architectures that costs and resources are known for, oldest first (90 for compute capability 9.0).
pub fn cost_architectures() -> impl Iterator<Item = u32> {
    FAMILY.cost_architectures()
}

/// Returns the resources that the kernel of a variant and query takes on an architecture; `None` where it is not
/// compiled for it.
pub fn kernel_resources(variant: &Variant, query: Query, architecture: u32) -> Option<KernelResources> {
    FAMILY.resources(&kernel_name(variant, query), architecture, BLOCK_THREADS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_with_costs_has_resources() {
        for architecture in cost_architectures() {
            for variant in crate::compiled() {
                let variant: Variant = variant;
                for query in Query::ALL {
                    let (table, name) = cost_table(&variant, query, architecture).unwrap();
                    let known = table.lines().any(|line| line.starts_with(&format!("{name},")));
                    let resources = kernel_resources(&variant, query, architecture);
                    assert_eq!(resources.is_some(), known, "{variant}, {architecture}");
                    assert!(resources.is_none_or(|r| (16..=255).contains(&r.registers)), "{variant}, {architecture}");
                }
            }
        }
        assert_eq!(kernel_resources(&"direct/while-while/bvh2".parse().unwrap(), Query::Any, 20), None);
    }
}
