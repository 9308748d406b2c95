//! What is known of a kernel on a machine before anything runs: its costs, and what a launch takes.

use super::is_implicit;
use raywarp_family::Variant;
use raywarp_family::costs::{KeplerWord, KernelCosts, read_costs};
use raywarp_sim::machine::{Launch, Machine};
use raywarp_sim::memory::Traffic;
use raywarp_sim::pace::{Code, instructions_per_clock};
use raywarp_sim::{Al09Prices, Prices, Profile, al09};
use raywarp_traverse::Query;

/// What a kernel's events cost.
pub(crate) enum Costs {
    None,
    Table(KernelCosts),
    /// Warp instructions an event of a block.
    Blocks(Box<Prices>),
}

/// Costs, what a launch takes of a multiprocessor, and why the costs may be another kernel's or machine's.
pub(crate) struct KnownCosts {
    pub costs: Costs,
    pub launch: Option<Launch>,
    pub doubt: Option<String>,
    /// The kernel, query and architecture whose machine code a table of ours is about.
    pub compiled: Option<(Variant, raywarp_cuda::Query, u32)>,
}

impl KnownCosts {
    /// Without prices that no machine code has: AL09's simulator's.
    pub(crate) fn of_code(self) -> Self {
        let costs = if matches!(self.costs, Costs::Table(_)) { self.costs } else { Costs::None };
        Self { costs, ..self }
    }

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
        if let Costs::Table(costs) = &self.costs { Some(costs) } else { None }
    }
}

/// The architecture whose code of a kernel stands for a machine's: its own, else of the same generation and not newer, else the
/// nearest. Not every kernel is compiled for each.
fn architecture_for(machine: &Machine, variant: &Variant, query: raywarp_cuda::Query) -> Option<u32> {
    let (major, minor) = machine.capability();
    let wanted = 10 * major + minor;
    let near = |architecture: &u32| {
        let same = *architecture / 10 == major && *architecture <= wanted;
        (!same, architecture.abs_diff(wanted))
    };
    let compiled = |&architecture: &u32| raywarp_cuda::kernel_resources(variant, query, architecture).is_some();
    raywarp_cuda::cost_architectures().filter(compiled).min_by_key(near)
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
    let query = cuda_query(query);
    let resources = raywarp_cuda::kernel_resources(variant, query, architecture_for(machine, variant, query)?)?;
    Some(Launch {
        registers_per_thread: resources.registers,
        shared_bytes_per_block: resources.shared_bytes,
        threads_per_block: resources.block_threads,
    })
}

/// What a kernel costs on a machine: by the user's table, by AL09's simulator for a machine of its time, by the machine code
/// for the machine's compute capability, or for one that is near.
pub(crate) fn known_costs(table: Option<&str>, machine: &Machine, variant: &Variant, query: Query) -> KnownCosts {
    let launch = launch_of(machine, variant, query);
    let known = |costs: Option<KernelCosts>, doubt| KnownCosts {
        costs: costs.map_or(Costs::None, Costs::Table),
        launch,
        doubt,
        compiled: None,
    };
    let query = cuda_query(query);
    if let Some(table) = table {
        // That it can be read was checked before.
        return known(read_costs(table, &raywarp_cuda::kernel_name(variant, query)).ok().flatten(), None);
    }
    if is_al09s(machine) {
        let costs = match Al09Prices::know(variant) {
            true => Costs::Blocks(Box::new(Al09Prices::default().of(variant).times(al09::SLOTS))),
            false => Costs::None,
        };
        let doubt = Some("costs fitted to AL09's simulated rates on Sibenik".to_string());
        return KnownCosts { costs, launch, doubt, compiled: None };
    }
    let Some(architecture) = architecture_for(machine, variant, query) else { return known(None, None) };
    let (major, minor) = machine.capability();
    let doubt = (architecture != 10 * major + minor)
        .then(|| format!("code for compute capability {}.{}", architecture / 10, architecture % 10));
    let compiled = Some((*variant, query, architecture));
    let mut costs = raywarp_cuda::costs(variant, query, architecture);
    // How long a warp takes is said by words that other generations do not have.
    if (architecture == KeplerWord::ARCHITECTURE) != (major == KeplerWord::ARCHITECTURE / 10) {
        costs.iter_mut().flat_map(|costs| &mut costs.blocks).for_each(|block| block.alone = None);
    }
    KnownCosts { compiled, ..known(costs, doubt) }
}
