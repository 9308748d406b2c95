//! Speculative if-if (AL09 4): as if-if, and a lane whose leaf waits in the postpone buffer takes part
//! in both halves of an iteration.

use super::{IfIf, Schedule};
use crate::lane::Lane;
use crate::lanes::Lanes;
use crate::probe::Watch;
use crate::tree::Tree;
use crate::warp::Warp;

pub(crate) struct SpeculativeIfIf;

impl Schedule for SpeculativeIfIf {
    fn traverse<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>) {
        // A lane that stands at a leaf puts it aside before the visit, so that it takes part.
        warp.postpone();
        warp.pop(warp.exhausted());
        IfIf::traverse(warp);
    }

    fn intersect<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>) {
        IfIf::intersect(warp);
    }
}
