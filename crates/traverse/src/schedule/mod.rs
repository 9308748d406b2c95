//! The organisations of the papers: one file each, a short loop over micro-operations.
//!
//! A schedule is the body of the main loop, in two phases that a work queue runs apart. The loop
//! itself, "while ray not terminated", is [`Trace`] where a warp's rays start and end together, and
//! belongs to the supply where they do not.

mod if_if;
mod if_while;
mod packet;
mod phased;
mod speculative_if_if;
mod speculative_while_while;
mod while_while;

pub(crate) use if_if::IfIf;
pub(crate) use if_while::IfWhile;
pub(crate) use packet::Packet;
pub(crate) use phased::Phased;
pub(crate) use speculative_if_if::SpeculativeIfIf;
pub(crate) use speculative_while_while::SpeculativeWhileWhile;
pub(crate) use while_while::WhileWhile;

use crate::lane::Lane;
use crate::lanes::Lanes;
use crate::probe::Watch;
use crate::tree::Tree;
use crate::warp::Warp;
use raywarp_family::Block;

/// One turn of the main loop.
pub(crate) trait Schedule {
    /// The phase that visits nodes.
    fn traverse<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>);

    /// The phase that tests triangles.
    fn intersect<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>);

    /// Both.
    fn turn<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>) {
        warp.issue_everyone(Block::Turn);
        Self::traverse(warp);
        Self::intersect(warp);
    }
}

/// Traces the rays that a warp holds to their end.
pub(crate) trait Trace {
    /// See the trait.
    fn trace<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>);
}

impl<S: Schedule> Trace for S {
    /// While ray not terminated.
    fn trace<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>) {
        while warp.any(warp.alive()) {
            S::turn(warp);
        }
    }
}

/// Counts the iterations of an inner loop (AL09 5.1: at most N).
pub(crate) struct Rounds(u32);

impl Rounds {
    /// Whether the loop may go on.
    pub fn left(&mut self) -> bool {
        let left = self.0 > 0;
        self.0 = self.0.saturating_sub(1);
        left
    }
}

impl<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch> Warp<'_, L, T, P> {
    /// The iterations that an inner loop may take.
    pub fn rounds(&self) -> Rounds {
        Rounds(self.launch.variant.rounds().unwrap_or(u32::MAX))
    }
}
