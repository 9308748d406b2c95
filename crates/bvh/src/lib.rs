//! Builders of one canonical binary tree, [`Bvh2`].
#![forbid(unsafe_code)]

mod bvh2;

pub use bvh2::{Bvh2, Node};
