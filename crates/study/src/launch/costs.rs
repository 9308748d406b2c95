//! What is known of a kernel on a machine before anything runs: its costs, and what a launch takes.

use super::is_implicit;
use raywarp_family::Variant;
use raywarp_family::costs::{KernelCosts, read_costs};
use raywarp_sim::machine::{Launch, Machine};
use raywarp_sim::memory::Traffic;
use raywarp_sim::pace::{Code, instructions_per_clock};
use raywarp_sim::{Al09Prices, Prices, Profile, al09};
use raywarp_traverse::Query;

/// What a kernel's events cost.
pub(crate) enum CostSource {
    /// Nobody knows.
    None,
    /// By events, of machine code or of a file.
    Table(KernelCosts),
    /// Warp instructions an event of a block.
    Blocks(Box<Prices>),
}

/// Costs, what a launch takes of a multiprocessor, and why the costs may be another kernel's or machine's.
pub(crate) struct KernelCostSource {
    pub costs: CostSource,
    pub launch: Option<Launch>,
    pub doubt: Option<String>,
    /// Whether costs are prices that were fitted to published rates: what comes of them is no bound.
    pub is_fitted: bool,
    /// Whether no machine code is known that the machine could run.
    pub has_no_code: bool,
    /// The kernel, query and architecture whose machine code a table of ours is about.
    pub compiled: Option<(Variant, raywarp_cuda::Query, u32)>,
}

impl KernelCostSource {
    /// Instructions that a multiprocessor issues a clock, by the machine code that the table is about; none where that is not known
    /// and of lanes that are left to the hardware.
    pub(crate) fn instructions_per_clock(
        &self,
        machine: &Machine,
        variant: &Variant,
        profile: &Profile,
        traffic: Option<&Traffic>,
    ) -> Option<f64> {
        if is_implicit(variant) {
            return None;
        }
        let (compiled, query, architecture) = self.compiled.as_ref()?;
        let words = raywarp_cuda::machine_code(compiled, *query, *architecture)?;
        let code = Code { costs: self.table()?, words: &words, architecture: *architecture };
        let warps = machine.occupancy(self.launch?).ok()?.warps;
        instructions_per_clock(machine, code, profile, traffic, warps)
    }

    /// What events cost by the table of a kernel's machine code.
    pub(crate) fn table(&self) -> Option<&KernelCosts> {
        if let CostSource::Table(costs) = &self.costs { Some(costs) } else { None }
    }
}

/// The architecture whose machine code a machine runs as it is: its own, else the newest before it of the same generation. None
/// where none of ours does: other code says nothing of what it could do.
pub(crate) fn native_architecture(machine: &Machine) -> Option<u32> {
    let (major, minor) = machine.capability();
    let runs = |architecture: &u32| *architecture / 10 == major && *architecture % 10 <= minor;
    raywarp_cuda::cost_architectures().filter(runs).max()
}

/// Machines of AL09's time, which none of our code runs on.
fn is_al09s(machine: &Machine) -> bool {
    machine.capability().0 == 1
}

fn cuda_query(query: Query) -> raywarp_cuda::Query {
    match query {
        Query::Closest => raywarp_cuda::Query::Closest,
        Query::Any => raywarp_cuda::Query::Any,
    }
}

/// What a kernel's launch takes of a machine's multiprocessor; none where it was not compiled for such a machine.
fn launch_of(machine: &Machine, variant: &Variant, query: Query) -> Option<Launch> {
    if is_al09s(machine) {
        return Some(al09::LAUNCH);
    }
    let resources = raywarp_cuda::kernel_resources(variant, cuda_query(query), native_architecture(machine)?)?;
    Some(Launch {
        registers_per_thread: resources.registers,
        shared_bytes_per_block: resources.shared_bytes,
        threads_per_block: resources.block_threads,
    })
}

/// What a kernel costs on a machine: by the user's table, by prices fitted to AL09's simulator for a machine of its time, or by the
/// machine code that the machine runs.
pub(crate) fn kernel_costs(
    table: Option<&str>,
    machine: &Machine,
    variant: &Variant,
    query: Query,
) -> KernelCostSource {
    let launch = launch_of(machine, variant, query);
    let known = |costs: Option<KernelCosts>, doubt| KernelCostSource {
        costs: costs.map_or(CostSource::None, CostSource::Table),
        launch,
        doubt,
        is_fitted: false,
        has_no_code: false,
        compiled: None,
    };
    let query = cuda_query(query);
    if let Some(table) = table {
        // That it can be read was checked before.
        return known(read_costs(table, &raywarp_cuda::kernel_name(variant, query)).ok().flatten(), None);
    }
    if is_al09s(machine) {
        let costs = match Al09Prices::know(variant) {
            true => CostSource::Blocks(Box::new(Al09Prices::default().of(variant).times(al09::SLOTS))),
            false => CostSource::None,
        };
        let doubt = Some("fitted to AL09's simulated rates on Sibenik, no bounds".to_string());
        return KernelCostSource { costs, is_fitted: true, ..known(None, doubt) };
    }
    let (major, minor) = machine.capability();
    let Some(architecture) = native_architecture(machine) else {
        let doubt =
            format!("no machine code is known for compute capability {major}.{minor}, so nothing that depends on code");
        return KernelCostSource { has_no_code: true, ..known(None, Some(doubt)) };
    };
    let doubt = (architecture != 10 * major + minor)
        .then(|| format!("code for compute capability {}.{}", architecture / 10, architecture % 10));
    let compiled = Some((*variant, query, architecture));
    KernelCostSource { compiled, ..known(raywarp_cuda::costs(variant, query, architecture), doubt) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_priced_by_code_that_it_runs_and_by_no_other() {
        let variant: Variant = "g14".parse().unwrap();
        let of = |machine: &str| kernel_costs(None, &Machine::find(machine).unwrap(), &variant, Query::Closest);
        for old in ["gtx480", "gtx680", "gtxtitan"] {
            let costs = of(old);
            assert!(costs.has_no_code && costs.table().is_none() && costs.launch.is_none(), "{old}");
            assert!(costs.doubt.is_some_and(|doubt| doubt.contains("no machine code is known")), "{old}");
        }
        for (machine, architecture) in [("a100", 80), ("rtx4090", 89), ("h200", 90), ("rtx5090", 120)] {
            let costs = of(machine);
            assert!(!costs.has_no_code && costs.table().is_some() && costs.doubt.is_none(), "{machine}");
            assert_eq!(costs.compiled.map(|(.., compiled)| compiled), Some(architecture), "{machine}");
        }
        let al09 = Machine::find("gtx285").unwrap();
        let fitted = kernel_costs(None, &al09, &"al09-while-while".parse().unwrap(), Query::Closest);
        assert!(fitted.is_fitted && matches!(fitted.costs, CostSource::Blocks(_)));
    }
}
