//! Facts of a kernel on a machine before anything runs: its costs, and what a launch takes.

use super::is_implicit;
use raywarp_costs::{PricedKernel, Word, read_costs, words};
use raywarp_family::Variant;
use raywarp_sim::bounds::CostBasis;
use raywarp_sim::machine::{LaunchResources, Machine};
use raywarp_sim::memory::Traffic;
use raywarp_sim::pace::{KernelCode, Pace, pace};
use raywarp_sim::{Al09Costs, BlockCosts, Profile, al09};
use raywarp_traverse::Query;

/// Instruction costs of a kernel, by the kind of source.
pub(crate) enum CostSource {
    /// No costs of the kernel are known.
    None,
    /// A table of costs of machine code, built in or from the user's file.
    Table(PricedKernel),
    /// Warp instructions for an event of each code block.
    Blocks(Box<BlockCosts>),
}

/// Reason why the costs of a kernel may be those of another kernel or machine, written as a clause.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CostDoubt {
    #[error("fitted to AL09's simulated rates on Sibenik, no bounds")]
    Fitted,
    /// There is no machine code for the compute capability, or for others none of this kernel.
    #[error("no machine code{} is known for compute capability {}.{}, so nothing that depends on code",
        if *has_other_kernels { " of this kernel" } else { "" }, capability.0, capability.1)]
    NoCode { capability: (u32, u32), has_other_kernels: bool },
    #[error("likened by {}, which it cannot run, no bounds", code_for(*architecture))]
    Likened { architecture: u32 },
    /// The costs are of code for an older architecture, which the machine runs.
    #[error("{}", code_for(*architecture))]
    Older { architecture: u32 },
}

fn code_for(architecture: u32) -> String {
    format!("code for compute capability {}.{}", architecture / 10, architecture % 10)
}

/// Instruction costs of a kernel with its launch bounds, and why they may be those of another kernel or machine.
pub(crate) struct KernelCostSource {
    pub costs: CostSource,
    pub launch: Option<LaunchResources>,
    pub doubt: Option<CostDoubt>,
    /// Source of the costs.
    pub basis: CostBasis,
    /// `true` if no machine code is known that the machine could run.
    pub has_no_code: bool,
    /// Kernel, query and architecture whose machine code the built-in table is about.
    pub compiled: Option<(Variant, Query, u32)>,
    /// Machine code that the table is about, and its architecture, where it is not the built-in one.
    pub own: Option<(Vec<u8>, u32)>,
}

impl KernelCostSource {
    /// Returns how many instructions a clock a multiprocessor issues, and its stalls, by the clock-by-clock model;
    /// `None` where the machine code is not known, and for lanes left to the hardware.
    pub(crate) fn pace(
        &self,
        machine: &Machine,
        variant: &Variant,
        profile: &Profile,
        traffic: Option<&Traffic>,
    ) -> Option<Pace> {
        if is_implicit(variant) {
            return None;
        }
        let words = self.words()?;
        let code = self.code(&words)?;
        let warps = machine.occupancy(self.launch?).ok()?.warps;
        pace(machine, code, profile, traffic, warps)
    }

    /// Returns the machine code that the table of costs is about.
    pub(crate) fn words(&self) -> Option<Vec<Word>> {
        let (code, architecture) = self.machine_code()?;
        Some(words(code, architecture))
    }

    /// Returns the bytes of the machine code that the table of costs is about, and its architecture.
    pub(crate) fn machine_code(&self) -> Option<(&[u8], u32)> {
        if let Some((code, architecture)) = &self.own {
            return Some((code, *architecture));
        }
        let (compiled, query, architecture) = self.compiled.as_ref()?;
        Some((raywarp_cuda::machine_code(compiled, *query, *architecture)?, *architecture))
    }

    /// Returns the kernel's code with `words` as its instructions and its table of costs.
    pub(crate) fn code<'a>(&'a self, words: &'a [Word]) -> Option<KernelCode<'a>> {
        let (_, architecture) = self.machine_code()?;
        Some(KernelCode { costs: self.table()?, words, architecture })
    }

    /// Returns the table of costs of the kernel's machine code; `None` for other kinds of costs.
    pub(crate) fn table(&self) -> Option<&PricedKernel> {
        if let CostSource::Table(costs) = &self.costs { Some(costs) } else { None }
    }
}

/// Architecture whose machine code gives the instruction costs for a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodeOf {
    /// Architecture whose code the machine runs: its own, or the newest older one of its generation.
    Native(u32),
    /// Newer architecture of the machine's generation, whose code it cannot run: its rates are estimates, not bounds.
    Likened(u32),
}

impl CodeOf {
    /// Returns the architecture's number: 90 for compute capability 9.0.
    pub fn architecture(self) -> u32 {
        let (Self::Native(architecture) | Self::Likened(architecture)) = self;
        architecture
    }
}

/// Returns the architecture whose machine code gives the costs for a machine. None where there is none of its
/// generation: other code says nothing of what it could do.
pub(crate) fn code_of(machine: &Machine) -> Option<CodeOf> {
    let (major, minor) = machine.capability();
    let of_generation = || raywarp_cuda::cost_architectures().filter(|architecture| architecture / 10 == major);
    let runs = |architecture: &u32| architecture % 10 <= minor;
    let native = of_generation().filter(runs).max().map(CodeOf::Native);
    native.or_else(|| of_generation().min().map(CodeOf::Likened))
}

