//! Directives: the loop that reads them and the ones that set up the picture.

mod block;
mod parse;
mod picture;
mod transform;

pub(super) use block::{MAX_BLOCKS, MAX_DEFAULTS, MAX_PLACEMENTS};
pub(super) use picture::default_gaussian;
