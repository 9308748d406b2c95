//! if-if (AL09 3.2):
//!
//! ```text
//! while ray not terminated
//!     if node does not contain primitives
//!         traverse to the next node
//!     if node contains untested primitives
//!         perform a ray-primitive intersection test
//! ```

use super::Schedule;
use crate::lane::Lane;
use crate::lanes::{Lanes, Mask};
use crate::probe::Watch;
use crate::tree::Tree;
use crate::warp::Warp;

pub(crate) struct IfIf;

impl Schedule for IfIf {
    fn traverse<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>) {
        let inner = warp.at_inner_node();
        if inner.any() {
            warp.visit_node(inner);
            warp.pop(warp.exhausted());
        }
    }

    fn intersect<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>) {
        let leaf = warp.has_leaf();
        if leaf.any() {
            warp.test_triangle(leaf);
            warp.pop(warp.exhausted());
        }
    }
}
