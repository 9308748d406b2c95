//! if-while: the loop of compressed wide trees (YKL17, algorithm 1).
//!
//! ```text
//! while ray not terminated
//!     if there is a group of nodes
//!         visit its nearest node: a group of nodes and a group of triangles
//!     while enough lanes have a triangle
//!         perform a ray-triangle intersection test
//!     push what is left of the triangles, unless there are no nodes to go on with
//! ```

use super::Schedule;
use crate::lane::Lane;
use crate::lanes::{Lanes, Mask};
use crate::probe::Watch;
use crate::tree::Tree;
use crate::warp::Warp;

pub(crate) struct IfWhile;

impl Schedule for IfWhile {
    fn traverse<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>) {
        let inner = warp.at_inner_node();
        if inner.any() {
            warp.visit_node(inner);
        }
    }

    fn intersect<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>) {
        let alive = warp.alive();
        let enough = warp.launch.variant.share() * warp.ballot(alive);
        loop {
            let ready = warp.has_leaf();
            let count = warp.ballot(ready);
            if count == 0 || 100 * count < enough {
                break;
            }
            warp.test_triangle(ready);
        }
        // Lanes with a node group come back to their triangles later. One that has triangles left and nothing
        // else keeps them: pushed, they would be popped at once.
        warp.defer();
        warp.pop(warp.exhausted().without(warp.has_leaf()));
    }
}