/// Returns the built-in table of costs of a variant's kernel for a query and architecture; `None` where the kernel is
/// not compiled for it.
fn embedded_costs(variant: &Variant, query: Query, architecture: u32) -> Option<PricedKernel> {
    let (table, name) = raywarp_cuda::cost_table(variant, query, architecture)?;
    read_costs(table, &name).ok()?
}

/// Returns `true` if a machine is of AL09's time (compute capability 1), which can run none of our code.
fn is_al09s(machine: &Machine) -> bool {
    machine.capability().0 == 1
}

/// Returns the registers, shared memory and threads of a kernel's launch on a machine; `None` where it was not compiled
/// for such a machine.
fn launch_of(machine: &Machine, variant: &Variant, query: Query) -> Option<LaunchResources> {
    if is_al09s(machine) {
        return Some(al09::LAUNCH);
    }
    let resources = raywarp_cuda::kernel_resources(variant, query, code_of(machine)?.architecture())?;
    Some(LaunchResources {
        registers_per_thread: resources.registers,
        shared_bytes_per_block: resources.shared_bytes,
        threads_per_block: resources.block_threads,
    })
}

/// Returns the instruction costs of a kernel on a machine: from the user's table, fitted to AL09's simulator for a
/// machine of its time, or from machine code.
pub(crate) fn kernel_costs(
    table: Option<&str>,
    machine: &Machine,
    variant: &Variant,
    query: Query,
) -> KernelCostSource {
    let launch = launch_of(machine, variant, query);
    let known = |costs: Option<PricedKernel>, doubt| KernelCostSource {
        costs: costs.map_or(CostSource::None, CostSource::Table),
        launch,
        doubt,
        basis: CostBasis::Code,
        has_no_code: false,
        compiled: None,
        own: None,
    };
    if let Some(table) = table {
        // That it can be read was checked before.
        return known(read_costs(table, &raywarp_cuda::kernel_name(variant, query)).ok().flatten(), None);
    }
    if is_al09s(machine) {
        let costs = match Al09Costs::know(variant) {
            true => CostSource::Blocks(Box::new(Al09Costs::default().of(variant).times(al09::SLOTS))),
            false => CostSource::None,
        };
        return KernelCostSource { costs, basis: CostBasis::Fitted, ..known(None, Some(CostDoubt::Fitted)) };
    }
    let (major, minor) = machine.capability();
    let of = code_of(machine);
    let costs = of.and_then(|of| embedded_costs(variant, query, of.architecture()));
    let (Some(of), Some(costs)) = (of, costs) else {
        let doubt = CostDoubt::NoCode { capability: (major, minor), has_other_kernels: of.is_some() };
        return KernelCostSource { has_no_code: true, ..known(None, Some(doubt)) };
    };
    let architecture = of.architecture();
    let (doubt, basis) = match of {
        CodeOf::Likened(_) => (Some(CostDoubt::Likened { architecture }), CostBasis::Likened),
        CodeOf::Native(_) => {
            ((architecture != 10 * major + minor).then_some(CostDoubt::Older { architecture }), CostBasis::Code)
        }
    };
    KernelCostSource { basis, compiled: Some((*variant, query, architecture)), ..known(Some(costs), doubt) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_has_the_costs_of_code_that_it_runs_and_by_no_other() {
        let variant: Variant = "g14".parse().unwrap();
        let of = |machine: &str| kernel_costs(None, &Machine::find(machine).unwrap(), &variant, Query::Closest);
        let fermi = of("gtx480");
        assert!(fermi.has_no_code && fermi.table().is_none() && fermi.launch.is_none());
        assert_eq!(fermi.doubt, Some(CostDoubt::NoCode { capability: (2, 0), has_other_kernels: false }));
        // Halves are not for Kepler.
        let h8 =
            kernel_costs(None, &Machine::find("gtxtitan").unwrap(), &"raywarp-h8".parse().unwrap(), Query::Closest);
        assert!(h8.has_no_code && h8.table().is_none());
        assert_eq!(h8.doubt, Some(CostDoubt::NoCode { capability: (3, 5), has_other_kernels: true }));
        for (machine, architecture) in [("gtxtitan", 35), ("a100", 80), ("rtx4090", 89), ("h200", 90), ("rtx5090", 120)]
        {
            let costs = of(machine);
            assert!(!costs.has_no_code && costs.table().is_some() && costs.doubt.is_none(), "{machine}");
            assert_eq!(costs.compiled.map(|(.., compiled)| compiled), Some(architecture), "{machine}");
        }
        let likened = of("gtx680");
        assert!(likened.basis == CostBasis::Likened && likened.table().is_some());
        assert_eq!(likened.doubt, Some(CostDoubt::Likened { architecture: 35 }));
        let al09 = Machine::find("gtx285").unwrap();
        let fitted = kernel_costs(None, &al09, &"al09-while-while".parse().unwrap(), Query::Closest);
        assert!(fitted.basis == CostBasis::Fitted && matches!(fitted.costs, CostSource::Blocks(_)));
    }
}
