//! Byte encodings of a [`raywarp_bvh::Bvh2`] that a traversal kernel walks, and the triangle
//! records in their leaves.
//!
//! | encoding | node | leaf | for |
//! |---|---|---|---|
//! | [`EncodedBvh2`] | 64 bytes, two children with their boxes | a range of records | the kernels of AL09 |
//! | [`Wide4Tree`] | 128 bytes, four children, structure of arrays | a range of records | the kernels of G14 and L9 |
//! | [`WideN`] | 32 bytes each for 4, 8, 16 or 32 children | a range of records | one ray on as many lanes (AL09 5.3) |
//! | [`Wide8`] | 256 bytes, eight children, structure of arrays | [`TriangleBlock`], plain vertices | SIMD on CPUs |
//! | [`Cwbvh8`] | 80 bytes, eight children, boxes in bytes | a range of records | GPUs, where memory bounds the rate |
//! | [`H8`] | 64 bytes, eight children, boxes in bytes | a record of 64 bytes, one or two triangles | GPUs without ray tracing hardware |
//!
//! A range of records is one of [`TriangleRecords`], which stand apart from the tree. Each encoding
//! says how deep a stack its walk needs. Fields are private: what exists was made by its encoder and
//! keeps its invariants, which kernels rely on instead of checking.
//!
//! [`encode`] makes the one of a variant of the kernel family, an [`EncodedTree`]: all of the table but [`Wide8`].
//!
//! [`save`] and [`load`] keep all but [`Wide8`] in files.
#![forbid(unsafe_code)]

mod block;
mod bvh2;
mod collapse;
mod cwbvh8;
mod encoded;
mod error;
mod file;
mod h8;
mod node_table;
mod pull_up;
mod records;
mod structure;
mod wide4;
mod wide8;
mod wide_n;
mod woop;

pub use block::{BLOCK, INDEX_MASK, MORE_BLOCKS, NON_OPAQUE, TriangleBlock, UNUSED_SLOT};
pub use bvh2::{Bvh2Node, EncodedBvh2, encode_bvh2};
pub use cwbvh8::{Cwbvh8, Cwbvh8Node, encode_cwbvh8};
pub use encoded::{ChildWords, EncodedTree, MemoryLayout, Swizzle, encode};
pub use error::LayoutError;
pub use file::{FILE_VERSION, FileError, load, save};
pub use h8::{H8, H8Block, H8Node, H8Pair, H8Ray, child_block, encode_h8, encode_h8_reaching};
/// The rule by which [`encode_wide4`] collapses a tree.
pub use raywarp_family::Collapse;
pub use records::{TriangleFormat, TriangleRecords, VertexTriangle};
pub use wide_n::{WideN, WideNChild, encode_wide_n};
pub use wide4::{Wide4Node, Wide4Tree, encode_wide4};
pub use wide8::{LEAF, Line, NO_CHILD, REFERENCE_BYTES, Wide8, Wide8Node, encode_wide8};
pub use woop::WoopTriangle;
