//! What blocks cost in an experiment: AL09's prices on a machine of their time, what the kernels' machine code says elsewhere.

use super::{Experiment, ExperimentRequest, Lab, SimulateError};
use crate::bounds::{Costs, known_costs};
use crate::simulate::walks::query;
use raywarp_family::costs::KernelCosts;
use raywarp_family::{Sync, Variant};
use raywarp_sim::machine::Machine;
use raywarp_sim::{Price, Prices};
use raywarp_workload::rays::RayKind;

/// Whether AL09's prices are a machine's.
pub(super) fn is_al09(machine: &Machine) -> bool {
    machine.capability().0 == 1
}

/// Refuses what makes no sense, before anything is traced.
pub(super) fn check(request: &ExperimentRequest) -> Result<(), SimulateError> {
    let machine = &request.machine;
    if is_al09(machine) {
        return Ok(());
    }
    let refused = |why: String| SimulateError::NotThere {
        experiment: request.experiment.name(),
        machine: machine.name().to_string(),
        why,
    };
    if request.experiment == Experiment::Rates {
        return Err(refused(
            "these are Table 1's rates, of a GTX 285; --machine without --experiment has others".into(),
        ));
    }
    // The nearest table would be another generation's.
    let least = raywarp_cuda::cost_architectures().min().unwrap_or(u32::MAX);
    let (major, minor) = machine.capability();
    if 10 * major + minor < least {
        let why =
            format!("no table has its instructions; they begin at compute capability {}.{}", least / 10, least % 10);
        return Err(refused(why));
    }
    Ok(())
}

/// The costs of a kernel's machine code. Where its numbers (how often a loop turns, when rays are fetched, how many leaves wait)
/// are compiled otherwise than here, those of the row that is otherwise alike: they decide when something runs, not what.
fn costs(machine: &Machine, variant: &Variant, kind: RayKind) -> Option<KernelCosts> {
    let of = |variant: &Variant| match known_costs(None, machine, variant, query(kind)).costs {
        Costs::Table(costs) => Some(costs),
        _ => None,
    };
    let alike = |row: &Variant| {
        let parts = |v: &Variant| (v.supply(), v.organisation(), v.tree(), v.triangle(), v.fetch(), v.unroll());
        parts(row) == parts(variant) && row.sync() == Sync::Voted
    };
    of(variant).or_else(|| Variant::papers().iter().map(|row| row.variant).filter(alike).find_map(|row| of(&row)))
}

impl Lab<'_> {
    pub(super) fn is_al09(&self) -> bool {
        is_al09(&self.request.machine)
    }

    /// What blocks of a kernel cost, for each kind: AL09's in times of an instruction, others' in instructions, on average
    /// over what the kernel did.
    pub(super) fn prices(&mut self, variant: &Variant, width: u32) -> Result<Vec<Prices>, SimulateError> {
        let (request, kinds) = (self.request, self.kinds());
        if is_al09(&request.machine) {
            return Ok(vec![request.prices.of(variant); kinds.len()]);
        }
        let counted = self.counts(variant, width)?;
        let one = |(counted, &kind): (&raywarp_sim::Tallied, &RayKind)| {
            let costs = costs(&request.machine, variant, kind).ok_or_else(|| SimulateError::NotThere {
                experiment: request.experiment.name(),
                machine: request.machine.name().to_string(),
                why: format!("no table has the costs of {variant}"),
            })?;
            Ok(Prices::average(&Price::of(&costs, &counted.tally), &counted.counts))
        };
        counted.iter().zip(&kinds).map(one).collect()
    }
}

impl ExperimentRequest {
    /// What operations cost, in words.
    pub(crate) fn priced(&self) -> String {
        if !is_al09(&self.machine) {
            let (major, minor) = self.machine.capability();
            return format!("the kernels' machine code, as for compute capability {major}.{minor}");
        }
        let prices = &self.prices;
        format!(
            "visit {}, test {}, main loop {}, postponing {} a visit, fetch {}, shuffle {}, in times of an instruction",
            prices.visit_node, prices.test_triangle, prices.turn, prices.postpone, prices.fetch, prices.shuffle
        )
    }
}
