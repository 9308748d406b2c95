//! Byte encodings of a [`raywarp_bvh::Bvh2`] that a traversal kernel walks, and the triangle
//! records in their leaves.
//!
//! | encoding | node | leaf | for |
//! |---|---|---|---|
//! | [`EncodedBvh2`] | 64 bytes, two children with their boxes | Woop's 48-byte record | the kernels of AL09 |
//! | [`Wide8`] | 256 bytes, eight children, structure of arrays | [`TriangleBlock`], plain vertices | SIMD on CPUs |
//!
//! Each says at encoding how deep a stack its walk needs. Fields are private: what exists was made
//! by its encoder and keeps its invariants, which kernels rely on instead of checking.
#![forbid(unsafe_code)]

mod block;
mod bvh2;
mod collapse;
mod error;
mod structure;
mod wide8;
mod woop;

pub use block::{BLOCK, INDEX_MASK, MORE_BLOCKS, NON_OPAQUE, TriangleBlock, UNUSED_SLOT};
pub use bvh2::{Bvh2Node, EncodedBvh2, encode_bvh2};
pub use error::LayoutError;
pub use wide8::{LEAF, Line, NO_CHILD, REFERENCE_BYTES, Wide8, Wide8Node, encode_wide8};
pub use woop::WoopTriangle;
