//! while-if (nobody's paper, in simulation alone): the example of the recipe for a loop in ARCHITECTURE.md.
//!
//! ```text
//! while ray not terminated
//!     while node does not contain primitives
//!         traverse to the next node
//!     if node contains untested primitives
//!         perform a ray-primitive intersection test
//! ```
//!
//! All lanes look for a leaf, as in while-while; then each tests one triangle, as in if-if, so that no lane waits for
//! another one's longer leaf.

use super::{IfIf, Schedule, WhileWhile};
use crate::lane::Lane;
use crate::lanes::Lanes;
use crate::probe::Watch;
use crate::tree::Tree;
use crate::warp::Warp;

pub(crate) struct WhileIf;

impl Schedule for WhileIf {
    fn traverse<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>) {
        WhileWhile::traverse(warp);
    }

    fn intersect<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>) {
        IfIf::intersect(warp);
    }
}
