//! Costs of blocks in an experiment: those fitted to AL09 on a machine of their time, what the kernels' machine code
//! says elsewhere.

use super::{Experiment, ExperimentRequest, Lab, SimulateError};
use crate::launch::{CodeOf, CostSource, code_of, kernel_costs};
use crate::simulate::query_of;
use raywarp_costs::PricedKernel;
use raywarp_family::{Key, Variant};
use raywarp_sim::machine::Machine;
use raywarp_sim::{BlockCosts, LaunchInstructions};
use raywarp_workload::rays::RayKind;

/// Returns `true` if a machine has the instruction costs fitted to AL09.
pub(super) fn is_al09(machine: &Machine) -> bool {
    machine.capability().0 == 1
}

/// Checks the settings of an experiment before anything is traced.
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
            "these are Table 1's rates, of a GTX 285; `BoundsRequest::machines` without `ExperimentRequest::experiment` has others".into(),
        ));
    }
    // Other code says nothing of what the machine could do.
    if !matches!(code_of(machine), Some(CodeOf::Native(_))) {
        let least = raywarp_cuda::cost_architectures().min().unwrap_or(u32::MAX);
        let why =
            format!("no table has its instructions; they begin at compute capability {}.{}", least / 10, least % 10);
        return Err(refused(why));
    }
    Ok(())
}

/// Returns the table of costs of a kernel's machine code; `None` where there is none. Where the numbers that decide
/// when rays are fetched and how many leaves wait are compiled otherwise than here, those of the row that is otherwise
/// alike. How often an inner loop iterates is not such a number: its iterations are unrolled.
fn costs(machine: &Machine, variant: &Variant, kind: RayKind) -> Option<PricedKernel> {
    let of = |variant: &Variant| match kernel_costs(None, machine, variant, query_of(kind)).costs {
        CostSource::Table(costs) => Some(costs),
        _ => None,
    };
    let alike = |row: &Variant| {
        let free = [Key::Every, Key::Refill, Key::Postpone];
        let mut fixed = Key::ALL.iter().filter(|key| !free.contains(key));
        let parts = |v: &Variant| (v.supply(), v.traversal_loop(), v.tree());
        parts(row) == parts(variant) && fixed.all(|&key| row.value(key) == variant.value(key))
    };
    of(variant).or_else(|| Variant::papers().iter().map(|row| row.variant).filter(alike).find_map(|row| of(&row)))
}

impl Lab<'_> {
    pub(super) fn is_al09(&self) -> bool {
        is_al09(&self.request.machine)
    }

    /// Returns the costs of a kernel's code blocks for each kind of rays: AL09's in times of an instruction, others in
    /// instructions, averaged over what the kernel did.
    pub(super) fn costs(&mut self, variant: &Variant, width: u32) -> Result<Vec<BlockCosts>, SimulateError> {
        let (request, kinds) = (self.request, self.kinds());
        if is_al09(&request.machine) {
            return Ok(vec![request.costs.of(variant); kinds.len()]);
        }
        let counted = self.counts(variant, width)?;
        let mut most = 0.0f64;
        let one = |(counted, &kind): (&raywarp_sim::LaunchCounts, &RayKind)| {
            let costs = costs(&request.machine, variant, kind).ok_or_else(|| SimulateError::NotThere {
                experiment: request.experiment.name(),
                machine: request.machine.name().to_string(),
                why: format!("no table has the costs of {variant}"),
            })?;
            let issued = LaunchInstructions::of(&costs, &counted.tally);
            most = most.max(issued.assumed);
            Ok(BlockCosts::average(&issued, &counted.counts))
        };
        let costs = counted.iter().zip(&kinds).map(one).collect();
        self.assumed = self.assumed.max(most);
        costs
    }

    /// Returns `true` if the costs of a kernel on the machine are known.
    pub(super) fn has_costs(&self, variant: &Variant) -> bool {
        let machine = &self.request.machine;
        is_al09(machine) || self.kinds().into_iter().all(|kind| costs(machine, variant, kind).is_some())
    }

    /// Returns a text on what is doubtful about the costs; `None` if nothing is.
    pub(super) fn doubt(&self) -> Option<String> {
        let percent = (100.0 * self.assumed).round();
        (percent > 0.0).then(|| {
            format!("nobody has counted how often up to {percent} % of a kernel's instructions run here; what is assumed is mostly too often.")
        })
    }
}

impl ExperimentRequest {
    /// Returns a text that says what operations cost.
    pub(crate) fn costs_in_words(&self) -> String {
        if !is_al09(&self.machine) {
            let (major, minor) = self.machine.capability();
            return format!("the kernels' machine code, as for compute capability {major}.{minor}");
        }
        let costs = &self.costs;
        format!(
            "visit {}, test {}, main loop {}, postponing {} a visit, fetch {}, shuffle {}, in times of an instruction",
            costs.visit_node, costs.test_triangle, costs.iteration, costs.postpone, costs.fetch, costs.shuffle
        )
    }
}
