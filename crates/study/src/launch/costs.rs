//! Facts of a kernel on a machine before anything runs: its costs, and what a launch takes.

use super::is_implicit;
use raywarp_costs::{PricedKernel, Word, read_costs, words};
use raywarp_family::Variant;
use raywarp_sim::bounds::CostBasis;
use raywarp_sim::machine::{Launch, Machine};
use raywarp_sim::memory::Traffic;
use raywarp_sim::pace::{KernelCode, Pace, pace};
use raywarp_sim::{Al09Costs, BlockCosts, Profile, al09};
use raywarp_traverse::Query;

/// The costs of a kernel's events, by where they come from.
pub(crate) enum CostSource {
    /// No costs are known.
    None,
    /// A table of costs by events, of machine code or of a file.
    Table(PricedKernel),
    /// Warp instructions an event of a block.
    Blocks(Box<BlockCosts>),
}

/// Costs, what a launch takes of a multiprocessor, and why the costs may be another kernel's or machine's.
pub(crate) struct KernelCostSource {
    pub costs: CostSource,
    pub launch: Option<Launch>,
    pub doubt: Option<String>,
    /// The source of the costs.
    pub basis: CostBasis,
    /// `true` if no machine code is known that the machine could run.
    pub has_no_code: bool,
    /// The kernel, query and architecture whose machine code a table of ours is about.
    pub compiled: Option<(Variant, Query, u32)>,
}

impl KernelCostSource {
    /// Returns the number of instructions that a multiprocessor issues a clock, by the machine code that the table is
    /// about; none where that is not known and of lanes that are left to the hardware.
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

    /// Returns the machine code that the table is about, from the kernel's start.
    pub(crate) fn words(&self) -> Option<Vec<Word>> {
        let (compiled, query, architecture) = self.compiled.as_ref()?;
        Some(words(raywarp_cuda::machine_code(compiled, *query, *architecture)?, *architecture))
    }

    /// Returns that code, with `words` as its instructions, and what is known of it.
    pub(crate) fn code<'a>(&'a self, words: &'a [Word]) -> Option<KernelCode<'a>> {
        let (.., architecture) = self.compiled.as_ref()?;
        Some(KernelCode { costs: self.table()?, words, architecture: *architecture })
    }

    /// Returns the costs of events by the table of a kernel's machine code.
    pub(crate) fn table(&self) -> Option<&PricedKernel> {
        if let CostSource::Table(costs) = &self.costs { Some(costs) } else { None }
    }
}

/// The architecture whose machine code prices kernels on a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodeOf {
    /// The machine runs it as it is: its own, or the newest before it of the same generation.
    Native(u32),
    /// A newer one of the same generation, which the machine cannot run: what comes of it is a likeness, no bound.
    Likened(u32),
}

impl CodeOf {
    /// Returns the number of the architecture: 90 for compute capability 9.0.
    pub fn architecture(self) -> u32 {
        let (Self::Native(architecture) | Self::Likened(architecture)) = self;
        architecture
    }
}

/// Finds the architecture whose machine code prices kernels on a machine. None where there is none of its generation:
/// other code says nothing of what it could do.
pub(crate) fn code_of(machine: &Machine) -> Option<CodeOf> {
    let (major, minor) = machine.capability();
    let of_generation = || raywarp_cuda::cost_architectures().filter(|architecture| architecture / 10 == major);
    let runs = |architecture: &u32| architecture % 10 <= minor;
    let native = of_generation().filter(runs).max().map(CodeOf::Native);
    native.or_else(|| of_generation().min().map(CodeOf::Likened))
}

/// Returns the costs of a variant's kernel for a query on an architecture by our own table; none where it is not
/// compiled for it.
fn embedded_costs(variant: &Variant, query: Query, architecture: u32) -> Option<PricedKernel> {
    let (table, name) = raywarp_cuda::cost_table(variant, query, architecture)?;
    read_costs(table, &name).ok()?
}

