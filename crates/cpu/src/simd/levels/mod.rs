//! Rays through two levels: a tree over placements, and in each placement that a ray meets a tree of triangles.

mod batch;
mod single;

pub(super) use batch::walk_batch;
pub(super) use single::Levels;
