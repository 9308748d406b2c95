//! phased: each kind of step runs while it fills the warp (ours).
//!
//! ```text
//! while ray not terminated
//!     while enough of the live lanes have a group of nodes
//!         visit its nearest node: a group of nodes and a group of leaves
//!     do
//!         perform the ray-triangle intersection tests of a leaf
//!     while enough lanes have a leaf
//! ```
//!
//! A lane may walk on with one group of leaves put aside, as speculation does. How many lanes live is asked once
//! a phase: that some end counts against it, so that they are replaced the sooner. Whoever cannot visit a node has
//! leaves, so that one of the phases always runs.

use super::Schedule;
use crate::lane::Lane;
use crate::lanes::Lanes;
use crate::probe::Watch;
use crate::tree::Tree;
use crate::warp::Warp;

pub(crate) struct Phased;

impl Schedule for Phased {
    fn traverse<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>) {
        let alive = warp.alive();
        let enough = (warp.launch.variant.step() * warp.ballot(alive)).max(1);
        loop {
            let ready = warp.at_inner_node();
            if 100 * warp.ballot(ready) < enough {
                break;
            }
            warp.visit_node(ready);
            warp.pop(warp.exhausted());
        }
    }

    fn intersect<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>) {
        let enough = warp.launch.variant.test() * warp.width();
        loop {
            let ready = warp.has_leaf();
            let count = warp.ballot(ready);
            if count == 0 {
                break;
            }
            warp.test_triangle(ready);
            warp.pop(warp.exhausted());
            // Whoever stood at a second group and has ended the first puts it aside, and can walk on.
            warp.postpone();
            warp.pop(warp.exhausted());
            if 100 * count < enough {
                break;
            }
        }
    }
}
