//! Byte encodings of a [`raywarp_bvh::Bvh2`] that a traversal kernel walks, and the triangle
//! records in their leaves.
//!
//! [`encode`] makes the tree that a variant of the kernel family walks, an [`EncodedTree`], whose text has a table of
//! them; [`MemoryLayout`] says how each lies in a device's memory. [`Wide8`], for SIMD on CPUs, stands by itself: 256
//! bytes a node, eight children, structure of arrays, and [`TriangleBlock`]s of plain vertices as leaves.
//!
//! A range of records is one of [`TriangleRecords`], which stand apart from the tree. Each encoding
//! says how deep a stack its walk needs. Fields are private: what exists was made by its encoder and
//! keeps its invariants, which kernels rely on instead of checking.
//!
//! [`save`] and [`load`] keep the trees of the family in files.
#![forbid(unsafe_code)]

mod block;
mod byte_grid;
mod child_word;
mod collapse;
mod error;
mod file;
mod node_table;
mod pull_up;
mod records;
mod structure;
mod tree;
mod wide8;
mod wide8_boxes;
mod woop;

pub use block::{BLOCK, INDEX_MASK, MORE_BLOCKS, NON_OPAQUE, TriangleBlock, UNUSED_SLOT};
pub use child_word::{MOST_RECORDS, leaf_word};
pub use error::{LayoutError, NodeFault, RecordFault};
pub use file::{FILE_VERSION, TreeFileError, load, save};
/// Rule by which [`encode_wide4`] collapses a binary tree into a wide one.
pub use raywarp_family::Collapse;
pub use records::{TriangleFormat, TriangleRecords, VertexTriangle};
pub use tree::*;
pub use wide8::{
    Corners, IndexedCorners, LEAF, Line, NO_CHILD, REFERENCE_BYTES, Wide8, Wide8Cost, Wide8Node, encode_wide8,
    encode_wide8_controlled, encode_wide8_over, reserve_lines,
};
pub use wide8_boxes::{BoxesCost, Wide8Boxes, encode_wide8_boxes};
pub use woop::WoopTriangle;
