//! Traversal variants: their parts, their text form, their needs, and the rows of the papers.
//!
//! A [`Variant`] is `supply/loop/tree?key=value&...`, for example
//! `persistent/speculative-while-while/bvh2?postpone=2`. An illegal combination cannot be built, and
//! the text form parses back. [`papers`] lists the kernels of the papers; [`legal`] knows all that
//! can be combined. [`Operation`] and [`Block`] are the vocabulary of the schedules, the same in
//! Rust, CUDA and the simulator. No code here traces a ray.
#![forbid(unsafe_code)]

mod key;
pub mod legal;
mod operation;
mod paper;
mod part;
mod query;
mod source;
mod tree;
mod variant;

pub use key::{BoxPlanes, BoxTest, ChildOrder, Collapse, Fetch, Key, LeafLoop, Occlusion, Sync, TriangleTest};
pub use operation::{Block, Operation, Space};
pub use paper::{OWN, PaperRow, own_rows, papers, rows};
pub use part::{Supply, TraversalLoop};
pub use query::Query;
pub use source::{Citation, SOURCES, sources_of};
pub use tree::Tree;
pub use variant::{IllegalVariant, Needs, Refill, Stack, Variant};
