//! Speculative while-while (AL09 4, ALK12): a lane that has found a leaf puts it aside and goes on
//! traversing, as long as another lane still looks for its first one.
//!
//! ```text
//! while ray not terminated
//!     while any lane is without a leaf
//!         lanes at a node: traverse to the next node
//!         if it is a leaf and there is room: postpone it, pop
//!     while there are untested primitives
//!         perform a ray-primitive intersection test
//! ```

use super::{Schedule, WhileWhile};
use crate::lane::Lane;
use crate::lanes::{Lanes, Mask};
use crate::probe::Watch;
use crate::tree::Tree;
use crate::warp::Warp;

pub(crate) struct SpeculativeWhileWhile;

/// Returns the lanes that can visit a node and have not yet found a leaf.
fn searching<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &Warp<'_, L, T, P>) -> L::Mask {
    warp.at_inner_node().without(warp.has_leaf())
}

impl Schedule for SpeculativeWhileWhile {
    fn traverse<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>) {
        let mut rounds = warp.rounds();
        while rounds.left() && warp.any(searching(warp)) {
            warp.visit_node(warp.at_inner_node());
            warp.pop(warp.exhausted());
            warp.postpone();
            warp.pop(warp.exhausted());
        }
    }

    fn intersect<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>) {
        WhileWhile::intersect(warp);
    }
}
