//! The loops of the papers: one file each, a short loop over micro-operations.
//!
//! A schedule is the body of the main loop, in two phases that a work queue runs apart. The loop
//! itself, "while ray not terminated", is [`Body::trace`] where a warp's rays start and end together, and
//! belongs to the supply where they do not. In scenes of two levels lanes change the level before both.

mod if_if;
mod if_while;
mod packet;
mod phased;
mod speculative_if_if;
mod speculative_while_while;
mod while_if;
mod while_while;

pub(crate) use if_if::IfIf;
pub(crate) use if_while::IfWhile;
pub(crate) use phased::Phased;
pub(crate) use speculative_if_if::SpeculativeIfIf;
pub(crate) use speculative_while_while::SpeculativeWhileWhile;
pub(crate) use while_if::WhileIf;
pub(crate) use while_while::WhileWhile;

use crate::lane::Lane;
use crate::lanes::{Lanes, Mask};
use crate::probe::Watch;
use crate::tree::Tree;
use crate::warp::Warp;
use raywarp_family::Block;

/// Schedule by which a warp runs the phases of the main loop: node visits and triangle tests.
pub(crate) trait Schedule {
    /// Runs the phase in which the warp's lanes visit nodes.
    fn traverse<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>);

    /// Runs the phase in which the warp's lanes test triangles.
    fn intersect<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>);

    /// Runs an iteration of the main loop: both phases, one after the other.
    fn iterate<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>) {
        warp.issue_everyone(Block::Iteration);
        if T::LEVELS {
            change_levels(warp);
        }
        Self::traverse(warp);
        Self::intersect(warp);
    }
}

/// Runs the phase in which lanes change the level, in scenes of two: whoever has walked a placed tree leaves it, and
/// whoever stands at an instance enters it.
///
/// ```text
/// if the placed tree is walked
///     leave it, pop
/// if node is an instance
///     enter it
/// ```
///
/// A phase of its own, so that a lane at an instance waits for others as one at a leaf does, whatever the loop. Lanes
/// part for it without a vote, as they do for a pop.
fn change_levels<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>) {
    let above = warp.above();
    if above.any() {
        warp.leave_instance(above);
        warp.pop(warp.exhausted());
    }
    let at_instance = warp.at_instance();
    if at_instance.any() {
        warp.enter_instance(at_instance);
    }
}

/// Pointer to a function that runs a phase or iteration of a warp's main loop, so that code that supplies rays is
/// compiled once for all schedules.
type Step<L, T, P> = fn(&mut Warp<'_, L, T, P>);

/// The functions of one schedule, for a kind of lanes, tree and probe.
pub(crate) struct Phases<L: Lanes, T: Tree, P> {
    /// Function that runs a whole iteration of the main loop: [`Schedule::iterate`].
    pub iterate: Step<L, T, P>,
    /// Function that runs the phase of node visits: [`Schedule::traverse`].
    pub traverse: Step<L, T, P>,
    /// Function that runs the phase of triangle tests: [`Schedule::intersect`].
    pub intersect: Step<L, T, P>,
}

impl<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch> Phases<L, T, P> {
    /// Returns the functions of the schedule `S`.
    pub fn of<S: Schedule>() -> Self {
        Self { iterate: S::iterate, traverse: S::traverse, intersect: S::intersect }
    }
}

/// Code that traces the rays that a warp holds until all have ended.
pub(crate) enum Body<L: Lanes, T: Tree, P> {
    /// The main loop, which repeats a schedule's iterations until all rays have ended.
    Loop(Phases<L, T, P>),
    /// The packet traversal, in which all rays walk the tree together.
    Packet,
}

impl<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch> Body<L, T, P> {
    /// Traces the warp's rays until all have ended, by the main loop or as a packet.
    pub fn trace(&self, warp: &mut Warp<'_, L, T, P>) {
        match self {
            Self::Loop(phases) => {
                while warp.any(warp.alive()) {
                    (phases.iterate)(warp);
                }
            }
            Self::Packet => packet::trace(warp),
        }
    }
}

/// Counter of the iterations of an inner loop, which may be limited (AL09 5.1: at most N).
pub(crate) struct Rounds(u32);

impl Rounds {
    /// Counts an iteration, and returns `true` if the loop may run it.
    pub fn left(&mut self) -> bool {
        let left = self.0 > 0;
        self.0 = self.0.saturating_sub(1);
        left
    }
}

impl<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch> Warp<'_, L, T, P> {
    /// Returns a counter with the variant's limit on the iterations of inner loops.
    pub fn rounds(&self) -> Rounds {
        Rounds(self.launch.variant.rounds().unwrap_or(u32::MAX))
    }
}
