//! while-while (AL09 3.2):
//!
//! ```text
//! while ray not terminated
//!     while node does not contain primitives
//!         traverse to the next node
//!     while node contains untested primitives
//!         perform a ray-primitive intersection test
//! ```

use super::Schedule;
use crate::lane::Lane;
use crate::lanes::Lanes;
use crate::probe::Watch;
use crate::tree::Tree;
use crate::warp::Warp;
use raywarp_family::{Block, LeafLoop};

pub(crate) struct WhileWhile;

/// Makes each lane that has a leaf test all triangles of its oldest one.
fn end_leaf<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>) {
    warp.begin_leaf();
    while warp.any(warp.in_leaf()) {
        warp.test_triangle(warp.in_leaf());
    }
    warp.pop(warp.exhausted());
}

impl Schedule for WhileWhile {
    fn traverse<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>) {
        let mut rounds = warp.rounds();
        while rounds.left() && warp.any(warp.at_inner_node()) {
            warp.visit_node(warp.at_inner_node());
            warp.pop(warp.exhausted());
        }
    }

    fn intersect<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>) {
        let leaf_loop = warp.launch.variant.leaf_loop();
        if leaf_loop == LeafLoop::One {
            return end_leaf(warp);
        }
        let mut rounds = warp.rounds();
        while rounds.left() && warp.any(warp.has_leaf()) {
            if leaf_loop == LeafLoop::Flat {
                warp.test_triangle(warp.has_leaf());
                warp.pop(warp.exhausted());
            } else {
                warp.issue_everyone(Block::LeafIteration);
                end_leaf(warp);
            }
        }
    }
}