/// Checks if a machine is of AL09's time: none of our code runs on such.
fn is_al09s(machine: &Machine) -> bool {
    machine.capability().0 == 1
}

/// Returns what a kernel's launch takes of a machine's multiprocessor; none where it was not compiled for such a
/// machine.
fn launch_of(machine: &Machine, variant: &Variant, query: Query) -> Option<Launch> {
    if is_al09s(machine) {
        return Some(al09::LAUNCH);
    }
    let resources = raywarp_cuda::kernel_resources(variant, query, code_of(machine)?.architecture())?;
    Some(Launch {
        registers_per_thread: resources.registers,
        shared_bytes_per_block: resources.shared_bytes,
        threads_per_block: resources.block_threads,
    })
}

/// Returns the costs of a kernel on a machine: by the user's table, by prices fitted to AL09's simulator for a machine
/// of its time, or by the machine code that the machine runs.
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
        let doubt = Some("fitted to AL09's simulated rates on Sibenik, no bounds".to_string());
        return KernelCostSource { costs, basis: CostBasis::Fitted, ..known(None, doubt) };
    }
    let (major, minor) = machine.capability();
    let of = code_of(machine);
    let costs = of.and_then(|of| embedded_costs(variant, query, of.architecture()));
    let (Some(of), Some(costs)) = (of, costs) else {
        let of_what = if of.is_some() { " of this kernel" } else { "" };
        let doubt = format!(
            "no machine code{of_what} is known for compute capability {major}.{minor}, so nothing that depends on code"
        );
        return KernelCostSource { has_no_code: true, ..known(None, Some(doubt)) };
    };
    let architecture = of.architecture();
    let code = format!("code for compute capability {}.{}", architecture / 10, architecture % 10);
    let (doubt, basis) = match of {
        CodeOf::Likened(_) => (Some(format!("likened by {code}, which it cannot run, no bounds")), CostBasis::Likened),
        CodeOf::Native(_) => ((architecture != 10 * major + minor).then_some(code), CostBasis::Code),
    };
    KernelCostSource { basis, compiled: Some((*variant, query, architecture)), ..known(Some(costs), doubt) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_priced_by_code_that_it_runs_and_by_no_other() {
        let variant: Variant = "g14".parse().unwrap();
        let of = |machine: &str| kernel_costs(None, &Machine::find(machine).unwrap(), &variant, Query::Closest);
        let fermi = of("gtx480");
        assert!(fermi.has_no_code && fermi.table().is_none() && fermi.launch.is_none());
        assert!(fermi.doubt.is_some_and(|doubt| doubt.contains("no machine code is known")));
        // Halves are not for Kepler.
        let h8 =
            kernel_costs(None, &Machine::find("gtxtitan").unwrap(), &"raywarp-h8".parse().unwrap(), Query::Closest);
        assert!(h8.has_no_code && h8.table().is_none());
        assert!(h8.doubt.is_some_and(|doubt| doubt.contains("of this kernel")));
        for (machine, architecture) in [("gtxtitan", 35), ("a100", 80), ("rtx4090", 89), ("h200", 90), ("rtx5090", 120)]
        {
            let costs = of(machine);
            assert!(!costs.has_no_code && costs.table().is_some() && costs.doubt.is_none(), "{machine}");
            assert_eq!(costs.compiled.map(|(.., compiled)| compiled), Some(architecture), "{machine}");
        }
        let likened = of("gtx680");
        assert!(likened.basis == CostBasis::Likened && likened.table().is_some());
        assert!(likened.doubt.is_some_and(|doubt| doubt.contains("likened by code for compute capability 3.5")));
        let al09 = Machine::find("gtx285").unwrap();
        let fitted = kernel_costs(None, &al09, &"al09-while-while".parse().unwrap(), Query::Closest);
        assert!(fitted.basis == CostBasis::Fitted && matches!(fitted.costs, CostSource::Blocks(_)));
    }
}
