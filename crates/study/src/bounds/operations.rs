//! Bounds of kernels that replay operations which were written down: by their instructions alone.

use super::{Bounded, BoundsReport, BoundsRequest, changed};
use crate::launch::{LaunchCosts, kernel_costs};
use crate::simulate::{DumpedRays, SimulateError, ray_counts, request_of, stopped};
use raywarp_family::Variant;
use raywarp_geom::{Control, TraceError};
use raywarp_sim::machine::Machine;
use raywarp_sim::{EventLanes, LaunchCounts, Profile, Streams};

/// Replays written operations by the kernels of a request, and bounds their rates on its machines: by what their
/// instructions cost, since of memory and of trees nothing is known. Of the rays of the request count variants, widths
/// and the scene's name.
///
/// # Errors
/// [`SimulateError::Replay`] for a kernel that cannot replay them; as [`bound_rates`](super::bound_rates).
pub fn bound_operations(
    groups: &[DumpedRays],
    request: &BoundsRequest,
    control: &Control<'_>,
) -> Result<BoundsReport, SimulateError> {
    let mut rows = Vec::new();
    let done = bound_all(groups, request, control, &mut rows);
    let interrupted = stopped(done, !rows.is_empty())?;
    // In their own order: a stable sort.
    rows.sort_by_key(|row: &Bounded| row.machine);
    let request = BoundsRequest { rays: request_of(&request.rays, groups), what_if: false, ..request.clone() };
    Ok(BoundsReport { request, rows, rays: ray_counts(groups), fit: None, interrupted })
}

fn bound_all(
    groups: &[DumpedRays],
    request: &BoundsRequest,
    control: &Control<'_>,
    rows: &mut Vec<Bounded>,
) -> Result<(), SimulateError> {
    for variant in &request.rays.variants {
        for &width in &request.rays.widths {
            for group in groups {
                if control.is_cancelled() {
                    return Err(TraceError::Cancelled.into());
                }
                let LaunchCounts { counts, tally } = group.counts(&variant.voted(), width)?;
                let (launch_rays, launches) = (counts.rays, group.dumps.len() as u64);
                let (lanes, memory, streams) = (EventLanes::default(), None, Streams::default());
                let profile = Profile { counts, tally, lanes, memory, streams, launch_rays, launches };
                for (number, machine) in request.machines.iter().enumerate() {
                    rows.push(bound_row(request, (number, machine), (variant, group), &profile)?);
                }
            }
            control.advance(1);
        }
    }
    Ok(())
}

fn bound_row(
    request: &BoundsRequest,
    (number, machine): (usize, &Machine),
    (variant, group): (&Variant, &DumpedRays),
    profile: &Profile,
) -> Result<Bounded, SimulateError> {
    let kind = group.traced();
    let costs = kernel_costs(request.costs.as_deref(), machine, variant, kind.query());
    let mut launch_costs = LaunchCosts::new(&costs, profile);
    if !request.changes.is_empty() {
        launch_costs = changed(&launch_costs, &request.changes, (variant, kind), profile)?;
    }
    let bounds = launch_costs.bounds(machine, (variant, kind), profile, None);
    Ok(Bounded {
        machine: number,
        variant: *variant,
        kind,
        leaf_size: 0,
        profile: profile.clone(),
        instructions: launch_costs.instructions.clone(),
        traffic: None,
        launch: launch_costs.launch,
        doubt: launch_costs.doubt.clone(),
        basis: launch_costs.basis,
        has_no_code: costs.has_no_code,
        bounds,
        expected: None,
        pace: None,
        prediction: None,
        expected_after: Vec::new(),
        theirs: None,
    })
}
