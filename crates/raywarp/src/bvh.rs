//! Trees: the canonical binary tree over triangles, its builders and its figures.

pub use raywarp_bvh::{
    BuildError, Bvh2, BvhStats, InvalidBvh, MAX_DEPTH, Node, ReinsertionStats, build, build_controlled,
    build_with_choice, presets, reinsert,
};
pub use raywarp_layout::{LayoutError, NodeFault, RecordFault};
