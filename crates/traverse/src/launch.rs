//! Start of a warp: its rays, its lanes, and the loop of its variant.

use crate::kernel::{Execution, KernelError};
use crate::lane::Lane;
use crate::lanes::{Lanes, Lockstep, Scalar};
use crate::probe::Watch;
use crate::schedule::{
    Body, IfIf, IfWhile, Phased, Phases, SpeculativeIfIf, SpeculativeWhileWhile, WhileIf, WhileWhile,
};
use crate::supply::{self, Pool, RayCounter};
use crate::tree::Tree;
use crate::warp::{Answer, Launch, Warp};
use raywarp_family::{Block, Supply, TraversalLoop, Variant};

fn rays_per_warp(variant: &Variant, machine: Execution) -> Result<u32, KernelError> {
    let lanes = variant.lanes_per_ray();
    match machine {
        Execution::Scalar => Ok(1),
        Execution::Lockstep { width } if (1..=64).contains(&width) && width % lanes == 0 => Ok(width / lanes),
        Execution::Lockstep { width } => Err(KernelError::Width { variant: *variant, lanes, width }),
    }
}

/// Returns the number of warps that `machine` starts to trace `rays` rays.
pub(crate) fn warp_count(
    variant: &Variant,
    machine: Execution,
    rays: usize,
    resident: u32,
) -> Result<u32, KernelError> {
    let per_warp = rays_per_warp(variant, machine)?;
    if rays >= u32::MAX as usize {
        return Err(KernelError::TooManyRays { found: rays });
    }
    let warps = (rays as u64).div_ceil(u64::from(per_warp)) as u32;
    Ok(if variant.supply() == Supply::Direct { warps } else { warps.min(resident.max(1)) })
}

/// A warp of a launch before it runs: its machine, its index, and the rays that it may take.
pub(crate) struct Place<'a> {
    machine: Execution,
    number: u32,
    /// Number of rays that the warp holds at once.
    width: u32,
    pool: Pool<'a>,
}

impl<'a> Place<'a> {
    /// Lets the warp take rays from a counter shared with other warps, where the variant has a global pool.
    pub fn sharing(mut self, counter: &'a dyn RayCounter) -> Self {
        if self.pool.is_global() {
            self.pool = self.pool.shared(counter, self.number);
        }
        self
    }

    /// Makes warp `number` of a launch over `rays` rays; `None` past the last warp.
    pub fn new(
        variant: &Variant,
        machine: Execution,
        number: u32,
        rays: usize,
        resident: u32,
    ) -> Result<Option<Self>, KernelError> {
        let width = rays_per_warp(variant, machine)?;
        let warps = warp_count(variant, machine, rays, resident)?;
        let count = rays as u32;
        let pool = match variant.supply() {
            Supply::Direct => Pool::direct(number, width, count),
            _ => match variant.batch() {
                Some(batch) => Pool::dealt(number, batch * width, warps, count),
                None => Pool::exact(number, width, warps, count),
            },
        };
        Ok((number < warps).then_some(Self { machine, number, width, pool }))
    }
}

/// Runs a warp until all of its rays have ended.
pub(crate) fn run_warp<T: Tree, P: Watch>(
    launch: Launch<'_, T>,
    place: Place<'_>,
    answers: &mut Vec<Answer>,
    probe: &mut P,
) {
    let Place { machine, number, width, pool } = place;
    let depth = launch.tree.stack_depth();
    let lane = |stack: u32| Lane::idle(depth, stack as u16);
    match machine {
        Execution::Scalar => {
            let lanes = |first| Scalar(lane(first));
            run(Warp::new(launch, number, lanes(0), pool, answers, probe), lanes);
        }
        Execution::Lockstep { .. } => {
            let lanes = |first| Lockstep::new((first..first + width).map(lane).collect());
            run(Warp::new(launch, number, lanes(0), pool, answers, probe), lanes);
        }
    }
}

/// Traces `count` rays one after the other on one lane, and returns their answers.
pub(crate) fn run_each<T: Tree, P: Watch>(launch: Launch<'_, T>, count: u32, probe: &mut P) -> Vec<Answer> {
    let lane = Scalar(Lane::idle(launch.tree.stack_depth(), 0));
    let mut answers = Vec::with_capacity(count as usize);
    let mut warp = Warp::new(launch, 0, lane, Pool::direct(0, count, count), &mut answers, probe);
    supply::persistent(&mut warp, &Body::Loop(Phases::of::<WhileWhile>()));
    answers
}

/// Runs a warp until all of its rays have ended, by the loop and supply of its variant; `lanes` makes idle lanes whose
/// stacks are numbered from its argument on.
fn run<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(mut warp: Warp<'_, L, T, P>, lanes: impl Fn(u32) -> L) {
    warp.issue_everyone(Block::Prologue);
    let phases = match warp.launch.variant.traversal_loop() {
        TraversalLoop::Packet if warp.launch.variant.supply() == Supply::Direct => {
            return supply::direct(&mut warp, &Body::Packet);
        }
        TraversalLoop::Packet => return supply::persistent(&mut warp, &Body::Packet),
        TraversalLoop::WhileWhile => Phases::of::<WhileWhile>(),
        TraversalLoop::IfIf => Phases::of::<IfIf>(),
        TraversalLoop::SpeculativeWhileWhile => Phases::of::<SpeculativeWhileWhile>(),
        TraversalLoop::SpeculativeIfIf => Phases::of::<SpeculativeIfIf>(),
        TraversalLoop::IfWhile => Phases::of::<IfWhile>(),
        TraversalLoop::Phased => Phases::of::<Phased>(),
        TraversalLoop::WhileIf => Phases::of::<WhileIf>(),
    };
    match warp.launch.variant.supply() {
        Supply::Direct => supply::direct(&mut warp, &Body::Loop(phases)),
        Supply::Persistent => supply::persistent(&mut warp, &Body::Loop(phases)),
        Supply::Replace => supply::replace(&mut warp, &phases),
        Supply::Queue => {
            let mut parked = lanes(warp.width());
            supply::queue(&mut warp, &phases, &mut parked);
        }
    }
}
